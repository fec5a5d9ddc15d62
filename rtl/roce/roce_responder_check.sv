// SPDX-License-Identifier: Apache-2.0
// Everything about a packet that does not depend on the responder row: QP state, service, peer, lengths, rkey and bounds,
// the receive buffer. Combinational; stage 1 of roce_responder. The region is the one that RETH or AtomicETH name, or for
// MIDDLE and LAST the one of the message in progress, read again for every packet so that a revoked permission fences what
// is still in flight.
module roce_responder_check
  import roce_pkg::*;
  import roce_rx_pkg::*;
  import roce_wire_pkg::*;
(
  input logic      valid_i,
  input rx_desc_t  desc_i,
  input logic      qpn_ok_i,     // in range
  input qpc_t      qpc_i,
  input logic      region_ok_i,  // region number in range
  input region_t   region_i,
  input resp_msg_t msg_i,
  input rq_entry_t entry_i,      // receive buffer at the head
  input logic      entry_ok_i,   // there is one

  output resp_pkt_t pkt_o
);

  localparam logic [31:0] MAX_MSG = 32'h8000_0000;

  req_op_t op;
  reth_t reth;
  atomic_eth_t atomic;
  deth_t deth;
  logic cont, write, datagram, zero, fits_pmtu, full_pmtu, size_ok, rpc, class_ok, memory_ok, in_region;
  logic [12:0] pmtu;
  logic [31:0] rkey, span, done, sum;
  logic [32:0] buf_end;
  logic [63:0] va, buffer;
  logic [64:0] last;  // VA of the last byte; bit 64: wrapped around

  assign op = req_op(desc_i.bth.opcode);
  assign reth = ext_reth(desc_i.ext);
  assign atomic = ext_atomic(desc_i.ext);
  assign deth = ext_deth(desc_i.ext);
  assign write = op.kind == REQ_WRITE;
  assign datagram = op.kind == REQ_UD;
  assign cont = write && !op.first;
  assign rkey = cont ? msg_i.rkey : reth.rkey;
  assign va = cont ? msg_i.va : reth.va;
  assign done = op.first ? '0 : msg_i.done;
  assign sum = done + 32'(desc_i.len);

  // Every packet of a WRITE is checked for all that is left of its message: FIRST and ONLY for the whole of it.
  assign span = op.kind == REQ_ATOMIC ? 32'd8 : cont ? msg_i.left : reth.len;
  assign last = {1'b0, va} + 65'(span) - 65'd1;

  assign pmtu = pmtu_bytes(qpc_i.pmtu);
  assign full_pmtu = desc_i.len == pmtu;
  assign fits_pmtu = desc_i.len <= pmtu;
  assign size_ok = op.last ? fits_pmtu && (op.first || desc_i.len != '0) : full_pmtu;
  assign rpc = va[63:60] == CLASS_RPC && !(op.first && op.last && span == '0);
  assign memory_ok = va[63:60] inside {CLASS_HBM, CLASS_HOST};
  assign class_ok = memory_ok || (write && va[63:60] == CLASS_RPC);
  assign zero = op.first && op.last && span == '0;

  assign in_region = region_ok_i && region_i.valid && region_i.key == rkey[7:0] && region_i.pd == qpc_i.pd &&
      (write ? region_i.write_en : op.kind == REQ_READ ? region_i.read_en : region_i.atomic_en) &&
      va >= region_i.first && !last[64] && last[63:0] <= region_i.last && last[63:60] == va[63:60];

  // The receive buffer: a SEND goes on behind what it has received, a datagram leaves room for the GRH.
  assign buffer = entry_i.addr + (datagram ? 64'(GRH_BYTES) : 64'(done));
  assign buf_end = datagram ? 33'(desc_i.len) + 33'(GRH_BYTES) : {1'b0, done} + 33'(desc_i.len);

  function automatic rx_target_e target_of(input logic [3:0] cls);
    unique case (cls)
      CLASS_HBM:  return RX_HBM;
      CLASS_HOST: return RX_HOST;
      CLASS_RPC:  return RX_RPC;
      default:    return RX_DROP;
    endcase
  endfunction

  // Without a packet there is nothing to put together; the simulator then saves the work.
  always_comb begin
    pkt_o = '0;
    if (valid_i) begin
      pkt_o.op      = op;
      pkt_o.qpn     = desc_i.bth.dest_qpn;
      pkt_o.psn     = desc_i.bth.psn;
      pkt_o.ackreq  = desc_i.bth.ackreq;
      pkt_o.ce      = desc_i.ce;
      pkt_o.len     = desc_i.len;
      pkt_o.qp_ok   = qpn_ok_i && qpc_i.state inside {QP_RTR, QP_RTS, QP_SQD};
      pkt_o.peer_ok = datagram || desc_i.src_ip == qpc_i.peer_ip;
      pkt_o.svc_ok  = op.kind == REQ_CNP || (qpc_i.svc == SVC_UD) == datagram;
      pkt_o.qkey_ok = deth.qkey == qpc_i.qkey;
      pkt_o.min_rnr = qpc_i.min_rnr;

      unique case (op.kind)
        REQ_WRITE:
        pkt_o.shape_ok = size_ok && span <= MAX_MSG && (op.last ? span == 32'(desc_i.len) : span > 32'(desc_i.len)) &&
            (!rpc || (op.first && op.last && desc_i.len <= 13'd64));
        REQ_SEND: pkt_o.shape_ok = size_ok && sum <= MAX_MSG && !op.refused;
        REQ_READ: pkt_o.shape_ok = reth.len <= MAX_MSG;
        REQ_ATOMIC: pkt_o.shape_ok = va[2:0] == '0;
        default: pkt_o.shape_ok = fits_pmtu;
      endcase
      unique case (op.kind)
        REQ_WRITE: pkt_o.access_ok = qpc_i.write_en && (zero || (class_ok && in_region));
        REQ_READ: pkt_o.access_ok = qpc_i.read_en && (zero || (class_ok && in_region));
        REQ_ATOMIC: pkt_o.access_ok = qpc_i.atomic_en && class_ok && in_region;
        default: pkt_o.access_ok = 1'b1;
      endcase
      pkt_o.rq_ok    = entry_ok_i;
      pkt_o.rq_fits  = write || buf_end <= {1'b0, entry_i.len};
      pkt_o.target   = target_of(write ? va[63:60] : entry_i.addr[63:60]);
      pkt_o.addr     = write ? {4'd0, va[59:0]} : {4'd0, buffer[59:0]};
      pkt_o.msg_next = '{rkey: rkey, va: va + 64'(desc_i.len), left: span - 32'(desc_i.len), done: sum};
      pkt_o.packets  = 24'd1;
      if (op.kind == REQ_READ && reth.len != '0) begin
        pkt_o.packets = 24'((33'(reth.len) + 33'(pmtu) - 33'd1) >> (4'd8 + 4'(qpc_i.pmtu)));
      end

      pkt_o.cpl = '{
          qpn: desc_i.bth.dest_qpn,
          wr_id: entry_i.wr_id,
          status: CPL_OK,
          is_write: write,
          solicited: desc_i.bth.se,
          has_imm: op.imm,
          imm: op.imm ? ext_imm(desc_i.bth.opcode, desc_i.ext) : '0,
          len: sum,
          src_qpn: datagram ? deth.src_qpn : '0,
          src_ip: desc_i.src_ip
      };
      pkt_o.rd = '{
          op: op.kind == REQ_READ ? RD_READ : desc_i.bth.opcode == OP_CMP_SWAP ? RD_CMP_SWAP : RD_FETCH_ADD,
          gone: 1'b0,
          dup: 1'b0,
          qpn: desc_i.bth.dest_qpn,
          psn: desc_i.bth.psn,
          msn: '0,
          va: va,
          rkey: rkey,
          len: reth.len,
          pmtu: qpc_i.pmtu,
          swap_add: atomic.swap_add,
          compare: atomic.compare,
          tag: '0
      };
    end
  end

endmodule
