// SPDX-License-Identifier: Apache-2.0
// A responder behind a bad network: requests and acknowledges are lost, duplicated and overtaken; time is the bench's
// now.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "models/base/rng.hpp"
#include "testbenches/unit/roce_txc/ctl_bench.hpp"

namespace caravan::roce_txc {

struct Network {
  double loss = 0, duplicate = 0, overtake = 0;
  std::uint64_t delay = 150;  ///< cycles, one way
  double skip_ack = 0;        ///< the responder leaves an acknowledge to a later one (never that of the last packet)
  bool only_naks = false;     ///< acknowledges other than NAKs are all lost
};

/// A message as the responder saw it.
struct Delivered {
  std::uint64_t raddr = 0;
  std::uint32_t rkey = 0, len = 0;
  std::vector<std::uint64_t>
      addrs;  ///< source addresses of its packets' payload on the first transmission, or ring slots
  bool operator==(const Delivered&) const = default;
};

class LossyPeer {
 public:
  LossyPeer(Network network, std::uint64_t seed) : net_(network), rng_(seed, 77) {}
  /// A QP starts at `psn`; PMTU in bytes.
  void open(std::uint32_t qpn, std::uint32_t psn, std::uint32_t pmtu);
  /// The requester has sent a packet.
  void send(const Job& job);
  /// Acknowledges that arrive at the requester until `now`.
  std::vector<Ack> receive(std::uint64_t now);
  /// When something happens next; all ones: never.
  std::uint64_t next_event() const { return events_.empty() ? ~0ull : events_.begin()->first.first; }
  const std::vector<Delivered>& delivered(std::uint32_t qpn) { return qps_[qpn].delivered; }
  /// Packets that broke a rule of the protocol (wrong opcode order, length or ring slot).
  const std::vector<std::string>& faults() const { return faults_; }

 private:
  struct QpState {
    std::uint32_t epsn = 0, pmtu = 0;
    bool nak_sent = false, in_message = false;
    std::uint32_t left = 0;
    std::vector<Delivered> delivered;
    Delivered open;
    std::map<std::uint32_t, Job> sent;  ///< first transmissions, by PSN
  };
  struct Event {
    std::optional<Job> request;
    Ack ack;
  };
  void travel(std::uint64_t now, Event event);
  void respond(std::uint64_t now, std::uint32_t qpn, std::uint32_t psn, unsigned syndrome);
  void accept(QpState& qp, const Job& job);
  void arrive(std::uint64_t now, const Job& job);
  Network net_;
  base::Rng rng_;
  std::uint64_t sequence_ = 0;
  std::map<std::pair<std::uint64_t, std::uint64_t>, Event> events_;
  std::map<std::uint32_t, QpState> qps_;
  std::vector<std::string> faults_;
};

}  // namespace caravan::roce_txc
