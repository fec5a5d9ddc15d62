// SPDX-License-Identifier: Apache-2.0
// The reference model as the endpoint of a conformance script.
#pragma once

#include "models/ref/roce_ref.hpp"
#include "testbenches/conformance/endpoint.hpp"

namespace caravan::conformance {

class RefEndpoint final : public Endpoint {
 public:
  RefEndpoint() : model_(kOwnMac, kOwnIp) { model_.set_neighbour(0, kPeerMac, kPeerIp); }

  std::string lacks(Need) const override { return {}; }
  void create_qp(const ref::QpConfig& config) override { model_.create_qp(config); }
  void set_state(base::Qpn qpn, ref::QpState state) override;
  void set_region(std::uint32_t rkey, const ref::Region& region) override { model_.regions().set(rkey, region); }
  void remove_region(std::uint32_t rkey) override { model_.regions().remove(rkey); }
  void set_neighbour(std::uint8_t index, const packet::MacAddr& mac, packet::Ipv4Addr ip) override {
    model_.set_neighbour(index, mac, ip);
  }
  void write_memory(std::uint64_t va, packet::ByteSpan bytes) override { model_.memory().write(va, bytes); }
  packet::Buffer read_memory(std::uint64_t va, std::size_t bytes) override { return model_.memory().read(va, bytes); }
  void post(base::Qpn qpn, const ref::WorkRequest& request) override;
  void post_recv(base::Qpn qpn, const ref::ReceiveRequest& request) override { model_.post_recv(qpn, request); }
  void deliver(const packet::Buffer& frame) override;
  Frames take_frames() override;
  std::vector<ref::Completion> take_completions() override;
  std::vector<ref::ReceiveCompletion> take_received() override;
  std::optional<base::Time> expire_timer(base::Qpn qpn) override;
  std::uint64_t dropped(Drop reason) const override;
  std::uint64_t cnps() const override { return model_.cnps(); }

 private:
  void transmit();
  ref::RoceRef model_;
  Frames sent_;
};

}  // namespace caravan::conformance
