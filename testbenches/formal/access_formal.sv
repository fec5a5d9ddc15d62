// SPDX-License-Identifier: Apache-2.0
// roce_responder_check and roce_responder_rules together: for every packet, in every state of its QP and with any table rows,
// payload goes to memory or to the dispatcher only by permission, byte for byte, and a READ or an atomic is answered only
// by permission. What is refused changes nothing.
module access_formal
  import roce_pkg::*;
  import roce_rx_pkg::*;
  import roce_wire_pkg::*;
(
  input rx_desc_t         desc_i,
  input logic             qpn_ok_i,
  input qpc_t             qpc_i,
  input logic             region_ok_i,
  input region_t          region_i,
  input resp_msg_t        msg_i,
  input rq_entry_t        entry_i,
  input logic             entry_ok_i,
  input resp_row_t        row_i,
  input logic             failed_i,
  input rd_no_t           rd_no_i,
  input logic      [31:0] byte_i        // any byte of what the packet writes or asks for
);

  resp_pkt_t pkt;
  resp_verdict_t verdict;

  roce_responder_check u_check (
    .valid_i(1'b1),
    .desc_i,
    .qpn_ok_i,
    .qpc_i,
    .region_ok_i,
    .region_i,
    .msg_i,
    .entry_i,
    .entry_ok_i,
    .pkt_o  (pkt)
  );

  roce_responder_rules u_rules (
    .valid_i  (1'b1),
    .pkt_i    (pkt),
    .row_i,
    .failed_i,
    .rd_no_i,
    .verdict_o(verdict)
  );

  // ---- What the packet is, told by its opcode alone --------------------------------------------------------------------
  logic write, first, send, datagram, read, atomic, in_place, receives, writes, asks;
  reth_t reth;
  logic [63:0] va, target_va;
  logic [31:0] rkey;
  logic [64:0] at;  // the byte's address; bit 64: beyond the end of the address space
  logic [32:0] in_buffer;

  assign write = desc_i.bth.opcode inside {[OP_WRITE_FIRST : OP_WRITE_ONLY_IMM]};
  assign first = desc_i.bth.opcode inside {OP_WRITE_FIRST, OP_WRITE_ONLY, OP_WRITE_ONLY_IMM};
  assign send = desc_i.bth.opcode inside {[OP_SEND_FIRST : OP_SEND_ONLY_IMM]};
  assign datagram = desc_i.bth.opcode inside {OP_UD_SEND_ONLY, OP_UD_SEND_ONLY_IMM};
  assign read = desc_i.bth.opcode == OP_READ_REQUEST;
  assign atomic = desc_i.bth.opcode inside {OP_CMP_SWAP, OP_FETCH_ADD};
  assign reth = ext_reth(desc_i.ext);

  // Whom the address and the key come from: this packet, or the FIRST of its message.
  assign va = write && !first ? msg_i.va : reth.va;
  assign rkey = write && !first ? msg_i.rkey : reth.rkey;
  assign at = {1'b0, va} + 65'(byte_i);

  assign receives = qpn_ok_i && !failed_i && qpc_i.state inside {QP_RTR, QP_RTS, QP_SQD};
  assign in_place = desc_i.bth.psn == row_i.epsn;
  assign writes = verdict.target != RX_DROP && desc_i.len != '0;
  assign asks = verdict.rd;

  function automatic logic permits(input logic allowed);
    return region_ok_i && region_i.valid && region_i.key == rkey[7:0] && region_i.pd == qpc_i.pd && allowed &&
        !at[64] && at[63:0] >= region_i.first && at[63:0] <= region_i.last && at[63:60] == va[63:60];
  endfunction

  always_comb begin
    unique case (verdict.target)
      RX_HBM:  target_va = {CLASS_HBM, pkt.addr[59:0]};
      RX_HOST: target_va = {CLASS_HOST, pkt.addr[59:0]};
      default: target_va = {CLASS_RPC, pkt.addr[59:0]};
    endcase
    in_buffer = {1'b0, 32'(pkt.addr[59:0] - entry_i.addr[59:0])} + 33'(byte_i);

    // Length and QP, by which the command is given and the row chosen, are the packet's own.
    assert (pkt.len == desc_i.len && pkt.qpn == desc_i.bth.dest_qpn && pkt.rd.qpn == pkt.qpn);

    // Payload that is not dropped belongs to a WRITE, SEND or datagram in its place, on a QP that receives.
    if (writes) begin
      assert (write || send || datagram);
      assert (receives && !verdict.fail);
      if (!datagram)
        assert (in_place && desc_i.src_ip == qpc_i.peer_ip && qpc_i.svc == SVC_RC);
        else assert (qpc_i.svc == SVC_UD && ext_deth(desc_i.ext).qkey == qpc_i.qkey);
    end

    // A WRITE: every byte lies where the peer said, and is permitted there.
    if (writes && write) begin
      assert (qpc_i.write_en && first != row_i.active);
      assert (target_va == va && pkt.msg_next.rkey == rkey);
      if (byte_i < 32'(desc_i.len)) assert (permits(region_i.write_en));
      if (verdict.target == RX_RPC) assert (desc_i.len <= 13'd64);
    end

    // A SEND or datagram: every byte lies in the receive buffer.
    if (writes && (send || datagram)) begin
      assert (entry_ok_i);
      if (byte_i < 32'(desc_i.len) && entry_i.addr[63:60] inside {CLASS_HBM, CLASS_HOST})
        assert (in_buffer < {1'b0, entry_i.len} && target_va[63:60] == entry_i.addr[63:60]);
    end

    // A READ is answered, also again, only by permission; an atomic is executed only by permission.
    if (asks) begin
      assert ((read || atomic) && receives && desc_i.src_ip == qpc_i.peer_ip && qpc_i.svc == SVC_RC);
      assert (pkt.rd.va == va && (!read || pkt.rd.len == reth.len));
      assert (verdict.rd_dup == !in_place);
      if (read) begin
        assert (qpc_i.read_en);
        if (byte_i < reth.len) assert (permits(region_i.read_en) && va[63:60] inside {CLASS_HBM, CLASS_HOST});
      end else if (in_place) begin
        assert (qpc_i.atomic_en && va[2:0] == '0);
        if (byte_i < 32'd8) assert (permits(region_i.atomic_en) && va[63:60] inside {CLASS_HBM, CLASS_HOST});
      end
    end

    // What is refused leaves the expected PSN, the message count and the message alone.
    if (verdict.fail || !receives || (verdict.ack && verdict.ack_syndrome[7:5] != 3'd0)) begin
      assert (verdict.target == RX_DROP && !verdict.rd && !verdict.msg_we);
      assert (verdict.row.epsn == row_i.epsn && verdict.row.msn == row_i.msn && verdict.row.active == row_i.active);
    end
  end

endmodule
