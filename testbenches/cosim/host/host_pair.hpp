// SPDX-License-Identifier: Apache-2.0
// Two RTL nodes with host programs, and a cable or a switch's delay between them. Both programs make the same calls
// first, so that each knows the other's addresses and keys.
#pragma once

#include <catch2/catch_test_macros.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/base/rng.hpp"
#include "sim/host/sim_host.hpp"
#include "verilator/wrap/node_setup.hpp"
#include "verilator/wrap/rtl_node.hpp"

namespace caravan::host::tb {

using base::Time;

/// When both sides are ready for sure.
inline constexpr Time kStart = Time::us(100);
inline constexpr std::uint64_t kBytes = 1 << 16;

struct HostPairOptions {
  vl::Skip skip = vl::Skip::kOn;
  Time delay = Time::ns(10);  ///< from port to port
  HostTiming timing{};
};

/// What both sides have after the usual beginning.
struct Side {
  ProtectionDomain pd;
  MemoryRegion memory;  ///< kBytes of host memory; the peer's has the same address and key
  CompletionQueue* sends = nullptr;
  CompletionQueue* receives = nullptr;
  QueuePair* qp = nullptr;
};

inline std::uint64_t mac_of(unsigned i) { return 0x020000000010 + i; }
inline std::uint32_t ip_of(unsigned i) { return 0x0A000001 + i; }

/// Everything up to RTS, to the queue pair of the same number at the other node.
inline Task<Side> begin(Context& ctx, unsigned self, QueuePairOptions options = {}, RetryOptions retry = {},
                        unsigned cq_depth = 128) {
  ctx.set_address(mac_of(self), ip_of(self));
  ctx.set_neighbour(3, mac_of(1 - self), ip_of(1 - self));
  Side s;
  s.pd = ctx.allocate_pd();
  s.memory = co_await ctx.allocate_region(s.pd, kBytes);
  s.sends = co_await ctx.create_cq(cq_depth);
  s.receives = co_await ctx.create_cq(cq_depth);
  options.first_psn = 100 + self;
  s.qp = co_await ctx.create_qp(s.pd, *s.sends, *s.receives, options);
  PeerAddress peer;
  peer.qpn = s.qp->qpn();
  peer.ip = ip_of(1 - self);
  peer.neighbour = 3;
  peer.first_psn = 100 + (1 - self);
  co_await s.qp->to_rtr(peer, retry);
  co_await s.qp->to_rts();
  co_return s;
}

inline std::vector<std::uint8_t> pattern(std::size_t bytes, std::uint64_t seed) {
  base::Rng rng(seed, 1);
  std::vector<std::uint8_t> out(bytes);
  for (auto& b : out) b = static_cast<std::uint8_t>(rng.next());
  return out;
}

/// Two inline bytes. (Not in the coroutines: GCC 12 does not take a braced list inside co_await.)
inline WorkRequest small_send() { return WorkRequest::send_inline({1, 2}); }

class HostPair {
 public:
  explicit HostPair(const HostPairOptions& options = {}) : delay_(options.delay) {
    for (unsigned i = 0; i < 2; ++i) {
      vl::RtlNodeConfig config;
      config.id = i;
      config.instance = "node" + std::to_string(i);
      config.skip = options.skip;
      nodes_[i] = std::make_unique<vl::RtlNode>(config);
      vl::set_ring_base(*nodes_[i], 0x1'0000'0000);
      hosts_[i] = std::make_unique<SimHost>(options.timing);
    }
  }
  void start(unsigned i, SimHost::Program program) { hosts_[i]->start(std::move(program)); }
  vl::RtlNode& node(unsigned i) { return *nodes_[i]; }
  SimHost& host(unsigned i) { return *hosts_[i]; }
  std::function<bool(unsigned, const std::vector<std::uint8_t>&)> lose;  ///< frames that the cable loses

  void run_until(Time end) {
    if (!connected_) {
      for (unsigned i = 0; i < 2; ++i) nodes_[i]->set_host(hosts_[i].get());
      connected_ = true;
    }
    while (now_ < end) {
      const Time to = std::min(now_ + Time::ns(100), end);
      for (unsigned i = 0; i < 2; ++i) nodes_[i]->run_until(to, inbox_[i], outbox_[i]);
      now_ = to;
      for (unsigned i = 0; i < 2; ++i) {
        for (base::Frame& frame : outbox_[i]) {
          if (lose && lose(i, *frame.bytes)) continue;
          frame.time += delay_;
          inbox_[1 - i].push_back(frame);
        }
        outbox_[i].clear();
      }
    }
  }
  /// Both programs to their end; what they threw is thrown.
  void run(Time limit = Time::ms(5)) {
    do {
      run_until(now_ + Time::us(5));
      for (const auto& host : hosts_) host->check();
    } while (now_ < limit && !(hosts_[0]->done() && hosts_[1]->done()));
    REQUIRE(hosts_[0]->done());
    REQUIRE(hosts_[1]->done());
  }
  std::uint64_t stat(unsigned i, std::string_view name) const {
    const auto values = nodes_[i]->stats();
    const auto infos = vl::RtlNode::stat_infos();
    for (std::size_t k = 0; k < infos.size(); ++k) {
      if (infos[k].name == name) return values[k];
    }
    throw std::out_of_range(std::string(name));
  }
  std::uint64_t fingerprint() const { return nodes_[0]->fingerprint() ^ (nodes_[1]->fingerprint() * 3); }

 private:
  Time delay_, now_;
  std::unique_ptr<vl::RtlNode> nodes_[2];
  std::unique_ptr<SimHost> hosts_[2];
  base::FrameInbox inbox_[2];
  base::FrameOutbox outbox_[2];
  bool connected_ = false;
};

}  // namespace caravan::host::tb
