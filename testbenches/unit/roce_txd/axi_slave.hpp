// SPDX-License-Identifier: Apache-2.0
// Memory behind the AXI ports of the send path: latency, stalls on every channel, errors on chosen pages, and the rules
// of the bus checked on every burst. A write takes effect only when its response is given, so that a read which does
// not wait for the response is caught with old data.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <set>
#include <stdexcept>
#include <unordered_map>
#include <vector>

#include "pins.hpp"

namespace caravan::txd {

struct AxiTiming {
  unsigned read_latency = 10, write_latency = 10;
  support::StallPattern::Kind stall = support::StallPattern::Kind::kNone;
};

/// What a read port and a write port of the model are called on the pins.
struct AxiSlave {
  struct Burst {
    std::uint64_t addr;
    unsigned beats;
    std::uint64_t at;  // cycle of the address handshake
  };
  using Page = std::array<std::uint8_t, 4096>;

  explicit AxiSlave(AxiTiming t, std::uint64_t seed)
      : timing(t),
        ar_stall(t.stall, seed),
        r_stall(t.stall, seed + 1),
        aw_stall(t.stall, seed + 2),
        w_stall(t.stall, seed + 3),
        b_stall(t.stall, seed + 4) {}

  std::uint8_t& byte(std::uint64_t addr) {
    auto [it, fresh] = pages.try_emplace(addr >> 12);
    if (fresh) it->second.fill(0);
    return it->second[addr & 4095];
  }
  Beat beat(std::uint64_t addr) {
    Beat b;
    byte(addr);
    std::memcpy(b.data(), &pages[addr >> 12][addr & 4095], 64);
    return b;
  }
  static Burst checked(std::uint64_t addr, unsigned len, std::uint64_t at) {
    const unsigned beats = len + 1;
    if (addr % 64 != 0 || beats > 64 || (addr & 4095) + beats * 64 > 4096) throw std::logic_error("illegal AXI burst");
    return {addr, beats, at};
  }

  // ---- Read channel: call `drive_read` before, `sample_read` after the model has settled.
  template <class R>
  void drive_read(std::uint64_t cycle, R& r, std::uint8_t& r_valid, std::uint8_t& ar_ready) {
    ar_ready = !ar_stall.next();
    if (!r_offered && !reads.empty() && reads.front().at + timing.read_latency <= cycle && !r_stall.next()) {
      const Burst& b = reads.front();
      put_data(r, beat(b.addr + 64ull * read_beat));
      const bool bad = bad_reads.contains(b.addr >> 12);
      r[16] = (read_beat + 1 == b.beats ? 1u : 0u) | (bad ? 2u << 1 : 0u);
      r_offered = true;
    }
    r_valid = r_offered;
  }
  template <class A>
  void sample_read(std::uint64_t cycle, const A& ar, bool ar_valid, bool ar_ready, bool r_ready) {
    if (r_offered && r_ready) {
      r_offered = false;
      if (++read_beat == reads.front().beats) {
        reads.pop_front();
        read_beat = 0;
      }
    }
    if (ar_valid && ar_ready) {
      reads.push_back(checked(support::get_bits(ar, 8, 64), static_cast<unsigned>(support::get_bits(ar, 0, 8)), cycle));
      read_log.push_back(reads.back());
      std::uint64_t open = 0;
      for (const auto& b : reads) open += b.beats;
      most_beats_open = std::max(most_beats_open, open);
    }
  }

  // ---- Write channels
  void drive_write(std::uint64_t cycle, std::uint8_t& aw_ready, std::uint8_t& w_ready, std::uint8_t& b,
                   std::uint8_t& b_valid) {
    aw_ready = !aw_stall.next();
    w_ready = !w_stall.next();
    if (!b_offered && !done_writes.empty() && done_writes.front().at + timing.write_latency <= cycle &&
        !b_stall.next()) {
      b_offered = true;
      const bool bad = bad_writes.contains(done_writes.front().addr >> 12);
      b = bad ? 2 : 0;
      if (!bad)
        for (const auto& [addr, value] : done_writes.front().bytes) byte(addr) = value;
    }
    b_valid = b_offered;
  }
  template <class A, class W>
  void sample_write(std::uint64_t cycle, const A& aw, bool aw_go, const W& w, bool w_go, bool b_ready) {
    if (b_offered && b_ready) {
      b_log.push_back(cycle);
      b_offered = false;
      done_writes.pop_front();
    }
    if (aw_go)
      writes.push_back(
          checked(support::get_bits(aw, 8, 64), static_cast<unsigned>(support::get_bits(aw, 0, 8)), cycle));
    if (w_go) w_beats.push_back({get_data(w), support::get_bits(w, 512, 64), support::get_bits(w, 576, 1) != 0});
    while (!writes.empty() && w_beats.size() >= writes.front().beats) {
      const Burst b = writes.front();
      Written done{b.addr, cycle, {}};
      for (unsigned i = 0; i < b.beats; ++i) {
        const WBeat beat = w_beats.front();
        w_beats.pop_front();
        if (beat.last != (i + 1 == b.beats)) throw std::logic_error("W last is not at the end of the burst");
        for (unsigned k = 0; k < 64; ++k)
          if ((beat.strb >> k) & 1) done.bytes.emplace_back(b.addr + 64 * i + k, beat.data[k]);
      }
      write_log.push_back(b);
      done_writes.push_back(std::move(done));
      writes.pop_front();
    }
  }
  bool idle() const { return reads.empty() && writes.empty() && done_writes.empty() && w_beats.empty(); }

  struct WBeat {
    Beat data;
    std::uint64_t strb;
    bool last;
  };
  struct Written {
    std::uint64_t addr, at;
    std::vector<std::pair<std::uint64_t, std::uint8_t>> bytes;
  };
  AxiTiming timing;
  support::StallPattern ar_stall, r_stall, aw_stall, w_stall, b_stall;
  std::unordered_map<std::uint64_t, Page> pages;
  std::set<std::uint64_t> bad_reads, bad_writes;  // page numbers that answer with SLVERR
  std::deque<Burst> reads, writes;
  std::deque<WBeat> w_beats;
  std::deque<Written> done_writes;
  std::vector<Burst> read_log, write_log;
  std::vector<std::uint64_t> b_log;  // cycles of the B handshakes
  std::uint64_t most_beats_open = 0;
  unsigned read_beat = 0;
  bool r_offered = false, b_offered = false;
};

}  // namespace caravan::txd
