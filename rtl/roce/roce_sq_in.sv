// SPDX-License-Identifier: Apache-2.0
// Entry of the send queues: takes work requests, refuses malformed ones, writes the others into the ring of their QP.
//
// One stage: verb_ready_o is high while it is free, so the handshake is immediate; a good request leaves it in the next
// cycle. Only a full ring of the request's own QP (or completion back-pressure) holds it.
// Refused at once: CPL_BAD_REQUEST for a QPN out of range, an unknown opcode, a length over 2^31, inline data over 64 bytes,
// an inline READ, an atomic of other than 8 bytes, on a UD QP anything but a SEND of at most one PMTU, or an address class
// other than HBM and HOST; CPL_FLUSHED for a QP that was never created. Requests to a QP that is not RTS or SQD, or in
// error, are queued like others, so that they are flushed in order.
// Creating a QP anew empties its ring; a request of that QP in the stage is dropped with it.
module roce_sq_in
  import prim_pkg::*;
  import roce_pkg::*;
  import roce_req_pkg::*;
#(
  parameter int unsigned NumQps  = 256,
  parameter int unsigned SqDepth = 16
) (
  input logic clk_i,
  input logic rst_i,

  // Table writes, broadcast; nothing leaves the stage while one waits
  input roce_cfg_t cfg_i,
  input logic      cfg_valid_i,
  input logic      cfg_go_i,

  // Work requests
  input  verb_t verb_i,
  input  logic  verb_valid_i,
  output logic  verb_ready_o,

  // To the ring RAM, and the QP to the active list
  output sq_wr_t                                   wr_o,
  output logic                                     push_o,
  output logic   [idx_width(NumQps * SqDepth)-1:0] push_addr_o,
  output logic                                     kick_valid_o,
  output logic   [          idx_width(NumQps)-1:0] kick_qpn_o,
  input  logic                                     kick_ready_i,

  // Ring pointers, one bit wider than an index: the scheduler owns the heads, this module the tails
  output logic [idx_width(NumQps)-1:0] head_qpn_o,
  input  logic [    $clog2(SqDepth):0] head_i,
  input  logic [idx_width(NumQps)-1:0] tail_qpn_i,
  output logic [    $clog2(SqDepth):0] tail_o,

  // Refused requests
  output cpl_t cpl_o,
  output logic cpl_valid_o,
  input  logic cpl_ready_i,

  output logic bad_verb_o,
  output logic quiet_o
);

  localparam int unsigned QpW = idx_width(NumQps);
  localparam int unsigned SqW = $clog2(SqDepth);
  typedef logic [SqW:0] ptr_t;

  verb_t in_q;
  logic in_valid_q;
  logic [NumQps-1:0] made_q;  // created since reset
  logic [NumQps-1:0] ud_q;  // service, as created
  ptr_t tail_mem[NumQps];
  pmtu_t pmtu_mem[NumQps];

  logic [QpW-1:0] qpn;
  logic cfg_qp, pause, init, in_range, atomic, bad_source, bad_datagram, bad, refuse, full, drop, take;
  ptr_t tail;

  assign cfg_qp = is_qp_row(cfg_i, NumQps);
  assign pause = cfg_valid_i && !cfg_i.is_region;
  assign init = cfg_go_i && cfg_qp && cfg_i.init;

  assign qpn = in_q.qpn[QpW-1:0];
  assign in_range = in_q.qpn < 24'(NumQps);
  assign atomic = in_q.op inside {VERB_CMP_SWAP, VERB_FETCH_ADD};
  assign bad_source   = in_q.inl ? in_q.op == VERB_READ || (!atomic && in_q.len > 32'd64) :
                        !(in_q.laddr[63:60] inside {CLASS_HBM, CLASS_HOST});
  assign bad_datagram = ud_q[qpn] && (in_q.op != VERB_SEND || in_q.len > 32'(pmtu_bytes(pmtu_mem[qpn])));
  assign bad          = !in_range || in_q.op > VERB_FETCH_ADD || in_q.len > 32'h8000_0000 || bad_source ||
                        (atomic && in_q.len != 32'd8) || bad_datagram;
  assign refuse = bad || !made_q[qpn];
  assign tail = tail_mem[qpn];
  assign full = ptr_t'(tail - head_i) == ptr_t'(SqDepth);
  assign drop = init && in_valid_q && in_q.qpn == cfg_i.index;

  assign cpl_o = '{qpn: in_q.qpn, wr_id: in_q.wr_id, status: bad ? CPL_BAD_REQUEST : CPL_FLUSHED, orig: '0};
  assign cpl_valid_o = in_valid_q && refuse && !pause;
  assign kick_valid_o = in_valid_q && !refuse && !full && !pause;
  assign kick_qpn_o = qpn;
  assign head_qpn_o = qpn;
  assign push_o = kick_valid_o && kick_ready_i;
  assign push_addr_o = {qpn, tail[SqW-1:0]};
  assign take = push_o || (cpl_valid_o && cpl_ready_i);
  assign verb_ready_o = !in_valid_q || take;
  assign tail_o = tail_mem[tail_qpn_i];
  assign bad_verb_o = cpl_valid_o && cpl_ready_i && bad;
  // A request that waits for room in its ring changes nothing.
  assign quiet_o = in_valid_q ? (!refuse && full && !pause) : !verb_valid_i;

  always_comb begin
    tx_src_e src;
    src = in_q.laddr[63:60] == CLASS_HOST ? SRC_HOST : SRC_HBM;
    if (in_q.inl) src = atomic ? SRC_NONE : SRC_INLINE;
    if (in_q.len == '0) src = SRC_NONE;
    wr_o = '{
        op: in_q.op,
        src: src,
        signaled: in_q.signaled,
        solicited: in_q.solicited,
        has_imm: in_q.has_imm,
        imm: in_q.imm,
        wr_id: in_q.wr_id,
        len: in_q.len,
        laddr: {4'd0, in_q.laddr[59:0]},
        raddr: in_q.raddr,
        rkey: in_q.rkey,
        data: in_q.data
    };
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      in_valid_q <= 1'b0;
      made_q     <= '0;
      ud_q       <= '0;
    end else begin
      if (verb_ready_o) in_valid_q <= verb_valid_i;
      else if (drop) in_valid_q <= 1'b0;
      if (init) made_q[cfg_i.index[QpW-1:0]] <= 1'b1;
      if (init) ud_q[cfg_i.index[QpW-1:0]] <= cfg_i.qpc.svc == SVC_UD;
    end
  end

  always_ff @(posedge clk_i) begin
    if (verb_valid_i && verb_ready_o) in_q <= verb_i;
    if (init) tail_mem[cfg_i.index[QpW-1:0]] <= '0;
    else if (push_o) tail_mem[qpn] <= tail + 1'b1;
    if (cfg_go_i && cfg_qp) pmtu_mem[cfg_i.index[QpW-1:0]] <= cfg_i.qpc.pmtu;
  end

endmodule
