// SPDX-License-Identifier: Apache-2.0
// roce_tx_path between drivers: jobs and acknowledge events in, memories and neighbour table around it, frames out.
#pragma once

#include <map>
#include <string>

#include <catch2/catch_message.hpp>

#include "Vtb_roce_tx_path.h"
#include "axi_slave.hpp"
#include "models/packet/packet.hpp"

namespace caravan::txd {

enum Src : unsigned { kSrcNone, kSrcInline, kSrcHbm, kSrcHost };

inline constexpr packet::MacAddr kOwnMac{0x52, 0x54, 0x00, 0x00, 0x00, 0x01};
inline constexpr packet::MacAddr kPeerMac{0x02, 0xA1, 0xB2, 0xC3, 0xD4, 0xE5};
inline constexpr packet::Ipv4Addr kOwnIp = 0x0A000001, kPeerIp = 0xC0A8FE02;
/// The one valid row of the neighbour table.
inline constexpr std::uint8_t kNeigh = 37;
inline constexpr std::uint64_t kRing = 0x4'0000'0000;  ///< first page of the ring

struct Job {
  packet::Opcode opcode = packet::Opcode::kWriteOnly;
  bool ackreq = false;
  std::uint32_t dest_qpn = 0x00ABCD, psn = 0x123456;
  std::uint8_t neigh = kNeigh;
  std::uint16_t sport = 0xC123;
  packet::Reth reth{.va = 0x0123456789ABCDEF, .rkey = 0x13572468, .dma_length = 77};
  packet::Aeth aeth{.syndrome = 0x1F, .msn = 0x456789};
  packet::AtomicEth atomic{
      .va = 0xFEDCBA9876543210, .rkey = 0x24681357, .swap_add = 0x1122334455667788, .compare = 0x99AABBCCDDEEFF00};
  std::uint64_t original = 0xA1B2C3D4E5F60718;
  std::uint32_t imm = 0xCAFEF00D;
  packet::Deth deth{.qkey = 0x11111111, .src_qp = 0x222222};
  bool solicited = false;
  unsigned len = 0, src = kSrcNone;
  bool rsp_last = false;  ///< the last packet of an answer
  std::uint32_t qpn = 0;  ///< local QP
  std::uint64_t addr = 0;
  bool ring_we = false, ring_rd = false;
  std::uint64_t ring_addr = kRing;
  Beat data{};
};

/// What the builder must make of a job.
inline packet::Buffer expected(const Job& job, packet::ByteSpan payload) {
  packet::RoceFrame f;
  f.eth = {.dst = kPeerMac, .src = kOwnMac};
  f.ip = packet::Ipv4{.tos = 2, .src = kOwnIp, .dst = kPeerIp};
  f.udp.src_port = job.sport;
  f.bth = {.opcode = static_cast<std::uint8_t>(job.opcode),
           .solicited = job.solicited,
           .mig_req = true,
           .dest_qp = job.dest_qpn,
           .ack_req = job.ackreq,
           .psn = job.psn};
  f.ext.reth = job.reth;
  f.ext.aeth = job.aeth;
  f.ext.atomic = job.atomic;
  f.ext.atomic_ack = packet::AtomicAckEth{job.original};
  f.ext.imm = packet::ImmDt{job.imm};
  f.ext.deth = job.deth;
  if (job.opcode == packet::Opcode::kCnp) {
    f.ip = packet::Ipv4{.tos = 0xC2, .src = kOwnIp, .dst = kPeerIp};
    f.bth.becn = true;
    return packet::build(f, packet::Buffer(16));
  }
  return packet::build(f, payload);
}

/// What the data path tells of memory errors.
struct MemFail {
  bool own = false;  ///< a request of ours, else a refused answer
  std::uint32_t qpn = 0, psn = 0;
  bool operator==(const MemFail&) const = default;
};

struct Counts {
  unsigned cnps = 0, rsp = 0, pkts = 0, retrans = 0, acks = 0, ack_merged = 0, drop_neigh = 0, bad_verb = 0,
           mem_err = 0, naks = 0, others = 0;
};

struct PathBench {
  using Kind = support::StallPattern::Kind;
  support::Bench<Vtb_roce_tx_path> dut;
  AxiSlave hbm, host;
  support::Source<Job> new_jobs, retry_jobs, rsp_jobs;
  support::Source<AckEvent> acks;
  support::StallPattern frame_stall;

  std::vector<packet::Buffer> frames;
  std::vector<std::uint64_t> first_at, last_at;  // cycles of the first and last beat of each frame
  std::uint64_t first_valid_at = ~0ull;          // cycle in which frame_valid_o was first seen
  unsigned beats = 0, gaps = 0, dirty = 0;  // gaps: valid missing inside a frame; dirty: bytes behind the end not zero
  Counts counts;
  std::vector<MemFail> fails;
  std::uint8_t neigh_idx = 0;
  bool frame_ready = true, fail_ready = true;

