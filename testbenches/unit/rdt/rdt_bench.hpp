// SPDX-License-Identifier: Apache-2.0
// The whole of rtl/rdt between its ports: 64 rows, 3 peers, 8 WRITEs in flight.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "Vtb_rdt.h"
#include "models/base/i_client.hpp"
#include "testbenches/support/bench.hpp"

namespace caravan::tb {

using base::ClientOp;
using base::ClientStatus;
using support::get_bits;
using support::set_bits;
using support::StallPattern;

struct Request {
  unsigned op = 0;
  std::uint32_t tag = 0;
  std::uint64_t key = 0, value = 0;
  std::uint32_t qpn = 0;
  std::uint64_t laddr = 0, raddr = 0;
  std::uint32_t rkey = 0, len = 0;
};
struct Response {
  std::uint32_t tag;
  ClientStatus status;
  std::uint64_t value;
};
/// Operation record of an update, as it stands in the 64 bytes of an RPC.
struct Record {
  unsigned kind = 1, opcode = 1, src = 0, valid = 1, len = 64;
  std::uint64_t key = 0, value = 0, ts = 0;
  std::uint32_t seq = 0;
};
struct Verb {
  std::uint32_t qpn, wr_id, len, rkey;
  std::uint64_t laddr, raddr;
  bool signaled, inl;
  Record record;
  bool data_zero;
};
struct Completion {
  std::uint32_t qpn = 0, wr_id = 0;
  unsigned status = 0;
};

class RdtBench {
 public:
  support::Bench<Vtb_rdt> dut;
  support::Source<Request> client;
  support::Source<Record> rpc;
  support::Source<Completion> cpl;
  support::Sink<Response> rsp;
  support::Sink<Verb> verbs;
  struct Stats {
    unsigned get = 0, put = 0, applied = 0, stale = 0, bad_rpc = 0, bad_req = 0, flushed = 0;
  } stats;
  /// Operations in the order in which the kernel took them: index into what was pushed; remote or local.
  struct Taken {
    bool remote;
    std::uint64_t cycle;
  };
  std::vector<Taken> taken;

  explicit RdtBench(StallPattern::Kind in = StallPattern::Kind::kNone,
                    StallPattern::Kind out = StallPattern::Kind::kNone)
      : client(
            dut, {in, 1}, [this](const Request& r) { put_request(r); }, [this](bool v) { dut->client_req_valid_i = v; },
            [this] { return dut->client_req_ready_o != 0; }),
        rpc(
            dut, {in, 2}, [this](const Record& r) { put_record(r); }, [this](bool v) { dut->rpc_valid_i = v; },
            [this] { return dut->rpc_ready_o != 0; }),
        cpl(
            dut, {in, 3},
            [this](const Completion& c) {
              set_bits(dut->cpl_i, 64, 4, c.status);
              set_bits(dut->cpl_i, 68, 32, c.wr_id);
              set_bits(dut->cpl_i, 100, 24, c.qpn);
            },
            [this](bool v) { dut->cpl_valid_i = v; }, [this] { return dut->cpl_ready_o != 0; }),
        rsp(
            dut, {out, 4},
            [this] {
              return Response{static_cast<std::uint32_t>(get_bits(dut->client_rsp_o, 72, 32)),
                              static_cast<ClientStatus>(get_bits(dut->client_rsp_o, 64, 8)),
                              get_bits(dut->client_rsp_o, 0, 64)};
            },
            [this] { return dut->client_rsp_valid_o != 0; }, [this](bool r) { dut->client_rsp_ready_i = r; }),
        verbs(
            dut, {out, 5}, [this] { return get_verb(); }, [this] { return dut->verb_valid_o != 0; },
            [this](bool r) { dut->verb_ready_i = r; }) {
    dut.add([] {},
            [this] {
              const unsigned s = dut->stats_o;
              stats.get += s >> 6 & 1;
              stats.put += s >> 5 & 1;
              stats.applied += s >> 4 & 1;
              stats.stale += s >> 3 & 1;
              stats.bad_rpc += s >> 2 & 1;
              stats.bad_req += s >> 1 & 1;
              stats.flushed += s & 1;
              if (dut->rpc_valid_i && dut->rpc_ready_o) taken.push_back({true, dut.cycle()});
              if (dut->client_req_valid_i && dut->client_req_ready_o) taken.push_back({false, dut.cycle()});
            });
    dut.reset();
  }

