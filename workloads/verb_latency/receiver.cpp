// SPDX-License-Identifier: Apache-2.0
#include "workloads/verb_latency/receiver.hpp"

#include <bit>
#include <map>

#include <fmt/format.h>

#include "models/base/errors.hpp"

namespace caravan::workloads {
namespace {

constexpr unsigned kPosted = 64;  // buffers posted on each queue pair; a quarter is given back at a time

}  // namespace

VerbReceiver::VerbReceiver(ReceiverPlan plan) : plan_(std::move(plan)), cursors_(plan_.qps.size()) {
  BUG_IF(plan_.qps.size() != plan_.verbs.qpns.size(), "sender and receiver differ in their number of queue pairs");
  for (std::size_t qp = 0; qp < cursors_.size(); ++qp) cursors_[qp].message = qp;
}

/// The buffers of the next messages of one queue pair: message i of each size goes over queue pair i mod their number.
std::vector<host::LocalBuffer> VerbReceiver::next_buffers(std::size_t qp, std::uint64_t most) {
  const VerbPlan& verbs = plan_.verbs;
  Cursor& at = cursors_[qp];
  std::vector<host::LocalBuffer> buffers;
  while (at.phase < verbs.sizes.size() && buffers.size() < most) {
    if (at.message >= verbs.repetitions) {
      ++at.phase;
      at.message = qp;
      continue;
    }
    const base::Bytes size = verbs.sizes[at.phase];
    buffers.push_back(
        {verbs.remote_base + verbs.offset_of(size, at.message), static_cast<std::uint32_t>(size.count())});
    at.message += verbs.qpns.size();
  }
  return buffers;
}

host::Task<> VerbReceiver::program(host::Context& ctx) {
  const host::ProtectionDomain pd = ctx.allocate_pd();
  const auto depth = std::bit_ceil(static_cast<unsigned>(kPosted * plan_.qps.size()));
  host::CompletionQueue* queue = co_await ctx.create_cq(depth);
  std::vector<host::QueuePair*> qps;
  std::map<std::uint32_t, std::size_t> index;
  for (std::size_t k = 0; k < plan_.qps.size(); ++k) {
    const ReceiverQp& row = plan_.qps[k];
    host::QueuePairOptions options;
    options.qpn = row.qpn;
    options.receive_depth = kPosted;
    options.mtu = plan_.mtu;
    options.first_psn = row.first_psn;
    host::QueuePair* qp = co_await ctx.create_qp(pd, *queue, *queue, options);
    co_await qp->to_rtr(row.peer, plan_.retry);
    co_await qp->to_rts();
    qps.push_back(qp);
    index[row.qpn] = k;
    qp->post_receives(next_buffers(k, kPosted));
  }
  const std::uint64_t total = plan_.verbs.repetitions * plan_.verbs.sizes.size();
  std::vector<std::uint64_t> used(qps.size());
  while (received_ < total) {
    const host::Completion done = co_await queue->next();
    done.check();
    const std::size_t k = index.at(done.qpn);
    ++received_;
    if (++used[k] == kPosted / 4) {  // one doorbell for many
      used[k] = 0;
      qps[k]->post_receives(next_buffers(k, kPosted / 4));
    }
  }
}

}  // namespace caravan::workloads
