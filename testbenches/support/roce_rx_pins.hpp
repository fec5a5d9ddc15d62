// SPDX-License-Identifier: Apache-2.0
// Packed structs of net_pkg, axis_pkg, roce_pkg and roce_rx_pkg as they stand on the pins of Verilated receive modules.
// Each pack/unpack names its fields from the last (bit 0) to the first, the reverse of the declaration.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include <verilated.h>

#include "models/packet/packet.hpp"
#include "models/ref/region_table.hpp"
#include "models/ref/roce_types.hpp"
#include "testbenches/support/packed_pins.hpp"

namespace caravan::support {

/// One net_rx_beat_t of a RoCE frame. The frame's packet ends where its IP header says, or with the bytes that there
/// are.
struct NetBeat {
  packet::Buffer data;
  bool sop = false, eop = false, bad = false;
  std::uint8_t kind = 1;
};
inline std::vector<NetBeat> net_beats(const packet::Buffer& frame, std::size_t padding = 0, bool bad = false) {
  std::vector<NetBeat> beats;
  const std::size_t total = std::max<std::size_t>(frame.size() + padding, 1);
  for (std::size_t at = 0; at < total; at += 64) {
    NetBeat beat{{}, at == 0, at + 64 >= total, bad && at + 64 >= total};
    if (at < frame.size()) beat.data.assign(frame.begin() + at, frame.begin() + std::min(at + 64, frame.size()));
    beats.push_back(std::move(beat));
  }
  return beats;
}
template <class Wide>
void pack(Wide& pin, const NetBeat& b) {
  PinWriter(pin).data(b.data).put(7, b.data.size()).put(2, b.kind).put(1, b.sop).put(1, b.eop).put(1, b.bad);
}

/// roce_cfg_t: one table write.
struct RoceCfg {
  bool is_region = false, init = false;
  std::uint32_t index = 0;
  ref::QpConfig qp;
  std::uint8_t key = 0;
  bool valid = true;
  ref::Region region;

