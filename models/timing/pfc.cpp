// SPDX-License-Identifier: Apache-2.0
#include "models/timing/pfc.hpp"

namespace caravan::timing {
namespace {

constexpr std::size_t kHeaderBytes = 14, kPauseBytes = 34, kFrameBytes = 60;
constexpr std::uint64_t kPauseMac = 0x0180'C200'0001;
constexpr unsigned kEtherType = 0x8808, kOpcode = 0x0101;

void put(std::vector<std::uint8_t>& f, std::size_t at, std::uint64_t v, unsigned n) {
  for (unsigned i = 0; i < n; ++i) f[at + i] = static_cast<std::uint8_t>(v >> (8 * (n - 1 - i)));
}
std::uint64_t get(const std::vector<std::uint8_t>& f, std::size_t at, unsigned n) {
  std::uint64_t v = 0;
  for (unsigned i = 0; i < n; ++i) v = v << 8 | f[at + i];
  return v;
}

}  // namespace

std::vector<std::uint8_t> make_pause(std::uint64_t src_mac, const PauseFrame& pause) {
  std::vector<std::uint8_t> f(kFrameBytes, 0);
  put(f, 0, kPauseMac, 6);
  put(f, 6, src_mac, 6);
  put(f, 12, kEtherType, 2);
  put(f, 14, kOpcode, 2);
  put(f, 16, pause.enabled, 2);
  for (unsigned p = 0; p < kPriorities; ++p) put(f, 18 + 2 * p, pause.quanta[p], 2);
  return f;
}

std::optional<PauseFrame> parse_pause(const std::vector<std::uint8_t>& f) {
  if (f.size() < kPauseBytes || get(f, 0, 6) != kPauseMac || get(f, 12, 2) != kEtherType || get(f, 14, 2) != kOpcode) {
    return std::nullopt;
  }
  PauseFrame pause;
  pause.enabled = f[17];
  for (unsigned p = 0; p < kPriorities; ++p) pause.quanta[p] = static_cast<std::uint16_t>(get(f, 18 + 2 * p, 2));
  return pause;
}

base::Time pause_time(unsigned quanta, base::Rate rate) {
  return rate.time_for(base::Bytes(std::uint64_t{quanta} * 64));
}

unsigned dscp_of(const std::vector<std::uint8_t>& f) {
  if (f.size() < kHeaderBytes + 20) return 0;
  if (get(f, 12, 2) == 0x0800 && f[14] >> 4 == 4) return f[15] >> 2;
  if (get(f, 12, 2) == 0x86DD && f[14] >> 4 == 6) return static_cast<unsigned>(get(f, 14, 2) >> 6 & 0x3F);
  return 0;
}

std::array<std::uint8_t, 64> PfcConfig::class_selectors() {
  std::array<std::uint8_t, 64> map{};
  for (unsigned dscp = 0; dscp < map.size(); ++dscp) map[dscp] = static_cast<std::uint8_t>(dscp >> 3);
  return map;
}

}  // namespace caravan::timing
