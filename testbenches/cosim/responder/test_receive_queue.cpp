// SPDX-License-Identifier: Apache-2.0
// Receive queues of the RTL responder: order, completions, flushes.
#include "testbenches/cosim/responder/answers_bench.hpp"

using namespace caravan;
using namespace caravan::support;
using namespace caravan::support::answers;
using ref::CompletionStatus;

TEST_CASE("Answers: a receive completes when its bytes are in memory", "[cosim][responder]") {
  Rtl rtl(kOwnMac, kOwnIp, kPeerMac, kPeerIp, Kind::kNone, Kind::kMostly, 3);
  rtl.cfg.write(RoceCfg::of_qp(AnswersBench::qp(1)));
  for (std::uint32_t i = 0; i < 16; ++i)
    rtl.posts.push({1, {.wr_id = i, .local_va = 0x50000 + 0x1000 * i + 7, .length = 1024}});
  REQUIRE(rtl.drain());
  std::size_t seen = 0;
  rtl.dut.add([] {},
              [&] {
                if (!rtl.dut->rq_cpl_valid_o || seen > rtl.received.items().size()) return;
                const auto c = unpack_rq_cpl(rtl.dut->rq_cpl_o);
                if (c.wr_id < seen) return;
                ++seen;
                // All bursts of this message and of those before are answered by now.
                REQUIRE(rtl.memory.read(0x50000 + 0x1000 * c.wr_id + 7, 1000) ==
                        Buffer(1000, static_cast<std::uint8_t>(c.wr_id + 1)));
                REQUIRE(rtl.hbm.answered() >= c.wr_id + 1);
              });
  for (std::uint32_t i = 0; i < 16; ++i) rtl.send(send_frame(1, i, Buffer(1000, static_cast<std::uint8_t>(i + 1))));
  REQUIRE(rtl.drain());
  REQUIRE(seen == 16);
  for (std::uint32_t i = 0; i < 16; ++i)
    REQUIRE((rtl.received.items().at(i).wr_id == i && rtl.received.items().at(i).length == 1000));
}

TEST_CASE("Receive queue: order, a full ring, refusals", "[cosim][responder][rq]") {
  AnswersBench s;
  for (std::uint32_t i = 0; i < 20; ++i) s.rtl.posts.push({1, {.wr_id = i, .local_va = kVa + 64 * i, .length = 64}});
  REQUIRE(!s.rtl.dut.run_until([&] { return s.rtl.posts.empty(); }, 500));
  REQUIRE(s.rtl.posts.sent_at().size() == 16);  // the ring is full
  REQUIRE(s.rtl.dut->quiet_o == 1);             // and waiting is quiet
  for (std::size_t i = 1; i < 16; ++i) REQUIRE(s.rtl.posts.sent_at()[i] == s.rtl.posts.sent_at()[i - 1] + 2);
  for (std::uint32_t i = 0; i < 20; ++i) s.rtl.send(send_frame(1, i, Buffer(8, static_cast<std::uint8_t>(i + 1))));
  s.drain();
  REQUIRE(s.rtl.received.items().size() == 20);
  for (std::uint32_t i = 0; i < 20; ++i) {
    REQUIRE((s.rtl.received.items()[i].wr_id == i && s.rtl.received.items()[i].status == CompletionStatus::kOk));
    REQUIRE(s.rtl.memory.read(kVa + 64 * i, 8) == Buffer(8, static_cast<std::uint8_t>(i + 1)));
  }
  s.rtl.received.clear();
  s.rtl.posts.push({16, {.wr_id = 1, .local_va = kVa, .length = 64}});        // no such QP
  s.rtl.posts.push({0xFFFFFF, {.wr_id = 2, .local_va = kVa, .length = 64}});  // nor this
  s.rtl.posts.push({1, {.wr_id = 3, .local_va = 0x3000000000000000ull, .length = 64}});
  s.rtl.posts.push({7, {.wr_id = 4, .local_va = kVa, .length = 64}});  // never created
  s.drain();
  const auto status = [&](std::size_t i) { return s.rtl.received.items().at(i).status; };
  REQUIRE(s.rtl.received.items().size() == 4);
  for (std::size_t i = 0; i < 3; ++i) REQUIRE(status(i) == CompletionStatus::kBadRequest);
  REQUIRE(status(3) == CompletionStatus::kFlushed);
  REQUIRE((s.rtl.received.items()[1].qpn.value() == 0xFFFFFF && s.rtl.received.items()[1].wr_id == 2));
}

