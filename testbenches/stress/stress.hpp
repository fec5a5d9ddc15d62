// SPDX-License-Identifier: Apache-2.0
// Two RTL endpoints on a bad wire, random work of all kinds on many queue pairs in both directions.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "testbenches/stress/channel.hpp"
#include "testbenches/stress/flow.hpp"
#include "testbenches/stress/window_monitor.hpp"

namespace caravan::stress {

struct StressConfig {
  std::uint64_t seed = 1;
  std::uint32_t qps = 64;
  std::uint64_t packets = 20'000;  ///< frames sent by both ends, until no new work is posted
  ChannelFaults faults = {};
};

struct StressResult {
  std::string error;  ///< empty: all held
  std::uint64_t packets = 0, posts = 0, completions = 0, receives = 0, cycles = 0, evaluated = 0, fifo_drops = 0;
  std::array<std::uint64_t, 2> retransmissions{}, timeouts{}, rnr{}, duplicates{}, naks{}, icrc_drops{};
};

class Stress {
 public:
  explicit Stress(const StressConfig& config);
  StressResult run();

 private:
  void create();
  void generate();
  void move_frames();
  void deliver(unsigned end, const packet::Buffer& frame, const packet::ParsedPacket& p);
  void check_results();
  void pass_time();
  /// The first thing that is wrong is kept, with the last frames of its QP as they left and as they arrived.
  void fail(std::string text, std::uint32_t qpn = 0);
  struct Seen {
    std::uint64_t cycle = 0;
    unsigned end = 0;
    bool arrives = false;
    packet::Buffer frame;
  };
  void remember(std::uint32_t qpn, Seen seen);

  StressConfig config_;
  base::Rng rng_;
  std::array<std::unique_ptr<support::RtlEnd>, 2> ends_;
  std::array<Channel, 2> wires_;                       // wire i carries what end i sends
  std::array<std::deque<packet::Buffer>, 2> waiting_;  // requests at end i that has no room; responses pass them
  std::array<WindowMonitor, 2> monitors_;              // of the requests of end i
  std::array<std::vector<Flow>, 2> flows_;             // from end i, by QPN - 1
  std::map<std::uint32_t, std::deque<Seen>> seen_;
  StressResult result_;
  std::uint64_t now_ = 0, last_progress_ = 0, next_receives_ = 0, reported_ = 0;
};

}  // namespace caravan::stress
