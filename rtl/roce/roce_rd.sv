// SPDX-License-Identifier: Apache-2.0
// Answers READs and atomics in the order in which the responder accepted them: READ responses as packet jobs whose payload the
// send data path fetches, atomics through the memories' atomic unit, which roce_rd_ahead asks ahead of their turn. Remembers the last
// RdAtomic of them a QP for repeated requests: a READ is read again when it lies inside a remembered one, an atomic gets the
// saved result and is never executed again.
// Before it acts, every command that the payload writer was given before the request has reached memory (wr_done_i).
// Latency from an event whose writes are done: first job after 2 cycles; then one job a cycle. A READ of one packet takes
// 3 cycles, a repeated request up to 2 * RdAtomic more. An atomic is asked for after 1 cycle; answers of atomics leave one in 4 cycles.
// Contract: evt_i stands until evt_ready_o, when its last packet has been handed over or it is given up; evt_i.gone may turn 1
// in between: the QP was made anew, nothing more of it is sent or remembered. sent_i pulses for every packet with rsp_last that has left;
// done_o for an event that ends without such a packet, after everything before has left. So each event ends once, in order.
// Memory errors: an atomic that memory could not do, or may not have done, is not remembered as executed; a NAK 0x63 with its PSN
// answers it. A READ's is found by roce_tx_fail when its data come. Either way the QP is silent from then on (silent_i): nothing of it is
// sent or remembered any more.
// Bad input: what is repeated and not remembered gets no answer (lost_o): the peer gives up.
`include "prim_assert.svh"
module roce_rd
  import axis_pkg::*;
  import prim_pkg::*;
  import roce_pkg::*;
  import roce_wire_pkg::*;
#(
  parameter int unsigned NumQps   = 256,
  parameter int unsigned RdAtomic = 16    // a power of two
) (
  input logic clk_i,
  input logic rst_i,

  // Configuration rows
  input  roce_cfg_t cfg_i,
  input  logic      cfg_valid_i,
  input  logic      cfg_go_i,
  output logic      cfg_ready_o,

  // From the responder
  input  rd_evt_t evt_i,
  input  logic    evt_valid_i,
  output logic    evt_ready_o,
  input  wr_no_t  wr_done_i,

  // QPs that are silent
  input logic [NumQps-1:0] silent_i,

  // Atomic unit; answers of each memory in order: 0 HBM, 1 host
  output atomic_req_t       atomic_o,
  output logic              atomic_valid_o,
  input  logic              atomic_ready_i,
  input  atomic_rsp_t [1:0] atomic_i,
  input  logic        [1:0] atomic_valid_i,
  output logic        [1:0] atomic_ready_o,

  // Packets to send
  output tx_job_t job_o,
  output logic    job_valid_o,
  input  logic    job_ready_i,

  // Order of answers
  input  logic        sent_i,
  output logic        done_o,
  output logic [23:0] done_qpn_o,

  output logic lost_o,
  output logic quiet_o
);

  localparam int unsigned QpW = idx_width(NumQps);
  localparam int unsigned PtrW = idx_width(RdAtomic);
  localparam int unsigned InFlight = 1023;
  localparam int unsigned Ahead = 16;  // atomics that may be asked for ahead of their turn

  typedef enum logic [3:0] {
    StIdle,
    StWait,    // rows are known; for writes before
    StFind,    // reads a remembered request
    StMatch,   // compares it
    StRead,    // READ responses
    StResult,  // waits for the atomic
    StAck,     // ATOMIC_ACK
    StNak,     // or NAK: memory did not do it
    StLost     // no answer: waits until all before have left
  } state_e;

  // The part of the context that a packet needs.
  typedef struct packed {
    logic        active;
    logic [23:0] dest_qpn;
    logic [7:0]  neigh;
    logic [15:0] sport;
  } ctx_t;

  // A remembered request; `rest`: READ {rkey, len}, atomic the result.
  typedef struct packed {
    rd_op_e      op;
    logic [23:0] psn;
    logic [23:0] packets;
    logic [63:0] va;
    logic [63:0] rest;
  } kept_t;

  // Where the next one goes, and how many there are.
  typedef struct packed {
    logic [PtrW-1:0] next;
    logic [PtrW:0]   count;
  } ring_t;

  state_e state_q, state_d;
  ctx_t ctx, ctx_q;
  ring_t ring;
  kept_t kept, kept_new;
  rd_evt_t evt;
  logic evt_valid, evt_ready, asked, host, result_valid, ahead_quiet;
  atomic_rsp_t result;
  logic [QpW-1:0] qp, cfg_qp_index;
  logic cfg_qp, cfg_init, start, keep, find, gone, reached, match, last_packet;
  wr_no_t ahead;
  logic [PtrW-1:0] at_q;  // the remembered request being looked at
  logic [PtrW:0] left_q;  // and those still to look at
  logic [23:0] packets, packets_q, psn_q;
  logic [31:0] bytes_q;  // still to be read
  logic [63:0] va_q, original_q;
  logic first_q;
  logic [cnt_width(InFlight)-1:0] flying_q;
  logic launch;
  logic [12:0] pmtu, job_len;  // of the next response

  roce_rd_ahead #(
    .Depth(Ahead)
  ) u_ahead (
    .clk_i,
    .rst_i,
    .cfg_i,
    .cfg_valid_i,
    .cfg_go_i,
    .evt_i,
    .evt_silent_i(silent_i[evt_i.qpn[QpW-1:0]]),
    .evt_valid_i,
    .evt_ready_o,
    .wr_done_i,
    .atomic_o,
    .atomic_valid_o,
    .atomic_ready_i,
    .evt_o       (evt),
    .evt_valid_o (evt_valid),
    .evt_ready_i (evt_ready),
    .quiet_o     (ahead_quiet)
  );

  assign asked = evt.op != RD_READ && !evt.dup;
  assign host = evt.va[63:60] == CLASS_HOST;
  assign result = atomic_i[host];
  assign result_valid = atomic_valid_i[host];
  assign atomic_ready_o = {state_q == StResult && host, state_q == StResult && !host};

  assign qp = evt.qpn[QpW-1:0];
  assign cfg_qp_index = cfg_i.index[QpW-1:0];
  assign cfg_qp = cfg_valid_i && cfg_go_i && is_qp_row(cfg_i, NumQps);
  assign cfg_init = cfg_qp && cfg_i.init;
  // Not while a request is being remembered.
  assign cfg_ready_o = !((state_q == StWait && reached) || (state_q == StResult && result_valid));

  // ---- Rows ------------------------------------------------------------------------------------------------------------------
  assign start = state_q == StIdle && evt_valid;

  prim_ram_row #(
    .T    (ctx_t),
    .Depth(NumQps)
  ) u_ctx (
    .clk_i,
    .re_i(start),
    .raddr_i(qp),
    .rdata_o(ctx),
    .we_i(cfg_qp),
    .waddr_i(cfg_qp_index),
    .wdata_i(
    '{
        active: cfg_i.qpc.state inside {QP_RTR, QP_RTS, QP_SQD, QP_ERR},
        dest_qpn: cfg_i.qpc.dest_qpn,
        neigh: cfg_i.qpc.neigh,
        sport: cfg_i.qpc.sport
    }
    )
  );

  prim_ram_row #(
    .T    (ring_t),
    .Depth(NumQps)
  ) u_ring (
    .clk_i,
    .re_i(start),
    .raddr_i(qp),
    .rdata_o(ring),
    .we_i(cfg_init || keep),
    .waddr_i(cfg_init ? cfg_qp_index : qp),
    .wdata_i(cfg_init ? '0 :
    '{next: ring.next + 1'b1, count: ring.count == (PtrW + 1)'(RdAtomic) ? ring.count : ring.count + 1'b1}
    )
  );

  prim_ram_1r1w #(
    .T    (kept_t),
    .Depth(NumQps * RdAtomic)
  ) u_kept (
    .clk_i,
    .re_i   (find),
    .raddr_i({qp, at_q}),
    .rdata_o(kept),
    .we_i   (keep),
    .waddr_i({qp, ring.next}),
    .wdata_i(kept_new)
  );

  // ---- The request ------------------------------------------------------------------------------------------------------------
  assign gone = evt.gone || silent_i[qp];
  assign ahead = wr_done_i - evt.tag;
  assign reached = !ahead[31];
  assign packets = evt.len == '0 ? 24'd1 : 24'((33'(evt.len) + 33'(pmtu_bytes(
      evt.pmtu
  )) - 33'd1) >> (4'd8 + 4'(evt.pmtu)));

  // Is this repeated request inside the remembered one?
  logic signed [23:0] behind;
  logic [36:0] skipped;
  assign behind  = psn_diff(evt.psn, kept.psn);
  assign skipped = 37'(unsigned'(behind)) << (4'd8 + 4'(evt.pmtu));
  always_comb begin
    if (state_q != StMatch) begin
      match = 1'b0;
    end else if (evt.op == RD_READ) begin
      match = kept.op == RD_READ && kept.rest[63:32] == evt.rkey && behind >= 0 && unsigned'(behind) < kept.packets &&
          evt.va == kept.va + 64'(skipped) && skipped + 37'(evt.len) <= 37'(kept.rest[31:0]);
    end else begin
      match = kept.op == evt.op && kept.psn == evt.psn && kept.va == evt.va;
    end
  end

  assign find = state_q == StFind;
  assign keep = !gone && ((state_q == StWait && state_d == StRead) || (state_q == StResult && state_d == StAck));
  assign kept_new = '{
          op: evt.op,
          psn: evt.psn,
          packets: packets,
          va: evt.va,
          rest: evt.op == RD_READ ? {evt.rkey, evt.len} : result.original
      };
  assign last_packet = packets_q == 24'd1;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StIdle: if (evt_valid) state_d = StWait;
      StWait: begin
        if (asked) state_d = StResult;
        else if (gone || !ctx.active) state_d = StLost;
        else if (reached) state_d = evt.dup ? (ring.count == '0 ? StLost : StFind) : StRead;
      end
      StFind: state_d = gone ? StLost : StMatch;
      StMatch: begin
        if (gone || (!match && left_q == '0)) state_d = StLost;
        else if (!match) state_d = StFind;
        else state_d = evt.op == RD_READ ? StRead : StAck;
      end
      StRead: if (job_ready_i) state_d = last_packet ? StIdle : gone ? StLost : StRead;
      StResult: if (result_valid) state_d = (gone || !ctx_q.active) ? StLost : result.err ? StNak : StAck;
      StAck, StNak: if (job_ready_i) state_d = StIdle;
      StLost: if (flying_q == '0) state_d = StIdle;
      default: state_d = StIdle;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q  <= StIdle;
      flying_q <= '0;
    end else begin
      state_q  <= state_d;
      flying_q <= flying_q + 10'(launch) - 10'(sent_i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == StWait) begin
      ctx_q     <= ctx;
      at_q      <= ring.next - 1'b1;
      left_q    <= ring.count - 1'b1;
      psn_q     <= evt.psn;
      va_q      <= evt.va;
      bytes_q   <= evt.len;
      packets_q <= packets;
      first_q   <= 1'b1;
    end
    if (state_q == StMatch) begin
      if (match) begin
        first_q    <= evt.op != RD_READ || behind == '0;
        original_q <= kept.rest;
      end else begin
        at_q   <= at_q - 1'b1;
        left_q <= left_q - 1'b1;
      end
    end
    if (state_q == StResult && result_valid) original_q <= result.original;
    if (state_q == StRead && job_ready_i) begin
      psn_q     <= psn_q + 24'd1;
      va_q      <= va_q + 64'(job_len);
      bytes_q   <= bytes_q - 32'(job_len);
      packets_q <= packets_q - 24'd1;
      first_q   <= 1'b0;
    end
  end

  // ---- Packets --------------------------------------------------------------------------------------------------------------------
  logic [7:0] opcode;
  aeth_t aeth;

  assign pmtu = pmtu_bytes(evt.pmtu);
  assign job_len = bytes_q > 32'(pmtu) ? pmtu : bytes_q[12:0];
  assign opcode = state_q == StAck ? OP_ATOMIC_ACK : state_q == StNak ? OP_ACK :
      first_q ? (last_packet ? OP_READ_RESP_ONLY : OP_READ_RESP_FIRST)
              : (last_packet ? OP_READ_RESP_LAST : OP_READ_RESP_MIDDLE);
  assign job_valid_o = state_q inside {StRead, StAck, StNak};
  // What was not executed is not a message completed.
  assign aeth = state_q == StNak ?
      '{syndrome: SYN_NAK_OP, msn: evt.msn - 24'd1} :
      '{syndrome: SYN_ACK, msn: evt.msn};

  always_comb begin
    job_o = '0;
    if (job_valid_o) begin
      job_o.hdr.opcode   = opcode;
      job_o.hdr.dest_qpn = ctx_q.dest_qpn;
      job_o.hdr.psn      = psn_q;
      job_o.hdr.neigh    = ctx_q.neigh;
      job_o.hdr.sport    = ctx_q.sport;
      job_o.hdr.ext      = {aeth, original_q, 128'd0};
      job_o.hdr.len      = state_q == StRead ? job_len : '0;
      job_o.hdr.rsp_last = state_q != StRead || last_packet;
      job_o.hdr.qpn      = evt.qpn;
      job_o.addr         = {4'd0, va_q[59:0]};
      if (state_q == StRead && job_len != '0) job_o.src = va_q[63:60] == CLASS_HOST ? SRC_HOST : SRC_HBM;
    end
  end

  assign launch = job_valid_o && job_ready_i && job_o.hdr.rsp_last;
  assign evt_ready = launch || done_o;
  assign done_o = state_q == StLost && flying_q == '0;
  assign done_qpn_o = evt.qpn;
  assign lost_o = done_o && !gone;

  // Waiting for memory, or for what has been handed over to leave, changes nothing.
  assign quiet_o = !cfg_valid_i && !sent_i && ahead_quiet && ((state_q == StIdle && !evt_valid) ||
      (state_q == StWait && state_d == StWait) || (state_q == StResult && !result_valid) ||
      (state_q == StLost && flying_q != '0));

  `PRIM_ASSERT_STREAM(rd_job, job_valid_o, job_ready_i, job_o)
  `PRIM_ASSERT(rd_held, state_q != StIdle -> evt_valid, "an event was taken away before its end")
  `PRIM_ASSERT(rd_sent, sent_i -> flying_q != '0, "an answer left that was never handed over")
  `PRIM_ASSERT(rd_keep, keep -> !cfg_init, "a QP is made anew while a request of it is remembered")

endmodule
