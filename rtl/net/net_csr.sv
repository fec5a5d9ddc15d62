// SPDX-License-Identifier: Apache-2.0
// Registers of net (net_pkg CSR_*): this node's addresses and the staged neighbour row. Reads answer in the next cycle;
// rdata_o is zero in every other cycle, so that the blocks' answers can be ORed. A write takes effect in the next cycle;
// one to NEIGH_CMD sends the staged row to net_neigh then, as a strobe of one cycle.
// Bad input: an unknown offset reads as zero and is not written.
module net_csr
  import net_pkg::*;
  import prim_pkg::*;
#(
  parameter logic [3:0] Block = 4'd1  // addr[15:12] of this block
) (
  input logic clk_i,
  input logic rst_i,

  // Register bus
  input  csr_req_t    csr_i,
  output logic [31:0] rdata_o,

  // To net_rx, net_arp, net_icmp and the sender
  output net_cfg_t cfg_o,

  // To net_neigh
  output logic             neigh_we_o,
  output logic       [7:0] neigh_index_o,
  output net_neigh_t       neigh_row_o,

  output logic quiet_o
);

  net_cfg_t cfg_q;
  net_neigh_t row_q;
  logic [7:0] index_q;
  logic [31:0] rdata_q, rdata_d;
  logic we, re, neigh_we_q, answered_q;

  assign we = csr_i.we && (csr_i.addr[15:12] == Block);
  assign re = csr_i.re && (csr_i.addr[15:12] == Block);

  always_comb begin
    rdata_d = '0;
    if (re) begin
      unique case (csr_i.addr[11:0])
        CSR_MAC_LO:       rdata_d = cfg_q.mac[31:0];
        CSR_MAC_HI:       rdata_d = {16'd0, cfg_q.mac[47:32]};
        CSR_IP:           rdata_d = cfg_q.ip;
        CSR_NEIGH_MAC_LO: rdata_d = row_q.mac[31:0];
        CSR_NEIGH_MAC_HI: rdata_d = {16'd0, row_q.mac[47:32]};
        CSR_NEIGH_IP:     rdata_d = row_q.ip;
        CSR_NEIGH_CMD:    rdata_d = {row_q.valid, 23'd0, index_q};
        default:          rdata_d = '0;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      cfg_q      <= '0;
      row_q      <= '0;
      index_q    <= '0;
      rdata_q    <= '0;
      neigh_we_q <= 1'b0;
      answered_q <= 1'b0;
    end else begin
      rdata_q    <= rdata_d;
      answered_q <= re;
      neigh_we_q <= we && (csr_i.addr[11:0] == CSR_NEIGH_CMD);
      if (we) begin
        unique case (csr_i.addr[11:0])
          CSR_MAC_LO:       cfg_q.mac[31:0] <= csr_i.wdata;
          CSR_MAC_HI:       cfg_q.mac[47:32] <= csr_i.wdata[15:0];
          CSR_IP:           cfg_q.ip <= csr_i.wdata;
          CSR_NEIGH_MAC_LO: row_q.mac[31:0] <= csr_i.wdata;
          CSR_NEIGH_MAC_HI: row_q.mac[47:32] <= csr_i.wdata[15:0];
          CSR_NEIGH_IP:     row_q.ip <= csr_i.wdata;
          CSR_NEIGH_CMD: begin
            row_q.valid <= csr_i.wdata[31];
            index_q     <= csr_i.wdata[7:0];
          end
          default:          ;
        endcase
      end
    end
  end

  assign rdata_o       = rdata_q;
  assign cfg_o         = cfg_q;
  assign neigh_we_o    = neigh_we_q;
  assign neigh_index_o = index_q;
  assign neigh_row_o   = row_q;
  assign quiet_o       = !csr_i.we && !csr_i.re && !neigh_we_q && !answered_q;

endmodule
