// SPDX-License-Identifier: Apache-2.0
// Drives the table-write bus of a Verilated RoCE module: holds a row until the module is ready, then takes it in that
// cycle.
#pragma once

#include <deque>

#include "models/base/errors.hpp"

#include "testbenches/support/bench.hpp"
#include "testbenches/support/roce_rx_pins.hpp"

namespace caravan::support {

template <class V>
class CfgDriver {
 public:
  explicit CfgDriver(Bench<V>& dut) : dut_(dut) {
    dut.add(
        [this] {
          dut_->cfg_valid_i = !queue_.empty();
          dut_->cfg_go_i = 0;
          if (!queue_.empty()) pack(dut_->cfg_i, queue_.front());
        },
        [this] {
          // "go" is the conjunction of all consumers' ready, in the same cycle; this module is the only one.
          if (queue_.empty() || !dut_->cfg_ready_o) return;
          dut_->cfg_go_i = 1;
          dut_->eval();
          taken_at_ = dut_.cycle();
          queue_.pop_front();
        });
  }
  void push(const RoceCfg& cfg) { queue_.push_back(cfg); }
  bool empty() const { return queue_.empty(); }
  std::uint64_t taken_at() const { return taken_at_; }
  /// Writes a row and waits until it is taken.
  void write(const RoceCfg& cfg) {
    push(cfg);
    BUG_IF(!dut_.run_until([this] { return empty(); }, 10'000), "a table write was never taken");
  }

 private:
  Bench<V>& dut_;
  std::deque<RoceCfg> queue_;
  std::uint64_t taken_at_ = 0;
};

}  // namespace caravan::support
