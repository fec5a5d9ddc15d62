// SPDX-License-Identifier: Apache-2.0
#include "verilator/wrap/node_eval.hpp"

#include "Vnode___024root.h"

// The regions of Verilator's evaluation loop, as the generated Vnode.cpp declares them. Weak: with a Verilator that
// names them otherwise they are null, and the whole loop is run.
#define CARAVAN_REGION(type_, region_, ...) \
  __attribute__((weak)) type_ Vnode___024root___eval_##region_(Vnode___024root* __VA_OPT__(, ) __VA_ARGS__)
CARAVAN_REGION(void, sample);
CARAVAN_REGION(bool, ico, CData);
CARAVAN_REGION(bool, act);
CARAVAN_REGION(bool, inact);
CARAVAN_REGION(bool, nba);
CARAVAN_REGION(bool, obs);
CARAVAN_REGION(bool, react);
CARAVAN_REGION(void, postponed);
#undef CARAVAN_REGION

namespace caravan::vl {
namespace {

bool regions_are_known() {
  static const bool known = Vnode___024root___eval_sample != nullptr && Vnode___024root___eval_ico != nullptr &&
                            Vnode___024root___eval_act != nullptr && Vnode___024root___eval_inact != nullptr &&
                            Vnode___024root___eval_nba != nullptr && Vnode___024root___eval_obs != nullptr &&
                            Vnode___024root___eval_react != nullptr && Vnode___024root___eval_postponed != nullptr;
  return known;
}

}  // namespace

void eval_pins(Vnode& top) {
  if (!regions_are_known()) {
    top.eval();
    return;
  }
  Vnode___024root* const root = top.rootp;
  Vnode___024root___eval_ico(root, 1);
  Vnode___024root___eval_act(root);  // takes note that the clocks are low
}

void eval_edges(Vnode& top) {
  if (!regions_are_known()) {
    top.eval();
    return;
  }
  Vnode___024root* const root = top.rootp;
  // VerilatedEvalLoop::evalImpl without the 'ico' region.
  Vnode___024root___eval_sample(root);
  do {
    do {
      do {
        do {
          while (Vnode___024root___eval_act(root)) {}
        } while (Vnode___024root___eval_inact(root));
      } while (Vnode___024root___eval_nba(root));
    } while (Vnode___024root___eval_obs(root));
  } while (Vnode___024root___eval_react(root));
  Vnode___024root___eval_postponed(root);
}

}  // namespace caravan::vl
