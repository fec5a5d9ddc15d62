// SPDX-License-Identifier: Apache-2.0
// Observes the packet jobs inside the RoCE send side: packets sent for the first time, and again. Bound to roce_tx_path.
module node_trace_jobs
  import roce_pkg::*;
(
  input logic clk_i,
  input logic rst_i,
  input logic on_i,   // records are wanted

  input tx_job_t new_job_i,
  input logic    new_job_valid_i,
  input logic    new_job_ready_i,
  input tx_job_t retry_job_i,
  input logic    retry_job_valid_i,
  input logic    retry_job_ready_i
);

  localparam int unsigned EV_SEND = 9;
  localparam int unsigned EV_RESEND = 10;

  import "DPI-C" function void caravan_trace(
    input int unsigned     event_i,
    input longint unsigned a_i,
    input longint unsigned b_i,
    input longint unsigned c_i,
    input longint unsigned d_i,
    input longint unsigned e_i,
    input longint unsigned f_i
  );

  always_ff @(posedge clk_i) begin
    if (on_i && !rst_i) begin
      if (new_job_valid_i && new_job_ready_i) begin
        caravan_trace(EV_SEND, 64'(new_job_i.hdr.opcode), 64'(new_job_i.hdr.dest_qpn), 64'(new_job_i.hdr.psn),
                      64'(new_job_i.hdr.len), 64'(new_job_i.hdr.ackreq), 64'(new_job_i.src));
      end
      if (retry_job_valid_i && retry_job_ready_i) begin
        caravan_trace(EV_RESEND, 64'(retry_job_i.hdr.opcode), 64'(retry_job_i.hdr.dest_qpn), 64'(retry_job_i.hdr.psn),
                      64'(retry_job_i.hdr.len), 64'(retry_job_i.hdr.ackreq), 64'(retry_job_i.src));
      end
    end
  end

endmodule
