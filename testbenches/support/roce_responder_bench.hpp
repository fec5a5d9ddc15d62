// SPDX-License-Identifier: Apache-2.0
// Bench of the whole responder side of a node (responder_top): frames in; frames, receive completions, RPCs, failures
// and counters out, memories around it. V is the Verilated class.
#pragma once

#include "models/packet/icrc.hpp"
#include "testbenches/support/axi_read_slave.hpp"
#include "testbenches/support/axi_write_slave.hpp"
#include "testbenches/support/roce_cfg_driver.hpp"

namespace caravan::support {

/// Memory addresses keep their class bits in `memory`, as the reference model has them.
template <class V>
struct RoceResponderBench {
  using Kind = StallPattern::Kind;
  using Post = std::pair<std::uint32_t, ref::ReceiveRequest>;
  static constexpr std::uint64_t kHostBase = 0x8000000000000000ull;

  Bench<V> dut;
  ref::SparseMemory memory;
  CfgDriver<V> cfg{dut};
  Source<Post> posts;
  Sink<ref::ReceiveCompletion> received;
  Sink<RxRpc> rpc;
  Sink<std::uint32_t> err;
  AxiWriteSlave hbm, host;
  AxiReadSlave hbm_reads, host_reads;
  RxStats stats{};
  std::vector<packet::Buffer> frames;
  std::vector<std::uint64_t> frame_at, eop_at;  ///< cycles of the first beats out and of the last beats in
  std::vector<base::Qpn> marked, cnps;
  std::uint64_t lost = 0;

  RoceResponderBench(const packet::MacAddr& own_mac, packet::Ipv4Addr own_ip, const packet::MacAddr& peer_mac,
                     packet::Ipv4Addr peer_ip, Kind gaps = Kind::kNone, Kind stalls = Kind::kNone,
                     std::uint64_t seed = 1, unsigned latency = 20)
      : posts(
            dut, {gaps, seed + 20}, [this](const Post& p) { pack_rq(dut->rq_post_i, p.first, p.second); },
            [this](bool v) { dut->rq_post_valid_i = v; }, [this] { return dut->rq_post_ready_o != 0; }),
        received(
            dut, {stalls, seed}, [this] { return unpack_rq_cpl(dut->rq_cpl_o); },
            [this] { return dut->rq_cpl_valid_o != 0; }, [this](bool r) { dut->rq_cpl_ready_i = r; }),
        rpc(
            dut, {stalls, seed + 2}, [this] { return unpack_rpc(dut->rpc_o); },
            [this] { return dut->rpc_valid_o != 0; }, [this](bool r) { dut->rpc_ready_i = r; }),
        err(
            dut, {stalls, seed + 3}, [this] { return std::uint32_t{dut->qp_err_o}; },
            [this] { return dut->qp_err_valid_o != 0; }, [this](bool r) { dut->qp_err_ready_i = r; }),
        hbm(dut, hbm_pins(*dut), memory, 0, {stalls, seed + 4}, {stalls, seed + 5}, {stalls, seed + 6}),
        host(dut, host_pins(*dut), memory, kHostBase, {stalls, seed + 7}, {stalls, seed + 8}, {stalls, seed + 9}),
        hbm_reads(dut, hbm_read_pins(*dut), memory, 0, latency, {stalls, seed + 11}, {stalls, seed + 12}),
        host_reads(dut, host_read_pins(*dut), memory, kHostBase, latency, {stalls, seed + 13}, {stalls, seed + 14}),
        gaps_(gaps, seed + 10),
        stall_(stalls, seed + 15) {
    PinWriter(dut->glb_i).put(1, 1);
    PinWriter(dut->net_cfg_i).put(32, own_ip).put(48, packet::get_be(own_mac.data(), 6));
    PinWriter(dut->neigh_i).put(32, peer_ip).put(48, packet::get_be(peer_mac.data(), 6)).put(1, 1);
    dut.add([this] { drive(); }, [this] { sample(); });
    dut.reset();
  }
  /// Queues a frame as the network layer hands it on: cut at the end of its IP packet, Ethernet padding without bytes.
  void send(const packet::Buffer& frame) {
    for (auto& beat : net_beats(frame, frame.size() < 60 ? 60 - frame.size() : 0)) beats_.push_back(beat);
  }
  /// Runs until everything sent has taken effect.
  bool drain(std::uint64_t limit = 100'000) {
    return dut.run_until([this] { return beats_.empty() && cfg.empty() && posts.empty(); }, limit) &&
           dut.run_until(
               [this] { return dut->quiet_o && hbm.idle() && host.idle() && hbm_reads.idle() && host_reads.idle(); },
               limit);
  }

 private:
  void drive() {
    sending_ = !beats_.empty() && !gaps_.next();
    dut->net_valid_i = sending_;
    if (sending_) pack(dut->net_i, beats_.front());
    frame_ready_ = !stall_.next();
    dut->frame_ready_i = frame_ready_;
  }
  void sample() {
    if (sending_) {
      if (beats_.front().eop) eop_at.push_back(dut.cycle());
      beats_.pop_front();
    }
    for (unsigned i = 0; i < kRxStats; ++i) stats[i] += dut->stats_o >> i & 1;
    lost += dut->lost_o;
    if (dut->ce_valid_o) marked.emplace_back(dut->ce_o);
    if (dut->cnp_valid_o) cnps.emplace_back(dut->cnp_o);
    if (!dut->frame_valid_o || !frame_ready_) return;
    PinReader r(dut->frame_o);
    auto data = r.data();
    data.resize(r.get(7));
    if (!in_frame_) frames.emplace_back(), frame_at.push_back(dut.cycle());
    frames.back().insert(frames.back().end(), data.begin(), data.end());
    in_frame_ = r.get(1) == 0;
  }

  StallPattern gaps_, stall_;
  std::deque<NetBeat> beats_;
  bool sending_ = false, frame_ready_ = false, in_frame_ = false;
};

}  // namespace caravan::support
