// SPDX-License-Identifier: Apache-2.0
// Requests of every operation: opcodes, extension headers, PSNs, refusals, completions.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "testbenches/unit/roce_txc/ctl_bench.hpp"

using namespace caravan::roce_txc;
using Ext = std::array<std::uint32_t, 7>;

namespace {
constexpr std::uint32_t kPmtu = 256;
}

TEST_CASE("SEND and WRITE, with immediate data and solicited event: opcode, headers, flags of each packet",
          "[unit][roce]") {
  const unsigned op = GENERATE(kWrite, kSend);
  const bool imm = GENERATE(false, true), solicited = GENERATE(false, true);
  const std::uint32_t packets = GENERATE(1u, 2u, 3u);
  Ctl ctl;
  ctl.configure(0, {.pmtu = 0});
  ctl.post({.qpn = 0,
            .len = packets * kPmtu - 3,
            .rkey = 0x77,
            .raddr = 0x1'0000'0002,
            .op = op,
            .solicited = solicited,
            .has_imm = imm,
            .imm = 0xCAFE});
  REQUIRE(ctl.settle());
  REQUIRE(ctl.jobs().size() == packets);
  const auto check = [&](const Job& job, std::uint32_t i) {
    const bool first = i == 0, last = i + 1 == packets;
    INFO("op " << op << " imm " << imm << " packet " << i << " of " << packets);
    unsigned opcode = first ? (last ? kSendOnly : kSendFirst) : (last ? kSendLast : kSendMiddle);
    if (imm && last) ++opcode;
    if (op == kWrite) opcode += kFirst;
    REQUIRE(job.opcode == opcode);
    REQUIRE(job.se == (last && solicited && (op == kSend || imm)));
    Ext ext{};
    if (op == kWrite && first) ext = {0x1, 0x2, 0x77, packets * kPmtu - 3};
    if (imm && last) ext[op == kWrite && first ? 4 : 0] = 0xCAFE;
    for (unsigned w = 0; w < (op == kWrite && first ? (imm && last ? 5u : 4u) : (imm && last ? 1u : 0u)); ++w)
      REQUIRE(job.ext[w] == ext[w]);
    REQUIRE(job.len == (last ? kPmtu - 3 : kPmtu));
  };
  for (std::uint32_t i = 0; i < packets; ++i) {
    check(ctl.jobs()[i], i);
    REQUIRE(ctl.jobs()[i].ring_we);
    REQUIRE(ctl.jobs()[i].addr == 0x10000 + i * kPmtu);
  }
  ctl.clear();
  ctl.ack({.qpn = 0, .psn = 100, .syndrome = 0x60});
  REQUIRE(ctl.settle());
  REQUIRE(ctl.jobs().size() == packets);
  for (std::uint32_t i = 0; i < packets; ++i) check(ctl.jobs()[i], i);
  ctl.ack({.qpn = 0, .psn = 99 + packets});
  REQUIRE(ctl.settle());
  REQUIRE(ctl.cpl.items() == std::vector<Cpl>{{0, 0, kOk}});
}

TEST_CASE("READ: one packet a request, a PSN for each response, requests of half a window", "[unit][roce]") {
  const std::uint32_t len = GENERATE(0u, 1u, 255u, 256u, 257u, 8 * 256u, 8 * 256u + 1, 16 * 256u, 20 * 256u - 5);
  Ctl ctl;
  ctl.configure(2, {.pmtu = 0, .psn = 0xFFFFFA});
  ctl.post({.qpn = 2, .wr_id = 1, .len = len, .rkey = 0x55, .laddr = kHostBit | 0x9001, .raddr = 0x7003, .op = kRead});
  ctl.post({.qpn = 2, .wr_id = 2, .len = 4, .op = kSend});
  std::uint32_t sent = 0, psn = 0xFFFFFA;
  bool behind = false;
  while (!behind) {
    REQUIRE(ctl.settle());
    for (const Job& job : ctl.jobs()) {
      REQUIRE(job.psn == psn);
      if (job.opcode == kSendOnly) {
        REQUIRE(sent == len);
        behind = true;
        continue;
      }
      const std::uint32_t part = std::min(len - sent, 8 * kPmtu);
      REQUIRE(job.opcode == kReadRequest);
      REQUIRE(job.ackreq);
      REQUIRE_FALSE(job.se);
      REQUIRE(job.va == 0x7003 + sent);
      REQUIRE(job.rkey == 0x55);
      REQUIRE(job.total == part);
      REQUIRE(job.len == 0);
      REQUIRE(job.src == kNone);
      REQUIRE_FALSE(job.ring_we);
      const std::uint32_t rows = part == 0 ? 1 : (part + kPmtu - 1) / kPmtu;
      for (std::uint32_t i = 0; i < rows; ++i)
        ctl.ack({.qpn = 2,
                 .psn = (psn + i) & kPsnMask,
                 .opcode = rows == 1       ? kReadOnly
                           : i == 0        ? kReadFirst
                           : i + 1 == rows ? kReadLast
                                           : kReadMiddle,
                 .len = std::min(kPmtu, part - i * kPmtu)});
      psn = (psn + rows) & kPsnMask;
      sent += part;
    }
    if (!behind) ctl.clear();
  }
  ctl.clear();
  ctl.ack({.qpn = 2, .psn = psn});
  REQUIRE(ctl.settle());
  REQUIRE(ctl.cpl.items().back() == Cpl{2, 2, kOk});
  REQUIRE(ctl.events.stale == 0);
}

