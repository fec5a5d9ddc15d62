// SPDX-License-Identifier: Apache-2.0
#include "workloads/host_latency/host_latency.hpp"

#include <algorithm>
#include <bit>
#include <map>

namespace caravan::workloads {
namespace {

using namespace host;  // NOLINT(google-build-using-namespace): the whole file is a host program
using base::Bytes;
using base::Time;

constexpr HostVerb kVerbs[] = {HostVerb::kWrite, HostVerb::kRead, HostVerb::kFetchAdd, HostVerb::kSend};
constexpr unsigned kReceives = 128;  // buffers that the server keeps posted per queue pair
constexpr std::uint32_t kClientPsn = 0x000100, kServerPsn = 0xFFFF00;

/// Own memory has a counter, then what is sent, then what is received.
constexpr std::uint64_t kCounter = 0, kSource = 4096;
std::uint64_t offset_in_host(const MemoryRegion& memory, std::uint64_t at) {
  return memory.address - address_in(Memory::kHost, 0) + at;
}

std::uint32_t length_of(Bytes size) { return static_cast<std::uint32_t>(size.count()); }

}  // namespace

std::string_view host_verb_name(HostVerb verb) {
  switch (verb) {
    case HostVerb::kWrite:
      return "WRITE";
    case HostVerb::kRead:
      return "READ";
    case HostVerb::kFetchAdd:
      return "FETCH_ADD";
    case HostVerb::kSend:
      return "SEND";
  }
  return "?";
}

std::uint64_t HostLatency::total() const {
  return plan_.repetitions * (3 * plan_.sizes.size() + 1) + batches() * plan_.batch * std::size(kVerbs);
}

std::uint64_t HostLatency::region_bytes() const {
  const Bytes largest = std::max(plan_.rate_size, *std::max_element(plan_.sizes.begin(), plan_.sizes.end()));
  return kSource + 2 * (largest.count() + 4096);
}

/// SENDs that a queue pair carries: the first all of the latency phase, each its share of the batches.
std::uint64_t HostLatency::sends_of_qp(std::size_t qp) const {
  const std::uint64_t share = batches() / plan_.qps + (qp < batches() % plan_.qps ? 1 : 0);
  return share * plan_.batch + (qp == 0 ? plan_.repetitions * plan_.sizes.size() : 0);
}

Task<HostLatency::Side> HostLatency::begin(Context& ctx, bool is_client) {
  Side side;
  const ProtectionDomain pd = ctx.allocate_pd();
  side.memory = co_await ctx.allocate_region(pd, region_bytes());
  const unsigned depth = std::bit_ceil(std::max(256u, 4 * plan_.qps * std::max(plan_.batch, kReceives)));
  side.sends = co_await ctx.create_cq(depth);
  side.receives = co_await ctx.create_cq(depth);
  for (std::uint32_t k = 0; k < plan_.qps; ++k) {
    QueuePairOptions options;
    options.send_depth = std::bit_ceil(std::max(64u, 2 * plan_.batch));
    options.receive_depth = kReceives;
    options.mtu = plan_.mtu;
    options.push = plan_.push;
    options.first_psn = is_client ? kClientPsn : kServerPsn;
    QueuePair* qp = co_await ctx.create_qp(pd, *side.sends, *side.receives, options);
    PeerAddress peer;
    peer.qpn = qp->qpn();
    peer.ip = is_client ? plan_.server_ip : plan_.client_ip;
    peer.neighbour = is_client ? plan_.client_neighbour : plan_.server_neighbour;
    peer.first_psn = is_client ? kServerPsn : kClientPsn;
    co_await qp->to_rtr(peer, plan_.retry);
    co_await qp->to_rts();
    side.qps.push_back(qp);
  }
  co_return side;
}

WorkRequest HostLatency::request(const Side& side, HostVerb verb, Bytes size) const {
  const std::uint64_t target = kSource + (region_bytes() - kSource) / 2 / 64 * 64;
  const LocalBuffer source = side.memory.local(kSource, length_of(size));
  switch (verb) {
    case HostVerb::kWrite:
      return WorkRequest::write(source, side.memory.remote(target));
    case HostVerb::kRead:
      return WorkRequest::read(side.memory.local(target, length_of(size)), side.memory.remote(target));
    case HostVerb::kFetchAdd:
      return WorkRequest::fetch_add(side.memory.remote(kCounter), 1);
    case HostVerb::kSend:
      break;
  }
  return WorkRequest::send(source);
}

Task<> HostLatency::measure_latency(Context& ctx, Side& side, HostVerb verb, Bytes size) {
  HostVerbResult result;
  result.verb = verb;
  result.size = size;
  for (std::uint64_t i = 0; i < plan_.repetitions; ++i) {
    // Not in step with the polling loop or anything else that has a period.
    co_await ctx.sleep(Time::ps(1'000'000 + static_cast<std::int64_t>(i * 7919 % 4099)));
    const WorkRequest one = request(side, verb, size);
    const Time begun = ctx.device().now();
    const Completion done = co_await side.qps.front()->execute(one);
    result.latency.add(static_cast<std::uint64_t>((ctx.device().now() - begun).in_ps()));
    const bool right = verb != HostVerb::kFetchAdd || done.original == i;
    if (!done.ok() || !right) ++result.failed;
    ++completed_;
  }
  if (verb == HostVerb::kRead) {  // what was written before and read back must be what is sent from
    const auto sent = ctx.load(offset_in_host(side.memory, kSource), size.count());
    const LocalBuffer target = request(side, verb, size).local;
    if (ctx.load(target.address - address_in(Memory::kHost, 0), size.count()) != sent) ++result.failed;
  }
  latencies_.push_back(std::move(result));
}

Task<> HostLatency::measure_rate(Context& ctx, Side& side, HostVerb verb) {
  HostRateResult result;
  result.verb = verb;
  result.size = verb == HostVerb::kFetchAdd ? Bytes(8) : plan_.rate_size;
  const WorkRequest one = request(side, verb, plan_.rate_size);
  const Time begun = ctx.device().now();
  std::uint64_t posted = 0, done = 0;
  const auto post = [&](std::uint64_t qp) {
    std::vector<WorkRequest> batch(plan_.batch, one);
    for (WorkRequest& w : batch) w.unsignaled();
    batch.back().signaled = true;
    for (WorkRequest& w : batch) w.with_id(qp);
    side.qps[qp]->post(batch);
    ++posted;
  };
  // Batch n goes over queue pair n mod qps; two in flight on each.
  std::vector<std::uint64_t> left(plan_.qps);
  for (std::uint64_t qp = 0; qp < plan_.qps; ++qp)
    left[qp] = batches() / plan_.qps + (qp < batches() % plan_.qps ? 1 : 0);
  for (int round = 0; round < 2; ++round) {
    for (std::uint64_t qp = 0; qp < plan_.qps; ++qp) {
      if (left[qp] == 0) continue;
      --left[qp];
      post(qp);
    }
  }
  while (done < posted) {
    const Completion c = co_await side.sends->next();
    if (!c.ok()) ++result.failed;
    ++done;
    completed_ += plan_.batch;
    if (c.ok() && left[c.wr_id] > 0) {
      --left[c.wr_id];
      post(c.wr_id);
    }
  }
  result.messages = done * plan_.batch;
  result.took = ctx.device().now() - begun;
  rates_.push_back(result);
}

Task<> HostLatency::client(Context& ctx) {
  Side side = co_await begin(ctx, true);
  std::vector<std::uint8_t> bytes(region_bytes() - kSource);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(1 + i % 251);
  ctx.store(offset_in_host(side.memory, kSource), bytes);
  co_await ctx.sleep_until(plan_.start);
  for (const HostVerb verb : {HostVerb::kWrite, HostVerb::kRead, HostVerb::kSend}) {
    for (const Bytes size : plan_.sizes) co_await measure_latency(ctx, side, verb, size);
  }
  co_await measure_latency(ctx, side, HostVerb::kFetchAdd, Bytes(8));
  for (const HostVerb verb : kVerbs) co_await measure_rate(ctx, side, verb);
}

Task<> HostLatency::server(Context& ctx) {
  Side side = co_await begin(ctx, false);
  const LocalBuffer buffer = side.memory.local(kSource, static_cast<std::uint32_t>(region_bytes() - kSource));
  std::map<std::uint32_t, std::size_t> index;
  std::vector<std::uint64_t> to_post(plan_.qps);
  std::uint64_t left = 0;
  const auto post = [&](std::size_t qp, std::uint64_t most) {
    const std::uint64_t n = std::min(most, to_post[qp]);
    const std::vector<LocalBuffer> buffers(n, buffer);
    side.qps[qp]->post_receives(buffers);
    to_post[qp] -= n;
  };
  for (std::size_t qp = 0; qp < plan_.qps; ++qp) {
    index[side.qps[qp]->qpn()] = qp;
    to_post[qp] = sends_of_qp(qp);
    left += to_post[qp];
    post(qp, kReceives);
  }
  // Buffers are given back in groups: one doorbell for many.
  constexpr std::uint64_t kGroup = kReceives / 4;
  std::vector<std::uint64_t> used(plan_.qps);
  while (left > 0) {
    const Completion c = co_await side.receives->next();
    c.check();
    --left;
    const std::size_t qp = index.at(c.qpn);
    if (++used[qp] == kGroup) {
      used[qp] = 0;
      post(qp, kGroup);
    }
  }
}

}  // namespace caravan::workloads
