// SPDX-License-Identifier: Apache-2.0
// Assertion macros. On under Verilator, gone in synthesis. `clk_i` and `rst_i` of the enclosing module are used.
// Macro arguments are substituted inside string literals too, hence the trailing underscores.
`ifndef PRIM_ASSERT_SVH
`define PRIM_ASSERT_SVH

`ifdef SYNTHESIS
`define PRIM_ASSERT(name_, prop_, text_)
`define PRIM_ASSERT_STREAM(name_, valid_, ready_, data_)
`else
// `prop_` holds at every clock edge out of reset; `text_` says what broke.
`define PRIM_ASSERT(name_, prop_, text_) \
  name_ : assert property (@(posedge clk_i) disable iff (rst_i) (prop_)) \
  else $error("%m: %s", text_);
// The two rules of every ready/valid output: valid is held until ready, and the payload does not change meanwhile.
`define PRIM_ASSERT_STREAM(name_, valid_, ready_, data_) \
  name_``_held : assert property (@(posedge clk_i) disable iff (rst_i) \
      (valid_) && !(ready_) |=> (valid_)) \
  else $error("%m: valid was withdrawn before ready; a beat is lost"); \
  name_``_stable : assert property (@(posedge clk_i) disable iff (rst_i) \
      (valid_) && !(ready_) |=> $stable(data_)) \
  else $error("%m: the payload changed while valid waited for ready");
`endif

`endif
