// SPDX-License-Identifier: Apache-2.0
// Two RTL nodes and a cable between them, run window by window as the engine does.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/base/i_client.hpp"
#include "models/timing/sparse_memory.hpp"
#include "verilator/wrap/node_setup.hpp"
#include "verilator/wrap/rtl_node.hpp"

namespace caravan::tb {

using base::ClientOp;
using base::ClientRequest;
using base::ClientResponse;
using base::ClientStatus;
using base::Cycles;
using base::Time;

/// Offers its requests one after the other, at most `outstanding` unanswered, the first not before cycle `start`.
class ScriptClient final : public base::Client {
 public:
  struct Answer {
    ClientResponse response;
    std::uint64_t cycle;
  };
  std::deque<ClientRequest> script;
  std::size_t outstanding = 1;
  std::uint64_t start = 0;
  std::vector<Answer> answers;
  std::vector<std::uint64_t> accepted_at;

  std::optional<ClientRequest> next_request(Cycles now) override {
    if (script.empty() || open_ >= outstanding || now.count() < start) return std::nullopt;
    return script.front();
  }
  void accepted(const ClientRequest&, Cycles now) override {
    script.pop_front();
    accepted_at.push_back(now.count());
    ++open_;
  }
  void response(const ClientResponse& response, Cycles now) override {
    answers.push_back({response, now.count()});
    --open_;
  }
  Cycles next_activity(Cycles now) const override {
    if (script.empty() || open_ >= outstanding) return Cycles::never();
    return std::max(now, Cycles(start));
  }
  bool done() const override { return script.empty() && open_ == 0; }

 private:
  std::size_t open_ = 0;
};

inline constexpr std::uint64_t kRings = 0x1'0000'0000;
/// Bytes that WRITEs may touch at either node; VA = address in HBM, and in host memory with class 8.
inline constexpr std::uint64_t kRegionBytes = 1 << 20;
inline constexpr std::uint32_t kHbmRkey = 1 << 8 | 0x5A, kRpcRkey = 2 << 8 | 0x11, kHostRkey = 3 << 8 | 0x77;

struct PairOptions {
  vl::Skip skip = vl::Skip::kOn;
  unsigned qps = 2;  ///< queue pairs 1..qps, each to the same number at the other node
  std::uint64_t pmtu = 1024;
  unsigned timeout = 2;  ///< 4.096 us * 4
  bool trace = false;
};

class Pair {
 public:
  explicit Pair(const PairOptions& options = {}) {
    for (unsigned i = 0; i < 2; ++i) {
      vl::RtlNodeConfig config;
      config.id = i;
      config.instance = "node" + std::to_string(i);
      config.skip = options.skip;
      nodes_[i] = std::make_unique<vl::RtlNode>(config);
      vl::RtlNode& node = *nodes_[i];
      node.set_trace(options.trace);
      vl::set_address(node, mac(i), ip(i));
      vl::set_neighbour(node, 3, mac(1 - i), ip(1 - i));
      vl::set_ring_base(node, kRings);
      vl::set_region(
          node, {.index = 1, .key = 0x5A, .pd = 9, .first = vl::kClassHbm, .last = vl::kClassHbm + kRegionBytes - 1});
      vl::set_region(node, {.index = 2, .key = 0x11, .pd = 9, .first = vl::kClassRpc, .last = vl::kClassRpc + 63});
      vl::set_region(
          node, {.index = 3, .key = 0x77, .pd = 9, .first = vl::kClassHost, .last = vl::kClassHost + kRegionBytes - 1});
      for (unsigned q = 1; q <= options.qps; ++q) {
        vl::create_qp(node, {.qpn = base::Qpn(q),
                             .pmtu = base::Bytes(options.pmtu),
                             .timeout = options.timeout,
                             .dest_qpn = base::Qpn(q),
                             .neighbour = 3,
                             .peer_ip = ip(1 - i),
                             .pd = 9,
                             .sq_psn = base::Psn(i == 0 ? 0xFFFFF0 : 100),
                             .rq_psn = base::Psn(i == 0 ? 100 : 0xFFFFF0)});
      }
      vl::set_replica(node, static_cast<std::uint8_t>(i + 1));
      vl::set_peer(node, 0, base::Qpn(1), kRpcRkey);
    }
  }
  static vl::MacAddress mac(unsigned i) { return 0x020000000010 + i; }
  static vl::Ipv4Address ip(unsigned i) { return 0x0A000001 + i; }

  vl::RtlNode& operator[](unsigned i) { return *nodes_[i]; }
  ScriptClient clients[2];
  /// Which frames are lost on the cable: sender, number of the frame among the sender's, and the frame.
  std::function<bool(unsigned, std::uint64_t, const std::vector<std::uint8_t>&)> lose;
  std::uint64_t frames[2] = {0, 0};

  Time now() const { return now_; }
  /// Runs windows up to `end`.
  void run_until(Time end) {
    if (!started_) {  // a client is asked when it is connected: its script must stand by then
      for (unsigned i = 0; i < 2; ++i) nodes_[i]->set_client(&clients[i]);
      started_ = true;
    }
    while (now_ < end) {
      const Time to = std::min(now_ + kWindow, end);
      for (unsigned i = 0; i < 2; ++i) nodes_[i]->run_until(to, inbox_[i], outbox_[i]);
      now_ = to;
      for (unsigned i = 0; i < 2; ++i) {
        for (base::Frame& frame : outbox_[i]) {
          if (!lose || !lose(i, frames[i]++, *frame.bytes)) {
            frame.time += kCable;
            inbox_[1 - i].push_back(frame);
          }
        }
        outbox_[i].clear();
      }
    }
  }
  /// True when both clients are done and both nodes quiet before `limit`; with `timers` also no retry timer running.
  bool run_to_quiet(Time limit, bool timers = false) {
    while (now_ < limit) {
      run_until(now_ + kWindow);
      if (timers && !(nodes_[0]->next_activity().is_never() && nodes_[1]->next_activity().is_never())) continue;
      if (clients[0].done() && clients[1].done() && nodes_[0]->quiet() && nodes_[1]->quiet() && inbox_[0].empty() &&
          inbox_[1].empty()) {
        return true;
      }
    }
    return false;
  }
  std::uint64_t stat(unsigned i, std::string_view name) const {
    const auto values = nodes_[i]->stats();
    const auto infos = vl::RtlNode::stat_infos();
    for (std::size_t k = 0; k < infos.size(); ++k) {
      if (infos[k].name == name) return values[k];
    }
    throw std::out_of_range(std::string(name));
  }

 private:
  static constexpr Time kCable = Time::ns(10), kWindow = Time::ns(100);
  std::unique_ptr<vl::RtlNode> nodes_[2];
  base::FrameInbox inbox_[2];
  base::FrameOutbox outbox_[2];
  Time now_;
  bool started_ = false;
};

}  // namespace caravan::tb
