// SPDX-License-Identifier: Apache-2.0
// A queue pair: its states, posting work, and verbs to be awaited.
//
//   const Completion done = co_await qp.read({buffer, 64}, remote);   // polls until it has completed
//   qp.post(WorkRequest::write(...).unsignaled());                    // returns at once
//   co_await qp.execute(batch);                                       // many work requests, one doorbell
#pragma once

#include <array>
#include <coroutine>
#include <cstdint>
#include <exception>
#include <span>
#include <vector>

#include "sim/host/completion_queue.hpp"
#include "sim/host/registers.hpp"
#include "sim/host/task.hpp"
#include "sim/host/verbs.hpp"

namespace caravan::host {

class Context;

class QueuePair {
 public:
  QueuePair(Context& context, std::uint32_t qpn, std::uint16_t pd, CompletionQueue& send, CompletionQueue& receive,
            const QueuePairOptions& options);
  QueuePair(const QueuePair&) = delete;
  QueuePair& operator=(const QueuePair&) = delete;

  std::uint32_t qpn() const { return qpn_; }
  CompletionQueue& send_queue() { return send_cq_; }
  CompletionQueue& receive_queue() { return receive_cq_; }

  // ---- States. VerbError when the NIC refuses. ----
  Task<> to_init();
  /// Receives. All that the NIC knew of an earlier life of this queue pair is gone.
  Task<> to_rtr(PeerAddress peer, RetryOptions retry = {});
  /// Receives and sends; also resumes after to_sqd().
  Task<> to_rts();
  Task<> to_sqd();
  /// Everything posted completes as flushed.
  Task<> to_error();
  /// To RESET. What was posted and has not completed is dropped by the NIC and completes here as flushed, when awaited.
  Task<> reset();

  // ---- Posting. VerbError (bad request) when a queue is full or inline data are too long; then nothing is posted.
  // ----
  void post(const WorkRequest& request) { post(std::span(&request, 1)); }
  /// All with one doorbell.
  void post(std::span<const WorkRequest> requests);
  void post_receive(LocalBuffer buffer, std::uint64_t wr_id = 0);
  void post_receives(std::span<const LocalBuffer> buffers, std::uint64_t first_wr_id = 0);
  /// Work requests that are posted and not known to be complete.
  unsigned outstanding() const { return send_posted_ - send_done_; }

  // ---- Verbs to be awaited: the completion, whatever its status (Completion::check() throws). ----
  class Awaiter;
  Awaiter execute(WorkRequest request);
  Awaiter write(LocalBuffer from, RemoteBuffer to);
  Awaiter read(LocalBuffer to, RemoteBuffer from);
  Awaiter send(LocalBuffer from);
  Awaiter compare_swap(RemoteBuffer at, std::uint64_t expected, std::uint64_t desired);
  Awaiter fetch_add(RemoteBuffer at, std::uint64_t amount);
  /// Posts one receive buffer and waits for its message.
  Awaiter receive(LocalBuffer buffer);
  /// One doorbell; returns when the last one has completed, with the completions of all that are signaled (the last one
  /// is made so).
  Task<std::vector<Completion>> execute(std::vector<WorkRequest> requests);

  /// For CompletionQueue: entry `index` has completed. Fills in what only this side knows; true when somebody awaits
  /// it.
  bool completed(Completion& completion, std::uint16_t index);

 private:
  struct Slot {
    std::uint64_t wr_id = 0;
    Awaiter* awaiter = nullptr;
  };
  using SendEntry = std::array<std::uint8_t, reg::kSendEntryBytes>;

  void post_awaited(std::span<const WorkRequest> requests, Awaiter* awaiter);
  void post_receives_awaited(std::span<const LocalBuffer> buffers, std::uint64_t first_wr_id, Awaiter* awaiter);
  SendEntry encode(const WorkRequest& request) const;
  void ring(const SendEntry& last, bool single);
  Task<> set_state(reg::QpState state, std::uint32_t command);
  Task<> set_rings(bool valid);
  void forget();

  Context& context_;
  std::uint32_t qpn_;
  std::uint16_t pd_;
  CompletionQueue& send_cq_;
  CompletionQueue& receive_cq_;
  QueuePairOptions options_;
  PeerAddress peer_;
  RetryOptions retry_;
  std::uint64_t send_ring_, receive_ring_;
  std::vector<Slot> send_slots_, receive_slots_;
  std::uint16_t send_posted_ = 0, send_done_ = 0, receive_posted_ = 0, receive_done_ = 0;
};

/// What co_await of a verb waits on: posts when it is awaited.
class QueuePair::Awaiter {
 public:
  Awaiter(QueuePair& qp, std::vector<WorkRequest> requests) : qp_(qp), requests_(std::move(requests)) {}
  Awaiter(QueuePair& qp, LocalBuffer buffer) : qp_(qp), buffer_(buffer) {}

  bool await_ready() const { return false; }
  bool await_suspend(std::coroutine_handle<> handle);
  Completion await_resume();

 private:
  friend class QueuePair;
  bool receives() const { return requests_.empty(); }

  QueuePair& qp_;
  std::vector<WorkRequest> requests_;
  LocalBuffer buffer_;
  std::uint16_t last_ = 0;       // index of the entry that ends the wait
  std::vector<Completion> all_;  // in order of completion
  std::coroutine_handle<> handle_;
  std::exception_ptr error_;
};

}  // namespace caravan::host
