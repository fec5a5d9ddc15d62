// SPDX-License-Identifier: Apache-2.0
// Small frames for tests of switch, faults and engine: just enough headers for what those look at.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/base/frame.hpp"

namespace caravan::support {

/// Station i: MAC 02:00:00:00:00:i, address 10.0.0.i+1.
inline std::uint64_t station_mac(unsigned i) { return 0x02'00'00'00'00'00ull + i; }
inline std::uint32_t station_ip(unsigned i) { return 0x0A000001u + i; }

struct RoceFrame {
  unsigned from = 0, to = 1;
  std::uint8_t opcode = 0x0A;
  std::uint32_t qp = 17, psn = 100;
  std::uint8_t tos = 2;
  std::size_t size = 138;  ///< at least 60
};

inline void put_big_endian(std::vector<std::uint8_t>& f, std::size_t at, std::uint64_t v, unsigned n) {
  for (unsigned i = 0; i < n; ++i) f[at + i] = static_cast<std::uint8_t>(v >> (8 * (n - 1 - i)));
}

/// Folded sum of the IPv4 header: 0xFFFF when the checksum is right.
inline std::uint32_t ipv4_sum(const std::vector<std::uint8_t>& f) {
  std::uint32_t sum = 0;
  for (std::size_t i = 14; i < 34; i += 2) sum += f[i] * 256u + f[i + 1];
  while (sum >> 16) sum = (sum & 0xFFFF) + (sum >> 16);
  return sum;
}

inline base::Frame make_frame(const RoceFrame& r, base::Time time = {}, std::uint64_t sequence = 0) {
  std::vector<std::uint8_t> f(r.size, 0);
  put_big_endian(f, 0, station_mac(r.to), 6);
  put_big_endian(f, 6, station_mac(r.from), 6);
  put_big_endian(f, 12, 0x0800, 2);
  f[14] = 0x45;
  f[15] = r.tos;
  put_big_endian(f, 16, r.size - 14, 2);
  f[22] = 64;
  f[23] = 17;
  put_big_endian(f, 26, station_ip(r.from), 4);
  put_big_endian(f, 30, station_ip(r.to), 4);
  put_big_endian(f, 24, ~ipv4_sum(f) & 0xFFFF, 2);
  put_big_endian(f, 34, 0xC000, 2);
  put_big_endian(f, 36, 4791, 2);
  put_big_endian(f, 38, r.size - 34, 2);
  f[42] = r.opcode;
  put_big_endian(f, 47, r.qp, 3);
  put_big_endian(f, 51, r.psn, 3);
  return {time, sequence, std::make_shared<const std::vector<std::uint8_t>>(std::move(f)), false};
}

}  // namespace caravan::support
