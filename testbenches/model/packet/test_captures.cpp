// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "models/packet/icrc.hpp"
#include "models/packet/packet.hpp"
#include "models/packet/pcap.hpp"

using namespace caravan;
namespace fs = std::filesystem;

TEST_CASE("Every frame of the Linux captures parses, has a good ICRC and is rebuilt byte for byte",
          "[packet][capture]") {
  std::size_t files = 0, frames = 0, others = 0;
  std::map<packet::Opcode, int> opcodes;
  for (const auto& entry : fs::directory_iterator(CARAVAN_SOURCE_DIR "/testbenches/support/vectors/rxe")) {
    if (entry.path().extension() != ".pcap") continue;
    ++files;
    const auto records = packet::read_pcap(entry.path());
    const auto json = nlohmann::json::parse(std::ifstream(fs::path(entry.path()).replace_extension(".json")));
    if (json.contains("frames")) CHECK(records.size() == json["frames"].get<std::size_t>());
    for (const auto& record : records) {
      INFO(entry.path().filename() << " frame " << frames << ": " << packet::describe(record.bytes));
      const auto p = packet::parse(record.bytes);
      // Captures of the connection manager also hold its ARP, or a TCP exchange.
      if (entry.path().stem().string().starts_with("cm_") && p.kind != packet::Kind::kRoce) {
        CHECK((p.kind == packet::Kind::kArp || p.error == packet::ParseError::kIpProtocol));
        ++others;
        continue;
      }
      REQUIRE(p.is_roce());
      REQUIRE(packet::check_icrc(record.bytes));
      REQUIRE(packet::build(packet::to_frame(p), p.payload) == record.bytes);
      ++opcodes[p.op->opcode];
      ++frames;
    }
  }
  CHECK(files == 28);
  CHECK(others == 49);
  CHECK(frames > 250);
  // All of WRITE, SEND, READ and atomics, UC and UD are in there.
  for (const auto op : {packet::Opcode::kWriteFirst, packet::Opcode::kWriteLastImm, packet::Opcode::kSendOnlyImm,
                        packet::Opcode::kReadRespMiddle, packet::Opcode::kAtomicAck, packet::Opcode::kFetchAdd,
                        packet::Opcode::kUcWriteOnly, packet::Opcode::kUdSendOnly}) {
    INFO(packet::traits(op).name);
    CHECK(opcodes[op] > 0);
  }
}
