// SPDX-License-Identifier: Apache-2.0
#include "testbenches/conformance/rows.hpp"

namespace caravan::conformance {

std::vector<Row> all_rows() {
  std::vector<Row> all;
  for (const auto& family :
       {frame_rows(), write_rows(), invalid_rows(), access_rows(), read_rows(), atomic_rows(), send_rows(),
        datagram_rows(), state_rows(), requester_rows(), retry_rows(), rnr_rows(), query_rows()})
    all.insert(all.end(), family.begin(), family.end());
  return all;
}

std::vector<Elsewhere> tested_elsewhere() {
  return {
      {"trap 2",
       "retransmission buffer almost full: rows window.*, retry.window_refills; unit/roce_txc, unit/roce_txd"},
      {"trap 5", "no IOMMU here; bursts end at 4 KiB pages: unit/roce_txd, unit/roce"},
      {"trap 6", "random loss at rates 1e-4 .. 1e-1: testbenches/stress, cluster"},
      {"trap 7", "both directions at once: testbenches/stress"},
      {"trap 12", "N to N: cluster tests of the key-value store on 3 to 8 nodes"},
      {"trap 13", "completions equal posts under stress: testbenches/stress"},
      {"trap 16", "timing closure of a board: not claimable with open tools"},
      {"trap 17", "ACK in the cycle of the send: unit/roce_txc"},
      {"trap 22", "paused port and DMA ring of a board; one QP does not stop another: row rnr_in.other_qp_goes_on"},
      {"trap 23", "gaps inside frames, a transmitter that never underruns: unit/net, unit/roce_txd under every stall"},
      {"trap 31", "header and payload queues stay paired: unit/roce, unit/roce_txd under every stall"},
      {"trap 33", "minimum frames without gaps: unit/net, unit/roce"},
      {"trap 34", "widths are no parameter here; sizes of tables are: tools/lint elaborates the tops"},
      {"trap 35", "pause and lossless mode: switch and MAC of issue 4 section 4"},
      {"trap 36", "a vendor tool's version: board scripts, later"},
      {"trap 37", "JTAG and PCIe surprise removal: flash tool, later"},
      {"trap 38", "RS-FEC and link-up of a real MAC: board, later"},
      {"trap 39", "ICRC_CHECK bit: cosim of the responder"},
      {"trap 40 (table full)",
       "a QP number outside the table is a UserError of node_setup; packets to it: frame.unknown_qpn"},
  };
}

}  // namespace caravan::conformance