  static RoceCfg of_qp(const ref::QpConfig& qp, bool init = true) {
    RoceCfg cfg;
    cfg.init = init;
    cfg.index = qp.qpn.value();
    cfg.qp = qp;
    return cfg;
  }
  static RoceCfg of_region(std::uint32_t rkey, const ref::Region& region, bool valid = true) {
    RoceCfg cfg;
    cfg.is_region = true;
    cfg.index = rkey >> 8;
    cfg.key = static_cast<std::uint8_t>(rkey);
    cfg.valid = valid;
    cfg.region = region;
    return cfg;
  }
};
template <class Wide>
void pack(Wide& pin, const RoceCfg& c) {
  unsigned pmtu = 0;
  while ((256u << pmtu) < c.qp.pmtu) ++pmtu;
  PinWriter(pin)
      .put(64, c.region.base + c.region.length - 1)
      .put(64, c.region.base)
      .put(16, c.region.pd)
      .put(8, c.key)
      .put(1, c.region.access.atomic)
      .put(1, c.region.access.read)
      .put(1, c.region.access.write)
      .put(1, c.valid)
      .put(24, c.qp.first_psn_to_expect.value())
      .put(24, c.qp.first_psn_to_send.value())
      .put(32, c.qp.qkey)
      .put(16, c.qp.pd)
      .put(16, c.qp.udp_src_port)
      .put(32, c.qp.peer_ip)
      .put(8, 0)
      .put(24, c.qp.dest_qpn.value())
      .put(1, c.qp.remote_atomic)
      .put(1, c.qp.remote_read)
      .put(1, c.qp.remote_write)
      .put(2, 0)
      .put(1, c.qp.service == ref::QpService::kUd)
      .put(5, c.qp.min_rnr_timer)
      .put(3, c.qp.rnr_retry)
      .put(3, c.qp.retry_limit)
      .put(5, c.qp.timeout_exponent)
      .put(3, pmtu)
      .put(3, static_cast<unsigned>(c.qp.state))
      .put(24, c.index)
      .put(1, c.init)
      .put(1, c.is_region);
}

struct AckEvt {
  std::uint32_t qpn = 0, psn = 0, msn = 0;
  std::uint8_t syndrome = 0;
  bool operator==(const AckEvt&) const = default;
};
template <class Wide>
AckEvt unpack_ack_evt(const Wide& pin) {
  PinReader r(pin);
  AckEvt e;
  e.msn = r.get32(24);
  e.syndrome = static_cast<std::uint8_t>(r.get(8));
  e.psn = r.get32(24);
  e.qpn = r.get32(24);
  return e;
}

/// rq_wr_t.
template <class Wide>
void pack_rq(Wide& pin, std::uint32_t qpn, const ref::ReceiveRequest& r) {
  PinWriter(pin).put(32, r.length).put(64, r.local_va).put(32, r.wr_id).put(24, qpn);
}
/// rq_cpl_t.
template <class Wide>
ref::ReceiveCompletion unpack_rq_cpl(const Wide& pin) {
  PinReader r(pin);
  ref::ReceiveCompletion c;
  c.src_ip = r.get32(32);
  c.src_qpn = base::Qpn(r.get32(24));
  c.length = r.get32(32);
  c.imm = r.get32(32);
  c.has_imm = r.get(1) != 0;
  c.solicited = r.get(1) != 0;
  c.is_write = r.get(1) != 0;
  c.status = static_cast<ref::CompletionStatus>(r.get(4));
  c.wr_id = r.get32(32);
  c.qpn = base::Qpn(r.get32(24));
  return c;
}

inline constexpr unsigned kRqCplBits = 24 + 32 + 4 + 3 + 32 + 32 + 24 + 32;
/// rq_done_t.
struct RqDone {
  ref::ReceiveCompletion cpl;
  std::uint32_t tag = 0;  ///< commands before it
  bool operator==(const RqDone&) const = default;
};

/// rd_evt_t; op 0 READ, 1 CMP_SWAP, 2 FETCH_ADD.
struct RdEvt {
  std::uint32_t op = 0, qpn = 0, psn = 0, msn = 0, rkey = 0, len = 0, tag = 0;
  bool gone = false, dup = false;
  std::uint64_t va = 0, swap_add = 0, compare = 0;
  bool operator==(const RdEvt&) const = default;
};
template <class Wide>
RdEvt unpack_rd(const Wide& pin) {
  PinReader r(pin);
  RdEvt e;
  e.tag = r.get32(32);
  e.compare = r.get(64);
  e.swap_add = r.get(64);
  r.get(3);
  e.len = r.get32(32);
  e.rkey = r.get32(32);
  e.va = r.get(64);
  e.msn = r.get32(24);
  e.psn = r.get32(24);
  e.qpn = r.get32(24);
  e.dup = r.get(1) != 0;
  e.gone = r.get(1) != 0;
  e.op = r.get32(2);
  return e;
}

struct RxRsp {
  std::uint32_t qpn = 0, src_ip = 0, psn = 0, msn = 0;
  std::uint8_t syndrome = 0;
  bool operator==(const RxRsp&) const = default;
};
template <class Wide>
RxRsp unpack_rx_rsp(const Wide& pin) {
  PinReader r(pin);
  RxRsp e;
  r.get(13 + 64);
  e.msn = r.get32(24);
  e.syndrome = static_cast<std::uint8_t>(r.get(8));
  const bool no_aeth = r.get(8) == 0x0E;  // READ_RESP_MIDDLE
  if (no_aeth) e.msn = e.syndrome = 0;
  e.psn = r.get32(24);
  e.src_ip = r.get32(32);
  e.qpn = r.get32(24);
  return e;
}

struct RxRpc {
  std::uint32_t qpn = 0, len = 0;
  packet::Buffer data;  ///< all 64 bytes
  bool operator==(const RxRpc&) const = default;
};
template <class Wide>
RxRpc unpack_rpc(const Wide& pin) {
  PinReader r(pin);
  RxRpc e;
  e.data = r.data();
  e.len = r.get32(7);
  e.qpn = r.get32(24);
  return e;
}

/// rx_cmd_t; target 0 drop, 1 HBM, 2 host, 3 RPC.
struct RxCmd {
  std::uint32_t target = 0, qpn = 0, len = 0;
  std::uint64_t addr = 0;
  bool inl = false;
  std::uint64_t data = 0;  ///< inline commands
  bool operator==(const RxCmd&) const = default;
};
template <class Wide>
RxCmd unpack_cmd(const Wide& pin) {
  PinReader r(pin);
  RxCmd e;
  e.len = r.get32(13);
  e.addr = r.get(64);
  e.qpn = r.get32(24);
  e.target = r.get32(2);
  e.data = r.get(64);
  e.inl = r.get(1) != 0;
  return e;
}
template <class Wide>
void pack(Wide& pin, const RxCmd& c) {
  PinWriter(pin).put(13, c.len).put(64, c.addr).put(24, c.qpn).put(2, c.target).put(64, c.data).put(1, c.inl);
}

/// rx_desc_t.
struct RxDesc {
  packet::Bth bth;
  std::array<std::uint8_t, 28> ext{};  ///< extension headers as on the wire
  std::uint32_t src_ip = 0, len = 0;
  bool ce = false;

