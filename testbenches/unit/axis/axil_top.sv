// SPDX-License-Identifier: Apache-2.0
// Flat pins of axis_axil_csr, and a register file that answers like a block: one cycle later, zero when not addressed.
module axil_top
  import axis_pkg::*;
  import prim_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_i,
  input  logic [15:0] awaddr_i,
  input  logic        awvalid_i,
  output logic        awready_o,
  input  logic [31:0] wdata_i,
  input  logic        wvalid_i,
  output logic        wready_o,
  output logic [ 1:0] bresp_o,
  output logic        bvalid_o,
  input  logic        bready_i,
  input  logic [15:0] araddr_i,
  input  logic        arvalid_i,
  output logic        arready_o,
  output logic [31:0] rdata_o,
  output logic [ 1:0] rresp_o,
  output logic        rvalid_o,
  input  logic        rready_i,
  output logic        we_o,
  output logic        re_o,
  output logic        quiet_o
);

  axil_req_t req;
  axil_rsp_t rsp;
  csr_req_t csr;
  logic [31:0] regs[16];
  logic [31:0] answer_q;

  assign req = '{
          awaddr: awaddr_i,
          awvalid: awvalid_i,
          wdata: wdata_i,
          wvalid: wvalid_i,
          bready: bready_i,
          araddr: araddr_i,
          arvalid: arvalid_i,
          rready: rready_i
      };
  assign awready_o = rsp.awready;
  assign wready_o = rsp.wready;
  assign bresp_o = rsp.bresp;
  assign bvalid_o = rsp.bvalid;
  assign arready_o = rsp.arready;
  assign rdata_o = rsp.rdata;
  assign rresp_o = rsp.rresp;
  assign rvalid_o = rsp.rvalid;
  assign we_o = csr.we;
  assign re_o = csr.re;

  axis_axil_csr u_slave (
    .clk_i,
    .rst_i,
    .axil_req_i(req),
    .axil_rsp_o(rsp),
    .csr_o     (csr),
    .rdata_i   (answer_q),
    .quiet_o
  );

  // Registers 0x3000..0x303C.
  always_ff @(posedge clk_i) begin
    answer_q <= (csr.re && csr.addr[15:6] == 10'h0C0) ? regs[csr.addr[5:2]] : '0;
    if (csr.we && csr.addr[15:6] == 10'h0C0) regs[csr.addr[5:2]] <= csr.wdata;
  end

endmodule
