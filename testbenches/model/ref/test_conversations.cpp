// SPDX-License-Identifier: Apache-2.0
// Captures of programs that connect by themselves (rping, ucmatose, perftest): no script says what was posted, the
// frames do. The model takes the place of either end, the queue pair of the connection manager's datagrams included.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "models/packet/pcap.hpp"
#include "models/ref/roce_ref.hpp"
#include "testbenches/support/frame_compare.hpp"

using namespace caravan;
using packet::Action;
using packet::Opcode;
using packet::Service;

namespace {

constexpr std::uint64_t kSources = 0x8000'0000'0000'0000, kBuffers = 0x8000'1000'0000'0000;
constexpr std::uint64_t kSlot = 8192;
constexpr std::uint32_t kCmQkey = 0x80010000;

struct Step {
  packet::Buffer frame;
  packet::ParsedPacket p;
};

/// The RoCE frames of a capture; ARP and TCP are left out.
std::vector<Step> load(const std::string& name) {
  std::vector<Step> steps;
  for (auto& record : packet::read_pcap(CARAVAN_SOURCE_DIR "/testbenches/support/vectors/rxe/" + name + ".pcap")) {
    if (packet::parse(record.bytes).is_roce()) steps.push_back({std::move(record.bytes), {}});
  }
  for (Step& step : steps) step.p = packet::parse(step.frame);
  return steps;
}

class Endpoint {
 public:
  Endpoint(const std::vector<Step>& steps, const packet::MacAddr& mac)
      : steps_(steps), own_(first_of(mac).p), peer_(first_not_of(mac).p), node_(own_.eth->src, own_.ipv4->src) {
    node_.set_neighbour(0, peer_.eth->src, peer_.ipv4->src);
    for (const Step& step : steps_) add(step.p);
    for (auto& [qpn, config] : qps_) node_.create_qp(config);
    for (const auto& [rkey, region] : regions_) node_.regions().set(rkey, region);
    for (const auto& [qpn, count] : receives_) {
      for (std::uint32_t i = 0; i < count; ++i)
        node_.post_recv(base::Qpn(qpn), {.wr_id = i, .local_va = kBuffers + buffers_++ * kSlot, .length = kSlot});
    }
  }

  /// Runs the capture; the first difference, or nothing.
  std::string run() {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const Step& step = steps_[i];
      if (!is_own(step.p)) {
        if (step.p.op->action == Action::kReadRequest) supply(i);
        for (auto& answer : node_.receive(step.frame)) sent_.push_back(std::move(answer));
        continue;
      }
      if (step.p.op->is_request) post(step.p);
      for (auto& frame : node_.transmit()) sent_.push_back(std::move(frame));
      const auto match = std::ranges::find_if(sent_, [&](const packet::Buffer& frame) {
        const auto p = packet::parse(frame);
        return p.op == step.p.op && p.bth->psn == step.p.bth->psn && p.bth->dest_qp == step.p.bth->dest_qp;
      });
      const std::string where = "frame " + std::to_string(i) + ": ";
      if (match == sent_.end()) return where + "not sent: " + packet::describe(step.frame);
      if (const auto difference = support::compare_frames(step.frame, *match); !difference.empty())
        return where + difference;
      sent_.erase(match);
    }
    if (!sent_.empty()) return "sent but not captured: " + packet::describe(sent_.front());
    if (node_.completions().size() != posted_) return "not every request completed";
    for (const auto& c : node_.completions()) {
      if (c.status != ref::CompletionStatus::kOk) return "a request failed";
    }
    std::size_t expected = 0;
    for (const auto& [qpn, count] : receives_) expected += count;
    if (node_.receive_completions().size() != expected) return "not every message was received";
    return node_.dropped() == 0 ? "" : "frames were dropped";
  }
  std::size_t posted() const { return posted_; }

 private:
  const Step& first_of(const packet::MacAddr& mac) const {
    return *std::ranges::find_if(steps_, [&](const Step& s) { return s.p.eth->src == mac; });
  }
  const Step& first_not_of(const packet::MacAddr& mac) const {
    return *std::ranges::find_if(steps_, [&](const Step& s) { return s.p.eth->src != mac; });
  }
  bool is_own(const packet::ParsedPacket& p) const { return p.eth->src == own_.eth->src; }

  /// The number by which the other end calls the sender of RC request `p`: where its answer went.
  std::uint32_t sender_of(const packet::ParsedPacket& p) const {
    const auto answer = std::ranges::find_if(steps_, [&](const Step& s) {
      return s.p.eth->src != p.eth->src && !s.p.op->is_request && s.p.bth->psn == p.bth->psn;
    });
    REQUIRE(answer != steps_.end());
    return answer->p.bth->dest_qp;
  }

