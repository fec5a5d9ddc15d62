// SPDX-License-Identifier: Apache-2.0
// Rate of each QP: DCQCN's reaction point or TIMELY, chosen by qpc.cc. Takes CNPs, RTT samples and bytes sent, gives costs in
// cycles a byte to roce_pacer. Timers are deadlines found by roce_cc_sweep.
//
// A QP's state is a function of its events and of their times alone: an event first lets every timer expire that was due by
// then, oldest first, and timers go on from their deadlines; how long an event waits does not matter. models/ref/cc_ref
// computes the same.
//
// One event at a time: a row is read, worked on and written, then the cost is divided out. In cycles from an event taken to
// the cost: CNP and timer 25, 1 more for each timer that was due, RTT 27 and 22 more for each of up to three divisions; an alpha
// update needs no division: 4. An event that its QP's mode does not know ends after 2 cycles.
// `init`, or a change of cc, brings the QP to line rate; table writes wait until no event is being worked on. Events that waited
// meanwhile count for the QP as it is then.
// Configuration without sense is survived: the minimum rate gives a finite cost, divisions by zero give the largest value.
module roce_cc
  import prim_pkg::*;
  import roce_cc_pkg::*;
#(
  parameter int unsigned NumQps     = 256,
  parameter int unsigned EventDepth = 64
) (
  input logic clk_i,
  input logic rst_i,

  input logic         [63:0] now_i,
  input roce_cc_cfg_t        cc_i,

  // A QP is written (only while ready): mode, whether it is created anew. ready: nothing is being worked on
  input  logic                         cfg_i,
  input  logic                         cfg_wait_i,  // one waits to be written: no event is begun
  input  logic [idx_width(NumQps)-1:0] cfg_qpn_i,
  input  logic                         cfg_init_i,
  input  logic [                  1:0] cfg_cc_i,
  output logic                         cfg_ready_o,

  // Events, never refused
  input logic                         cnp_i,
  input logic [idx_width(NumQps)-1:0] cnp_qpn_i,
  input logic                         rtt_i,
  input logic [idx_width(NumQps)-1:0] rtt_qpn_i,
  input logic [                 23:0] rtt_cycles_i,
  input logic                         sent_i,
  input logic [idx_width(NumQps)-1:0] sent_qpn_i,
  input logic [                 13:0] sent_bytes_i,

  // To roce_pacer
  output logic                             rate_valid_o,
  output logic     [idx_width(NumQps)-1:0] rate_qpn_o,
  output cc_cost_t                         rate_cost_o,

  output roce_cc_stats_t        stats_o,
  output logic                  quiet_o,
  output logic           [63:0] wake_at_o
);

  typedef logic [idx_width(NumQps)-1:0] qpn_t;

  typedef enum logic [2:0] {
    StIdle,
    StRow,     // the row has been read
    StDcqcn,   // one step a cycle: timers that were due, then the event
    StTimely,  // handed to roce_cc_timely
    StStore,   // the row is written
    StCost     // the cost is being divided out
  } state_e;

  localparam int unsigned RowW = $bits(cc_dcqcn_t) > $bits(cc_timely_t) ? $bits(cc_dcqcn_t) : $bits(cc_timely_t);

  state_e state_q, state_d;
  logic [NumQps-1:0] dcqcn_q, timely_q;  // mode of each QP
  logic [NumQps-1:0] known_q;  // the row means something

  // Event at hand
  cc_event_e kind_q, ev_kind;
  qpn_t qpn_q, ev_qpn, hit_qpn;
  cc_time_t at_q, ev_at;
  logic [31:0] arg_q, ev_arg;
  logic ev_valid, ev_lost, hit, take_event, take_hit, cfg_change, drop;

  logic [RowW-1:0] row;
  cc_dcqcn_t dc_q, dc_row, dc_next;
  cc_timely_t tm_row, tm_next;
  logic applied_q, alpha_due, timer_due, apply, dc_done, cut, bytes_due, changed_q, dcqcn;
  logic tm_start, tm_done, tm_used;
  cc_rate_t rate_before_q, rate_now;
  logic div_start, div_done, tm_div_start, cost_start;
  logic [39:0] div_num, quotient, tm_num;
  logic [23:0] div_den, tm_den;
  logic set, armed, events_quiet, sweep_quiet, div_quiet;
  cc_time_t deadline;
  logic cfg_rate_q;
  qpn_t cfg_qpn_q;

  // ---- Which event ---------------------------------------------------------------------------------------------------

  roce_cc_events #(
    .NumQps(NumQps),
    .Depth (EventDepth)
  ) u_events (
    .clk_i,
    .rst_i,
    .now_i,
    .byte_counter_i(cc_i.byte_counter),
    .cnp_i,
    .cnp_qpn_i,
    .rtt_i,
    .rtt_qpn_i,
    .rtt_cycles_i,
    .sent_i,
    .sent_qpn_i,
    .sent_bytes_i,
    .mark_i        (set),
    .mark_qpn_i    (qpn_q),
    .mark_armed_i  (dcqcn && dc_q.active),
    .mark_sent_i   (dc_q.mark),
    .disarm_i      (cfg_change),
    .disarm_qpn_i  (cfg_qpn_i),
    .kind_o        (ev_kind),
    .qpn_o         (ev_qpn),
    .at_o          (ev_at),
    .arg_o         (ev_arg),
    .valid_o       (ev_valid),
    .ready_i       (take_event),
    .lost_o        (ev_lost),
    .quiet_o       (events_quiet)
  );

  roce_cc_sweep #(
    .NumQps(NumQps)
  ) u_sweep (
    .clk_i,
    .rst_i,
    .now_i,
    .set_i      (set),
    .set_qpn_i  (qpn_q),
    .set_armed_i(armed),
    .set_at_i   (deadline),
    .clear_i    (cfg_change),
    .clear_qpn_i(cfg_qpn_i),
    .hit_qpn_o  (hit_qpn),
    .hit_o      (hit),
    .hit_ready_i(take_hit),
    .quiet_o    (sweep_quiet),
    .wake_at_o
  );

  assign cfg_ready_o = state_q == StIdle;
  assign cfg_change = cfg_i && cfg_ready_o && (cfg_init_i || dcqcn_q[cfg_qpn_i] != (cfg_cc_i == CC_DCQCN) ||
                                                 timely_q[cfg_qpn_i] != (cfg_cc_i == CC_TIMELY));
  assign take_event = state_q == StIdle && !cfg_wait_i && ev_valid;
  assign take_hit = state_q == StIdle && !cfg_wait_i && !ev_valid && hit;

  prim_ram_row #(
    .T    (logic [RowW-1:0]),
    .Depth(NumQps)
  ) u_rows (
    .clk_i,
    .re_i   (take_event || take_hit),
    .raddr_i(take_event ? ev_qpn : hit_qpn),
    .rdata_o(row),
    .we_i   (set),
    .waddr_i(qpn_q),
    .wdata_i(dcqcn ? RowW'(dc_q) : RowW'(tm_next))
  );

  assign dcqcn = dcqcn_q[qpn_q];
  assign drop = dcqcn ? (kind_q == CC_EV_RTT || (!known_q[qpn_q] && kind_q != CC_EV_CNP))
                      : (!timely_q[qpn_q] || kind_q != CC_EV_RTT);

  // ---- DCQCN ---------------------------------------------------------------------------------------------------------

  always_comb begin
    dc_row = cc_dcqcn_t'(row[$bits(cc_dcqcn_t)-1:0]);
    dc_row.active = known_q[qpn_q];
  end

  assign alpha_due = state_q == StDcqcn && dcqcn_alpha_due(cc_i, dc_q, at_q);
  assign timer_due = state_q == StDcqcn && !alpha_due && dcqcn_timer_due(cc_i, dc_q, at_q);
  assign apply = state_q == StDcqcn && !alpha_due && !timer_due && !applied_q;
  assign bytes_due = dc_q.active && cc_i.byte_counter != '0 && cc_reached(dc_q.mark + cc_i.byte_counter, arg_q);
  assign cut = apply && kind_q == CC_EV_CNP && dcqcn_cut_allowed(cc_i, dc_q, at_q);
  assign dc_done = state_q == StDcqcn && !alpha_due && !timer_due &&
                   (applied_q || !(cut || (kind_q == CC_EV_BYTES && bytes_due)));

  always_comb begin
    dc_next = dc_q;
    if (alpha_due) dc_next = dcqcn_alpha(cc_i, dc_q);
    else if (timer_due) dc_next = dcqcn_raise(cc_i, dc_q, 1'b1);
    else if (cut) dc_next = dcqcn_cut(cc_i, dc_q, at_q, arg_q);
    else if (apply && kind_q == CC_EV_BYTES && bytes_due) dc_next = dcqcn_raise(cc_i, dc_q, 1'b0);
  end

  // ---- TIMELY --------------------------------------------------------------------------------------------------------

  assign tm_row   = known_q[qpn_q] ? cc_timely_t'(row[$bits(cc_timely_t)-1:0]) : timely_fresh(cc_i, at_q);
  assign tm_start = state_q == StRow && !drop && !dcqcn;

  roce_cc_timely u_timely (
    .clk_i,
    .rst_i,
    .cc_i,
    .start_i    (tm_start),
    .row_i      (tm_row),
    .rtt_i      (arg_q[23:0]),
    .at_i       (at_q),
    .div_start_o(tm_div_start),
    .div_num_o  (tm_num),
    .div_den_o  (tm_den),
    .div_done_i (div_done && state_q == StTimely),
    .quotient_i (quotient),
    .row_o      (tm_next),
    .used_o     (tm_used),
    .done_o     (tm_done)
  );

  // ---- Store and cost ------------------------------------------------------------------------------------------------

  assign set = state_q == StStore;
  assign rate_now = dcqcn ? dc_q.rate : tm_next.rate;
  assign armed = dcqcn && dc_q.active && (cc_i.alpha_cycles != '0 || cc_i.timer_cycles != '0);
  assign deadline = (cc_i.timer_cycles != '0 && (cc_i.alpha_cycles == '0 || cc_reached(
      dc_q.raise_at, dc_q.alpha_at
  ))) ? dc_q.raise_at : dc_q.alpha_at;
  assign cost_start = state_q == StStore && changed_q;

  // 1 / rate: 2^(RATE_FRAC + COST_FRAC) / rate.
  assign div_start = tm_div_start || cost_start;
  assign div_num = cost_start ? 40'd1 << (RATE_FRAC + COST_FRAC) : tm_num;
  assign div_den = cost_start ? rate_now : tm_den;

  roce_cc_div u_div (
    .clk_i,
    .rst_i,
    .start_i      (div_start),
    .numerator_i  (div_num),
    .denominator_i(div_den),
    .quotient_o   (quotient),
    .done_o       (div_done),
    .quiet_o      (div_quiet)
  );

  always_comb begin
    rate_valid_o = cfg_rate_q;
    rate_qpn_o   = cfg_qpn_q;
    rate_cost_o  = '0;
    if (state_q == StCost && div_done) begin
      rate_valid_o = 1'b1;
      rate_qpn_o   = qpn_q;
      rate_cost_o  = (rate_before_q >= cc_i.line_rate) ? '0 : (quotient[39:28] != '0) ? '1 : quotient[27:0];
    end
  end

  // ---- State ---------------------------------------------------------------------------------------------------------

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StIdle:   if (take_event || take_hit) state_d = StRow;
      StRow:    state_d = drop ? StIdle : dcqcn ? StDcqcn : StTimely;
      StDcqcn:  if (dc_done) state_d = StStore;
      StTimely: if (tm_done) state_d = tm_used ? StStore : StIdle;
      StStore:  state_d = changed_q ? StCost : StIdle;
      StCost:   if (div_done) state_d = StIdle;
      default:  state_d = StIdle;
    endcase
  end

  assign stats_o = '{
          cnp: cut,
          raise: timer_due || (apply && kind_q == CC_EV_BYTES && bytes_due),
          rtt: tm_done && tm_used && state_q == StTimely,
          lost: ev_lost,
          released: state_q == StDcqcn && dc_q.active && !dc_next.active
      };
  assign quiet_o = state_q == StIdle && !cfg_i && !cfg_rate_q && events_quiet && sweep_quiet && div_quiet;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q    <= StIdle;
      known_q    <= '0;
      dcqcn_q    <= '0;
      timely_q   <= '0;
      cfg_rate_q <= 1'b0;
    end else begin
      state_q    <= state_d;
      cfg_rate_q <= cfg_change;
      if (cfg_change) begin
        known_q[cfg_qpn_i]  <= 1'b0;
        dcqcn_q[cfg_qpn_i]  <= cfg_cc_i == CC_DCQCN;
        timely_q[cfg_qpn_i] <= cfg_cc_i == CC_TIMELY;
      end
      if (set) known_q[qpn_q] <= dcqcn ? dc_q.active : 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (cfg_change) cfg_qpn_q <= cfg_qpn_i;
    if (take_event) begin
      kind_q <= ev_kind;
      qpn_q  <= ev_qpn;
      at_q   <= ev_at;
      arg_q  <= ev_arg;
    end
    if (take_hit) begin
      kind_q <= CC_EV_TIMER;
      qpn_q  <= hit_qpn;
      at_q   <= now_i[31:0];
    end
    if (state_q == StRow) begin
      dc_q      <= dc_row;
      applied_q <= kind_q == CC_EV_TIMER;
      changed_q <= 1'b0;
    end
    if (state_q == StDcqcn) begin
      dc_q <= dc_next;
      if (apply) applied_q <= 1'b1;
      if (timer_due || dc_next.mark != dc_q.mark || cut) changed_q <= 1'b1;
    end
    if (state_q == StTimely && tm_done) changed_q <= 1'b1;
    if (state_q == StStore) rate_before_q <= rate_now;
  end

endmodule
