// SPDX-License-Identifier: Apache-2.0
// A text channel over a local socket: one line in, one line out.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "sim/control/wakeup.hpp"

namespace caravan::sim {

/// A line as it came, without its end, and from whom.
struct ControlLine {
  std::uint64_t client = 0;  ///< counts up with each connection, from 1
  std::string text;
};

/// One client at a time: a further one is told so ("err busy ...") and closed. After a client has left, its lines are
/// still delivered; answers to it are dropped. A line above 1 MiB ends the connection.
class LineSocket {
 public:
  /// Listens at `path`; throws base::UserError. Rings `wakeup` for each line. `wakeup` outlives the socket.
  LineSocket(std::string path, Wakeup& wakeup);
  ~LineSocket();
  LineSocket(const LineSocket&) = delete;
  LineSocket& operator=(const LineSocket&) = delete;

  /// The oldest line that was not taken yet.
  std::optional<ControlLine> take();
  /// Sends one line to `client`, if that one is still there.
  void reply(std::uint64_t client, const std::string& text);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace caravan::sim
