// SPDX-License-Identifier: Apache-2.0
// The commands that post a work request: one row a word.
#pragma once

#include <utility>

#include "sim/control/arguments.hpp"
#include "sim/control/verb_port.hpp"

namespace caravan::sim {

/// The work request that a line asks for, and its offset in the region; queue pair and local address are left to
/// whoever posts it. Flags may end the line: s solicited, n success is not reported, f no meaning here. The word must
/// be one of the table. Throws base::UserError.
std::pair<VerbRequest, std::uint64_t> read_request(Arguments& line);

}  // namespace caravan::sim
