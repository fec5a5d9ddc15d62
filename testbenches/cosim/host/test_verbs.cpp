// SPDX-License-Identifier: Apache-2.0
// Every verb from one host program to another, data compared.
#include <cstring>

#include "host_pair.hpp"

using namespace caravan;
using namespace caravan::host;
using namespace caravan::host::tb;

namespace {

constexpr std::uint64_t kFrom = 0x1000, kTo = 0x4000, kCounter = 0x8000;

std::uint64_t word_at(Context& ctx, const MemoryRegion& memory, std::uint64_t offset) {
  const auto bytes = ctx.load((memory.address & ~(0xFull << 60)) + offset, 8);
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data(), 8);
  return value;
}
std::uint64_t offset_of(const MemoryRegion& memory, std::uint64_t at) {
  return (memory.address & ~(0xFull << 60)) + at;
}

/// A peer that only has memory.
Task<> idle_peer(Context& ctx) { co_await begin(ctx, 1); }

}  // namespace

TEST_CASE("Host verbs: WRITE and READ of every size class", "[cosim][host]") {
  HostPair pair;
  const auto data = pattern(20000, 1);
  std::vector<std::vector<std::uint8_t>> back;
  pair.start(1, idle_peer);
  const std::uint32_t sizes[] = {0, 1, 8, 63, 64, 65, 4095, 4096, 4097, 20000};
  pair.start(0, [&](Context& ctx) -> Task<> {
    Side s = co_await begin(ctx, 0);
    co_await ctx.sleep_until(kStart);
    ctx.store(offset_of(s.memory, kFrom), data);
    for (const std::uint32_t size : sizes) {
      const Completion written = co_await s.qp->write(s.memory.local(kFrom + 3, size), s.memory.remote(kTo + 5));
      written.check();
      const std::vector<std::uint8_t> zeros(size);
      ctx.store(offset_of(s.memory, 0xA000), zeros);
      const Completion read = co_await s.qp->read(s.memory.local(0xA000, size), s.memory.remote(kTo + 5));
      read.check();
      back.push_back(ctx.load(offset_of(s.memory, 0xA000), size));
    }
  });
  pair.run();
  REQUIRE(back.size() == std::size(sizes));
  for (std::size_t i = 0; i < back.size(); ++i) {
    const std::vector<std::uint8_t> want(data.begin() + 3, data.begin() + 3 + sizes[i]);
    CHECK(back[i] == want);
  }
}

TEST_CASE("Host verbs: SEND, immediates, inline data", "[cosim][host]") {
  HostPair pair;
  const auto data = pattern(5000, 2);
  std::vector<Completion> got;
  std::vector<std::vector<std::uint8_t>> messages;
  pair.start(1, [&](Context& ctx) -> Task<> {
    Side s = co_await begin(ctx, 1);
    for (int i = 0; i < 5; ++i) {
      const Completion c = co_await s.qp->receive(s.memory.local(kTo, 8192));
      got.push_back(c);
      messages.push_back(
          ctx.load(offset_of(s.memory, c.kind == CompletionKind::kReceiveWrite ? kCounter : kTo), c.length));
    }
  });
  pair.start(0, [&](Context& ctx) -> Task<> {
    Side s = co_await begin(ctx, 0);
    co_await ctx.sleep_until(kStart);
    ctx.store(offset_of(s.memory, kFrom), data);
    const LocalBuffer buffer = s.memory.local(kFrom, 5000);
    WorkRequest requests[] = {WorkRequest::send(buffer), WorkRequest::send(buffer),
                              WorkRequest::send_inline({1, 2, 3, 4, 5}),
                              WorkRequest::write_inline({9, 8, 7}, s.memory.remote(kCounter)), WorkRequest::send({})};
    requests[1].with_immediate(0xCAFEBABE).with_event();
    requests[3].with_immediate(7);
    for (const WorkRequest& request : requests) {
      const Completion sent = co_await s.qp->execute(request);
      sent.check();
      co_await ctx.sleep(Time::us(5));
    }
  });
  pair.run();
  REQUIRE(got.size() == 5);
  for (const Completion& c : got) CHECK(c.ok());
  CHECK(messages[0] == data);
  CHECK_FALSE(got[0].immediate.has_value());
  CHECK(messages[1] == data);
  CHECK(got[1].immediate == 0xCAFEBABE);
  CHECK(got[1].solicited);
  CHECK(messages[2] == std::vector<std::uint8_t>{1, 2, 3, 4, 5});
  CHECK(got[3].kind == CompletionKind::kReceiveWrite);
  CHECK(got[3].immediate == 7u);
  CHECK(got[3].length == 3);
  CHECK(messages[3] == std::vector<std::uint8_t>{9, 8, 7});
  CHECK(got[4].length == 0);
}

