// SPDX-License-Identifier: Apache-2.0
// roce_tx with memories, neighbour table and MAC around it: work requests in, frames out, response frames in. The
// payload of responses is put into memory as roce_rx does it, on the requester's commands.
#pragma once

#include <deque>
#include <functional>
#include <vector>

#include "Vtb_roce_tx.h"
#include "models/packet/packet.hpp"
#include "models/ref/roce_types.hpp"
#include "testbenches/unit/roce_txd/axi_slave.hpp"

namespace caravan::cosim {

inline constexpr unsigned kQps = 64;
inline constexpr std::uint64_t kRingBase = 0x10'0000'0000;  ///< HBM address of the retransmission rings
inline constexpr std::uint64_t kHostBit = 0x8000'0000'0000'0000;

struct Verb {
  base::Qpn qpn;
  ref::WorkRequest request{};
};

class TxBench {
 public:
  using Kind = support::StallPattern::Kind;
  TxBench(const packet::MacAddr& mac, packet::Ipv4Addr ip, Kind stall = Kind::kNone, txd::AxiTiming memory = {});

  /// From now on each block clock rests while its own flag is 1.
  void gate() {
    gating_ = true;
    dut_.gate([this] { return dut_->quiet_o != 0; });
  }
  /// Creates the QP and its neighbour row (row number = QPN), or changes its context.
  void create_qp(const ref::QpConfig& config, bool init = true);
  /// Where datagrams to neighbour `row` go.
  void set_neighbour(std::uint32_t row, const packet::MacAddr& mac, packet::Ipv4Addr ip) {
    neighbours_[row] = {mac, ip, true};
  }
  /// Writes bytes to the memory that the class bits of `va` select.
  void write_memory(std::uint64_t va, packet::ByteSpan bytes);
  /// Bytes of the memory that the class bits of `va` select.
  packet::Buffer read_memory(std::uint64_t va, std::size_t length);
  void forget_neighbour(std::uint32_t row) { neighbours_[row].valid = false; }
  void post(const Verb& verb) { verbs_.push(verb); }
  /// A response frame that arrived: what the receive side hands over. Other frames are a broken invariant.
  void deliver(packet::ByteSpan frame);
  /// One cycle.
  void tick();
  /// Until nothing but the retry timers can happen; false after `limit` cycles.
  bool settle(std::uint64_t limit = 20'000);
  /// Jumps to the next expiry of a retry timer or RNR wait and runs until the block is quiet again.
  void expire_timer();
  bool quiet() const;
  /// The flags of all block clocks.
  bool all_quiet() const { return dut_->quiet_o && dut_->path_quiet_o && dut_->cc_quiet_o; }

  std::uint64_t now = 0;  ///< now_i of the coming cycle
  std::vector<packet::Buffer> frames;
  std::vector<std::uint64_t> first_beat_at, last_beat_at;  ///< now, per frame
  std::vector<ref::Completion> completions;
  std::function<void(const packet::Buffer&)> on_frame;  ///< called in the cycle of a frame's last beat
  struct Counts {
    unsigned pkts = 0, retrans = 0, rx_ack = 0, rx_nak = 0, rx_stale = 0, timeout = 0, qp_err = 0, drop_neigh = 0,
             mem_err = 0;
  } counts;
  const std::vector<std::uint64_t>& verb_taken_at() const { return verbs_.sent_at(); }
  std::uint64_t cycle() const { return dut_.cycle(); }
  support::Bench<Vtb_roce_tx>& dut() { return dut_; }

 private:
  struct Response {
    std::uint32_t qpn, src_ip, psn, opcode, syndrome, msn;
    std::uint64_t original;
    packet::Buffer payload;
  };
  /// Data on its way to memory.
  struct Landing {
    std::uint64_t at, va;  ///< from cycle `at` on; va with the class bits
    packet::Buffer bytes;  ///< none: dropped
  };
  void take_command();
  bool set_other_clocks(bool rise);
  void drive();
  void sample();
  mutable support::Bench<Vtb_roce_tx> dut_;
  txd::AxiSlave hbm_, host_;
  support::Source<Verb> verbs_;
  support::Source<Response> responses_;
  support::StallPattern frame_stall_, cpl_stall_, cmd_stall_;
  Response offered_;
  std::deque<packet::Buffer> payloads_;  ///< of responses taken, without a command yet
  std::deque<Landing> landings_;
  std::uint8_t landed_ = 0;
  unsigned write_latency_;
  struct Neighbour {
    packet::MacAddr mac{};
    packet::Ipv4Addr ip = 0;
    bool valid = false;
  };
  Neighbour neighbours_[256];
  unsigned neigh_ = 0;
  bool in_frame_ = false;
  bool gating_ = false;
};

}  // namespace caravan::cosim
