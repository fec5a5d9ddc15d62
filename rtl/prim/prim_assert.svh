// SPDX-License-Identifier: Apache-2.0
// Assertion macros. On under Verilator, gone in synthesis. `clk_i` and `rst_i` of the enclosing module are used.
// Macro arguments are substituted inside string literals too, hence the trailing underscores.
//
// They are plain checks at the clock edge, not concurrent assertions: the simulator samples every signal of those in each
// evaluation (whole FIFO memories behind a data_o), and their history is state that changes while a block is quiet. Nor the
// assert statement: each one asks the run-time whether assertions are on. So `prop_` is an expression: write `a -> b`, not
// `a |-> b`; what spans cycles needs a register, as below.
//
// CARAVAN_NO_STREAM_CHECKS takes the stream rules out, and only them: a copy and a comparison of each waiting payload cost
// a whole node a fifth of its speed. Benches of modules, cosimulation and the checked flavours of the node have them.
`ifndef PRIM_ASSERT_SVH
`define PRIM_ASSERT_SVH

`ifdef SYNTHESIS
`define CARAVAN_NO_STREAM_CHECKS
`define PRIM_ASSERT(name_, prop_, text_)
`else
// `prop_` holds at every clock edge out of reset; `text_` says what broke.
`define PRIM_ASSERT(name_, prop_, text_) \
  always_ff @(posedge clk_i) begin : name_ \
    if (!rst_i && !(prop_)) $error("%m: %s", text_); \
  end
`endif

`ifdef CARAVAN_NO_STREAM_CHECKS
`define PRIM_ASSERT_STREAM(name_, valid_, ready_, data_)
`else
// The two rules of every ready/valid output: valid is held until ready, and the payload does not change meanwhile.
`define PRIM_ASSERT_STREAM(name_, valid_, ready_, data_) \
  logic name_``_wait_q; \
  logic [$bits(data_)-1:0] name_``_data_q; \
  always_ff @(posedge clk_i) begin : name_``_stream \
    name_``_wait_q <= !rst_i && (valid_) && !(ready_); \
    if ((valid_) && !(ready_) && !name_``_wait_q) name_``_data_q <= data_; \
    if (!rst_i && name_``_wait_q) begin \
      if (!(valid_)) $error("%m: valid was withdrawn before ready; a beat is lost"); \
      if (name_``_data_q != data_) $error("%m: the payload changed while valid waited for ready"); \
    end \
  end
`endif

`endif
