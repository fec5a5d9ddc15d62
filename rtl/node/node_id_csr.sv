// SPDX-License-Identifier: Apache-2.0
// Read-only registers that tell software what it talks to. Read data stands on rdata_o in the cycle after its request, in
// all others it is zero. Bad input: writes and unknown offsets do nothing and read as zero.
module node_id_csr
  import prim_pkg::*;
  import node_pkg::*;
#(
  parameter node_cfg_t Cfg = NODE_CFG_DEFAULT
) (
  input logic clk_i,
  input logic rst_i,

  // Register bus
  input  csr_req_t    csr_i,
  output logic [31:0] rdata_o,

  output logic quiet_o
);

  logic hit, re_q;
  logic [31:0] rdata_q;

  assign hit = csr_i.re && csr_i.addr[15:12] == BLOCK_NODE;

  always_ff @(posedge clk_i) begin
    if (rst_i) re_q <= 1'b0;
    else re_q <= hit;
  end

  always_ff @(posedge clk_i) begin
    if (hit) begin
      unique case (csr_i.addr[11:0])
        CSR_MAGIC:      rdata_q <= NODE_MAGIC;
        CSR_VERSION:    rdata_q <= NODE_VERSION;
        CSR_NUM_QPS:    rdata_q <= Cfg.NumQps;
        CSR_KV_ENTRIES: rdata_q <= Cfg.KvEntries;
        CSR_CLOCK:      rdata_q <= Cfg.CyclesPerUs;
        default:        rdata_q <= '0;
      endcase
    end
  end

  assign rdata_o = re_q ? rdata_q : '0;
  assign quiet_o = !hit && !re_q;

endmodule
