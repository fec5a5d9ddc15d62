// SPDX-License-Identifier: Apache-2.0
// An output-queued Ethernet switch: shared buffer with dynamic thresholds, ECN marking, learning, fault rules.
//
// All times are those of the first bit of a frame's preamble. A frame that arrives at t leaves at
//   cut-through        max(t + latency, port free)
//   store and forward  max(t + latency + time of preamble, frame and FCS, port free)
// and the port is free again after the frame and the gap. Service is first come, first served, so the departure is
// known when the frame arrives; that is what gives the cluster its lookahead.
//
// Admission (Choudhury and Hahne 1998): with Q bytes queued for the port and S in the whole buffer, a frame of n bytes
// enters when Q + n <= alpha * (buffer - S) and S + n <= buffer. It holds its bytes from t until its last bit left.
// ECN: with Q before the frame, no mark up to Kmin, always from Kmax on, linear to Pmax between; capable frames only.
//
// With priority flow control (SwitchConfig::pfc) frames wait in queues per priority and departures are decided later,
// but still `latency` ahead: pfc_queues.hpp. Lossless priorities are then admitted by their headroom and the whole
// buffer.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "models/base/fingerprint.hpp"
#include "models/base/frame.hpp"
#include "models/base/rng.hpp"
#include "models/base/stats.hpp"
#include "models/base/units.hpp"
#include "models/timing/calibration.hpp"
#include "models/timing/faults.hpp"
#include "models/timing/pfc.hpp"
#include "models/timing/pfc_queues.hpp"

namespace caravan::timing {

enum class SwitchMode : std::uint8_t { kCutThrough, kStoreAndForward };

struct SwitchConfig {
  unsigned ports = 2;
  SwitchMode mode = SwitchMode::kCutThrough;
  base::Rate port_rate = base::Rate::gbps(100);
  base::Time latency = base::Time::ns(300);
  base::Bytes buffer = base::Bytes::mib(16);
  double alpha = 1.0;
  bool ecn = true;
  base::Bytes ecn_kmin{400'000}, ecn_kmax{1'600'000};
  double ecn_pmax = 0.2;
  std::uint64_t seed = 1;  ///< ECN marking and faults
  struct Station {
    std::uint64_t mac = 0;  ///< 48 bits, first byte most significant
    unsigned port = 0;
  };
  std::vector<Station> stations;  ///< known from the start and never moved; others are learned
  std::vector<FaultRule> faults;
  PfcConfig pfc;
  base::Time sample_every;  ///< period of queue samples; 0: none are taken

  /// Rates, latencies, buffer and ECN from the calibration table; the rest as above.
  static SwitchConfig from(const Calibration& calibration);
};

struct SwitchPortStats {
  std::uint64_t rx_frames = 0, rx_bytes = 0;
  std::uint64_t tx_frames = 0, tx_bytes = 0;
  std::uint64_t drop_buffer = 0, drop_fault = 0, drop_bad_fcs = 0, drop_filtered = 0;
  std::uint64_t flooded = 0, ecn_marked = 0;
  std::uint64_t max_queue_bytes = 0, queue_wait_ps = 0;
  /// In the order of kSwitchPortStats.
  std::array<std::uint64_t, 12> values() const {
    return {rx_frames,    rx_bytes,      tx_frames, tx_bytes,   drop_buffer,     drop_fault,
            drop_bad_fcs, drop_filtered, flooded,   ecn_marked, max_queue_bytes, queue_wait_ps};
  }
};
/// Bytes are those of frames, without preamble, FCS and gap.
inline constexpr std::array<base::StatInfo, 12> kSwitchPortStats{{
    {"rx_frames", base::Unit::kFrames, "frames that arrived at the port"},
    {"rx_bytes", base::Unit::kBytes, "their bytes"},
    {"tx_frames", base::Unit::kFrames, "frames that left or will leave through the port"},
    {"tx_bytes", base::Unit::kBytes, "their bytes"},
    {"drop_buffer", base::Unit::kFrames, "frames for the port that found no room under the buffer threshold"},
    {"drop_fault", base::Unit::kFrames, "frames for the port that a fault rule dropped"},
    {"drop_bad_fcs", base::Unit::kFrames, "arrivals with a bad FCS; only store and forward drops them"},
    {"drop_filtered", base::Unit::kFrames, "arrivals whose destination is on the same port, and runts"},
    {"flooded", base::Unit::kFrames, "arrivals with an unknown, broadcast or multicast destination"},
    {"ecn_marked", base::Unit::kFrames, "frames for the port that its queue marked; those of fault rules don't count"},
    {"max_queue_bytes", base::Unit::kBytes, "longest queue for the port"},
    {"queue_wait", base::Unit::kPicoseconds, "sum over frames of the time behind others at the port"},
}};

/// Of each port: bytes queued at a time, frames dropped for want of room until then.
struct QueueSample {
  base::Time time;
  std::vector<std::uint64_t> bytes, drops;
};

/// A pause frame of the switch itself has ingress == egress.
struct Departure {
  unsigned egress = 0, ingress = 0;
  base::Frame frame;  ///< time: first preamble bit at the egress port
};

class Switch {
 public:
  explicit Switch(SwitchConfig config);

