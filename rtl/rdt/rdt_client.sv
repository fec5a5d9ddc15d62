// SPDX-License-Identifier: Apache-2.0
// The client port: GET and PUT go to the map's kernel, verbs to the send queues, anything else is answered at once.
// A GET is answered 2 cycles after its handshake, a PUT when rdt_replicate says so, a WRITE by its completion; answers carry
// the request's tag and may overtake each other. Several requests of each kind may be in flight; back-pressure at the
// response port stops new GETs and completions, never the kernel. A verb leaves 1 cycle after its request.
// Bad input: key outside the map ST_BAD_KEY, unknown operation ST_BAD_OP, both counted.
`include "prim_assert.svh"
module rdt_client
  import prim_pkg::*;
  import rdt_pkg::*;
  import roce_pkg::*;
#(
  parameter int unsigned Entries = 131072,
  parameter int unsigned Verbs   = 256      // WRITEs in flight
) (
  input logic clk_i,
  input logic rst_i,

  // Client
  input  client_req_t req_i,
  input  logic        req_valid_i,
  output logic        req_ready_o,
  output client_rsp_t rsp_o,
  output logic        rsp_valid_o,
  input  logic        rsp_ready_i,

  // Kernel: operations out, outcomes of GETs in (always taken)
  output kv_op_t   kv_o,
  output logic     kv_valid_o,
  input  logic     kv_ready_i,
  input  kv_done_t kv_done_i,
  input  logic     kv_get_done_i,

  // Updates that all peers' send queues hold; put_room_i: one more PUT may enter the kernel
  input  logic        put_room_i,
  input  client_rsp_t put_rsp_i,
  input  logic        put_rsp_valid_i,
  output logic        put_rsp_ready_o,

  // Verbs and completions of all verbs of this block
  output verb_t verb_o,
  output logic  verb_valid_o,
  input  logic  verb_ready_i,
  input  cpl_t  cpl_i,
  input  logic  cpl_valid_i,
  output logic  cpl_ready_o,

  output logic bad_req_o,
  output logic put_flushed_o,
  output logic quiet_o
);

  localparam int unsigned RspDepth = 4;
  localparam int unsigned SlotW = idx_width(Verbs);

  logic is_kv, key_ok, to_kv, to_verb, to_bad, bad_ready, kv_room;
  logic [SlotW-1:0] slot;
  logic slot_room, verb_room, cpl_update, cpl_rsp_ready, get_valid, get_ready, get_room;
  logic [31:0] cpl_tag;
  logic [cnt_width(RspDepth)-1:0] get_count;
  client_rsp_t get_in, get_rsp, cpl_rsp, bad_rsp;
  verb_t verb;
  logic [1:0] rsp_index;

  // ---- Requests: one of three ways ---------------------------------------------------------------------------------
  assign is_kv = req_i.op == CLIENT_GET || req_i.op == CLIENT_PUT;
  assign key_ok = req_i.key < 64'(Entries);
  assign to_kv = req_valid_i && is_kv && key_ok;
  assign to_verb = req_valid_i && req_i.op inside {[CLIENT_WRITE : CLIENT_FETCH_ADD]};
  assign to_bad = req_valid_i && !to_kv && !to_verb;
  // A GET taken now may follow one that is in the kernel: two places.
  assign kv_room = (req_i.op == CLIENT_PUT) ? put_room_i : get_count <= ($bits(get_count))'(RspDepth - 2);

  assign kv_valid_o = to_kv && kv_room;
  assign req_ready_o = (to_kv && kv_room && kv_ready_i) || (to_verb && slot_room && verb_room) || (to_bad && bad_ready);
  assign bad_req_o = to_bad && bad_ready;

  always_comb begin
    kv_o           = '0;
    kv_o.op        = (req_i.op == CLIENT_PUT) ? KV_OP_PUT : KV_OP_GET;
    kv_o.key       = req_i.key[31:0];
    kv_o.tag       = req_i.tag;
    kv_o.row.value = req_i.value;
  end

  always_comb begin
    verb = '0;
    unique case (req_i.op)
      CLIENT_SEND:      verb.op = VERB_SEND;
      CLIENT_READ:      verb.op = VERB_READ;
      CLIENT_CMP_SWAP:  verb.op = VERB_CMP_SWAP;
      CLIENT_FETCH_ADD: verb.op = VERB_FETCH_ADD;
      default:          verb.op = VERB_WRITE;
    endcase
    verb.qpn      = req_i.qpn;
    verb.signaled = 1'b1;
    verb.wr_id    = 32'(slot);
    verb.len      = req_i.len;
    verb.laddr    = req_i.laddr;
    verb.raddr    = req_i.raddr;
    verb.rkey     = req_i.rkey;
    verb.data     = {384'd0, req_i.key, req_i.value};  // operands; only atomics look at them
  end

  rdt_tags #(
    .Slots(Verbs)
  ) u_tags (
    .clk_i,
    .rst_i,
    .take_i     (to_verb && slot_room && verb_room),
    .tag_i      (req_i.tag),
    .slot_o     (slot),
    .room_o     (slot_room),
    .free_i     (cpl_valid_i && !cpl_update && cpl_rsp_ready),
    .free_slot_i(cpl_i.wr_id[SlotW-1:0]),
    .tag_o      (cpl_tag)
  );

  prim_skid #(
    .T(verb_t)
  ) u_verb (
    .clk_i,
    .rst_i,
    .data_i (verb),
    .valid_i(to_verb && slot_room),
    .ready_o(verb_room),
    .data_o (verb_o),
    .valid_o(verb_valid_o),
    .ready_i(verb_ready_i)
  );

  // ---- Responses: four sources -------------------------------------------------------------------------------------
  assign cpl_update    = cpl_i.wr_id[WR_UPDATE_BIT];
  assign cpl_ready_o   = cpl_update || cpl_rsp_ready;
  assign put_flushed_o = cpl_valid_i && cpl_update && cpl_i.status != CPL_OK;

  function automatic client_status_e status_of(input cpl_status_e status);
    unique case (status)
      CPL_OK:             return ST_OK;
      CPL_FLUSHED:        return ST_QP_ERROR;
      CPL_RETRY_EXCEEDED: return ST_RETRY_EXCEEDED;
      CPL_REMOTE_ACCESS:  return ST_REMOTE_ACCESS;
      CPL_REMOTE_OP:      return ST_REMOTE_OP;
      CPL_REMOTE_INVALID: return ST_REMOTE_INVALID;
      CPL_RNR_EXCEEDED:   return ST_RNR_EXCEEDED;
      default:            return ST_BAD_OP;
    endcase
  endfunction

  assign get_in = '{
          tag: kv_done_i.tag,
          status: kv_done_i.row.valid ? ST_OK : ST_NOT_FOUND,
          value: kv_done_i.row.value
      };
  assign cpl_rsp = '{tag: cpl_tag, status: status_of(cpl_i.status), value: cpl_i.orig};
  assign bad_rsp = '{tag: req_i.tag, status: is_kv ? ST_BAD_KEY : ST_BAD_OP, value: '0};

  prim_fifo #(
    .T    (client_rsp_t),
    .Depth(RspDepth)
  ) u_gets (
    .clk_i,
    .rst_i,
    .data_i (get_in),
    .valid_i(kv_get_done_i),
    .ready_o(get_room),
    .data_o (get_rsp),
    .valid_o(get_valid),
    .ready_i(get_ready),
    .count_o(get_count)
  );

  prim_arb_rr #(
    .T(client_rsp_t),
    .N(4)
  ) u_merge (
    .clk_i,
    .rst_i,
    .data_i ({bad_rsp, cpl_rsp, put_rsp_i, get_rsp}),
    .last_i ('1),
    .valid_i({to_bad, cpl_valid_i && !cpl_update, put_rsp_valid_i, get_valid}),
    .ready_o({bad_ready, cpl_rsp_ready, put_rsp_ready_o, get_ready}),
    .data_o (rsp_o),
    .valid_o(rsp_valid_o),
    .index_o(rsp_index),
    .ready_i(rsp_ready_i)
  );

  assign quiet_o = !req_valid_i && !cpl_valid_i && !verb_valid_o && !rsp_valid_o && !kv_get_done_i;

  `PRIM_ASSERT(client_get_room, !kv_get_done_i || get_room, "the outcome of a GET found no room")

endmodule
