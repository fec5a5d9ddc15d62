// SPDX-License-Identifier: Apache-2.0
// Registers of the replicated data types: own id, peer rows, and a window on the map for loading and inspection.
// A write takes effect one cycle after its request; read data stands on csr_rdata_o in the cycle after its
// request; in all others it is zero.
// A KV command waits in CSR_KV_CMD (busy) until the kernel takes it; then software may give the next.
// Bad input: a peer index or key out of range and unknown commands do nothing; a command given while busy is ignored;
// unknown offsets read as zero.
`include "prim_assert.svh"
module rdt_csr
  import prim_pkg::*;
  import rdt_pkg::*;
#(
  parameter int unsigned Entries  = 131072,
  parameter int unsigned MaxPeers = 31,
  parameter logic [3:0]  Block    = 4'd3
) (
  input logic clk_i,
  input logic rst_i,

  // Register bus
  input  csr_req_t    csr_i,
  output logic [31:0] csr_rdata_o,

  // Own id, and a write of a peer row: one cycle
  output logic      [7:0] replica_o,
  output logic            peer_we_o,
  output logic      [7:0] peer_index_o,
  output rdt_peer_t       peer_o,

  // The map
  output kv_op_t   kv_o,
  output logic     kv_valid_o,
  input  logic     kv_ready_i,
  input  kv_done_t kv_done_i,
  input  logic     kv_load_done_i,

  output logic quiet_o
);

  logic hit, cmd_store, cmd_load, key_ok, kv_valid_q, loading_q, peer_we_q, re_q;
  logic [11:0] addr;
  logic [31:0] wdata, rdata_q, key_q;
  logic [7:0] replica_q, peer_index_q;
  rdt_peer_t peer_q;
  kv_row_t row_q;
  kv_op_e op_q;

  assign hit       = (csr_i.we || csr_i.re) && csr_i.addr[15:12] == Block;
  assign addr      = csr_i.addr[11:0];
  assign wdata     = csr_i.wdata;
  assign key_ok    = key_q < 32'(Entries);
  assign cmd_store = hit && csr_i.we && addr == CSR_KV_CMD && wdata == 32'd1 && key_ok && !kv_valid_q && !loading_q;
  assign cmd_load  = hit && csr_i.we && addr == CSR_KV_CMD && wdata == 32'd2 && key_ok && !kv_valid_q && !loading_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      replica_q  <= '0;
      kv_valid_q <= 1'b0;
      loading_q  <= 1'b0;
      peer_we_q  <= 1'b0;
      re_q       <= 1'b0;
    end else begin
      re_q <= hit && csr_i.re;
      if (hit && csr_i.we && addr == CSR_REPLICA) replica_q <= wdata[7:0];
      peer_we_q <= hit && csr_i.we && addr == CSR_PEER_CMD && wdata[7:0] < 8'(MaxPeers);
      if (cmd_store || cmd_load) kv_valid_q <= 1'b1;
      else if (kv_ready_i) kv_valid_q <= 1'b0;
      if (cmd_load) loading_q <= 1'b1;
      else if (kv_load_done_i) loading_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (kv_load_done_i) row_q <= kv_done_i.row;
    if (cmd_store) op_q <= KV_OP_STORE;
    if (cmd_load) op_q <= KV_OP_LOAD;
    if (hit && csr_i.we) begin
      unique case (addr)
        CSR_PEER_QPN:    peer_q.qpn <= wdata[23:0];
        CSR_PEER_RKEY:   peer_q.rkey <= wdata;
        CSR_PEER_CMD: begin
          peer_q.valid <= wdata[31];
          peer_index_q <= wdata[7:0];
        end
        // The staged operation does not change while the kernel has not taken it.
        CSR_KV_KEY:      if (!kv_valid_q) key_q <= wdata;
        CSR_KV_VALUE_LO: if (!kv_valid_q) row_q.value[31:0] <= wdata;
        CSR_KV_VALUE_HI: if (!kv_valid_q) row_q.value[63:32] <= wdata;
        CSR_KV_TS_LO:    if (!kv_valid_q) row_q.ts[31:0] <= wdata;
        CSR_KV_META: begin
          if (!kv_valid_q) begin
            row_q.valid     <= wdata[31];
            row_q.id        <= wdata[23:16];
            row_q.ts[47:32] <= wdata[15:0];
          end
        end
        default:         ;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (hit && csr_i.re) begin
      unique case (addr)
        CSR_REPLICA:     rdata_q <= 32'(replica_q);
        CSR_KV_KEY:      rdata_q <= key_q;
        CSR_KV_VALUE_LO: rdata_q <= row_q.value[31:0];
        CSR_KV_VALUE_HI: rdata_q <= row_q.value[63:32];
        CSR_KV_TS_LO:    rdata_q <= row_q.ts[31:0];
        CSR_KV_META:     rdata_q <= {row_q.valid, 7'd0, row_q.id, row_q.ts[47:32]};
        CSR_KV_CMD:      rdata_q <= 32'(kv_valid_q || loading_q);
        default:         rdata_q <= '0;
      endcase
    end
  end

  assign csr_rdata_o  = re_q ? rdata_q : '0;
  assign replica_o    = replica_q;
  assign peer_we_o    = peer_we_q;
  assign peer_index_o = peer_index_q;
  assign peer_o       = peer_q;
  assign kv_o         = '{op: op_q, key: key_q, tag: '0, row: row_q};
  assign kv_valid_o   = kv_valid_q;
  assign quiet_o      = !hit && !kv_valid_q && !loading_q && !peer_we_q && !re_q;

  `PRIM_ASSERT_STREAM(rdt_csr_kv, kv_valid_o, kv_ready_i, kv_o)

endmodule
