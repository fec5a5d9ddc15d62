// SPDX-License-Identifier: Apache-2.0
#include "sim/control/node_session.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "models/base/errors.hpp"

namespace caravan::sim {
namespace {

constexpr std::uint64_t kOffsetBits = (1ull << 60) - 1;
constexpr std::uint64_t kLongest = 1ull << 31;  // of one message

bool in_host(std::uint64_t va) { return (va & ~kOffsetBits) == vl::kClassHost; }

}  // namespace

NodeSession::NodeSession(vl::RtlNode& node, std::unique_ptr<VerbPort> verbs, Station self,
                         std::vector<Station> stations, SessionLimits limits)
    : node_(node), self_(self), stations_(std::move(stations)), limits_(limits), verbs_(std::move(verbs)) {}

std::uint32_t NodeSession::make_region(std::uint64_t va, std::uint64_t size, RegionAccess access) {
  const std::uint64_t offset = va & kOffsetBits;
  const bool host = in_host(va);
  if (!host && (va & ~kOffsetBits) != vl::kClassHbm) {
    throw base::UserError(fmt::format("VA {:#x}: bits 63:60 select the memory; allowed: 0 (HBM), 8 (host)", va));
  }
  if (size == 0) throw base::UserError("SIZE is 0");
  if (!host && offset < limits_.hbm_from) {
    throw base::UserError(
        fmt::format("VA {:#x} is below {:#x}: the retransmission rings are there", va, limits_.hbm_from));
  }
  const auto& memory = host ? node_.host() : node_.hbm();
  if (!memory.contains(offset, size)) {
    throw base::UserError(fmt::format("region {:#x} + {:#x} ends behind the memory's {:#x} bytes", offset, size,
                                      memory.capacity().count()));
  }
  if (host && offset + size > limits_.host_to) {
    throw base::UserError(fmt::format("region {:#x} + {:#x} ends behind {:#x}: the work queues are there", offset, size,
                                      limits_.host_to));
  }
  region_.index = limits_.region;
  region_.key = static_cast<std::uint8_t>(region_.key + 1);
  region_.write_en = access.write;
  region_.read_en = access.read;
  region_.atomic_en = access.atomic;
  region_.first = va;
  region_.last = va + size - 1;
  vl::set_region(node_, region_);
  has_region_ = true;
  return region_.rkey();
}

std::uint32_t NodeSession::make_qp(std::uint32_t qpn) {
  if (qpn == 0) {
    qpn = limits_.first_qpn;
    while (qps_.contains(qpn)) ++qpn;
  }
  vl::QpConfig config;
  config.qpn = base::Qpn(qpn);
  config.state = vl::QpState::kReset;
  config.write_en = config.read_en = config.atomic_en = true;
  config.sport = static_cast<std::uint16_t>(0xC000u | (qpn & 0x3FFFu));
  create(config);  // refuses numbers that the node does not have
  current_ = qpn;
  return qpn;
}

void NodeSession::create(const vl::QpConfig& wanted) {
  vl::create_qp(node_, wanted);
  verbs_->reset(wanted.qpn.value());
  qps_[wanted.qpn.value()] = wanted;
}

void NodeSession::use_qp(std::uint32_t qpn) {
  if (!qps_.contains(qpn)) throw base::UserError(fmt::format("there is no queue pair {:#x}", qpn));
  current_ = qpn;
}

vl::QpConfig& NodeSession::current() { return const_cast<vl::QpConfig&>(std::as_const(*this).current()); }
const vl::QpConfig& NodeSession::current() const {
  const auto found = qps_.find(current_);
  if (found == qps_.end()) throw base::UserError("no queue pair yet: qp rc DEPTH");
  return found->second;
}
std::uint32_t NodeSession::current_qp() const { return current().qpn.value(); }
const vl::QpConfig& NodeSession::config() const { return current(); }

unsigned NodeSession::neighbour_of(packet::Ipv4Addr ip) const {
  const auto found = std::find_if(stations_.begin(), stations_.end(), [&](const Station& s) { return s.ip == ip; });
  if (found == stations_.end() || ip == self_.ip) {
    throw base::UserError(fmt::format("no neighbour has the address {}", packet::to_text(ip)));
  }
  return static_cast<unsigned>(found - stations_.begin());
}

void NodeSession::to_rtr(const RtrAttributes& attributes) {
  auto wanted = current();
  wanted.state = vl::QpState::kRtr;
  wanted.pmtu = attributes.pmtu;
  wanted.dest_qpn = attributes.dest_qpn;
  wanted.rq_psn = attributes.rq_psn;
  wanted.neighbour = neighbour_of(attributes.ip);
  wanted.peer_ip = attributes.ip;
  wanted.min_rnr = attributes.min_rnr;
  create(wanted);
}

void NodeSession::to_rts(const RtsAttributes& attributes) {
  auto wanted = current();
  if (wanted.state != vl::QpState::kRtr) throw base::UserError("the queue pair is not in RTR");
  wanted.state = vl::QpState::kRts;
  wanted.sq_psn = attributes.sq_psn;
  wanted.timeout = attributes.timeout;
  wanted.retry_limit = attributes.retry;
  wanted.rnr_retry = attributes.rnr_retry;
  create(wanted);
}

void NodeSession::to_state(vl::QpState state) {
  auto& config = current();
  config.state = state;
  vl::modify_qp(node_, config);
}

vl::QpState NodeSession::state() const { return verbs_->failed(current_qp()) ? vl::QpState::kErr : current().state; }

std::uint64_t NodeSession::locate(std::uint64_t offset, std::uint64_t count) const {
  if (!has_region_) throw base::UserError("no region yet: mr VA SIZE");
  const std::uint64_t size = region_.last - region_.first + 1;
  if (offset > size || count > size - offset)
    throw base::UserError(
        fmt::format("OFF {:#x} + LEN {:#x} is outside the region's {:#x} bytes", offset, count, size));
  return (region_.first & kOffsetBits) + offset;
}

timing::SparseMemory& NodeSession::memory() const { return in_host(region_.first) ? node_.host() : node_.hbm(); }

std::uint64_t NodeSession::post(VerbRequest verb, std::uint64_t offset) {
  if (verb.length > kLongest) throw base::UserError(fmt::format("LEN {:#x} is above 2^31", verb.length));
  locate(offset, verb.length);
  verb.qpn = current_qp();
  verb.laddr = region_.first + offset;
  return verbs_->post(verb);
}

std::uint64_t NodeSession::post_receive(std::uint64_t offset, std::uint32_t length) {
  locate(offset, length);
  return verbs_->post(ReceiveRequest{current_qp(), region_.first + offset, length});
}

void NodeSession::write_memory(std::uint64_t offset, std::span<const std::uint8_t> bytes) {
  const auto address = locate(offset, bytes.size());
  memory().write(address, bytes);
}

std::vector<std::uint8_t> NodeSession::read_memory(std::uint64_t offset, std::uint64_t count) const {
  const auto address = locate(offset, count);
  std::vector<std::uint8_t> bytes(count);
  memory().read(address, bytes);
  return bytes;
}

}  // namespace caravan::sim
