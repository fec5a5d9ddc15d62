// SPDX-License-Identifier: Apache-2.0
// Everything about a packet that does not depend on the responder row: QP state, peer, lengths, rkey and bounds.
// Combinational; stage 1 of roce_responder. The region is the one that RETH names, or for MIDDLE and LAST the one of the
// message in progress, read again for every packet so that a revoked permission fences what is still in flight.
module roce_responder_check
  import roce_pkg::*;
  import roce_rx_pkg::*;
(
  input rx_desc_t  desc_i,
  input logic      qpn_ok_i,     // in range
  input qpc_t      qpc_i,
  input logic      region_ok_i,  // region number in range
  input region_t   region_i,
  input resp_msg_t msg_i,

  output resp_pkt_t pkt_o
);

  req_kind_e kind;
  reth_t reth;
  logic cont, zero, fits_pmtu, full_pmtu, rpc, class_ok, in_region;
  logic [12:0] pmtu;
  logic [31:0] rkey, msg_left;
  logic [63:0] va;
  logic [64:0] last;  // VA of the message's last byte; bit 64: wrapped around

  assign kind = req_kind(desc_i.bth.opcode);
  assign reth = ext_reth(desc_i.ext);
  assign cont = kind == REQ_MIDDLE || kind == REQ_LAST;
  assign rkey = cont ? msg_i.rkey : reth.rkey;
  assign va = cont ? msg_i.va : reth.va;

  // Every packet is checked for all that is left of its message: FIRST and ONLY for the whole of it.
  assign msg_left = cont ? msg_i.left : reth.len;
  assign last = {1'b0, va} + 65'(msg_left) - 65'd1;

  assign pmtu = pmtu_bytes(qpc_i.pmtu);
  assign full_pmtu = desc_i.len == pmtu;
  assign fits_pmtu = desc_i.len <= pmtu;
  assign rpc = va[63:60] == CLASS_RPC;
  assign class_ok = va[63:60] inside {CLASS_HBM, CLASS_HOST, CLASS_RPC};
  assign zero = kind == REQ_ONLY && reth.len == '0;

  assign in_region = region_ok_i && region_i.valid && region_i.write_en && region_i.key == rkey[7:0] &&
      region_i.pd == qpc_i.pd && va >= region_i.first && !last[64] && last[63:0] <= region_i.last &&
      last[63:60] == va[63:60];

  always_comb begin
    pkt_o         = '0;
    pkt_o.kind    = kind;
    pkt_o.qpn     = desc_i.bth.dest_qpn;
    pkt_o.psn     = desc_i.bth.psn;
    pkt_o.ackreq  = desc_i.bth.ackreq;
    pkt_o.len     = desc_i.len;
    pkt_o.qp_ok   = qpn_ok_i && qpc_i.state inside {QP_RTR, QP_RTS, QP_SQD};
    pkt_o.peer_ok = desc_i.src_ip == qpc_i.peer_ip;
    unique case (kind)
      REQ_FIRST: pkt_o.shape_ok = full_pmtu && !rpc && msg_left > 32'(pmtu) && msg_left <= 32'h8000_0000;
      REQ_MIDDLE: pkt_o.shape_ok = full_pmtu && msg_left > 32'(pmtu);
      REQ_LAST: pkt_o.shape_ok = fits_pmtu && msg_left == 32'(desc_i.len) && desc_i.len != '0;
      REQ_ONLY: begin
        pkt_o.shape_ok = fits_pmtu && msg_left == 32'(desc_i.len) && (!rpc || desc_i.len <= 13'd64);
      end
      default: pkt_o.shape_ok = 1'b0;
    endcase
    pkt_o.access_ok = qpc_i.write_en && (zero || (class_ok && in_region));
    unique case (va[63:60])
      CLASS_HBM:  pkt_o.target = RX_HBM;
      CLASS_HOST: pkt_o.target = RX_HOST;
      CLASS_RPC:  pkt_o.target = RX_RPC;
      default:    pkt_o.target = RX_DROP;
    endcase
    pkt_o.addr = {4'd0, va[59:0]};
    pkt_o.msg_next = '{rkey: rkey, va: va + 64'(desc_i.len), left: msg_left - 32'(desc_i.len)};
  end

endmodule
