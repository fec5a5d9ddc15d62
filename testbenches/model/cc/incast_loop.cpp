// SPDX-License-Identifier: Apache-2.0
#include "testbenches/model/cc/incast_loop.hpp"

#include <algorithm>

#include "models/timing/mac.hpp"
#include "testbenches/support/frames.hpp"

namespace caravan::model {
namespace {

using base::Time;

constexpr Time kCycle = Time::ns(4), kWire = Time::ns(10), kNode = Time::ns(250);  // kNode: MAC and endpoint, each way
constexpr unsigned kAckBytes = 62, kCnpBytes = 74;
constexpr std::uint8_t kAck = 0x11, kCnp = 0x81, kWrite = 0x07;

std::uint64_t cycles(Time t) { return static_cast<std::uint64_t>(t / kCycle); }

class Loop {
 public:
  explicit Loop(const IncastSettings& s) : s_(s), switch_(with_ports(s)) {
    result_.queue.assign(intervals(), 0);
    result_.drops.assign(intervals(), 0);
    result_.gbps.assign(intervals(), std::vector<double>(s.senders, 0));
    for (unsigned i = 0; i < s.senders; ++i) {
      flows_.push_back(std::make_unique<Flow>(s));
      at(s.start_spread * i, [this, i] { send(i); });
    }
  }
  IncastResult run() {
    while (!events_.empty() && events_.top().time <= s_.end) {
      now_ = events_.top().time;
      const auto what = std::move(const_cast<Event&>(events_.top()).what);
      events_.pop();
      what();
    }
    return result_;
  }

 private:
  struct Event {
    Time time;
    std::uint64_t order;
    std::function<void()> what;
    bool operator<(const Event& o) const { return time != o.time ? time > o.time : order > o.order; }
  };
  struct Flow {
    explicit Flow(const IncastSettings& s) : cc(s.cc, s.mode), pacer(64) {}
    ref::CcFlow cc;
    ref::CcPacer pacer;
    std::uint32_t next = 0, una = 0;  // PSNs
    Time line_free;
    bool waiting = false;
    bool timing = false;  // one RTT sample at a time
    std::uint32_t timed = 0;
    Time timed_at;
    // at the receiver
    std::uint32_t expected = 0;
    ref::CcNotifier notifier;
  };

  static timing::SwitchConfig with_ports(const IncastSettings& s) {
    auto c = s.net;
    c.ports = s.senders + 1;
    c.stations.clear();
    for (unsigned i = 0; i <= s.senders; ++i) c.stations.push_back({support::station_mac(i), i});
    return c;
  }
  std::size_t intervals() const { return static_cast<std::size_t>(s_.end / s_.interval) + 1; }
  std::size_t interval() const { return static_cast<std::size_t>(now_ / s_.interval); }
  void at(Time time, std::function<void()> what) { events_.push({time, order_++, std::move(what)}); }

