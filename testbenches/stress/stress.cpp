// SPDX-License-Identifier: Apache-2.0
#include "testbenches/stress/stress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace caravan::stress {
namespace {

using support::Event;

constexpr std::uint32_t kWindow = 16;
constexpr std::uint64_t kStuck = 25'000'000;      // cycles without a completion: 100 ms
constexpr std::uint64_t kReceivesEvery = 20'000;  // cycles between two looks at the receive queues: some find none
constexpr std::uint32_t kTimeout = 6;             // 262 us: above the queues of a busy end
constexpr std::uint32_t kPmtus[] = {256, 512, 256, 1024, 256, 2048, 512, 4096};
constexpr std::uint64_t kReportEvery = 1'000'000;  // packets
constexpr std::size_t kRemembered = 300;           // frames of each QP, for messages
constexpr packet::MacAddr kMacs[] = {{2, 0, 0, 0, 0, 1}, {2, 0, 0, 0, 0, 2}};
constexpr packet::Ipv4Addr kIps[] = {0x0A000001, 0x0A000002};

}  // namespace

Stress::Stress(const StressConfig& config)
    : config_(config),
      rng_(config.seed, 0x57E5),
      wires_{Channel(config.seed * 2, config.faults), Channel(config.seed * 2 + 1, config.faults)},
      monitors_{WindowMonitor(kWindow), WindowMonitor(kWindow)} {
  create();
}

void Stress::fail(std::string text, std::uint32_t qpn) {
  if (!result_.error.empty()) return;
  result_.error = std::move(text);
  for (unsigned i = 0; i < 2; ++i) {
    result_.error += fmt::format("\n  end {}, events:", i);
    for (std::size_t e = 0; e < static_cast<std::size_t>(Event::kCount); ++e)
      result_.error += fmt::format(" {}:{}", e, ends_[i]->count(static_cast<Event>(e)));
  }
  for (const Seen& seen : seen_[qpn])
    result_.error += fmt::format("\n  cycle {} end {} {} {}", seen.cycle, seen.end, seen.arrives ? "takes" : "sends",
                                 packet::describe(seen.frame));
}

void Stress::remember(std::uint32_t qpn, Seen seen) {
  auto& all = seen_[qpn];
  all.push_back(std::move(seen));
  if (all.size() > kRemembered) all.pop_front();
}

void Stress::create() {
  for (unsigned i = 0; i < 2; ++i) ends_[i] = std::make_unique<support::RtlEnd>(kMacs[i], kIps[i]);
  for (unsigned i = 0; i < 2; ++i) {
    support::RtlEnd& end = *ends_[i];
    end.set_neighbour(0, kMacs[1 - i], kIps[1 - i]);
    for (unsigned memory = 0; memory < 2; ++memory)
      end.set_region(kRkeys[memory],
                     {kBases[memory], (config_.qps + 1) * kPerQp, {.write = true, .read = true, .atomic = true}, 0});
  }
  for (std::uint32_t qpn = 1; qpn <= config_.qps; ++qpn) {
    const std::uint32_t pmtu = kPmtus[qpn % std::size(kPmtus)];
    const auto first = [&](unsigned i) { return (0xFFFF00 + 0x4321 * qpn * (i + 1)) & base::Psn::kMask; };
    for (unsigned i = 0; i < 2; ++i) {
      ref::QpConfig c;
      c.qpn = c.dest_qpn = base::Qpn(qpn);
      c.peer_mac = kMacs[1 - i];
      c.peer_ip = kIps[1 - i];
      c.pmtu = pmtu;
      c.first_psn_to_send = base::Psn(first(i));
      c.first_psn_to_expect = base::Psn(first(1 - i));
      c.timeout_exponent = kTimeout;
      c.min_rnr_timer = 1 + qpn % 3;
      ends_[i]->create_qp(c);
      monitors_[i].create(qpn, first(i), c.pmtu);
    }
    for (unsigned i = 0; i < 2; ++i)
      flows_[i].emplace_back(config_.seed * 1000 + i, qpn, pmtu, *ends_[i], *ends_[1 - i]);
  }
  now_ = std::max(ends_[0]->now(), ends_[1]->now());
  for (auto& end : ends_) {
    while (end->now() < now_) end->step();
  }
}

