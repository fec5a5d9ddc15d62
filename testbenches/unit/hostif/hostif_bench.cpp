// SPDX-License-Identifier: Apache-2.0
#include "hostif_bench.hpp"

#include <catch2/catch_test_macros.hpp>

#include <bit>
#include <cstring>

namespace caravan::tb {
namespace {

timing::AxiMemoryConfig memory_config() {
  timing::AxiMemoryConfig config;
  config.instance = "host";
  config.read_latency = base::Time::ns(40);  // short: tests of order and overlap, not of time
  config.write_latency = base::Time::ns(20);
  config.bandwidth = base::Rate::gbps(96);
  return config;
}

void put(std::vector<std::uint8_t>& to, std::size_t at, std::uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) to[at + i] = static_cast<std::uint8_t>(value >> (8 * i));
}
std::uint64_t get(const std::vector<std::uint8_t>& from, std::size_t at, unsigned bytes) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < bytes; ++i) value |= std::uint64_t{from[at + i]} << (8 * i);
  return value;
}

}  // namespace

std::vector<std::uint8_t> Sqe::bytes() const {
  std::vector<std::uint8_t> out(128);
  out[0] = static_cast<std::uint8_t>(op);
  out[1] = static_cast<std::uint8_t>(signaled | solicited << 1 | has_imm << 2 | inl << 3);
  put(out, 4, len, 4);
  put(out, 8, laddr, 8);
  put(out, 16, raddr, 8);
  put(out, 24, rkey, 4);
  put(out, 28, imm, 4);
  std::copy(data.begin(), data.end(), out.begin() + 64);
  return out;
}

HostifBench::HostifBench(Stalls s, base::Bytes capacity)
    : memory(capacity),
      axi(memory_config(), memory),
      ar_stall_(s.read, 1),
      r_stall_(s.read, 2),
      aw_stall_(s.write, 3),
      w_stall_(s.write, 4),
      verb_stall_(s.verb, 5),
      post_stall_(s.verb, 6),
      cpl_stall_(s.verb, 7),
      rq_stall_(s.write, 8) {
  bench.add([this] { drive(); }, [this] { sample(); });
  bench.reset();
}

void HostifBench::drive() {
  auto& top = *bench;
  const timing::AxiResponsePins& mem = axi.pins();
  ar_open_ = !ar_stall_.next();
  aw_open_ = !aw_stall_.next();
  w_open_ = !w_stall_.next();
  top.ar_ready_i = mem.ar_ready && ar_open_;
  top.aw_ready_i = mem.aw_ready && aw_open_;
  top.w_ready_i = mem.w_ready && w_open_;
  r_shown_ = mem.r_valid && !r_stall_.next();
  top.r_valid_i = r_shown_;
  if (r_shown_) {
    PinWriter(top.r_i).data({mem.r.data.data(), 64}).put(1, mem.r.last).put(2, mem.r.resp).put(4, mem.r.id);
  }
  top.b_valid_i = mem.b_valid;
  top.b_i = static_cast<std::uint8_t>(mem.b.id << 2 | mem.b.resp);
  top.verb_ready_i = !verb_stall_.next();
  top.rq_post_ready_i = !post_stall_.next();
  if (!cpl_shown_) cpl_shown_ = !cpls_.empty() && !cpl_stall_.next();
  top.cpl_valid_i = cpl_shown_;
  if (cpl_shown_) {
    const Cpl& c = cpls_.front();
    PinWriter(top.cpl_i).put(64, c.orig).put(4, c.status).put(32, c.wr_id).put(24, c.qpn);
  }
  if (!rq_shown_) rq_shown_ = !rq_cpls_.empty() && !rq_stall_.next();
  top.rq_cpl_valid_i = rq_shown_;
  if (rq_shown_) {
    const RqCpl& c = rq_cpls_.front();
    PinWriter(top.rq_cpl_i)
        .put(32, c.src_ip)
        .put(24, c.src_qpn)
        .put(32, c.len)
        .put(32, c.imm)
        .put(1, c.has_imm)
        .put(1, c.solicited)
        .put(1, c.is_write)
        .put(4, c.status)
        .put(32, c.wr_id)
        .put(24, c.qpn);
  }
  std::uint64_t csr = 0;
  if (!csr_.empty()) {
    csr = std::uint64_t{1} << 49 | std::uint64_t{csr_.front().first} << 32 | csr_.front().second;
    last_write_ = bench.cycle();
    csr_.pop_front();
  } else if (csr_read_) {
    csr = std::uint64_t{1} << 48 | std::uint64_t{*csr_read_} << 32;
    csr_read_.reset();
  }
  top.csr_i = csr;
}

