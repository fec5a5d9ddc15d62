// SPDX-License-Identifier: Apache-2.0
// What of an endpoint's answers must agree with those of the reference; addresses and identification are its own
// business.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "models/packet/bytes.hpp"

namespace caravan::support {

/// Requests, responses: a line a frame. Either leaves in an order of its own.
std::pair<std::vector<std::string>, std::vector<std::string>> essences(const std::vector<packet::Buffer>& frames);

/// The RTL ends what an acknowledgement covers one packet a cycle. Before it meets a READ or atomic whose answer is
/// lost, and goes back, a new packet may find room in the window: it leaves, and once more in its place. The model does
/// all at once. Each QP's requests before its first one in order that come again are taken out.
std::vector<std::string> without_early(const std::vector<std::string>& requests);

}  // namespace caravan::support