StressResult Stress::run() {
  std::uint64_t done = 0;
  while (result_.error.empty()) {
    const bool more = result_.packets < config_.packets;
    if (more) generate();
    if (now_ >= next_receives_) {
      next_receives_ = now_ + kReceivesEvery;
      for (auto& flows : flows_) {
        for (Flow& flow : flows) {
          if (flow.wants_receives() || rng_.chance(0.2)) flow.post_receives();
        }
      }
    }
    move_frames();
    check_results();
    if (result_.packets / kReportEvery != reported_) {
      reported_ = result_.packets / kReportEvery;
      fmt::print("{} million packets, {} cycles\n", reported_, now_);
      std::fflush(stdout);
    }
    if (const std::uint64_t all = result_.completions + result_.receives; all != done) {
      done = all;
      last_progress_ = now_;
    }
    const bool idle = ends_[0]->idle() && ends_[1]->idle() && wires_[0].next() == ~0ull && wires_[1].next() == ~0ull &&
                      waiting_[0].empty() && waiting_[1].empty();
    if (!more && idle &&
        std::ranges::all_of(flows_,
                            [](const auto& flows) { return std::ranges::none_of(flows, &Flow::wants_receives); }) &&
        ends_[0]->wake_at() == ~0ull && ends_[1]->wake_at() == ~0ull)
      break;
    if (now_ - last_progress_ > kStuck) fail(fmt::format("no progress since cycle {}", last_progress_));
    pass_time();
  }
  for (const auto& flows : flows_) {
    for (const Flow& flow : flows) {
      if (auto text = flow.finish(); !text.empty()) fail(std::move(text));
      result_.posts += flow.posts();
    }
  }
  for (unsigned i = 0; i < 2; ++i) {
    const support::RtlEnd& end = *ends_[i];
    result_.retransmissions[i] = end.count(Event::kRetrans);
    result_.timeouts[i] = end.count(Event::kTimeout);
    result_.rnr[i] = end.count(Event::kRnr);
    result_.duplicates[i] = end.count(Event::kDup);
    result_.naks[i] = end.count(Event::kNakSeq);
    result_.icrc_drops[i] = end.count(Event::kDropIcrc);
    result_.fifo_drops += end.count(Event::kDropFifo);
    if (end.count(Event::kNakInvalid) + end.count(Event::kNakAccess) + end.count(Event::kNakOp) +
            end.count(Event::kQpErr) >
        0)
      fail(fmt::format("end {} refused a request or failed a QP", i));
  }
  result_.cycles = now_;
  return result_;
}

void Stress::generate() {
  for (unsigned i = 0; i < 2; ++i) {
    if (ends_[i]->verbs_waiting() >= 4) continue;
    flows_[i][rng_.below(flows_[i].size())].post();
  }
}

void Stress::move_frames() {
  for (unsigned i = 0; i < 2; ++i) {
    for (const packet::Buffer& frame : std::exchange(ends_[i]->sent(), {})) {
      ++result_.packets;
      const auto p = packet::parse(frame);
      if (!p.is_roce()) return fail("end sent a malformed frame: " + packet::describe(p));
      if (p.op->is_request) {
        if (auto text = monitors_[i].request(p.bth->dest_qp, p); !text.empty()) fail(std::move(text), p.bth->dest_qp);
      }
      remember(p.bth->dest_qp, {now_, i, false, frame});
      wires_[i].send(frame, now_);
    }
  }
  for (unsigned i = 0; i < 2; ++i) {
    Channel& wire = wires_[1 - i];
    while (wire.due(now_)) {
      packet::Buffer frame = wire.take();
      const auto p = packet::parse(frame);
      if (!p.is_roce() || p.op->is_request) {
        waiting_[i].push_back(std::move(frame));
        continue;
      }
      monitors_[i].response(p.bth->dest_qp, p);
      deliver(i, frame, p);
    }
    while (!waiting_[i].empty() && ends_[i]->has_room(waiting_[i].front().size())) {
      deliver(i, waiting_[i].front(), packet::parse(waiting_[i].front()));
      waiting_[i].pop_front();
    }
  }
}

void Stress::deliver(unsigned end, const packet::Buffer& frame, const packet::ParsedPacket& p) {
  ends_[end]->push(frame);
  if (p.is_roce()) remember(p.bth->dest_qp, {now_, end, true, frame});
}

void Stress::check_results() {
  for (unsigned i = 0; i < 2; ++i) {
    for (const auto& c : std::exchange(ends_[i]->completions(), {})) {
      ++result_.completions;
      if (c.qpn.value() == 0 || c.qpn.value() > config_.qps) return fail("a completion of an unknown QP");
      if (auto text = flows_[i][c.qpn.value() - 1].complete(c); !text.empty())
        fail(fmt::format("end {}: {}", i, text), c.qpn.value());
    }
    for (const auto& c : std::exchange(ends_[i]->received(), {})) {
      ++result_.receives;
      if (c.qpn.value() == 0 || c.qpn.value() > config_.qps) return fail("a receive of an unknown QP");
      if (auto text = flows_[1 - i][c.qpn.value() - 1].receive(c); !text.empty())
        fail(fmt::format("end {}: {}", i, text), c.qpn.value());
    }
  }
}

void Stress::pass_time() {
  if (ends_[0]->idle() && ends_[1]->idle() && waiting_[0].empty() && waiting_[1].empty()) {
    std::uint64_t at =
        std::min({wires_[0].next(), wires_[1].next(), ends_[0]->wake_at(), ends_[1]->wake_at(), next_receives_});
    at = std::max(at, now_ + 1);
    if (at > now_ + 1) {
      for (auto& end : ends_) end->jump(at);
      now_ = at;
      return;
    }
  }
  result_.evaluated += !ends_[0]->idle() + !ends_[1]->idle();
  for (auto& end : ends_) end->step();
  ++now_;
}

}  // namespace caravan::stress
