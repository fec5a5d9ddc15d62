// SPDX-License-Identifier: Apache-2.0
// The conformance table. Each family of rows stands in a file of its own: rows_<family>.cpp.
#pragma once

#include <string>
#include <vector>

#include "testbenches/conformance/script.hpp"

namespace caravan::conformance {

std::vector<Row> frame_rows();      ///< what is a packet for this endpoint, and what is dropped
std::vector<Row> write_rows();      ///< responder: WRITE, PSN and ACK rules
std::vector<Row> invalid_rows();    ///< responder: opcode sequence and lengths (NAK 0x61)
std::vector<Row> access_rows();     ///< responder: keys, bounds, permissions (NAK 0x62)
std::vector<Row> read_rows();       ///< responder: READ
std::vector<Row> atomic_rows();     ///< responder: atomics
std::vector<Row> send_rows();       ///< responder: SEND, WRITE with immediate, RNR NAK, receive queues
std::vector<Row> datagram_rows();   ///< UD and CNP
std::vector<Row> state_rows();      ///< states of a QP, destroy and create
std::vector<Row> requester_rows();  ///< requester: WRITE, SEND, window, ACKs
std::vector<Row> retry_rows();      ///< requester: NAKs, timeouts, nested retries
std::vector<Row> rnr_rows();        ///< requester: RNR
std::vector<Row> query_rows();      ///< requester: READ, atomics

/// All rows, in the order above. Ids are unique.
std::vector<Row> all_rows();

/// A trap of roce-wire.md sections 5 and 6 that no row here tests: why, and what does.
struct Elsewhere {
  std::string trap, why;
};
std::vector<Elsewhere> tested_elsewhere();

}  // namespace caravan::conformance
