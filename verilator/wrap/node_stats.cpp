// SPDX-License-Identifier: Apache-2.0
#include "verilator/wrap/node_stats.hpp"

namespace caravan::vl {
namespace {

using base::Unit;

// The last member of a packed struct is bit 0: rdt, roce_tx, roce_rx, net, each from its last member up.
constexpr base::StatInfo kInfos[] = {
    {"rdt.put_flushed", Unit::kOperations, "updates whose work request failed"},
    {"rdt.bad_req", Unit::kOperations, "client requests refused"},
    {"rdt.bad_rpc", Unit::kMessages, "RPCs dropped: length, kind, opcode, key, timestamp or valid byte"},
    {"rdt.remote_stale", Unit::kOperations, "remote updates that lost against a newer row"},
    {"rdt.remote_applied", Unit::kOperations, "remote updates that won"},
    {"rdt.put", Unit::kOperations, "local PUTs"},
    {"rdt.get", Unit::kOperations, "local GETs"},
    {"roce_tx.mem_err", Unit::kEvents, "memory responses with an error while sending"},
    {"roce_tx.bad_verb", Unit::kOperations, "work requests refused"},
    {"roce_tx.drop_neigh", Unit::kPackets, "packets not sent: neighbour row invalid"},
    {"roce_tx.qp_err", Unit::kEvents, "queue pairs that went to error"},
    {"roce_tx.timeout", Unit::kEvents, "expiries of retry timers"},
    {"roce_tx.rx_stale", Unit::kPackets, "ACKs and NAKs received without effect"},
    {"roce_tx.rx_nak", Unit::kPackets, "NAKs received and acted on"},
    {"roce_tx.rx_ack", Unit::kPackets, "ACKs received that moved the window"},
    {"roce_tx.ack_merged", Unit::kEvents, "acknowledge events merged into a waiting one"},
    {"roce_tx.acks", Unit::kPackets, "ACKs and NAKs sent"},
    {"roce_tx.retrans", Unit::kPackets, "request packets sent again"},
    {"roce_tx.pkts", Unit::kPackets, "request packets sent for the first time"},
    {"roce_tx.rsp", Unit::kPackets, "READ responses and atomic acknowledges sent"},
    {"roce_tx.cnps", Unit::kPackets, "CNPs sent"},
    {"roce_tx.rd_lost", Unit::kEvents,
     "READs and atomics without answer: repeated and not remembered, or a memory error"},
    {"roce_rx.mem_err", Unit::kEvents, "memory write responses with an error"},
    {"roce_rx.rpc", Unit::kMessages, "RPCs handed to the dispatcher"},
    {"roce_rx.msgs", Unit::kMessages, "messages completed"},
    {"roce_rx.write_pkts", Unit::kPackets, "WRITE packets accepted"},
    {"roce_rx.nak_access", Unit::kEvents, "NAKs asked for: remote access error"},
    {"roce_rx.nak_invalid", Unit::kEvents, "NAKs asked for: invalid request"},
    {"roce_rx.nak_seq", Unit::kEvents, "NAKs asked for: PSN sequence error"},
    {"roce_rx.dup", Unit::kPackets, "duplicate requests"},
    {"roce_rx.drop_op", Unit::kPackets, "dropped: opcode without meaning for this endpoint"},
    {"roce_rx.drop_peer", Unit::kPackets, "dropped: source address or QKey is not the queue pair's"},
    {"roce_rx.drop_qp", Unit::kPackets, "dropped: queue pair out of range, not ready to receive, or in error"},
    {"roce_rx.drop_hdr", Unit::kPackets, "dropped: TVer, P_Key, pad, or length against opcode"},
    {"roce_rx.drop_icrc", Unit::kPackets, "dropped: ICRC wrong"},
    {"roce_rx.drop_fifo", Unit::kPackets, "dropped: receive FIFO full"},
    {"roce_rx.pkts", Unit::kPackets, "RoCE packets received and stored"},
    {"roce_rx.sends", Unit::kPackets, "SEND packets accepted"},
    {"roce_rx.nak_op", Unit::kEvents, "NAKs asked for: message longer than its receive buffer"},
    {"roce_rx.rnr", Unit::kEvents, "RNR NAKs asked for"},
    {"roce_rx.reads", Unit::kPackets, "READ requests accepted"},
    {"roce_rx.atomics", Unit::kPackets, "atomics accepted"},
    {"roce_rx.ud", Unit::kPackets, "datagrams accepted"},
    {"roce_rx.cnp", Unit::kPackets, "CNPs received"},
    {"roce_rx.drop_rq", Unit::kPackets, "datagrams dropped: no receive buffer, too small, or longer than the path MTU"},
    {"net.tx_frames", Unit::kFrames, "frames handed to the MAC"},
    {"net.rx_drop_other", Unit::kFrames, "dropped: malformed ARP or ICMP, or the reply buffer busy or too small"},
    {"net.rx_icmp", Unit::kFrames, "ICMP echo requests for this node"},
    {"net.rx_arp", Unit::kFrames, "ARP requests for this node"},
    {"net.rx_drop_udp", Unit::kFrames, "dropped: UDP length, checksum or port; unknown IP protocol"},
    {"net.rx_drop_ip", Unit::kFrames, "dropped: IPv4 version, IHL, checksum, length, fragment or address"},
    {"net.rx_drop_mac", Unit::kFrames, "dropped: not for this station, or unknown ethertype"},
    {"net.rx_bad_fcs", Unit::kFrames, "dropped: damaged (MAC error flag)"},
    {"net.rx_frames", Unit::kFrames, "frames that the MAC delivered"},
    {"mac.tx_frames", Unit::kFrames, "frames sent"},
    {"mac.tx_bytes", Unit::kBytes, "bytes sent, without padding, preamble and FCS"},
    {"mac.tx_dropped", Unit::kFrames, "frames not sent: too long or aborted"},
    {"mac.rx_frames", Unit::kFrames, "frames received"},
    {"mac.rx_bytes", Unit::kBytes, "bytes received, with padding, without FCS"},
    {"mac.rx_bad_fcs", Unit::kFrames, "frames received with a wrong FCS"},
    {"mac.rx_oversize", Unit::kFrames, "frames not received: too long"},
    {"hbm.read_bursts", Unit::kEvents, "read bursts"},
    {"hbm.read_beats", Unit::kEvents, "read beats of 64 bytes"},
    {"hbm.write_bursts", Unit::kEvents, "write bursts"},
    {"hbm.write_beats", Unit::kEvents, "write beats of 64 bytes"},
    {"hbm.errors", Unit::kEvents, "bursts outside the memory"},
    {"host.read_bursts", Unit::kEvents, "read bursts"},
    {"host.read_beats", Unit::kEvents, "read beats of 64 bytes"},
    {"host.write_bursts", Unit::kEvents, "write bursts"},
    {"host.write_beats", Unit::kEvents, "write beats of 64 bytes"},
    {"host.errors", Unit::kEvents, "bursts outside the memory"},
};

}  // namespace

std::span<const base::StatInfo> node_stat_infos() { return kInfos; }

}  // namespace caravan::vl
