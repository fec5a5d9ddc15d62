// SPDX-License-Identifier: Apache-2.0
// Replays a capture against one end of the connection: a model or RTL, through four calls.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "testbenches/support/capture.hpp"
#include "testbenches/support/frame_compare.hpp"

namespace caravan::support {

/// The device in place of A or B. Before the replay the test creates its queue pair (Capture::a, b), region and memory.
struct ReplayDevice {
  /// One frame arrives.
  std::function<void(packet::ByteSpan)> deliver;
  /// Requester only: posts one WRITE. Left out when post_verb is there.
  std::function<void(const CaptureWrite&)> post = {};
  /// Runs until the device has nothing more to send by itself (its retry timer must not expire), and returns the frames
  /// sent since the last call, in order.
  std::function<std::vector<packet::Buffer>()> collect;
  /// Requester only: lets the retry timer expire once.
  std::function<void()> expire_timer = {};
  /// Requester only: posts one work request of any kind.
  std::function<void(const ref::WorkRequest&)> post_verb = {};
  /// Responder only: posts one receive buffer.
  std::function<void(const ref::ReceiveRequest&)> post_recv = {};
};

struct ReplayOptions {
  FrameMask mask = {};
  /// The device may leave out an ACK when a later one follows (merged acknowledges); NAKs must all be there.
  bool acks_may_merge = false;
};

/// The device is B: posts the script's receives (behind the last RNR NAK, where there are any), feeds A's frames as
/// they were delivered, expects B's frames. Empty when all agree; else the first divergence: which frame of the
/// capture, which field, both frames decoded.
std::string replay_responder(const Capture& capture, const ReplayDevice& device, const ReplayOptions& options = {});

/// The device is A: posts the script's work when A did, feeds B's frames as they were delivered, expires the timer
/// where A repeated itself unasked, expects A's frames. Returns as above.
std::string replay_requester(const Capture& capture, const ReplayDevice& device, const ReplayOptions& options = {});

}  // namespace caravan::support
