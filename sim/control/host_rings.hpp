// SPDX-License-Identifier: Apache-2.0
// Verbs through the node's host front end, as a driver uses it: work queues and a completion queue in host memory,
// doorbells in registers (rtl/hostif/hostif_pkg.sv has the layouts).
#pragma once

#include <array>
#include <deque>
#include <map>

#include "sim/control/verb_port.hpp"
#include "verilator/wrap/rtl_node.hpp"

namespace caravan::sim {

class HostRings final : public VerbPort {
 public:
  static constexpr unsigned kSendLog2 = 7, kReceiveLog2 = 7, kCompletionLog2 = 12;  ///< entries of the rings

  /// `memory`: address in host memory of the rings, 4 KiB aligned; they take 320 KiB and 24 KiB per queue pair used.
  /// The node outlives this.
  HostRings(vl::RtlNode& node, std::uint64_t memory);

  void reset(std::uint32_t qpn) override;
  std::uint64_t post(const VerbRequest& request) override;
  std::uint64_t post(const ReceiveRequest& request) override;
  std::size_t completed() override;
  std::vector<VerbCompletion> take(std::size_t most) override;
  bool failed(std::uint32_t qpn) const override;

 private:
  struct Posted {
    std::uint64_t wr = 0;
    VerbKind kind = VerbKind::kWrite;
    std::uint32_t length = 0;
    bool signaled = true;
  };
  /// One direction of a queue pair. Indices are 16-bit counters.
  struct Ring {
    std::uint64_t address = 0;
    std::uint16_t producer = 0;
    std::map<std::uint16_t, Posted> posted;  ///< by index
  };
  struct Queues {
    Ring send, receive;
    bool failed = false;
  };
  Queues& queues(std::uint32_t qpn);
  void row(std::uint32_t command, std::span<const std::uint32_t> words);
  void doorbell(std::uint16_t offset, std::uint32_t number, std::uint16_t index);
  void collect();
  void complete(std::span<const std::uint8_t> entry);

  vl::RtlNode& node_;
  std::uint64_t completion_ring_, free_;  ///< addresses in host memory
  std::uint16_t consumer_ = 0;
  std::uint64_t last_wr_ = 0;
  std::map<std::uint32_t, Queues> queues_;
  std::deque<VerbCompletion> completions_;
};

}  // namespace caravan::sim
