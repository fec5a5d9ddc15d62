// SPDX-License-Identifier: Apache-2.0
#include <pcap/pcap.h>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cstdio>
#include <fstream>
#include <iterator>

#include "models/base/errors.hpp"
#include "models/packet/pcap.hpp"
#include "testbenches/model/packet/vectors.hpp"

using namespace caravan;
using namespace caravan::test;
using base::Time;
using packet::Buffer;

namespace {

const std::string kPath = std::string(CARAVAN_BINARY_DIR) + "/test_writer.pcapng";

/// All vectors, on two interfaces, at times that need every part of the nanosecond clock.
Time time_of(std::size_t i) { return Time::ms(1500) * static_cast<std::int64_t>(i) + Time::ps(123'456'789'999); }

void write_sample(const std::string& path) {
  packet::PcapngWriter writer(path, {"node0.port0", "node1.port0"});
  for (std::size_t i = 0; i < kVectors.size(); ++i) {
    writer.write(i % 2, time_of(i), frame_of(kVectors[i]),
                 i % 2 == 0 ? packet::Direction::kOutbound : packet::Direction::kUnknown);
  }
  writer.close();
}

Buffer slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return Buffer(std::istreambuf_iterator<char>(in), {});
}

std::string run(const std::string& command) {
  std::string text;
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  char chunk[4096];
  for (std::size_t n; (n = fread(chunk, 1, sizeof chunk, pipe)) > 0;) text.append(chunk, n);
  pclose(pipe);
  return text;
}

}  // namespace

TEST_CASE("libpcap reads every frame and time of a pcapng file back", "[packet][pcap]") {
  write_sample(kPath);
  char problem[PCAP_ERRBUF_SIZE] = "";
  pcap_t* file = pcap_open_offline_with_tstamp_precision(kPath.c_str(), PCAP_TSTAMP_PRECISION_NANO, problem);
  INFO(problem);
  REQUIRE(file != nullptr);
  CHECK(pcap_datalink(file) == DLT_EN10MB);
  pcap_pkthdr* header = nullptr;
  const u_char* data = nullptr;
  for (std::size_t i = 0; i < kVectors.size(); ++i) {
    REQUIRE(pcap_next_ex(file, &header, &data) == 1);
    CHECK(Buffer(data, data + header->caplen) == frame_of(kVectors[i]));
    CHECK(Time::ms(1000) * header->ts.tv_sec + Time::ns(header->ts.tv_usec) == Time::ns(time_of(i) / Time::ns(1)));
  }
  CHECK(pcap_next_ex(file, &header, &data) == PCAP_ERROR_BREAK);
  pcap_close(file);
}

TEST_CASE("Blocks are laid out as the format says", "[packet][pcap]") {
  write_sample(kPath);
  const Buffer file = slurp(kPath);
  const auto word = [&](std::size_t at) {
    return static_cast<std::uint32_t>(file.at(at) | file.at(at + 1) << 8 | file.at(at + 2) << 16 |
                                      file.at(at + 3) << 24);
  };
  std::vector<std::uint32_t> types;
  for (std::size_t at = 0; at < file.size();) {
    const std::uint32_t length = word(at + 4);
    types.push_back(word(at));
    REQUIRE(length % 4 == 0);
    REQUIRE(at + length <= file.size());
    CHECK(word(at + length - 4) == length);  // the length stands at both ends
    at += length;
  }
  std::vector<std::uint32_t> expected = {0x0A0D0D0A, 1, 1};
  expected.resize(3 + kVectors.size(), 6);
  CHECK(types == expected);
  const std::string text(file.begin(), file.end());
  CHECK(text.find("node1.port0") != std::string::npos);
  write_sample(kPath);
  CHECK(slurp(kPath) == file);  // the same run gives the same file
}

TEST_CASE("tshark shows names, times and decoded frames of a pcapng file", "[packet][pcap]") {
  if (run("tshark --version 2>/dev/null").empty()) SKIP("tshark is not installed");
  write_sample(kPath);
  const std::string out = run("tshark -r " + kPath +
                              " -T fields -e frame.interface_name -e frame.time_epoch -e infiniband.bth.opcode -e "
                              "infiniband.bth.psn 2>/dev/null");
  CHECK_THAT(out,
             Catch::Matchers::StartsWith("node0.port0\t0.123456789\t10\t256\nnode1.port0\t1.623456789\t12\t257\n"));
  CHECK(run("tshark -r " + kPath + " -Y _ws.malformed 2>/dev/null").empty());
}

TEST_CASE("A file that can't be made or written is the user's error", "[packet][pcap]") {
  using Catch::Matchers::ContainsSubstring;
  try {
    packet::PcapngWriter writer("/nonexistent/out.pcapng", {"a"});
    FAIL("no error");
  } catch (const base::UserError& e) {
    CHECK_THAT(e.what(), ContainsSubstring("/nonexistent/out.pcapng: can't make the file: No such file or directory"));
  }
  try {
    packet::PcapngWriter writer("/dev/full", {"a"});
    writer.close();
    FAIL("no error");
  } catch (const base::UserError& e) { CHECK_THAT(e.what(), ContainsSubstring("/dev/full: writing failed")); }
}
