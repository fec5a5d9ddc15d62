// SPDX-License-Identifier: Apache-2.0
#include "testbenches/fuzz/cells.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "testbenches/fuzz/essence.hpp"

namespace caravan::support {
namespace {

using packet::Action;
using packet::Opcode;

constexpr std::uint32_t kExpected = 100, kSent = 0x200, kBadRkey = 0x0999;
constexpr std::uint64_t kRpcClass = 0x3000000000000000ull;

constexpr std::uint8_t code(Opcode opcode) { return static_cast<std::uint8_t>(opcode); }

FuzzTarget one_qp() {
  FuzzTarget target;
  ref::QpConfig qp;
  qp.qpn = base::Qpn(1);
  qp.dest_qpn = base::Qpn(0x101);
  qp.peer_mac = target.peer_mac;
  qp.peer_ip = target.peer_ip;
  qp.pmtu = CellBench::kPmtu;
  qp.timeout_exponent = 0;
  qp.qkey = 0x1111;
  target.qps = {qp};
  return target;
}

/// The text that tells what came, of both sides.
std::string differ(RtlEnd& rtl, ref::RoceRef& model, const FuzzEndpoint::Answers& answers) {
  std::string text;
  auto [requests, responses] = essences(answers.rtl);
  const auto [expected_requests, expected_responses] = essences(answers.model);
  if (requests != expected_requests) requests = without_early(requests);
  if (requests != expected_requests || responses != expected_responses)
    text = fmt::format("RTL sent [{}] [{}], the reference [{}] [{}]", fmt::join(requests, "; "),
                       fmt::join(responses, "; "), fmt::join(expected_requests, "; "),
                       fmt::join(expected_responses, "; "));
  if (rtl.completions() != model.completions()) text += " completions differ";
  if (rtl.received() != model.receive_completions()) text += " receives differ";
  rtl.completions().clear();
  rtl.received().clear();
  model.completions().clear();
  model.receive_completions().clear();
  return text;
}

}  // namespace

CellBench::CellBench() : target_(one_qp()), qp_(target_.qps[0]), both_(target_) {}

packet::Buffer CellBench::build(const Frame& frame) const {
  packet::RoceFrame f;
  f.eth.dst = target_.mac;
  f.eth.src = target_.peer_mac;
  packet::Ipv4 ip;
  ip.src = frame.peer ? target_.peer_ip : target_.peer_ip ^ 0x400;
  ip.dst = target_.ip;
  f.ip = ip;
  f.bth.opcode = frame.opcode;
  f.bth.dest_qp = qp_.qpn.value();
  f.bth.psn = frame.psn;
  f.bth.ack_req = true;
  f.ext.reth = packet::Reth{frame.va, frame.rkey, frame.dma_length};
  f.ext.atomic = packet::AtomicEth{frame.va, frame.rkey, 3, 0};
  f.ext.deth = packet::Deth{.qkey = frame.datagram_key ? qp_.qkey : ~qp_.qkey, .reserved = 0, .src_qp = 0x77};
  f.ext.imm = packet::ImmDt{0xABCD};
  packet::Aeth aeth;
  aeth.syndrome = frame.syndrome;
  f.ext.aeth = aeth;
  f.ext.atomic_ack = packet::AtomicAckEth{0x55};
  packet::Buffer payload(frame.opcode == code(Opcode::kCnp) ? 16 : frame.bytes);
  if (frame.opcode != code(Opcode::kCnp)) {
    for (std::size_t i = 0; i < payload.size(); ++i) payload[i] = static_cast<std::uint8_t>(i * 7 + frame.psn);
  }
  return packet::build(f, payload);
}

std::string CellBench::exchange(const Frame& frame) {
  const auto answers = both_.exchange(build(frame));
  if (both_.hung()) return "the RTL hangs";
  return differ(both_.rtl(), both_.model(), answers);
}

void CellBench::set_region(bool writable) {
  ref::Region region = target_.region;
  region.access.write = writable;
  both_.rtl().set_region(target_.rkey, region);
  both_.model().regions().set(target_.rkey, region);
}

std::string CellBench::request(std::uint8_t opcode, std::size_t bytes, ref::QpState state, Intent intent) {
  const auto& op = *packet::find_opcode(opcode);
  const bool send = op.action == Action::kSend && opcode < 0x20, write = op.action == Action::kWrite;
  const bool datagram = opcode == code(Opcode::kUdSendOnly) || opcode == code(Opcode::kUdSendOnlyImm);
  const bool cont = (send || write) && !op.starts_message(), ends = op.ends_message();
  const bool zero_write = write && bytes == 0 && op.starts_message() && ends;

  qp_.state = state;
  // Only an RC QP can fail.
  const bool ud = intent == Intent::kService ? !datagram : datagram && intent != Intent::kFailed;
  qp_.service = ud ? ref::QpService::kUd : ref::QpService::kRc;
  qp_.first_psn_to_expect = base::Psn(kExpected);
  qp_.first_psn_to_send = base::Psn(kSent);
  qp_.remote_write = !(intent == Intent::kNoAccess && zero_write);
  both_.create_qp(qp_);
  if (intent != Intent::kNoBuffer && (send || datagram || op.has(packet::kExtImmDt))) {
    const std::uint32_t small = datagram ? 20 : cont ? kPmtu : 1;
    const ref::ReceiveRequest buffer{
        .wr_id = 1, .local_va = FuzzTarget::kLocal, .length = intent == Intent::kSmallBuffer ? small : 8 * kPmtu};
    both_.rtl().post_recv(qp_.qpn, buffer);
    both_.model().post_recv(qp_.qpn, buffer);
  }

  std::string text;
  Frame frame{.opcode = opcode, .bytes = bytes, .psn = kExpected, .rkey = target_.rkey, .va = target_.region.base + 64};
  frame.dma_length = op.action == Action::kReadRequest ? 64 : static_cast<std::uint32_t>(ends ? bytes : 3 * kPmtu);
  if (intent == Intent::kFailed)
    text +=
        exchange({.opcode = code(Opcode::kWriteOnly), .bytes = 4, .psn = kExpected, .dma_length = 4, .rkey = kBadRkey});
  const bool begin = intent == Intent::kSequence ? op.starts_message() && !datagram
                                                 : cont && intent != Intent::kFailed && intent != Intent::kService;
  if (begin) {
    const auto rest = static_cast<std::uint32_t>(std::max<std::size_t>(bytes, 10) + (ends ? 0 : kPmtu));
    const bool first_send = send && intent != Intent::kSequence;
    text += exchange({.opcode = code(first_send ? Opcode::kSendFirst : Opcode::kWriteFirst),
                      .bytes = kPmtu,
                      .psn = kExpected,
                      .dma_length = kPmtu + rest,
                      .rkey = target_.rkey,
                      .va = frame.va});
    frame.psn = kExpected + 1;
  }
  switch (intent) {
    case Intent::kRpc:
      frame.va = kRpcClass;
      frame.rkey = target_.rpc_rkey;
      break;
    case Intent::kNoAccess:
      frame.rkey = kBadRkey;
      if (cont) set_region(false);
      break;
    case Intent::kBehind:
      --frame.psn;
      break;
    case Intent::kAhead:
      frame.psn += 5;
      break;
    case Intent::kPeer:
      frame.peer = false;
      frame.datagram_key = false;
      break;
    default:
      break;
  }
  text += exchange(frame);
  if (intent == Intent::kAhead) text += exchange(frame);
  if (intent == Intent::kNoAccess && cont) set_region(true);
  return text;
}

std::string CellBench::response(std::uint8_t opcode, std::uint8_t syndrome, std::size_t bytes, Meets meets) {
  const bool later = meets == Meets::kLater || meets == Meets::kLaterNoRetries;
  qp_.state = meets == Meets::kDead ? ref::QpState::kInit : ref::QpState::kRts;
  qp_.service = ref::QpService::kRc;
  qp_.remote_write = true;
  qp_.first_psn_to_expect = base::Psn(kExpected);
  qp_.first_psn_to_send = base::Psn(kSent);
  const bool no_retries = meets == Meets::kNoRetries || meets == Meets::kLaterNoRetries;
  qp_.retry_limit = no_retries ? 0 : 7;
  qp_.rnr_retry = no_retries ? 0 : 3;
  both_.create_qp(qp_);

  const auto post = [&](ref::Operation operation, std::size_t length) {
    ref::WorkRequest r;
    r.op = operation;
    r.wr_id = 9;
    r.local_va = FuzzTarget::kLocal + 0x1000;
    r.remote_va = 0x7000'0000;
    r.rkey = 0x1234;
    r.length = length;
    both_.rtl().post(qp_.qpn, r);
    both_.model().post(qp_.qpn, r);
  };
  if (later) post(ref::Operation::kRead, 40);
  if (meets != Meets::kNothing && meets != Meets::kDead) {
    if (opcode == code(Opcode::kAck))
      post(ref::Operation::kWrite, 32);
    else if (opcode == code(Opcode::kAtomicAck))
      post(ref::Operation::kFetchAdd, 8);
    else
      post(ref::Operation::kRead, bytes);
  }
  both_.settle();
  return exchange({.opcode = opcode, .bytes = bytes, .psn = kSent + (later ? 1u : 0u), .syndrome = syndrome});
}

bool CellBench::memory_equal() {
  constexpr std::size_t kAll = 0x100000;
  return both_.rtl().read_memory(0, kAll) == both_.model().memory().read(0, kAll);
}

}  // namespace caravan::support
