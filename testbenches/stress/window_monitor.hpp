// SPDX-License-Identifier: Apache-2.0
// Watches the packets of one direction: no request may leave its queue pair's window.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "models/base/units.hpp"
#include "models/packet/packet.hpp"

namespace caravan::stress {

class WindowMonitor {
 public:
  explicit WindowMonitor(std::uint32_t window) : window_(window) {}
  void create(std::uint32_t qpn, std::uint32_t first_psn, std::uint32_t pmtu) {
    flows_[qpn] = {base::Psn(first_psn), pmtu};
  }

  /// A request that leaves. `qpn`: of the sender. Empty, or what is wrong.
  std::string request(std::uint32_t qpn, const packet::ParsedPacket& p);
  /// A response that reached the sender: what is before it may leave the window.
  void response(std::uint32_t qpn, const packet::ParsedPacket& p);

 private:
  struct Flow {
    base::Psn una;  // nothing that the sender has seen lets it move farther
    std::uint32_t pmtu = 256;
  };
  std::uint32_t window_;
  std::map<std::uint32_t, Flow> flows_;
};

}  // namespace caravan::stress
