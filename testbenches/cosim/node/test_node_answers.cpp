// SPDX-License-Identifier: Apache-2.0
// The node as responder: the reference requester WRITEs, READs and does atomics on it; every stretch that skipping
// would jump over is proved to change nothing.
#include <catch2/catch_test_macros.hpp>

#include <map>

#include "models/base/rng.hpp"
#include "models/ref/roce_ref.hpp"
#include "testbenches/cosim/node/pair.hpp"

using namespace caravan;
using namespace caravan::tb;

namespace {

constexpr packet::MacAddr kPeerMac{0x02, 0, 0, 0, 0, 0x77};
constexpr packet::Ipv4Addr kPeerIp = 0x0A000077;
constexpr std::uint64_t kHost = vl::kClassHost, kWords = 0x8000;

/// One node, and the reference endpoint as its peer on QPs 1..3. What either sends goes to the other, in order.
struct Rig {
  vl::RtlNode node;
  ref::RoceRef peer{kPeerMac, kPeerIp};
  base::Time now;
  std::uint64_t sequence = 0;

  static vl::RtlNodeConfig config() {
    vl::RtlNodeConfig c;
    c.skip = vl::Skip::kVerify;
    return c;
  }
  Rig() : node(config()) {
    vl::set_address(node, Pair::mac(0), Pair::ip(0));
    vl::set_neighbour(node, 3, packet::get_be(kPeerMac.data(), 6), kPeerIp);
    vl::set_ring_base(node, kRings);
    for (auto [index, first] : {std::pair{1u, vl::kClassHbm}, std::pair{3u, vl::kClassHost}})
      vl::set_region(node, {.index = index,
                            .read_en = true,
                            .atomic_en = true,
                            .key = 0x5A,
                            .pd = 9,
                            .first = first,
                            .last = first + kRegionBytes - 1});
    packet::MacAddr mac{};
    packet::put_be(mac.data(), 6, Pair::mac(0));
    for (unsigned q = 1; q <= 3; ++q) {
      vl::create_qp(node, {.qpn = base::Qpn(q),
                           .pmtu = base::Bytes(1024),
                           .read_en = true,
                           .atomic_en = true,
                           .dest_qpn = base::Qpn(0x100 + q),
                           .neighbour = 3,
                           .peer_ip = kPeerIp,
                           .pd = 9,
                           .rq_psn = base::Psn(0xFFFFF0)});
      peer.create_qp({.qpn = base::Qpn(0x100 + q),
                      .dest_qpn = base::Qpn(q),
                      .peer_mac = mac,
                      .peer_ip = Pair::ip(0),
                      .pmtu = 1024,
                      .first_psn_to_send = base::Psn(0xFFFFF0)});
    }
  }
  /// Until neither has anything more to say.
  void run() {
    base::FrameInbox in;
    base::FrameOutbox out;
    for (int silent = 0; silent < 20;) {
      auto at = now + base::Time::ns(50);
      for (auto& frame : peer.transmit()) {
        in.push_back({at, sequence++, std::make_shared<const std::vector<std::uint8_t>>(frame), false});
        at += base::Time::ns(100 + static_cast<std::int64_t>(frame.size()) / 12);
      }
      now = std::max(now + base::Time::us(1), at);
      node.run_until(now, in, out);
      silent = out.empty() && node.quiet() ? silent + 1 : 0;
      for (const auto& frame : out) peer.receive(*frame.bytes);
      out.clear();
    }
  }
};

}  // namespace

TEST_CASE("The node answers READs, WRITEs and atomics of the reference requester", "[cosim][node]") {
  Rig rig;
  base::Rng rng(17);
  std::vector<std::uint8_t> data(0x8000);
  for (auto& b : data) b = static_cast<std::uint8_t>(rng.next());
  rig.node.hbm().write(0x10000, data);
  rig.node.host().write(0x10000, data);
  std::map<std::uint64_t, std::uint64_t> words;
  std::map<std::uint32_t, std::uint64_t> originals;
  std::uint32_t wr_id = 0;
  struct Read {
    std::uint64_t local, offset, length;
  };
  std::vector<Read> reads;
  for (int i = 0; i < 120; ++i) {
    const bool host = rng.chance(0.3);
    const base::Qpn qpn(0x101 + static_cast<std::uint32_t>(rng.below(3)));
    ref::WorkRequest r{.wr_id = wr_id++, .rkey = host ? 0x35Au : 0x15Au};
    const std::uint64_t cls = host ? kHost : 0;
    if (i % 3 == 0) {
      // Each word belongs to one QP, so that the order is known.
      const std::uint64_t va = cls + kWords + 8 * (qpn.value() & 3) + 64 * rng.below(2);
      r.op = rng.chance(0.5) ? ref::Operation::kFetchAdd : ref::Operation::kCompareSwap;
      r.remote_va = va, r.local_va = 0x100000 + 8 * r.wr_id, r.length = 8;
      r.swap_add = rng.below(4), r.compare = rng.below(4);
      originals[r.wr_id] = words[va];
      if (r.op == ref::Operation::kFetchAdd)
        words[va] += r.swap_add;
      else if (words[va] == r.compare)
        words[va] = r.swap_add;
    } else if (i % 3 == 1) {
      r.op = ref::Operation::kRead;
      r.length = 1 + rng.below(6000);
      const std::uint64_t offset = rng.below(data.size() - r.length);
      r.remote_va = cls + 0x10000 + offset, r.local_va = 0x200000 + 0x2000ull * static_cast<unsigned>(i);
      reads.push_back({r.local_va, offset, r.length});
    } else {
      r.local_va = 0x10000, r.length = 1 + rng.below(3000);
      r.remote_va = cls + 0x40000 + 0x1000ull * static_cast<unsigned>(i);
    }
    rig.peer.post(qpn, r);
    if (rng.chance(0.2)) rig.run();
  }
  rig.run();
  REQUIRE(rig.peer.completions().size() == 120);
  for (const auto& c : rig.peer.completions()) {
    REQUIRE(c.status == ref::CompletionStatus::kOk);
    if (originals.contains(c.wr_id)) REQUIRE(c.original == originals[c.wr_id]);
  }
  for (const auto& r : reads) {
    const auto want = data.begin() + static_cast<std::ptrdiff_t>(r.offset);
    REQUIRE(rig.peer.memory().read(r.local, r.length) ==
            std::vector<std::uint8_t>(want, want + static_cast<std::ptrdiff_t>(r.length)));
  }
  for (const auto& [va, value] : words) {
    std::vector<std::uint8_t> got(8);
    (va >= kHost ? rig.node.host() : rig.node.hbm()).read(va & ~kHost, got);
    std::uint64_t word = 0;
    for (unsigned i = 0; i < 8; ++i) word |= std::uint64_t{got[i]} << (8 * i);
    REQUIRE(word == value);
  }
}