void HostifBench::sample() {
  auto& top = *bench;
  const base::Cycles now(bench.cycle());
  pins_.ar_valid = top.ar_valid_o && ar_open_;
  if (pins_.ar_valid) {
    PinReader in(top.ar_o);
    pins_.ar.len = static_cast<std::uint8_t>(in.get(8));
    pins_.ar.addr = in.get(64);
    pins_.ar.id = in.get32(4);
    if (axi.pins().ar_ready) read_bursts.push_back({now.count(), pins_.ar.len + 1u});
  }
  pins_.aw_valid = top.aw_valid_o && aw_open_;
  if (pins_.aw_valid) {
    PinReader in(top.aw_o);
    pins_.aw.len = static_cast<std::uint8_t>(in.get(8));
    pins_.aw.addr = in.get(64);
    pins_.aw.id = in.get32(4);
  }
  pins_.w_valid = top.w_valid_o && w_open_;
  if (pins_.w_valid) {
    PinReader in(top.w_o);
    const auto data = in.data();
    std::copy(data.begin(), data.end(), pins_.w.data.begin());
    pins_.w.strb = in.get(64);
    pins_.w.last = in.get(1) != 0;
    if (axi.pins().w_ready) cqe_writes.push_back(now.count());
  }
  pins_.r_ready = r_shown_ && top.r_ready_o;
  pins_.b_ready = top.b_ready_o;
  if (r_shown_) REQUIRE(top.r_ready_o);
  axi.step(pins_, now);
  if (top.verb_valid_o && top.verb_ready_i) {
    PinReader in(top.verb_o);
    Verb v;
    v.cycle = now.count();
    v.data = in.data();
    v.rkey = in.get32(32);
    v.raddr = in.get(64);
    v.laddr = in.get(64);
    v.len = in.get32(32);
    v.inl = in.get(1) != 0;
    v.wr_id = in.get32(32);
    v.imm = in.get32(32);
    v.has_imm = in.get(1) != 0;
    v.solicited = in.get(1) != 0;
    v.signaled = in.get(1) != 0;
    v.qpn = in.get32(24);
    v.op = in.get32(4);
    verbs.push_back(v);
  }
  if (top.rq_post_valid_o && top.rq_post_ready_i) {
    PinReader in(top.rq_post_o);
    Post p;
    p.len = in.get32(32);
    p.addr = in.get(64);
    p.wr_id = in.get32(32);
    p.qpn = in.get32(24);
    posts.push_back(p);
  }
  if (cpl_shown_ && top.cpl_ready_o) {
    cpls_.pop_front();
    cpl_shown_ = false;
  }
  if (rq_shown_ && top.rq_cpl_ready_o) {
    rq_cpls_.pop_front();
    rq_shown_ = false;
  }
  if (top.event_valid_o) events.push_back({now.count(), top.event_o});
  for (std::size_t i = 0; i < stats.size(); ++i) stats[i] += top.stats_o >> i & 1;
}

void HostifBench::flush_writes() {
  while (!csr_.empty()) bench.tick();
}

std::uint32_t HostifBench::read(std::uint16_t offset) {
  flush_writes();
  csr_read_ = static_cast<std::uint16_t>(kBlock | offset);
  bench.tick();  // the answer stands for the cycle behind this edge
  return bench->rdata_o;
}

void HostifBench::set_qp(unsigned qpn, std::uint64_t sq, unsigned sq_log2, std::uint64_t rq, unsigned rq_log2,
                         unsigned send_cqn, unsigned recv_cqn, bool valid) {
  write(0x00, std::uint32_t{valid} << 31 | rq_log2 << 8 | sq_log2);
  write(0x04, static_cast<std::uint32_t>(sq));
  write(0x08, static_cast<std::uint32_t>(sq >> 32));
  write(0x0C, static_cast<std::uint32_t>(rq));
  write(0x10, static_cast<std::uint32_t>(rq >> 32));
  write(0x14, recv_cqn << 16 | send_cqn);
  write(kCmd, 1u << 30 | qpn);
  flush_writes();
  for (int i = 0; i < 1000 && (read(kStatus) & 1) != 0; ++i) continue;
  REQUIRE(read(kStatus) == 0);
}

void HostifBench::set_cq(unsigned cqn, std::uint64_t base, unsigned log2, bool valid) {
  write(0x00, std::uint32_t{valid} << 31 | log2);
  write(0x04, static_cast<std::uint32_t>(base));
  write(0x08, static_cast<std::uint32_t>(base >> 32));
  write(kCmd, 2u << 30 | cqn);
  flush_writes();
  for (int i = 0; i < 1000 && (read(kStatus) & 1) != 0; ++i) continue;
  REQUIRE(read(kStatus) == 0);
}

void HostifBench::put_sqe(std::uint64_t ring, unsigned log2, unsigned index, const Sqe& sqe) {
  memory.write(ring + 128ull * (index & ((1u << log2) - 1)), sqe.bytes());
}

Cqe HostifBench::cqe(std::uint64_t ring, unsigned log2, unsigned index) {
  std::vector<std::uint8_t> b(64);
  memory.read(ring + 64ull * (index & ((1u << log2) - 1)), b);
  Cqe c;
  c.status = b[0];
  c.kind = b[1];
  c.index = static_cast<unsigned>(get(b, 4, 2));
  c.qpn = static_cast<unsigned>(get(b, 8, 3));
  c.op = b[12];
  c.has_imm = (b[13] & 1) != 0;
  c.solicited = (b[13] & 2) != 0;
  c.len = static_cast<std::uint32_t>(get(b, 16, 4));
  c.imm = static_cast<std::uint32_t>(get(b, 20, 4));
  c.orig = get(b, 24, 8);
  c.src_qpn = static_cast<std::uint32_t>(get(b, 32, 3));
  c.src_ip = static_cast<std::uint32_t>(get(b, 36, 4));
  c.phase = (b[63] & 1) != 0;
  return c;
}

}  // namespace caravan::tb
