// SPDX-License-Identifier: Apache-2.0
// Deep queue in RAM whose newest elements stay invisible until they are committed, and can be taken back.
// Writing: valid_i stores data_i at once (room_o must be 1: see below). commit_i makes everything written so far, this
// cycle's element included, visible; rollback_i takes back everything not yet committed, this cycle's element included.
// For a plain deep FIFO tie commit_i to 1. Latency 2 from a committed write to valid_o; full throughput.
// room_o: at least one more element fits. A write without room is ignored and flagged on overflow_o in the same cycle;
// the writer is then expected to roll back the packet. count_o counts committed elements that were not read yet;
// the one on data_o is not in the RAM any more, so that there may be Depth + 1 of them.
`include "prim_assert.svh"
module prim_fifo_pkt
  import prim_pkg::*;
#(
  parameter type         T     = logic [7:0],
  parameter int unsigned Depth = 16
) (
  input logic clk_i,
  input logic rst_i,

  // Write side
  input  T     data_i,
  input  logic valid_i,
  input  logic commit_i,
  input  logic rollback_i,
  output logic room_o,
  output logic overflow_o,

  // Read side
  output T     data_o,
  output logic valid_o,
  input  logic ready_i,

  output logic [cnt_width(Depth + 1)-1:0] count_o
);

  localparam int unsigned PtrW = idx_width(Depth);
  localparam int unsigned CntW = cnt_width(Depth);
  localparam int unsigned CountW = cnt_width(Depth + 1);
  localparam logic [PtrW-1:0] LastPtr = PtrW'(Depth - 1);

  // wr: next write; base: first uncommitted; rd: next to fetch from RAM. pend: uncommitted; avail: committed, not fetched.
  logic [PtrW-1:0] wr_q, base_q, rd_q, wr_next;
  logic [CntW-1:0] pend_q, avail_q;
  logic push, fetch, out_valid_q;
  logic [CntW-1:0] pend_now, avail_add;

  assign room_o     = (CntW + 1)'(pend_q) + (CntW + 1)'(avail_q) < (CntW + 1)'(Depth);
  assign push       = valid_i && room_o;
  assign overflow_o = valid_i && !room_o;
  assign fetch      = (avail_q != '0) && (!out_valid_q || ready_i);
  assign wr_next    = !push ? wr_q : (wr_q == LastPtr) ? '0 : wr_q + 1'b1;
  assign pend_now   = pend_q + CntW'(push);
  assign avail_add  = (commit_i && !rollback_i) ? pend_now : '0;
  assign valid_o    = out_valid_q;
  assign count_o    = CountW'(avail_q) + CountW'(out_valid_q);

  prim_ram_1r1w #(
    .T    (T),
    .Depth(Depth)
  ) u_ram (
    .clk_i,
    .re_i   (fetch),
    .raddr_i(rd_q),
    .rdata_o(data_o),
    .we_i   (push),
    .waddr_i(wr_q),
    .wdata_i(data_i)
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      wr_q        <= '0;
      base_q      <= '0;
      rd_q        <= '0;
      pend_q      <= '0;
      avail_q     <= '0;
      out_valid_q <= 1'b0;
    end else begin
      if (rollback_i) begin
        wr_q   <= base_q;
        pend_q <= '0;
      end else begin
        wr_q <= wr_next;
        if (commit_i) begin
          base_q <= wr_next;
          pend_q <= '0;
        end else begin
          pend_q <= pend_now;
        end
      end
      avail_q <= avail_q + avail_add - CntW'(fetch);
      if (fetch) rd_q <= (rd_q == LastPtr) ? '0 : rd_q + 1'b1;
      if (fetch) out_valid_q <= 1'b1;
      else if (ready_i) out_valid_q <= 1'b0;
    end
  end

  `PRIM_ASSERT_STREAM(fifo_out, valid_o, ready_i, data_o)

endmodule
