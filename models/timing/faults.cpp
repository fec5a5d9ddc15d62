// SPDX-License-Identifier: Apache-2.0
#include "models/timing/faults.hpp"

#include <algorithm>
#include <memory>

#include "models/base/rng.hpp"

namespace caravan::timing {

std::string_view fault_action_name(FaultAction action) {
  constexpr std::string_view kNames[] = {"drop", "duplicate", "delay", "reorder", "corrupt", "mark_ecn"};
  return kNames[static_cast<std::size_t>(action)];
}

FaultInjector::FaultInjector(std::vector<FaultRule> rules, std::uint64_t seed)
    : rules_(std::move(rules)), counts_(rules_.size()), seed_(seed) {}

bool FaultInjector::matches(const FaultMatch& m, unsigned ingress, unsigned egress, const FramePeek& p,
                            std::int32_t relative) const {
  if (m.ingress_port && *m.ingress_port != ingress) return false;
  if (m.egress_port && *m.egress_port != egress) return false;
  if (m.source_mac && *m.source_mac != p.src_mac) return false;
  if (m.destination_mac && *m.destination_mac != p.dst_mac) return false;
  if (m.source_ip && m.source_ip != p.src_ip) return false;
  if (m.destination_ip && m.destination_ip != p.dst_ip) return false;
  if (!m.dest_qp && !m.opcode && !m.relative_psn) return true;
  if (!p.bth) return false;
  if (m.dest_qp && *m.dest_qp != p.bth->dest_qp) return false;
  if (m.opcode && *m.opcode != p.bth->opcode) return false;
  return !m.relative_psn || (m.relative_psn->first <= relative && relative <= m.relative_psn->last);
}

FaultDecision FaultInjector::decide(unsigned ingress, unsigned egress, const base::Frame& frame) {
  FaultDecision decision;
  if (rules_.empty()) return decision;
  const FramePeek view = peek(*frame.bytes);
  std::int32_t relative = 0;
  if (view.bth) {
    const auto first = first_psn_.try_emplace({view.src_host, view.bth->dest_qp.value()}, view.bth->psn).first->second;
    relative = view.bth->psn.distance_from(first);
  }
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    const FaultRule& rule = rules_[i];
    if (!matches(rule.match, ingress, egress, view, relative)) continue;
    FaultCount& count = counts_[i];
    const std::uint64_t ordinal = count.matched++;
    if (ordinal < rule.skip || (rule.shots != 0 && count.struck >= rule.shots)) continue;
    base::Rng rng(seed_ + 0x9E3779B97F4A7C15ull * i, ordinal);
    if (rule.probability < 1.0 && !rng.chance(rule.probability)) continue;
    ++count.struck;
    switch (rule.action) {
      case FaultAction::kDrop:
        decision.drop = true;
        break;
      case FaultAction::kDuplicate:
        decision.copies += rule.copies;
        break;
      case FaultAction::kDelay:
        decision.delay += rule.delay;
        break;
      case FaultAction::kReorder:
        decision.overtaken_by = std::max(decision.overtaken_by, rule.overtaken_by);
        decision.hold = std::max(decision.hold, rule.delay);
        break;
      case FaultAction::kCorrupt: {
        const auto size = static_cast<std::uint32_t>(frame.bytes->size());
        const std::uint32_t offset =
            rule.corrupt_offset ? *rule.corrupt_offset : static_cast<std::uint32_t>(rng.below(size));
        const auto one_bit = static_cast<std::uint8_t>(1u << rng.below(8));
        if (offset < size) decision.flips.emplace_back(offset, rule.corrupt_mask != 0 ? rule.corrupt_mask : one_bit);
        decision.bad_fcs = decision.bad_fcs || rule.corrupt_marks_fcs;
        break;
      }
      case FaultAction::kMarkEcn:
        decision.mark_ecn = true;
        break;
    }
  }
  return decision;
}

base::Frame apply_damage(const base::Frame& frame, const FaultDecision& decision) {
  if (decision.flips.empty() && !decision.mark_ecn && !decision.bad_fcs) return frame;
  auto bytes = *frame.bytes;
  if (decision.mark_ecn) mark_ce(bytes, false);
  for (const auto& [offset, bits] : decision.flips) bytes[offset] ^= bits;
  base::Frame damaged = frame;
  damaged.bytes = std::make_shared<const std::vector<std::uint8_t>>(std::move(bytes));
  damaged.bad_fcs = frame.bad_fcs || decision.bad_fcs;
  return damaged;
}

}  // namespace caravan::timing
