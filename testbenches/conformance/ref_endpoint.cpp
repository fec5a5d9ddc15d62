// SPDX-License-Identifier: Apache-2.0
#include "testbenches/conformance/ref_endpoint.hpp"

#include <iterator>
#include <utility>

namespace caravan::conformance {
namespace {

using ref::DropReason;

Drop kind_of(DropReason reason) {
  switch (reason) {
    case DropReason::kNotRoce:
    case DropReason::kNotForUs:
    case DropReason::kNetwork:
      return Drop::kNetwork;
    case DropReason::kIcrc:
      return Drop::kIcrc;
    case DropReason::kTver:
    case DropReason::kPkey:
    case DropReason::kLength:
      return Drop::kHeader;
    case DropReason::kOpcode:
      return Drop::kOpcode;
    case DropReason::kQpn:
    case DropReason::kState:
      return Drop::kQp;
    case DropReason::kPeer:
    case DropReason::kQkey:
      return Drop::kPeer;
    case DropReason::kDuplicate:
      return Drop::kReplay;
    case DropReason::kNoReceive:
      return Drop::kNoReceive;
    case DropReason::kStaleAck:
    case DropReason::kGhostAck:
    case DropReason::kSyndrome:
    case DropReason::kResponse:
      return Drop::kResponse;
    default:
      return Drop::kCount;  // ahead of the gap: silence only
  }
}

}  // namespace

void RefEndpoint::set_state(base::Qpn qpn, ref::QpState state) {
  model_.set_state(qpn, state);
  transmit();
}

void RefEndpoint::post(base::Qpn qpn, const ref::WorkRequest& request) {
  model_.post(qpn, request);
  transmit();
}

void RefEndpoint::deliver(const packet::Buffer& frame) {
  for (auto& response : model_.receive(frame)) sent_.push_back(std::move(response));
  for (const base::Qpn qpn : std::exchange(model_.marked(), {})) sent_.push_back(model_.make_cnp(qpn));
  transmit();
}

void RefEndpoint::transmit() {
  for (auto& request : model_.transmit()) sent_.push_back(std::move(request));
}

Endpoint::Frames RefEndpoint::take_frames() { return std::exchange(sent_, {}); }
std::vector<ref::Completion> RefEndpoint::take_completions() { return std::exchange(model_.completions(), {}); }
std::vector<ref::ReceiveCompletion> RefEndpoint::take_received() {
  return std::exchange(model_.receive_completions(), {});
}

std::optional<base::Time> RefEndpoint::expire_timer(base::Qpn qpn) {
  const ref::QpView view = model_.view(qpn);
  const base::Time wait =
      view.rnr_wait ? ref::rnr_wait(view.rnr_timer) : ref::ack_timeout(model_.config(qpn).timeout_exponent);
  if (view.outstanding == 0 || wait.is_never()) return std::nullopt;
  model_.timeout(qpn);
  transmit();
  return wait;
}

std::uint64_t RefEndpoint::dropped(Drop reason) const {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(DropReason::kCount); ++i) {
    if (kind_of(static_cast<DropReason>(i)) == reason) sum += model_.dropped(static_cast<DropReason>(i));
  }
  return sum;
}

}  // namespace caravan::conformance
