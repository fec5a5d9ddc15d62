// SPDX-License-Identifier: Apache-2.0
// A queue pair's life: rings, rows of the NIC's tables, states.
#include <bit>

#include <fmt/format.h>

#include "models/base/errors.hpp"
#include "sim/host/context.hpp"
#include "sim/host/queue_pair.hpp"

namespace caravan::host {
namespace {

void check_depth(std::uint32_t qpn, const char* what, unsigned depth) {
  if (!std::has_single_bit(depth) || depth > 32768)
    throw base::UserError(
        fmt::format("QP {}: {} of {} entries: allowed are powers of two, 1..32768", qpn, what, depth));
}

}  // namespace

QueuePair::QueuePair(Context& context, std::uint32_t qpn, std::uint16_t pd, CompletionQueue& send,
                     CompletionQueue& receive, const QueuePairOptions& options)
    : context_(context), qpn_(qpn), pd_(pd), send_cq_(send), receive_cq_(receive), options_(options) {
  check_depth(qpn, "a send queue", options.send_depth);
  check_depth(qpn, "a receive queue", options.receive_depth);
  const std::uint64_t mtu = options.mtu.count();
  if (!std::has_single_bit(mtu) || mtu < 256 || mtu > 4096)
    throw base::UserError(fmt::format("QP {}: path MTU {} is not one of 256, 512, 1024, 2048, 4096", qpn, mtu));
  send_ring_ = context.allocate(options.send_depth * reg::kSendEntryBytes, 4096);
  receive_ring_ = context.allocate(options.receive_depth * reg::kReceiveEntryBytes, 4096);
  send_slots_.resize(options.send_depth);
  receive_slots_.resize(options.receive_depth);
}

Task<> QueuePair::set_rings(bool valid) {
  const auto log2 = [](unsigned depth) { return static_cast<std::uint32_t>(std::countr_zero(depth)); };
  const std::vector<std::uint32_t> words{
      (valid ? reg::kValid : 0) | log2(options_.receive_depth) << 8 | log2(options_.send_depth),
      reg::low(send_ring_),
      reg::high(send_ring_),
      reg::low(receive_ring_),
      reg::high(receive_ring_),
      receive_cq_.number() << 16 | send_cq_.number()};
  co_await context_.command(reg::kHostBlock, words, reg::kHostQp, qpn_, "queue pair");
}

Task<> QueuePair::set_state(reg::QpState state, std::uint32_t command) {
  const auto mtu = static_cast<std::uint32_t>(std::countr_zero(options_.mtu.count()) - 8);
  const Access& a = options_.access;
  const std::vector<std::uint32_t> words{
      static_cast<std::uint32_t>(options_.service) << 25 | retry_.min_rnr << 20 | retry_.rnr_retry << 17 |
          std::uint32_t{a.atomic} << 16 | std::uint32_t{a.read} << 15 | std::uint32_t{a.write} << 14 |
          retry_.retry_limit << 11 | retry_.timeout << 6 | mtu << 3 | static_cast<std::uint32_t>(state),
      peer_.neighbour << 24 | (peer_.qpn & 0xFFFFFF),
      std::uint32_t{pd_} << 16 | (0xC000u | (qpn_ & 0x3FFF)),
      peer_.ip,
      options_.first_psn & 0xFFFFFF,
      peer_.first_psn & 0xFFFFFF,
      options_.qkey};
  co_await context_.command(reg::kRoceBlock, words, command, qpn_, "queue pair");
}

Task<> QueuePair::to_init() {
  forget();
  co_await set_rings(true);
  co_await set_state(reg::QpState::kInit, reg::kRoceQpInit);
}

Task<> QueuePair::to_rtr(PeerAddress peer, RetryOptions retry) {
  if (retry.timeout > 31 || retry.retry_limit > 7 || retry.rnr_retry > 7 || retry.min_rnr > 31 ||
      peer.neighbour > 255) {
    throw base::UserError(
        fmt::format("QP {}: allowed are timeout 0..31, retry_limit 0..7, rnr_retry 0..7, min_rnr "
                    "0..31, neighbour 0..255",
                    qpn_));
  }
  peer_ = peer;
  retry_ = retry;
  // The NIC starts the queue pair anew: receive buffers that were posted in INIT are rung for once more.
  co_await set_rings(true);
  co_await set_state(reg::QpState::kRtr, reg::kRoceQpInit);
  if (receive_posted_ != 0) context_.device().mmio_write(reg::kRqDoorbell, qpn_ << 16 | receive_posted_);
}

Task<> QueuePair::to_rts() { return set_state(reg::QpState::kRts, reg::kRoceQpModify); }
Task<> QueuePair::to_sqd() { return set_state(reg::QpState::kSqd, reg::kRoceQpModify); }
Task<> QueuePair::to_error() { return set_state(reg::QpState::kErr, reg::kRoceQpModify); }

// The rings first: what the NIC has fetched already belongs to the old row then, and its completions are dropped.
Task<> QueuePair::reset() {
  co_await set_rings(false);
  co_await set_state(reg::QpState::kReset, reg::kRoceQpInit);
  forget();
}

}  // namespace caravan::host
