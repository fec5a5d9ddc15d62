// SPDX-License-Identifier: Apache-2.0
// What goes wrong in a host program ends in a completion or an exception, never in a hang.
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <sstream>

#include "host_pair.hpp"
#include "models/base/errors.hpp"

using namespace caravan;
using namespace caravan::host;
using namespace caravan::host::tb;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr std::uint64_t kFrom = 0x1000, kTo = 0x4000;

Task<> idle_peer(Context& ctx) { co_await begin(ctx, 1); }

/// A new life of the queue pair, whose peer is that of node `peer`, from PSN `psn` on.
Task<> live_again(Side& s, unsigned peer, std::uint32_t psn) {
  co_await s.qp->reset();
  co_await s.qp->to_init();
  PeerAddress address{s.qp->qpn(), ip_of(peer), 3, psn};
  co_await s.qp->to_rtr(address);
  co_await s.qp->to_rts();
}

}  // namespace

TEST_CASE("Host verbs: a wrong key fails the verb, the rest is flushed, a new life works", "[cosim][host]") {
  HostPair pair;
  std::vector<Completion> all;
  std::string text;
  Completion after;
  pair.start(1, [&](Context& ctx) -> Task<> {
    Side s = co_await begin(ctx, 1);
    co_await ctx.sleep_until(kStart + Time::us(100));
    co_await live_again(s, 0, 100);
  });
  pair.start(0, [&](Context& ctx) -> Task<> {
    Side s = co_await begin(ctx, 0);
    co_await ctx.sleep_until(kStart);
    RemoteBuffer wrong = s.memory.remote(kTo);
    wrong.rkey ^= 1;
    std::vector<WorkRequest> batch(5, WorkRequest::write(s.memory.local(kFrom, 64), wrong));
    all = co_await s.qp->execute(std::move(batch));
    try {
      all.at(0).check();
    } catch (const VerbError& e) { text = e.what(); }
    const Completion flushed = co_await s.qp->write(s.memory.local(kFrom, 64), s.memory.remote(kTo));
    CHECK(flushed.status == Status::kFlushed);
    co_await live_again(s, 1, 101);
    co_await ctx.sleep_until(kStart + Time::us(200));
    after = co_await s.qp->write(s.memory.local(kFrom, 64), s.memory.remote(kTo));
  });
  pair.run();
  REQUIRE(all.size() == 5);
  CHECK(all[0].status == Status::kRemoteAccess);
  for (std::size_t i = 1; i < 5; ++i) CHECK(all[i].status == Status::kFlushed);
  CHECK_THAT(text, ContainsSubstring("QP 128") && ContainsSubstring("remote access error"));
  CHECK(after.ok());
}