TEST_CASE("Host verbs: atomics", "[cosim][host]") {
  HostPair pair;
  std::vector<std::uint64_t> originals;
  std::uint64_t local = 0, last = 0;
  pair.start(1, [&](Context& ctx) -> Task<> {
    Side s = co_await begin(ctx, 1);
    co_await ctx.sleep_until(kStart + Time::us(200));
    last = word_at(ctx, s.memory, kCounter);
  });
  pair.start(0, [&](Context& ctx) -> Task<> {
    Side s = co_await begin(ctx, 0);
    co_await ctx.sleep_until(kStart);
    const RemoteBuffer counter = s.memory.remote(kCounter);
    for (std::uint64_t i = 1; i <= 4; ++i) {
      const Completion c = co_await s.qp->fetch_add(counter, i << 33);
      originals.push_back(c.check().original);
    }
    Completion c = co_await s.qp->compare_swap(counter, 10ull << 33, 77);
    originals.push_back(c.check().original);
    c = co_await s.qp->compare_swap(counter, 1, 88);  // does not match
    originals.push_back(c.check().original);
    WorkRequest into_memory = WorkRequest::fetch_add(counter, 1);
    into_memory.local = s.memory.local(kTo, 8);
    c = co_await s.qp->execute(into_memory);
    originals.push_back(c.check().original);
    local = word_at(ctx, s.memory, kTo);
  });
  pair.run();
  CHECK(originals == std::vector<std::uint64_t>{0, 1ull << 33, 3ull << 33, 6ull << 33, 10ull << 33, 77, 77});
  CHECK(local == 77);
  CHECK(last == 78);
}

TEST_CASE("Host verbs: 64 work requests with one doorbell, one of them signaled", "[cosim][host]") {
  HostPair pair;
  const auto data = pattern(64 * 64, 3);
  std::vector<Completion> all;
  std::vector<std::uint8_t> there;
  std::uint64_t doorbells = 0, bursts = 0;
  pair.start(1, [&](Context& ctx) -> Task<> {
    Side s = co_await begin(ctx, 1);
    co_await ctx.sleep_until(kStart + Time::us(100));
    there = ctx.load(offset_of(s.memory, kTo), data.size());
  });
  pair.start(0, [&](Context& ctx) -> Task<> {
    Side s = co_await begin(ctx, 0);
    co_await ctx.sleep_until(kStart);
    doorbells = pair.stat(0, "hostif.doorbells");
    bursts = pair.stat(0, "hostif.bursts");
    ctx.store(offset_of(s.memory, kFrom), data);
    std::vector<WorkRequest> batch;
    for (std::uint64_t i = 0; i < 64; ++i) {
      batch.push_back(WorkRequest::write(s.memory.local(kFrom + 64 * i, 64), s.memory.remote(kTo + 64 * i)));
      batch.back().unsignaled().with_id(i);
    }
    all = co_await s.qp->execute(std::move(batch));
    CHECK(s.qp->outstanding() == 0);
  });
  pair.run();
  REQUIRE(all.size() == 1);
  CHECK(all[0].wr_id == 63);
  CHECK(all[0].ok());
  CHECK(there == data);
  CHECK(pair.stat(0, "hostif.doorbells") - doorbells == 1);
  CHECK(pair.stat(0, "hostif.sq_entries") == 64);
  CHECK(pair.stat(0, "hostif.quiet_cpls") == 63);
  CHECK(pair.stat(0, "hostif.cqes") == 1);
  CHECK(pair.stat(0, "hostif.bursts") - bursts < 64);
}

