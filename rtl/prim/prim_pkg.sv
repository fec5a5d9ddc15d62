// SPDX-License-Identifier: Apache-2.0
// Widths, the register bus and helpers that every block uses.
package prim_pkg;

  // Bits that index `n` things; at least 1, so that a range is never empty.
  function automatic int unsigned idx_width(input int unsigned n);
    return (n > 1) ? $clog2(n) : 1;
  endfunction

  // Bits that hold the numbers 0..n.
  function automatic int unsigned cnt_width(input int unsigned n);
    return $clog2(n + 1);
  endfunction

  localparam logic [63:0] TIME_NEVER = 64'hFFFF_FFFF_FFFF_FFFF;

  // The earlier of two deadlines.
  function automatic logic [63:0] time_min(input logic [63:0] a, input logic [63:0] b);
    return (a < b) ? a : b;
  endfunction

  // Register bus, broadcast from the AXI4-Lite slave to every block. One request a cycle at most.
  // addr[15:12] selects the block (see node_pkg), addr[11:0] is the byte offset inside it.
  typedef struct packed {
    logic        we;
    logic        re;
    logic [15:0] addr;
    logic [31:0] wdata;
  } csr_req_t;

endpackage
