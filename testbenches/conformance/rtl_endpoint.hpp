// SPDX-License-Identifier: Apache-2.0
// The RTL endpoint of a node as the endpoint of a conformance script.
#pragma once

#include <map>

#include "testbenches/conformance/endpoint.hpp"
#include "testbenches/endpoint/rtl_end.hpp"

namespace caravan::conformance {

class RtlEndpoint final : public Endpoint {
 public:
  RtlEndpoint();

  std::string lacks(Need need) const override;
  void create_qp(const ref::QpConfig& config) override;
  void set_state(base::Qpn qpn, ref::QpState state) override;
  void set_region(std::uint32_t rkey, const ref::Region& region) override;
  void remove_region(std::uint32_t rkey) override;
  void set_neighbour(std::uint8_t index, const packet::MacAddr& mac, packet::Ipv4Addr ip) override;
  void write_memory(std::uint64_t va, packet::ByteSpan bytes) override { end_.write_memory(va, bytes); }
  packet::Buffer read_memory(std::uint64_t va, std::size_t bytes) override { return end_.read_memory(va, bytes); }
  void post(base::Qpn qpn, const ref::WorkRequest& request) override;
  void post_recv(base::Qpn qpn, const ref::ReceiveRequest& request) override;
  void deliver(const packet::Buffer& frame) override;
  Frames take_frames() override;
  std::vector<ref::Completion> take_completions() override;
  std::vector<ref::ReceiveCompletion> take_received() override;
  std::optional<base::Time> expire_timer(base::Qpn qpn) override;
  std::uint64_t dropped(Drop reason) const override;
  std::uint64_t cnps() const override { return end_.count(support::Event::kCnp); }

 private:
  void settle();
  support::RtlEnd end_;
  std::map<std::uint32_t, ref::QpConfig> qps_;
  std::map<std::uint32_t, ref::Region> regions_;
  std::uint64_t last_event_ = 0;  // cycle in which something was last given to the endpoint or came from a timer
};

}  // namespace caravan::conformance
