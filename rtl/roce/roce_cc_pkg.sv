// SPDX-License-Identifier: Apache-2.0
// Congestion control: units, parameters, table rows, and the arithmetic of one step of DCQCN and of TIMELY.
//
// Rates are bytes a cycle in 8.16 fixed point, costs are cycles a byte in 8.20; cost 0 stands for "not paced". Times in rows
// are the low 32 bits of now_i: what is compared lies less than 2^31 cycles apart.
package roce_cc_pkg;

  typedef logic [23:0] cc_rate_t;
  typedef logic [27:0] cc_cost_t;
  typedef logic [31:0] cc_time_t;

  localparam int unsigned RATE_FRAC = 16;
  localparam int unsigned COST_FRAC = 20;

  // qpc_t.cc; any other value is no control.
  localparam logic [1:0] CC_NONE = 2'd0;
  localparam logic [1:0] CC_DCQCN = 2'd1;
  localparam logic [1:0] CC_TIMELY = 2'd2;

  // Parameters, registers of roce_cc_csr. Times in cycles; a timer of 0 cycles and a byte counter of 0 are off.
  typedef struct packed {
    cc_rate_t line_rate;
    cc_rate_t min_rate;
    // DCQCN reaction point
    cc_rate_t ai_rate;  // additive step of the target rate
    cc_rate_t hai_rate;  // hyper step
    logic [3:0] g_shift;  // g = 2^-g_shift
    logic [3:0] fast_steps;  // F
    logic [31:0] byte_counter;  // bytes
    logic [23:0] alpha_cycles;
    logic [23:0] timer_cycles;
    logic [23:0] cut_cycles;  // at most one decrease in this time
    // DCQCN notification point
    logic [23:0] cnp_cycles;  // at most one CNP a QP in this time
    // TIMELY
    cc_rate_t add_rate;  // delta
    logic [23:0] t_low;
    logic [23:0] t_high;
    logic [23:0] min_rtt;
    logic [15:0] ewma;  // weight of the newest difference, 0.16
    logic [15:0] beta;  // 0.16
    logic [3:0] hai_thresh;  // falling RTTs in a row before N = 5
    logic patched;  // gradient judged as "patched TIMELY" does: one fixed point, hence fair
  } roce_cc_cfg_t;

  // Mb/s as bytes a cycle.
  function automatic cc_rate_t cc_mbps(input longint unsigned mbps, input int unsigned cycles_per_us);
    return cc_rate_t'((mbps * 64'd8192 + 64'(cycles_per_us) / 64'd2) / 64'(cycles_per_us));
  endfunction

  // Published values: DCQCN of the SIGCOMM 2015 paper (cut interval: vendor), TIMELY as in eRPC.
  function automatic roce_cc_cfg_t cc_defaults(input int unsigned cycles_per_us, input int unsigned line_gbps);
    return
    '{
        line_rate: cc_mbps(64'(line_gbps) * 64'd1000, cycles_per_us),
        min_rate: cc_mbps(64'd100, cycles_per_us),
        ai_rate: cc_mbps(64'd40, cycles_per_us),
        hai_rate: cc_mbps(64'd200, cycles_per_us),
        g_shift: 4'd8,
        fast_steps: 4'd5,
        byte_counter: 32'd10_000_000,
        alpha_cycles: 24'(55 * cycles_per_us),
        timer_cycles: 24'(55 * cycles_per_us),
        cut_cycles: 24'(4 * cycles_per_us),
        cnp_cycles: 24'(50 * cycles_per_us),
        add_rate: cc_mbps(64'd40, cycles_per_us),
        t_low: 24'(50 * cycles_per_us),
        t_high: 24'(1000 * cycles_per_us),
        min_rtt: 24'(2 * cycles_per_us),
        ewma: 16'd30147,  // 0.46
        beta: 16'd17039,  // 0.26
        hai_thresh: 4'd5,
        patched: 1'b0
    }
    ;
  endfunction

  // Register offsets (addr[11:0]) of block 4, one field of roce_cc_cfg_t each.
  localparam logic [11:0] CSR_LINE_RATE = 12'h000;
  localparam logic [11:0] CSR_MIN_RATE = 12'h004;
  localparam logic [11:0] CSR_AI_RATE = 12'h008;
  localparam logic [11:0] CSR_HAI_RATE = 12'h00C;
  localparam logic [11:0] CSR_G_SHIFT = 12'h010;
  localparam logic [11:0] CSR_FAST_STEPS = 12'h014;
  localparam logic [11:0] CSR_BYTE_COUNTER = 12'h018;
  localparam logic [11:0] CSR_ALPHA_CYCLES = 12'h01C;
  localparam logic [11:0] CSR_TIMER_CYCLES = 12'h020;
  localparam logic [11:0] CSR_CUT_CYCLES = 12'h024;
  localparam logic [11:0] CSR_CNP_CYCLES = 12'h028;
  localparam logic [11:0] CSR_ADD_RATE = 12'h02C;
  localparam logic [11:0] CSR_T_LOW = 12'h030;
  localparam logic [11:0] CSR_T_HIGH = 12'h034;
  localparam logic [11:0] CSR_MIN_RTT = 12'h038;
  localparam logic [11:0] CSR_EWMA = 12'h03C;
  localparam logic [11:0] CSR_BETA = 12'h040;
  localparam logic [11:0] CSR_HAI_THRESH = 12'h044;
  localparam logic [11:0] CSR_PATCHED = 12'h048;

  // ---- Events ------------------------------------------------------------------------------------------------------

  typedef enum logic [1:0] {
    CC_EV_TIMER = 2'd0,
    CC_EV_BYTES = 2'd1,  // arg: bytes sent so far
    CC_EV_CNP   = 2'd2,  // arg: bytes sent so far
    CC_EV_RTT   = 2'd3   // arg: the sample in cycles
  } cc_event_e;

  // A packet left for the first time, as the scheduler says it.
  typedef struct packed {
    logic [23:0] qpn;
    logic [23:0] psn;
    logic [7:0]  opcode;
    logic [12:0] len;     // payload bytes
    logic        timed;   // its acknowledge is asked for and comes at once (no READ, no datagram): RTT may be measured
  } cc_sent_t;

  // One-cycle event pulses.
  typedef struct packed {
    logic cnp;       // CNPs that lowered a rate
    logic raise;     // DCQCN increases
    logic rtt;       // RTT samples used
    logic lost;      // events dropped: queue full
    logic released;  // QPs that came back to line rate
  } roce_cc_stats_t;

  // ---- DCQCN reaction point ----------------------------------------------------------------------------------------

  localparam logic [20:0] ALPHA_ONE = 21'h10_0000;

  typedef struct packed {
    logic        active;    // rate limited; else every other field means nothing
    cc_rate_t    rate;      // R_C
    cc_rate_t    target;    // R_T
    logic [20:0] alpha;     // 1.20
    logic [3:0]  t_stage;   // timer expiries since the last decrease, saturating
    logic [3:0]  b_stage;   // byte counter expiries
    cc_time_t    alpha_at;  // next update of alpha
    cc_time_t    raise_at;  // next timer expiry
    cc_time_t    cut_at;    // last decrease
    logic [31:0] mark;      // bytes sent when the byte counter was last reset
  } cc_dcqcn_t;

  // a is not later than b.
  function automatic logic cc_reached(input cc_time_t a, input cc_time_t b);
    cc_time_t d;
    d = b - a;
    return !d[31];
  endfunction

  function automatic logic dcqcn_alpha_due(input roce_cc_cfg_t cfg, input cc_dcqcn_t r, input cc_time_t t);
    return r.active && cfg.alpha_cycles != '0 && cc_reached(r.alpha_at, t) &&
        !(cfg.timer_cycles != '0 && !cc_reached(r.alpha_at, r.raise_at));
  endfunction

  function automatic logic dcqcn_timer_due(input roce_cc_cfg_t cfg, input cc_dcqcn_t r, input cc_time_t t);
    return r.active && cfg.timer_cycles != '0 && cc_reached(r.raise_at, t);
  endfunction

  // Time without a CNP: alpha falls.
  function automatic cc_dcqcn_t dcqcn_alpha(input roce_cc_cfg_t cfg, input cc_dcqcn_t r);
    cc_dcqcn_t n;
    n = r;
    n.alpha = r.alpha - (r.alpha >> cfg.g_shift);
    n.alpha_at = r.alpha_at + cc_time_t'(cfg.alpha_cycles);
    return n;
  endfunction

  // Timer or byte counter: fast recovery, additive increase, hyper increase. Rounded up, so that the line rate is reached;
  // there the limiter is released.
  function automatic cc_dcqcn_t dcqcn_raise(input roce_cc_cfg_t cfg, input cc_dcqcn_t r, input logic by_timer);
    cc_dcqcn_t n;
    logic [3:0] lo, hi;
    logic [24:0] target;
    n = r;
    if (by_timer) begin
      n.t_stage  = (r.t_stage == '1) ? '1 : r.t_stage + 4'd1;
      n.raise_at = r.raise_at + cc_time_t'(cfg.timer_cycles);
    end else begin
      n.b_stage = (r.b_stage == '1) ? '1 : r.b_stage + 4'd1;
      n.mark    = r.mark + cfg.byte_counter;
    end
    lo = (n.t_stage < n.b_stage) ? n.t_stage : n.b_stage;
    hi = (n.t_stage < n.b_stage) ? n.b_stage : n.t_stage;
    target = 25'(r.target);
    if (lo > cfg.fast_steps) target = target + 25'(cfg.hai_rate);
    else if (hi >= cfg.fast_steps) target = target + 25'(cfg.ai_rate);
    if (target > 25'(cfg.line_rate)) target = 25'(cfg.line_rate);
    n.target = target[23:0];
    target   = target + 25'(r.rate) + 25'd1;
    n.rate   = target[24:1];
    if (n.rate >= cfg.line_rate) n.active = 1'b0;
    return n;
  endfunction

  function automatic logic dcqcn_cut_allowed(input roce_cc_cfg_t cfg, input cc_dcqcn_t r, input cc_time_t t);
    return !r.active || (t - r.cut_at) >= cc_time_t'(cfg.cut_cycles);
  endfunction

  // CNP: the rate falls by alpha / 2. A QP that is not limited starts from line rate with alpha = 1.
  function automatic cc_dcqcn_t dcqcn_cut(input roce_cc_cfg_t cfg, input cc_dcqcn_t r, input cc_time_t t,
                                          input logic [31:0] sent);
    cc_dcqcn_t n;
    logic [44:0] part;
    cc_rate_t rate;
    logic [20:0] alpha;
    rate     = r.active ? r.rate : cfg.line_rate;
    alpha    = r.active ? r.alpha : ALPHA_ONE;
    part     = 45'(rate) * 45'(alpha);
    n.active = 1'b1;
    n.target = rate;
    n.rate   = rate - part[44:21];
    if (n.rate < cfg.min_rate) n.rate = cfg.min_rate;
    n.alpha    = alpha - (alpha >> cfg.g_shift) + (ALPHA_ONE >> cfg.g_shift);
    n.t_stage  = '0;
    n.b_stage  = '0;
    n.alpha_at = t + cc_time_t'(cfg.alpha_cycles);
    n.raise_at = t + cc_time_t'(cfg.timer_cycles);
    n.cut_at   = t;
    n.mark     = sent;
    return n;
  endfunction

  // ---- TIMELY ------------------------------------------------------------------------------------------------------

  typedef struct packed {
    logic               active;    // has seen a sample; else every other field means nothing
    cc_rate_t           rate;
    logic [23:0]        prev_rtt;
    logic signed [32:0] avg_diff;  // cycles, 25.8
    logic [3:0]         falls;     // falling RTTs in a row, saturating
    cc_time_t           last;      // last update
  } cc_timely_t;

  // What a new QP starts from: the last update lies one minimum RTT back.
  function automatic cc_timely_t timely_fresh(input roce_cc_cfg_t cfg, input cc_time_t t);
    return
    '{
        active: 1'b1,
        rate: cfg.line_rate,
        prev_rtt: cfg.min_rtt,
        avg_diff: '0,
        falls: '0,
        last: t - cc_time_t'(cfg.min_rtt)
    }
    ;
  endfunction

  // A sample enters the average and the count of falls.
  function automatic cc_timely_t timely_sample(input roce_cc_cfg_t cfg, input cc_timely_t r, input logic [23:0] rtt,
                                               input cc_time_t t);
    cc_timely_t n;
    logic signed [24:0] diff;
    logic signed [33:0] error;
    logic signed [50:0] part;
    n = r;
    diff = signed'({1'b0, rtt}) - signed'({1'b0, r.prev_rtt});
    error = 34'(signed'({diff, 8'd0})) - 34'(r.avg_diff);
    part = 51'(error) * 51'(signed'({1'b0, cfg.ewma}));
    n.avg_diff = r.avg_diff + signed'(part[48:16]);
    n.falls = !diff[24] ? '0 : (r.falls == '1) ? '1 : r.falls + 4'd1;
    n.prev_rtt = rtt;
    n.last = t;
    return n;
  endfunction

  // Multiplicative decrease: md in 0.16, at most one half.
  function automatic cc_rate_t timely_less(input cc_rate_t rate, input logic [19:0] md);
    logic [39:0] part;
    part = 40'(rate) * 40'((md > 20'h0_8000) ? 20'h0_8000 : md);
    return rate - part[39:16];
  endfunction

  // Additive increase by n steps, scaled by delta (1.16).
  function automatic cc_rate_t timely_more(input cc_rate_t rate, input cc_rate_t add, input logic [16:0] delta,
                                           input logic hai);
    logic [40:0] part;
    logic [27:0] step, sum;
    part = 41'(add) * 41'(delta);
    step = 28'(part[40:16]);
    sum  = 28'(rate) + step + (hai ? {step[25:0], 2'b00} : 28'd0);
    return (sum > 28'hFF_FFFF) ? 24'hFF_FFFF : sum[23:0];
  endfunction

  function automatic cc_rate_t cc_clamp(input roce_cc_cfg_t cfg, input cc_rate_t rate);
    if (rate > cfg.line_rate) return cfg.line_rate;
    if (rate < cfg.min_rate) return cfg.min_rate;
    return rate;
  endfunction

endpackage
