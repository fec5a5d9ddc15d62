// SPDX-License-Identifier: Apache-2.0
#include "testbenches/stress/window_monitor.hpp"

#include <fmt/format.h>

#include "models/ref/roce_types.hpp"

namespace caravan::stress {

std::string WindowMonitor::request(std::uint32_t qpn, const packet::ParsedPacket& p) {
  const Flow& flow = flows_.at(qpn);
  const std::uint32_t packets =
      p.op->action == packet::Action::kReadRequest ? ref::packets_of(p.ext.reth->dma_length, flow.pmtu) : 1;
  const std::int32_t end = base::Psn(p.bth->psn).distance_from(flow.una) + static_cast<std::int32_t>(packets);
  if (end <= static_cast<std::int32_t>(window_)) return {};
  return fmt::format("QP {}: PSN {:#x} and {} packets leave the window that begins at {:#x}", qpn, p.bth->psn, packets,
                     flow.una.value());
}

void WindowMonitor::response(std::uint32_t qpn, const packet::ParsedPacket& p) {
  Flow& flow = flows_.at(qpn);
  // An ACK or response ends its PSN, a NAK only what is before it.
  const bool good = !p.ext.aeth || p.ext.aeth->is_ack();
  const base::Psn una = base::Psn(p.bth->psn) + (good ? 1 : 0);
  if (una.distance_from(flow.una) > 0) flow.una = una;
}

}  // namespace caravan::stress
