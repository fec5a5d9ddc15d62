// SPDX-License-Identifier: Apache-2.0
#include "verilator/wrap/node_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "models/packet/opcode.hpp"

namespace caravan::vl {
namespace {

struct EventName {
  std::string_view port, kind;
};
// In the order of Event.
constexpr EventName kNames[] = {
    {"mac_rx", "frame"},  {"mac_tx", "frame"},      {"client", "request"},     {"client", "response"},
    {"verb", "post"},     {"verb", "completion"},   {"rpc", "call"},           {"responder", "ack"},
    {"requester", "ack"}, {"sender", "send"},       {"sender", "resend"},      {"hbm", "write"},
    {"host", "write"},    {"requester", "timeout"}, {"requester", "qp_error"}, {"responder", "drop"}};

std::string opcode_text(std::uint64_t opcode) {
  const auto* info = packet::find_opcode(static_cast<std::uint8_t>(opcode));
  return info != nullptr ? std::string(info->name) : fmt::format("{:#04x}", opcode);
}

std::string syndrome_text(std::uint64_t syndrome) {
  switch (syndrome) {
    case 0x60:
      return "NAK_SEQ";
    case 0x61:
      return "NAK_INVALID";
    case 0x62:
      return "NAK_ACCESS";
    case 0x63:
      return "NAK_OP";
    default:
      return syndrome < 0x20 ? "ACK" : fmt::format("{:#04x}", syndrome);
  }
}

std::string frame_fields(const std::array<std::uint64_t, 6>& f) {
  const std::uint64_t ethertype = f[0] >> 48, proto = f[0] >> 40 & 0xFF, port = f[0] >> 24 & 0xFFFF;
  std::string text = fmt::format("bytes={}", f[4]);
  if (ethertype == 0x0800 && proto == 17 && port == 4791 && f[4] >= 58) {
    const std::uint64_t opcode = f[0] >> 16 & 0xFF;
    text += fmt::format(" op={} qpn={} psn={} ackreq={}", opcode_text(opcode), f[1] >> 32 & 0xFFFFFF, f[1] & 0xFFFFFF,
                        f[1] >> 31 & 1);
    if (opcode == 0x11) text += fmt::format(" syndrome={} msn={}", syndrome_text(f[2] >> 24 & 0xFF), f[2] & 0xFFFFFF);
  } else {
    text += fmt::format(" ethertype={:#06x}", ethertype);
    if (ethertype == 0x0800) text += fmt::format(" proto={}", proto);
  }
  text += fmt::format(" sum={:016x}", f[3]);
  if (f[5] != 0) text += " err=1";
  return text;
}

std::string request_fields(const std::array<std::uint64_t, 6>& f) {
  switch (f[0]) {
    case 0:
      return fmt::format("op=GET tag={} key={}", f[1], f[2]);
    case 1:
      return fmt::format("op=PUT tag={} key={} value={:#x}", f[1], f[2], f[3]);
    case 2:
      return fmt::format("op=WRITE tag={} qpn={} laddr={:#x} raddr={:#x} rkey={:#x} len={}", f[1], f[2] >> 32, f[3],
                         f[4], f[5], f[2] & 0xFFFFFFFF);
    default:
      return fmt::format("op={} tag={}", f[0], f[1]);
  }
}

std::string drop_fields(std::uint64_t bits) {
  constexpr std::string_view kWhy[] = {"dup", "op", "peer", "qp", "hdr", "icrc", "fifo"};
  std::string text = "why=";
  for (std::size_t i = 0; i < std::size(kWhy); ++i) {
    if ((bits >> i & 1) != 0) text += (text.size() > 4 ? "," : "") + std::string(kWhy[i]);
  }
  return text;
}

std::string fields_of(const RawRecord& raw) {
  const auto& f = raw.fields;
  switch (raw.event) {
    case Event::kRxFrame:
    case Event::kTxFrame:
      return frame_fields(f);
    case Event::kRequest:
      return request_fields(f);
    case Event::kResponse:
      return fmt::format("tag={} status={} value={:#x}", f[0], f[1], f[2]);
    case Event::kVerb:
      return fmt::format("qpn={} wr_id={:#x} len={} raddr={:#x} rkey={:#x} inline={} signaled={}", f[0], f[1], f[2],
                         f[3], f[4], f[5] >> 1 & 1, f[5] & 1);
    case Event::kCompletion:
      return fmt::format("qpn={} wr_id={:#x} status={}", f[0], f[1], f[2]);
    case Event::kRpc:
      return fmt::format("qpn={} len={} kind={} opcode={} src={} seq={} key={} value={:#x} ts={}", f[0], f[1],
                         f[2] & 0xFF, f[2] >> 8 & 0xFF, f[2] >> 24 & 0xFF, f[2] >> 32, f[3], f[4], f[5]);
    case Event::kAckEvent:
    case Event::kRxAck:
      return fmt::format("qpn={} psn={} syndrome={} msn={}", f[0], f[1], syndrome_text(f[2]), f[3]);
    case Event::kSend:
    case Event::kResend:
      return fmt::format("op={} qpn={} psn={} len={} ackreq={}", opcode_text(f[0]), f[1], f[2], f[3], f[4]);
    case Event::kHbmWrite:
    case Event::kHostWrite:
      return fmt::format("addr={:#x} beats={}", f[0], f[1] + 1);
    case Event::kDrop:
      return drop_fields(f[0]);
    case Event::kTimeout:
    case Event::kQpError:
      return {};
  }
  return {};
}

const EventName& name_of(Event event) { return kNames[static_cast<std::size_t>(event)]; }

}  // namespace

base::TraceRecord to_trace(const RawRecord& raw, std::uint32_t node, base::Time clock_period) {
  const EventName& name = name_of(raw.event);
  return {base::Cycles(raw.cycle).at(clock_period), node, std::string(name.port), std::string(name.kind),
          fields_of(raw)};
}

std::vector<base::TraceRecord> TraceCollector::take(std::uint32_t node, base::Time clock_period) {
  std::stable_sort(raw_.begin(), raw_.end(), [](const RawRecord& a, const RawRecord& b) {
    return a.cycle != b.cycle ? a.cycle < b.cycle : name_of(a.event).port < name_of(b.event).port;
  });
  std::vector<base::TraceRecord> records;
  records.reserve(raw_.size());
  for (const RawRecord& raw : raw_) records.push_back(to_trace(raw, node, clock_period));
  raw_.clear();
  return records;
}

}  // namespace caravan::vl
