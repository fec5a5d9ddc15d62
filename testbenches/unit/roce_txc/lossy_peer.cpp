// SPDX-License-Identifier: Apache-2.0
#include "testbenches/unit/roce_txc/lossy_peer.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace caravan::roce_txc {

void LossyPeer::open(std::uint32_t qpn, std::uint32_t psn, std::uint32_t pmtu) {
  qps_[qpn] = QpState{};
  qps_[qpn].epsn = psn;
  qps_[qpn].pmtu = pmtu;
}

std::pair<const Job*, std::uint32_t> LossyPeer::find_sent(const QpState& qp, std::uint32_t psn) const {
  for (std::uint32_t into = 0; into < kWindow; ++into) {
    const auto at = qp.sent.find((psn - into) & kPsnMask);
    if (at != qp.sent.end()) return {into < psns_of(at->second, qp.pmtu) ? &at->second : nullptr, into};
  }
  return {nullptr, 0};
}

void LossyPeer::check_repeated(const QpState& qp, const Job& job) {
  const auto [first, into] = find_sent(qp, job.psn);
  if (first == nullptr) {
    faults_.push_back(fmt::format("psn {}: repeated but never sent", job.psn));
    return;
  }
  const Job& a = *first;
  bool same = a.opcode == job.opcode && a.len == job.len && a.se == job.se && (job.ackreq || !a.ackreq);
  if (job.opcode == kReadRequest) {
    const std::uint32_t skipped = into * qp.pmtu;
    same = same && job.va == a.va + skipped && job.total == a.total - skipped && job.rkey == a.rkey;
    partial_reads_ += into != 0;
  } else {
    same = same && into == 0 && a.ext == job.ext && (job.len == 0 || job.addr == ring_slot(job.dest - 0x500, job.psn));
  }
  if (!same) faults_.push_back(fmt::format("psn {}: repeated packet differs", job.psn));
}

void LossyPeer::send(const Job& job) {
  const std::uint32_t qpn = job.dest - 0x500;
  QpState& qp = qps_[qpn];
  if (job.retry) {
    check_repeated(qp, job);
  } else {
    // What lay in these slots half a million PSNs ago says nothing any more.
    for (std::uint32_t i = 0; i < psns_of(job, qp.pmtu); ++i) qp.sent.erase((job.psn + i) & kPsnMask);
    qp.sent[job.psn] = job;
    if (job.len != 0 && job.ring != ring_slot(qpn, job.psn))
      faults_.push_back(fmt::format("psn {}: ring slot", job.psn));
  }
  if (rng_.chance(net_.loss)) return;
  const int copies = rng_.chance(net_.duplicate) ? 2 : 1;
  for (int i = 0; i < copies; ++i) travel(job.at, {.request = job, .ack = {}});
}

void LossyPeer::travel(std::uint64_t now, const Event& event) {
  std::uint64_t at = now + net_.delay;
  if (rng_.chance(net_.overtake)) at += 1 + rng_.below(60);
  events_.emplace(std::pair{at, sequence_++}, event);
}

std::vector<Ack> LossyPeer::receive(std::uint64_t now) {
  std::vector<Ack> out;
  while (!events_.empty() && events_.begin()->first.first <= now) {
    const std::uint64_t at = events_.begin()->first.first;
    const Event event = events_.begin()->second;
    events_.erase(events_.begin());
    if (event.request)
      arrive(at, *event.request);
    else
      out.push_back(event.ack);
  }
  return out;
}

void LossyPeer::respond(std::uint64_t now, Ack ack) {
  ack.psn &= kPsnMask;
  // Responses of a QP leave in the order of their requests.
  std::uint64_t& free_at = qps_[ack.qpn].free_at;
  now = free_at = std::max(now, free_at);
  if (rng_.chance(net_.loss) || (net_.only_naks && ack.syndrome == 0x1F)) return;
  const int copies = rng_.chance(net_.duplicate) ? 2 : 1;
  for (int i = 0; i < copies; ++i) travel(now, {.request = {}, .ack = ack});
}

