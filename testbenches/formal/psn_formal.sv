// SPDX-License-Identifier: Apache-2.0
// roce_wire_pkg::psn_diff: the signed distance of two PSNs, right across the wrap for every window below 2^23 packets.
module psn_formal
  import roce_wire_pkg::*;
(
  input logic [23:0] base_i,
  input logic [23:0] steps_i,
  input logic [23:0] more_i,
  input logic [23:0] window_i
);

  logic [23:0] psn, later;
  logic signed [23:0] d, d2;
  assign psn   = base_i + steps_i;
  assign later = psn + more_i;
  assign d     = psn_diff(psn, base_i);
  assign d2    = psn_diff(later, base_i);

  always_comb begin
    assume (window_i != '0 && !window_i[23]);
    assert (psn_diff(base_i, base_i) == 24'sd0);
    // Inside the window exactly when fewer steps than the window lie between.
    assert ((d >= 0 && d < signed'(window_i)) == (steps_i < window_i));
    // Behind the window's base exactly when going back is shorter.
    assert ((d < 0) == steps_i[23]);
    if (steps_i != 24'h80_0000) assert (psn_diff(base_i, psn) == -d);
    // Order inside a window is the order of sending.
    if (25'(steps_i) + 25'(more_i) < 25'(window_i) && more_i != '0) assert (d2 > d);
  end

endmodule
