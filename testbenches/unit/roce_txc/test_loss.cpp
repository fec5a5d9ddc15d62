// SPDX-License-Identifier: Apache-2.0
// Random work over a bad network: every message delivered once and in order, completions equal posts, and the same to
// the cycle whether idle cycles are clocked, not clocked or jumped over.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <fmt/format.h>

#include "testbenches/unit/roce_txc/lossy_peer.hpp"

using namespace caravan::roce_txc;
using Kind = StallPattern::Kind;

namespace {

enum class Clock { kAlways, kGated, kJump };

struct Scenario {
  Network network;
  Stalls stalls = {};
  Clock clock = Clock::kAlways;
  std::uint64_t seed = 1;
  unsigned messages = 120, qps = kQps, timeout = 1, gap = 30;
  bool only_writes = false;
};

struct Outcome {
  std::vector<std::string> trace;  ///< "now port record", in order
  bool finished = false;
  Events events;
  std::uint64_t end = 0, clocked = 0;
  std::map<std::uint32_t, std::vector<Verb>> posts;
  std::map<std::uint32_t, std::vector<Cpl>> completions;
  std::map<std::uint32_t, std::vector<Delivered>> delivered;
  std::map<std::uint32_t, std::vector<std::uint64_t>> originals;  ///< of completed atomics
  std::map<std::uint32_t, std::uint64_t> counter, atomics;        ///< executed, posted
  std::map<std::uint64_t, Cmd> landed;                            ///< payload of READs, by address
  std::map<std::uint64_t, std::uint64_t> values;                  ///< of atomics, by address
  std::vector<std::string> faults;
  unsigned retries = 0, partial_reads = 0;
  unsigned pmtu[kQps] = {};
};

Verb random_verb(caravan::base::Rng& rng, const Scenario& s, std::uint32_t wr_id) {
  Verb verb{.qpn = static_cast<std::uint32_t>(rng.below(s.qps)), .wr_id = wr_id, .rkey = wr_id * 3};
  const std::uint64_t kind = rng.below(8);
  verb.len = kind == 0 ? 0 : static_cast<std::uint32_t>(kind < 4 ? 1 + rng.below(64) : rng.below(6000));
  verb.inl = kind == 1;
  verb.signaled = rng.chance(0.7);
  verb.laddr = (rng.chance(0.3) ? kHostBit : 0) + rng.below(1 << 20);
  verb.raddr = rng.below(1 << 30);
  if (s.only_writes) return verb;
  verb.op = static_cast<unsigned>(rng.below(5));
  if (verb.op <= kSend) {
    verb.has_imm = rng.chance(0.3);
    verb.imm = wr_id * 5;
    verb.solicited = rng.chance(0.3);
    return verb;
  }
  // What comes back gets a place of its own.
  verb.signaled = true;
  verb.inl = verb.op != kRead && rng.chance(0.3);
  verb.laddr = (verb.laddr & kHostBit) | (std::uint64_t{wr_id + 1} << 16) | rng.below(4096);
  if (verb.op != kRead) verb.len = 8;
  return verb;
}

Outcome play(const Scenario& s) {
  Ctl ctl(s.stalls);
  LossyPeer peer(s.network, s.seed);
  caravan::base::Rng rng(s.seed, 5);
  Outcome out;
  std::uint64_t next_post = 0;
  unsigned posted = 0, messages = 0;
  std::size_t expected = 0, seen = 0;
  for (std::uint32_t q = 0; q < s.qps; ++q) {
    const unsigned code = static_cast<unsigned>(rng.below(3));
    const std::uint32_t psn = static_cast<std::uint32_t>(q % 2 ? 0xFFFFF0 + q : 0x100 * q);
    out.pmtu[q] = 256u << code;
    ctl.configure(q, {.pmtu = code, .timeout = s.timeout, .retry_limit = 7, .psn = psn});
    peer.open(q, psn, 256u << code);
  }
  ctl.on_job = [&](const Job& job) {
    out.trace.push_back(fmt::format("{} job {} {} {}", ctl.now, job.dest, job.psn, job.retry));
    out.retries += job.retry;
    peer.send(job);
  };
  ctl.on_cmd = [&](const Cmd& cmd) {
    out.trace.push_back(fmt::format("{} cmd {} {:x} {}", ctl.now, cmd.target, cmd.addr, cmd.len));
    const std::uint64_t at = (cmd.target == kToHost ? kHostBit : 0) | cmd.addr;
    if (cmd.inl)
      out.values[at] = cmd.data;
    else if (cmd.target != kDrop)
      out.landed[at] = cmd;
  };
  next_post = ctl.now + 1;
  const std::uint64_t limit = ctl.now + 3'000'000;
  while (ctl.now < limit) {
    while (posted < s.messages && ctl.now >= next_post) {
      const Verb verb = random_verb(rng, s, posted);
      ctl.post(verb);
      out.posts[verb.qpn].push_back(verb);
      expected += verb.signaled;
      messages += verb.op <= kSend;
      out.atomics[verb.qpn] += verb.op > kRead;
      ++posted;
      next_post = ctl.now + rng.below(2 * s.gap);
    }
    for (const Ack& ack : peer.receive(ctl.now)) ctl.ack(ack);
    bool clocked = true;
    if (s.clock == Clock::kAlways)
      ctl.dut.tick();
    else
      clocked = ctl.dut.tick_unless([&] { return ctl->quiet_o != 0; });
    out.clocked += clocked;
    for (; seen < ctl.cpl.items().size(); ++seen) {
      const Cpl& cpl = ctl.cpl.items()[seen];
      out.trace.push_back(fmt::format("{} cpl {} {} {}", ctl.now, cpl.qpn, cpl.wr_id, cpl.status));
      out.completions[cpl.qpn].push_back(cpl);
      out.originals[cpl.qpn].push_back(ctl.originals[seen]);
    }
    std::uint64_t delivered = 0;
    for (std::uint32_t q = 0; q < s.qps; ++q) delivered += peer.delivered(q).size();
    out.finished = posted == s.messages && delivered == messages && seen == expected;
    if (out.finished) break;
    ++ctl.now;
    if (!clocked && s.clock == Clock::kJump) {
      std::uint64_t to = std::min({std::uint64_t{ctl->wake_at_o}, peer.next_event(), ctl.next_write()});
      if (posted < s.messages) to = std::min(to, next_post);
      ctl.now = std::max(ctl.now, to);
    }
  }
  out.end = ctl.now;
  out.events = ctl.events;
  out.faults = peer.faults();
  out.partial_reads = peer.partial_reads();
  for (std::uint32_t q = 0; q < s.qps; ++q) {
    out.delivered[q] = peer.delivered(q);
    out.counter[q] = peer.counter(q);
  }
  return out;
}

void check_message(const Delivered& got, const Verb& verb) {
  REQUIRE(got.is_send == (verb.op == kSend));
  REQUIRE(got.len == verb.len);
  REQUIRE(got.has_imm == verb.has_imm);
  if (verb.has_imm) REQUIRE(got.imm == verb.imm);
  REQUIRE(got.solicited == (verb.solicited && (verb.has_imm || verb.op == kSend)));
  if (verb.len != 0) REQUIRE(got.addrs[0] == (verb.laddr & ~kHostBit));
  if (verb.op == kSend) return;
  REQUIRE(got.raddr == verb.raddr);
  REQUIRE(got.rkey == verb.rkey);
}

void check_read(const Outcome& out, const Verb& verb, std::uint32_t pmtu) {
  for (std::uint32_t at = 0; at < verb.len; at += pmtu) {
    const auto cmd = out.landed.find(verb.laddr + at);
    REQUIRE(cmd != out.landed.end());
    REQUIRE(cmd->second.len == std::min(pmtu, verb.len - at));
    REQUIRE(cmd->second.va == verb.raddr + at);
    REQUIRE(cmd->second.qpn == verb.qpn);
  }
}

void check(const Outcome& out, std::uint32_t qps) {
  REQUIRE(out.finished);
  REQUIRE(out.faults == std::vector<std::string>{});
  for (std::uint32_t q = 0; q < qps; ++q) {
    std::vector<Cpl> wanted;
    const auto posts = out.posts.find(q);
    if (posts == out.posts.end()) continue;
    const auto& delivered = out.delivered.at(q);
    std::size_t messages = 0, atomics = 0;
    for (const Verb& verb : posts->second) {
      if (verb.signaled) wanted.push_back({q, verb.wr_id, kOk});
      if (verb.op <= kSend) {
        REQUIRE(messages < delivered.size());
        check_message(delivered[messages++], verb);
      } else if (verb.op == kRead) {
        check_read(out, verb, out.pmtu[q]);
      } else {
        REQUIRE(out.originals.at(q)[wanted.size() - 1] == atomics);
        if (verb.inl)
          REQUIRE_FALSE(out.values.contains(verb.laddr));
        else
          REQUIRE(out.values.at(verb.laddr) == atomics);
        ++atomics;
      }
    }
    REQUIRE(delivered.size() == messages);
    REQUIRE(out.counter.at(q) == atomics);
    const auto completions = out.completions.find(q);
    REQUIRE((completions == out.completions.end() ? std::vector<Cpl>{} : completions->second) == wanted);
  }
}

}  // namespace

