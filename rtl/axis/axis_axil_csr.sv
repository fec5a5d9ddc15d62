// SPDX-License-Identifier: Apache-2.0
// AXI4-Lite slave of the register bus. One access at a time, broadcast to every block on csr_o; a block that is not
// addressed returns zero, so rdata_i is the OR of all of them, valid in the cycle after csr_o.re.
// Latency: strobe one cycle after the request was taken (for a write: its later half), B one cycle after the strobe,
// R two cycles after it. AW and W come in any order; a write and a read that wait together take turns.
// Back-pressure: each channel holds one request. Bad input: an access that is not aligned to a word answers OKAY, a read
// with 0, a write without effect; unknown addresses are the blocks' matter and answer the same way.
`include "prim_assert.svh"
module axis_axil_csr
  import axis_pkg::*;
  import prim_pkg::*;
(
  input logic clk_i,
  input logic rst_i,

  // AXI4-Lite master
  input  axil_req_t axil_req_i,
  output axil_rsp_t axil_rsp_o,

  // Register bus
  output csr_req_t    csr_o,
  input  logic [31:0] rdata_i,

  output logic quiet_o
);

  typedef enum logic [1:0] {
    StIdle,
    StRead,   // rdata_i is valid
    StRresp,
    StBresp
  } state_e;

  state_e state_q, state_d;
  logic aw_full_q, w_full_q, ar_full_q, read_first_q;
  logic [15:0] awaddr_q, araddr_q;
  logic [31:0] wdata_q, rdata_q;
  logic do_write, do_read;

  assign do_write = (state_q == StIdle) && aw_full_q && w_full_q && !(ar_full_q && read_first_q);
  assign do_read  = (state_q == StIdle) && ar_full_q && !do_write;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StIdle: begin
        if (do_write) state_d = StBresp;
        if (do_read) state_d = StRead;
      end
      StRead:  state_d = StRresp;
      StRresp: if (axil_req_i.rready) state_d = StIdle;
      StBresp: if (axil_req_i.bready) state_d = StIdle;
      default: state_d = StIdle;
    endcase
  end

  always_comb begin
    csr_o       = '0;
    csr_o.we    = do_write && (awaddr_q[1:0] == 2'b00);
    csr_o.re    = do_read && (araddr_q[1:0] == 2'b00);
    csr_o.addr  = do_write ? awaddr_q : araddr_q;
    csr_o.wdata = wdata_q;
  end

  always_comb begin
    axil_rsp_o         = '0;
    axil_rsp_o.awready = !aw_full_q;
    axil_rsp_o.wready  = !w_full_q;
    axil_rsp_o.arready = !ar_full_q;
    axil_rsp_o.bvalid  = state_q == StBresp;
    axil_rsp_o.rvalid  = state_q == StRresp;
    axil_rsp_o.rdata   = rdata_q;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q      <= StIdle;
      aw_full_q    <= 1'b0;
      w_full_q     <= 1'b0;
      ar_full_q    <= 1'b0;
      read_first_q <= 1'b0;
    end else begin
      state_q <= state_d;
      if (do_write) begin
        aw_full_q <= 1'b0;
        w_full_q  <= 1'b0;
      end
      if (do_read) ar_full_q <= 1'b0;
      if (do_write || do_read) read_first_q <= do_write;
      if (axil_req_i.awvalid && !aw_full_q) aw_full_q <= 1'b1;
      if (axil_req_i.wvalid && !w_full_q) w_full_q <= 1'b1;
      if (axil_req_i.arvalid && !ar_full_q) ar_full_q <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (axil_req_i.awvalid && !aw_full_q) awaddr_q <= axil_req_i.awaddr;
    if (axil_req_i.wvalid && !w_full_q) wdata_q <= axil_req_i.wdata;
    if (axil_req_i.arvalid && !ar_full_q) araddr_q <= axil_req_i.araddr;
    if (state_q == StRead) rdata_q <= rdata_i;
  end

  assign quiet_o = (state_q == StIdle) && !aw_full_q && !w_full_q && !ar_full_q &&
                   !axil_req_i.awvalid && !axil_req_i.wvalid && !axil_req_i.arvalid;

  `PRIM_ASSERT_STREAM(axil_b, axil_rsp_o.bvalid, axil_req_i.bready, axil_rsp_o.bresp)
  `PRIM_ASSERT_STREAM(axil_r, axil_rsp_o.rvalid, axil_req_i.rready, axil_rsp_o.rdata)
  `PRIM_ASSERT(one_strobe, !(csr_o.we && csr_o.re), "the register bus carries one access a cycle")

endmodule
