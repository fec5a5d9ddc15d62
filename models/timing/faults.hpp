// SPDX-License-Identifier: Apache-2.0
// Fault rules of the switch. Each rule counts the frames that it matches; whether it strikes the n-th of them depends
// on the seed, the rule's index and n alone.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "models/base/frame.hpp"
#include "models/base/units.hpp"
#include "models/timing/roce_peek.hpp"

namespace caravan::timing {

/// Every field that is set must agree. A frame that is flooded is matched once for each egress port.
struct FaultMatch {
  std::optional<unsigned> ingress_port, egress_port;
  std::optional<base::Qpn> dest_qp;
  std::optional<std::uint8_t> opcode;
  /// Distance of the PSN from the first PSN that the switch saw from the same source host to the same QP, both ends
  /// included; negative before it.
  struct PsnRange {
    std::int32_t first = 0, last = 0;
  };
  std::optional<PsnRange> relative_psn;
  std::optional<std::uint64_t> source_mac, destination_mac;  ///< 48 bits
  std::optional<std::uint32_t> source_ip, destination_ip;    ///< IPv4
};

enum class FaultAction : std::uint8_t { kDrop, kDuplicate, kDelay, kReorder, kCorrupt, kMarkEcn };
/// "drop", "duplicate", "delay", "reorder", "corrupt", "mark_ecn".
std::string_view fault_action_name(FaultAction action);

struct FaultRule {
  FaultMatch match;
  FaultAction action = FaultAction::kDrop;
  double probability = 1.0;                     ///< of striking a matched frame after `skip`
  std::uint64_t skip = 0;                       ///< the first matched frames are left alone
  std::uint64_t shots = 0;                      ///< strikes at most; 0: no limit
  unsigned copies = 1;                          ///< kDuplicate: extra copies, right behind the frame
  base::Time delay = base::Time::us(1);         ///< kDelay: extra time; kReorder: longest time to be held
  unsigned overtaken_by = 1;                    ///< kReorder: later frames to the same egress port that pass first
  std::optional<std::uint32_t> corrupt_offset;  ///< kCorrupt: byte from the start of the frame; default: by the seed
  std::uint8_t corrupt_mask = 0;                ///< kCorrupt: bits to flip; 0: one bit by the seed
  bool corrupt_marks_fcs = false;  ///< kCorrupt: the receiving MAC sees a bad FCS (else only ICRC or checksum can tell)
};

/// What all rules together do to one frame.
struct FaultDecision {
  bool drop = false;
  bool mark_ecn = false;
  bool bad_fcs = false;
  unsigned copies = 0;
  base::Time delay;
  unsigned overtaken_by = 0;
  base::Time hold;                                            ///< longest time to wait to be overtaken
  std::vector<std::pair<std::uint32_t, std::uint8_t>> flips;  ///< byte offset, bits
  bool untouched() const {
    return !drop && !mark_ecn && !bad_fcs && copies == 0 && delay == base::Time() && overtaken_by == 0 && flips.empty();
  }
};

struct FaultCount {
  std::uint64_t matched = 0, struck = 0;
};

class FaultInjector {
 public:
  FaultInjector(std::vector<FaultRule> rules, std::uint64_t seed);
  bool empty() const { return rules_.empty(); }
  /// Every rule looks at every frame; their effects add up.
  FaultDecision decide(unsigned ingress, unsigned egress, const base::Frame& frame);
  const std::vector<FaultRule>& rules() const { return rules_; }
  const std::vector<FaultCount>& counts() const { return counts_; }

 private:
  bool matches(const FaultMatch& match, unsigned ingress, unsigned egress, const FramePeek& peek,
               std::int32_t relative) const;

  std::vector<FaultRule> rules_;
  std::vector<FaultCount> counts_;
  std::uint64_t seed_;
  std::map<std::pair<std::uint64_t, std::uint32_t>, base::Psn> first_psn_;  // by source host and QP
};

/// The frame with the decision's flips, FCS mark and ECN mark: a copy when anything changes.
base::Frame apply_damage(const base::Frame& frame, const FaultDecision& decision);

}  // namespace caravan::timing
