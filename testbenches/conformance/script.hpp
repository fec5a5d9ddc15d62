// SPDX-License-Identifier: Apache-2.0
// The steps that a row of the conformance table is made of.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "testbenches/conformance/endpoint.hpp"
#include "testbenches/conformance/frame_spec.hpp"

namespace caravan::conformance {

/// A queue pair of the endpoint; QP n talks to QP 0x10 + n of the peer.
struct QpSpec {
  std::uint32_t qpn = 1, pmtu = 256;
  ref::QpState state = ref::QpState::kRts;
  std::uint32_t expect = 100, send = 0x200;  ///< first PSNs
  bool write = true, read = true, atomic = true;
  std::uint32_t retry = 7, timeout = 14, rnr_retry = 7, min_rnr = 12;
  std::uint16_t pd = 0;
  bool datagram = false;
  std::uint32_t qkey = 0;
};

struct RegionSpec {
  std::uint32_t rkey = kRkey;
  std::uint64_t first = kVa, bytes = kRegionBytes;
  bool write = true, read = true, atomic = true;
  std::uint16_t pd = 0;
};

/// State of a script that runs.
struct Run {
  Endpoint& endpoint;
  std::map<std::uint32_t, Psns> qps = {};
  Endpoint::Frames unread = {};  ///< sent, not yet looked at
  std::map<Drop, std::uint64_t> drops = {};
  std::uint64_t cnps = 0;
};

struct Step {
  std::string text;  ///< for messages
  std::vector<Need> needs;
  std::function<std::string(Run&)> run;  ///< empty when all is well, else what differs
};

struct Row {
  std::string id;           ///< family.name
  std::string requirement;  ///< one sentence
  std::string source;       ///< roce-wire.md section, trap or defect number, rxe
  std::vector<Step> script;
};

// ---- Software's side
Step create(const QpSpec& spec = {});
Step state(ref::QpState state, std::uint32_t qpn = 1);
Step region(const RegionSpec& spec);
Step unregister(std::uint32_t rkey = kRkey);
Step fill(std::uint64_t va, std::uint32_t seed, std::size_t bytes);
Step fill_u64(std::uint64_t va, std::uint64_t value);
Step post(const ref::WorkRequest& request, std::uint32_t qpn = 1);
Step post_recv(const ref::ReceiveRequest& request, std::uint32_t qpn = 1);

/// Work requests from kSource or to kSink; the wr_id is also the seed of the data where a row says so.
ref::WorkRequest write_of(std::uint32_t wr_id, std::uint64_t bytes);
ref::WorkRequest send_of(std::uint32_t wr_id, std::uint64_t bytes);
ref::WorkRequest read_of(std::uint32_t wr_id, std::uint64_t bytes);
ref::WorkRequest fetch_add_of(std::uint32_t wr_id, std::uint64_t add);
ref::WorkRequest compare_swap_of(std::uint32_t wr_id, std::uint64_t compare, std::uint64_t swap);
/// Receive buffer n of kBuffers, 16 KiB apart.
ref::ReceiveRequest buffer(std::uint32_t n, std::uint32_t bytes = 4096);
constexpr std::uint64_t buffer_va(std::uint32_t n) { return kBuffers + n * 0x4000ull; }

// ---- The wire
/// One frame arrives.
Step inject(const FrameSpec& spec);
/// The frames sent since the last look are exactly these, in this order.
Step expect(const std::vector<FrameSpec>& specs);
Step silence();
/// The timer that runs next runs out. With a time: it took that long, or up to 2 % and 20 us more.
Step timer(std::optional<base::Time> time = {}, std::uint32_t qpn = 1);
/// No timer of the endpoint runs.
Step no_timer(std::uint32_t qpn = 1);

// ---- Results
struct Done {
  std::uint32_t wr_id;
  ref::CompletionStatus status = ref::CompletionStatus::kOk;
  std::uint64_t original = 0;
  std::uint32_t qpn = 1;
};
/// The completions since the last look are exactly these, in this order.
Step completes(const std::vector<Done>& done);
Step receives(const std::vector<ref::ReceiveCompletion>& done);
/// A receive that succeeded on QP 1; src_ip is the peer's where the service is a datagram's.
ref::ReceiveCompletion received(std::uint32_t wr_id, std::uint32_t length);
ref::ReceiveCompletion received_imm(std::uint32_t wr_id, std::uint32_t length, std::uint32_t imm);
ref::ReceiveCompletion receive_failed(std::uint32_t wr_id, ref::CompletionStatus status);
Step memory(std::uint64_t va, std::uint32_t seed, std::size_t bytes, std::uint64_t from = 0);
Step memory_u64(std::uint64_t va, std::uint64_t value);
/// Nothing but zeros there.
Step untouched(std::uint64_t va, std::size_t bytes);
/// Since the last such step for the reason (or the start), so many frames were dropped for it.
Step drops(Drop reason, std::uint64_t frames = 1);
Step takes_cnps(std::uint64_t count);

// ---- Repetition
std::vector<Step> join(const std::vector<std::vector<Step>>& parts);

/// All that the row needs and the endpoint lacks; empty: it can run.
std::string skip_reason(const Row& row, const Endpoint& endpoint);
/// Runs the script; empty when every step agrees, else the first that does not: its number, text and the difference.
std::string run(const Row& row, Endpoint& endpoint);

}  // namespace caravan::conformance
