// SPDX-License-Identifier: Apache-2.0
// Takes packet jobs in order, asks the memory for their payload and queues what is needed to receive it.
//
// A job without a memory read is taken in one cycle. One with a read takes a cycle a burst (two when the payload crosses a
// 4 KiB boundary) and waits for room in the payload buffer, which is reserved here: so what was asked for can always be
// received. With BufBeats = 512 up to 32 KiB are on the way or buffered.
// A retransmission (ring_rd) waits until no write of the ring is pending. A first transmission (ring_we) with payload
// claims its ring write when it is taken, so "pending" covers everything before in the order of jobs.
// Bad input: an opcode without a frame here, len > 4096, inline with len > 64, or len > 0 without a source: the job is
// dropped, bad_o pulses.
`include "prim_assert.svh"
module roce_tx_fetch
  import axis_pkg::*;
  import prim_pkg::*;
  import roce_pkg::*;
  import roce_wire_pkg::*;
#(
  parameter int unsigned BufBeats = 512
) (
  input logic clk_i,
  input logic rst_i,

  // Jobs
  input  tx_job_t job_i,
  input  logic    job_retry_i,
  input  logic    job_life_i,
  input  logic    job_valid_i,
  output logic    job_ready_o,

  // Read bursts
  output axi_addr_t hbm_ar_o,
  output logic      hbm_ar_valid_o,
  input  logic      hbm_ar_ready_i,
  output axi_addr_t host_ar_o,
  output logic      host_ar_valid_o,
  input  logic      host_ar_ready_i,

  // To roce_tx_align, in order of jobs
  output tx_desc_t desc_o,
  output logic     desc_valid_o,
  input  logic     desc_ready_i,

  // Payload buffer: beats that became free in this cycle
  input logic [6:0] freed_i,

  // Ring: a write is claimed; one more may be claimed; none is pending
  output logic ring_claim_o,
  input  logic ring_room_i,
  input  logic ring_idle_i,

  output logic bad_o,
  output logic quiet_o
);

  localparam int unsigned FreeW = cnt_width(BufBeats);

  function automatic logic sendable(input logic [7:0] opcode);
    unique case (opcode)
      OP_SEND_FIRST, OP_SEND_MIDDLE, OP_SEND_LAST, OP_SEND_LAST_IMM, OP_SEND_ONLY, OP_SEND_ONLY_IMM, OP_WRITE_FIRST,
      OP_WRITE_MIDDLE, OP_WRITE_LAST, OP_WRITE_LAST_IMM, OP_WRITE_ONLY, OP_WRITE_ONLY_IMM, OP_READ_REQUEST,
      OP_READ_RESP_FIRST, OP_READ_RESP_MIDDLE, OP_READ_RESP_LAST, OP_READ_RESP_ONLY, OP_ACK, OP_ATOMIC_ACK, OP_CMP_SWAP,
      OP_FETCH_ADD, OP_UD_SEND_ONLY, OP_UD_SEND_ONLY_IMM, OP_CNP:
      return 1'b1;
      default: return 1'b0;
    endcase
  endfunction

  logic has_data, in_memory, to_host, writes_ring, good;
  logic [12:0] span;  // bytes from the start of the first beat read to the end of the payload
  logic [6:0] src_beats, page_beats, buf_beats, burst_beats;
  logic split, second_q, room, queue_ready, ar_free, allowed;
  logic burst_go, simple_go;
  axi_addr_t burst, hbm_ar_q, host_ar_q;
  logic hbm_ar_valid_q, host_ar_valid_q;
  logic [FreeW-1:0] free_q;
  tx_desc_t desc;
  logic desc_push, moved_q;
  logic [5:0] unused_count;

  // ---- What the job needs --------------------------------------------------------------------------------------------
  assign has_data = job_i.hdr.len != '0;
  assign in_memory = has_data && (job_i.src inside {SRC_HBM, SRC_HOST});
  assign to_host = job_i.src == SRC_HOST;
  assign writes_ring = has_data && job_i.ring_we;
  assign good = sendable(
      job_i.hdr.opcode
  ) && (job_i.hdr.len <= 13'd4096) && !(has_data && job_i.src == SRC_NONE) &&
      !(job_i.src == SRC_INLINE && job_i.hdr.len > 13'd64);

  assign span = job_i.hdr.len + {7'd0, job_i.addr[5:0]};
  assign src_beats = span[12:6] + {6'd0, span[5:0] != '0};
  assign buf_beats = job_i.hdr.len[12:6] + {6'd0, job_i.hdr.len[5:0] != '0};
  assign page_beats = 7'd64 - {1'b0, job_i.addr[11:6]};
  assign split = src_beats > page_beats;
  assign burst_beats = second_q ? src_beats - page_beats : split ? page_beats : src_beats;

  // ---- May it go? ----------------------------------------------------------------------------------------------------
  assign room = free_q >= FreeW'(buf_beats);
  assign ar_free = to_host ? (!host_ar_valid_q || host_ar_ready_i) : (!hbm_ar_valid_q || hbm_ar_ready_i);
  assign allowed   = job_valid_i && good && queue_ready && (!writes_ring || ring_room_i) &&
                     (!job_i.ring_rd || ring_idle_i);
  assign simple_go = allowed && !in_memory;
  assign burst_go = second_q ? ar_free : allowed && in_memory && room && ar_free;
  assign desc_push = simple_go || (burst_go && (second_q || !split));

  assign bad_o = job_valid_i && !good;
  assign job_ready_o = desc_push || bad_o;
  assign ring_claim_o = desc_push && writes_ring;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      second_q <= 1'b0;
      free_q   <= FreeW'(BufBeats);
    end else begin
      if (burst_go) second_q <= split && !second_q;
      free_q <= free_q + FreeW'(freed_i) - ((burst_go && !second_q) ? FreeW'(buf_beats) : '0);
    end
  end

  // ---- Bursts --------------------------------------------------------------------------------------------------------
  assign burst = '{
          id: '0,
          addr: second_q ? {job_i.addr[63:12] + 52'd1, 12'd0} : {job_i.addr[63:6], 6'd0},
          len: {1'b0, burst_beats} - 8'd1
      };

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      hbm_ar_valid_q  <= 1'b0;
      host_ar_valid_q <= 1'b0;
    end else begin
      if (burst_go && !to_host) hbm_ar_valid_q <= 1'b1;
      else if (hbm_ar_ready_i) hbm_ar_valid_q <= 1'b0;
      if (burst_go && to_host) host_ar_valid_q <= 1'b1;
      else if (host_ar_ready_i) host_ar_valid_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (burst_go && !to_host) hbm_ar_q <= burst;
    if (burst_go && to_host) host_ar_q <= burst;
  end

  assign hbm_ar_o = hbm_ar_q;
  assign hbm_ar_valid_o = hbm_ar_valid_q;
  assign host_ar_o = host_ar_q;
  assign host_ar_valid_o = host_ar_valid_q;

  // ---- Queue ---------------------------------------------------------------------------------------------------------
  assign desc = '{
          pkt: '{life: job_life_i, gone: 1'b0, retry: job_retry_i, hdr: job_i.hdr},
          src: has_data ? job_i.src : SRC_NONE,
          offset: job_i.addr[5:0],
          ring_we: writes_ring,
          ring_rd: job_i.ring_rd,
          ring_page: job_i.ring_addr[63:12],
          data: job_i.data
      };

  prim_fifo #(
    .T    (tx_desc_t),
    .Depth(32)
  ) u_queue (
    .clk_i,
    .rst_i,
    .data_i (desc),
    .valid_i(desc_push),
    .ready_o(queue_ready),
    .data_o (desc_o),
    .valid_o(desc_valid_o),
    .ready_i(desc_ready_i),
    .count_o(unused_count)
  );

  // A packet that waits for its data is quiet, but for one cycle after the queue moved: the assertions on its output look
  // one cycle back.
  always_ff @(posedge clk_i) begin
    if (rst_i) moved_q <= 1'b0;
    else moved_q <= desc_push || (desc_valid_o && desc_ready_i);
  end

  assign quiet_o = !moved_q && !job_valid_i && !hbm_ar_valid_q && !host_ar_valid_q && (freed_i == '0);

  `PRIM_ASSERT_STREAM(fetch_hbm, hbm_ar_valid_o, hbm_ar_ready_i, hbm_ar_o)
  `PRIM_ASSERT_STREAM(fetch_host, host_ar_valid_o, host_ar_ready_i, host_ar_o)
  `PRIM_ASSERT(fetch_free, free_q <= FreeW'(BufBeats), "more payload beats were freed than reserved")

endmodule