  /// Registers, between ticks of the streams (which keep running).
  void write_csr(unsigned offset, std::uint32_t value) {
    dut->csr_i = value | (std::uint64_t{0x3000u | offset} << 32) | (1ull << 49);
    dut.tick();
    dut->csr_i = 0;
  }
  std::uint32_t read_csr(unsigned offset) {
    dut->csr_i = (std::uint64_t{0x3000u | offset} << 32) | (1ull << 48);
    dut.tick();
    dut->csr_i = 0;
    return dut->csr_rdata_o;
  }
  void set_peer(unsigned row, std::uint32_t qpn, std::uint32_t rkey, bool valid = true) {
    write_csr(0x010, qpn);
    write_csr(0x014, rkey);
    write_csr(0x018, row | (valid ? 1u << 31 : 0));
  }
  struct Row {
    bool valid;
    unsigned id;
    std::uint64_t ts, value;
    bool operator==(const Row&) const = default;
  };
  void store_row(std::uint32_t key, const Row& row) {
    write_csr(0x020, key);
    write_csr(0x024, static_cast<std::uint32_t>(row.value));
    write_csr(0x028, static_cast<std::uint32_t>(row.value >> 32));
    write_csr(0x02C, static_cast<std::uint32_t>(row.ts));
    write_csr(0x030, (row.valid ? 1u << 31 : 0) | row.id << 16 | static_cast<std::uint32_t>(row.ts >> 32));
    write_csr(0x034, 1);
    while (read_csr(0x034) != 0) {}
  }
  Row load_row(std::uint32_t key) {
    write_csr(0x020, key);
    write_csr(0x034, 2);
    while (read_csr(0x034) != 0) {}
    const std::uint32_t meta = read_csr(0x030);
    Row row{};
    row.valid = meta >> 31;
    row.id = meta >> 16 & 0xFF;
    row.ts = read_csr(0x02C) | std::uint64_t{meta & 0xFFFF} << 32;
    row.value = read_csr(0x024) | std::uint64_t{read_csr(0x028)} << 32;
    return row;
  }
  void tick(int n) {
    while (n-- > 0) dut.tick();
  }

 private:
  void put_request(const Request& r) {
    auto& p = dut->client_req_i;
    set_bits(p, 0, 32, r.len);
    set_bits(p, 32, 32, r.rkey);
    set_bits(p, 64, 64, r.raddr);
    set_bits(p, 128, 64, r.laddr);
    set_bits(p, 192, 24, r.qpn);
    set_bits(p, 216, 64, r.value);
    set_bits(p, 280, 64, r.key);
    set_bits(p, 344, 32, r.tag);
    set_bits(p, 376, 8, r.op);
  }
  void put_record(const Record& r) {
    auto& p = dut->rpc_i;
    for (unsigned i = 0; i < 17; ++i) p[i] = 0;
    set_bits(p, 0, 8, r.kind);
    set_bits(p, 8, 8, r.opcode);
    set_bits(p, 24, 8, r.src);
    set_bits(p, 32, 32, r.seq);
    set_bits(p, 96, 16, 24);
    set_bits(p, 128, 64, r.key);
    set_bits(p, 192, 64, r.value);
    set_bits(p, 256, 64, r.ts);
    set_bits(p, 504, 8, r.valid);
    set_bits(p, 512, 7, r.len);
  }
  Verb get_verb() {
    const auto& p = dut->verb_o;
    Verb v{};
    v.rkey = static_cast<std::uint32_t>(get_bits(p, 512, 32));
    v.raddr = get_bits(p, 544, 64);
    v.laddr = get_bits(p, 608, 64);
    v.len = static_cast<std::uint32_t>(get_bits(p, 672, 32));
    v.inl = get_bits(p, 704, 1);
    v.wr_id = static_cast<std::uint32_t>(get_bits(p, 705, 32));
    v.signaled = get_bits(p, 771, 1);
    v.qpn = static_cast<std::uint32_t>(get_bits(p, 772, 24));
    v.data_zero = true;
    for (unsigned i = 0; i < 16; ++i) v.data_zero = v.data_zero && p[i] == 0;
    v.record = {static_cast<unsigned>(get_bits(p, 0, 8)),
                static_cast<unsigned>(get_bits(p, 8, 8)),
                static_cast<unsigned>(get_bits(p, 24, 8)),
                static_cast<unsigned>(get_bits(p, 504, 8)),
                v.len,
                get_bits(p, 128, 64),
                get_bits(p, 192, 64),
                get_bits(p, 256, 64),
                static_cast<std::uint32_t>(get_bits(p, 32, 32))};
    return v;
  }
};

}  // namespace caravan::tb
