// SPDX-License-Identifier: Apache-2.0
// The second half of a cycle's evaluation. Internal to verilator/wrap.
#pragma once

#include "Vnode.h"

namespace caravan::vl {

/// As top.eval(), when nothing but clocks changed since the last eval: leaves out the logic that follows inputs
/// combinationally, a quarter of a busy cycle's work that would be done twice.
void eval_edges(Vnode& top);

}  // namespace caravan::vl
