// SPDX-License-Identifier: Apache-2.0
#include "testbenches/model/ref/busy_pair.hpp"

namespace caravan::test {

void BusyPair::start(End& end, const ref::QpConfig& config) {
  end.node.create_qp(config);
  end.node.regions().set(
      kAllRkey,
      {.base = kHbm, .length = 4096 + kSlots * kSlot, .access = {.write = true, .read = true, .atomic = true}});
  Buffer data(kSlots * kSlot);
  for (auto& byte : data) byte = static_cast<std::uint8_t>(rng_.next());
  end.node.memory().write(kTargets, data);
  end.expected.write(kTargets, data);
}

void BusyPair::post_random(std::uint64_t max_bytes) {
  End& from = rng_.chance(0.5) ? a_ : b_;
  End& to = &from == &a_ ? b_ : a_;
  ref::WorkRequest r;
  r.op = static_cast<Operation>(rng_.below(5));
  r.wr_id = static_cast<std::uint32_t>(from.expected_completions.size());
  r.rkey = kAllRkey;
  r.local_va = kHost + from.local_slots++ * kSlot + rng_.below(64);
  r.remote_va = kTargets + to.remote_slots++ % kSlots * kSlot + rng_.below(64);
  r.length = rng_.chance(0.1) ? 0 : rng_.below(max_bytes + 1);
  from.expected_completions.push_back({from.qpn, r.wr_id});
  const ref::QpConfig& config = from.node.config(from.qpn);
  const std::uint32_t piece = std::max(1u, config.window / 2) * config.pmtu;
  to.messages += r.op == Operation::kRead ? ref::packets_of(r.length, piece) : 1;
  if (ref::is_atomic(r.op))
    fill_atomic(r, from, to);
  else if (r.op == Operation::kRead)
    from.expected.write(r.local_va, to.expected.read(r.remote_va, r.length));
  else
    fill_data(r, from, to);
  from.node.post(from.qpn, r);
}

void BusyPair::fill_atomic(ref::WorkRequest& r, End& from, End& to) {
  r.length = 8;
  r.remote_va = kCounters + 8 * rng_.below(2);
  r.inl = rng_.chance(0.5);
  r.swap_add = rng_.next();
  const std::uint64_t now = to.expected.read_u64(r.remote_va);
  const bool hit = rng_.chance(0.5);
  r.compare = hit ? now : ~now;
  if (r.op == Operation::kFetchAdd)
    to.expected.write_u64(r.remote_va, now + r.swap_add);
  else if (hit)
    to.expected.write_u64(r.remote_va, r.swap_add);
  from.expected_completions.back().original = now;
  if (!r.inl) from.expected.write_u64(r.local_va, now);
}

void BusyPair::fill_data(ref::WorkRequest& r, End& from, End& to) {
  r.has_imm = rng_.chance(0.4);
  r.solicited = rng_.chance(0.5);
  r.imm = static_cast<std::uint32_t>(rng_.next());
  Buffer data(r.length);
  for (auto& byte : data) byte = static_cast<std::uint8_t>(rng_.next());
  from.node.memory().write(r.local_va, data);
  from.expected.write(r.local_va, data);
  const bool send = r.op == Operation::kSend;
  to.expected.write(send ? buffer_of(to.used) : r.remote_va, data);
  if (!send && !r.has_imm) return;
  to.expected_receives.push_back({.qpn = to.qpn,
                                  .wr_id = to.used++,
                                  .is_write = !send,
                                  .solicited = r.solicited,
                                  .has_imm = r.has_imm,
                                  .imm = r.has_imm ? r.imm : 0,
                                  .length = static_cast<std::uint32_t>(r.length),
                                  .src_ip = &from == &a_ ? kIpA : kIpB});
}

bool BusyPair::run() {
  for (End* end : {&a_, &b_}) {
    while (end->recvs < receives_ahead) post_recv(*end);
  }
  for (int step = 0; step < 300'000; ++step) {
    bool moved = false, waits = false;
    for (End* end : {&a_, &b_}) {
      if (end->node.view(end->qpn).outstanding > end->node.config(end->qpn).window) return false;
      End& other = end == &a_ ? b_ : a_;
      moved |= send(*end, other);
      moved |= deliver(*end, other);
      // Buffers come late now and then, so that there are RNR NAKs.
      if (end->recvs < end->used && rng_.chance(0.02)) post_recv(*end), moved = true;
    }
    if (moved) continue;
    for (End* end : {&a_, &b_}) {
      while (end->recvs < end->used && rng_.chance(0.7)) post_recv(*end);
      if (end->node.view(end->qpn).outstanding == 0) continue;
      waits = true;
      end->node.timeout(end->qpn);
    }
    if (!waits) return true;
  }
  return false;
}

void BusyPair::put(End& to, const Buffer& frame) {
  if (rng_.chance(faults_.loss)) return;
  to.arriving.push_back(frame);
  if (rng_.chance(faults_.duplicate)) to.arriving.push_back(frame);
}

bool BusyPair::send(End& from, End& to) {
  const auto frames = from.node.transmit(from.qpn, 1 + rng_.below(4));
  for (const auto& frame : frames) put(to, frame);
  return !frames.empty();
}

bool BusyPair::deliver(End& at, End& from) {
  if (at.arriving.empty()) return false;
  const std::size_t pick = rng_.chance(faults_.reorder) ? rng_.below(std::min<std::size_t>(at.arriving.size(), 6)) : 0;
  const Buffer frame = at.arriving[pick];
  at.arriving.erase(at.arriving.begin() + static_cast<std::ptrdiff_t>(pick));
  for (const auto& answer : at.node.receive(frame)) put(from, answer);
  return true;
}

std::string BusyPair::check(bool all_succeed) {
  const std::string a = check(a_, all_succeed);
  return a.empty() ? check(b_, all_succeed) : a;
}

std::string BusyPair::check(End& end, bool all_succeed) {
  const auto& done = end.node.completions();
  if (done.size() != end.expected_completions.size())
    return fmt::format("{} posts, {} completions", end.expected_completions.size(), done.size());
  bool failed = false;
  for (std::size_t i = 0; i < done.size(); ++i) {
    const auto& expected = end.expected_completions[i];
    if (done[i].wr_id != expected.wr_id) return fmt::format("completion {} is for request {}", i, done[i].wr_id);
    if (failed && done[i].status != CompletionStatus::kFlushed) return fmt::format("request {} is not flushed", i);
    if (done[i].status == CompletionStatus::kOk && done[i] != expected)
      return fmt::format("request {}: the value before the atomic is {:x}", i, done[i].original);
    failed |= done[i].status != CompletionStatus::kOk;
  }
  const bool in_error = end.node.view(end.qpn).state == QpState::kError;
  if (failed && !in_error) return "a request failed, and its QP did not";
  const auto& received = end.node.receive_completions();
  const std::size_t pending = in_error ? 0 : end.node.view(end.qpn).receives;
  if (received.size() + pending != end.recvs) return "a receive is lost, or completed twice";
  for (std::size_t i = 0; i < received.size(); ++i) {
    if (received[i].status == CompletionStatus::kOk && received[i] != end.expected_receives[i])
      return fmt::format("receive {} is not the message that was sent", i);
  }
  if (!all_succeed) return {};
  if (in_error) return "a QP failed";
  if (received.size() != end.expected_receives.size()) return "not every message was received";
  if (end.node.view(end.qpn).msn != end.messages) return "the MSN is not that of the messages";
  if (end.node.memory() != end.expected)
    return fmt::format("memory differs at {:x}", end.node.memory().first_difference(end.expected));
  return {};
}

}  // namespace caravan::test
