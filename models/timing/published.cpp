// SPDX-License-Identifier: Apache-2.0
#include "models/timing/published.hpp"

namespace caravan::timing {
namespace {

using enum PublishedFor;
using enum Evidence;

constexpr std::string_view kAbovePayload =
    "more than the payload that MTU 4096 leaves of 100 Gb/s (98.04): must count headers";
constexpr std::string_view kAtomicConditions = "one card, CAS and FAA alike; number of addresses, topology not stated";
constexpr std::string_view kBluefield =
    "a BlueField-2 holds a ConnectX-6 Dx (common knowledge, not in the source); rounded; our host constants are fitted "
    "to it";

constexpr PublishedFigure kFigures[] = {
    {kBalboa,
     "BALBOA, U280",
     "98.2 Gb/s",
     kMeasured,
     "4 KB messages; operation, queue pairs, topology not stated",
     "BALBOA blog, section 3.1, table, no encryption",
     kAbovePayload,
     {"goodput WRITE 1 QP"}},
    {kBalboa,
     "BALBOA, U280",
     "99.1 Gb/s",
     kMeasured,
     "64 KB messages; operation, queue pairs, topology not stated",
     "BALBOA blog, section 3.1, table, no encryption",
     kAbovePayload,
     {"goodput WRITE 1 QP"}},
    {kBalboa,
     "BALBOA, U280",
     "99.3 Gb/s",
     kMeasured,
     "READ; message size, queue pairs, topology not stated",
     "BALBOA blog, section 2.1",
     kAbovePayload,
     {"goodput READ 1 QP"}},
    {kBalboa,
     "BALBOA, U280",
     "98.7 Gb/s",
     kMeasured,
     "500 queue pairs; operation, message size, topology not stated",
     "BALBOA blog, section 5.2",
     kAbovePayload,
     {"goodput WRITE 500 QPs", "goodput READ 500 QPs"}},
    {kConnectX,
     "ConnectX-3/4",
     "~1 M/s",
     kMeasured,
     kAtomicConditions,
     "disaggregated-memory transactions, section 1.5, table",
     "",
     {"rate FETCH_ADD host"}},
    {kConnectX,
     "ConnectX-5",
     "~1.5 M/s",
     kMeasured,
     kAtomicConditions,
     "disaggregated-memory transactions, section 1.5, table",
     "",
     {"rate FETCH_ADD host"}},
    {kConnectX,
     "ConnectX-6",
     "5-10 M/s",
     kMeasured,
     kAtomicConditions,
     "disaggregated-memory transactions, section 1.5, table",
     "a range, without the experiment behind it",
     {"rate FETCH_ADD host"}},
    {kConnectX,
     "ConnectX-7",
     "15-20 M/s",
     kEstimate,
     kAtomicConditions,
     "disaggregated-memory transactions, section 1.5, table",
     "",
     {"rate FETCH_ADD host"}},
    {kConnectX,
     "BlueField-2",
     "~2500 ns",
     kMeasured,
     "READ round trip, 100 GbE, one top-of-rack switch; message size, statistic not stated",
     "Tiara, section 4.1, testbed",
     kBluefield,
     {"latency READ host switch"}},
    {kConnectX,
     "BlueField-2",
     "~1900 ns",
     kMeasured,
     "round trip over a DAC cable between two servers; operation, message size, statistic not stated",
     "Tiara, section 2.2",
     kBluefield,
     {"latency READ host cable"}},
    // Like none of our rows.
    {kBalboa,
     "BALBOA, U280",
     "91.2 Gb/s",
     kMeasured,
     "1000 queue pairs; operation, message size not stated",
     "BALBOA blog, section 5.2",
     "the same text gives 500 queue pairs as its maximum",
     {}},
    {kBalboa,
     "protocol stacks",
     "200 ns",
     kMeasured,
     "one pass through the stack, no wire; called usual, of no system",
     "BALBOA blog, section 3.2",
     "the blog gives no latency of a verb",
     {}},
    {kConnectX,
     "an RNIC behind PCIe, not named",
     "1800 / 2000 ns",
     kMeasured,
     "READ / WRITE, submission only: doorbell round trip without the network",
     "SafarDB, Table 2.1",
     "",
     {}},
    {kConnectX,
     "an RNIC, not named",
     "65 M/s",
     kModel,
     "READs, raw rate; size not stated",
     "Tiara, section 2.2: RedN at ~1 M/s is 65 times below",
     "derived from the factor",
     {}},
    {kOther,
     "SafarDB, U280 on the network",
     "413 ns",
     kMeasured,
     "WRITE to the peer's HBM, one way: no acknowledge; size, topology not stated",
     "SafarDB, Table D.1",
     "with 285 ns back, its register write, 698 ns for the round trip",
     {}},
};

}  // namespace

std::string_view evidence_name(Evidence evidence) {
  switch (evidence) {
    case kMeasured:
      return "measured";
    case kModel:
      return "model";
    case kEstimate:
      return "estimate";
  }
  return "?";
}

std::span<const PublishedFigure> published_figures() { return kFigures; }

}  // namespace caravan::timing
