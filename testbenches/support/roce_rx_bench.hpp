// SPDX-License-Identifier: Apache-2.0
// Bench of the whole receive half (roce_rx): frames in; memories, RPCs, acknowledges, failures and counters out.
#pragma once

#include "models/packet/icrc.hpp"
#include "testbenches/support/axi_write_slave.hpp"
#include "testbenches/support/roce_cfg_driver.hpp"

namespace caravan::support {

/// Memory addresses keep their class bits in `memory`, as the reference model has them.
template <class V>
struct RoceRxBench {
  using Kind = StallPattern::Kind;
  static constexpr std::uint64_t kHostBase = 0x8000000000000000ull;

  bool hold_rpc = false;  ///< the dispatcher takes nothing
  Bench<V> dut;
  ref::SparseMemory memory;
  CfgDriver<V> cfg{dut};
  Sink<RxRsp> rx_rsp;
  Sink<AckEvt> evt;
  Sink<RxRpc> rpc;
  Sink<std::uint32_t> err;
  AxiWriteSlave hbm, host;
  RxStats stats{};
  std::vector<std::uint64_t> eop_at;

  explicit RoceRxBench(Kind gaps = Kind::kNone, Kind stalls = Kind::kNone, std::uint64_t seed = 1)
      : rx_rsp(
            dut, {stalls, seed}, [this] { return unpack_rx_rsp(dut->rx_rsp_o); },
            [this] { return dut->rx_rsp_valid_o != 0; }, [this](bool r) { dut->rx_rsp_ready_i = r; }),
        evt(
            dut, {stalls, seed + 1}, [this] { return unpack_ack_evt(dut->ack_evt_o); },
            [this] { return dut->ack_evt_valid_o != 0; }, [this](bool r) { dut->ack_evt_ready_i = r; }),
        rpc(
            dut, {stalls, seed + 2}, [this] { return unpack_rpc(dut->rpc_o); },
            [this] { return dut->rpc_valid_o && !hold_rpc; }, [this](bool r) { dut->rpc_ready_i = r && !hold_rpc; }),
        err(
            dut, {stalls, seed + 3}, [this] { return std::uint32_t{dut->qp_err_o}; },
            [this] { return dut->qp_err_valid_o != 0; }, [this](bool r) { dut->qp_err_ready_i = r; }),
        hbm(dut, hbm_pins(*dut), memory, 0, {stalls, seed + 4}, {stalls, seed + 5}, {stalls, seed + 6}),
        host(dut, host_pins(*dut), memory, kHostBase, {stalls, seed + 7}, {stalls, seed + 8}, {stalls, seed + 9}),
        gaps_(gaps, seed + 10) {
    PinWriter(dut->glb_i).put(1, 1);
    dut.add(
        [this] {
          sending_ = !beats_.empty() && !gaps_.next();
          dut->net_valid_i = sending_;
          if (sending_) pack(dut->net_i, beats_.front());
        },
        [this] {
          if (sending_) {
            if (beats_.front().eop) eop_at.push_back(dut.cycle());
            beats_.pop_front();
          }
          for (unsigned i = 0; i < kRxStats; ++i) stats[i] += dut->stats_o >> i & 1;
        });
    dut.reset();
  }
  /// Queues a frame as the network layer hands it on: cut at the end of its IP packet, Ethernet padding without bytes.
  void send(const packet::Buffer& frame) {
    for (auto& beat : net_beats(frame, frame.size() < 60 ? 60 - frame.size() : 0)) beats_.push_back(beat);
  }
  /// Runs until everything sent has taken effect.
  bool drain(std::uint64_t limit = 100'000) {
    return dut.run_until([this] { return beats_.empty() && cfg.empty(); }, limit) &&
           dut.run_until([this] { return dut->quiet_o && hbm.idle() && host.idle(); }, limit);
  }

 private:
  StallPattern gaps_;
  std::deque<NetBeat> beats_;
  bool sending_ = false;
};

}  // namespace caravan::support
