// SPDX-License-Identifier: Apache-2.0
#include "testbenches/unit/roce_txc/lossy_peer.hpp"

#include <fmt/format.h>

namespace caravan::roce_txc {

void LossyPeer::open(std::uint32_t qpn, std::uint32_t psn, std::uint32_t pmtu) {
  qps_[qpn] = QpState{};
  qps_[qpn].epsn = psn;
  qps_[qpn].pmtu = pmtu;
}

void LossyPeer::send(const Job& job) {
  const std::uint32_t qpn = job.dest - 0x500;
  QpState& qp = qps_[qpn];
  if (!job.retry) {
    qp.sent[job.psn] = job;
    if (job.len != 0 && job.ring != ring_slot(qpn, job.psn))
      faults_.push_back(fmt::format("psn {}: ring slot", job.psn));
  } else {
    const auto first = qp.sent.find(job.psn);
    if (first == qp.sent.end()) {
      faults_.push_back(fmt::format("psn {}: repeated but never sent", job.psn));
      return;
    }
    const Job& a = first->second;
    if (a.opcode != job.opcode || a.va != job.va || a.len != job.len || a.total != job.total || a.rkey != job.rkey ||
        (a.ackreq && !job.ackreq) || (job.len != 0 && job.addr != ring_slot(qpn, job.psn)))
      faults_.push_back(fmt::format("psn {}: repeated packet differs", job.psn));
  }
  if (rng_.chance(net_.loss)) return;
  const int copies = rng_.chance(net_.duplicate) ? 2 : 1;
  for (int i = 0; i < copies; ++i) travel(job.at, {.request = job, .ack = {}});
}

void LossyPeer::travel(std::uint64_t now, Event event) {
  std::uint64_t at = now + net_.delay;
  if (rng_.chance(net_.overtake)) at += 1 + rng_.below(60);
  events_.emplace(std::pair{at, sequence_++}, std::move(event));
}

std::vector<Ack> LossyPeer::receive(std::uint64_t now) {
  std::vector<Ack> out;
  while (!events_.empty() && events_.begin()->first.first <= now) {
    const std::uint64_t at = events_.begin()->first.first;
    const Event event = std::move(events_.begin()->second);
    events_.erase(events_.begin());
    if (event.request)
      arrive(at, *event.request);
    else
      out.push_back(event.ack);
  }
  return out;
}

void LossyPeer::respond(std::uint64_t now, std::uint32_t qpn, std::uint32_t psn, unsigned syndrome) {
  if (rng_.chance(net_.loss) || (net_.only_naks && syndrome == 0x1F)) return;
  const int copies = rng_.chance(net_.duplicate) ? 2 : 1;
  for (int i = 0; i < copies; ++i)
    travel(now, {.request = {}, .ack = {.qpn = qpn, .psn = psn & kPsnMask, .syndrome = syndrome}});
}

void LossyPeer::accept(QpState& qp, const Job& job) {
  const bool starts = job.opcode == kFirst || job.opcode == kOnly, ends = job.opcode == kLast || job.opcode == kOnly;
  if (starts == qp.in_message) faults_.push_back(fmt::format("psn {}: opcode {} out of order", job.psn, job.opcode));
  if (starts) {
    qp.open = {job.va, job.rkey, job.total, {}};
    qp.left = job.total;
  }
  if (job.len > qp.left || (!ends && job.len != qp.pmtu) || (ends && job.len != qp.left))
    faults_.push_back(fmt::format("psn {}: length {}, left {}", job.psn, job.len, qp.left));
  qp.left -= job.len;
  qp.open.addrs.push_back(qp.sent[job.psn].addr);
  qp.in_message = !ends;
  if (ends) qp.delivered.push_back(qp.open);
}

void LossyPeer::arrive(std::uint64_t now, const Job& job) {
  const std::uint32_t qpn = job.dest - 0x500;
  QpState& qp = qps_[qpn];
  const std::uint32_t ahead = (job.psn - qp.epsn) & kPsnMask;
  if (ahead == 0) {
    accept(qp, job);
    qp.epsn = (qp.epsn + 1) & kPsnMask;
    qp.nak_sent = false;
    if (job.ackreq && !rng_.chance(net_.skip_ack)) respond(now, qpn, job.psn, 0x1F);
  } else if (ahead < 0x800000) {
    if (!qp.nak_sent) respond(now, qpn, qp.epsn, 0x60);
    qp.nak_sent = true;
  } else {
    respond(now, qpn, qp.epsn - 1, 0x1F);
  }
}

}  // namespace caravan::roce_txc
