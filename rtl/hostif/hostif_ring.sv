// SPDX-License-Identifier: Apache-2.0
// Reads posted entries of every QP's ring out of host memory: doorbells in, entries with their data out.
//
//   doorbell, credit -> list of QPs with work -> one burst of up to MaxBurst entries -> data buffer -> entry
//
// Round robin: a QP gets one burst, then goes to the end of the list. At most Credits entries of a QP are fetched and not yet
// given back through done_i, so the queue behind never fills up because of one QP. Room in the data buffer is reserved before
// a burst is asked for: read data are always taken, whatever happens downstream. Bursts never cross the end of a ring or 4 KiB.
// Up to MaxBursts bursts are outstanding. Latency: doorbell to read address 4 cycles, last beat of an entry to entry_valid_o
// 1 cycle.
// Push: a doorbell whose last entry stands in registers is taken without a fetch (push_take_o) when nothing of any QP is
// being fetched and it is the only entry posted; else it is an ordinary doorbell.
// Bad input: a doorbell for a QP without a valid row or with more entries than the ring has is dropped (bad_db_o). Entries
// whose row was written anew meanwhile are dropped (stale_o).
`include "prim_assert.svh"
module hostif_ring
  import axis_pkg::*;
  import prim_pkg::*;
  import hostif_pkg::*;
#(
  parameter int unsigned       NumQps        = 256,
  parameter int unsigned       Beats         = 2,    // 64-byte beats of an entry, 1 or 2
  parameter int unsigned       MaxBurst      = 8,    // entries
  parameter int unsigned       MaxBursts     = 32,
  parameter int unsigned       BufferEntries = 64,
  parameter int unsigned       Credits       = 16,
  parameter logic        [3:0] AxiId         = 4'd0
) (
  input logic clk_i,
  input logic rst_i,

  // Table writes: row_i is the ring of QP cfg_i.index
  input  hostif_cfg_t cfg_i,
  input  ring_cfg_t   row_i,
  input  logic        cfg_valid_i,
  input  logic        cfg_go_i,
  output logic        cfg_ready_o,

  // Doorbells, always taken
  input  doorbell_t db_i,
  input  logic      db_valid_i,
  input  logic      db_push_i,
  input  logic      push_room_i,
  output logic      push_take_o,
  output entry_t    push_entry_o,

  // An entry is done with
  input  logic [idx_width(NumQps)-1:0] done_qpn_i,
  input  logic                         done_valid_i,
  output logic                         done_ready_o,

  // Host memory reads; data are always taken
  output axi_addr_t ar_o,
  output logic      ar_valid_o,
  input  logic      ar_ready_i,
  input  axi_r_t    r_i,
  input  logic      r_valid_i,

  // Entries
  output entry_t                 entry_o,
  output logic   [Beats*512-1:0] entry_data_o,
  output logic                   entry_valid_o,
  input  logic                   entry_ready_i,

  output logic bad_db_o,
  output logic burst_o,
  output logic stale_o,
  output logic mem_err_o,
  output logic quiet_o
);

  localparam int unsigned QpW = idx_width(NumQps);
  localparam int unsigned PageEntries = 64 / Beats;  // entries in 4 KiB
  localparam int unsigned PageW = $clog2(PageEntries);
  localparam int unsigned RoomW = cnt_width(BufferEntries);
  typedef logic [15:0] count_t;
  typedef logic [QpW-1:0] qp_t;

  typedef enum logic [2:0] {
    StIdle,
    StLook,   // state of the QP -> how many entries
    StCheck,
    StAddr,   // read address waits
    StRelist
  } state_e;

  typedef struct packed {
    qp_t        qpn;
    logic [3:0] epoch;
    count_t     first;
    logic [3:0] entries;
  } burst_t;

  typedef struct packed {
    entry_t               entry;
    logic [Beats*512-1:0] data;
  } slot_t;

  // Per QP: row, and counts of entries posted (doorbell), fetched (engine) and done with. One writer each. They start as zero,
  // as FPGA RAM does: no row is valid.
  ring_cfg_t row_mem[NumQps];
  logic [3:0] epoch_mem[NumQps];
  count_t posted_mem[NumQps];
  count_t fetched_mem[NumQps];
  count_t done_mem[NumQps];
  logic [NumQps-1:0] listed_q;

  state_e state_q, state_d;
  qp_t qpn_q, db_qpn, list_qpn, list_in;
  ring_cfg_t row_q, db_row;
  count_t fetched_q, posted_q, credit_q;
  logic [3:0] entries_q, entries_d, epoch_q;
  logic [RoomW-1:0] reserved_q;
  logic db_in_range, db_ok, db_list, done, done_list, relist, list_push, list_valid, list_pop, list_ready;
  logic addr_go, more, cfg_we, push_ok;
  count_t db_ahead, offset, page_left;
  burst_t burst, burst_new;
  logic burst_valid, burst_ready, r_entry, r_burst_end;
  logic [  3:0] r_count_q;
  logic [511:0] first_q;
  logic half_q, half_err_q;
  slot_t slot_new, slot;
  logic slot_valid, slot_ready, slot_room, fresh, pop;
  qp_t slot_qpn;

  // ---- Doorbells ---------------------------------------------------------------------------------------------------
  assign db_qpn = db_i.number[QpW-1:0];
  assign db_in_range = 32'(db_i.number) < NumQps;
  assign db_row = row_mem[db_qpn];
  assign db_ahead = db_i.index - fetched_mem[db_qpn];
  assign db_ok = db_valid_i && db_in_range && db_row.valid && db_ahead <= (16'd1 << db_row.log2);
  assign bad_db_o = db_valid_i && !db_ok;
  assign push_ok     = db_ok && db_push_i && push_room_i && db_ahead == 16'd1 && reserved_q == '0 && state_q == StIdle &&
                       !list_valid && count_t'(fetched_mem[db_qpn] - done_mem[db_qpn]) < count_t'(Credits);
  assign push_take_o = push_ok;
  assign db_list = db_ok && !push_ok && !listed_q[db_qpn];
  always_comb begin
    push_entry_o = '{err: 1'b0, qpn: 24'(db_qpn), epoch: epoch_mem[db_qpn], index: db_i.index - 16'd1};
  end

  // ---- Credits -----------------------------------------------------------------------------------------------------
  assign done_ready_o = !db_valid_i;
  assign done         = done_valid_i && done_ready_o;
  assign done_list    = done && !listed_q[done_qpn_i] && posted_mem[done_qpn_i] != fetched_mem[done_qpn_i];

  // ---- List of QPs that may have work ------------------------------------------------------------------------------
  assign relist       = state_q == StRelist && !db_valid_i && !done_valid_i;
  assign list_push    = db_list || done_list || (relist && !listed_q[qpn_q]);
  assign list_in      = db_list ? db_qpn : done_list ? done_qpn_i : qpn_q;
  assign list_pop     = state_q == StIdle && list_valid && !cfg_valid_i;

  prim_fifo #(
    .T    (qp_t),
    .Depth(NumQps)
  ) u_list (
    .clk_i,
    .rst_i,
    .data_i (list_in),
    .valid_i(list_push),
    .ready_o(list_ready),
    .data_o (list_qpn),
    .valid_o(list_valid),
    .ready_i(list_pop),
    .count_o()
  );

  // ---- Engine ------------------------------------------------------------------------------------------------------
  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StIdle:   if (list_pop) state_d = StLook;
      StLook:   state_d = StCheck;
      // Work without credit: done_i lists the QP again. Work without room in the buffer: look again.
      StCheck: begin
        if (entries_d != '0) state_d = StAddr;
        else if (posted_q != fetched_q && credit_q != '0 && row_q.valid) state_d = StLook;
        else state_d = StIdle;
      end
      StAddr:   if (addr_go) state_d = more ? StRelist : StIdle;
      StRelist: if (relist) state_d = StIdle;
      default:  state_d = StIdle;
    endcase
  end

  assign offset    = fetched_q & ((16'd1 << row_q.log2) - 16'd1);
  assign page_left = count_t'(PageEntries) - count_t'(offset[PageW-1:0]);

  always_comb begin
    count_t n;
    n = count_t'(posted_q - fetched_q);
    if (n > credit_q) n = credit_q;
    if (n > count_t'(MaxBurst)) n = count_t'(MaxBurst);
    if (n > page_left) n = page_left;
    if (n > (16'd1 << row_q.log2) - offset) n = (16'd1 << row_q.log2) - offset;
    if (n > count_t'(BufferEntries) - count_t'(reserved_q)) n = count_t'(BufferEntries) - count_t'(reserved_q);
    entries_d = row_q.valid && burst_ready ? n[3:0] : '0;
  end

  assign ar_o.id    = AxiId;
  assign ar_o.addr  = {row_q.page, 12'd0} + 64'(offset) * 64'(64 * Beats);
  assign ar_o.len   = 8'(entries_q) * 8'(Beats) - 8'd1;
  assign ar_valid_o = state_q == StAddr;
  assign addr_go    = ar_valid_o && ar_ready_i;
  assign more       = count_t'(fetched_q + count_t'(entries_q)) != posted_q && credit_q != count_t'(entries_q);
  assign burst_o    = addr_go;
  assign burst_new  = '{qpn: qpn_q, epoch: epoch_q, first: fetched_q, entries: entries_q};

  prim_fifo #(
    .T    (burst_t),
    .Depth(MaxBursts)
  ) u_bursts (
    .clk_i,
    .rst_i,
    .data_i (burst_new),
    .valid_i(addr_go),
    .ready_o(burst_ready),
    .data_o (burst),
    .valid_o(burst_valid),
    .ready_i(r_burst_end),
    .count_o()
  );

  // ---- Read data -> entries ----------------------------------------------------------------------------------------
  assign r_entry     = r_valid_i && (Beats == 1 || half_q);
  assign r_burst_end = r_entry && r_count_q + 4'd1 == burst.entries;
  assign mem_err_o   = r_valid_i && r_i.resp != '0;
  always_comb begin
    slot_new.entry = '{
        err: r_i.resp != '0 || (Beats == 2 && half_err_q),
        qpn: 24'(burst.qpn),
        epoch: burst.epoch,
        index: burst.first + count_t'(r_count_q)
    };
  end
  if (Beats == 2) begin : gen_two
    assign slot_new.data = {r_i.data, first_q};
  end else begin : gen_one
    assign slot_new.data = r_i.data;
  end

  prim_fifo #(
    .T    (slot_t),
    .Depth(BufferEntries)
  ) u_buffer (
    .clk_i,
    .rst_i,
    .data_i (slot_new),
    .valid_i(r_entry),
    .ready_o(slot_room),
    .data_o (slot),
    .valid_o(slot_valid),
    .ready_i(slot_ready),
    .count_o()
  );

  assign slot_qpn      = slot.entry.qpn[QpW-1:0];
  assign fresh         = slot.entry.epoch == epoch_mem[slot_qpn];
  assign entry_o       = slot.entry;
  assign entry_data_o  = slot.data;
  assign entry_valid_o = slot_valid && fresh;
  assign slot_ready    = entry_ready_i || !fresh;
  assign pop           = slot_valid && slot_ready;
  assign stale_o       = pop && !fresh;

  // ---- State -------------------------------------------------------------------------------------------------------
  assign cfg_ready_o   = state_q == StIdle && !db_valid_i && !done_valid_i;
  assign cfg_we        = cfg_go_i && !cfg_i.is_cq;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q    <= StIdle;
      listed_q   <= '0;
      reserved_q <= '0;
      r_count_q  <= '0;
      half_q     <= 1'b0;
    end else begin
      state_q <= state_d;
      if (list_pop) listed_q[list_qpn] <= 1'b0;
      if (list_push) listed_q[list_in] <= 1'b1;
      if (addr_go || pop) reserved_q <= reserved_q + (addr_go ? RoomW'(entries_q) : '0) - RoomW'(pop);
      if (r_valid_i) half_q <= Beats == 2 && !half_q;
      if (r_entry) r_count_q <= r_burst_end ? '0 : r_count_q + 4'd1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (list_pop) qpn_q <= list_qpn;
    if (state_q == StLook) begin
      row_q     <= row_mem[qpn_q];
      epoch_q   <= epoch_mem[qpn_q];
      posted_q  <= posted_mem[qpn_q];
      fetched_q <= fetched_mem[qpn_q];
      credit_q  <= count_t'(Credits) - (fetched_mem[qpn_q] - done_mem[qpn_q]);
    end
    if (state_q == StCheck) entries_q <= entries_d;
    if (r_valid_i && Beats == 2 && !half_q) begin
      first_q    <= r_i.data;
      half_err_q <= r_i.resp != '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (cfg_we) row_mem[cfg_i.index[QpW-1:0]] <= row_i;
    if (cfg_we) epoch_mem[cfg_i.index[QpW-1:0]] <= epoch_mem[cfg_i.index[QpW-1:0]] + 4'd1;
    if (cfg_we) posted_mem[cfg_i.index[QpW-1:0]] <= '0;
    else if (db_ok) posted_mem[db_qpn] <= db_i.index;
    if (cfg_we) fetched_mem[cfg_i.index[QpW-1:0]] <= '0;
    else if (push_ok) fetched_mem[db_qpn] <= db_i.index;
    else if (addr_go) fetched_mem[qpn_q] <= fetched_q + count_t'(entries_q);
    if (cfg_we) done_mem[cfg_i.index[QpW-1:0]] <= '0;
    else if (done) done_mem[done_qpn_i] <= done_mem[done_qpn_i] + 16'd1;
  end

  assign quiet_o = state_q == StIdle && !list_valid && !db_valid_i && !done_valid_i && !r_valid_i && !slot_valid && !cfg_valid_i;

  `PRIM_ASSERT(list_room, !list_push || list_ready, "the list of QPs is full although each is in it once at most")
  `PRIM_ASSERT(burst_known, !r_valid_i || burst_valid, "read data without a burst")
  `PRIM_ASSERT(buffer_room, !r_entry || slot_room, "an entry arrives without room reserved for it; it would be lost")
  `PRIM_ASSERT(credits_kept, state_q != StCheck || credit_q <= count_t'(Credits), "more entries done than fetched")
  `PRIM_ASSERT_STREAM(ar, ar_valid_o, ar_ready_i, ar_o)

endmodule
