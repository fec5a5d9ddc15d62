// SPDX-License-Identifier: Apache-2.0
#include "models/timing/axi_memory.hpp"

#include <fmt/format.h>
#include <algorithm>

#include "models/base/errors.hpp"
#include "models/timing/serial.hpp"

namespace caravan::timing {
namespace {

std::uint64_t to_cycles(base::Time latency, base::Time period) {
  const std::int64_t cycles = (latency.in_ps() + period.in_ps() - 1) / period.in_ps();
  return static_cast<std::uint64_t>(std::max<std::int64_t>(cycles, 1));
}

}  // namespace

AxiMemoryConfig AxiMemoryConfig::hbm(const Calibration& calibration, std::string instance) {
  AxiMemoryConfig config;
  config.instance = std::move(instance);
  config.clock_period = calibration.clock.period();
  config.read_latency = calibration.hbm_read;
  config.write_latency = calibration.hbm_write;
  config.bandwidth = calibration.hbm_rate;
  return config;
}

AxiMemoryConfig AxiMemoryConfig::host(const Calibration& calibration, std::string instance) {
  AxiMemoryConfig config;
  config.instance = std::move(instance);
  config.clock_period = calibration.clock.period();
  config.read_latency = calibration.pcie_read;
  config.write_latency = calibration.pcie_accept;
  config.landing_latency = calibration.pcie_write;
  config.bandwidth = calibration.pcie_rate;
  config.max_outstanding = static_cast<unsigned>(calibration.pcie_outstanding);
  return config;
}

AxiMemory::AxiMemory(AxiMemoryConfig config, SparseMemory& memory)
    : config_(std::move(config)),
      memory_(memory),
      period_(config_.clock_period.in_ps()),
      beat_(config_.bandwidth.in_bps() == 0 ? 0 : config_.bandwidth.time_for(base::Bytes(64)).in_ps()),
      read_latency_(to_cycles(config_.read_latency, config_.clock_period)),
      write_latency_(to_cycles(config_.write_latency, config_.clock_period)),
      landing_latency_(
          config_.landing_latency == base::Time() ? 0 : to_cycles(config_.landing_latency, config_.clock_period)),
      reads_(config_.max_outstanding),
      writes_(config_.max_outstanding) {
  BUG_IF(period_ <= 0 || beat_ <= 0 || config_.max_outstanding == 0, config_.instance + ": bad memory configuration");
  pins_.aw_ready = pins_.ar_ready = true;
}

AxiMemory::Burst AxiMemory::accept(const AxiAddress& address, std::uint64_t now, const char* channel) const {
  const unsigned beats = address.len + 1u;
  const auto where = [&] {
    return fmt::format("{} ps, cycle {}, {} {}: address {:#x}, {} beats", period_ * static_cast<std::int64_t>(now), now,
                       config_.instance, channel, address.addr, beats);
  };
  BUG_IF(beats > 64, where() + ": a burst is at most 64 beats");
  BUG_IF(address.addr % 64 != 0, where() + ": not aligned to 64 bytes");
  BUG_IF(address.addr % 4096 + beats * 64 > 4096, where() + ": the burst crosses 4 KiB");
  Burst burst;
  burst.addr = address.addr;
  burst.id = address.id;
  burst.beats = static_cast<std::uint16_t>(beats);
  burst.bad = !memory_.contains(address.addr, beats * 64ull);
  return burst;
}

// The rate is exact over a run of beats; time unused while idle is not saved up.
void AxiMemory::charge(std::int64_t& next, std::int64_t at) const {
  if (next <= at - period_) next = at;
  next += beat_;
}

void AxiMemory::store(std::uint64_t addr, const AxiWriteData& beat, std::uint64_t now) {
  if (landing_latency_ == 0) {
    memory_.write_beat(addr, beat.data.data(), beat.strb);
  } else {
    landings_.push_back({now + landing_latency_, addr, beat.strb, beat.data});
  }
}

void AxiMemory::land(std::uint64_t now) {
  while (!landings_.empty() && landings_.front().due <= now + 1) {
    const Landing& beat = landings_.front();
    memory_.write_beat(beat.addr, beat.data.data(), beat.strb);
    if (on_landing_) on_landing_(beat.addr, base::Cycles(beat.due));
    landings_.pop_front();
  }
}

void AxiMemory::step(const AxiRequestPins& sampled, base::Cycles now) {
  if (!landings_.empty()) land(now.count());
  if (!reads_.empty() || sampled.ar_valid) step_reads(sampled, now.count());
  if (!writes_.empty() || sampled.aw_valid) step_writes(sampled, now.count());
}

void AxiMemory::step_reads(const AxiRequestPins& sampled, std::uint64_t now) {
  if (pins_.r_valid && sampled.r_ready) {
    pins_.r_valid = false;
    ++stats_.read_beats;
    if (pins_.r.last) reads_.pop();
  }
  if (sampled.ar_valid && pins_.ar_ready) {
    Burst burst = accept(sampled.ar, now, "AR");
    burst.due = now + read_latency_;
    if (!landings_.empty()) burst.due = std::max(burst.due, landings_.back().due);
    ++stats_.read_bursts;
    stats_.read_errors += burst.bad;
    reads_.push(burst);
  }
  const std::int64_t at = static_cast<std::int64_t>(now + 1) * period_;
  if (!pins_.r_valid && !reads_.empty() && reads_[0].due <= now + 1 && read_free_ <= at) {
    Burst& burst = reads_[0];
    if (burst.bad) {
      pins_.r.data.fill(0);
    } else {
      memory_.read_beat(burst.addr + 64ull * burst.done, pins_.r.data.data());
    }
    ++burst.done;
    pins_.r.id = burst.id;
    pins_.r.resp = burst.bad ? kRespDecErr : kRespOkay;
    pins_.r.last = burst.done == burst.beats;
    pins_.r_valid = true;
    charge(read_free_, at);
  }
  pins_.ar_ready = !reads_.full();
}

void AxiMemory::step_writes(const AxiRequestPins& sampled, std::uint64_t now) {
  if (pins_.b_valid && sampled.b_ready) {
    pins_.b_valid = false;
    writes_.pop();
    --data_at_;
  }
  if (pins_.w_ready && sampled.w_valid) {
    Burst& burst = writes_[data_at_];
    if (!burst.bad) store(burst.addr + 64ull * burst.done, sampled.w, now);
    ++burst.done;
    ++stats_.write_beats;
    BUG_IF(sampled.w.last != (burst.done == burst.beats),
           fmt::format("{} ps, cycle {}, {} W: beat {} of {} has last={}", period_ * static_cast<std::int64_t>(now),
                       now, config_.instance, burst.done, burst.beats, sampled.w.last));
    charge(write_free_, static_cast<std::int64_t>(now) * period_);
    if (burst.done == burst.beats) {
      burst.due = now + write_latency_;
      ++data_at_;
    }
  }
  if (sampled.aw_valid && pins_.aw_ready) {
    writes_.push(accept(sampled.aw, now, "AW"));
    ++stats_.write_bursts;
    stats_.write_errors += writes_[writes_.size() - 1].bad;
  }
  if (!pins_.b_valid && data_at_ > 0 && writes_[0].due <= now + 1) {
    pins_.b = {writes_[0].id, writes_[0].bad ? kRespDecErr : kRespOkay};
    pins_.b_valid = true;
  }
  pins_.w_ready = data_at_ < writes_.size() && write_free_ <= static_cast<std::int64_t>(now + 1) * period_;
  pins_.aw_ready = !writes_.full();
}

std::uint64_t AxiMemory::cycle_at_or_after(std::int64_t ps) const {
  return ps <= 0 ? 0 : static_cast<std::uint64_t>((ps + period_ - 1) / period_);
}

base::Cycles AxiMemory::next_activity(base::Cycles now) const {
  if (quiet()) return base::Cycles::never();
  if (pins_.r_valid || pins_.b_valid) return now;
  std::uint64_t shown_at = ~0ull;  // the edge at which the node would see new pins; they are set one step before
  if (!reads_.empty()) shown_at = std::max(reads_[0].due, cycle_at_or_after(read_free_));
  if (data_at_ > 0) shown_at = std::min(shown_at, writes_[0].due);
  if (data_at_ < writes_.size() && !pins_.w_ready) shown_at = std::min(shown_at, cycle_at_or_after(write_free_));
  if (!landings_.empty()) shown_at = std::min(shown_at, landings_.front().due);
  if (shown_at == ~0ull) return base::Cycles::never();
  return std::max(now, base::Cycles(shown_at == 0 ? 0 : shown_at - 1));
}

void AxiMemory::serialize(std::ostream& out) const {
  for (const Ring* ring : {&reads_, &writes_}) {
    put(out, static_cast<std::uint64_t>(ring->size()));
    for (std::size_t i = 0; i < ring->size(); ++i) {
      const Burst& b = (*ring)[i];
      put(out, b.addr), put(out, b.due), put(out, b.id), put(out, b.beats), put(out, b.done), put(out, b.bad);
    }
  }
  put(out, static_cast<std::uint64_t>(landings_.size()));
  for (const Landing& beat : landings_) put(out, beat);
  put(out, static_cast<std::uint64_t>(data_at_));
  put(out, read_free_), put(out, write_free_);
  put(out, pins_.b.id), put(out, pins_.b.resp);
  put(out, pins_.r.data), put(out, pins_.r.id), put(out, pins_.r.resp), put(out, pins_.r.last);
  put(out, pins_.aw_ready), put(out, pins_.w_ready), put(out, pins_.b_valid), put(out, pins_.ar_ready),
      put(out, pins_.r_valid);
  put(out, stats_);
}

void AxiMemory::deserialize(std::istream& in) {
  for (Ring* ring : {&reads_, &writes_}) {
    ring->clear();
    const auto n = get<std::uint64_t>(in);
    if (n > config_.max_outstanding)
      throw base::UserError("saved state has more outstanding bursts than " + config_.instance + " allows");
    for (std::uint64_t i = 0; i < n; ++i) {
      Burst b;
      b.addr = get<std::uint64_t>(in), b.due = get<std::uint64_t>(in), b.id = get<std::uint32_t>(in);
      b.beats = get<std::uint16_t>(in), b.done = get<std::uint16_t>(in), b.bad = get<bool>(in);
      ring->push(b);
    }
  }
  landings_.clear();
  for (auto n = get<std::uint64_t>(in); n > 0; --n) landings_.push_back(get<Landing>(in));
  data_at_ = get<std::uint64_t>(in);
  read_free_ = get<std::int64_t>(in), write_free_ = get<std::int64_t>(in);
  pins_.b.id = get<std::uint32_t>(in), pins_.b.resp = get<std::uint8_t>(in);
  pins_.r.data = get<std::array<std::uint8_t, 64>>(in), pins_.r.id = get<std::uint32_t>(in);
  pins_.r.resp = get<std::uint8_t>(in), pins_.r.last = get<bool>(in);
  pins_.aw_ready = get<bool>(in), pins_.w_ready = get<bool>(in), pins_.b_valid = get<bool>(in);
  pins_.ar_ready = get<bool>(in), pins_.r_valid = get<bool>(in);
  stats_ = get<AxiMemoryStats>(in);
}

}  // namespace caravan::timing
