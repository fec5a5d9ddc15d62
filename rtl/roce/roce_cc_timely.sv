// SPDX-License-Identifier: Apache-2.0
// One update of TIMELY (eRPC's form; patched: Zhu et al. 2016) from an RTT sample. Divisions are done by the caller's divider.
//   delta = min(1, time since the last update / minimum RTT)
//   RTT < T_low: rate += delta * add; RTT > T_high: rate *= 1 - delta * beta * (1 - T_high / RTT); between, with the gradient
//   g = average difference / minimum RTT: g <= 0: rate += N * delta * add, N = 5 after hai_thresh falling RTTs, else 1;
//   g > 0: rate *= 1 - delta * beta * g.
//   patched, between: w = 0 up to g = -1/4, 1 from 1/4, linear between; rate = delta * add * (1 - w)
//   + rate * (1 - delta * beta * w * (RTT - T_low) / T_low).
// A rate never falls below half of itself at once, nor leaves [min, line].
// done_o one cycle with row_o, held until the next start; used_o = 0: the sample has no effect (at line rate and not above
// T_low, or below the minimum RTT). 3 cycles without a division, 22 more for each of up to three.
module roce_cc_timely
  import roce_cc_pkg::*;
(
  input logic clk_i,
  input logic rst_i,

  input roce_cc_cfg_t cc_i,

  input logic              start_i,
  input cc_timely_t        row_i,
  input logic       [23:0] rtt_i,
  input cc_time_t          at_i,

  // Divider
  output logic        div_start_o,
  output logic [39:0] div_num_o,
  output logic [23:0] div_den_o,
  input  logic        div_done_i,
  input  logic [39:0] quotient_i,

  output cc_timely_t row_o,
  output logic       used_o,
  output logic       done_o
);

  typedef enum logic [2:0] {
    StIdle,
    StSample,  // the sample enters the averages
    StDelta,   // delta is being divided out
    StFactor,  // decide; g, T_high / RTT or the patched error is divided out
    StWeight,  // patched: the error is being divided out
    StApply
  } state_e;

  // How the rate changes.
  typedef enum logic [1:0] {
    HowMore,
    HowGradient,
    HowAbove,
    HowPatched
  } how_e;

  state_e state_q;
  how_e how_q;
  cc_timely_t row_q;
  logic [23:0] rtt_q;
  cc_time_t at_q, elapsed_q;
  logic [16:0] delta_q;  // 1.16
  logic [19:0] factor_q;  // 4.16, saturating
  logic [16:0] weight_q;  // 1.16
  logic used_q, waiting_q, hai_q;
  logic bypass;
  logic [39:0] gradient_num;
  logic [32:0] gradient_abs;
  logic [19:0] quotient;
  logic [16:0] delta_beta;
  logic [16:0] above;

  assign bypass = (row_i.rate >= cc_i.line_rate && rtt_i <= cc_i.t_low) || rtt_i < cc_i.min_rtt;
  assign gradient_abs = row_q.avg_diff[32] ? 33'(-row_q.avg_diff) : 33'(row_q.avg_diff);
  assign gradient_num = (gradient_abs[32]) ? '1 : {gradient_abs[31:0], 8'd0};
  assign quotient = (quotient_i > 40'hF_FFFF) ? 20'hF_FFFF : quotient_i[19:0];
  assign delta_beta = 17'((34'(delta_q) * 34'(cc_i.beta)) >> 16);
  assign above = 17'h1_0000 - factor_q[16:0];

  // w of the patched gradient: 1/2 + 2 g within [0, 1].
  function automatic logic [16:0] weight(input logic negative, input logic [19:0] g);
    if (g >= 20'h0_4000) return negative ? 17'd0 : 17'h1_0000;
    return negative ? 17'h0_8000 - {g[15:0], 1'b0} : 17'h0_8000 + {g[15:0], 1'b0};
  endfunction

  function automatic cc_rate_t changed(input cc_rate_t rate);
    logic [36:0] md;
    logic [33:0] scaled;
    cc_rate_t r;
    r = rate;
    unique case (how_q)
      HowGradient, HowAbove: begin
        md = 37'(delta_beta) * ((how_q == HowAbove) ? 37'(above) : 37'(factor_q));
        r  = timely_less(rate, (md[36:32] != '0) ? '1 : {4'd0, md[31:16]});
      end
      HowPatched: begin
        scaled = (34'(delta_beta) * 34'(weight_q)) >> 16;
        md     = 37'(scaled[16:0]) * 37'(factor_q);
        r      = timely_less(rate, (md[36:32] != '0) ? '1 : {4'd0, md[31:16]});
        scaled = (34'(delta_q) * 34'(17'h1_0000 - weight_q)) >> 16;
        r      = timely_more(r, cc_i.add_rate, scaled[16:0], 1'b0);
      end
      default: r = timely_more(rate, cc_i.add_rate, delta_q, hai_q);
    endcase
    return r;
  endfunction

  always_comb begin
    div_start_o = 1'b0;
    div_num_o   = '0;
    div_den_o   = cc_i.min_rtt;
    if (!waiting_q) begin
      unique case (state_q)
        StDelta: begin
          div_start_o = elapsed_q < cc_time_t'(cc_i.min_rtt);
          div_num_o   = {elapsed_q[23:0], 16'd0};
        end
        StFactor: begin
          div_start_o = how_q != HowMore;
          div_num_o   = (how_q == HowAbove) ? {cc_i.t_high, 16'd0} : gradient_num;
          div_den_o   = (how_q == HowAbove) ? rtt_q : cc_i.min_rtt;
        end
        StWeight: begin
          div_start_o = 1'b1;
          div_num_o   = {rtt_q - cc_i.t_low, 16'd0};
          div_den_o   = cc_i.t_low;
        end
        default: ;
      endcase
    end
  end

  assign row_o  = row_q;
  assign used_o = used_q;
  assign done_o = state_q == StApply && waiting_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q   <= StIdle;
      waiting_q <= 1'b0;
    end else begin
      unique case (state_q)
        StIdle: begin
          waiting_q <= 1'b0;
          if (start_i) begin
            state_q   <= bypass ? StApply : StSample;
            waiting_q <= bypass;
          end
        end
        StSample: state_q <= StDelta;
        StDelta, StFactor, StWeight: begin
          waiting_q <= div_start_o || (waiting_q && !div_done_i);
          if (waiting_q ? div_done_i : !div_start_o) begin
            if (state_q == StDelta) state_q <= StFactor;
            else state_q <= (state_q == StFactor && how_q == HowPatched) ? StWeight : StApply;
          end
        end
        StApply: begin
          waiting_q <= !waiting_q;
          if (waiting_q) state_q <= StIdle;
        end
        default:  state_q <= StIdle;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      StIdle: begin
        if (start_i) begin
          row_q     <= row_i;
          rtt_q     <= rtt_i;
          at_q      <= at_i;
          elapsed_q <= at_i - row_i.last;
          used_q    <= !bypass;
        end
      end
      StSample: begin
        row_q   <= timely_sample(cc_i, row_q, rtt_q, at_q);
        delta_q <= 17'h1_0000;
      end
      StDelta: begin
        if (div_done_i) delta_q <= quotient[16:0];
        hai_q <= 1'b0;
        how_q <= HowMore;
        if (rtt_q > cc_i.t_high) begin
          how_q <= HowAbove;
        end else if (rtt_q >= cc_i.t_low) begin
          if (cc_i.patched) how_q <= HowPatched;
          else if (row_q.avg_diff > 0) how_q <= HowGradient;
          else hai_q <= row_q.falls >= cc_i.hai_thresh;
        end
      end
      StFactor: begin
        if (div_done_i) begin
          factor_q <= quotient;
          weight_q <= weight(row_q.avg_diff[32], quotient);
        end
      end
      StWeight: if (div_done_i) factor_q <= quotient;
      StApply: begin
        if (!waiting_q) row_q.rate <= cc_clamp(cc_i, changed(row_q.rate));
      end
      default:  ;
    endcase
  end

endmodule
