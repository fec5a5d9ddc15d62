// SPDX-License-Identifier: Apache-2.0
// What stands behind RtlNode. Internal to verilator/wrap.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "Vnode.h"
#include "models/base/fingerprint.hpp"
#include "models/timing/axi_memory.hpp"
#include "models/timing/mac.hpp"
#include "models/timing/mmio_port.hpp"
#include "verilator/wrap/node_stats.hpp"
#include "verilator/wrap/node_trace.hpp"
#include "verilator/wrap/rtl_node.hpp"

namespace caravan::vl {

/// All flags of node_pkg::node_quiet_t: rx is the highest bit, csr bit 0.
inline constexpr unsigned kAllQuiet = (1u << kBlockCount) - 1;

struct RtlNode::Impl final : base::HostBus {
  explicit Impl(const RtlNodeConfig& config);
  ~Impl() override;

  void run_until(base::Time end, base::FrameInbox& inbox, base::FrameOutbox& outbox);
  /// One cycle: drive, settle, sample, edges. `force_clocks`: every block gets its edge.
  void cycle(bool force_clocks, base::FrameOutbox& outbox);
  /// Gives the blocks that are not quiet (or all) their rising edge, after `settle`.
  void edges(unsigned quiet, bool force);
  void count_events();
  void client_ask();
  void client_answer();

  /// Lets the host program do what is due before the edge cycle_.
  void host_run();
  void host_connect(base::HostProgram* program);
  base::Time time_of(base::Cycles cycle) const { return cycle.at(config_.clock_period); }
  base::Cycles cycle_at(base::Time at) const;
  void mmio_write(std::uint16_t address, std::uint32_t value, base::Time at) override;
  void mmio_read(std::uint16_t address, std::uint64_t tag, base::Time at) override;
  void memory_read(std::uint64_t address, std::span<std::uint8_t> to) const override;
  void memory_write(std::uint64_t address, std::span<const std::uint8_t> from) override;

  /// The earliest cycle >= cycle_ whose evaluation may change anything, given that all is quiet.
  std::uint64_t next_event() const;
  /// Evaluates all cycles up to `target` and proves that none of them changed anything.
  void verify_stretch(std::uint64_t target, base::FrameOutbox& outbox);
  /// State outside the RTL, without memory contents.
  std::string outside_state() const;

  /// Clock edges outside time, for the registers: see RtlNode::write_csr.
  void frozen_cycle();
  void reset();
  void drive_idle();
  std::string where() const;

  void serialize(std::ostream& out) const;
  void deserialize(std::istream& in);
  std::uint64_t fingerprint() const;
  void make_current() const { Verilated::threadContextp(context_.get()); }

  RtlNodeConfig config_;
  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Vnode> top_;
  timing::SparseMemory hbm_memory_, host_memory_;
  timing::AxiMemory hbm_, host_;
  timing::MacTx mac_tx_;
  timing::MacRx mac_rx_;
  timing::MacPins tx_pins_;
  timing::AxiRequestPins hbm_pins_, host_pins_;

  base::Client* client_ = nullptr;
  std::optional<base::ClientRequest> request_;  // presented, not yet taken
  std::uint64_t client_wake_ = ~0ull;           // cycle from which on the client is asked again
  bool request_driven_ = false;

  base::HostProgram* program_ = nullptr;
  timing::MmioPort mmio_;
  base::Fingerprint mmio_hash_;  // of the program's register accesses
  bool mmio_used_ = false;

  std::uint64_t cycle_ = 0;    // the next edge
  std::uint64_t wake_at_ = 0;  // of the last cycle
  unsigned quiet_ = 0;         // of the last cycle, node_quiet_t
  /// No block needs an edge until next_event().
  bool all_quiet() const { return quiet_ == kAllQuiet; }
  std::uint64_t hashed_frames_ = 0;
  base::Fingerprint rx_hash_, tx_hash_, client_hash_;
  std::array<std::uint64_t, kEventCount> events_{};
  NodePerf perf_;
  bool tracing_ = false;
  TraceCollector trace_;
  std::vector<std::uint8_t> snapshot_;
};

/// The Verilated model's state in one piece, and where its RAM of the map lies.
std::size_t model_state_size(const Vnode& top);
void model_state_copy(const Vnode& top, std::uint8_t* to);
/// Offset of the first byte that differs; nullopt: none.
std::optional<std::size_t> model_state_differs(const Vnode& top, const std::uint8_t* from);
std::uint32_t map_entries();
KvRow map_row(const Vnode& top, std::uint32_t key);
void map_store(Vnode& top, std::uint32_t key, const KvRow& row);
std::uint64_t map_digest(const Vnode& top);
void model_save(Vnode& top, std::ostream& out);
void model_restore(Vnode& top, std::istream& in);

}  // namespace caravan::vl
