// SPDX-License-Identifier: Apache-2.0
// How fast the modelled NIC is: goodput, what a window allows, rates of small messages and latency of its verbs between
// two nodes, from both front ends. Short runs; every figure is simulated time of the RTL with the default calibration.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/units.hpp"
#include "sim/cluster/scenario_config.hpp"

namespace caravan::sim {

enum class FrontEnd : std::uint8_t {
  kOnChip,  ///< the client port; data in HBM at both ends
  kHost,    ///< host programs; data in host memory at both ends
};
enum class Joined : std::uint8_t { kCable, kSwitch };
std::string_view front_end_name(FrontEnd front_end);
std::string_view joined_name(Joined joined);

struct VerbBenchOptions {
  unsigned qps = 500;             ///< of the second goodput figure
  std::uint64_t messages = 1000;  ///< of each goodput figure
};

/// On-chip front end over one cable, 32 KiB messages, MTU 4096.
struct GoodputRow {
  std::string_view verb;
  unsigned qps = 1;
  std::uint32_t outstanding = 1;
  base::Bytes size;
  std::uint64_t messages = 0;
  double bps = 0;          ///< payload, from the first request to the last completion
  double ceiling_bps = 0;  ///< what headers, preamble and gap leave of the line
  std::uint64_t fingerprint = 0;
  std::string key() const;  ///< see timing::PublishedFigure::beside
};

/// One queue pair behind a long cable: it may have a window of packets on the way, so no more than that arrives in a
/// round trip.
struct WindowRow {
  unsigned window = 0;    ///< packets in flight, at most
  base::Bytes size;       ///< of a message: one packet
  base::Time wire;        ///< propagation of the cable, one way
  base::Time round_trip;  ///< of one packet alone, from its request to its completion
  std::uint64_t messages = 0;
  double bps = 0;          ///< as in GoodputRow, with messages of one packet
  double ceiling_bps = 0;  ///< window * size / round trip, computed
  std::uint64_t fingerprint = 0;
};

struct VerbRateRow {
  FrontEnd front_end = FrontEnd::kOnChip;
  Joined joined = Joined::kCable;
  std::string_view verb;
  base::Bytes size;
  unsigned qps = 1;
  std::uint32_t outstanding = 1;  ///< messages in flight, at most
  std::uint64_t messages = 0;
  double per_second = 0;
  double ceiling_per_second = 0;  ///< of the wire, in the direction of the data; 0: something else decides
  std::uint64_t fingerprint = 0;
  std::string key() const;
};

/// One message at a time, otherwise idle.
struct VerbLatencyRow {
  FrontEnd front_end = FrontEnd::kOnChip;
  Joined joined = Joined::kCable;
  std::string_view verb;
  base::Bytes size;
  std::uint64_t count = 0;
  base::Time min, median, p99;
  std::uint64_t fingerprint = 0;
  std::string key() const;
};

struct VerbBench {
  std::vector<GoodputRow> goodput;
  std::vector<WindowRow> windows;
  std::vector<VerbRateRow> rates;
  std::vector<VerbLatencyRow> latencies;
  std::vector<std::string> failures;  ///< checks of the runs that did not hold; empty: all good
  bool interrupted = false;           ///< what is missing was not measured
};

/// `begins` is told what is measured next; `go_on` is asked often and may end it all.
VerbBench bench_verbs(const VerbBenchOptions& options, const std::function<void(const std::string&)>& begins,
                      const std::function<bool()>& go_on);

}  // namespace caravan::sim
