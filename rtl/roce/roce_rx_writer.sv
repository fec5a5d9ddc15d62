// SPDX-License-Identifier: Apache-2.0
// Carries out rx_cmd_t in order on the payload: AXI4 writes to HBM or host memory at any byte alignment, RPCs to the
// dispatcher, drops. Latency 1 from command and payload to AW, W or RPC valid; one beat a cycle sustained, no bubble
// between commands; an unaligned write has one more beat than payload at most.
// Bursts end at 4 KiB boundaries (two a command at most); any number of bursts may be outstanding. A command starts when
// everything before it was taken by the memory or the dispatcher, not when memory has answered.
// An inline command takes its 8 bytes from itself and nothing from the payload.
// done_o, bad_o: see roce_wr_track.
// Back-pressure: stalls cmd_ready_o and pay_ready_o. Bad responses of memory are counted one by one.
`include "prim_assert.svh"
module roce_rx_writer
  import axis_pkg::*;
  import roce_pkg::*;
#(
  parameter int unsigned DoneBits = 8
) (
  input logic clk_i,
  input logic rst_i,

  // Commands and their payload
  input  rx_cmd_t         cmd_i,
  input  logic            cmd_valid_i,
  output logic            cmd_ready_o,
  input  logic    [511:0] pay_i,
  input  logic            pay_valid_i,
  output logic            pay_ready_o,

  // To the dispatcher
  output roce_rpc_t rpc_o,
  output logic      rpc_valid_o,
  input  logic      rpc_ready_i,

  // HBM write port
  output axi_addr_t hbm_aw_o,
  output logic      hbm_aw_valid_o,
  input  logic      hbm_aw_ready_i,
  output axi_w_t    hbm_w_o,
  output logic      hbm_w_valid_o,
  input  logic      hbm_w_ready_i,
  input  axi_b_t    hbm_b_i,
  input  logic      hbm_b_valid_i,
  output logic      hbm_b_ready_o,

  // Host memory write port
  output axi_addr_t host_aw_o,
  output logic      host_aw_valid_o,
  input  logic      host_aw_ready_i,
  output axi_w_t    host_w_o,
  output logic      host_w_valid_o,
  input  logic      host_w_ready_i,
  input  axi_b_t    host_b_i,
  input  logic      host_b_valid_i,
  output logic      host_b_ready_o,

  // Commands in memory so far, modulo 2^DoneBits; the newest of them failed
  output logic [DoneBits-1:0] done_o,
  output logic                bad_o,
  output logic [        23:0] bad_qpn_o,

  output roce_rx_stats_t stats_o,
  output logic           quiet_o
);

  localparam logic [1023:0] LOW_ONES = {512'd0, {512{1'b1}}};

  // ---- The command at the head, cut into beats and bursts ------------------------------------------------------------

  logic is_mem, more_pay, last_beat, burst_start, burst_end, go, step;
  logic [5:0] ofs, end_ofs, page_beat;
  logic [6:0] beat_q;  // beat of the command that comes next
  logic [6:0] pay_beats, out_beats, to_page, burst_beats;

  assign is_mem      = cmd_i.target == RX_HBM || cmd_i.target == RX_HOST;
  assign ofs         = is_mem ? cmd_i.addr[5:0] : 6'd0;
  assign page_beat   = cmd_i.addr[11:6];
  assign end_ofs     = ofs + cmd_i.len[5:0];
  assign pay_beats   = cmd_i.inl ? 7'd0 : 7'((cmd_i.len + 13'd63) >> 6);
  assign out_beats   = 7'((14'(cmd_i.len) + 14'(ofs) + 14'd63) >> 6);
  assign to_page     = 7'd64 - 7'(page_beat);  // beats before the 4 KiB boundary

  assign more_pay    = beat_q < pay_beats;
  assign last_beat   = beat_q == out_beats - 7'd1;
  assign burst_start = beat_q == '0 || beat_q == to_page;
  assign burst_end   = last_beat || beat_q == to_page - 7'd1;
  assign burst_beats = beat_q != '0 ? out_beats - to_page : out_beats < to_page ? out_beats : to_page;

  // ---- Registers of the outputs: data shared by both memories ---------------------------------------------------------

  logic hbm_aw_valid_q, hbm_w_valid_q, host_aw_valid_q, host_w_valid_q, rpc_valid_q;
  logic aw_free, w_free, rpc_free, track_room, track_quiet;
  axi_addr_t aw_q;
  axi_w_t w_q;
  roce_rpc_t rpc_q;
  logic [511:0] prev_q;  // payload beat before the one at pay_i

  assign aw_free = (!hbm_aw_valid_q || hbm_aw_ready_i) && (!host_aw_valid_q || host_aw_ready_i);
  assign w_free = (!hbm_w_valid_q || hbm_w_ready_i) && (!host_w_valid_q || host_w_ready_i);
  assign rpc_free = !rpc_valid_q || rpc_ready_i;

  // Inside a burst only W need be free; where something new starts, everything before it must be gone.
  assign go = w_free && (!burst_start || !is_mem || aw_free) && (beat_q != '0 || (aw_free && rpc_free)) && track_room;
  assign step = cmd_valid_i && go && (!more_pay || pay_valid_i);

  assign pay_ready_o = cmd_valid_i && go && more_pay;
  assign cmd_ready_o = step && last_beat;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      beat_q          <= '0;
      hbm_aw_valid_q  <= 1'b0;
      hbm_w_valid_q   <= 1'b0;
      host_aw_valid_q <= 1'b0;
      host_w_valid_q  <= 1'b0;
      rpc_valid_q     <= 1'b0;
    end else begin
      if (step) beat_q <= last_beat ? '0 : beat_q + 7'd1;
      if (aw_free) hbm_aw_valid_q <= step && burst_start && cmd_i.target == RX_HBM;
      if (aw_free) host_aw_valid_q <= step && burst_start && cmd_i.target == RX_HOST;
      if (w_free) hbm_w_valid_q <= step && cmd_i.target == RX_HBM;
      if (w_free) host_w_valid_q <= step && cmd_i.target == RX_HOST;
      if (rpc_free) rpc_valid_q <= step && cmd_i.target == RX_RPC;
    end
  end

  always_ff @(posedge clk_i) begin
    if (step && is_mem) begin
      logic [1023:0] pay_pair;
      pay_pair = {cmd_i.inl ? {448'd0, cmd_i.data} : pay_i, prev_q};
      w_q.data <= pay_pair[{7'd64-7'(ofs), 3'd0}+:512];
      w_q.strb <= (beat_q == '0 ? {64{1'b1}} << ofs : {64{1'b1}}) & ((last_beat && end_ofs != '0) ? strobes(
          7'(end_ofs)
      ) : {64{1'b1}});
      w_q.last <= burst_end;
      if (burst_start) begin
        aw_q <= '{id: 4'd0, addr: {cmd_i.addr[63:6] + 58'(beat_q), 6'd0}, len: 8'(burst_beats) - 8'd1};
      end
    end
    if (step && cmd_i.inl) prev_q <= {448'd0, cmd_i.data};
    else if (step && more_pay) prev_q <= pay_i;
    if (step && cmd_i.target == RX_RPC) begin
      rpc_q <= '{qpn: cmd_i.qpn, len: cmd_i.len[6:0], data: pay_i & LOW_ONES[{7'd64-cmd_i.len[6:0], 3'd0}+:512]};
    end
  end

  assign rpc_o           = rpc_q;
  assign rpc_valid_o     = rpc_valid_q;
  assign hbm_aw_o        = aw_q;
  assign hbm_aw_valid_o  = hbm_aw_valid_q;
  assign hbm_w_o         = w_q;
  assign hbm_w_valid_o   = hbm_w_valid_q;
  assign host_aw_o       = aw_q;
  assign host_aw_valid_o = host_aw_valid_q;
  assign host_w_o        = w_q;
  assign host_w_valid_o  = host_w_valid_q;

  // ---- Responses: errors are counted; of two in one cycle the host's waits ---------------------------------------------

  logic hbm_err, host_err;

  assign hbm_b_ready_o  = 1'b1;
  assign hbm_err        = hbm_b_valid_i && hbm_b_i.resp != '0;
  assign host_b_ready_o = !hbm_err;
  assign host_err       = host_b_valid_i && host_b_i.resp != '0;

  roce_wr_track #(
    .DoneBits(DoneBits)
  ) u_track (
    .clk_i,
    .rst_i,
    .push_i    (cmd_ready_o),
    .target_i  (cmd_i.target),
    .bursts_i  (out_beats > to_page ? 2'd2 : 2'd1),
    .qpn_i     (cmd_i.qpn),
    .room_o    (track_room),
    .hbm_b_i   (hbm_b_valid_i),
    .hbm_bad_i (hbm_b_i.resp[1]),
    .host_b_i  (host_b_valid_i && host_b_ready_o),
    .host_bad_i(host_b_i.resp[1]),
    .done_o,
    .bad_o,
    .bad_qpn_o,
    .quiet_o   (track_quiet)
  );

  always_comb begin
    stats_o         = '0;
    stats_o.rpc     = rpc_valid_q && rpc_ready_i;
    stats_o.mem_err = hbm_err || host_err;
  end

  assign quiet_o = !cmd_valid_i && !hbm_b_valid_i && !host_b_valid_i && !hbm_aw_valid_q && !hbm_w_valid_q &&
      !host_aw_valid_q && !host_w_valid_q && !rpc_valid_q && track_quiet;

  `PRIM_ASSERT(cmd_len, cmd_valid_i -> cmd_i.len != '0 && cmd_i.len <= 13'd4096,
               "a command without payload, or too long")
  `PRIM_ASSERT(cmd_inl, cmd_valid_i && cmd_i.inl -> is_mem && cmd_i.len == 13'd8,
               "an inline command that is no write of 8 bytes")
  `PRIM_ASSERT(rpc_len, cmd_valid_i && cmd_i.target == RX_RPC -> cmd_i.len <= 13'd64, "an RPC of more than one beat")
  `PRIM_ASSERT_STREAM(rpc_out, rpc_valid_o, rpc_ready_i, rpc_o)
  `PRIM_ASSERT_STREAM(hbm_aw_out, hbm_aw_valid_o, hbm_aw_ready_i, hbm_aw_o)
  `PRIM_ASSERT_STREAM(hbm_w_out, hbm_w_valid_o, hbm_w_ready_i, hbm_w_o)
  `PRIM_ASSERT_STREAM(host_aw_out, host_aw_valid_o, host_aw_ready_i, host_aw_o)
  `PRIM_ASSERT_STREAM(host_w_out, host_w_valid_o, host_w_ready_i, host_w_o)

endmodule
