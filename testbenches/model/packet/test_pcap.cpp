// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>

#include <filesystem>
#include <fstream>

#include "models/base/errors.hpp"
#include "models/packet/pcap.hpp"

using namespace caravan;
using Catch::Matchers::Message;
using packet::Buffer;

namespace {

void append(Buffer& out, std::uint32_t word, bool big_endian) {
  for (int i = 0; i < 4; ++i) out.push_back(static_cast<std::uint8_t>(word >> 8 * (big_endian ? 3 - i : i)));
}

/// A file with two records.
Buffer sample(std::uint32_t magic, bool big_endian, std::uint32_t link = 1) {
  Buffer out;
  for (const std::uint32_t word : {magic, 0x00040002u, 0u, 0u, 65535u, link}) append(out, word, big_endian);
  for (std::uint8_t i = 0; i < 2; ++i) {
    for (const std::uint32_t word : {1'700'000'000u + i, 250u, 3u, 3u}) append(out, word, big_endian);
    out.insert(out.end(), {i, 2, 3});
  }
  return out;
}

std::string store(const std::string& name, const Buffer& bytes) {
  const std::string path = std::string(CARAVAN_BINARY_DIR) + "/test_" + name + ".pcap";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return path;
}

}  // namespace

TEST_CASE("Both resolutions and both byte orders are read alike", "[packet][pcap]") {
  for (const bool big : {false, true}) {
    for (const bool nano : {false, true}) {
      const auto records = packet::read_pcap(store("orders", sample(nano ? 0xA1B23C4D : 0xA1B2C3D4, big)));
      REQUIRE(records.size() == 2);
      const auto fraction = nano ? base::Time::ns(250) : base::Time::us(250);
      CHECK(records[0].time == fraction);
      CHECK(records[1].time == base::Time::ms(1000) + fraction);
      CHECK(records[1].bytes == Buffer{1, 2, 3});
    }
  }
}

TEST_CASE("A bad capture is refused with file, offset and reason", "[packet][pcap]") {
  const auto error = [](const std::string& path, const std::string& text) {
    CHECK_THROWS_MATCHES(packet::read_pcap(path), base::UserError, Message(path + ": " + text));
  };
  error("/nonexistent/a.pcap", "offset 0: can't open the file for reading");
  error(store("short", Buffer(10)), "offset 10: the file ends inside the 24-byte pcap header");
  error(store("magic", Buffer(24, 'x')), "offset 0: not a pcap file: magic number 0x78787878");
  error(store("link", sample(0xA1B2C3D4, false, 113)), "offset 20: link type 113 is not Ethernet (1)");
  Buffer pcapng = {0x0A, 0x0D, 0x0D, 0x0A};
  pcapng.resize(40);
  error(store("ng", pcapng), "offset 0: this is pcapng; classic pcap is expected (convert with: editcap -F pcap)");
  Buffer cut = sample(0xA1B2C3D4, false);
  cut.pop_back();
  error(store("cut", cut), "offset 51: record 1: 3 bytes claimed, 2 left in the file");
  cut.resize(24 + 19 + 5);
  error(store("header", cut), "offset 43: record 1: the file ends inside its header");
  Buffer sliced = sample(0xA1B2C3D4, false);
  sliced[24 + 12] = 9;
  error(store("sliced", sliced), "offset 32: record 0: only 3 of 9 bytes were captured");
}
