// SPDX-License-Identifier: Apache-2.0
// Registers of congestion control: one field of roce_cc_cfg_t each (offsets in roce_cc_pkg), published defaults at reset.
// A write takes effect in the next cycle. Reads answer in the next cycle; rdata_o is zero in all others.
// Bad input: what does not fit a field is cut; a minimum RTT of 0 reads back as 1. Unknown offsets read as zero.
module roce_cc_csr
  import prim_pkg::*;
  import roce_cc_pkg::*;
#(
  parameter logic        [3:0] Block       = 4'd4,  // addr[15:12]
  parameter int unsigned       CyclesPerUs = 250,
  parameter int unsigned       LineGbps    = 100
) (
  input logic clk_i,
  input logic rst_i,

  // Register bus
  input  csr_req_t    csr_i,
  output logic [31:0] rdata_o,

  output roce_cc_cfg_t cfg_o,
  output logic         quiet_o
);

  localparam roce_cc_cfg_t Defaults = cc_defaults(CyclesPerUs, LineGbps);

  roce_cc_cfg_t cfg_q;
  logic selected, re_q;
  logic [11:0] offset;
  logic [31:0] rdata_q;

  assign selected = csr_i.addr[15:12] == Block;
  assign offset   = {csr_i.addr[11:2], 2'b00};

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      cfg_q <= Defaults;
      re_q  <= 1'b0;
    end else begin
      re_q <= csr_i.re && selected;
      if (csr_i.we && selected) begin
        unique case (offset)
          CSR_LINE_RATE:    cfg_q.line_rate <= csr_i.wdata[23:0];
          CSR_MIN_RATE:     cfg_q.min_rate <= csr_i.wdata[23:0];
          CSR_AI_RATE:      cfg_q.ai_rate <= csr_i.wdata[23:0];
          CSR_HAI_RATE:     cfg_q.hai_rate <= csr_i.wdata[23:0];
          CSR_G_SHIFT:      cfg_q.g_shift <= csr_i.wdata[3:0];
          CSR_FAST_STEPS:   cfg_q.fast_steps <= csr_i.wdata[3:0];
          CSR_BYTE_COUNTER: cfg_q.byte_counter <= csr_i.wdata;
          CSR_ALPHA_CYCLES: cfg_q.alpha_cycles <= csr_i.wdata[23:0];
          CSR_TIMER_CYCLES: cfg_q.timer_cycles <= csr_i.wdata[23:0];
          CSR_CUT_CYCLES:   cfg_q.cut_cycles <= csr_i.wdata[23:0];
          CSR_CNP_CYCLES:   cfg_q.cnp_cycles <= csr_i.wdata[23:0];
          CSR_ADD_RATE:     cfg_q.add_rate <= csr_i.wdata[23:0];
          CSR_T_LOW:        cfg_q.t_low <= csr_i.wdata[23:0];
          CSR_T_HIGH:       cfg_q.t_high <= csr_i.wdata[23:0];
          CSR_MIN_RTT:      cfg_q.min_rtt <= (csr_i.wdata[23:0] == '0) ? 24'd1 : csr_i.wdata[23:0];
          CSR_EWMA:         cfg_q.ewma <= csr_i.wdata[15:0];
          CSR_BETA:         cfg_q.beta <= csr_i.wdata[15:0];
          CSR_HAI_THRESH:   cfg_q.hai_thresh <= csr_i.wdata[3:0];
          CSR_PATCHED:      cfg_q.patched <= csr_i.wdata[0];
          default:          ;
        endcase
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (csr_i.re && selected) begin
      unique case (offset)
        CSR_LINE_RATE:    rdata_q <= 32'(cfg_q.line_rate);
        CSR_MIN_RATE:     rdata_q <= 32'(cfg_q.min_rate);
        CSR_AI_RATE:      rdata_q <= 32'(cfg_q.ai_rate);
        CSR_HAI_RATE:     rdata_q <= 32'(cfg_q.hai_rate);
        CSR_G_SHIFT:      rdata_q <= 32'(cfg_q.g_shift);
        CSR_FAST_STEPS:   rdata_q <= 32'(cfg_q.fast_steps);
        CSR_BYTE_COUNTER: rdata_q <= cfg_q.byte_counter;
        CSR_ALPHA_CYCLES: rdata_q <= 32'(cfg_q.alpha_cycles);
        CSR_TIMER_CYCLES: rdata_q <= 32'(cfg_q.timer_cycles);
        CSR_CUT_CYCLES:   rdata_q <= 32'(cfg_q.cut_cycles);
        CSR_CNP_CYCLES:   rdata_q <= 32'(cfg_q.cnp_cycles);
        CSR_ADD_RATE:     rdata_q <= 32'(cfg_q.add_rate);
        CSR_T_LOW:        rdata_q <= 32'(cfg_q.t_low);
        CSR_T_HIGH:       rdata_q <= 32'(cfg_q.t_high);
        CSR_MIN_RTT:      rdata_q <= 32'(cfg_q.min_rtt);
        CSR_EWMA:         rdata_q <= 32'(cfg_q.ewma);
        CSR_BETA:         rdata_q <= 32'(cfg_q.beta);
        CSR_HAI_THRESH:   rdata_q <= 32'(cfg_q.hai_thresh);
        CSR_PATCHED:      rdata_q <= 32'(cfg_q.patched);
        default:          rdata_q <= '0;
      endcase
    end
  end

  assign rdata_o = re_q ? rdata_q : '0;
  assign cfg_o   = cfg_q;
  assign quiet_o = !csr_i.we && !csr_i.re && !re_q;

endmodule