  packet::Reth reth() const {
    return {packet::get_be(ext.data(), 8), static_cast<std::uint32_t>(packet::get_be(ext.data() + 8, 4)),
            static_cast<std::uint32_t>(packet::get_be(ext.data() + 12, 4))};
  }
  packet::Aeth aeth() const { return {ext[0], static_cast<std::uint32_t>(packet::get_be(ext.data() + 1, 3))}; }
  void set(const packet::Reth& reth) {
    packet::put_be(ext.data(), 8, reth.va);
    packet::put_be(ext.data() + 8, 4, reth.rkey);
    packet::put_be(ext.data() + 12, 4, reth.dma_length);
  }
};
template <class Wide>
RxDesc unpack_desc(const Wide& pin) {
  PinReader r(pin);
  RxDesc d;
  d.len = r.get32(13);
  d.ce = r.get(1) != 0;
  d.src_ip = r.get32(32);
  for (std::size_t i = d.ext.size(); i-- > 0;) d.ext[i] = static_cast<std::uint8_t>(r.get(8));
  d.bth.psn = r.get32(24);
  d.bth.reserved7 = static_cast<std::uint8_t>(r.get(7));
  d.bth.ack_req = r.get(1) != 0;
  d.bth.dest_qp = r.get32(24);
  d.bth.reserved6 = static_cast<std::uint8_t>(r.get(6));
  d.bth.becn = r.get(1) != 0;
  d.bth.fecn = r.get(1) != 0;
  d.bth.pkey = static_cast<std::uint16_t>(r.get(16));
  d.bth.tver = static_cast<std::uint8_t>(r.get(4));
  d.bth.pad_count = static_cast<std::uint8_t>(r.get(2));
  d.bth.mig_req = r.get(1) != 0;
  d.bth.solicited = r.get(1) != 0;
  d.bth.opcode = static_cast<std::uint8_t>(r.get(8));
  return d;
}
template <class Wide>
void pack(Wide& pin, const RxDesc& d) {
  PinWriter w(pin);
  w.put(13, d.len).put(1, d.ce).put(32, d.src_ip);
  for (std::size_t i = d.ext.size(); i-- > 0;) w.put(8, d.ext[i]);
  w.put(24, d.bth.psn)
      .put(7, d.bth.reserved7)
      .put(1, d.bth.ack_req)
      .put(24, d.bth.dest_qp)
      .put(6, d.bth.reserved6)
      .put(1, d.bth.becn)
      .put(1, d.bth.fecn)
      .put(16, d.bth.pkey)
      .put(4, d.bth.tver)
      .put(2, d.bth.pad_count)
      .put(1, d.bth.mig_req)
      .put(1, d.bth.solicited)
      .put(8, d.bth.opcode);
}

/// Bits of roce_rx_stats_t.
enum RxStat : unsigned {
  kMemErr,
  kRpc,
  kMsgs,
  kWritePkts,
  kNakAccess,
  kNakInvalid,
  kNakSeq,
  kDup,
  kDropOp,
  kDropPeer,
  kDropQp,
  kDropHdr,
  kDropIcrc,
  kDropFifo,
  kPkts,
  kSends,
  kNakOp,
  kRnr,
  kReads,
  kAtomics,
  kUd,
  kCnp,
  kDropRq,
  kRxStats
};
using RxStats = std::array<std::uint64_t, kRxStats>;

}  // namespace caravan::support
