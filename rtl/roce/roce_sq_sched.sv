// SPDX-License-Identifier: Apache-2.0
// Send scheduler: takes QPs from the active list and cuts their work requests into packets.
//
// One packet a cycle while job_ready_i, on one QP as well as alternating between QPs: after each packet the QP goes to the
// end of the list when others wait (round robin, packet by packet). Latency 2 from a listed QP to job_valid_o.
//   cycle 0: QP at the head of the list: its work request and context rows are read
//   cycle 1: packet decided: job register, metadata, PSN and progress are written
// A QP leaves the list when it has no work, no room in its window for the next packet, RD_ATOMIC READs and atomics in flight
// before one more, it is held (retransmission) or paced, drained (SQD: no new work request is begun) or dead with packets
// still in flight; whoever changes that kicks it. Queued work of a dead QP (neither RTS nor SQD, or in error) completes as flushed,
// one a cycle, once nothing is in flight; a message of which packets were sent already takes the status that the requester
// recorded.
// A READ request has one packet and a PSN for each response: the QP stays until each has its metadata, one a cycle.
// Datagrams are sent and done: they have no window and no metadata, their PSNs only count, CPL_OK goes out with the job.
// AckReq: last packet of a message, READs, atomics, at the latest the ackreq_every-th packet since the last AckReq, and the
// packet that fills the window; of a QP whose rate is limited every packet, since eight of them may take longer than its
// retry timer. This module owns next PSN, ring heads and progress; other modules look them up.
`include "prim_assert.svh"
module roce_sq_sched
  import prim_pkg::*;
  import roce_cc_pkg::*;
  import roce_pkg::*;
  import roce_req_pkg::*;
#(
  parameter int unsigned NumQps  = 256,
  parameter int unsigned Window  = 16,
  parameter int unsigned SqDepth = 16
) (
  input logic clk_i,
  input logic rst_i,

  input roce_glb_t glb_i,
  // Table writes, broadcast; nothing is sent while one waits
  input roce_cfg_t cfg_i,
  input logic      cfg_valid_i,
  input logic      cfg_go_i,

  // Active list
  input  logic [idx_width(NumQps)-1:0] list_qpn_i,
  input  logic                         list_valid_i,
  output logic                         list_ready_o,
  input  logic                         list_busy_i,
  output logic [idx_width(NumQps)-1:0] cur_qpn_o,
  output logic                         requeue_o,
  output logic                         delist_o,

  // Ring RAM, and what is being written to it
  output logic                                     wr_re_o,
  output logic   [idx_width(NumQps * SqDepth)-1:0] wr_addr_o,
  input  sq_wr_t                                   wr_i,
  input  logic                                     push_i,
  input  logic   [idx_width(NumQps * SqDepth)-1:0] push_addr_i,

  // Ring pointers (see roce_sq_in)
  input  logic [idx_width(NumQps)-1:0] head_qpn_i,
  output logic [    $clog2(SqDepth):0] head_o,
  input  logic [    $clog2(SqDepth):0] tail_i,

  // State of cur_qpn_o
  input logic        [23:0] una_i,
  input cpl_status_e        fail_i,
  input logic               dead_i,
  input logic               held_i,
  input logic               drain_i,
  input rd_count_t          rd_done_i,

  // Pacing (see roce_pacer): cur_qpn_o must wait; its rate is limited; it was given up; a packet leaves for the first time
  input  logic     paced_i,
  input  logic     limited_i,
  output logic     park_o,
  output cc_sent_t sent_o,
  output logic     sent_valid_o,

  // Next PSN, for the requester and the retransmission
  input  logic [idx_width(NumQps)-1:0] req_qpn_i,
  output logic [                 23:0] req_next_o,
  input  logic [idx_width(NumQps)-1:0] retry_qpn_i,
  output logic [                 23:0] retry_next_o,

  // A packet is sent for the first time: metadata and timer
  output logic                                       send_o,
  output logic      [         idx_width(NumQps)-1:0] send_qpn_o,
  output logic      [                           4:0] send_timeout_o,
  output logic      [idx_width(NumQps * Window)-1:0] send_slot_o,
  output meta_cpl_t                                  send_cpl_o,
  output meta_pkt_t                                  send_pkt_o,

  // Packets
  output tx_job_t job_o,
  output logic    job_valid_o,
  input  logic    job_ready_i,

  // Flushed work requests, datagrams that were sent
  output cpl_t cpl_o,
  output logic cpl_valid_o,
  input  logic cpl_ready_i,

  output logic quiet_o
);

  localparam int unsigned QpW = idx_width(NumQps);
  localparam int unsigned SqW = $clog2(SqDepth);
  localparam int unsigned WinW = $clog2(Window);
  typedef logic [QpW-1:0] qpn_t;
  typedef logic [SqW:0] ptr_t;

  // Own rows, read asynchronously (LUT RAM): next PSN, ring head, bytes of the head request already sent (UD: datagrams
  // sent so far), packets since the last AckReq, READ requests and atomics sent so far.
  logic      [      23:0] next_mem                     [NumQps];
  ptr_t                   head_mem                     [NumQps];
  logic      [      31:0] ofs_mem                      [NumQps];
  logic      [       7:0] ack_mem                      [NumQps];
  rd_count_t              rd_mem                       [NumQps];
  logic      [NumQps-1:0] ud_q;  // service, as created

  logic cur_valid_q, row_ok_q, job_valid_q;
  qpn_t cur_q;
  logic [7:0] rows_q, rows_d;  // PSNs of the current READ request still without metadata
  tx_job_t job_q;
  sq_qpc_t qpc, cfg_qpc;
  qpn_t cfg_qpn;
  logic
      cfg_qp,
      pause,
      active,
      has_work,
      can_send,
      can_flush,
      refetch,
      fire,
      flush,
      step,
      done_wr,
      stay,
      more,
      fetch_next,
      pop;
  logic ud, mid, hold, fits, job_free, init, init_cur, tell, win_open, first, last, query, every, ackreq;
  logic [23:0] next, in_flight;
  ptr_t head, head_next;
  logic [31:0] ofs_row, ofs;
  logic [7:0] since, cut_rows;
  logic [8:0] since_next;
  rd_count_t rd_sent;
  logic [63:0] slot_addr;
  tx_hdr_t cut_hdr, hdr;

  assign cfg_qp = is_qp_row(cfg_i, NumQps);
  assign pause = cfg_valid_i && !cfg_i.is_region;
  assign init = cfg_go_i && cfg_qp && cfg_i.init;
  assign init_cur = init && cfg_qpn == cur_q;
  assign cfg_qpn = cfg_i.index[QpW-1:0];
  assign cfg_qpc = '{
          pmtu: cfg_i.qpc.pmtu,
          timeout: cfg_i.qpc.timeout,
          dest_qpn: cfg_i.qpc.dest_qpn,
          neigh: cfg_i.qpc.neigh,
          sport: cfg_i.qpc.sport
      };

  prim_ram_1r1w #(
    .T    (sq_qpc_t),
    .Depth(NumQps)
  ) u_qpc (
    .clk_i,
    .re_i   (pop || refetch),
    .raddr_i(pop ? list_qpn_i : cur_q),
    .rdata_o(qpc),
    .we_i   (cfg_go_i && cfg_qp),
    .waddr_i(cfg_qpn),
    .wdata_i(cfg_qpc)
  );

  // ---- Decision on the current QP ------------------------------------------------------------------------------------

  assign ud = ud_q[cur_q];
  assign next = ud ? next_mem[cur_q] + ofs_row[23:0] : next_mem[cur_q];
  assign head = head_mem[cur_q];
  assign ofs_row = ofs_mem[cur_q];
  assign ofs = ud ? '0 : ofs_row;
  assign since = ack_mem[cur_q];
  assign rd_sent = rd_mem[cur_q];
  assign head_next = head + 1'b1;
  assign in_flight = ud ? '0 : next - una_i;

  roce_sq_cut #(
    .Window(Window)
  ) u_cut (
    .wr_i,
    .ofs_i  (ofs),
    .rows_i (rows_q),
    .qpc_i  (qpc),
    .ud_i   (ud),
    .qpn_i  (24'(cur_q)),
    .psn_i  (next),
    .first_o(first),
    .last_o (last),
    .query_o(query),
    .rows_o (cut_rows),
    .hdr_o  (cut_hdr),
    .cpl_o  (send_cpl_o)
  );

  assign active = cur_valid_q && !pause;
  assign has_work = head != tail_i;
  assign mid = rows_q != '0;
  assign fits = 24'(cut_rows) <= 24'(Window) - in_flight &&
                (!query || rd_count_t'(rd_sent - rd_done_i) < rd_count_t'(RD_ATOMIC));
  assign can_send = active && row_ok_q && has_work && !dead_i &&
                    (mid || (!held_i && !paced_i && !(drain_i && first) && fits));
  assign can_flush = active && row_ok_q && has_work && dead_i && in_flight == '0;
  assign refetch = active && !row_ok_q;
  assign job_free = !job_valid_q || job_ready_i;
  assign tell = ud && wr_i.signaled;
  assign fire = can_send && (mid || (job_free && (!tell || cpl_ready_i)));
  assign flush = can_flush && cpl_ready_i;
  assign step = fire || flush;

  assign win_open = in_flight + 24'd1 < 24'(Window);
  assign since_next = {1'b0, since} + 9'd1;
  assign every = glb_i.ackreq_every != '0 && since_next >= {1'b0, glb_i.ackreq_every};
  assign ackreq = cut_hdr.ackreq || every || !win_open || limited_i;

  // What the QP could do next, and whether it keeps its turn.
  assign rows_d = fire ? cut_rows - 8'd1 : '0;
  assign hold = rows_d != '0;
  assign done_wr = flush || last;
  assign more = hold || ((!done_wr || head_next != tail_i) && (flush || win_open));
  assign stay = more && (hold || !(list_valid_i && !list_busy_i));
  assign fetch_next = step && done_wr && stay;
  assign requeue_o = step && more && !hold && list_valid_i && !list_busy_i;
  assign delist_o = (step && !more) || (active && row_ok_q && !can_send && !can_flush);

  assign park_o = active && row_ok_q && has_work && !dead_i && !can_send && paced_i;

  assign list_ready_o = !pause && (!cur_valid_q || requeue_o || delist_o);
  assign pop = list_valid_i && list_ready_o;
  assign wr_re_o = pop || fetch_next || refetch;
  assign wr_addr_o    = pop ? {list_qpn_i, head_mem[list_qpn_i][SqW-1:0]} :
                        {cur_q, fetch_next ? head_next[SqW-1:0] : head[SqW-1:0]};

  assign cur_qpn_o = cur_q;
  assign head_o = head_mem[head_qpn_i];
  assign req_next_o = next_mem[req_qpn_i];
  assign retry_next_o = next_mem[retry_qpn_i];

  // ---- The packet --------------------------------------------------------------------------------------------------

  assign send_o = fire && !ud;
  assign sent_valid_o = fire && !mid;
  assign sent_o = '{qpn: 24'(cur_q), psn: next, opcode: hdr.opcode, len: hdr.len, timed: ackreq && !query && !ud};
  assign send_qpn_o = cur_q;
  assign send_timeout_o = qpc.timeout;
  assign send_slot_o = {cur_q, next[WinW-1:0]};
  assign slot_addr = glb_i.ring_base + (64'(send_slot_o) << 12);
  assign send_pkt_o = '{
          opcode: hdr.opcode,
          se: hdr.se,
          ackreq: ackreq,
          ext: hdr.ext,
          len: hdr.len,
          rows: cut_rows
      };

  always_comb begin
    hdr        = cut_hdr;
    hdr.ackreq = ackreq;
  end

  assign cpl_o = '{
          qpn: 24'(cur_q),
          wr_id: wr_i.wr_id,
          status: !can_flush ? CPL_OK : first ? CPL_FLUSHED : fail_i,
          orig: '0
      };
  assign cpl_valid_o = can_flush || (can_send && tell && job_free);
  assign job_o = job_q;
  assign job_valid_o = job_valid_q;
  assign quiet_o = !cur_valid_q && !list_valid_i && !job_valid_q;

  always_ff @(posedge clk_i) begin
    if (fire && !mid) begin
      job_q.hdr       <= hdr;
      job_q.src       <= query ? SRC_NONE : wr_i.src;
      job_q.addr      <= wr_i.laddr + 64'(ofs);
      job_q.ring_we   <= !ud && hdr.len != '0;
      job_q.ring_rd   <= 1'b0;
      job_q.ring_addr <= slot_addr;
      job_q.data      <= wr_i.data;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      cur_valid_q <= 1'b0;
      row_ok_q    <= 1'b0;
      job_valid_q <= 1'b0;
      rows_q      <= '0;
      ud_q        <= '0;
      cur_q       <= '0;
    end else begin
      if (list_ready_o) cur_valid_q <= list_valid_i;
      if (pop) cur_q <= list_qpn_i;
      // A row read while it is written is stale: fetched once more. So is a context that has just been rewritten.
      if (wr_re_o) row_ok_q <= !(push_i && push_addr_i == wr_addr_o);
      else if ((cfg_go_i && !cfg_i.is_region) || (step && done_wr)) row_ok_q <= 1'b0;
      if (step || delist_o || init_cur) rows_q <= init_cur ? '0 : rows_d;
      if (init) ud_q[cfg_qpn] <= cfg_i.qpc.svc == SVC_UD;
      if (fire && !mid) job_valid_q <= 1'b1;
      else if (job_ready_i) job_valid_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (init) begin
      next_mem[cfg_qpn] <= cfg_i.sq_psn;
      head_mem[cfg_qpn] <= '0;
      ofs_mem[cfg_qpn]  <= '0;
      ack_mem[cfg_qpn]  <= '0;
      rd_mem[cfg_qpn]   <= '0;
    end else if (step) begin
      if (done_wr) head_mem[cur_q] <= head_next;
      if (ud) ofs_mem[cur_q] <= fire ? ofs_row + 32'd1 : ofs_row;
      else ofs_mem[cur_q] <= done_wr ? '0 : ofs + 32'(pmtu_bytes(qpc.pmtu));
      if (fire && !ud) begin
        next_mem[cur_q] <= next + 24'd1;
        ack_mem[cur_q]  <= ackreq ? '0 : since_next[7:0];
        if (query && !mid) rd_mem[cur_q] <= rd_sent + 1'b1;
      end
    end
  end

  `PRIM_ASSERT_STREAM(job_out, job_valid_o, job_ready_i, job_o)
  `PRIM_ASSERT(window_kept, !fire || in_flight < 24'(Window), "more packets in flight than the window")
  `PRIM_ASSERT(read_whole, !(fire && mid) || query, "the PSNs of a READ request went to another work request")

endmodule