TEST_CASE("READ responses land where the work request says, and complete it after they are in memory", "[unit][roce]") {
  const bool host = GENERATE(false, true);
  Ctl ctl;
  ctl.configure(1, {.pmtu = 0, .timeout = 4});
  ctl.write_latency = 77;
  ctl.post({.qpn = 1, .wr_id = 5, .len = 3 * 256 + 9, .laddr = (host ? kHostBit : 0) | 0x9001, .op = kRead});
  ctl.post({.qpn = 1, .wr_id = 6, .len = 4});
  REQUIRE(ctl.settle());
  ctl.read_responses(1, 100, 3, 256);
  ctl.ack({.qpn = 1, .psn = 103, .opcode = kReadLast, .len = 9});
  ctl.ack({.qpn = 1, .psn = 104});
  REQUIRE(ctl.settle());
  REQUIRE(ctl.cmds.size() == 4);
  for (std::uint32_t i = 0; i < 4; ++i) {
    const Cmd& cmd = ctl.cmds[i];
    REQUIRE(cmd.target == (host ? kToHost : kToHbm));
    REQUIRE(cmd.addr == 0x9001 + i * 256);
    REQUIRE(cmd.len == (i == 3 ? 9u : 256u));
    REQUIRE(cmd.qpn == 1);
    REQUIRE_FALSE(cmd.inl);
  }
  REQUIRE(ctl.cpl.items() == std::vector<Cpl>{{1, 5, kOk}, {1, 6, kOk}});
  // Counted one cycle after the data are in memory; the queue and the output register follow.
  REQUIRE(ctl.cpl.at()[0] + (ctl.now - ctl.dut.cycle()) == ctl.cmds[3].at + 77 + 1);
  REQUIRE(ctl.cpl.at()[1] == ctl.cpl.at()[0] + 1);
}

TEST_CASE("A completion that waits for its data does not hold acknowledges; the order of a QP is kept",
          "[unit][roce]") {
  Ctl ctl;
  ctl.configure(0, {});
  ctl.configure(1, {});
  ctl.hold_writes = true;
  ctl.post({.qpn = 0, .wr_id = 1, .len = 64, .op = kRead});
  ctl.post({.qpn = 0, .wr_id = 2, .len = 64});
  ctl.post({.qpn = 1, .wr_id = 3, .len = 64});
  ctl.run(20);
  ctl.read_responses(0, 100, 1, 64);
  ctl.ack({.qpn = 0, .psn = 101});
  ctl.ack({.qpn = 1, .psn = 100});
  ctl.run(50);
  REQUIRE(ctl.acks.empty());
  REQUIRE(ctl.events.ack == 3);
  REQUIRE(ctl.cpl.items().empty());
  REQUIRE(ctl->quiet_o);
  ctl.errs.push(0);  // flushed work goes behind
  ctl.post({.qpn = 0, .wr_id = 4, .len = 64});
  ctl.run(50);
  REQUIRE(ctl.cpl.items().empty());
  ctl.hold_writes = false;
  REQUIRE(ctl.settle());
  REQUIRE(ctl.cpl.items() == std::vector<Cpl>{{0, 1, kOk}, {0, 2, kOk}, {1, 3, kOk}, {0, 4, kFlushed}});
}