  explicit PathBench(Kind gap = Kind::kNone, Kind stall = Kind::kNone, AxiTiming t = {})
      : hbm(t, 100),
        host(t, 200),
        new_jobs(
            dut, {gap, 1}, [this](const Job& j) { put_job(dut->new_job_i, j); },
            [this](bool v) { dut->new_job_valid_i = v; }, [this] { return dut->new_job_ready_o != 0; }),
        retry_jobs(
            dut, {gap, 2}, [this](const Job& j) { put_job(dut->retry_job_i, j); },
            [this](bool v) { dut->retry_job_valid_i = v; }, [this] { return dut->retry_job_ready_o != 0; }),
        rsp_jobs(
            dut, {gap, 5}, [this](const Job& j) { put_job(dut->rsp_job_i, j); },
            [this](bool v) { dut->rsp_job_valid_i = v; }, [this] { return dut->rsp_job_ready_o != 0; }),
        acks(
            dut, {gap, 3}, [this](const AckEvent& e) { put_ack(dut->ack_evt_i, e); },
            [this](bool v) { dut->ack_evt_valid_i = v; }, [this] { return dut->ack_evt_ready_o != 0; }),
        frame_stall(stall, 4) {
    put_members(dut->net_cfg_i, 0, {{packet::get_be(kOwnMac.data(), 6), 48}, {kOwnIp, 32}});
    dut.add([this] { drive(); }, [this] { sample(); });
    dut.reset();
  }

  template <class Wide>
  static void put_job(Wide& pins, const Job& j) {
    // Extension headers, first byte on top: the 28 bytes behind the BTH of the frame that must come of it.
    packet::Buffer bytes(54 + 32);
    const auto* op = packet::find_opcode(static_cast<std::uint8_t>(j.opcode));
    if (op != nullptr && op->ext != 0) bytes = expected(j, packet::Buffer(op->has_payload ? j.len : 0));
    bytes.resize(54 + 32);
    std::array<std::uint64_t, 4> ext{};
    for (unsigned i = 0; i < 4; ++i) ext.at(i) = packet::get_be(bytes.data() + 54 + 8 * i, 8);
    // roce_rd gives an AETH with every packet of an answer.
    if (j.opcode == packet::Opcode::kReadRespMiddle)
      ext.at(0) = (std::uint64_t{j.aeth.syndrome} << 24 | j.aeth.msn) << 32;
    put_members(pins, 512,
                {{static_cast<std::uint8_t>(j.opcode), 8},
                 {j.solicited, 1},
                 {j.ackreq, 1},
                 {j.dest_qpn, 24},
                 {j.psn, 24},
                 {j.neigh, 8},
                 {j.sport, 16},
                 {ext.at(0), 64},
                 {ext.at(1), 64},
                 {ext.at(2), 64},
                 {ext.at(3) >> 32, 32},
                 {j.len, 13},
                 {j.rsp_last, 1},
                 {j.qpn, 24},
                 {j.src, 2},
                 {j.addr, 64},
                 {j.ring_we, 1},
                 {j.ring_rd, 1},
                 {j.ring_addr, 64}});
    put_data(pins, j.data);
  }

  void drive() {
    const bool known = neigh_idx == kNeigh;
    put_members(dut->neigh_i, 0,
                {{known, 1}, {known ? packet::get_be(kPeerMac.data(), 6) : 0, 48}, {known ? kPeerIp : 0, 32}});
    hbm.drive_read(dut.cycle(), dut->hbm_r_i, dut->hbm_r_valid_i, dut->hbm_ar_ready_i);
    host.drive_read(dut.cycle(), dut->host_r_i, dut->host_r_valid_i, dut->host_ar_ready_i);
    hbm.drive_write(dut.cycle(), dut->hbm_aw_ready_i, dut->hbm_w_ready_i, dut->hbm_b_i, dut->hbm_b_valid_i);
    frame_ready = !frame_stall.next();
    dut->frame_ready_i = frame_ready;
    dut->fail_ready_i = fail_ready;
  }

