// SPDX-License-Identifier: Apache-2.0
#include "sim/cluster/fault_config.hpp"

#include <fmt/format.h>

#include "models/packet/opcode.hpp"

namespace caravan::sim {
namespace {

constexpr std::int64_t kAny = -1;
constexpr timing::FaultAction kActions[] = {timing::FaultAction::kDrop,    timing::FaultAction::kDuplicate,
                                            timing::FaultAction::kDelay,   timing::FaultAction::kReorder,
                                            timing::FaultAction::kCorrupt, timing::FaultAction::kMarkEcn};

std::optional<unsigned> read_port(base::Params& p, std::string_view key, unsigned nodes, std::string_view sentence) {
  const auto port = p.integer(key, kAny, {kAny, 255}, sentence);
  if (port == kAny) return std::nullopt;
  if (port >= nodes) p.fail(key, fmt::format("there is no such node; allowed: -1 .. {}", nodes - 1));
  return static_cast<unsigned>(port);
}

std::vector<std::string> opcode_names() {
  std::vector<std::string> names = {"any"};
  for (unsigned code = 0; code < 256; ++code) {
    if (const auto* traits = packet::find_opcode(static_cast<std::uint8_t>(code))) names.emplace_back(traits->name);
  }
  return names;
}

std::optional<std::uint8_t> read_opcode(base::Params& p) {
  const auto name = p.choice("opcode", "any", opcode_names(), "BTH opcode that the frame must have.");
  for (unsigned code = 0; code < 256; ++code) {
    const auto* traits = packet::find_opcode(static_cast<std::uint8_t>(code));
    if (traits != nullptr && traits->name == name) return static_cast<std::uint8_t>(code);
  }
  return std::nullopt;
}

timing::FaultRule read_fault(base::Params& p, unsigned nodes) {
  timing::FaultRule rule;
  std::vector<std::string> actions;
  for (const auto action : kActions) actions.emplace_back(timing::fault_action_name(action));
  const auto action = p.choice("action", "drop", actions, "What happens to a frame that the rule strikes.");
  for (const auto candidate : kActions) {
    if (timing::fault_action_name(candidate) == action) rule.action = candidate;
  }
  rule.match.ingress_port = read_port(p, "from_node", nodes, "Node that sent the frame; -1: any.");
  rule.match.egress_port = read_port(p, "to_node", nodes, "Node that the frame goes to; -1: any.");
  const auto qpn = p.integer("qpn", kAny, {kAny, 0xFFFFFF}, "Destination queue pair in the BTH; -1: any.");
  if (qpn != kAny) rule.match.dest_qp = base::Qpn(static_cast<std::uint32_t>(qpn));
  rule.match.opcode = read_opcode(p);
  const bool has_psn = p.given("psn_first") || p.given("psn_last");
  const auto first =
      p.integer("psn_first", 0, {-0x7FFFFF, 0x7FFFFF},
                "First PSN that matches, counted from the first one that the switch saw on the queue pair.");
  const auto last =
      p.integer("psn_last", 0x7FFFFF, {-0x7FFFFF, 0x7FFFFF}, "Last PSN that matches, counted in the same way.");
  if (last < first) p.fail("psn_last", "must not be below psn_first");
  if (has_psn) rule.match.relative_psn = {static_cast<std::int32_t>(first), static_cast<std::int32_t>(last)};
  rule.probability = p.real("probability", 1.0, {0.0, 1.0}, "Of striking a frame that matches, drawn per frame.");
  rule.skip =
      static_cast<std::uint64_t>(p.integer("skip", 0, {0, 1'000'000'000}, "Matching frames that pass unharmed first."));
  rule.shots = static_cast<std::uint64_t>(p.integer("shots", 0, {0, 1'000'000'000}, "Strikes at most; 0: no limit."));
  rule.copies =
      static_cast<unsigned>(p.integer("copies", 1, {1, 16}, "duplicate: extra copies right behind the frame."));
  rule.delay = p.time("delay", base::Time::us(1), {base::Time::ps(1), base::Time::ms(100)},
                      "delay: extra time. reorder: the longest time that a frame is held.");
  rule.overtaken_by = static_cast<unsigned>(
      p.integer("overtaken_by", 1, {1, 64}, "reorder: later frames to the same node that pass first."));
  const auto offset =
      p.integer("corrupt_offset", kAny, {kAny, 16383}, "corrupt: byte of the frame to change; -1: by the seed.");
  if (offset != kAny) rule.corrupt_offset = static_cast<std::uint32_t>(offset);
  rule.corrupt_mask = static_cast<std::uint8_t>(
      p.integer("corrupt_mask", 0, {0, 255}, "corrupt: bits to flip in that byte; 0: one bit by the seed."));
  rule.corrupt_marks_fcs = p.boolean("corrupt_marks_fcs", false, "corrupt: the receiving MAC sees a bad FCS.");
  return rule;
}

}  // namespace

std::vector<timing::FaultRule> read_faults(base::Params& params, unsigned nodes) {
  std::vector<timing::FaultRule> rules;
  params.tables("fault", [&](base::Params& p, bool is_element) {
    const auto rule = read_fault(p, nodes);
    if (is_element) rules.push_back(rule);
  });
  return rules;
}

}  // namespace caravan::sim
