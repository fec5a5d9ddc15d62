// SPDX-License-Identifier: Apache-2.0
// Second stage of net_rx: completes the checksum, decides at the end of the frame whether it is good, and counts it.
// Latency 1, one beat a cycle, no back-pressure. Each frame that ends gives rx_frames and, unless it is good RoCE, exactly
// one other pulse, in the cycle of its eop beat.
module net_rx_emit
  import net_frame_pkg::*;
  import net_pkg::*;
(
  input logic clk_i,
  input logic rst_i,

  // From net_rx_parse
  input net_parsed_t part_i,
  input logic        part_valid_i,

  // To the users
  output net_rx_beat_t rx_o,
  output logic         rx_valid_o,

  output net_stats_t stats_o,
  output logic       quiet_o
);

  net_rx_beat_t rx_q;
  net_stats_t stats_q, stats_d;
  logic rx_valid_q;
  logic sum_good, bad;
  logic [15:0] sum_q, total;

  // The one's complement sum of everything so far, this beat included; the frame's seed starts it.
  always_comb begin
    total = sum_q;
    if (part_valid_i && part_i.verdict.sum) begin
      total = net_total_sum(part_i.sums, part_i.sop ? part_i.verdict.sum_seed : sum_q);
    end
  end

  assign sum_good = !part_i.verdict.sum || total == 16'hFFFF;

  // Why a frame is dropped: the first that applies.
  always_comb begin
    stats_d = '0;
    if (part_valid_i && part_i.eop) begin
      stats_d.rx_frames = 1'b1;
      if (part_i.err) stats_d.rx_bad_fcs = 1'b1;
      else if (part_i.verdict.drop == DROP_MAC) stats_d.rx_drop_mac = 1'b1;
      else if (part_i.verdict.drop == DROP_IP || part_i.short_ip) stats_d.rx_drop_ip = 1'b1;
      else if (part_i.verdict.drop == DROP_UDP) stats_d.rx_drop_udp = 1'b1;
      else if (part_i.verdict.drop == DROP_OTHER) stats_d.rx_drop_other = 1'b1;
      else if (!sum_good && part_i.verdict.kind == KIND_ROCE) stats_d.rx_drop_udp = 1'b1;
      else if (!sum_good) stats_d.rx_drop_other = 1'b1;
      else if (part_i.verdict.kind == KIND_ARP) stats_d.rx_arp = 1'b1;
      else if (part_i.verdict.kind == KIND_ICMP) stats_d.rx_icmp = 1'b1;
    end
  end

  assign bad = part_i.eop && (part_i.err || part_i.short_ip || part_i.verdict.drop != DROP_NOT || !sum_good);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      rx_valid_q <= 1'b0;
      stats_q    <= '0;
    end else begin
      rx_valid_q <= part_valid_i;
      stats_q    <= stats_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (part_valid_i) begin
      rx_q <= '{
          bad: bad,
          eop: part_i.eop,
          sop: part_i.sop,
          kind: part_i.verdict.kind,
          bytes: part_i.bytes,
          data: part_i.data
      };
      sum_q <= total;
    end
  end

  assign rx_o       = rx_q;
  assign rx_valid_o = rx_valid_q;
  assign stats_o    = stats_q;
  assign quiet_o    = !part_valid_i && !rx_valid_q;

endmodule