TEST_CASE("Host verbs: memory that is not there fails the verb at either end, and a new life works",
          "[cosim][host][memory]") {
  // HBM ends at kEnd; a region of node 1 goes on behind it, and nobody checks where local buffers are.
  constexpr std::uint64_t kEnd = 8192ull << 20;
  struct Case {
    WorkRequest request;
    Status status;
  };
  const LocalBuffer nowhere{address_in(Memory::kHbm, kEnd + 64), 64};
  const unsigned n = GENERATE(0u, 1u, 2u, 3u, 4u, 5u);
  HostPair pair;
  std::vector<Completion> all;
  Completion after;
  Status want = Status::kOk;
  pair.start(1, [&](Context& ctx) -> Task<> {
    Side s = co_await begin(ctx, 1);
    co_await ctx.register_memory(s.pd, Memory::kHbm, kEnd - 4096, 0x10000);
    co_await ctx.sleep_until(kStart + Time::us(100));
    co_await live_again(s, 0, 100);
  });
  pair.start(0, [&](Context& ctx) -> Task<> {
    Side s = co_await begin(ctx, 0);
    const MemoryRegion edge = co_await ctx.register_memory(s.pd, Memory::kHbm, kEnd - 4096, 0x10000);
    const RemoteBuffer last = edge.remote(0), beyond = edge.remote(4096);
    co_await ctx.sleep_until(kStart);
    const Case cases[] = {
        {WorkRequest::read(s.memory.local(kFrom, 64), beyond), Status::kRemoteOperation},
        {WorkRequest::read(s.memory.local(kFrom, 12288), last), Status::kRemoteOperation},
        {WorkRequest::fetch_add(beyond, 1), Status::kRemoteOperation},
        {WorkRequest::read(nowhere, s.memory.remote(kTo)), Status::kLocalMemory},
        {WorkRequest::write(nowhere, s.memory.remote(kTo)), Status::kLocalMemory},
        {WorkRequest::send(nowhere), Status::kLocalMemory},
    };
    want = cases[n].status;
    std::vector<WorkRequest> batch{cases[n].request};
    for (int i = 0; i < 3; ++i) batch.push_back(WorkRequest::write(s.memory.local(kFrom, 64), s.memory.remote(kTo)));
    all = co_await s.qp->execute(std::move(batch));
    co_await live_again(s, 1, 101);
    co_await ctx.sleep_until(kStart + Time::us(200));
    after = co_await s.qp->write(s.memory.local(kFrom, 64), s.memory.remote(kTo));
  });
  pair.run();
  REQUIRE(all.size() == 4);
  CHECK(all[0].status == want);
  CHECK(all[0].time < kStart + Time::us(40));  // nobody waited for a timer
  for (std::size_t i = 1; i < 4; ++i) CHECK(all[i].status == Status::kFlushed);
  CHECK(after.ok());
  const bool remote = want == Status::kRemoteOperation;
  CHECK(pair.stat(1, "roce_tx.rd_lost") == (remote ? 1 : 0));
  CHECK(pair.stat(0, "roce_tx.timeout") == 0);
  CHECK(pair.stat(0, "roce_tx.qp_err") == 1);
  if (n == 1) CHECK(pair.stat(1, "roce_tx.rsp") == 1);
}

TEST_CASE("Host verbs: receiver not ready, then ready; and never", "[cosim][host]") {
  const bool ever = GENERATE(true, false);
  HostPair pair;
  Completion sent;
  RetryOptions retry;
  retry.min_rnr = 1;  // 10 us
  retry.rnr_retry = ever ? 7 : 2;
  pair.start(1, [&, retry](Context& ctx) -> Task<> {
    Side s = co_await begin(ctx, 1, {}, retry);
    if (!ever) co_return;
    co_await ctx.sleep_until(kStart + Time::us(60));
    const Completion got = co_await s.qp->receive(s.memory.local(kTo, 64));
    got.check();
  });
  pair.start(0, [&, retry](Context& ctx) -> Task<> {
    Side s = co_await begin(ctx, 0, {}, retry);
    co_await ctx.sleep_until(kStart);
    sent = co_await s.qp->execute(small_send());
  });
  pair.run();
  CHECK(sent.status == (ever ? Status::kOk : Status::kRnrExceeded));
  if (ever) CHECK(sent.time > kStart + Time::us(60));
  CHECK(pair.stat(1, "roce_rx.rnr") >= 3);
}

TEST_CASE("Host verbs: posted receives and sends are flushed when the queue pair goes to error", "[cosim][host]") {
  HostPair pair;
  std::vector<Completion> receives;
  pair.start(1, [&](Context& ctx) -> Task<> {
    Side s = co_await begin(ctx, 1);
    const std::vector<LocalBuffer> buffers(20, s.memory.local(kTo, 64));
    s.qp->post_receives(buffers, 500);
    co_await ctx.sleep_until(kStart);
    co_await s.qp->to_error();
    while (receives.size() < 20) {
      const Completion c = co_await s.receives->next();
      receives.push_back(c);
    }
    const Completion sent = co_await s.qp->execute(small_send());
    CHECK(sent.status == Status::kFlushed);
  });
  pair.start(0, [&](Context& ctx) -> Task<> { co_await begin(ctx, 0); });
  pair.run();
  for (std::size_t i = 0; i < receives.size(); ++i) {
    CHECK(receives[i].status == Status::kFlushed);
    CHECK(receives[i].wr_id == 500 + i);
  }
}

