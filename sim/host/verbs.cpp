// SPDX-License-Identifier: Apache-2.0
#include "sim/host/verbs.hpp"

#include <fmt/format.h>

namespace caravan::host {

std::string_view status_name(Status status) {
  switch (status) {
    case Status::kOk:
      return "ok";
    case Status::kFlushed:
      return "flushed";
    case Status::kBadRequest:
      return "bad request";
    case Status::kRetryExceeded:
      return "retries exceeded";
    case Status::kRemoteAccess:
      return "remote access error";
    case Status::kRemoteOperation:
      return "remote operational error";
    case Status::kRemoteInvalid:
      return "remote invalid request";
    case Status::kRnrExceeded:
      return "receiver not ready, retries exceeded";
    case Status::kLocalLength:
      return "message longer than the receive buffer";
    case Status::kLocalMemory:
      return "local memory error";
  }
  return "unknown status";
}

const Completion& Completion::check() const {
  if (!ok()) throw VerbError(status, fmt::format("QP {}, work request {}: {}", qpn, wr_id, status_name(status)));
  return *this;
}

WorkRequest WorkRequest::write(LocalBuffer from, RemoteBuffer to) {
  WorkRequest w;
  w.local = from;
  w.remote = to;
  return w;
}
WorkRequest WorkRequest::write_inline(std::vector<std::uint8_t> bytes, RemoteBuffer to) {
  WorkRequest w;
  w.inline_data = std::move(bytes);
  w.remote = to;
  return w;
}
WorkRequest WorkRequest::send(LocalBuffer from) {
  WorkRequest w;
  w.op = Op::kSend;
  w.local = from;
  return w;
}
WorkRequest WorkRequest::send_inline(std::vector<std::uint8_t> bytes) {
  WorkRequest w;
  w.op = Op::kSend;
  w.inline_data = std::move(bytes);
  return w;
}
WorkRequest WorkRequest::datagram(LocalBuffer from, unsigned neighbour, std::uint32_t qpn, std::uint32_t qkey) {
  WorkRequest w = send(from);
  w.remote = {std::uint64_t{neighbour} << 32 | qpn, qkey};
  return w;
}
WorkRequest WorkRequest::read(LocalBuffer to, RemoteBuffer from) {
  WorkRequest w;
  w.op = Op::kRead;
  w.local = to;
  w.remote = from;
  return w;
}
WorkRequest WorkRequest::compare_swap(RemoteBuffer at, std::uint64_t expected, std::uint64_t desired) {
  WorkRequest w;
  w.op = Op::kCompareSwap;
  w.remote = at;
  w.compare = expected;
  w.swap_or_add = desired;
  return w;
}
WorkRequest WorkRequest::fetch_add(RemoteBuffer at, std::uint64_t amount) {
  WorkRequest w;
  w.op = Op::kFetchAdd;
  w.remote = at;
  w.swap_or_add = amount;
  return w;
}

}  // namespace caravan::host