TEST_CASE("Without loss nothing is sent twice, under every pair of stall patterns", "[unit][roce]") {
  const auto in = GENERATE(from_range(std::begin(StallPattern::kAll), std::end(StallPattern::kAll)));
  const auto outp = GENERATE(from_range(std::begin(StallPattern::kAll), std::end(StallPattern::kAll)));
  const Outcome out = play({.network = {}, .stalls = {in, in, outp, outp, outp, in}, .seed = 3, .timeout = 7});
  check(out, kQps);
  REQUIRE(out.retries == 0);
  REQUIRE(out.events.timeout == 0);
  REQUIRE(out.events.nak == 0);
}

TEST_CASE("Loss, duplication and overtaking: every message once, in order, completions equal posts", "[unit][roce]") {
  const double loss = GENERATE(0.01, 0.1, 0.2);
  const auto stall = GENERATE(Kind::kNone, Kind::kRandom, Kind::kBursts);
  const std::uint64_t seed = GENERATE(1u, 2u, 3u);
  const bool only_writes = GENERATE(false, true);
  const Outcome out = play({.network = {.loss = loss, .duplicate = 0.1, .overtake = 0.1, .skip_ack = 0.2, .rnr = 0.05},
                            .stalls = {stall, stall, stall, stall, stall, stall},
                            .seed = seed,
                            .only_writes = only_writes});
  check(out, kQps);
  if (!only_writes && loss >= 0.1) REQUIRE(out.partial_reads > 0);
  REQUIRE(out.retries > 0);
  REQUIRE(out.events.qp_err == 0);
}