  /// What a frame says of queue pairs, regions and receives.
  void add(const packet::ParsedPacket& p) {
    if (!p.op->is_request) return;
    const bool datagram = p.op->service == Service::kUd, own = is_own(p);
    const std::uint32_t from = datagram ? p.ext.deth->src_qp : sender_of(p), to = p.bth->dest_qp;
    const auto [entry, is_new] = qps_.try_emplace(own ? from : to);
    ref::QpConfig& config = entry->second;
    if (is_new) {
      config = {.qpn = base::Qpn(own ? from : to),
                .dest_qpn = base::Qpn(own ? to : from),
                .peer_mac = peer_.eth->src,
                .peer_ip = peer_.ipv4->src,
                .ack_every = 66};
      config.service = datagram ? ref::QpService::kUd : ref::QpService::kRc;
      config.qkey = kCmQkey;
    }
    if (p.payload.size() > config.pmtu) config.pmtu = 4096;
    if (started_.insert({config.qpn.value(), own}).second)
      (own ? config.first_psn_to_send : config.first_psn_to_expect) = base::Psn(p.bth->psn);
    if (own) return;
    if (p.op->action == Action::kSend) ++receives_[to];
    if (!p.ext.reth) return;
    const packet::Reth& reth = *p.ext.reth;
    ref::Region& region =
        regions_.try_emplace(reth.rkey, ref::Region{reth.va, reth.dma_length, {true, true, true}, 0}).first->second;
    const std::uint64_t end = std::max(region.base + region.length, reth.va + reth.dma_length);
    region.base = std::min(region.base, reth.va);
    region.length = end - region.base;
  }

  /// Puts what the READ of step i found into memory.
  void supply(std::size_t i) {
    const packet::Reth& reth = *steps_[i].p.ext.reth;
    std::uint64_t va = reth.va;
    for (std::size_t k = i + 1; k < steps_.size() && va < reth.va + reth.dma_length; ++k) {
      const auto& p = steps_[k].p;
      if (!is_own(p) || p.op->action != Action::kReadResponse) continue;
      node_.memory().write(va, p.payload);
      va += p.payload.size();
    }
  }

  /// Posts the request that frame `p`, an unsegmented message, began.
  void post(const packet::ParsedPacket& p) {
    REQUIRE(p.op->place == packet::Place::kOnly);
    ref::WorkRequest r{.wr_id = static_cast<std::uint32_t>(posted_),
                       .local_va = kSources + posted_ * kSlot,
                       .length = p.payload.size(),
                       .solicited = p.bth->solicited};
    ++posted_;
    std::uint32_t qpn = 0;
    for (const auto& [number, config] : qps_) {
      const bool datagram = config.service == ref::QpService::kUd;
      if (config.dest_qpn.value() == p.bth->dest_qp && datagram == (p.op->service == Service::kUd)) qpn = number;
    }
    node_.memory().write(r.local_va, p.payload);
    r.op = p.op->action == Action::kSend    ? ref::Operation::kSend
           : p.op->action == Action::kWrite ? ref::Operation::kWrite
                                            : ref::Operation::kRead;
    if (p.ext.reth) {
      r.remote_va = p.ext.reth->va;
      r.rkey = p.ext.reth->rkey;
      r.length = p.ext.reth->dma_length;
    }
    if (p.ext.deth) {
      r.remote_va = p.bth->dest_qp;
      r.rkey = p.ext.deth->qkey;
    }
    node_.post(base::Qpn(qpn), r);
  }

  const std::vector<Step>& steps_;
  const packet::ParsedPacket& own_;
  const packet::ParsedPacket& peer_;
  ref::RoceRef node_;
  std::map<std::uint32_t, ref::QpConfig> qps_;
  std::map<std::uint32_t, ref::Region> regions_;
  std::map<std::uint32_t, std::uint32_t> receives_;  // by QPN
  std::set<std::pair<std::uint32_t, bool>> started_;
  std::vector<packet::Buffer> sent_;
  std::size_t posted_ = 0, buffers_ = 0;
};

}  // namespace

TEST_CASE("Programs that connect through the connection manager: both ends say what Linux said", "[ref][replay]") {
  struct Case {
    std::string name;
    std::size_t posts_a, posts_b;
  };
  const auto [name, posts_a, posts_b] = GENERATE(Case{"cm_rping", 9, 14}, Case{"cm_ucmatose", 5, 4},
                                                 Case{"cm_perftest", 27, 20}, Case{"cm_none_perftest_tcp", 5, 0});
  INFO(name);
  const auto steps = load(name);
  const packet::MacAddr mac_a{0x52, 0x54, 0, 0, 0, 1}, mac_b{0x52, 0x54, 0, 0, 0, 2};
  Endpoint a(steps, mac_a);
  CHECK(a.run() == "");
  CHECK(a.posted() == posts_a);
  Endpoint b(steps, mac_b);
  CHECK(b.run() == "");
  CHECK(b.posted() == posts_b);
}
