// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>

#include <array>

#include "Vtb_net_loop.h"
#include "models/base/rng.hpp"
#include "testbenches/support/net_frames.hpp"
#include "testbenches/support/stalls.hpp"

using namespace caravan;
using namespace caravan::support;

TEST_CASE("net counts every frame once and answers or drops every request, whatever arrives", "[unit][net]") {
  const auto gaps = CARAVAN_EVERY_STALL();
  const auto stalls = CARAVAN_EVERY_STALL();
  const bool gated = GENERATE(false, true);
  Bench<Vtb_net_loop> dut;
  Pusher<Beat> rx(
      dut, {gaps, 5}, [&](const Beat& b) { put_axis(dut->mac_rx_i, b); }, [&](bool v) { dut->mac_rx_valid_i = v; });
  Sink<Beat> tx(
      dut, {stalls, 6}, [&] { return get_axis(dut->mac_tx_o); }, [&] { return dut->mac_tx_valid_o != 0; },
      [&](bool r) { dut->mac_tx_ready_i = r; });
  std::array<unsigned, 9> events{};
  dut.add([] {},
          [&] {
            for (unsigned e = 0; e < 9; ++e) events[e] += dut->stats_o >> e & 1;
          });
  put_own_cfg(dut->cfg_i);
  if (gated) dut.gate([&] { return dut->quiet_o != 0; });
  dut.reset();

  base::Rng rng(21, static_cast<std::uint64_t>(stalls));
  std::array<unsigned, 32> expected{};
  for (int i = 0; i < 250; ++i) {
    Bytes frame = rng.chance(0.3)   ? arp_frame()
                  : rng.chance(0.5) ? icmp_frame(pattern(rng.below(400)))
                                    : udp_frame(pattern(rng.below(90)));
    if (rng.chance(0.2)) frame[rng.below(frame.size())] ^= 0x10;
    if (rng.chance(0.1)) frame = padded(frame, rng.below(80));
    const bool err = rng.chance(0.05);
    ++expected[expected_event(frame, err)];
    for (const Beat& beat : to_beats(frame, err)) rx.push(beat);
  }
  REQUIRE(dut.run_until([&] { return rx.empty() && dut->quiet_o; }, 40000));
  for (const NetEvent e : {kRxBadFcs, kRxDropMac, kRxDropIp, kRxDropUdp, kRxArp, kRxIcmp})
    REQUIRE(events[e] == expected[e]);
  const unsigned refused = events[kRxDropOther] - expected[kRxDropOther];
  const std::vector<Bytes> replies = to_frames(tx.items());
  REQUIRE(replies.size() == events[kTxFrames]);
  REQUIRE(replies.size() + refused == events[kRxArp] + events[kRxIcmp]);
  REQUIRE(replies.size() > 10);
  for (const Bytes& reply : replies) REQUIRE(packet::parse(reply).ok());
}