  void send(unsigned i) {
    Flow& f = *flows_[i];
    f.cc.advance(cycles(now_));
    const bool open = f.next - f.una < s_.window;
    if (!open || f.waiting) return;
    const ref::CcCost cost = f.cc.cost();
    const Time due = std::max(cost == 0 ? Time() : kCycle * static_cast<std::int64_t>(f.pacer.due()), f.line_free);
    if (due > now_) {
      f.waiting = true;
      at(due, [this, i] {
        flows_[i]->waiting = false;
        send(i);
      });
      return;
    }
    const std::uint32_t on_wire = s_.frame + 24;
    if (cost != 0) f.pacer.sent(on_wire, cost, cycles(now_));
    f.cc.sent(on_wire, cycles(now_));
    f.line_free = now_ + s_.net.port_rate.time_for(base::Bytes(on_wire));
    if (!f.timing && asks(f.next, f)) f.timing = true, f.timed = f.next, f.timed_at = now_;
    transmit(i, s_.senders, kWrite, f.next++, s_.frame, i);
    send(i);
  }
  bool asks(std::uint32_t psn, const Flow& f) const {
    return psn % s_.ack_every == s_.ack_every - 1 || psn + 1 - f.una >= s_.window;
  }
  void transmit(unsigned from, unsigned to, std::uint8_t opcode, std::uint32_t psn, std::size_t size, unsigned flow) {
    auto frame = support::make_frame(
        {.from = from, .to = to, .opcode = opcode, .qp = flow, .psn = psn, .tos = 2, .size = size}, {}, sequence_++);
    at(now_ + kNode + kWire, [this, from, frame]() mutable {
      frame.time = now_;
      std::vector<timing::Departure> out;
      switch_.run_timers(now_, out);
      switch_.arrive(from, frame, out);
      note_switch();
      deliver(out);
    });
  }
  void deliver(const std::vector<timing::Departure>& out) {
    for (const auto& d : out) {
      const Time end = d.frame.time + s_.net.port_rate.time_for(timing::wire_bytes(base::Bytes(d.frame.bytes->size())));
      at(end + kWire + kNode, [this, frame = d.frame] { receive(frame); });
    }
  }
  void note_switch() {
    auto& longest = result_.queue[interval()];
    longest = std::max(longest, switch_.queue_bytes(s_.senders, now_));
    const std::uint64_t drops = switch_.stats()[s_.senders].drop_buffer;
    result_.drops[interval()] += drops - drops_;
    drops_ = drops;
  }
  void receive(const base::Frame& frame) {
    const auto view = timing::peek(*frame.bytes);
    const unsigned i = view.bth->dest_qp.value();
    Flow& f = *flows_[i];
    const std::uint32_t psn = view.bth->psn.value();
    if (view.bth->opcode == kWrite) {
      const double bits = static_cast<double>(s_.frame + 24) * 8;
      result_.gbps[interval()][i] += bits / static_cast<double>(s_.interval.in_ps()) * 1e3;
      if (((*frame.bytes)[15] & 3) == 3 && s_.mode == ref::CcMode::kDcqcn &&
          f.notifier.marked(cycles(now_), s_.cc.cnp_cycles)) {
        transmit(s_.senders, i, kCnp, 0, kCnpBytes, i);
      }
      if (asks_ack(psn)) transmit(s_.senders, i, kAck, psn, kAckBytes, i);
      return;
    }
    if (view.bth->opcode == kCnp) {
      f.cc.cnp(cycles(now_));
    } else if (psn + 1 > f.una) {
      f.una = psn + 1;
      if (f.timing && psn >= f.timed) {
        f.timing = false;
        f.cc.rtt(static_cast<std::uint32_t>(cycles(now_ - f.timed_at)), cycles(now_));
      }
    }
    send(i);
  }
  bool asks_ack(std::uint32_t psn) const { return psn % s_.ack_every == s_.ack_every - 1; }

  IncastSettings s_;
  timing::Switch switch_;
  Time now_;
  std::uint64_t order_ = 0, sequence_ = 0, drops_ = 0;
  std::priority_queue<Event> events_;
  std::vector<std::unique_ptr<Flow>> flows_;
  IncastResult result_;
};

}  // namespace

double IncastResult::fairness(std::size_t first) const {
  std::vector<double> sum(gbps.front().size(), 0);
  for (std::size_t k = first; k + 1 < gbps.size(); ++k) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += gbps[k][i];
  }
  double total = 0, squares = 0;
  for (const double x : sum) total += x, squares += x * x;
  return squares == 0 ? 1 : total * total / (static_cast<double>(sum.size()) * squares);
}

double IncastResult::total_gbps(std::size_t first) const {
  double total = 0;
  for (std::size_t k = first; k + 1 < gbps.size(); ++k) {
    for (const double x : gbps[k]) total += x;
  }
  return total / static_cast<double>(gbps.size() - 1 - first);
}

std::uint64_t IncastResult::longest_queue(std::size_t first) const {
  return *std::max_element(queue.begin() + static_cast<std::ptrdiff_t>(first), queue.end());
}

IncastResult run_incast(const IncastSettings& settings) { return Loop(settings).run(); }

}  // namespace caravan::model
