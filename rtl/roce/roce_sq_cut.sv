// SPDX-License-Identifier: Apache-2.0
// Cuts the next packet out of a work request: opcode, lengths, extension headers, and the rows that its PSNs get.
// Combinational.
//
// SEND, WRITE: ONLY when the message fits one PMTU (length 0 too), else FIRST, MIDDLE.., LAST; RETH with the whole length on
// the first packet of a WRITE, immediate data and solicited event on the last one.
// READ: requests of at most Window / 2 response packets, each a READ of its own on the wire. rows_i = 0 starts a request:
// rows_o PSNs, one packet. Then rows_i counts them down and nothing but the rows is new; hdr_o is then what asks for the rest
// of the request from this row on. Atomics: one packet. A datagram is one packet, addressed by the work request.
module roce_sq_cut
  import roce_pkg::*;
  import roce_req_pkg::*;
  import roce_wire_pkg::*;
#(
  parameter int unsigned Window = 16
) (
  // Work request, and how much of it is cut already
  input sq_wr_t         wr_i,
  input logic    [31:0] ofs_i,
  input logic    [ 7:0] rows_i,
  // Its QP
  input sq_qpc_t        qpc_i,
  input logic           ud_i,
  input logic    [23:0] qpn_i,
  input logic    [23:0] psn_i,

  output logic            first_o,  // of its work request
  output logic            last_o,
  output logic            query_o,  // READ or atomic
  output logic      [7:0] rows_o,   // of this packet from this PSN on, itself included
  output tx_hdr_t         hdr_o,    // ackreq: what the packet itself demands
  output meta_cpl_t       cpl_o
);

  localparam int unsigned MaxRows = (Window > 1) ? Window / 2 : 1;

  logic read, atomic, send;
  logic [31:0] left, limit, part;
  logic [3:0] shift;
  logic [12:0] pmtu, row_len;
  logic [7:0] opcode;
  ext_t ext;

  assign read    = wr_i.op == VERB_READ;
  assign atomic  = wr_i.op inside {VERB_CMP_SWAP, VERB_FETCH_ADD};
  assign send    = wr_i.op == VERB_SEND;
  assign query_o = read || atomic;

  assign pmtu    = pmtu_bytes(qpc_i.pmtu);
  assign shift   = 4'd8 + 4'(qpc_i.pmtu);
  assign left    = wr_i.len - ofs_i;
  assign first_o = ofs_i == '0;
  assign last_o  = ud_i || atomic || left <= 32'(pmtu);
  assign row_len = last_o ? left[12:0] : pmtu;

  // Bytes from this PSN to the end of its READ request.
  assign limit   = 32'(rows_i == '0 ? 8'(MaxRows) : rows_i) << shift;
  assign part    = left < limit ? left : limit;

  always_comb begin
    rows_o = 8'd1;
    if (read && rows_i != '0) rows_o = rows_i;
    else if (read && part != '0) rows_o = 8'((part + 32'(pmtu) - 32'd1) >> shift);
  end

  always_comb begin
    unique case (wr_i.op)
      VERB_READ:      opcode = OP_READ_REQUEST;
      VERB_CMP_SWAP:  opcode = OP_CMP_SWAP;
      VERB_FETCH_ADD: opcode = OP_FETCH_ADD;
      VERB_SEND: begin
        if (first_o && last_o) opcode = wr_i.has_imm ? OP_SEND_ONLY_IMM : OP_SEND_ONLY;
        else if (last_o) opcode = wr_i.has_imm ? OP_SEND_LAST_IMM : OP_SEND_LAST;
        else opcode = first_o ? OP_SEND_FIRST : OP_SEND_MIDDLE;
        if (ud_i) opcode = wr_i.has_imm ? OP_UD_SEND_ONLY_IMM : OP_UD_SEND_ONLY;
      end
      default: begin
        if (first_o && last_o) opcode = wr_i.has_imm ? OP_WRITE_ONLY_IMM : OP_WRITE_ONLY;
        else if (last_o) opcode = wr_i.has_imm ? OP_WRITE_LAST_IMM : OP_WRITE_LAST;
        else opcode = first_o ? OP_WRITE_FIRST : OP_WRITE_MIDDLE;
      end
    endcase
  end

  always_comb begin
    ext = '0;
    if (ud_i) ext = {wr_i.rkey, 8'd0, qpn_i, wr_i.imm, 128'd0};
    else if (read) ext = {wr_i.raddr + 64'(ofs_i), wr_i.rkey, part, 96'd0};
    else if (atomic)
      ext = {wr_i.raddr, wr_i.rkey, wr_i.data[63:0], wr_i.op == VERB_CMP_SWAP ? wr_i.data[127:64] : 64'd0};
    else if (!send && first_o) ext = {wr_i.raddr, wr_i.rkey, wr_i.len, wr_i.imm, 64'd0};
    else if (last_o && wr_i.has_imm) ext = {wr_i.imm, 192'd0};
  end

  assign hdr_o = '{
          opcode: opcode,
          se: last_o && wr_i.solicited && !query_o && (send || wr_i.has_imm),
          ackreq: last_o || query_o,
          dest_qpn: ud_i ? wr_i.raddr[23:0] : qpc_i.dest_qpn,
          psn: psn_i,
          neigh: ud_i ? wr_i.raddr[39:32] : qpc_i.neigh,
          sport: qpc_i.sport,
          ext: ext,
          len: query_o ? 13'd0 : row_len,
          rsp_last: 1'b0,
          qpn: qpn_i
      };

  assign cpl_o = '{
          kind: read ? RowRead : atomic ? RowAtomic : RowData,
          last: last_o,
          rd_end: atomic || (read && rows_o == 8'd1),
          signaled: wr_i.signaled,
          wr_id: wr_i.wr_id,
          target: wr_i.src == SRC_HBM ? RX_HBM : wr_i.src == SRC_HOST ? RX_HOST : RX_DROP,
          addr: wr_i.laddr + 64'(ofs_i),
          len: row_len
      };

endmodule
