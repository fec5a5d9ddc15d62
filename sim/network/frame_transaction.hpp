// SPDX-License-Identifier: Apache-2.0
// A frame as a TLM-2.0 transaction: a write of the frame's bytes, with the frame itself in an extension.
//
// Loosely timed: b_transport with a time annotation. sc_time_stamp() + delay is when the first bit of the preamble is
// at the socket. The initiator owns the transaction, the target that it ends at takes the frame out of it.
#pragma once

#include <utility>

#include <tlm>

#include "models/base/frame.hpp"

namespace caravan::sim {

struct FrameExtension : tlm::tlm_extension<FrameExtension> {
  base::Frame frame;
  unsigned sender = 0;  ///< the node's port that sent it
  tlm::tlm_extension_base* clone() const override { return new FrameExtension(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override { *this = static_cast<const FrameExtension&>(other); }
};

/// Reusable: load() a frame, then pass payload() to b_transport.
class FrameTransaction {
 public:
  FrameTransaction() { payload_.set_extension(&extension_); }
  ~FrameTransaction() { payload_.clear_extension(&extension_); }
  FrameTransaction(const FrameTransaction&) = delete;
  FrameTransaction& operator=(const FrameTransaction&) = delete;

  tlm::tlm_generic_payload& load(base::Frame&& moved, unsigned sender) {
    extension_.frame = std::move(moved);
    extension_.sender = sender;
    const base::Frame& frame = extension_.frame;
    payload_.set_command(tlm::TLM_WRITE_COMMAND);
    payload_.set_address(0);
    payload_.set_data_ptr(const_cast<unsigned char*>(frame.bytes->data()));
    payload_.set_data_length(static_cast<unsigned>(frame.bytes->size()));
    payload_.set_streaming_width(static_cast<unsigned>(frame.bytes->size()));
    payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    return payload_;
  }

 private:
  tlm::tlm_generic_payload payload_;
  FrameExtension extension_;
};

/// For the target: the frame, which is then no longer in the transaction. Its time is the target's to set.
inline base::Frame take_frame(tlm::tlm_generic_payload& payload) {
  FrameExtension* extension = nullptr;
  payload.get_extension(extension);
  return std::move(extension->frame);
}

/// Kernel time and Time share the picosecond resolution.
inline base::Time to_time(const sc_core::sc_time& t) { return base::Time::ps(static_cast<std::int64_t>(t.value())); }
inline sc_core::sc_time to_sc(base::Time t) {
  return sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(t.in_ps()));
}

}  // namespace caravan::sim
