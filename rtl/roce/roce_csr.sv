// SPDX-License-Identifier: Apache-2.0
// Registers of the endpoint (offsets in roce_pkg). DATA words are staged; a write to CMD turns them into one table write
// that is offered to all consumers (cfg_valid_o) until they take it together (cfg_go_i). The offered row is a copy, so
// software may stage the next one meanwhile. Reads answer in the next cycle; rdata_o is zero in all others.
// Bad input: a CMD of unknown kind, with its index out of range, or while another is pending is refused: STATUS[1] is set
// until the next CMD that is taken. Writes to unknown offsets have no effect; they read as zero.
`include "prim_assert.svh"
module roce_csr
  import prim_pkg::*;
  import roce_pkg::*;
#(
  parameter logic        [3:0] Block      = 4'd2,  // addr[15:12]
  parameter int unsigned       NumQps     = 256,
  parameter int unsigned       NumRegions = 64
) (
  input logic clk_i,
  input logic rst_i,

  // Register bus
  input  csr_req_t    csr_i,
  output logic [31:0] rdata_o,

  // Table writes
  output roce_cfg_t cfg_o,
  output logic      cfg_valid_o,
  input  logic      cfg_go_i,

  output roce_glb_t glb_o,
  output logic      quiet_o
);

  localparam int unsigned NumWords = 7;
  // Kinds of command; 1 modifies a QP.
  localparam logic [1:0] CMD_QP_INIT = 2'd2;
  localparam logic [1:0] CMD_REGION = 2'd3;

  logic [NumWords-1:0][31:0] data_q;
  logic selected, we, re_q, busy_q, refused_q;
  logic [11:0] offset;
  logic [ 1:0] kind;
  logic [23:0] index;
  logic cmd, index_ok, cmd_ok, is_data;
  roce_cfg_t cfg_q;
  roce_glb_t glb_q;
  logic [31:0] rdata_q;

  assign selected = csr_i.addr[15:12] == Block;
  assign we       = csr_i.we && selected;
  assign offset   = {csr_i.addr[11:2], 2'b00};
  assign is_data  = offset < CSR_DATA0 + 12'(4 * NumWords);
  assign kind     = csr_i.wdata[31:30];
  assign index    = csr_i.wdata[23:0];
  assign cmd      = we && offset == CSR_CMD;
  assign index_ok = kind == CMD_REGION ? 32'(index) < NumRegions : 32'(index) < NumQps;
  assign cmd_ok   = cmd && kind != '0 && index_ok && !busy_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      busy_q    <= 1'b0;
      refused_q <= 1'b0;
      re_q      <= 1'b0;
    end else begin
      if (cmd_ok) busy_q <= 1'b1;
      else if (cfg_go_i) busy_q <= 1'b0;
      if (cmd) refused_q <= !cmd_ok;
      re_q <= csr_i.re && selected;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      data_q <= '0;
      glb_q  <= '{ring_base: '0, ackreq_every: 8'd8, icrc_check: 1'b1};
    end else if (we) begin
      unique case (offset)
        CSR_RING_LO: glb_q.ring_base[31:0] <= csr_i.wdata;
        CSR_RING_HI: glb_q.ring_base[63:32] <= csr_i.wdata;
        CSR_ACKREQ:  glb_q.ackreq_every <= csr_i.wdata[7:0];
        CSR_CTRL:    glb_q.icrc_check <= csr_i.wdata[0];
        default:     if (is_data) data_q[offset[4:2]] <= csr_i.wdata;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (cmd_ok) begin
      cfg_q.is_region        <= kind == CMD_REGION;
      cfg_q.init             <= kind == CMD_QP_INIT;
      cfg_q.index            <= index;
      cfg_q.qpc.state        <= qp_state_e'(data_q[0][2:0]);
      cfg_q.qpc.pmtu         <= data_q[0][5:3];
      cfg_q.qpc.timeout      <= data_q[0][10:6];
      cfg_q.qpc.retry_limit  <= data_q[0][13:11];
      cfg_q.qpc.rnr_retry    <= data_q[0][19:17];
      cfg_q.qpc.min_rnr      <= data_q[0][24:20];
      cfg_q.qpc.svc          <= qp_service_e'(data_q[0][25]);
      cfg_q.qpc.cc           <= cc_mode_e'(data_q[0][27:26]);
      cfg_q.qpc.qkey         <= data_q[6];
      cfg_q.qpc.write_en     <= data_q[0][14];
      cfg_q.qpc.read_en      <= data_q[0][15];
      cfg_q.qpc.atomic_en    <= data_q[0][16];
      cfg_q.qpc.dest_qpn     <= data_q[1][23:0];
      cfg_q.qpc.neigh        <= data_q[1][31:24];
      cfg_q.qpc.sport        <= data_q[2][15:0];
      cfg_q.qpc.pd           <= data_q[2][31:16];
      cfg_q.qpc.peer_ip      <= data_q[3];
      cfg_q.sq_psn           <= data_q[4][23:0];
      cfg_q.rq_psn           <= data_q[5][23:0];
      cfg_q.region.valid     <= data_q[0][0];
      cfg_q.region.write_en  <= data_q[0][1];
      cfg_q.region.read_en   <= data_q[0][2];
      cfg_q.region.atomic_en <= data_q[0][3];
      cfg_q.region.key       <= data_q[0][15:8];
      cfg_q.region.pd        <= data_q[0][31:16];
      cfg_q.region.first     <= {data_q[2], data_q[1]};
      cfg_q.region.last      <= {data_q[4], data_q[3]};
    end
    if (csr_i.re && selected) begin
      unique case (offset)
        CSR_STATUS:  rdata_q <= {30'd0, refused_q, busy_q};
        CSR_RING_LO: rdata_q <= glb_q.ring_base[31:0];
        CSR_RING_HI: rdata_q <= glb_q.ring_base[63:32];
        CSR_ACKREQ:  rdata_q <= {24'd0, glb_q.ackreq_every};
        CSR_CTRL:    rdata_q <= {31'd0, glb_q.icrc_check};
        default:     rdata_q <= is_data ? data_q[offset[4:2]] : '0;
      endcase
    end
  end

  assign rdata_o     = re_q ? rdata_q : '0;
  assign cfg_o       = cfg_q;
  assign cfg_valid_o = busy_q;
  assign glb_o       = glb_q;
  assign quiet_o     = !csr_i.we && !csr_i.re && !re_q && !busy_q;

  `PRIM_ASSERT_STREAM(cfg, cfg_valid_o, cfg_go_i, cfg_o)

endmodule
