// SPDX-License-Identifier: Apache-2.0
// quiet_o is a promise: the edge that follows changes nothing. The whole state is compared.
#include <verilated_save.h>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "path_bench.hpp"

using namespace caravan;
using namespace caravan::txd;
using support::StallPattern;

namespace {
class StateBytes final : public VerilatedSerialize {
 public:
  std::vector<std::uint8_t> bytes;
  void flush() override {
    bytes.insert(bytes.end(), m_bufp, m_cp);
    m_cp = m_bufp;
  }
};
std::vector<std::uint8_t> state_of(Vtb_roce_tx_path& top) {
  top.contextp()->time(0);  // saved with the model, but none of its state; nothing here reads it
  StateBytes out;
  out << top;
  out.flush();
  return out.bytes;
}
}  // namespace

TEST_CASE("while roce_tx_path says quiet, an edge changes no bit of its state", "[unit][roce_txd]") {
  const auto stall = GENERATE(StallPattern::Kind::kNone, StallPattern::Kind::kRandom);
  PathBench bench(StallPattern::Kind::kNone, stall, {.read_latency = 40, .write_latency = 25, .stall = stall});
  for (unsigned q = 0; q < 16; ++q) bench.configure({.qpn = q, .state = kQpRts, .dest_qpn = q, .neigh = kNeigh});
  bool quiet = false;
  std::vector<std::uint8_t> before;
  bench.dut.add([] {},
                [&] {
                  quiet = bench.dut->quiet_o != 0;
                  if (quiet) before = state_of(*bench.dut);
                });
  base::Rng rng(21);
  unsigned quiet_cycles = 0, waiting_cycles = 0;
  for (unsigned i = 0; i < 1500; ++i) {
    if (rng.chance(0.02)) {
      Job job{.psn = i, .src = static_cast<unsigned>(rng.below(4)), .addr = 0x10000 + rng.below(0x10000)};
      job.ring_we = rng.chance(0.5);
      job.ring_rd = !job.ring_we && rng.chance(0.3);
      job.ring_addr = kRing + (rng.below(256) << 12);
      job.neigh = rng.chance(0.8) ? kNeigh : 0;
      job.len = job.src == kSrcNone ? 0 : job.src == kSrcInline ? 1 + rng.below(64) : 1 + rng.below(500);
      (job.ring_rd ? bench.retry_jobs : bench.new_jobs).push(job);
    }
    if (rng.chance(0.03)) bench.acks.push({.qpn = static_cast<std::uint32_t>(rng.below(16)), .psn = i});
    if (rng.chance(0.01)) bench.configure({.qpn = static_cast<std::uint32_t>(rng.below(16)), .neigh = kNeigh});
    bench.dut.tick();
    if (!quiet) continue;
    ++quiet_cycles;
    waiting_cycles += !bench.hbm.idle() || !bench.host.idle();
    bench.dut->clk_i = 0;
    bench.dut->eval();
    INFO("cycle " << bench.dut.cycle());
    REQUIRE((state_of(*bench.dut) == before));
  }
  REQUIRE(quiet_cycles > 200);
  REQUIRE(waiting_cycles > 50);  // quiet also while a memory has not answered
  REQUIRE(bench.frames.size() > 20);
}
