// SPDX-License-Identifier: Apache-2.0
// The responder's answers with data: READ, atomics, and what duplicates get.
#include <algorithm>

#include "models/ref/roce_responder.hpp"

namespace caravan::ref {
namespace {

using packet::Action;
using packet::Opcode;

bool may_read(const packet::Reth& reth, const QpConfig& config, const RegionTable& regions) {
  if (!config.remote_read) return false;
  // A READ of no bytes needs no region.
  return reth.dma_length == 0 ||
         (is_memory(reth.va) && regions.may_read(reth.rkey, config.pd, reth.va, reth.dma_length));
}

Response atomic_ack(base::Psn psn, std::uint32_t msn, std::uint64_t original) {
  return {.opcode = Opcode::kAtomicAck,
          .psn = psn,
          .aeth = {packet::kSyndromeAck, msn},
          .original = original,
          .payload = {}};
}

}  // namespace

ResponderResult RoceResponder::read(const packet::ParsedPacket& request, const QpConfig& config,
                                    const ResponderTargets& targets) {
  const packet::Reth& reth = *request.ext.reth;
  if (reth.dma_length > kMaxMessage) return fatal(packet::kNakInvalid);
  if (!may_read(reth, config, targets.regions)) return fatal(packet::kNakAccess);
  count_message();
  ResponderResult result = read_responses(epsn_, reth, false, config, targets.memory);
  replay_.remember_read(epsn_, reth, config.pmtu, config.rd_atomic);
  epsn_ = epsn_ + packets_of(reth.dma_length, config.pmtu);
  return result;
}

ResponderResult RoceResponder::read_responses(base::Psn psn, const packet::Reth& reth, bool resumed,
                                              const QpConfig& config, const SparseMemory& memory) const {
  ResponderResult out;
  const std::uint32_t packets = packets_of(reth.dma_length, config.pmtu);
  for (std::uint32_t i = 0; i < packets; ++i) {
    const bool first = i == 0 && !resumed, last = i + 1 == packets;
    const std::uint64_t from = std::uint64_t{i} * config.pmtu;
    const std::uint64_t bytes = std::min<std::uint64_t>(config.pmtu, reth.dma_length - from);
    if (memory.read_fails(reth.va + from, bytes)) {
      // The PSN names the first packet that does not come. The READ was counted when it was accepted.
      out.responses.push_back(acknowledge(psn + i, packet::kNakOperational));
      out.fatal = true;
      return out;
    }
    out.responses.push_back({.opcode = first ? (last ? Opcode::kReadRespOnly : Opcode::kReadRespFirst)
                                             : (last ? Opcode::kReadRespLast : Opcode::kReadRespMiddle),
                             .psn = psn + i,
                             .aeth = {packet::kSyndromeAck, msn_},
                             .original = 0,
                             .payload = memory.read(reth.va + from, bytes)});
  }
  return out;
}

ResponderResult RoceResponder::atomic(const packet::ParsedPacket& request, const QpConfig& config,
                                      const ResponderTargets& targets) {
  const packet::AtomicEth& eth = *request.ext.atomic;
  if (eth.va % 8 != 0) return fatal(packet::kNakInvalid);
  if (!config.remote_atomic || !is_memory(eth.va) || !targets.regions.may_atomic(eth.rkey, config.pd, eth.va, 8))
    return fatal(packet::kNakAccess);
  if (targets.memory.read_fails(eth.va, 8)) return fatal(packet::kNakOperational);
  const std::uint64_t original = targets.memory.read_u64(eth.va);
  const bool add = request.op->opcode == Opcode::kFetchAdd;
  if (add || original == eth.compare) {
    // Not executed, not counted, not remembered.
    if (targets.memory.write_fails(eth.va, 8)) return fatal(packet::kNakOperational);
    targets.memory.write_u64(eth.va, add ? original + eth.swap_add : eth.swap_add);
  }
  count_message();
  replay_.remember_atomic(epsn_, request.op->opcode, eth.va, original, config.rd_atomic);
  ResponderResult result;
  result.responses.push_back(atomic_ack(epsn_, msn_, original));
  epsn_ = epsn_ + 1;
  return result;
}

ResponderResult RoceResponder::duplicate(const packet::ParsedPacket& request, const QpConfig& config,
                                         const ResponderTargets& targets) const {
  const base::Psn psn(request.bth->psn);
  ResponderResult result;
  result.duplicate = true;
  switch (request.op->action) {
    case Action::kReadRequest: {
      const packet::Reth& reth = *request.ext.reth;
      std::uint32_t offset = 0;
      if (replay_.covers_read(psn, reth, config.pmtu, offset) && may_read(reth, config, targets.regions)) {
        result = read_responses(psn, reth, offset > 0, config, targets.memory);
        result.duplicate = true;
      }
      break;
    }
    case Action::kAtomic:
      if (const auto original = replay_.find_atomic(psn, request.op->opcode, request.ext.atomic->va))
        result.responses.push_back(atomic_ack(psn, msn_, *original));
      break;
    default:
      result.responses.push_back(acknowledge(epsn_ - 1));
  }
  if (result.responses.empty()) {
    result.drop = DropReason::kDuplicate;
    result.duplicate = false;
  }
  return result;
}

}  // namespace caravan::ref
