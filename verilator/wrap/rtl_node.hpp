// SPDX-License-Identifier: Apache-2.0
// One Verilated node (rtl/node/node_core) with its MAC, its memories and its client, behind the engine's NodeModel.
#pragma once

#include <array>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/i_client.hpp"
#include "models/base/i_host.hpp"
#include "models/base/i_node_model.hpp"
#include "models/base/stats.hpp"
#include "models/base/trace.hpp"
#include "models/base/units.hpp"
#include "models/timing/mac.hpp"
#include "models/timing/sparse_memory.hpp"

namespace caravan::vl {

/// What is done with cycles in which nothing can change. Results are identical to the last bit.
enum class Skip {
  kOff,     ///< every cycle is evaluated and every block clock raised
  kOn,      ///< quiet blocks get no clock; when all are quiet, time jumps
  kVerify,  ///< as off, and every stretch that `on` would jump over is proved to change nothing, else the program
            ///< aborts
};
/// "off", "on", "verify"; UserError for anything else, prefixed with `place`.
Skip parse_skip(std::string_view text, std::string_view place);
std::string_view skip_name(Skip skip);

struct RtlNodeConfig {
  std::uint32_t id = 0;            ///< node number in traces
  std::string instance = "node0";  ///< for messages
  base::Time clock_period = base::Time::ns(4);
  Skip skip = Skip::kOn;
  timing::MacConfig mac;  ///< instance and clock_period are taken from here
  base::Time hbm_read = base::Time::ns(128), hbm_write = base::Time::ns(104);
  base::Rate hbm_rate = base::Rate::gbps(128);
  base::Bytes hbm_capacity = base::Bytes::mib(8192);
  base::Time host_read = base::Time::ns(750), host_write = base::Time::ns(325), host_accept = base::Time::ns(20);
  unsigned host_outstanding = 64;
  base::Rate host_rate = base::Rate::gbps(96);
  base::Bytes host_capacity = base::Bytes::mib(8192);
};

/// A row of the replicated map.
struct KvRow {
  bool valid = false;
  std::uint8_t replica = 0;     ///< who wrote it
  std::uint64_t timestamp = 0;  ///< Lamport, 48 bits
  std::uint64_t value = 0;
  bool operator==(const KvRow&) const = default;
};

/// Block clocks of node_core.
enum class Block { kRx, kWr, kRq, kTx, kCc, kPath, kMem, kPcie, kRdt, kHost, kCsr };
inline constexpr std::size_t kBlockCount = 11;
inline constexpr std::array<std::string_view, kBlockCount> kBlockNames = {"rx",  "wr",   "rq",  "tx",   "cc", "path",
                                                                          "mem", "pcie", "rdt", "host", "csr"};

/// How the cycles were spent; depends on the skip mode, unlike all results.
struct NodePerf {
  std::uint64_t cycles = 0;                          ///< simulated
  std::uint64_t evaluated = 0;                       ///< the rest was jumped over
  std::array<std::uint64_t, kBlockCount> clocked{};  ///< per block: edges given
};

class RtlNode final : public base::NodeModel {
 public:
  explicit RtlNode(const RtlNodeConfig& config);
  ~RtlNode() override;
  RtlNode(const RtlNode&) = delete;
  RtlNode& operator=(const RtlNode&) = delete;

  /// Who uses the client port; null: nobody. It outlives the node or is replaced; set it between calls of run_until.
  /// The client's own state is not part of serialize(): its owner saves it.
  void set_client(base::Client* client);
  /// After deserialize: the same client in its saved state. A request that it had presented is still presented.
  void resume_client(base::Client* client);

  /// The program on the host CPU; null: nobody. It outlives the node or is replaced; set it between calls of run_until,
  /// once the registers were written that are written from outside. While it is not done(), the node can't be saved:
  /// coroutines have no form that could be (UserError).
  void set_host(base::HostProgram* program);

  void run_until(base::Time end, base::FrameInbox& inbox, base::FrameOutbox& outbox) override;
  base::Time next_activity() const override;
  void serialize(std::ostream& out) const override;
  void deserialize(std::istream& in) override;
  std::uint64_t fingerprint() const override;

  /// Software access to a register (block in bits 15:12 of the address), through the AXI4-Lite pins. Only between calls
  /// of run_until: the node's logic gets the clock edges that the access needs, while time, wire, memories and client
  /// stand still.
  void write_csr(std::uint16_t address, std::uint32_t value);
  std::uint32_t read_csr(std::uint16_t address);

  /// Contents of the node's memories, for host programs and tests, between calls of run_until.
  timing::SparseMemory& hbm();
  timing::SparseMemory& host();

  /// The replicated map, directly. A stored row raises the Lamport clock, as the load registers do.
  std::uint32_t kv_entries() const;
  KvRow kv_row(std::uint32_t key) const;
  void store_kv(std::uint32_t key, const KvRow& row);
  std::uint64_t kv_digest() const;

  /// First edge that has not been evaluated yet.
  base::Cycles now() const;
  const RtlNodeConfig& config() const;
  /// Nothing is in flight inside the node, its memories and its MAC, and no request is presented. Retry timers may run:
  /// packets that wait for their acknowledge are not in flight here. When next_activity() is never(), none does (a
  /// timer that is no longer needed counts until its time, when it is looked at).
  bool quiet() const;
  base::Time receive_lookahead() const;

  /// Counters of the node and of its MAC and memories, in the order of stat_infos().
  std::vector<std::uint64_t> stats() const;
  static std::span<const base::StatInfo> stat_infos();
  const NodePerf& perf() const;

  /// Trace of the node's ports and engines (verilator/bind). Off costs nothing but a test per event. take_trace gives
  /// the records of all run_until calls since the last time, ordered by time, then port.
  void set_trace(bool on);
  std::vector<base::TraceRecord> take_trace();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace caravan::vl
