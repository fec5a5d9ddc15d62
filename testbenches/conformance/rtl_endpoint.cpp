// SPDX-License-Identifier: Apache-2.0
#include "testbenches/conformance/rtl_endpoint.hpp"

#include <stdexcept>
#include <utility>

namespace caravan::conformance {
namespace {

using support::Event;

constexpr std::int64_t kPicosecondsPerCycle = 1'000'000 / support::RtlEnd::kCyclesPerUs;

}  // namespace

RtlEndpoint::RtlEndpoint() : end_(kOwnMac, kOwnIp) { end_.set_neighbour(0, kPeerMac, kPeerIp); }

std::string RtlEndpoint::lacks(Need need) const {
  return need == Need::kBroadcast ? "net_rx takes IP packets for its own MAC only; rxe takes broadcast too" : "";
}

void RtlEndpoint::create_qp(const ref::QpConfig& config) {
  qps_[config.qpn.value()] = config;
  end_.create_qp(config);
  settle();
}

void RtlEndpoint::set_state(base::Qpn qpn, ref::QpState state) {
  ref::QpConfig& config = qps_.at(qpn.value());
  config.state = state;
  end_.modify_qp(config);
  settle();
}

void RtlEndpoint::set_region(std::uint32_t rkey, const ref::Region& region) {
  regions_[rkey] = region;
  end_.set_region(rkey, region);
  settle();
}

void RtlEndpoint::remove_region(std::uint32_t rkey) {
  end_.set_region(rkey, regions_.at(rkey), false);
  settle();
}

void RtlEndpoint::set_neighbour(std::uint8_t index, const packet::MacAddr& mac, packet::Ipv4Addr ip) {
  end_.set_neighbour(index, mac, ip);
}

void RtlEndpoint::post(base::Qpn qpn, const ref::WorkRequest& request) {
  end_.post(qpn, request);
  settle();
}

void RtlEndpoint::post_recv(base::Qpn qpn, const ref::ReceiveRequest& request) {
  end_.post_recv(qpn, request);
  settle();
}

void RtlEndpoint::deliver(const packet::Buffer& frame) {
  end_.push(frame);
  settle();
}

void RtlEndpoint::settle() {
  last_event_ = end_.now();
  if (!end_.settle()) throw std::runtime_error("the RTL does not come to rest");
}

Endpoint::Frames RtlEndpoint::take_frames() { return std::exchange(end_.sent(), {}); }
std::vector<ref::Completion> RtlEndpoint::take_completions() { return std::exchange(end_.completions(), {}); }
std::vector<ref::ReceiveCompletion> RtlEndpoint::take_received() { return std::exchange(end_.received(), {}); }

std::optional<base::Time> RtlEndpoint::expire_timer(base::Qpn) {
  // A bound may be early, and a timer that is not needed any more passes silently: on to the next.
  const std::size_t frames = end_.sent().size(), done = end_.completions().size();
  while (end_.wake_at() != ~0ull) {
    end_.jump(end_.wake_at());
    const std::uint64_t at = end_.now();
    if (!end_.settle()) throw std::runtime_error("the RTL does not come to rest after a timer");
    if (end_.sent().size() == frames && end_.completions().size() == done) continue;
    const auto cycles = static_cast<std::int64_t>(at - std::exchange(last_event_, at));
    return base::Time::ps(cycles * kPicosecondsPerCycle);
  }
  return std::nullopt;
}

std::uint64_t RtlEndpoint::dropped(Drop reason) const {
  const auto sum = [this](std::initializer_list<Event> events) {
    std::uint64_t total = 0;
    for (const Event event : events) total += end_.count(event);
    return total;
  };
  switch (reason) {
    case Drop::kNetwork:
      return sum({Event::kRxDropOther, Event::kRxDropUdp, Event::kRxDropIp, Event::kRxDropMac, Event::kRxBadFcs});
    case Drop::kIcrc:
      return sum({Event::kDropIcrc});
    case Drop::kHeader:
      return sum({Event::kDropHdr});
    case Drop::kQp:
      return sum({Event::kDropQp});
    case Drop::kPeer:
      return sum({Event::kDropPeer});
    case Drop::kOpcode:
      return sum({Event::kDropOp});
    case Drop::kReplay:
      return sum({Event::kRdLost});
    case Drop::kResponse:
      return sum({Event::kRxStale});
    case Drop::kNoReceive:
      return sum({Event::kDropRq});
    case Drop::kCount:
      break;
  }
  return 0;
}

}  // namespace caravan::conformance
