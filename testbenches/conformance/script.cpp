// SPDX-License-Identifier: Apache-2.0
#include "testbenches/conformance/script.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "testbenches/support/frame_compare.hpp"

namespace caravan::conformance {
namespace {

using packet::Action;
using packet::Opcode;

/// TOS, TTL and MigReq are the choice of the sender, as the UDP source port is.
constexpr packet::MacAddr kBroadcastMac{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
constexpr support::FrameMask kMask{.mig_req = true, .tos_ttl = true};

/// What the endpoint must have to answer this packet.
std::vector<Need> needs_of(const FrameSpec& spec) {
  if (!spec.damage.empty()) return {};  // dropped, whatever it was
  if (spec.frame.eth.dst == kBroadcastMac) return {Need::kBroadcast};
  const auto& op = packet::traits(spec.opcode());
  std::vector<Need> needs;
  if (op.service == packet::Service::kUd) needs.push_back(Need::kDatagram);
  switch (op.action) {
    case Action::kSend:
      needs.push_back(Need::kSend);
      break;
    case Action::kReadRequest:
      needs.push_back(Need::kRead);
      break;
    case Action::kAtomic:
      needs.push_back(Need::kAtomic);
      break;
    case Action::kCnp:
      needs.push_back(Need::kCnp);
      break;
    default:
      break;
  }
  if (op.action == Action::kWrite && op.has(packet::kExtImmDt)) needs.push_back(Need::kReceive);
  return needs;
}

void read_frames(Run& run) {
  auto frames = run.endpoint.take_frames();
  run.unread.insert(run.unread.end(), std::make_move_iterator(frames.begin()), std::make_move_iterator(frames.end()));
}

std::string describe_all(const Endpoint::Frames& frames) {
  std::string text;
  for (const auto& frame : frames) text += "\n      " + packet::describe(frame);
  return text;
}

Step simple(std::string text, std::function<void(Run&)> action) {
  return {std::move(text), {}, [action = std::move(action)](Run& run) {
            action(run);
            return std::string();
          }};
}

ref::WorkRequest request(ref::Operation op, std::uint32_t wr_id, std::uint64_t local, std::uint64_t bytes) {
  ref::WorkRequest r;
  r.op = op;
  r.wr_id = wr_id;
  r.local_va = local;
  r.remote_va = kPeerVa;
  r.rkey = kPeerRkey;
  r.length = bytes;
  return r;
}

}  // namespace

Step create(const QpSpec& spec) {
  Step step = simple(fmt::format("create QP {}", spec.qpn), [spec](Run& run) {
    ref::QpConfig c;
    c.qpn = base::Qpn(spec.qpn);
    c.dest_qpn = base::Qpn(0x10 + spec.qpn);
    c.peer_mac = kPeerMac;
    c.peer_ip = kPeerIp;
    c.pmtu = spec.pmtu;
    c.state = spec.state;
    c.first_psn_to_expect = base::Psn(spec.expect);
    c.first_psn_to_send = base::Psn(spec.send);
    c.retry_limit = spec.retry;
    c.timeout_exponent = spec.timeout;
    c.remote_write = spec.write;
    c.remote_read = spec.read;
    c.remote_atomic = spec.atomic;
    c.pd = spec.pd;
    c.rnr_retry = spec.rnr_retry;
    c.min_rnr_timer = spec.min_rnr;
    c.service = spec.datagram ? ref::QpService::kUd : ref::QpService::kRc;
    c.qkey = spec.qkey;
    run.endpoint.create_qp(c);
    run.qps[spec.qpn] = {spec.expect, spec.send};
  });
  if (spec.datagram) step.needs = {Need::kDatagram};
  return step;
}

Step state(ref::QpState state, std::uint32_t qpn) {
  return simple(fmt::format("QP {} to state {}", qpn, static_cast<int>(state)),
                [=](Run& run) { run.endpoint.set_state(base::Qpn(qpn), state); });
}

Step region(const RegionSpec& s) {
  return simple(fmt::format("region {:#x}", s.rkey), [s](Run& run) {
    run.endpoint.set_region(s.rkey, {s.first, s.bytes, {.write = s.write, .read = s.read, .atomic = s.atomic}, s.pd});
  });
}

Step unregister(std::uint32_t rkey) {
  return simple(fmt::format("remove region {:#x}", rkey), [rkey](Run& run) { run.endpoint.remove_region(rkey); });
}

Step fill(std::uint64_t va, std::uint32_t seed, std::size_t bytes) {
  return simple(fmt::format("fill {:#x}", va), [=](Run& run) { run.endpoint.write_memory(va, data(seed, 0, bytes)); });
}

Step fill_u64(std::uint64_t va, std::uint64_t value) {
  return simple(fmt::format("fill {:#x}", va), [=](Run& run) {
    packet::Buffer bytes(8);
    for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<std::uint8_t>(value >> 8 * i);
    run.endpoint.write_memory(va, bytes);
  });
}

Step post(const ref::WorkRequest& request, std::uint32_t qpn) {
  Step step = simple(fmt::format("post work request {}", request.wr_id),
                     [=](Run& run) { run.endpoint.post(base::Qpn(qpn), request); });
  const bool plain = request.op == ref::Operation::kWrite && !request.has_imm && !request.inl;
  step.needs = {plain ? Need::kPostWrite : Need::kPostAny};
  return step;
}

Step post_recv(const ref::ReceiveRequest& request, std::uint32_t qpn) {
  Step step = simple(fmt::format("post receive {}", request.wr_id),
                     [=](Run& run) { run.endpoint.post_recv(base::Qpn(qpn), request); });
  step.needs = {Need::kReceive};
  return step;
}

ref::WorkRequest write_of(std::uint32_t wr_id, std::uint64_t bytes) {
  return request(ref::Operation::kWrite, wr_id, kSource, bytes);
}
ref::WorkRequest send_of(std::uint32_t wr_id, std::uint64_t bytes) {
  return request(ref::Operation::kSend, wr_id, kSource, bytes);
}
ref::WorkRequest read_of(std::uint32_t wr_id, std::uint64_t bytes) {
  return request(ref::Operation::kRead, wr_id, kSink, bytes);
}
ref::WorkRequest fetch_add_of(std::uint32_t wr_id, std::uint64_t add) {
  auto r = request(ref::Operation::kFetchAdd, wr_id, kSink, 8);
  r.swap_add = add;
  return r;
}
ref::WorkRequest compare_swap_of(std::uint32_t wr_id, std::uint64_t compare, std::uint64_t swap) {
  auto r = request(ref::Operation::kCompareSwap, wr_id, kSink, 8);
  r.swap_add = swap;
  r.compare = compare;
  return r;
}
ref::ReceiveRequest buffer(std::uint32_t n, std::uint32_t bytes) {
  return {.wr_id = n, .local_va = buffer_va(n), .length = bytes};
}

Step inject(const FrameSpec& spec) {
  const auto* op = packet::find_opcode(spec.frame.bth.opcode);
  std::string text = fmt::format("inject {} {:+}", op->name, spec.psn);
  if (!spec.change.empty()) text += " (" + spec.change + ")";
  Step step = simple(text, [spec](Run& run) { run.endpoint.deliver(make_frame(spec, run.qps[spec.qpn], true)); });
  step.needs = needs_of(spec);
  return step;
}

Step expect(const std::vector<FrameSpec>& specs) {
  std::vector<std::string> names;
  for (const auto& spec : specs) names.push_back(fmt::format("{} {:+}", packet::traits(spec.opcode()).name, spec.psn));
  return {fmt::format("expect {}", fmt::join(names, ", ")), {}, [specs](Run& run) -> std::string {
            read_frames(run);
            const Endpoint::Frames got = std::exchange(run.unread, {});
            for (std::size_t i = 0; i < std::min(specs.size(), got.size()); ++i) {
              const auto difference =
                  support::compare_frames(make_frame(specs[i], run.qps[specs[i].qpn], false), got[i], kMask);
              if (!difference.empty()) return fmt::format("packet {}: {}", i, difference);
            }
            if (got.size() != specs.size())
              return fmt::format("{} packets expected, {} sent:{}", specs.size(), got.size(), describe_all(got));
            return {};
          }};
}

Step silence() {
  return {"expect silence", {}, [](Run& run) -> std::string {
            read_frames(run);
            const Endpoint::Frames got = std::exchange(run.unread, {});
            return got.empty() ? "" : "silence expected, sent:" + describe_all(got);
          }};
}

Step timer(std::optional<base::Time> time, std::uint32_t qpn) {
  return {"timer expires", {}, [=](Run& run) -> std::string {
            const auto took = run.endpoint.expire_timer(base::Qpn(qpn));
            if (!took) return "no timer runs";
            if (time && (*took < *time || *took > *time + base::Time::ps(time->in_ps() / 50) + base::Time::us(20)))
              return fmt::format("it took {} us instead of {} us", took->in_us(), time->in_us());
            return {};
          }};
}

Step no_timer(std::uint32_t qpn) {
  return {"no timer runs", {}, [=](Run& run) -> std::string {
            const auto took = run.endpoint.expire_timer(base::Qpn(qpn));
            return took ? fmt::format("a timer expired after {} us", took->in_us()) : "";
          }};
}

std::vector<Step> join(const std::vector<std::vector<Step>>& parts) {
  std::vector<Step> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

std::string skip_reason(const Row& row, const Endpoint& endpoint) {
  std::vector<std::string> reasons;
  for (const Step& step : row.script) {
    for (const Need need : step.needs) {
      const std::string reason = endpoint.lacks(need);
      if (!reason.empty() && std::ranges::find(reasons, reason) == reasons.end()) reasons.push_back(reason);
    }
  }
  return fmt::format("{}", fmt::join(reasons, "; "));
}

std::string run(const Row& row, Endpoint& endpoint) {
  Run state{.endpoint = endpoint};
  endpoint.set_region(kRkey, {kVa, kRegionBytes, {.write = true, .read = true, .atomic = true}, 0});
  for (std::size_t i = 0; i < row.script.size(); ++i) {
    std::string difference;
    try {
      difference = row.script[i].run(state);
    } catch (const std::runtime_error& error) { difference = error.what(); }
    if (!difference.empty()) return fmt::format("{}: step {}, {}: {}", row.id, i + 1, row.script[i].text, difference);
  }
  return {};
}

}  // namespace caravan::conformance