void LossyPeer::read(std::uint64_t now, std::uint32_t qpn, const Job& job) {
  const std::uint32_t pmtu = qps_[qpn].pmtu, n = psns_of(job, pmtu);
  for (std::uint32_t i = 0; i < n; ++i)
    respond(now + i, {.qpn = qpn,
                      .psn = job.psn + i,
                      .opcode = n == 1       ? kReadOnly
                                : i == 0     ? kReadFirst
                                : i + 1 == n ? kReadLast
                                             : kReadMiddle,
                      .len = std::min(pmtu, job.total - i * pmtu),
                      .va = job.va + i * pmtu});
}

void LossyPeer::accept(QpState& qp, const Job& job) {
  const bool is_send = job.opcode <= kSendOnlyImm;
  const unsigned kind = job.opcode - (is_send ? kSendFirst : kFirst);  // FIRST, MIDDLE, LAST, LAST_IMM, ONLY, ONLY_IMM
  const bool starts = kind == 0 || kind >= 4, ends = kind >= 2, imm = kind == 3 || kind == 5;
  if (starts == qp.in_message || (!starts && qp.open.is_send != is_send))
    faults_.push_back(fmt::format("psn {}: opcode {} out of order", job.psn, job.opcode));
  if (starts) {
    qp.open = {};
    qp.open.is_send = is_send;
    if (!is_send) qp.open.raddr = job.va, qp.open.rkey = job.rkey;
    qp.left = is_send ? ~0u : job.total;
  }
  if (job.len > qp.left || (!ends && job.len != qp.pmtu) || (ends && !is_send && job.len != qp.left) ||
      (ends && !starts && job.len == 0))
    faults_.push_back(fmt::format("psn {}: length {}, left {}", job.psn, job.len, qp.left));
  qp.left -= job.len;
  qp.open.len += job.len;
  qp.open.addrs.push_back(qp.sent[job.psn].addr);
  qp.in_message = !ends;
  if (!ends) return;
  qp.open.has_imm = imm;
  if (imm) qp.open.imm = job.ext[starts && !is_send ? 4 : 0];
  qp.open.solicited = job.se;
  qp.delivered.push_back(qp.open);
}

void LossyPeer::arrive(std::uint64_t now, const Job& job) {
  const std::uint32_t qpn = job.dest - 0x500;
  QpState& qp = qps_[qpn];
  const std::uint32_t ahead = (job.psn - qp.epsn) & kPsnMask;
  const bool is_read = job.opcode == kReadRequest;
  if (ahead == 0) {
    if ((job.opcode == kSendOnly || job.opcode == kSendFirst || job.opcode == kSendOnlyImm) && rng_.chance(net_.rnr)) {
      respond(now, {.qpn = qpn, .psn = job.psn, .syndrome = 0x21});
      return;
    }
    if ((is_read || is_atomic(job)) && qp.in_message)
      faults_.push_back(fmt::format("psn {}: inside a message", job.psn));
    if (is_read) {
      read(now, qpn, job);
    } else if (is_atomic(job)) {
      qp.original[job.psn] = qp.counter++;
      respond(now, {.qpn = qpn, .psn = job.psn, .opcode = kAtomicAck, .orig = qp.original[job.psn]});
    } else {
      accept(qp, job);
      if (job.ackreq && !rng_.chance(net_.skip_ack)) respond(now, {.qpn = qpn, .psn = job.psn});
    }
    qp.epsn = (qp.epsn + psns_of(job, qp.pmtu)) & kPsnMask;
    qp.nak_sent = false;
  } else if (ahead < 0x800000) {
    if (!qp.nak_sent) respond(now, {.qpn = qpn, .psn = qp.epsn, .syndrome = 0x60});
    qp.nak_sent = true;
  } else if (is_read) {
    read(now, qpn, job);
  } else if (is_atomic(job)) {
    respond(now, {.qpn = qpn, .psn = job.psn, .opcode = kAtomicAck, .orig = qp.original[job.psn]});
  } else {
    respond(now, {.qpn = qpn, .psn = qp.epsn - 1});
  }
}

}  // namespace caravan::roce_txc