  void sample() {
    if (dut->neigh_re_o) neigh_idx = dut->neigh_idx_o;
    hbm.sample_read(dut.cycle(), dut->hbm_ar_o, dut->hbm_ar_valid_o, dut->hbm_ar_ready_i, dut->hbm_r_ready_o);
    host.sample_read(dut.cycle(), dut->host_ar_o, dut->host_ar_valid_o, dut->host_ar_ready_i, dut->host_r_ready_o);
    hbm.sample_write(dut.cycle(), dut->hbm_aw_o, dut->hbm_aw_valid_o && dut->hbm_aw_ready_i, dut->hbm_w_o,
                     dut->hbm_w_valid_o && dut->hbm_w_ready_i, dut->hbm_b_ready_o);
    const unsigned s = dut->stats_o;  // first member is the most significant of 15 bits
    counts.cnps += (s >> 13) & 1;
    counts.rsp += (s >> 12) & 1;
    counts.pkts += (s >> 11) & 1;
    counts.retrans += (s >> 10) & 1;
    counts.acks += (s >> 9) & 1;
    counts.ack_merged += (s >> 8) & 1;
    counts.naks += (s >> 14) & 1;
    counts.others += (s & 0xF8) != 0;  // rx_ack .. qp_err belong to the requester
    if (dut->fail_valid_o && fail_ready) {
      const std::uint64_t f = dut->fail_o;
      fails.push_back(
          {(f >> 48) != 0, static_cast<std::uint32_t>(f >> 24) & 0xFFFFFF, static_cast<std::uint32_t>(f) & 0xFFFFFF});
    }
    counts.drop_neigh += (s >> 2) & 1;
    counts.bad_verb += (s >> 1) & 1;
    counts.mem_err += s & 1;
    sample_frame();
  }

  void sample_frame() {
    if (!dut->frame_valid_o) {
      gaps += in_frame_;
      return;
    }
    if (first_valid_at == ~0ull) first_valid_at = dut.cycle();
    if (!frame_ready) return;
    const FrameBeat b = get_frame_beat(dut->frame_o);
    if (!in_frame_) {
      frames.emplace_back();
      first_at.push_back(dut.cycle());
    }
    for (unsigned i = b.bytes; i < 64; ++i) dirty += b.data[i] != 0;
    frames.back().insert(frames.back().end(), b.data.begin(), b.data.begin() + b.bytes);
    ++beats;
    in_frame_ = !b.last;
    if (b.last) last_at.push_back(dut.cycle());
  }

  bool run_frames(std::size_t n, std::uint64_t limit) {
    return dut.run_until([&] { return last_at.size() >= n; }, limit);
  }
  /// Until nothing moves: no input waiting, quiet, memories idle.
  bool run_quiet(std::uint64_t limit) {
    return dut.run_until(
        [&] {
          return new_jobs.empty() && retry_jobs.empty() && rsp_jobs.empty() && acks.empty() && dut->quiet_o &&
                 hbm.idle() && host.idle();
        },
        limit);
  }
  void idle(int cycles) {
    for (int i = 0; i < cycles; ++i) dut.tick();
  }
  /// One table write, in one cycle.
  void configure(const QpConfig& c) {
    put_config(dut->cfg_i, c);
    dut->cfg_valid_i = 1;
    dut->cfg_go_i = 1;
    dut.tick();
    dut->cfg_valid_i = 0;
    dut->cfg_go_i = 0;
  }

 private:
  bool in_frame_ = false;
};

/// Deterministic payload bytes that differ everywhere.
inline std::uint8_t pattern(std::uint64_t seed, std::uint64_t i) {
  base::SplitMix64 mix(seed * 0x10001 + i / 8);
  return static_cast<std::uint8_t>(mix.next() >> (8 * (i % 8))) | 1;  // never zero, so that padding shows
}
inline packet::Buffer payload_of(std::uint64_t seed, unsigned len) {
  packet::Buffer b(len);
  for (unsigned i = 0; i < len; ++i) b[i] = pattern(seed, i);
  return b;
}
/// Puts payload into the job (inline) or the memory that the job names.
inline void place(PathBench& bench, Job& job, const packet::Buffer& payload) {
  job.len = static_cast<unsigned>(payload.size());
  if (job.src == kSrcInline) std::copy(payload.begin(), payload.end(), job.data.begin());
  AxiSlave& memory = job.src == kSrcHost ? bench.host : bench.hbm;
  if (job.src == kSrcHbm || job.src == kSrcHost)
    for (unsigned i = 0; i < payload.size(); ++i) memory.byte(job.addr + i) = payload[i];
}

/// Every frame so far is the wanted one, in order; the first that is not is shown decoded.
inline bool same_frames(const PathBench& bench, const std::vector<packet::Buffer>& want) {
  for (std::size_t i = 0; i < std::min(want.size(), bench.frames.size()); ++i) {
    if (bench.frames[i] == want[i]) continue;
    UNSCOPED_INFO("frame " << i << "\n got  " << packet::describe(bench.frames[i]) << "\n want "
                           << packet::describe(want[i]));
    return false;
  }
  UNSCOPED_INFO(bench.frames.size() << " frames, " << want.size() << " wanted");
  return bench.frames.size() == want.size();
}

}  // namespace caravan::txd
