// SPDX-License-Identifier: Apache-2.0
#include "testbenches/fuzz/essence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "models/packet/packet.hpp"

namespace caravan::support {
namespace {

std::string essence(const packet::Buffer& frame) {
  const auto p = packet::parse(frame);
  if (!p.is_roce()) return "not RoCE: " + packet::describe(frame);
  std::string text = fmt::format("op={:02x} qpn={:06x} psn={:06x} bytes={} hash={:x}", p.bth->opcode, p.bth->dest_qp,
                                 p.bth->psn, p.payload.size(), packet::payload_hash(p.payload));
  if (p.ext.aeth) text += fmt::format(" syndrome={:02x} msn={:06x}", p.ext.aeth->syndrome, p.ext.aeth->msn);
  if (p.ext.reth) text += fmt::format(" va={:x} length={}", p.ext.reth->va, p.ext.reth->dma_length);
  if (p.ext.atomic_ack) text += fmt::format(" original={:x}", p.ext.atomic_ack->original);
  return text;
}

}  // namespace

std::pair<std::vector<std::string>, std::vector<std::string>> essences(const std::vector<packet::Buffer>& frames) {
  std::vector<std::string> requests, responses;
  for (const auto& frame : frames) {
    const auto p = packet::parse(frame);
    (p.is_roce() && p.op->is_request ? requests : responses).push_back(essence(frame));
  }
  return {requests, responses};
}

std::vector<std::string> without_early(const std::vector<std::string>& requests) {
  std::set<std::string> went_back;  // destination QPs whose first request in order was met
  std::vector<std::string> kept;
  for (auto r = requests.begin(); r != requests.end(); ++r) {
    const std::string qpn = r->substr(0, r->find(" psn=")).substr(r->find("qpn="));
    if (!went_back.contains(qpn) && std::find(r + 1, requests.end(), *r) != requests.end()) continue;
    went_back.insert(qpn);
    kept.push_back(*r);
  }
  return kept;
}

}  // namespace caravan::support