TEST_CASE("Atomics: headers, result to memory and into the completion, or into the completion only", "[unit][roce]") {
  const unsigned op = GENERATE(kCas, kFaa);
  const bool inl = GENERATE(false, true), host = GENERATE(false, true);
  Ctl ctl;
  ctl.configure(0, {});
  ctl.post({.qpn = 0,
            .wr_id = 8,
            .len = 8,
            .rkey = 0x99,
            .inl = inl,
            .laddr = (host ? kHostBit : 0) | 0x123,
            .raddr = 0x5'0000'0008,
            .op = op,
            .operand = 0x1111'2222'3333'4444,
            .compare = 0x5555'6666'7777'8888});
  REQUIRE(ctl.settle());
  REQUIRE(ctl.jobs().size() == 1);
  const Job job = ctl.jobs()[0];
  REQUIRE(job.opcode == (op == kCas ? kCmpSwap : kFetchAdd));
  REQUIRE(job.ackreq);
  REQUIRE(job.len == 0);
  REQUIRE(job.src == kNone);
  REQUIRE_FALSE(job.ring_we);
  REQUIRE(job.ext == Ext{0x5, 0x8, 0x99, 0x1111'2222, 0x3333'4444, op == kCas ? 0x5555'6666u : 0u,
                         op == kCas ? 0x7777'8888u : 0u});
  ctl.ack({.qpn = 0, .psn = 100, .syndrome = 0x60});  // again, the same
  REQUIRE(ctl.settle());
  REQUIRE(ctl.jobs().size() == 2);
  REQUIRE(ctl.jobs()[1].ext == job.ext);
  REQUIRE(ctl.jobs()[1].opcode == job.opcode);
  REQUIRE_FALSE(ctl.jobs()[1].ring_rd);
  ctl.ack({.qpn = 0, .psn = 100, .opcode = kAtomicAck, .orig = 0xABCD'0123});
  REQUIRE(ctl.settle());
  REQUIRE(ctl.cpl.items() == std::vector<Cpl>{{0, 8, kOk}});
  REQUIRE(ctl.originals == std::vector<std::uint64_t>{0xABCD'0123});
  REQUIRE(ctl.cmds.size() == (inl ? 0 : 1));
  if (inl) return;
  REQUIRE(ctl.cmds[0].inl);
  REQUIRE(ctl.cmds[0].data == 0xABCD'0123);
  REQUIRE(ctl.cmds[0].target == (host ? kToHost : kToHbm));
  REQUIRE(ctl.cmds[0].addr == 0x123);
  REQUIRE(ctl.cmds[0].len == 8);
}

TEST_CASE("An atomic may complete into memory and still be CPL_OK only once its value is there", "[unit][roce]") {
  Ctl ctl;
  ctl.configure(0, {});
  ctl.hold_writes = true;
  ctl.post({.qpn = 0, .wr_id = 1, .op = kFaa});
  ctl.run(20);
  ctl.ack({.qpn = 0, .psn = 100, .opcode = kAtomicAck});
  ctl.run(40);
  REQUIRE(ctl.cmds.size() == 1);
  REQUIRE(ctl.cpl.items().empty());
  ctl.hold_writes = false;
  REQUIRE(ctl.settle());
  REQUIRE(ctl.cpl.items() == std::vector<Cpl>{{0, 1, kOk}});
}

TEST_CASE("Malformed READs, atomics and datagrams are refused", "[unit][roce]") {
  Ctl ctl;
  ctl.configure(0, {});
  ctl.configure(1, {.pmtu = 1, .ud = true});
  ctl.post({.qpn = 0, .wr_id = 0, .len = 8, .inl = true, .op = kRead});
  ctl.post({.qpn = 0, .wr_id = 1, .laddr = 0x3000'0000'0000'0000, .op = kRead});
  ctl.post({.qpn = 0, .wr_id = 2, .len = 4, .op = kCas});
  ctl.post({.qpn = 0, .wr_id = 3, .len = 16, .inl = true, .op = kFaa});
  ctl.post({.qpn = 0, .wr_id = 4, .laddr = 0x1000'0000'0000'0000, .op = kFaa});
  ctl.post({.qpn = 0, .wr_id = 5, .len = 65, .inl = true, .op = kSend});
  ctl.post({.qpn = 0, .wr_id = 6, .op = 15});
  ctl.post({.qpn = 1, .wr_id = 7, .op = kWrite});
  ctl.post({.qpn = 1, .wr_id = 8, .op = kRead});
  ctl.post({.qpn = 1, .wr_id = 9, .op = kFaa});
  ctl.post({.qpn = 1, .wr_id = 10, .len = 513, .op = kSend});
  REQUIRE(ctl.settle());
  REQUIRE(ctl.cpl.items().size() == 11);
  for (std::uint32_t i = 0; i < 11; ++i) REQUIRE(ctl.cpl.items()[i] == Cpl{i < 7 ? 0u : 1u, i, kBadRequest});
  REQUIRE(ctl.events.bad == 11);
  REQUIRE(ctl.jobs().empty());
}
