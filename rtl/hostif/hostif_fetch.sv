// SPDX-License-Identifier: Apache-2.0
// Send entries become work requests. One register: latency 1 from the entry (or the pushed words) to verb_valid_o, one request
// a cycle when the endpoint takes them.
// Every request is sent with `signaled` set, because its completion gives back the credit of its queue pair; whether the host
// wants to see it travels in wr_id (host_wr_id_t) and is decided by hostif_cq.
// Bad input: an unknown opcode (also one above 15) and an entry that could not be read become a request that the endpoint
// refuses, so that they complete in order, with an error. Inline bytes from len on are cleared.
`include "prim_assert.svh"
module hostif_fetch
  import axis_pkg::*;
  import hostif_pkg::*;
  import roce_pkg::*;
(
  input logic clk_i,
  input logic rst_i,

  // Entries that were fetched
  input  entry_t          entry_i,
  input  logic   [1023:0] entry_data_i,
  input  logic            entry_valid_i,
  output logic            entry_ready_o,

  // An entry from registers; taken only while push_room_o
  input  entry_t          push_entry_i,
  input  logic   [1023:0] push_data_i,
  input  logic            push_take_i,
  output logic            push_room_o,

  // Work requests
  output verb_t verb_o,
  output logic  verb_valid_o,
  input  logic  verb_ready_i,

  output logic quiet_o
);

  // An opcode that means nothing to the endpoint.
  localparam logic [3:0] OP_REFUSED = 4'hF;

  verb_t verb_q;
  logic valid_q, room, load;

  assign room          = !valid_q || verb_ready_i;
  assign entry_ready_o = room;
  assign push_room_o   = room && !entry_valid_i;
  assign load          = push_take_i || (entry_valid_i && room);
  assign verb_o        = verb_q;
  assign verb_valid_o  = valid_q;
  assign quiet_o       = !valid_q && !load;

  always_ff @(posedge clk_i) begin
    if (rst_i) valid_q <= 1'b0;
    else if (load) valid_q <= 1'b1;
    else if (verb_ready_i) valid_q <= 1'b0;
  end

  function automatic verb_t request_of(input entry_t entry, input logic [1023:0] data);
    sqe_t sqe;
    logic bad, atomic;
    host_wr_id_t wr_id;
    verb_t verb;
    sqe = sqe_t'(data[511:0]);
    bad = entry.err || sqe.op > 8'd14;
    verb = '0;
    verb.op = verb_op_e'(bad ? OP_REFUSED : sqe.op[3:0]);
    wr_id = '{
        rsv31: 1'b0,
        host: 1'b1,
        signaled: sqe.signaled || entry.err,
        mem_err: entry.err,
        op: verb.op,
        rsv: '0,
        epoch: entry.epoch,
        index: entry.index
    };
    atomic = verb.op == VERB_CMP_SWAP || verb.op == VERB_FETCH_ADD;
    verb.qpn = entry.qpn;
    verb.signaled = 1'b1;
    verb.solicited = sqe.solicited;
    verb.has_imm = sqe.has_imm;
    verb.imm = sqe.imm;
    verb.wr_id = wr_id;
    verb.inl = sqe.inl;
    verb.len = sqe.len;
    verb.laddr = sqe.laddr;
    verb.raddr = sqe.raddr;
    verb.rkey = sqe.rkey;
    // Operands of an atomic take 16 bytes; what is not inline has no data.
    verb.data = first_bytes(data[1023:512], atomic ? 7'd16 : !sqe.inl ? 7'd0 : sqe.len > 32'd64 ? 7'd64 : sqe.len[6:0]);
    return verb;
  endfunction

  always_ff @(posedge clk_i) begin
    if (push_take_i) verb_q <= request_of(push_entry_i, push_data_i);
    else if (load) verb_q <= request_of(entry_i, entry_data_i);
  end

  `PRIM_ASSERT_STREAM(verb, verb_valid_o, verb_ready_i, verb_o)
  `PRIM_ASSERT(push_taken, !push_take_i || push_room_o, "a pushed entry comes without room; it would be lost")

endmodule
