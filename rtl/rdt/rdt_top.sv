// SPDX-License-Identifier: Apache-2.0
// Replicated data types: the client port, the replicated key-value map, its updates to and from the network. Wiring only.
//
//   client_req -> rdt_client --+-> rdt_kv -> GET answer, PUT -> rdt_replicate -+-> rdt_verb_arb -> verb
//                  (WRITE)     |      ^                                        |
//   rpc -> rdt_dispatch -------|------+        rdt_client ---------------------+
//   csr -> rdt_csr ------------+ (load, inspect)
module rdt_top
  import prim_pkg::*;
  import rdt_pkg::*;
  import roce_pkg::*;
#(
  parameter int unsigned Entries  = 131072,
  parameter int unsigned MaxPeers = 31,
  parameter int unsigned Verbs    = 256
) (
  input logic clk_i,
  input logic rst_i,

  // Register bus; read data in the cycle after the request, else zero
  input  csr_req_t    csr_i,
  output logic [31:0] csr_rdata_o,

  // Client operations
  input  client_req_t client_req_i,
  input  logic        client_req_valid_i,
  output logic        client_req_ready_o,
  output client_rsp_t client_rsp_o,
  output logic        client_rsp_valid_o,
  input  logic        client_rsp_ready_i,

  // Remote procedure calls from the network
  input  roce_rpc_t rpc_i,
  input  logic      rpc_valid_i,
  output logic      rpc_ready_o,

  // Verbs to the send queues, and their completions
  output verb_t verb_o,
  output logic  verb_valid_o,
  input  logic  verb_ready_i,
  input  cpl_t  cpl_i,
  input  logic  cpl_valid_i,
  output logic  cpl_ready_o,

  output rdt_stats_t stats_o,
  output logic       quiet_o
);

  logic [7:0] replica, peer_index;
  logic peer_we;
  rdt_peer_t peer;
  kv_op_t local_op, remote_op, csr_op;
  logic local_valid, local_ready, remote_valid, remote_ready, csr_valid, csr_ready;
  kv_done_t done;
  logic get_done, put_done, load_done;
  verb_t client_verb, update_verb;
  logic client_verb_valid, client_verb_ready, update_verb_valid, update_verb_ready;
  client_rsp_t put_rsp;
  logic put_rsp_valid, put_rsp_ready, put_room;
  logic kv_quiet, client_quiet, replicate_quiet, csr_quiet;
  logic applied, stale, bad_rpc, bad_req, put_flushed;

  rdt_csr #(
    .Entries (Entries),
    .MaxPeers(MaxPeers)
  ) u_csr (
    .clk_i,
    .rst_i,
    .csr_i,
    .csr_rdata_o,
    .replica_o     (replica),
    .peer_we_o     (peer_we),
    .peer_index_o  (peer_index),
    .peer_o        (peer),
    .kv_o          (csr_op),
    .kv_valid_o    (csr_valid),
    .kv_ready_i    (csr_ready),
    .kv_done_i     (done),
    .kv_load_done_i(load_done),
    .quiet_o       (csr_quiet)
  );

  rdt_client #(
    .Entries(Entries),
    .Verbs  (Verbs)
  ) u_client (
    .clk_i,
    .rst_i,
    .req_i          (client_req_i),
    .req_valid_i    (client_req_valid_i),
    .req_ready_o    (client_req_ready_o),
    .rsp_o          (client_rsp_o),
    .rsp_valid_o    (client_rsp_valid_o),
    .rsp_ready_i    (client_rsp_ready_i),
    .kv_o           (local_op),
    .kv_valid_o     (local_valid),
    .kv_ready_i     (local_ready),
    .kv_done_i      (done),
    .kv_get_done_i  (get_done),
    .put_room_i     (put_room),
    .put_rsp_i      (put_rsp),
    .put_rsp_valid_i(put_rsp_valid),
    .put_rsp_ready_o(put_rsp_ready),
    .verb_o         (client_verb),
    .verb_valid_o   (client_verb_valid),
    .verb_ready_i   (client_verb_ready),
    .cpl_i,
    .cpl_valid_i,
    .cpl_ready_o,
    .bad_req_o      (bad_req),
    .put_flushed_o  (put_flushed),
    .quiet_o        (client_quiet)
  );

  rdt_dispatch #(
    .Entries(Entries)
  ) u_dispatch (
    .rpc_i,
    .rpc_valid_i,
    .rpc_ready_o,
    .kv_o      (remote_op),
    .kv_valid_o(remote_valid),
    .kv_ready_i(remote_ready),
    .bad_rpc_o (bad_rpc)
  );

  rdt_kv #(
    .Entries(Entries)
  ) u_kv (
    .clk_i,
    .rst_i,
    .replica_i     (replica),
    .local_i       (local_op),
    .local_valid_i (local_valid),
    .local_ready_o (local_ready),
    .remote_i      (remote_op),
    .remote_valid_i(remote_valid),
    .remote_ready_o(remote_ready),
    .csr_i         (csr_op),
    .csr_valid_i   (csr_valid),
    .csr_ready_o   (csr_ready),
    .done_o        (done),
    .get_done_o    (get_done),
    .put_done_o    (put_done),
    .load_done_o   (load_done),
    .applied_o     (applied),
    .stale_o       (stale),
    .quiet_o       (kv_quiet)
  );

  rdt_replicate #(
    .MaxPeers(MaxPeers)
  ) u_replicate (
    .clk_i,
    .rst_i,
    .replica_i   (replica),
    .peer_we_i   (peer_we),
    .peer_index_i(peer_index),
    .peer_i      (peer),
    .put_i       (done),
    .put_valid_i (put_done),
    .room_o      (put_room),
    .verb_o      (update_verb),
    .verb_valid_o(update_verb_valid),
    .verb_ready_i(update_verb_ready),
    .rsp_o       (put_rsp),
    .rsp_valid_o (put_rsp_valid),
    .rsp_ready_i (put_rsp_ready),
    .quiet_o     (replicate_quiet)
  );

  rdt_verb_arb u_verb_arb (
    .clk_i,
    .rst_i,
    .client_i      (client_verb),
    .client_valid_i(client_verb_valid),
    .client_ready_o(client_verb_ready),
    .update_i      (update_verb),
    .update_valid_i(update_verb_valid),
    .update_ready_o(update_verb_ready),
    .verb_o,
    .verb_valid_o,
    .verb_ready_i
  );

  assign stats_o = '{
          get: get_done,
          put: put_done,
          remote_applied: applied,
          remote_stale: stale,
          bad_rpc: bad_rpc,
          bad_req: bad_req,
          put_flushed: put_flushed
      };
  assign quiet_o = kv_quiet && client_quiet && replicate_quiet && csr_quiet && !rpc_valid_i;

endmodule
