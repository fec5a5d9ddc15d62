// SPDX-License-Identifier: Apache-2.0
// Registers of priority flow control (net_pfc_pkg CSR_PFC_*), in the block of net_csr. Reads answer in the next cycle; rdata_o
// is zero in all others. A write takes effect in the next cycle. Bad input: unknown offsets read as zero, are not written.
module net_pfc_csr
  import net_pfc_pkg::*;
  import prim_pkg::*;
#(
  parameter logic        [3:0] Block       = 4'd1,  // addr[15:12]
  parameter int unsigned       CyclesPerUs = 250,
  parameter int unsigned       LineGbps    = 100,
  parameter int unsigned       Xoff        = 768,   // reset value, beats
  parameter int unsigned       Xon         = 512
) (
  input logic clk_i,
  input logic rst_i,

  // Register bus
  input  csr_req_t    csr_i,
  output logic [31:0] rdata_o,

  output net_pfc_cfg_t cfg_o,
  output logic         quiet_o
);

  localparam net_pfc_cfg_t Defaults = '{
      rx_en: '0,
      tx_en: '0,
      tx_prio: '0,
      xoff: 16'(Xoff),
      xon: 16'(Xon),
      quanta: '1,
      quantum: pfc_quantum(CyclesPerUs, LineGbps)
  };

  net_pfc_cfg_t cfg_q;
  logic selected, re_q;
  logic [11:0] offset;
  logic [31:0] rdata_q;

  assign selected = csr_i.addr[15:12] == Block;
  assign offset   = csr_i.addr[11:0];

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      cfg_q <= Defaults;
      re_q  <= 1'b0;
    end else begin
      re_q <= csr_i.re && selected;
      if (csr_i.we && selected) begin
        unique case (offset)
          CSR_PFC_CTRL: begin
            cfg_q.rx_en   <= csr_i.wdata[7:0];
            cfg_q.tx_en   <= csr_i.wdata[15:8];
            cfg_q.tx_prio <= csr_i.wdata[18:16];
          end
          CSR_PFC_LEVEL: begin
            cfg_q.xoff <= csr_i.wdata[15:0];
            cfg_q.xon  <= csr_i.wdata[31:16];
          end
          CSR_PFC_QUANTA:  cfg_q.quanta <= csr_i.wdata[15:0];
          CSR_PFC_QUANTUM: cfg_q.quantum <= csr_i.wdata[23:0];
          default:         ;
        endcase
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (csr_i.re && selected) begin
      unique case (offset)
        CSR_PFC_CTRL:    rdata_q <= {13'd0, cfg_q.tx_prio, cfg_q.tx_en, cfg_q.rx_en};
        CSR_PFC_LEVEL:   rdata_q <= {cfg_q.xon, cfg_q.xoff};
        CSR_PFC_QUANTA:  rdata_q <= {16'd0, cfg_q.quanta};
        CSR_PFC_QUANTUM: rdata_q <= {8'd0, cfg_q.quantum};
        default:         rdata_q <= '0;
      endcase
    end
  end

  assign rdata_o = re_q ? rdata_q : '0;
  assign cfg_o   = cfg_q;
  assign quiet_o = !csr_i.we && !csr_i.re && !re_q;

endmodule
