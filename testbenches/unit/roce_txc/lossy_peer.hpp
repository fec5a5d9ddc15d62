// SPDX-License-Identifier: Apache-2.0
// A responder behind a bad network: requests and responses are lost, duplicated and overtaken; time is the bench's now.
// It executes SEND, WRITE, READ and atomics (each adds 1 to the QP's one counter, whatever its operands say).
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
  double rnr = 0;             ///< a SEND that is to begin is refused with RNR NAK, 10 us
};

/// A SEND or WRITE as the responder saw it.
struct Delivered {
  bool is_send = false, has_imm = false, solicited = false;
  std::uint64_t raddr = 0;  ///< WRITE
  std::uint32_t rkey = 0, len = 0, imm = 0;
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
  /// Atomics executed so far.
  std::uint64_t counter(std::uint32_t qpn) { return qps_[qpn].counter; }
  unsigned partial_reads() const { return partial_reads_; }  ///< READs asked for again from the middle
  /// Packets that broke a rule of the protocol (wrong opcode order, length or ring slot).
  const std::vector<std::string>& faults() const { return faults_; }

 private:
  struct QpState {
    std::uint32_t epsn = 0, pmtu = 0;
    bool nak_sent = false, in_message = false;
    std::uint32_t left = 0;
    std::vector<Delivered> delivered;
    Delivered open;
    std::map<std::uint32_t, Job> sent;                ///< first transmissions, by PSN
    std::map<std::uint32_t, std::uint64_t> original;  ///< results of atomics, by PSN
    std::uint64_t counter = 0, free_at = 0;
  };
  struct Event {
    std::optional<Job> request;
    Ack ack;
  };
  void travel(std::uint64_t now, const Event& event);
  void respond(std::uint64_t now, Ack ack);
  /// What stands at `psn` of the first transmissions: its packet, and how many PSNs into it `psn` lies.
  std::pair<const Job*, std::uint32_t> find_sent(const QpState& qp, std::uint32_t psn) const;
  void check_repeated(const QpState& qp, const Job& job);
  void read(std::uint64_t now, std::uint32_t qpn, const Job& job);
  void accept(QpState& qp, const Job& job);
  void arrive(std::uint64_t now, const Job& job);
  Network net_;
  base::Rng rng_;
  std::uint64_t sequence_ = 0;
  std::map<std::pair<std::uint64_t, std::uint64_t>, Event> events_;
  std::map<std::uint32_t, QpState> qps_;
  std::vector<std::string> faults_;
  unsigned partial_reads_ = 0;
};

inline bool is_atomic(const Job& job) { return job.opcode == kCmpSwap || job.opcode == kFetchAdd; }
/// PSNs of a request packet.
inline std::uint32_t psns_of(const Job& job, std::uint32_t pmtu) {
  return job.opcode == kReadRequest && job.total != 0 ? (job.total + pmtu - 1) / pmtu : 1;
}

}  // namespace caravan::roce_txc
