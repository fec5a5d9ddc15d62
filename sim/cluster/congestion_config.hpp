// SPDX-License-Identifier: Apache-2.0
// [congestion] and [pfc] of a configuration.
#pragma once

#include "models/base/config.hpp"
#include "models/timing/pfc.hpp"
#include "verilator/wrap/node_congestion.hpp"

namespace caravan::sim {

struct CongestionSettings {
  vl::Congestion control = vl::Congestion::kNone;
  vl::CongestionConfig registers;  ///< without the line rate
};

CongestionSettings read_congestion(base::Params params);
/// The switch's half; the nodes obey and send pauses with the same priorities.
timing::PfcConfig read_pfc(base::Params params);

}  // namespace caravan::sim
