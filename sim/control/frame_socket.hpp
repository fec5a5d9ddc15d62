// SPDX-License-Identifier: Apache-2.0
// The wire to a peer outside of the simulation: Ethernet frames over a local socket, framed as QEMU's stream netdev
// frames them: a 32-bit big-endian length, then that many bytes of frame without FCS.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/base/frame.hpp"
#include "models/base/stats.hpp"
#include "sim/control/arp_answer.hpp"
#include "sim/control/wakeup.hpp"

namespace caravan::sim {

struct FrameSocketStats {
  std::uint64_t received = 0, sent = 0, arp_answered = 0, arp_dropped = 0, drop_length = 0, drop_absent = 0,
                drop_full = 0, connections = 0;
  /// In the order of kFrameSocketStats.
  std::array<std::uint64_t, 8> values() const {
    return {received, sent, arp_answered, arp_dropped, drop_length, drop_absent, drop_full, connections};
  }
};
inline constexpr std::array<base::StatInfo, 8> kFrameSocketStats{{
    {"received", base::Unit::kFrames, "frames from the peer that went on to the network"},
    {"sent", base::Unit::kFrames, "frames given to the peer, without ARP replies"},
    {"arp_answered", base::Unit::kFrames, "ARP requests for simulated nodes, answered by the bridge"},
    {"arp_dropped", base::Unit::kFrames, "other ARP frames of the peer"},
    {"drop_length", base::Unit::kFrames, "frames of the peer shorter than a header or longer than 9216 bytes"},
    {"drop_absent", base::Unit::kFrames, "frames for the peer while none is connected"},
    {"drop_full", base::Unit::kFrames, "frames for a peer that has not read the 4096 before"},
    {"connections", base::Unit::kEvents, "connections accepted"},
}};

/// One peer at a time; a further connection is closed at once, and after a peer has left another may come. Its own
/// thread reads and writes; both queues are bounded. A peer that sends too fast is not read from, so that nothing of
/// it is lost; a peer that does not read loses frames. A length above 65550 is no frame: the connection is closed.
class FrameSocket {
 public:
  static constexpr std::size_t kMaxFrame = 9216;
  static constexpr std::size_t kReceiveFrames = 256;
  static constexpr std::size_t kSendFrames = 4096;

  /// Listens at `path`; throws base::UserError. Rings `wakeup` for each frame. `wakeup` outlives the socket.
  FrameSocket(std::string path, std::vector<Station> stations, Wakeup& wakeup);
  ~FrameSocket();
  FrameSocket(const FrameSocket&) = delete;
  FrameSocket& operator=(const FrameSocket&) = delete;

  /// The oldest frame of the peer that was not taken yet, padded to 60 bytes; null: none.
  base::FrameBytes take();
  bool waiting() const;
  void send(base::FrameBytes frame);
  bool connected() const;
  FrameSocketStats stats() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace caravan::sim
