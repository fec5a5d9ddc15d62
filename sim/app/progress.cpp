// SPDX-License-Identifier: Apache-2.0
#include "sim/app/progress.hpp"

#include <algorithm>
#include <cstdio>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

namespace caravan::app {
namespace {
constexpr auto kBarInterval = std::chrono::milliseconds(200);
constexpr auto kLineInterval = std::chrono::seconds(10);
}  // namespace

Progress::Progress(bool quiet) : quiet_(quiet), terminal_(isatty(STDERR_FILENO) != 0), start_(Clock::now()) {
  next_ = start_ + (terminal_ ? Clock::duration(kBarInterval) : Clock::duration(kLineInterval));
}

Progress::~Progress() {
  if (drawn_) fmt::print(stderr, "\r\x1b[K");
}

void Progress::update(const sim::ScenarioProgress& progress) {
  const auto now = Clock::now();
  if (quiet_ || now < next_) return;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double done = progress.total_operations == 0
                          ? 0
                          : static_cast<double>(progress.operations) / static_cast<double>(progress.total_operations);
  const std::string text =
      fmt::format("{:3.0f} %  {}/{} operations  {:.3f} ms simulated  {:.0f} k node-cycles/s", done * 100,
                  progress.operations, progress.total_operations, progress.time.in_us() / 1e3,
                  static_cast<double>(progress.node_cycles) / seconds / 1e3);
  if (terminal_) {
    constexpr std::size_t kWidth = 24;
    const auto filled = std::min(kWidth, static_cast<std::size_t>(done * kWidth));
    fmt::print(stderr, "\r[{}{}] {}\x1b[K", std::string(filled, '#'), std::string(kWidth - filled, '.'), text);
    std::fflush(stderr);
    drawn_ = true;
    next_ = now + kBarInterval;
  } else {
    fmt::print(stderr, "{:.0f} s: {}\n", seconds, text);
    next_ = now + kLineInterval;
  }
}

}  // namespace caravan::app
