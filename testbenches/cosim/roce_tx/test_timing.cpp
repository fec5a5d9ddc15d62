// SPDX-License-Identifier: Apache-2.0
// The whole send side: latency budget to the cycle, throughput, refusal to hang on an unknown neighbour.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <cmath>
#include <deque>

#include "testbenches/cosim/roce_tx/tx_bench.hpp"

using namespace caravan;
using cosim::TxBench;
using cosim::Verb;

namespace {
constexpr packet::MacAddr kMac{2, 0, 0, 0, 0, 1}, kPeerMac{2, 0, 0, 0, 0, 2};
constexpr packet::Ipv4Addr kIp = 0x0A000001, kPeerIp = 0x0A000002;

ref::QpConfig qp(std::uint32_t qpn) {
  return {.qpn = base::Qpn(qpn),
          .dest_qpn = base::Qpn(qpn),
          .peer_mac = kPeerMac,
          .peer_ip = kPeerIp,
          .pmtu = 4096,
          .first_psn_to_send = base::Psn(1000),
          .first_psn_to_expect = base::Psn(0),
          .retry_limit = 1,
          .timeout_exponent = 1};
}
/// The peer's ACK of a packet.
packet::Buffer ack_of(const packet::Buffer& frame) {
  const auto p = packet::parse(frame);
  packet::RoceFrame f;
  f.eth = {.dst = kMac, .src = kPeerMac};
  f.ip = packet::Ipv4{.src = kPeerIp, .dst = kIp};
  f.bth = {.opcode = 0x11, .dest_qp = p.bth->dest_qp, .psn = p.bth->psn};
  f.ext.aeth = packet::Aeth{.syndrome = 0x1F};
  return packet::build(f);
}
/// The peer's answer to a READ request of one packet.
packet::Buffer read_response(const packet::Buffer& request) {
  const auto p = packet::parse(request);
  packet::RoceFrame f;
  f.eth = {.dst = kMac, .src = kPeerMac};
  f.ip = packet::Ipv4{.src = kPeerIp, .dst = kIp};
  f.bth = {.opcode = 0x10, .dest_qp = p.bth->dest_qp, .psn = p.bth->psn};
  f.ext.aeth = packet::Aeth{.syndrome = 0x1F};
  return packet::build(f, packet::Buffer(p.ext.reth->dma_length));
}
}  // namespace

TEST_CASE("From SQ handshake to the first beat at the MAC: 12 cycles, 14 and the memory's latency", "[cosim][roce]") {
  const bool inl = GENERATE(true, false);
  constexpr unsigned kMemory = 20;
  TxBench tx(kMac, kIp, TxBench::Kind::kNone, {.read_latency = kMemory});
  tx.create_qp(qp(1));
  tx.settle();
  const std::uint64_t offered = tx.now;
  tx.post({.qpn = base::Qpn(1), .request = {.local_va = 0x1000, .length = 64, .inl = inl}});
  tx.settle(200);
  REQUIRE(tx.frames.size() == 1);
  REQUIRE(packet::parse(tx.frames[0]).is_roce());
  REQUIRE(tx.first_beat_at[0] - offered == (inl ? 12 : 14 + kMemory));
}