TEST_CASE("Host verbs: posting without waiting, polling, other coroutines meanwhile", "[cosim][host]") {
  HostPair pair;
  std::vector<std::uint64_t> ids;
  unsigned ticks = 0;
  pair.start(1, idle_peer);
  pair.start(0, [&](Context& ctx) -> Task<> {
    Side s = co_await begin(ctx, 0);
    co_await ctx.sleep_until(kStart);
    for (std::uint64_t i = 0; i < 3; ++i)
      s.qp->post(WorkRequest::write(s.memory.local(kFrom, 64), s.memory.remote(kTo)).with_id(1000 + i));
    CHECK(s.qp->outstanding() == 3);
    CHECK(s.sends->poll().empty());
    while (ids.size() < 2) {
      for (const Completion& c : s.sends->poll()) ids.push_back(c.check().wr_id);
      co_await ctx.sleep(Time::ns(200));
    }
    if (ids.size() < 3) {
      const Completion c = co_await s.sends->next();
      ids.push_back(c.wr_id);
    }
  });
  pair.start(0, [&](Context& ctx) -> Task<> {
    co_await ctx.sleep_until(kStart);
    for (int i = 0; i < 10; ++i) {
      co_await ctx.sleep(Time::ns(100));
      ++ticks;
    }
  });
  pair.run();
  CHECK(ids == std::vector<std::uint64_t>{1000, 1001, 1002});
  CHECK(ticks == 10);
}

TEST_CASE("Host verbs: a solicited event wakes a program that does not poll", "[cosim][host]") {
  HostPair pair;
  Time woken;
  std::vector<Completion> got;
  pair.start(1, [&](Context& ctx) -> Task<> {
    Side s = co_await begin(ctx, 1);
    const std::vector<LocalBuffer> buffers(4, s.memory.local(kTo, 64));
    s.qp->post_receives(buffers);
    co_await ctx.sleep_until(kStart - Time::us(1));
    co_await s.receives->event(true);
    woken = ctx.device().now();
    got = s.receives->poll();
  });
  pair.start(0, [&](Context& ctx) -> Task<> {
    Side s = co_await begin(ctx, 0);
    co_await ctx.sleep_until(kStart);
    const Completion quiet = co_await s.qp->execute(small_send());
    quiet.check();
    co_await ctx.sleep_until(kStart + Time::us(20));
    WorkRequest loud = small_send();
    loud.with_event();
    const Completion sent = co_await s.qp->execute(loud);
    sent.check();
  });
  pair.run();
  CHECK(woken > kStart + Time::us(20));
  CHECK(woken < kStart + Time::us(26));
  REQUIRE(got.size() == 2);
  CHECK(got[1].solicited);
  CHECK(pair.stat(1, "hostif.events") == 1);
}

TEST_CASE("Host verbs: datagrams", "[cosim][host]") {
  HostPair pair;
  Completion got;
  std::vector<std::uint8_t> message;
  QueuePairOptions datagrams;
  datagrams.service = Service::kDatagram;
  datagrams.qkey = 0x11223344;
  pair.start(1, [&, datagrams](Context& ctx) -> Task<> {
    Side s = co_await begin(ctx, 1, datagrams);
    got = co_await s.qp->receive(s.memory.local(kTo, 256));
    message = ctx.load(offset_of(s.memory, kTo + 40), 4);
  });
  pair.start(0, [&, datagrams](Context& ctx) -> Task<> {
    Side s = co_await begin(ctx, 0, datagrams);
    co_await ctx.sleep_until(kStart);
    const std::vector<std::uint8_t> bytes{4, 3, 2, 1};
    ctx.store(offset_of(s.memory, kFrom), bytes);
    const Completion sent =
        co_await s.qp->execute(WorkRequest::datagram(s.memory.local(kFrom, 4), 3, s.qp->qpn(), 0x11223344));
    sent.check();
  });
  pair.run();
  CHECK(got.ok());
  CHECK(got.source_ip == ip_of(0));
  CHECK(message == std::vector<std::uint8_t>{4, 3, 2, 1});
}