  /// A frame's first preamble bit reaches `ingress` at frame.time. Calls come in order of (time, ingress, sequence),
  /// with run_timers() before them for the same time. Departures are appended, some at once, some later by others.
  void arrive(unsigned ingress, base::Frame frame, std::vector<Departure>& out);
  /// When run_timers() has something to do (frames held by fault rules or by flow control); never() if nothing waits.
  base::Time next_timer() const;
  void run_timers(base::Time now, std::vector<Departure>& out);

  /// Other rules from now on; counts and the first PSNs that rules refer to start anew. Frames held by the old rules
  /// stay held.
  void set_faults(std::vector<FaultRule> rules);

  const SwitchConfig& config() const { return config_; }
  const std::vector<SwitchPortStats>& stats() const { return stats_; }
  const std::vector<FaultCount>& fault_counts() const { return faults_.counts(); }
  /// Bytes queued for a port, and in the whole buffer, at `now`; `now` must not lie before the newest call.
  std::uint64_t queue_bytes(unsigned port, base::Time now);
  std::uint64_t buffer_bytes(base::Time now);
  /// Samples so far, one each config().sample_every, from time 0 on.
  const std::vector<QueueSample>& queue_samples() const { return samples_; }
  /// Empty without flow control.
  std::vector<PfcPortStats> pfc_stats() const;
  void hash_into(base::Fingerprint& hash) const;

 private:
  struct Leaving {
    base::Time end;
    std::uint64_t bytes;
  };
  struct Held {
    base::Time until;
    std::uint64_t order;  // of being held: breaks ties
    unsigned ingress, egress;
    base::Frame frame;
    unsigned overtaken_by;  // 0: waits for the time only
  };
  struct Port {
    base::Time free;
    std::uint64_t queued = 0;
    std::deque<Leaving> leaving;  // in order of time
    base::Rng rng{0};
  };

  void forward(unsigned ingress, unsigned egress, base::Frame&& frame, base::Time now, std::vector<Departure>& out);
  void enqueue(unsigned ingress, unsigned egress, base::Frame&& frame, base::Time now, std::vector<Departure>& out);
  void enqueue_and_release(unsigned ingress, unsigned egress, base::Frame&& frame, base::Time now,
                           std::vector<Departure>& out);
  bool wants_mark(Port& port, const base::Frame& frame);
  /// The room under the thresholds; counts a drop.
  bool admit(unsigned ingress, unsigned egress, unsigned priority, std::uint64_t size);
  void mark(unsigned egress, base::Frame& frame);
  void depart(std::vector<PfcDeparture>& departures, std::vector<Departure>& out);
  std::vector<Held>::iterator first_held();
  void hold_bytes_until(base::Time end, unsigned egress, std::uint64_t bytes);
  void retire(base::Time now);
  void retire_to(base::Time now);

  SwitchConfig config_;
  FaultInjector faults_;
  std::vector<Port> ports_;
  std::vector<SwitchPortStats> stats_;
  struct Where {
    unsigned port;
    bool fixed;
  };
  std::unordered_map<std::uint64_t, Where> table_;
  std::vector<base::Time> next_leaving_;  // by port: when its first frame has left; never() without
  std::uint64_t buffered_ = 0;
  std::vector<Held> held_;
  std::uint64_t held_order_ = 0;
  std::optional<PfcQueues> queues_;  // with flow control
  base::Time next_sample_;
  std::vector<QueueSample> samples_;
};

}  // namespace caravan::timing