TEST_CASE("Receive queue: flushed when the QP fails or is put out of use, forgotten when it is made anew",
          "[cosim][responder][rq]") {
  enum class Way { kNak, kRequester, kError, kReset, kInit };
  for (Way way : {Way::kNak, Way::kRequester, Way::kError, Way::kReset, Way::kInit}) {
    INFO("way " << static_cast<int>(way));
    AnswersBench s;
    for (std::uint32_t i = 0; i < 5; ++i) s.rtl.posts.push({1, {.wr_id = i, .local_va = kVa, .length = 64}});
    s.rtl.posts.push({2, {.wr_id = 50, .local_va = kVa, .length = 64}});
    s.drain();
    s.rtl.send(send_frame(1, 0, Buffer(8)));
    s.drain();
    auto q = AnswersBench::qp(1);
    if (way == Way::kNak) s.rtl.send(send_frame(1, 1, Buffer(65)));
    if (way == Way::kRequester) {
      s.rtl.dut->qp_err_i = 1;
      s.rtl.dut->qp_err_valid_i = 1;
      s.rtl.dut.tick();
      s.rtl.dut->qp_err_valid_i = 0;
    }
    if (way == Way::kError) q.state = ref::QpState::kError;
    if (way == Way::kReset) q.state = ref::QpState::kReset;
    if (way == Way::kError || way == Way::kReset) s.rtl.cfg.write(RoceCfg::of_qp(q, false));
    if (way == Way::kInit) s.rtl.cfg.write(RoceCfg::of_qp(q));
    s.drain();
    const auto& all = s.rtl.received.items();
    if (way == Way::kInit) {
      REQUIRE(all.size() == 1);
    } else {
      REQUIRE(all.size() == 5);
      for (std::uint32_t i = 1; i < 5; ++i) {
        const bool cause = way == Way::kNak && i == 1;
        REQUIRE(all[i].wr_id == i);
        REQUIRE(all[i].status == (cause ? CompletionStatus::kLocalLength : CompletionStatus::kFlushed));
      }
      s.rtl.posts.push({1, {.wr_id = 9, .local_va = kVa, .length = 64}});  // posted too late
      s.drain();
      REQUIRE((all.size() == 6 && all[5].status == CompletionStatus::kFlushed));
      s.rtl.cfg.write(RoceCfg::of_qp(AnswersBench::qp(1)));
    }
    s.rtl.received.clear();
    s.rtl.frames.clear();
    // A new life: its queue is empty, then works. The other QP has kept its buffer.
    s.rtl.send(send_frame(1, 0, Buffer(8)));
    s.drain();
    REQUIRE(packet::parse(s.rtl.frames.at(0)).ext.aeth->is_rnr());
    s.rtl.posts.push({1, {.wr_id = 60, .local_va = kVa, .length = 64}});
    s.drain();
    s.rtl.send(send_frame(1, 0, Buffer(8)));
    s.rtl.send(send_frame(2, 0, Buffer(8)));
    s.drain();
    REQUIRE(s.rtl.received.items().size() == 2);
    REQUIRE((s.rtl.received.items()[0].wr_id == 60 && s.rtl.received.items()[1].wr_id == 50));
  }
}

TEST_CASE("Receive queue: completions that nobody takes hold the responder, and nothing is lost",
          "[cosim][responder][rq]") {
  Rtl rtl(kOwnMac, kOwnIp, kPeerMac, kPeerIp, Kind::kNone, Kind::kMostly, 9);
  for (std::uint32_t qpn : {1u, 2u, 3u}) rtl.cfg.write(RoceCfg::of_qp(AnswersBench::qp(qpn)));
  std::uint32_t psn[4] = {}, posted = 0;
  for (int round = 0; round < 12; ++round) {
    for (std::uint32_t qpn : {1u, 2u, 3u})
      for (int i = 0; i < 4; ++i) rtl.posts.push({qpn, {.wr_id = posted++, .local_va = kVa, .length = 64}});
    REQUIRE(rtl.dut.run_until([&] { return rtl.posts.empty(); }, 10'000));
    for (int i = 0; i < 4; ++i)
      for (std::uint32_t qpn : {1u, 2u, 3u}) rtl.send(send_frame(qpn, psn[qpn]++, Buffer(16)));
    REQUIRE(rtl.drain());
  }
  REQUIRE(rtl.received.items().size() == posted);
  REQUIRE(rtl.stats[kRnr] == 0);
}