TEST_CASE("Host verbs: a completion queue that nobody reads overruns, and says so", "[cosim][host]") {
  HostPair pair;
  std::optional<std::uint32_t> before, after;
  std::uint32_t number = 0;
  pair.start(1, idle_peer);
  pair.start(0, [&](Context& ctx) -> Task<> {
    Side s = co_await begin(ctx, 0, {}, {}, 8);
    co_await ctx.sleep_until(kStart);
    before = co_await ctx.overrun();
    std::vector<WorkRequest> batch(20, WorkRequest::write(s.memory.local(kFrom, 64), s.memory.remote(kTo)));
    s.qp->post(batch);
    co_await ctx.sleep(Time::us(50));
    after = co_await ctx.overrun();
    number = s.sends->number();
  });
  pair.run();
  CHECK_FALSE(before.has_value());
  CHECK(after == number);
  CHECK(pair.stat(0, "hostif.cq_drop") == 12);
}

TEST_CASE("Host verbs: what can't be posted is refused at once", "[cosim][host]") {
  HostPair pair;
  std::vector<std::string> texts;
  pair.start(1, idle_peer);
  pair.start(0, [&](Context& ctx) -> Task<> {
    QueuePairOptions small;
    small.send_depth = 2;
    small.receive_depth = 1;
    Side s = co_await begin(ctx, 0, small);
    co_await ctx.sleep_until(kStart);
    const auto attempt = [&](auto what) {
      try {
        what();
      } catch (const std::exception& e) { texts.emplace_back(e.what()); }
    };
    const std::vector<WorkRequest> three(3, WorkRequest::send({}));
    attempt([&] { s.qp->post(three); });
    attempt([&] { s.qp->post(WorkRequest::send_inline(std::vector<std::uint8_t>(65))); });
    const std::vector<LocalBuffer> two(2);
    attempt([&] { s.qp->post_receives(two); });
    attempt([&] { static_cast<void>(ctx.allocate(1ull << 40)); });
    try {
      QueuePairOptions far;
      far.qpn = 5000;
      QueuePair* none = co_await ctx.create_qp(s.pd, *s.sends, *s.receives, far);
      static_cast<void>(none);
    } catch (const VerbError& e) { texts.emplace_back(e.what()); }
  });
  pair.run();
  REQUIRE(texts.size() == 5);
  CHECK_THAT(texts[0], ContainsSubstring("3 work requests don't fit: 0 of 2 places"));
  CHECK_THAT(texts[1], ContainsSubstring("65 bytes of inline data; at most 64"));
  CHECK_THAT(texts[2], ContainsSubstring("2 receive buffers don't fit: 0 of 1 places"));
  CHECK_THAT(texts[3], ContainsSubstring("used up"));
  CHECK_THAT(texts[4], ContainsSubstring("refuses queue pair 5000"));
}

TEST_CASE("Host verbs: a node with a running program can't be saved", "[cosim][host]") {
  HostPair pair;
  pair.start(1, idle_peer);
  pair.start(0, [](Context& ctx) -> Task<> { co_await ctx.sleep_until(kStart); });
  pair.run_until(Time::us(1));
  std::stringstream out;
  CHECK_THROWS_AS(pair.node(0).serialize(out), base::UserError);
  pair.run();
  CHECK_NOTHROW(pair.node(0).serialize(out));
}

TEST_CASE("Host programs: an exception reaches whoever runs them", "[cosim][host]") {
  HostPair pair;
  pair.start(1, idle_peer);
  pair.start(0, [](Context& ctx) -> Task<> {
    co_await ctx.sleep(Time::us(1));
    throw VerbError(Status::kBadRequest, "as asked for");
  });
  CHECK_THROWS_WITH(pair.run(), "as asked for");
}
