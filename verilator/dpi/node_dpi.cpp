// SPDX-License-Identifier: Apache-2.0
#include "verilator/dpi/node_dpi.hpp"

namespace caravan::vl {
namespace {
thread_local TraceSink* sink = nullptr;
}

void set_trace_sink(TraceSink* to) { sink = to; }

}  // namespace caravan::vl

extern "C" void caravan_trace(unsigned int event, unsigned long long a, unsigned long long b, unsigned long long c,
                              unsigned long long d, unsigned long long e, unsigned long long f) {
  if (caravan::vl::sink == nullptr) return;
  caravan::vl::sink->record(static_cast<caravan::vl::Event>(event), {a, b, c, d, e, f});
}