TEST_CASE("64-byte WRITEs of one QP leave at one in 3 cycles, 4 KiB WRITEs without a gap", "[cosim][roce]") {
  const std::uint64_t length = GENERATE(64u, 4096u);
  TxBench tx(kMac, kIp, TxBench::Kind::kNone, {.read_latency = 40, .write_latency = 20});
  tx.create_qp(qp(1));
  std::deque<std::pair<std::uint64_t, packet::Buffer>> acks;
  tx.on_frame = [&](const packet::Buffer& frame) {
    if (packet::parse(frame).bth->ack_req) acks.emplace_back(tx.now + 12, ack_of(frame));
  };
  constexpr unsigned kPackets = 200;
  for (unsigned i = 0; i < kPackets; ++i)
    tx.post({.qpn = base::Qpn(1), .request = {.wr_id = i, .local_va = 0x10000, .length = length, .inl = length == 64}});
  while (tx.completions.size() < kPackets && tx.now < 40'000) {
    while (!acks.empty() && acks.front().first <= tx.now) {
      tx.deliver(acks.front().second);
      acks.pop_front();
    }
    tx.tick();
  }
  REQUIRE(tx.completions.size() == kPackets);
  const std::size_t from = 50, to = 149;
  const double cycles = static_cast<double>(tx.first_beat_at[to] - tx.first_beat_at[from]) / (to - from);
  const double beats = std::ceil(static_cast<double>(tx.frames[from].size()) / 64);
  INFO("cycles per packet " << cycles << ", beats " << beats);
  REQUIRE(cycles <= (length == 64 ? 3.0 : beats));
}

TEST_CASE("READs: 64 bytes from eight QPs every 4 cycles, 4 KiB at the rate of their responses", "[cosim][roce]") {
  const std::uint32_t length = GENERATE(64u, 4096u), qps = length == 64 ? 8 : 1;
  constexpr unsigned kReads = 400;
  const std::uint64_t beats = (54 + 4 + length + 4 + 63) / 64;  // of a response
  TxBench tx(kMac, kIp, TxBench::Kind::kNone, {.read_latency = 40, .write_latency = 20});
  for (std::uint32_t q = 0; q < qps; ++q) tx.create_qp(qp(q));
  std::deque<std::pair<std::uint64_t, packet::Buffer>> responses;
  std::uint64_t wire_free = 0;
  tx.on_frame = [&](const packet::Buffer& frame) {
    const auto p = packet::parse(frame);
    REQUIRE(p.op->action == packet::Action::kReadRequest);
    REQUIRE(p.ext.reth->dma_length == length);
    wire_free = std::max(wire_free, tx.now + 60) + beats;
    responses.emplace_back(wire_free, read_response(frame));
  };
  for (unsigned i = 0; i < kReads; ++i)
    tx.post(
        {.qpn = base::Qpn(i % qps),
         .request = {.op = ref::Operation::kRead, .wr_id = i, .local_va = 0x10000 + 4096ull * i, .length = length}});
  std::vector<std::uint64_t> done_at;
  while (tx.completions.size() < kReads && tx.now < 60'000) {
    for (; !responses.empty() && responses.front().first <= tx.now; responses.pop_front())
      tx.deliver(responses.front().second);
    tx.tick();
    done_at.resize(tx.completions.size(), tx.now);
  }
  REQUIRE(tx.completions.size() == kReads);
  REQUIRE(tx.counts.retrans == 0);
  const double cycles = static_cast<double>(done_at[300] - done_at[100]) / 200;
  INFO("cycles per READ " << cycles);
  REQUIRE(cycles <= (length == 64 ? 4.0 : static_cast<double>(beats)));
}

TEST_CASE("A neighbour that is not known ends in a QP error, not in a hang", "[cosim][roce]") {
  TxBench tx(kMac, kIp);
  ref::QpConfig config = qp(5);
  tx.create_qp(config);
  config.qpn = config.dest_qpn = base::Qpn(6);
  tx.create_qp(config);
  tx.forget_neighbour(5);
  tx.post({.qpn = base::Qpn(5), .request = {.wr_id = 7, .length = 10}});
  tx.post({.qpn = base::Qpn(6), .request = {.wr_id = 8, .length = 10}});
  REQUIRE(tx.settle());
  REQUIRE(tx.frames.size() == 1);
  tx.deliver(ack_of(tx.frames[0]));
  tx.expire_timer();
  tx.expire_timer();
  tx.expire_timer();
  REQUIRE(tx.counts.drop_neigh == 2);
  REQUIRE(tx.completions == std::vector<ref::Completion>{{base::Qpn(6), 8, ref::CompletionStatus::kOk},
                                                         {base::Qpn(5), 7, ref::CompletionStatus::kRetryExceeded}});
}
