// SPDX-License-Identifier: Apache-2.0
// net_pkg::csum_add as net_icmp uses it: an echo reply whose checksum is changed incrementally verifies, whatever else the
// message holds; a damaged word is noticed, but for the two zeros of one's complement.
module csum_formal
  import net_pkg::*;
(
  input logic [15:0] rest_i,  // sum of everything but type, code and checksum
  input logic [15:0] other_i
);

  logic [15:0] request, reply;
  assign request = ~csum_add(rest_i, 16'h0800);
  assign reply   = csum_add(request, 16'h0800);

  logic [16:0] plain;
  assign plain = {1'b0, rest_i} + {1'b0, other_i};

  always_comb begin
    // The sum modulo 2^16 - 1, without division; a sum of 2^16 - 1 stays as it is.
    assert (csum_add(rest_i, other_i) == ((plain > 17'hFFFF) ? 16'(plain - 17'hFFFF) : plain[15:0]));
    assert (csum_add(csum_add(rest_i, 16'h0800), request) == 16'hFFFF);
    assert (csum_add(rest_i, reply) == 16'hFFFF);
    if (other_i != rest_i && (other_i ^ rest_i) != 16'hFFFF) assert (csum_add(other_i, reply) != 16'hFFFF);
  end

endmodule
