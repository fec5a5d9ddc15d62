// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>

#include <memory>

#include "Vtb_wmux.h"
#include "models/base/rng.hpp"
#include "testbenches/support/stalls.hpp"

using namespace caravan;
using namespace caravan::support;

namespace {
struct Aw {
  unsigned id, beats;
  std::uint32_t addr;
};
struct W {
  bool last;
  std::uint32_t data;
};
struct B {
  unsigned id, resp;
};

/// Three masters, and a slave that answers a burst after its last beat, in any order between ids.
struct WmuxBench {
  Bench<Vtb_wmux> dut;
  std::vector<std::unique_ptr<Source<Aw>>> aw;
  std::vector<std::unique_ptr<Source<W>>> w;
  std::vector<std::unique_ptr<Sink<B>>> b;
  std::unique_ptr<Sink<Aw>> slave_aw;
  std::unique_ptr<Sink<W>> slave_w;
  std::unique_ptr<Source<B>> slave_b;
  std::vector<B> expected_b[3];
  unsigned bursts = 0;

  WmuxBench(StallPattern::Kind gaps, StallPattern::Kind stalls, bool gated = false) {
    using K = StallPattern;
    for (unsigned i = 0; i < 3; ++i) {
      aw.push_back(std::make_unique<Source<Aw>>(
          dut, K{gaps, 10 + i},
          [this, i](const Aw& a) {
            set_bits(dut->aw_i, 44 * i, 32, a.addr);
            set_bits(dut->aw_i, 44 * i + 32, 8, a.beats - 1);
            set_bits(dut->aw_i, 44 * i + 40, 4, a.id);
          },
          [this, i](bool v) { set_bit(dut->aw_valid_i, i, v); },
          [this, i] { return (dut->aw_ready_o >> i & 1) != 0; }));
      w.push_back(std::make_unique<Source<W>>(
          dut, K{gaps, 20 + i},
          [this, i](const W& x) {
            set_bits(dut->w_i, 41 * i, 32, x.data);
            set_bits(dut->w_i, 41 * i + 32, 8, x.data & 0xFF);
            set_bits(dut->w_i, 41 * i + 40, 1, x.last);
          },
          [this, i](bool v) { set_bit(dut->w_valid_i, i, v); }, [this, i] { return (dut->w_ready_o >> i & 1) != 0; }));
      b.push_back(std::make_unique<Sink<B>>(
          dut, K{stalls, 30 + i},
          [this, i] {
            return B{dut->b_o >> (6 * i + 2) & 15, dut->b_o >> 6 * i & 3};
          },
          [this, i] { return (dut->b_valid_o >> i & 1) != 0; }, [this, i](bool v) { set_bit(dut->b_ready_i, i, v); }));
    }
    slave_aw = std::make_unique<Sink<Aw>>(
        dut, K{stalls, 40},
        [this] {
          return Aw{static_cast<unsigned>(dut->aw_o >> 40 & 15), static_cast<unsigned>(dut->aw_o >> 32 & 0xFF) + 1,
                    static_cast<std::uint32_t>(dut->aw_o)};
        },
        [this] { return dut->aw_valid_o != 0; }, [this](bool v) { dut->aw_ready_i = v; });
    slave_w = std::make_unique<Sink<W>>(
        dut, K{stalls, 41},
        [this] {
          return W{(dut->w_o >> 40 & 1) != 0, static_cast<std::uint32_t>(dut->w_o)};
        },
        [this] { return dut->w_valid_o != 0; }, [this](bool v) { dut->w_ready_i = v; });
    slave_b = std::make_unique<Source<B>>(
        dut, K{gaps, 42}, [this](const B& x) { dut->b_i = static_cast<std::uint8_t>(x.id << 2 | x.resp); },
        [this](bool v) { dut->b_valid_i = v; }, [this] { return dut->b_ready_o != 0; });
    if (gated) dut.gate([this] { return dut->quiet_o != 0; });
    dut.reset();
  }
  template <class Pin>
  static void set_bit(Pin& pin, unsigned i, bool v) {
    pin = static_cast<Pin>((pin & ~(1u << i)) | static_cast<unsigned>(v) << i);
  }

  void burst(unsigned master, unsigned beats) {
    const std::uint32_t tag = master << 28 | bursts++ << 8;
    const unsigned id = bursts * 5 & 15;
    aw[master]->push({id, beats, tag});
    for (unsigned k = 0; k < beats; ++k) w[master]->push({k + 1 == beats, tag | k});
    expected_b[master].push_back({id, bursts & 3});
  }
  /// Answers the bursts whose AW and last W the slave has, newest id first, but in order per id.
  void answer() {
    std::size_t complete = 0;
    for (const W& x : slave_w->items()) complete += x.last;
    complete = std::min(complete, slave_aw->items().size());
    for (unsigned master = 3; master-- > 0;) {
      for (std::size_t k = answered_upto_; k < complete; ++k) {
        if (slave_aw->items()[k].id == master) slave_b->push({master, expected_b[master][answered_[master]++].resp});
      }
    }
    answered_upto_ = complete;
  }
  bool done() const { return b[0]->items().size() + b[1]->items().size() + b[2]->items().size() == bursts; }