TEST_CASE("One QP, everything at once", "[unit][roce]") {
  const Outcome out = play(
      {.network = {.loss = 0.15, .duplicate = 0.2, .overtake = 0.2}, .seed = 9, .messages = 200, .qps = 1, .gap = 5});
  check(out, 1);
}

TEST_CASE("Unclocked and jumped idle cycles change nothing, to the cycle", "[unit][roce]") {
  const std::uint64_t seed = GENERATE(range(1, 7));
  const double loss = GENERATE(0.0, 0.05, 0.2);
  Scenario s{.network = {.loss = loss, .duplicate = 0.05, .overtake = 0.05},
             .seed = seed,
             .messages = 60,
             .gap = seed % 2 ? 400u : 40u};
  const Outcome always = play(s);
  check(always, kQps);
  for (const Clock clock : {Clock::kGated, Clock::kJump}) {
    s.clock = clock;
    const Outcome other = play(s);
    const std::size_t common = std::min(always.trace.size(), other.trace.size());
    for (std::size_t i = 0; i < common; ++i) REQUIRE(other.trace[i] == always.trace[i]);
    REQUIRE(other.trace.size() == always.trace.size());
    REQUIRE(other.end == always.end);
    REQUIRE(other.events.timeout == always.events.timeout);
    REQUIRE(other.events.stale == always.events.stale);
    REQUIRE(other.clocked < always.clocked);
  }
}

TEST_CASE("A path that loses every ACK ends in QP errors, with one completion for each post", "[unit][roce]") {
  Ctl ctl;
  LossyPeer peer({.loss = 0.0, .only_naks = true}, 1);
  for (std::uint32_t q = 0; q < 4; ++q) {
    ctl.configure(q, {.pmtu = 0, .timeout = 1, .retry_limit = 1});
    peer.open(q, 100, 256);
  }
  ctl.on_job = [&](const Job& job) { peer.send(job); };
  for (std::uint32_t i = 0; i < 24; ++i) ctl.post({.qpn = i % 4, .wr_id = i, .len = 700, .signaled = i % 3 == 0});
  for (int i = 0; i < 12'000; ++i) {
    for (const Ack& ack : peer.receive(ctl.now)) ctl.ack(ack);
    ctl.tick();
  }
  REQUIRE(ctl.cpl.items().size() == 24);
  REQUIRE(ctl.events.qp_err == 4);
  REQUIRE(ctl.err_out.size() == 4);
  std::map<std::uint32_t, std::vector<Cpl>> by_qp;
  for (const Cpl& cpl : ctl.cpl.items()) by_qp[cpl.qpn].push_back(cpl);
  for (const auto& [qpn, cpls] : by_qp)
    for (std::uint32_t i = 0; i < 6; ++i) REQUIRE(cpls[i] == Cpl{qpn, qpn + 4 * i, i == 0 ? kRetryExceeded : kFlushed});
  REQUIRE(ctl->quiet_o);
}
