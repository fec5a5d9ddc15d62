// SPDX-License-Identifier: Apache-2.0
// Hands a received RPC to the data type that it is for. Combinational; an RPC waits only while the kernel serves others.
// Bad input: kind, opcode, length, valid byte, key or timestamp out of range: dropped in the cycle of its arrival, counted.
module rdt_dispatch
  import rdt_pkg::*;
  import roce_pkg::*;
#(
  parameter int unsigned Entries = 131072
) (
  // From the network
  input  roce_rpc_t rpc_i,
  input  logic      rpc_valid_i,
  output logic      rpc_ready_o,

  // To the kernel of the map
  output kv_op_t kv_o,
  output logic   kv_valid_o,
  input  logic   kv_ready_i,

  output logic bad_rpc_o
);

  op_record_t record;
  logic good;

  assign record = op_record_t'(rpc_i.data);
  assign good = rpc_i.len == 7'd64 && record.kind == KIND_KV && record.opcode == KV_PUT && record.valid == 8'd1
      && record.key < 64'(Entries) && record.ts < KV_TS_LIMIT;

  assign kv_valid_o = rpc_valid_i && good;
  assign rpc_ready_o = good ? kv_ready_i : 1'b1;
  assign bad_rpc_o = rpc_valid_i && !good;

  always_comb begin
    kv_o     = '0;
    kv_o.op  = KV_OP_REMOTE;
    kv_o.key = record.key[31:0];
    kv_o.row = '{valid: 1'b1, id: record.src, ts: record.ts[47:0], value: record.value};
  end

endmodule