 private:
  std::size_t answered_upto_ = 0, answered_[3] = {};
};

/// AW and W at the slave belong together, burst by burst, and every burst of a master comes in its order.
void check_slave(const WmuxBench& bench) {
  std::size_t beat = 0;
  std::uint32_t previous[3] = {};
  for (const Aw& aw : bench.slave_aw->items()) {
    REQUIRE(aw.id == aw.addr >> 28);
    if (previous[aw.id] != 0) REQUIRE(aw.addr > previous[aw.id]);
    previous[aw.id] = aw.addr;
    for (unsigned k = 0; k < aw.beats; ++k, ++beat) {
      REQUIRE(bench.slave_w->items().at(beat).data == (aw.addr | k));
      REQUIRE(bench.slave_w->items()[beat].last == (k + 1 == aw.beats));
    }
  }
  REQUIRE(beat == bench.slave_w->items().size());
}
}  // namespace

TEST_CASE("axis_axi_wmux keeps bursts whole, W in the order of AW, and gives B back to its master with its id",
          "[unit][axis]") {
  const auto gaps = CARAVAN_EVERY_STALL();
  const auto stalls = CARAVAN_EVERY_STALL();
  const bool gated = GENERATE(false, true);
  WmuxBench bench(gaps, stalls, gated);
  base::Rng rng(5, static_cast<std::uint64_t>(gaps));
  for (int i = 0; i < 90; ++i)
    bench.burst(static_cast<unsigned>(i % 3), 1 + static_cast<unsigned>(rng.below(rng.chance(0.5) ? 1 : 9)));
  for (int i = 0; i < 20000 && !bench.done(); ++i) {
    bench.answer();
    bench.dut.tick();
  }
  REQUIRE(bench.done());
  check_slave(bench);
  for (unsigned m = 0; m < 3; ++m) {
    REQUIRE(bench.b[m]->items().size() == 30);
    for (std::size_t i = 0; i < 30; ++i) {
      REQUIRE(bench.b[m]->items()[i].id == bench.expected_b[m][i].id);
      REQUIRE(bench.b[m]->items()[i].resp == bench.expected_b[m][i].resp);
    }
  }
  bench.dut.tick();
  REQUIRE(bench.dut->quiet_o == 1);
}

TEST_CASE("axis_axi_wmux adds one cycle and passes a beat every cycle, whatever the burst length", "[unit][axis]") {
  const unsigned beats = GENERATE(1u, 2u, 3u, 8u);
  WmuxBench bench(StallPattern::Kind::kNone, StallPattern::Kind::kNone);
  for (int i = 0; i < 24; ++i) bench.burst(static_cast<unsigned>(i % 3), beats);
  for (int i = 0; i < 1000 && !bench.done(); ++i) {
    bench.answer();
    bench.dut.tick();
  }
  REQUIRE(bench.done());
  check_slave(bench);
  REQUIRE(bench.aw[0]->sent_at()[0] == 0);
  REQUIRE(bench.slave_aw->at()[0] == 1);
  REQUIRE(bench.w[0]->sent_at()[0] == 0);
  for (std::size_t i = 0; i < 24 * beats; ++i) REQUIRE(bench.slave_w->at()[i] == i + 1);
  for (std::size_t i = 0; i < 24; ++i) REQUIRE(bench.slave_aw->items()[i].id == i % 3);  // in turn
}

TEST_CASE("axis_axi_wmux holds back a master with MaxBursts bursts unanswered, and only that one", "[unit][axis]") {
  WmuxBench bench(StallPattern::Kind::kNone, StallPattern::Kind::kNone);
  for (int i = 0; i < 12; ++i) bench.burst(0, 1);
  for (int i = 0; i < 30; ++i) bench.dut.tick();
  REQUIRE(bench.slave_aw->items().size() == 8);
  bench.burst(1, 2);
  for (int i = 0; i < 10; ++i) bench.dut.tick();
  REQUIRE(bench.slave_aw->items().size() == 9);
  for (int i = 0; i < 200 && !bench.done(); ++i) {
    bench.answer();
    bench.dut.tick();
  }
  REQUIRE(bench.done());
  check_slave(bench);
}

TEST_CASE("axis_axi_wmux drops responses that belong to nobody", "[unit][axis]") {
  WmuxBench bench(StallPattern::Kind::kNone, StallPattern::Kind::kNone);
  for (unsigned id = 0; id < 16; ++id) bench.slave_b->push({id, 2});
  REQUIRE(bench.dut.run_until([&] { return bench.slave_b->empty(); }, 16));
  for (const auto& sink : bench.b) REQUIRE(sink->items().empty());
  bench.burst(2, 3);
  for (int i = 0; i < 100 && !bench.done(); ++i) {
    bench.answer();
    bench.dut.tick();
  }
  REQUIRE(bench.done());
}

TEST_CASE("axis_axi_wmux is empty after reset", "[unit][axis]") {
  WmuxBench bench(StallPattern::Kind::kNone, StallPattern::Kind::kMostly);
  for (int i = 0; i < 4; ++i) bench.aw[1]->push({3, 2, 0x10000000});
  for (int i = 0; i < 4; ++i) bench.dut.tick();
  bench.dut.reset();
  REQUIRE(bench.dut->aw_valid_o == 0);
  REQUIRE(bench.dut->w_valid_o == 0);
}
