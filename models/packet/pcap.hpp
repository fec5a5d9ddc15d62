// SPDX-License-Identifier: Apache-2.0
// Captures: reads classic pcap, writes pcapng.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "models/base/units.hpp"
#include "models/packet/bytes.hpp"

namespace caravan::packet {

struct PcapRecord {
  base::Time time;  ///< since the whole second in which the first record was taken
  Buffer bytes;
};

/// Reads a whole classic pcap file (microsecond or nanosecond, either byte order, Ethernet). base::UserError names
/// file, byte offset and what is wrong: not readable, not a pcap file, another link type, a record cut short.
std::vector<PcapRecord> read_pcap(const std::string& path);

/// Which way a frame passed the interface; shown by analysers.
enum class Direction : std::uint8_t { kUnknown = 0, kInbound = 1, kOutbound = 2 };

/// Writes pcapng: one section, one Ethernet interface per name, nanosecond time stamps (times are rounded down).
/// base::UserError when the file can't be made or written.
class PcapngWriter {
 public:
  /// Interface i is called interfaces[i] in the file.
  PcapngWriter(const std::string& path, const std::vector<std::string>& interfaces);
  ~PcapngWriter();
  PcapngWriter(const PcapngWriter&) = delete;
  PcapngWriter& operator=(const PcapngWriter&) = delete;

  /// `interface` is an index into the constructor's list. A broken invariant when it is not, or after close().
  void write(std::size_t interface, base::Time time, ByteSpan frame, Direction direction = Direction::kUnknown);
  /// Flushes and checks; the destructor does the same without the check.
  void close();

 private:
  void block(std::uint32_t type, const Buffer& body);
  std::string path_;
  std::ofstream out_;
  std::size_t interfaces_;
};

}  // namespace caravan::packet
