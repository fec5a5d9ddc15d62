// SPDX-License-Identifier: Apache-2.0
// The one function that the bound tracers call. Which node is being evaluated is known by thread: RtlNode sets its sink
// around each evaluation; without a sink a record costs one test.
#pragma once

#include <array>
#include <cstdint>

namespace caravan::vl {

/// Events of verilator/bind/node_trace.sv; the values are its localparams.
enum class Event : std::uint32_t {
  kRxFrame = 0,
  kTxFrame = 1,
  kRequest = 2,
  kResponse = 3,
  kVerb = 4,
  kCompletion = 5,
  kRpc = 6,
  kAckEvent = 7,
  kRxAck = 8,
  kSend = 9,
  kResend = 10,
  kHbmWrite = 11,
  kHostWrite = 12,
  kTimeout = 13,
  kQpError = 14,
  kDrop = 15
};

/// What came with an event, as numbers; node_trace.cpp knows their names.
struct RawRecord {
  std::uint64_t cycle = 0;
  Event event = Event::kRxFrame;
  std::array<std::uint64_t, 6> fields{};
};

class TraceSink {
 public:
  virtual ~TraceSink() = default;
  virtual void record(Event event, const std::array<std::uint64_t, 6>& fields) = 0;
};

/// The sink of this thread; null: records go nowhere.
void set_trace_sink(TraceSink* sink);

}  // namespace caravan::vl
