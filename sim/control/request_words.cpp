// SPDX-License-Identifier: Apache-2.0
#include "sim/control/request_words.hpp"

#include <algorithm>
#include <array>

#include "models/base/errors.hpp"

namespace caravan::sim {
namespace {

/// A request's word and its arguments: o OFF, l LEN, v RVA, k RKEY, i IMM, c CMP, a ADD or SWAP.
struct VerbWord {
  std::string_view word;
  VerbKind kind;
  std::string_view operands;
};
constexpr std::array kVerbs = {
    VerbWord{"write", VerbKind::kWrite, "olvk"},      VerbWord{"writei", VerbKind::kWrite, "olvki"},
    VerbWord{"read", VerbKind::kRead, "olvk"},        VerbWord{"send", VerbKind::kSend, "ol"},
    VerbWord{"sendi", VerbKind::kSend, "oli"},        VerbWord{"faa", VerbKind::kFetchAdd, "ovka"},
    VerbWord{"cas", VerbKind::kCompareSwap, "ovkca"},
};

}  // namespace

std::pair<VerbRequest, std::uint64_t> read_request(Arguments& line) {
  const std::string flags = line.take_flags("sfn");
  const auto verb =
      std::find_if(kVerbs.begin(), kVerbs.end(), [&](const VerbWord& v) { return v.word == line.word(); });
  BUG_IF(verb == kVerbs.end(), "'" + line.word() + "' posts no work request");
  VerbRequest request;
  request.kind = verb->kind;
  request.signaled = flags.find('n') == std::string::npos;
  request.solicited = flags.find('s') != std::string::npos;
  request.length = 8;
  std::uint64_t offset = 0;
  for (std::size_t i = 0; i < verb->operands.size(); ++i) {
    switch (verb->operands[i]) {
      case 'o':
        offset = line.number(i, "OFF");
        break;
      case 'l':
        request.length = line.number32(i, "LEN");
        break;
      case 'v':
        request.raddr = line.number(i, "RVA");
        break;
      case 'k':
        request.rkey = line.number32(i, "RKEY");
        break;
      case 'i':
        request.immediate = line.number32(i, "IMM");
        break;
      case 'c':
        request.compare = line.number(i, "CMP");
        break;
      default:
        request.swap_add = line.number(i, verb->kind == VerbKind::kFetchAdd ? "ADD" : "SWAP");
        break;
    }
  }
  return {request, offset};
}

}  // namespace caravan::sim
