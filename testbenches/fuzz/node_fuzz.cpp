// SPDX-License-Identifier: Apache-2.0
#include "testbenches/fuzz/node_fuzz.hpp"

#include <memory>
#include <string>

#include "models/base/errors.hpp"
#include "models/packet/packet.hpp"
#include "verilator/wrap/node_congestion.hpp"
#include "verilator/wrap/node_setup.hpp"

namespace caravan::support {
namespace {

constexpr std::uint64_t kRings = 0x1'0000'0000;
constexpr std::uint64_t kLimitCycles = 100'000;  // longer than the longest pause

std::uint64_t as_number(const packet::MacAddr& mac) { return packet::get_be(mac.data(), mac.size()); }

void set_region(vl::RtlNode& node, std::uint32_t rkey, const ref::Region& region) {
  vl::RegionConfig row;
  row.index = rkey >> 8;
  row.key = static_cast<std::uint8_t>(rkey);
  row.write_en = region.access.write;
  row.read_en = region.access.read;
  row.atomic_en = region.access.atomic;
  row.pd = region.pd;
  row.first = region.base;
  row.last = region.base + region.length - 1;
  vl::set_region(node, row);
}

}  // namespace

NodeFuzz::NodeFuzz(const FuzzTarget& target) : node_(vl::RtlNodeConfig{}), model_(target.mac, target.ip) {
  vl::set_address(node_, as_number(target.mac), target.ip);
  vl::set_neighbour(node_, 0, as_number(target.peer_mac), target.peer_ip);
  vl::set_ring_base(node_, kRings);
  vl::set_flow_control(node_, {.obey = 0xFF, .pause = 0xFF});
  set_region(node_, target.rkey, target.region);
  set_region(node_, target.rpc_rkey, target.rpc_region);
  model_.regions().set(target.rkey, target.region);
  model_.regions().set(target.rpc_rkey, target.rpc_region);
  for (const auto& qp : target.qps) create_qp(qp);
}

void NodeFuzz::create_qp(const ref::QpConfig& qp) {
  model_.create_qp(qp);
  vl::QpConfig row;
  row.qpn = qp.qpn;
  row.state = static_cast<vl::QpState>(qp.state);
  row.pmtu = base::Bytes(qp.pmtu);
  row.timeout = qp.timeout_exponent;
  row.retry_limit = qp.retry_limit;
  row.write_en = qp.remote_write;
  row.read_en = qp.remote_read;
  row.atomic_en = qp.remote_atomic;
  row.min_rnr = qp.min_rnr_timer;
  row.rnr_retry = qp.rnr_retry;
  row.datagram = qp.service == ref::QpService::kUd;
  row.qkey = qp.qkey;
  row.dest_qpn = qp.dest_qpn;
  row.neighbour = 0;
  row.peer_ip = qp.peer_ip;
  row.sport = qp.udp_src_port;
  row.pd = qp.pd;
  row.sq_psn = qp.first_psn_to_send;
  row.rq_psn = qp.first_psn_to_expect;
  vl::create_qp(node_, row);
}

std::vector<packet::Buffer> NodeFuzz::exchange(const packet::Buffer& frame, bool bad_fcs) {
  const base::Time period = node_.config().clock_period;
  base::FrameInbox inbox;
  base::FrameOutbox outbox;
  inbox.push_back(
      {now_ + base::Time::us(1), sequence_++, std::make_shared<const std::vector<std::uint8_t>>(frame), bad_fcs});
  base::Time end = inbox.front().time + base::Time::ns(1200);
  node_.run_until(end, inbox, outbox);
  for (std::uint64_t cycles = 0; !node_.quiet() && cycles < kLimitCycles; cycles += 50) {
    end += period * 50;
    node_.run_until(end, inbox, outbox);
  }
  hung_ = !node_.quiet();
  now_ = end;
  std::vector<packet::Buffer> answers;
  for (const auto& sent : outbox) answers.push_back(*sent.bytes);
  return answers;
}

std::uint64_t NodeFuzz::counter(std::string_view name) const {
  const auto infos = vl::RtlNode::stat_infos();
  const auto values = node_.stats();
  for (std::size_t i = 0; i < infos.size(); ++i) {
    if (infos[i].name == name) return values[i];
  }
  BUG_IF(true, "no counter called " + std::string(name));
  return 0;
}

}  // namespace caravan::support
