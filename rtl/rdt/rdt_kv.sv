// SPDX-License-Identifier: Apache-2.0
// The last-writer-wins map: one kernel that local operations, remote updates and software share, round robin.
// An operation is taken at t, its row is there and it takes effect at t+1 (one operation a cycle, hazards bypassed);
// done_o / loaded_o show the outcome combinationally at t+1. A local PUT gets timestamp clock + 1 and always wins, as the
// Lamport clock is never behind a row. A remote update wins when (ts, id) is greater than the row's; it raises the clock in
// any case. Contract: who offers a GET or PUT has room for its outcome; keys are in range. Nothing here ever stalls.
`include "prim_assert.svh"
module rdt_kv
  import prim_pkg::*;
  import rdt_pkg::*;
#(
  parameter int unsigned Entries = 131072
) (
  input logic clk_i,
  input logic rst_i,

  input logic [7:0] replica_i,  // own id

  // GET and PUT of the client
  input  kv_op_t local_i,
  input  logic   local_valid_i,
  output logic   local_ready_o,

  // Updates of other replicas
  input  kv_op_t remote_i,
  input  logic   remote_valid_i,
  output logic   remote_ready_o,

  // Software: STORE and LOAD
  input  kv_op_t csr_i,
  input  logic   csr_valid_i,
  output logic   csr_ready_o,

  // Outcome: exactly one of the valids for GET, PUT, LOAD
  output kv_done_t done_o,
  output logic     get_done_o,
  output logic     put_done_o,
  output logic     load_done_o,

  output logic applied_o,  // a remote update won
  output logic stale_o,    // a remote update lost
  output logic quiet_o
);

  localparam int unsigned KeyW = idx_width(Entries);

  kv_op_t s0, s1_q;
  logic s0_valid, s1_valid_q, newer, write;
  logic [1:0] s0_index;
  logic [47:0] clock_q, clock_next;
  kv_row_t row, wdata;

  prim_arb_rr #(
    .T(kv_op_t),
    .N(3)
  ) u_arb (
    .clk_i,
    .rst_i,
    .data_i ({csr_i, remote_i, local_i}),
    .last_i ('1),
    .valid_i({csr_valid_i, remote_valid_i, local_valid_i}),
    .ready_o({csr_ready_o, remote_ready_o, local_ready_o}),
    .data_o (s0),
    .valid_o(s0_valid),
    .index_o(s0_index),
    .ready_i(1'b1)
  );

  prim_ram_row #(
    .T    (kv_row_t),
    .Depth(Entries)
  ) u_rows (
    .clk_i,
    .re_i   (s0_valid),
    .raddr_i(s0.key[KeyW-1:0]),
    .rdata_o(row),
    .we_i   (write),
    .waddr_i(s1_q.key[KeyW-1:0]),
    .wdata_i(wdata)
  );

  assign newer = !row.valid || ({s1_q.row.ts, s1_q.row.id} > {row.ts, row.id});

  always_comb begin
    wdata       = s1_q.row;
    wdata.valid = 1'b1;
    write       = 1'b0;
    clock_next  = clock_q;
    unique case (s1_q.op)
      KV_OP_PUT: begin
        write      = s1_valid_q;
        wdata.ts   = clock_q + 48'd1;
        wdata.id   = replica_i;
        clock_next = clock_q + 48'd1;
      end
      KV_OP_REMOTE: begin
        write      = s1_valid_q && newer;
        clock_next = (s1_q.row.ts > clock_q) ? s1_q.row.ts : clock_q;
      end
      KV_OP_STORE: begin
        write       = s1_valid_q;
        wdata.valid = s1_q.row.valid;
        clock_next  = (s1_q.row.valid && s1_q.row.ts > clock_q) ? s1_q.row.ts : clock_q;
      end
      default: ;  // GET, LOAD: nothing is written
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      s1_valid_q <= 1'b0;
      clock_q    <= '0;
    end else begin
      s1_valid_q <= s0_valid;
      if (s1_valid_q) clock_q <= clock_next;
    end
  end

  always_ff @(posedge clk_i) begin
    if (s0_valid) s1_q <= s0;
  end

  assign done_o.tag  = s1_q.tag;
  assign done_o.key  = s1_q.key;
  assign done_o.row  = (s1_q.op == KV_OP_PUT) ? wdata : row;
  assign get_done_o  = s1_valid_q && s1_q.op == KV_OP_GET;
  assign put_done_o  = s1_valid_q && s1_q.op == KV_OP_PUT;
  assign load_done_o = s1_valid_q && s1_q.op == KV_OP_LOAD;
  assign applied_o   = s1_valid_q && s1_q.op == KV_OP_REMOTE && newer;
  assign stale_o     = s1_valid_q && s1_q.op == KV_OP_REMOTE && !newer;
  assign quiet_o     = !s0_valid && !s1_valid_q;

  `PRIM_ASSERT(kv_key, !s0_valid || s0.key < Entries, "a key outside the map reached the kernel")
  `PRIM_ASSERT(kv_clock, !put_done_o || !row.valid || row.ts <= clock_q, "the Lamport clock is behind a row")

endmodule
