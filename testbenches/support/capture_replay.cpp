// SPDX-License-Identifier: Apache-2.0
#include "testbenches/support/capture_replay.hpp"

#include <fmt/format.h>

#include <deque>

#include "models/packet/packet.hpp"

namespace caravan::support {
namespace {

/// Frames that the device has sent and the capture has not yet been asked for.
class Sent {
 public:
  explicit Sent(const ReplayDevice& device) : device_(device) {}
  bool refill() {
    for (auto& frame : device_.collect()) frames_.push_back(std::move(frame));
    return !frames_.empty();
  }
  bool empty() const { return frames_.empty(); }
  const packet::Buffer& front() const { return frames_.front(); }
  void pop() { frames_.pop_front(); }

 private:
  const ReplayDevice& device_;
  std::deque<packet::Buffer> frames_;
};

bool is_ack(const CaptureStep& step) {
  const auto p = packet::parse(step.frame);
  return p.ext.aeth && p.ext.aeth->is_ack();
}

/// Index of the first step behind the last RNR NAK; 0 when there is none.
std::size_t behind_rnr(const Capture& capture) {
  std::size_t index = 0;
  for (const CaptureStep& step : capture.steps) {
    const auto p = packet::parse(step.frame);
    if (p.ext.aeth && p.ext.aeth->is_rnr()) index = step.index + 1;
  }
  return index;
}

/// True when an ACK follows before the other end sends again: the device may have merged this one into it.
bool later_ack(const Capture& capture, std::size_t index) {
  const Side from = capture.steps[index].from;
  return index + 1 < capture.steps.size() && capture.steps[index + 1].from == from && is_ack(capture.steps[index + 1]);
}

std::string where(const Capture& capture, const CaptureStep& step) {
  return fmt::format("{}, frame {}", capture.name, step.index);
}

std::string surplus(const Capture& capture, const Sent& sent, std::size_t at) {
  return fmt::format("{}, after frame {}: the device sent a frame that is not in the capture\n  actual:   {}",
                     capture.name, at, packet::describe(sent.front()));
}

}  // namespace

std::string replay_responder(const Capture& capture, const ReplayDevice& device, const ReplayOptions& options) {
  Sent sent(device);
  std::size_t receives_at = behind_rnr(capture);
  // Behind the last RNR NAK comes what was on its way meanwhile: the buffers are there when A sends again.
  while (receives_at > 0 && receives_at < capture.steps.size() && capture.steps[receives_at].from == Side::kB)
    ++receives_at;
  for (const CaptureStep& step : capture.steps) {
    if (step.index == receives_at && device.post_recv) {
      for (const auto& receive : capture.receives) device.post_recv(receive);
    }
    if (step.from == Side::kA) {
      if (const auto frame = step.delivered(); !frame.empty()) device.deliver(frame);
      continue;
    }
    sent.refill();
    const bool may_skip = options.acks_may_merge && is_ack(step) && later_ack(capture, step.index);
    if (sent.empty()) {
      if (may_skip) continue;
      return fmt::format("{}: the device sent nothing\n  expected: {}", where(capture, step),
                         packet::describe(step.frame));
    }
    const std::string difference = compare_frames(step.frame, sent.front(), options.mask);
    if (!difference.empty() && may_skip) continue;
    if (!difference.empty()) return fmt::format("{}: {}", where(capture, step), difference);
    sent.pop();
  }
  return sent.refill() ? surplus(capture, sent, capture.steps.size()) : std::string();
}

std::string replay_requester(const Capture& capture, const ReplayDevice& device, const ReplayOptions& options) {
  Sent sent(device);
  std::size_t posted = 0;
  const std::size_t posts = device.post_verb ? capture.verbs.size() : capture.writes.size();
  for (const CaptureStep& step : capture.steps) {
    if (step.from == Side::kB) {
      if (!sent.empty() || sent.refill()) return surplus(capture, sent, step.index);
      if (const auto frame = step.delivered(); !frame.empty()) device.deliver(frame);
      continue;
    }
    if (sent.empty()) sent.refill();
    if (sent.empty() && posted < posts) {
      if (device.post_verb)
        device.post_verb(capture.verbs[posted].request);
      else
        device.post(capture.writes[posted]);
      ++posted;
      sent.refill();
    } else if (sent.empty()) {
      device.expire_timer();
      sent.refill();
    }
    if (sent.empty())
      return fmt::format("{}: the device sent nothing\n  expected: {}", where(capture, step),
                         packet::describe(step.frame));
    const std::string difference = compare_frames(step.frame, sent.front(), options.mask);
    if (!difference.empty()) return fmt::format("{}: {}", where(capture, step), difference);
    sent.pop();
  }
  if (!capture.verbs.empty() && capture.verbs.back().status == "transport retry counter exceeded")
    device.expire_timer();
  return sent.refill() ? surplus(capture, sent, capture.steps.size()) : std::string();
}

}  // namespace caravan::support
