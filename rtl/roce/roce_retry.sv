// SPDX-License-Identifier: Apache-2.0
// Retransmission: walks the packets in flight of a QP from una on and sends each again, its payload from the HBM ring.
//
// QPs wait in a queue; one is walked at a time, a packet in 2 cycles while job_ready_i. busy: the QP waits or is walked; its
// new packets wait meanwhile, other QPs go on. The walk reads una as it goes: packets acknowledged meanwhile are skipped.
// A request for a QP that is being walked starts the walk anew at una; one for a QP that waits changes nothing.
// A walk waits while a packet of its QP has been decided but not taken by the data path (new_*_i): this packet has a PSN and
// metadata, but its payload is not in the ring yet, and retransmissions go first.
// The walk ends when it reaches the next PSN, or when the QP is dead or created anew; then the QP is kicked.
// Packets are equal to their first transmission (PSN, opcode, extension headers, length); AckReq is also set on the last of
// a walk. A READ is asked for again from the first PSN without response to the end of its request, in one packet; the walk
// goes on behind it.
// Latency from a request to job_valid_o: 4 cycles when idle. job_o is held under back-pressure; a packet acknowledged while
// it waits there is sent all the same.
`include "prim_assert.svh"
module roce_retry
  import prim_pkg::*;
  import roce_pkg::*;
  import roce_req_pkg::*;
#(
  parameter int unsigned NumQps = 256,
  parameter int unsigned Window = 16
) (
  input logic clk_i,
  input logic rst_i,

  input roce_glb_t glb_i,
  // Table writes, broadcast
  input roce_cfg_t cfg_i,
  input logic      cfg_go_i,

  // Requests
  input logic                         retry_i,
  input logic [idx_width(NumQps)-1:0] retry_qpn_i,

  // Busy flags of the requester's and of the scheduler's QP
  output logic                         req_busy_o,
  input  logic [idx_width(NumQps)-1:0] sched_qpn_i,
  output logic                         sched_busy_o,

  // State of the QP being walked
  output logic [idx_width(NumQps)-1:0] cur_qpn_o,
  input  logic [                 23:0] una_i,
  input  logic [                 23:0] next_i,
  input  logic                         dead_i,

  // Metadata of packets sent for the first time
  input logic                                       send_i,
  input logic      [idx_width(NumQps * Window)-1:0] send_slot_i,
  input meta_pkt_t                                  send_pkt_i,

  // A packet sent for the first time that waits to be taken
  input logic        new_valid_i,
  input logic [23:0] new_qpn_i,

  // The walk of cur_qpn_o has ended
  output logic kick_o,
  input  logic kick_ready_i,

  // Packets
  output tx_job_t job_o,
  output logic    job_valid_o,
  input  logic    job_ready_i,

  output logic quiet_o
);

  localparam int unsigned QpW = idx_width(NumQps);
  localparam int unsigned WinW = $clog2(Window);
  typedef logic [QpW-1:0] qpn_t;
  typedef enum logic [1:0] {
    StIdle,
    StRead,
    StSend
  } state_e;

  // Context of a packet.
  typedef struct packed {
    logic [23:0] dest_qpn;
    logic [7:0]  neigh;
    logic [15:0] sport;
  } ctx_t;

  // What of tx_job_t a retransmission decides; the rest is constant.
  typedef struct packed {
    tx_hdr_t     hdr;
    logic [63:0] addr;
  } pkt_t;

  // busy: wanted or walked. queued: stands in the queue (perhaps for nothing, when it was created anew meanwhile).
  logic [NumQps-1:0] busy_q, queued_q;
  state_e state_q;
  qpn_t cur_q, queue_qpn, cfg_qpn;
  logic [23:0] psn_q, psn, psn_next, behind, ahead;
  logic restart_q, job_valid_q;
  pkt_t pkt_q;
  ctx_t ctx, cfg_ctx;
  meta_pkt_t meta;
  logic cfg_qp, init, init_cur, push, pop, queue_valid, queue_ready, ended, done, load, last_one, behind_new;
  logic [QpW+WinW-1:0] slot;
  logic [cnt_width(NumQps)-1:0] unused_count;

  assign cfg_qp   = is_qp_row(cfg_i, NumQps);
  assign cfg_qpn  = cfg_i.index[QpW-1:0];
  assign init     = cfg_go_i && cfg_qp && cfg_i.init;
  assign init_cur = init && cfg_qpn == cur_q;
  assign cfg_ctx  = '{dest_qpn: cfg_i.qpc.dest_qpn, neigh: cfg_i.qpc.neigh, sport: cfg_i.qpc.sport};

  assign push     = retry_i && !queued_q[retry_qpn_i] && !(state_q != StIdle && cur_q == retry_qpn_i);
  assign pop      = state_q == StIdle && queue_valid;

  prim_fifo #(
    .T    (qpn_t),
    .Depth(NumQps)
  ) u_queue (
    .clk_i,
    .rst_i,
    .data_i (retry_qpn_i),
    .valid_i(push),
    .ready_o(queue_ready),
    .data_o (queue_qpn),
    .valid_o(queue_valid),
    .ready_i(pop),
    .count_o(unused_count)
  );

  // The context is read with every packet, so that a changed one is used at once.
  prim_ram_1r1w #(
    .T    (ctx_t),
    .Depth(NumQps)
  ) u_ctx (
    .clk_i,
    .re_i   (state_q == StRead),
    .raddr_i(cur_q),
    .rdata_o(ctx),
    .we_i   (cfg_go_i && cfg_qp),
    .waddr_i(cfg_qpn),
    .wdata_i(cfg_ctx)
  );

  prim_ram_1r1w #(
    .T    (meta_pkt_t),
    .Depth(NumQps * Window)
  ) u_meta (
    .clk_i,
    .re_i   (state_q == StRead),
    .raddr_i({cur_q, psn[WinW-1:0]}),
    .rdata_o(meta),
    .we_i   (send_i),
    .waddr_i(send_slot_i),
    .wdata_i(send_pkt_i)
  );

  // StRead: the walk stands at psn_q, or at una when that is ahead or the walk starts anew.
  assign behind       = una_i - psn_q;
  assign psn          = (restart_q || (behind != '0 && behind <= 24'(Window))) ? una_i : psn_q;
  assign ahead        = next_i - psn;
  // A READ may still be getting the last of its PSNs: the walk is then ahead of next for a moment.
  assign ended        = ahead == '0 || ahead > 24'(Window) || dead_i || !busy_q[cur_q];
  assign behind_new   = new_valid_i && new_qpn_i == 24'(cur_q);
  assign done         = state_q == StRead && kick_o && kick_ready_i && !(retry_i && retry_qpn_i == cur_q);
  // Nothing of a QP's old life is sent once it is created anew.
  assign load         = state_q == StSend && busy_q[cur_q] && !init_cur && (!job_valid_q || job_ready_i);
  assign psn_next     = psn_q + 24'(meta.rows);
  assign last_one     = psn_next == next_i;
  assign slot         = {cur_q, psn_q[WinW-1:0]};

  assign req_busy_o   = busy_q[retry_qpn_i];
  assign sched_busy_o = busy_q[sched_qpn_i];
  assign cur_qpn_o    = cur_q;
  assign kick_o       = state_q == StRead && ended && !behind_new;
  assign job_valid_o  = job_valid_q;
  assign quiet_o      = state_q == StIdle && !queue_valid && !job_valid_q && !retry_i;

  always_comb begin
    job_o = '{
        hdr: pkt_q.hdr,
        src: pkt_q.hdr.len == '0 ? SRC_NONE : SRC_HBM,
        addr: pkt_q.addr,
        ring_we: 1'b0,
        ring_rd: pkt_q.hdr.len != '0,
        ring_addr: pkt_q.addr,
        data: '0
    };
  end

  always_ff @(posedge clk_i) begin
    if (load) begin
      pkt_q.addr <= glb_i.ring_base + (64'(slot) << 12);
      pkt_q.hdr <= '{
          opcode: meta.opcode,
          ackreq: meta.ackreq || last_one,
          dest_qpn: ctx.dest_qpn,
          psn: psn_q,
          neigh: ctx.neigh,
          sport: ctx.sport,
          ext: meta.ext,
          len: meta.len,
          se: meta.se,
          rsp_last: 1'b0,
          qpn: 24'(cur_q)
      };
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q     <= StIdle;
      busy_q      <= '0;
      queued_q    <= '0;
      job_valid_q <= 1'b0;
      restart_q   <= 1'b0;
    end else begin
      if (load) job_valid_q <= 1'b1;
      else if (job_ready_i) job_valid_q <= 1'b0;

      unique case (state_q)
        StIdle:
        if (pop) begin
          state_q   <= StRead;
          restart_q <= 1'b1;
        end
        StRead: begin
          if (!behind_new) restart_q <= 1'b0;
          if (done) state_q <= StIdle;
          else if (!ended && !behind_new) state_q <= StSend;
        end
        StSend:  if (load || !busy_q[cur_q]) state_q <= StRead;
        default: state_q <= StIdle;
      endcase

      if (pop) queued_q[queue_qpn] <= 1'b0;
      if (push) queued_q[retry_qpn_i] <= 1'b1;
      if (done) busy_q[cur_q] <= 1'b0;
      if (retry_i) busy_q[retry_qpn_i] <= 1'b1;
      if (retry_i && state_q != StIdle && retry_qpn_i == cur_q) restart_q <= 1'b1;
      if (init) busy_q[cfg_qpn] <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (pop) cur_q <= queue_qpn;
    if (state_q == StRead) psn_q <= psn;
    else if (load) psn_q <= psn_next;
  end

  `PRIM_ASSERT_STREAM(retry_job, job_valid_o, job_ready_i, job_o)
  `PRIM_ASSERT(retry_room, !(push && !queue_ready), "a QP was queued twice for retransmission")

endmodule
