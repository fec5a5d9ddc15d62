// SPDX-License-Identifier: Apache-2.0
#include "testbenches/fuzz/fuzz_endpoint.hpp"

#include <iterator>
#include <utility>

namespace caravan::support {
namespace {

constexpr std::uint64_t kLimitCycles = 20'000;
constexpr std::uint32_t kMaxPosted = 12;  // fewer than the hardware's queues hold

}  // namespace

FuzzEndpoint::FuzzEndpoint(const FuzzTarget& target)
    : rtl_(target.mac, target.ip), model_(target.mac, target.ip), qps_(target.qps.size()) {
  rtl_.set_neighbour(0, target.peer_mac, target.peer_ip);
  model_.set_neighbour(0, target.peer_mac, target.peer_ip);
  rtl_.set_region(target.rkey, target.region);
  rtl_.set_region(target.rpc_rkey, target.rpc_region);
  model_.regions().set(target.rkey, target.region);
  model_.regions().set(target.rpc_rkey, target.rpc_region);
  for (const auto& qp : target.qps) create_qp(qp);
  packet::Buffer bytes(target.kLocalBytes);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * 37 + (i >> 8));
  rtl_.write_memory(target.kLocal, bytes);
  model_.memory().write(target.kLocal, bytes);
}

void FuzzEndpoint::create_qp(const ref::QpConfig& qp) {
  model_.create_qp(qp);
  rtl_.create_qp(qp);
  settle();
}

void FuzzEndpoint::settle() {
  hung_ = !rtl_.settle(kLimitCycles) || hung_;
  for (auto& frame : model_.transmit()) model_sent_.push_back(std::move(frame));
}

FuzzEndpoint::Answers FuzzEndpoint::exchange(const packet::Buffer& frame) {
  rtl_.push(frame);
  for (auto& response : model_.receive(frame)) model_sent_.push_back(std::move(response));
  settle();
  // An RNR wait ends at once, at both: no other timer runs.
  const auto p = packet::parse(frame);
  const bool response = p.is_roce() && !p.op->is_request && p.bth->dest_qp >= 1 && p.bth->dest_qp <= qps_;
  if (response && !hung_ && model_.view(base::Qpn(p.bth->dest_qp)).rnr_wait) {
    model_.timeout(base::Qpn(p.bth->dest_qp));
    for (const std::size_t sent = rtl_.sent().size();
         rtl_.sent().size() == sent && rtl_.wake_at() != ~0ull && !hung_;) {
      rtl_.jump(rtl_.wake_at());
      settle();
    }
  }
  return {std::exchange(rtl_.sent(), {}), std::exchange(model_sent_, {})};
}

void FuzzEndpoint::add_work(base::Rng& rng, const FuzzTarget& target) {
  const auto& qp = target.qps[rng.below(target.qps.size())];
  const ref::QpView view = model_.view(qp.qpn);
  const std::uint64_t local = target.kLocal + rng.below(target.kLocalBytes / 2);
  if (rng.chance(0.5)) {
    if (view.receives >= kMaxPosted) return;
    const ref::ReceiveRequest r{
        .wr_id = next_wr_++, .local_va = local, .length = static_cast<std::uint32_t>(rng.below(4 * qp.pmtu))};
    model_.post_recv(qp.qpn, r);
    rtl_.post_recv(qp.qpn, r);
  } else {
    if (view.posted >= kMaxPosted) return;
    ref::WorkRequest r;
    r.op = static_cast<ref::Operation>(rng.below(5));
    r.wr_id = next_wr_++;
    r.local_va = local;
    r.remote_va = qp.service == ref::QpService::kUd ? 0x99 : 0x7000'0000 + rng.below(0x1000) * 8;
    r.rkey = 0x1234;
    r.length = ref::is_atomic(r.op) ? 8 : rng.below(3 * qp.pmtu);
    r.signaled = rng.chance(0.7);
    r.solicited = rng.chance(0.2);
    r.has_imm = (r.op == ref::Operation::kSend || r.op == ref::Operation::kWrite) && rng.chance(0.3);
    r.imm = 0xA5A5A5A5;
    r.swap_add = rng.next();
    model_.post(qp.qpn, r);
    rtl_.post(qp.qpn, r);
  }
  settle();
}

}  // namespace caravan::support
