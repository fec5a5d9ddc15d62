// SPDX-License-Identifier: Apache-2.0
#include "models/ref/roce_requester.hpp"

#include <algorithm>
#include <utility>

#include "models/base/errors.hpp"

namespace caravan::ref {
namespace {

using packet::Action;
using packet::Opcode;

/// First and one past the last byte of a packet inside its message.
struct Cut {
  std::uint64_t from, bytes;
  bool first, last;
};

Opcode data_opcode(const WorkRequest& request, const Cut& cut) {
  const bool imm = request.has_imm;
  if (request.op == Operation::kSend) {
    if (cut.first && cut.last) return imm ? Opcode::kSendOnlyImm : Opcode::kSendOnly;
    if (cut.last) return imm ? Opcode::kSendLastImm : Opcode::kSendLast;
    return cut.first ? Opcode::kSendFirst : Opcode::kSendMiddle;
  }
  if (cut.first && cut.last) return imm ? Opcode::kWriteOnlyImm : Opcode::kWriteOnly;
  if (cut.last) return imm ? Opcode::kWriteLastImm : Opcode::kWriteLast;
  return cut.first ? Opcode::kWriteFirst : Opcode::kWriteMiddle;
}

std::vector<std::uint8_t> payload_of(const WorkRequest& request, const Cut& cut, const SparseMemory& memory) {
  if (!request.inl) return memory.read(request.local_va + cut.from, cut.bytes);
  const auto begin = request.inline_data.begin() + static_cast<std::ptrdiff_t>(cut.from);
  return {begin, begin + static_cast<std::ptrdiff_t>(cut.bytes)};
}

/// Response packets of one READ request at the most.
std::uint32_t read_limit(const QpConfig& config) { return std::max(1u, config.window / 2); }

std::uint64_t read_chunk(std::uint64_t left, const QpConfig& config) {
  return std::min(left, std::uint64_t{read_limit(config)} * config.pmtu);
}

}  // namespace

std::vector<RequestPacket> RoceRequester::transmit(const QpConfig& config, const SparseMemory& memory,
                                                   std::size_t limit, std::vector<Completion>& done) {
  std::vector<RequestPacket> out;
  if (rnr_wait_) return out;
  while (resend_at_ < in_flight_.size() && out.size() < limit) {
    out.push_back(in_flight_[resend_at_].packet);
    resend_at_ += in_flight_[resend_at_].covers;
    if (resend_at_ == in_flight_.size()) out.back().ack_req = true;
  }
  if (config.service == QpService::kUd) {
    while (config.state == QpState::kRts && !requests_.empty() && out.size() < limit) {
      const bool lost = unreadable(requests_.front(), config, memory);
      out.push_back(cut_datagram(requests_.front(), config, memory));
      if (lost) out.pop_back();
      complete_front(CompletionStatus::kOk, config.qpn, done);
    }
    return out;
  }
  for (Posted& posted : requests_) {
    while (!posted.complete_cut) {
      if (out.size() >= limit || !fits(posted, config)) return out;
      if (!posted.begun && config.state != QpState::kRts) return out;
      posted.begun = true;
      if (unreadable(posted, config, memory)) {
        const std::uint32_t wr_id = posted.request.wr_id;
        while (&posted != &requests_.front()) complete_front(CompletionStatus::kFlushed, config.qpn, done);
        BUG_IF(requests_.front().request.wr_id != wr_id, "the wrong request fails");
        fail(CompletionStatus::kLocalMemory, config.qpn, done);
        return out;
      }
      if (posted.request.op == Operation::kRead)
        out.push_back(cut_read(posted, config));
      else if (is_atomic(posted.request.op))
        out.push_back(cut_atomic(posted));
      else
        out.push_back(cut_data(posted, config, memory));
      resend_at_ = in_flight_.size();
    }
  }
  return out;
}

bool RoceRequester::unreadable(const Posted& posted, const QpConfig& config, const SparseMemory& memory) const {
  const WorkRequest& request = posted.request;
  if (request.inl || (request.op != Operation::kWrite && request.op != Operation::kSend)) return false;
  return memory.read_fails(request.local_va + posted.cut,
                           std::min<std::uint64_t>(config.pmtu, request.length - posted.cut));
}

bool RoceRequester::fits(const Posted& posted, const QpConfig& config) const {
  const Operation op = posted.request.op;
  std::uint32_t rows = 1;
  if (op == Operation::kRead) rows = packets_of(read_chunk(posted.request.length - posted.cut, config), config.pmtu);
  const bool query = op == Operation::kRead || is_atomic(op);
  return in_flight_.size() + rows <= config.window && !(query && queries_ >= config.rd_atomic);
}

void RoceRequester::push(Row row) {
  if (row.packet.ack_req) since_ack_req_ = 0;
  if (row.begins_query) ++queries_;
  next_psn_ = next_psn_ + 1;
  in_flight_.push_back(std::move(row));
}

RequestPacket RoceRequester::cut_data(Posted& posted, const QpConfig& config, const SparseMemory& memory) {
  const WorkRequest& request = posted.request;
  const std::uint64_t bytes = std::min<std::uint64_t>(config.pmtu, request.length - posted.cut);
  const Cut cut{posted.cut, bytes, posted.cut == 0, posted.cut + bytes == request.length};
  const bool fills_window = in_flight_.size() + 1 == config.window;  // nothing more can go until this is acknowledged
  ++since_ack_req_;
  Row row;
  row.packet = {.opcode = data_opcode(request, cut),
                .psn = next_psn_,
                .ack_req = cut.last || fills_window || since_ack_req_ == config.ack_every,
                .solicited = cut.last && request.solicited && (request.op == Operation::kSend || request.has_imm),
                .ext = {},
                .payload = payload_of(request, cut, memory)};
  row.ends_request = cut.last;
  if (cut.first && request.op == Operation::kWrite)
    row.packet.ext.reth = packet::Reth{request.remote_va, request.rkey, static_cast<std::uint32_t>(request.length)};
  if (cut.last && request.has_imm) row.packet.ext.imm = packet::ImmDt{request.imm};
  posted.cut += bytes;
  posted.complete_cut = cut.last;
  push(row);
  return row.packet;
}

RequestPacket RoceRequester::cut_read(Posted& posted, const QpConfig& config) {
  const WorkRequest& request = posted.request;
  const std::uint64_t chunk = read_chunk(request.length - posted.cut, config);
  const std::uint32_t rows = packets_of(chunk, config.pmtu);
  const std::size_t first = in_flight_.size();
  for (std::uint32_t i = 0; i < rows; ++i) {
    const std::uint64_t skipped = std::uint64_t{i} * config.pmtu;
    Row row;
    row.packet = {.opcode = Opcode::kReadRequest,
                  .psn = next_psn_,
                  .ack_req = true,
                  .solicited = false,
                  .ext = {},
                  .payload = {}};
    row.packet.ext.reth = packet::Reth{request.remote_va + posted.cut + skipped, request.rkey,
                                       static_cast<std::uint32_t>(chunk - skipped)};
    row.covers = rows - i;
    row.awaits = Action::kReadResponse;
    row.local_va = request.local_va + posted.cut + skipped;
    row.bytes = std::min<std::uint64_t>(config.pmtu, chunk - skipped);
    row.begins_query = i == 0;
    row.ends_request = i + 1 == rows && posted.cut + chunk == request.length;
    push(std::move(row));
  }
  posted.cut += chunk;
  posted.complete_cut = posted.cut == request.length;
  return in_flight_[first].packet;
}

RequestPacket RoceRequester::cut_atomic(Posted& posted) {
  const WorkRequest& request = posted.request;
  Row row;
  row.packet = {.opcode = request.op == Operation::kFetchAdd ? Opcode::kFetchAdd : Opcode::kCompareSwap,
                .psn = next_psn_,
                .ack_req = true,
                .solicited = false,
                .ext = {},
                .payload = {}};
  row.packet.ext.atomic = packet::AtomicEth{request.remote_va, request.rkey, request.swap_add,
                                            request.op == Operation::kFetchAdd ? 0 : request.compare};
  row.awaits = Action::kAtomicAck;
  row.begins_query = row.ends_request = true;
  posted.complete_cut = true;
  push(row);
  return row.packet;
}

RequestPacket RoceRequester::cut_datagram(Posted& posted, const QpConfig& config, const SparseMemory& memory) {
  const WorkRequest& request = posted.request;
  RequestPacket made{.opcode = request.has_imm ? Opcode::kUdSendOnlyImm : Opcode::kUdSendOnly,
                     .psn = next_psn_,
                     .ack_req = true,
                     .solicited = request.solicited,
                     .ext = {},
                     .payload = payload_of(request, {0, request.length, true, true}, memory),
                     .datagram_to = request.remote_va};
  made.ext.deth = packet::Deth{.qkey = request.rkey, .reserved = 0, .src_qp = config.qpn.value()};
  if (request.has_imm) made.ext.imm = packet::ImmDt{request.imm};
  next_psn_ = next_psn_ + 1;
  return made;
}

}  // namespace caravan::ref
