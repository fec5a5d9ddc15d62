// SPDX-License-Identifier: Apache-2.0
// Random frames of every opcode to an endpoint that both requests and responds: nothing that a peer sends writes where
// it may not, moves a PSN out of turn, or completes anything twice.
#include <set>

#include "models/base/rng.hpp"
#include "testbenches/model/ref/verbs.hpp"

using namespace caravan;
using namespace caravan::test;

namespace {

// Three areas that may change, each with guards that may not.
constexpr std::uint64_t kGuard = 4096, kBuffers = kHost + 0x100'0000, kLocal = kHost + 0x200'0000, kArea = 64 << 10;

class FuzzedEnd {
 public:
  explicit FuzzedEnd(std::uint64_t seed) : rng_(seed) { renew(base::Psn(kPsnA), base::Psn(kPsnB)); }

  void renew(base::Psn expect, base::Psn send) {
    auto config = config_b();
    config.first_psn_to_expect = expect;
    config.first_psn_to_send = send;
    config.remote_read = rng_.chance(0.9);
    config.remote_atomic = rng_.chance(0.9);
    config.rnr_retry = 3;
    open_receives_ = open_posts_ = 0;
    b.create_qp(config);
    add_regions(b);
  }

  void post() {
    const auto op = static_cast<Operation>(rng_.below(5));
    const std::uint64_t bytes = ref::is_atomic(op) ? 8 : rng_.below(2000);
    b.post(kQpnB, {.op = op,
                   .local_va = kLocal + rng_.below(kArea - bytes),
                   .remote_va = kHbm,
                   .rkey = kFullRkey,
                   .length = bytes});
    ++open_posts_;
  }
  void receive_buffer() {
    const std::uint64_t bytes = rng_.below(1500);
    b.post_recv(kQpnB, {.local_va = kBuffers + rng_.below(kArea - bytes), .length = static_cast<std::uint32_t>(bytes)});
    ++open_receives_;
  }
  Buffer random_frame() {
    const auto view = b.view(kQpnB);
    const packet::OpcodeTraits* op = nullptr;
    while (op == nullptr) op = packet::find_opcode(static_cast<std::uint8_t>(rng_.below(256)));
    const std::size_t sizes[] = {0, 1, 255, 256, 257, rng_.below(300)};
    const std::uint32_t rkeys[] = {kRkey, kReadOnlyRkey, kFullRkey, kRpcRkey, 0xBAD};
    const std::uint64_t places[] = {kHbm, kHbm + kRegionBytes - 256, kRpc, kHbm + rng_.below(kRegionBytes + 512) - 256};
    const std::uint64_t va = places[rng_.below(4)] & (rng_.chance(0.8) ? ~std::uint64_t{7} : ~std::uint64_t{0});
    const std::uint32_t rkey = rkeys[rng_.chance(0.6) ? 2 : rng_.below(5)];
    const base::Psn base = op->is_request ? view.epsn : view.una;
    const std::uint32_t jump = rng_.chance(0.7) ? 0 : static_cast<std::uint32_t>(rng_.below(6)) - 3;
    return make(
        {.opcode = op->opcode,
         .psn = (base + jump).value(),
         .payload = counting(op->has_payload ? (op->action == packet::Action::kCnp ? 16 : sizes[rng_.below(6)]) : 0),
         .va = va,
         .rkey = rkey,
         .dma_length = rng_.chance(0.5) ? std::optional<std::uint32_t>() : rng_.below(1500),
         .change = [&, va, rkey](packet::RoceFrame& f) {
           f.ext.atomic = packet::AtomicEth{va, rkey, rng_.next(), rng_.below(3)};
           f.ext.aeth = packet::Aeth{static_cast<std::uint8_t>(rng_.chance(0.7) ? 0x1F : rng_.next()), 0};
         }});
  }
  /// Delivers one frame; checks what it may have changed.
  void step() {
    const Buffer frame = random_frame();
    const auto p = packet::parse(frame);
    const auto before = b.view(kQpnB);
    const auto answers = b.receive(frame);
    const auto after = b.view(kQpnB);
    INFO(packet::describe(frame));
    const std::int32_t moved = after.epsn.distance_from(before.epsn);
    REQUIRE(moved >= 0);
    if (moved > 0) {
      REQUIRE(p.op->is_request);
      REQUIRE(p.bth->psn == before.epsn.value());
    }
    REQUIRE(after.una.distance_from(before.una) >= 0);
    REQUIRE(after.next_psn == before.next_psn);
    REQUIRE(after.outstanding <= b.config(kQpnB).window);
    for (const Buffer& answer : answers) REQUIRE(packet::parse(answer).is_roce());
    opcodes_seen_.insert(p.op->opcode);
    count(b.completions(), open_posts_);
    count(b.receive_completions(), open_receives_);
    if (after.state != QpState::kError) return;
    REQUIRE(open_posts_ == 0);
    REQUIRE(open_receives_ == 0);
    ++deaths;
    renew(after.epsn, after.next_psn);
  }
  /// Nothing was written beside what may be written.
  void check_guards() const {
    for (const auto& [from, to] :
         {std::pair{kHbm, kHbm + kRegionBytes}, {kBuffers, kBuffers + kArea}, {kLocal, kLocal + kArea}}) {
      REQUIRE(b.memory().read(from - kGuard, kGuard) == Buffer(kGuard));
      REQUIRE(b.memory().read(to, kGuard) == Buffer(kGuard));
    }
    REQUIRE(b.memory().read(kRpc, kGuard) == Buffer(kGuard));
  }
  std::size_t opcodes_seen() const { return opcodes_seen_.size(); }

  ref::RoceRef b{kMacB, kIpB};
  int deaths = 0;

 private:
  template <class Completions>
  void count(Completions& done, std::size_t& open) {
    REQUIRE(done.size() <= open);
    open -= done.size();
    done.clear();
  }
  base::Rng rng_;
  std::size_t open_posts_ = 0, open_receives_ = 0;
  std::set<Opcode> opcodes_seen_;
};

}  // namespace

TEST_CASE("Random frames of all operations do no harm, whatever they hit", "[ref][fuzz]") {
  FuzzedEnd end(GENERATE(1u, 2u));
  base::Rng rng(77);
  for (int i = 0; i < 20'000; ++i) {
    if (rng.chance(0.1)) end.post();
    if (rng.chance(0.1)) end.receive_buffer();
    if (rng.chance(0.3)) end.b.transmit(kQpnB);
    if (rng.chance(0.02)) end.b.timeout(kQpnB);
    end.step();
  }
  end.check_guards();
  CHECK(end.opcodes_seen() == 38);
  CHECK(end.deaths > 100);
  CHECK(end.b.duplicates() > 100);
  CHECK(end.b.memory().read(kHbm, 64) != Buffer(64));
}
