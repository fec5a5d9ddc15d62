// SPDX-License-Identifier: Apache-2.0
// A cycle's evaluation in two halves. Internal to verilator/wrap.
#pragma once

#include "Vnode.h"

namespace caravan::vl {

/// As top.eval(), when no clock has risen since the last eval (the first one must be top.eval()): only the logic that
/// follows inputs combinationally.
void eval_pins(Vnode& top);

/// As top.eval(), when nothing but clocks changed since the last eval: leaves out the logic that follows inputs
/// combinationally, a quarter of a busy cycle's work that would be done twice.
void eval_edges(Vnode& top);

}  // namespace caravan::vl
