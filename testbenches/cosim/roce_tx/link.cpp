// SPDX-License-Identifier: Apache-2.0
#include "testbenches/cosim/roce_tx/link.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>

namespace caravan::cosim {
namespace {

using ref::Operation;

constexpr packet::MacAddr kMac{2, 0, 0, 0, 0, 1}, kPeerMac{2, 0, 0, 0, 0, 2};
constexpr packet::Ipv4Addr kIp = 0x0A000001, kPeerIp = 0x0A000002;
/// A region has three parts: what WRITEs fill, what READs read and nothing changes, what atomics work on.
constexpr std::uint64_t kPart = 1 << 20, kAtomicWords = 4;
constexpr std::uint32_t kDatagramRow = 200, kQkey = 0x1234;

constexpr std::uint32_t rkey(std::uint32_t q) { return (q << 8) | 0x5A; }
constexpr std::uint64_t region(std::uint32_t q) { return q * 16 * kPart; }
/// Local and receive buffers: one of 64 KiB for each work request.
constexpr std::uint64_t buffer(std::uint32_t wr_id) { return (1ull << 40) + wr_id * 0x10000ull; }

packet::Buffer random_bytes(base::Rng& rng, std::size_t length) {
  packet::Buffer bytes(length);
  for (auto& b : bytes) b = static_cast<std::uint8_t>(rng.below(256));
  return bytes;
}

template <class T>
std::map<std::uint32_t, std::vector<T>> by_qp(const std::vector<T>& list) {
  std::map<std::uint32_t, std::vector<T>> out;
  for (const T& c : list) out[c.qpn.value()].push_back(c);
  return out;
}

}  // namespace

Link::Link(const Setup& setup)
    : s(setup),
      tx(kMac, kIp, setup.stall, {.read_latency = 30, .write_latency = 15, .stall = setup.stall}),
      peer(kPeerMac, kPeerIp),
      rng_(setup.seed, 3),
      twin_(kMac, kIp),
      twin_peer_(kPeerMac, kPeerIp) {
  for (std::uint32_t q = 0; q < s.qps + s.datagrams; ++q) create(q);
  tx.set_neighbour(kDatagramRow, kPeerMac, kPeerIp);
  twin_.set_neighbour(kDatagramRow, kPeerMac, kPeerIp);
  if (s.gated) tx.gate();
  tx.on_frame = [this](const packet::Buffer& frame) { travel(frame, true); };
}

void Link::create(std::uint32_t q) {
  ref::QpConfig own{.qpn = base::Qpn(q),
                    .dest_qpn = base::Qpn(0x1000 + q),
                    .peer_mac = kPeerMac,
                    .peer_ip = kPeerIp,
                    .udp_src_port = static_cast<std::uint16_t>(0xC000 + q),
                    .pmtu = 256u << rng_.below(5),
                    .first_psn_to_send = base::Psn(0xFFFFF8 + 0x1111 * q),
                    .first_psn_to_expect = base::Psn(0),
                    .retry_limit = 7,
                    .timeout_exponent = 2,
                    .service = q == s.qps ? ref::QpService::kUd : ref::QpService::kRc,
                    .rnr_retry = 7,
                    .min_rnr_timer = 1,
                    .qkey = kQkey};
  configs_.push_back(own);
  tx.create_qp(own);
  twin_.create_qp(own);
  ref::QpConfig other = own;
  other.qpn = own.dest_qpn;
  other.dest_qpn = own.qpn;
  other.peer_mac = kMac;
  other.peer_ip = kIp;
  other.first_psn_to_expect = own.first_psn_to_send;
  const packet::Buffer readable = random_bytes(rng_, 0x8000);
  for (ref::RoceRef* end : {&peer, &twin_peer_}) {
    end->create_qp(other);
    end->regions().set(
        rkey(q), {.base = region(q), .length = 3 * kPart, .access = {.write = true, .read = true, .atomic = true}});
    end->memory().write(region(q) + kPart, readable);
  }
}

void Link::post_receive(std::uint32_t q, const ref::WorkRequest& request) {
  const ref::ReceiveRequest receive{.wr_id = request.wr_id + 1'000'000,
                                    .local_va = buffer(request.wr_id) | (rng_.chance(0.3) ? kHostBit : 0),
                                    .length = static_cast<std::uint32_t>(request.length + 40 + rng_.below(100))};
  receives_.emplace_back(base::Qpn(0x1000 + q), receive);
  twin_peer_.post_recv(base::Qpn(0x1000 + q), receive);
}

void Link::post(std::uint32_t q, std::uint32_t wr_id) {
  const bool datagram = q == s.qps;
  ref::WorkRequest r;
  r.op = datagram ? Operation::kSend : static_cast<Operation>(rng_.below(5));
  const bool atomic = ref::is_atomic(r.op), read = r.op == Operation::kRead, data = !atomic && !read;
  const std::uint64_t kind = rng_.below(10), pmtu = configs_[q].pmtu;
  r.length = kind == 0 ? 0 : kind < 5 ? 1 + rng_.below(64) : rng_.below(3 * pmtu + 100);
  if (read && kind > 7) r.length = rng_.below(std::min<std::uint64_t>(20 * pmtu, 0x7000));
  if (datagram) r.length = std::min(r.length, pmtu);
  if (atomic) r.length = 8;
  r.wr_id = wr_id;
  r.signaled = rng_.chance(0.7);
  r.solicited = rng_.chance(0.3);
  r.has_imm = data && rng_.chance(0.3);
  r.imm = static_cast<std::uint32_t>(rng_.next());
  r.inl = (atomic && rng_.chance(0.3)) || (data && r.length <= 64 && rng_.chance(0.5));
  r.rkey = datagram ? kQkey : rkey(q);
  r.local_va = (rng_.chance(0.3) ? kHostBit : 0) + buffer(wr_id) + rng_.below(4096);
  if (r.op == Operation::kWrite) r.remote_va = region(q) + rng_.below(kPart - r.length);
  if (read) r.remote_va = region(q) + kPart + rng_.below(0x8000 - r.length);
  if (atomic) {
    r.remote_va = region(q) + 2 * kPart + 8 * rng_.below(kAtomicWords);
    r.swap_add = rng_.below(8);
    r.compare = rng_.below(8);
  }
  if (datagram) r.remote_va = std::uint64_t{kDatagramRow} << 32 | configs_[q].dest_qpn.value();
  if (data) {
    const packet::Buffer bytes = random_bytes(rng_, r.length);
    if (r.inl)
      std::copy(bytes.begin(), bytes.end(), r.inline_data.begin());
    else
      tx.write_memory(r.local_va, bytes);
    twin_.memory().write(r.local_va, bytes);
    if (r.op == Operation::kSend || r.has_imm) post_receive(q, r);
  } else if (!r.inl) {
    results_.push_back({r.local_va, r.length});
  }
  tx.post({.qpn = base::Qpn(q), .request = r});
  twin_.post(base::Qpn(q), r);
}

void Link::run_twin() {
  // One frame at a time, so that AckReq for a full window is never the twin's reason.
  for (const auto& config : configs_) {
    for (auto frames = twin_.transmit(config.qpn, 1); !frames.empty(); frames = twin_.transmit(config.qpn, 1)) {
      for (const auto& answer : twin_peer_.receive(frames[0])) twin_.receive(answer);
      twin_frames_.push_back(std::move(frames[0]));
    }
  }
}

void Link::travel(packet::Buffer frame, bool to_peer) {
  if (rng_.chance(s.loss)) return;
  if (to_peer && rng_.chance(s.corrupt))
    frame[42 + rng_.below(frame.size() - 42)] ^= static_cast<std::uint8_t>(1u << rng_.below(8));
  const int copies = rng_.chance(s.duplicate) ? 2 : 1;
  for (int i = 0; i < copies; ++i)
    events_.emplace(std::pair{tx.now + s.delay + (rng_.chance(s.overtake) ? 1 + rng_.below(80) : 0), sequence_++},
                    std::pair{frame, to_peer});
}

void Link::deliver_due() {
  while (!events_.empty() && events_.begin()->first.first <= tx.now) {
    const auto [frame, to_peer] = events_.begin()->second;
    events_.erase(events_.begin());
    if (!to_peer)
      tx.deliver(frame);
    else
      for (const auto& answer : peer.receive(frame)) travel(answer, false);
  }
}

// The last READ or atomic of a QP may be unsignaled, and lost: only its result tells that it is done.
bool Link::results_are_there() {
  return std::all_of(results_.begin(), results_.end(), [this](const Place& place) {
    return tx.read_memory(place.va, place.length) == twin_.memory().read(place.va, place.length);
  });
}

bool Link::run(std::uint64_t limit) {
  const auto done = [this] {
    return tx.completions.size() == twin_.completions().size() && receives_posted_ == receives_.size() &&
           peer.receive_completions().size() == receives_.size() && tx.quiet() && results_are_there();
  };
  for (std::uint64_t i = 0; i < limit && !done(); ++i) {
    while (receives_posted_ < receives_.size() && (!s.late_receives || rng_.chance(0.01))) {
      const auto& [qpn, receive] = receives_[receives_posted_++];
      peer.post_recv(qpn, receive);
    }
    deliver_due();
    tx.tick();
  }
  const bool finished = done();
  for (int i = 0; i < 3000; ++i) {  // what is still under way changes nothing
    deliver_due();
    tx.tick();
  }
  return finished;
}

void Link::check() {
  REQUIRE(by_qp(tx.completions) == by_qp(twin_.completions()));
  REQUIRE(by_qp(peer.receive_completions()) == by_qp(twin_peer_.receive_completions()));
  REQUIRE(peer.memory().first_difference(twin_peer_.memory()) == 0);
  REQUIRE(peer.memory() == twin_peer_.memory());
  for (const Place& place : results_)
    REQUIRE(tx.read_memory(place.va, place.length) == twin_.memory().read(place.va, place.length));
  REQUIRE(tx.counts.qp_err == 0);
  REQUIRE(tx.counts.mem_err == 0);
}

}  // namespace caravan::cosim
