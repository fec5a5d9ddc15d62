// SPDX-License-Identifier: Apache-2.0
#include "models/ref/roce_types.hpp"

#include <iterator>

namespace caravan::ref {

std::string_view name(DropReason reason) {
  constexpr std::string_view kNames[] = {"not_roce", "not_for_us",   "network",   "icrc",      "tver",
                                         "pkey",     "length",       "opcode",    "qpn",       "state",
                                         "peer",     "out_of_order", "duplicate", "stale_ack", "ghost_ack",
                                         "syndrome", "response",     "qkey",      "no_receive"};
  static_assert(std::size(kNames) == static_cast<std::size_t>(DropReason::kCount));
  return kNames[static_cast<std::size_t>(reason)];
}

base::Time ack_timeout(std::uint32_t exponent) {
  return exponent == 0 ? base::Time::never() : base::Time::ns(4096) * (std::int64_t{1} << exponent);
}

base::Time rnr_wait(std::uint8_t code) {
  // In units of 10 us, as the wire documents list them.
  constexpr std::int64_t kTens[] = {65536, 1,    2,    3,    4,    6,     8,     12,    16,    24,   32,
                                    48,    64,   96,   128,  192,  256,   384,   512,   768,   1024, 1536,
                                    2048,  3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152};
  static_assert(std::size(kTens) == 32);
  return base::Time::us(10) * kTens[code & 0x1F];
}

}  // namespace caravan::ref
