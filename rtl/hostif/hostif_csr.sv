// SPDX-License-Identifier: Apache-2.0
// Registers of the host front end (offsets in hostif_pkg): staged table rows, doorbells, the words of a pushed entry.
// A doorbell leaves one cycle after its register was written and must be taken at once. PUSH words stand on push_data_o
// until they are written again. Reads answer in the next cycle; rdata_o is zero in all others.
// Bad input: a CMD of unknown kind, with its index out of range, with a ring that is not at a multiple of 4096, or while
// another is pending is refused: STATUS[1] until the next CMD that is taken. Unknown offsets: no effect, read as zero.
`include "prim_assert.svh"
module hostif_csr
  import prim_pkg::*;
  import hostif_pkg::*;
#(
  parameter logic        [3:0] Block  = 4'd5,
  parameter int unsigned       NumQps = 256,
  parameter int unsigned       NumCqs = 64
) (
  input logic clk_i,
  input logic rst_i,

  // Register bus
  input  csr_req_t    csr_i,
  output logic [31:0] rdata_o,

  // Table writes
  output hostif_cfg_t cfg_o,
  output logic        cfg_valid_o,
  input  logic        cfg_go_i,

  // Doorbells
  output doorbell_t db_o,
  output logic      sq_db_valid_o,
  output logic      sq_push_o,      // with sq_db_valid_o: push_data_o holds the last of the entries
  output logic      rq_db_valid_o,
  output logic      cq_db_valid_o,
  output cq_arm_t   arm_o,
  output logic      arm_valid_o,

  output logic [1023:0] push_data_o,

  // A CQE was dropped
  input logic        overrun_i,
  input logic [15:0] overrun_cqn_i,

  output logic quiet_o
);

  localparam int unsigned NumWords = 6;
  localparam logic [1:0] CMD_QP = 2'd1;
  localparam logic [1:0] CMD_CQ = 2'd2;

  logic [NumWords-1:0][31:0] data_q;
  logic [31:0][31:0] push_q;
  logic selected, we, re_q, busy_q, refused_q, seen_q;
  logic [11:0] offset;
  logic [ 1:0] kind;
  logic [23:0] index;
  logic cmd, index_ok, row_ok, cmd_ok, is_data, is_push;
  logic [15:0] overrun_q;
  hostif_cfg_t cfg_q;
  doorbell_t db_q;
  cq_arm_t arm_q;
  logic sq_db_q, sq_push_q, rq_db_q, cq_db_q, arm_valid_q;
  logic [31:0] rdata_q;

  assign selected = csr_i.addr[15:12] == Block;
  assign we       = csr_i.we && selected;
  assign offset   = {csr_i.addr[11:2], 2'b00};
  assign is_data  = offset < HIF_DATA0 + 12'(4 * NumWords);
  assign is_push  = offset[11:7] == HIF_PUSH0[11:7];
  assign kind     = csr_i.wdata[31:30];
  assign index    = csr_i.wdata[23:0];
  assign cmd      = we && offset == HIF_CMD;
  assign index_ok = kind == CMD_CQ ? 32'(index) < NumCqs : kind == CMD_QP && 32'(index) < NumQps;
  assign row_ok   = data_q[1][11:0] == '0 && (kind == CMD_CQ || data_q[3][11:0] == '0);
  assign cmd_ok   = cmd && index_ok && row_ok && !busy_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      busy_q      <= 1'b0;
      refused_q   <= 1'b0;
      re_q        <= 1'b0;
      seen_q      <= 1'b0;
      sq_db_q     <= 1'b0;
      sq_push_q   <= 1'b0;
      rq_db_q     <= 1'b0;
      cq_db_q     <= 1'b0;
      arm_valid_q <= 1'b0;
    end else begin
      if (cmd_ok) busy_q <= 1'b1;
      else if (cfg_go_i) busy_q <= 1'b0;
      if (cmd) refused_q <= !cmd_ok;
      re_q <= csr_i.re && selected;
      if (overrun_i) seen_q <= 1'b1;
      else if (we && offset == HIF_OVERRUN) seen_q <= 1'b0;
      sq_db_q     <= we && (offset == HIF_SQ_DB || offset == HIF_SQ_PUSH);
      sq_push_q   <= we && offset == HIF_SQ_PUSH;
      rq_db_q     <= we && offset == HIF_RQ_DB;
      cq_db_q     <= we && offset == HIF_CQ_DB;
      arm_valid_q <= we && offset == HIF_CQ_ARM;
    end
  end

  always_ff @(posedge clk_i) begin
    if (we) begin
      db_q  <= '{number: csr_i.wdata[31:16], index: csr_i.wdata[15:0]};
      arm_q <= '{solicited_only: csr_i.wdata[31], cqn: csr_i.wdata[15:0]};
      if (is_data) data_q[offset[4:2]] <= csr_i.wdata;
      if (is_push) push_q[offset[6:2]] <= csr_i.wdata;
    end
    if (overrun_i) overrun_q <= overrun_cqn_i;
    if (cmd_ok) begin
      cfg_q.is_cq       <= kind == CMD_CQ;
      cfg_q.index       <= index;
      cfg_q.qp.sq       <= '{valid: data_q[0][31], log2: data_q[0][3:0], page: {data_q[2], data_q[1][31:12]}};
      cfg_q.qp.rq       <= '{valid: data_q[0][31], log2: data_q[0][11:8], page: {data_q[4], data_q[3][31:12]}};
      cfg_q.qp.send_cqn <= data_q[5][15:0];
      cfg_q.qp.recv_cqn <= data_q[5][31:16];
      cfg_q.cq          <= '{valid: data_q[0][31], log2: data_q[0][3:0], page: {data_q[2], data_q[1][31:12]}};
    end
    if (csr_i.re && selected) begin
      unique case (offset)
        HIF_STATUS:  rdata_q <= {30'd0, refused_q, busy_q};
        HIF_OVERRUN: rdata_q <= {seen_q, 15'd0, overrun_q};
        default:     rdata_q <= is_data ? data_q[offset[4:2]] : '0;
      endcase
    end
  end

  assign rdata_o = re_q ? rdata_q : '0;
  assign cfg_o = cfg_q;
  assign cfg_valid_o = busy_q;
  assign db_o = db_q;
  assign sq_db_valid_o = sq_db_q;
  assign sq_push_o = sq_push_q;
  assign rq_db_valid_o = rq_db_q;
  assign cq_db_valid_o = cq_db_q;
  assign arm_o = arm_q;
  assign arm_valid_o = arm_valid_q;
  assign push_data_o = push_q;
  assign quiet_o       = !csr_i.we && !csr_i.re && !re_q && !busy_q && !sq_db_q && !rq_db_q && !cq_db_q && !arm_valid_q &&
                         !overrun_i;

  `PRIM_ASSERT_STREAM(cfg, cfg_valid_o, cfg_go_i, cfg_o)

endmodule
