// SPDX-License-Identifier: Apache-2.0
#include "models/timing/mmio_port.hpp"

#include <algorithm>

#include "models/base/errors.hpp"
#include "models/timing/serial.hpp"

namespace caravan::timing {

void MmioPort::push(const Access& access) {
  BUG_IF(!queue_.empty() && access.at < queue_.back().at, "a register access arrives before the one in front of it");
  queue_.push_back(access);
}

const MmioPins& MmioPort::pins(base::Cycles now) {
  if (queue_.empty() || queue_.front().at > now.count() || reading_) return pins_;
  const Access& next = queue_.front();
  if (next.is_read) {
    if (unanswered_ != 0) return pins_;
    pins_.arvalid = true;
    pins_.araddr = next.address;
    read_tag_ = next.tag;
    reading_ = true;
  } else {
    if (pins_.awvalid || pins_.wvalid) return pins_;
    pins_.awvalid = pins_.wvalid = true;
    pins_.awaddr = next.address;
    pins_.wdata = next.value;
    ++unanswered_;
  }
  queue_.pop_front();
  return pins_;
}

void MmioPort::step(const MmioAnswer& sampled, base::Cycles now) {
  if (sampled.bvalid && unanswered_ > 0) --unanswered_;
  if (sampled.rvalid && reading_ && !pins_.arvalid) {
    reading_ = false;
    if (on_answer_) on_answer_(read_tag_, sampled.rdata, now);
  }
  if (sampled.awready) pins_.awvalid = false;
  if (sampled.wready) pins_.wvalid = false;
  if (sampled.arready) pins_.arvalid = false;
}

base::Cycles MmioPort::next_activity(base::Cycles now) const {
  if (!quiet()) return now;
  return queue_.empty() ? base::Cycles::never() : std::max(now, base::Cycles(queue_.front().at));
}

void MmioPort::serialize(std::ostream& out) const {
  put(out, static_cast<std::uint64_t>(queue_.size()));
  for (const Access& a : queue_)
    put(out, a.at), put(out, a.address), put(out, a.value), put(out, a.tag), put(out, a.is_read);
  put(out, pins_.awaddr), put(out, pins_.araddr), put(out, pins_.wdata);
  put(out, pins_.awvalid), put(out, pins_.wvalid), put(out, pins_.arvalid);
  put(out, unanswered_), put(out, reading_), put(out, read_tag_);
}

void MmioPort::deserialize(std::istream& in) {
  queue_.clear();
  for (auto n = get<std::uint64_t>(in); n > 0; --n) {
    Access a;
    a.at = get<std::uint64_t>(in), a.address = get<std::uint16_t>(in), a.value = get<std::uint32_t>(in);
    a.tag = get<std::uint64_t>(in), a.is_read = get<bool>(in);
    queue_.push_back(a);
  }
  pins_.awaddr = get<std::uint16_t>(in), pins_.araddr = get<std::uint16_t>(in), pins_.wdata = get<std::uint32_t>(in);
  pins_.awvalid = get<bool>(in), pins_.wvalid = get<bool>(in), pins_.arvalid = get<bool>(in);
  unanswered_ = get<std::uint64_t>(in), reading_ = get<bool>(in), read_tag_ = get<std::uint64_t>(in);
}

}  // namespace caravan::timing
