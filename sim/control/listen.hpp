// SPDX-License-Identifier: Apache-2.0
// A local (unix) socket that this process listens on. Internal to sim/control.
#pragma once

#include <string>
#include <utility>  // Boost 1.74 uses std::exchange without including it

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>

namespace caravan::sim {

using LocalProtocol = boost::asio::local::stream_protocol;

/// Listens at `path`. A socket file that a dead process left behind is replaced. Throws base::UserError when something
/// else is there, when a living process listens, or when the path is too long or can't be made.
LocalProtocol::acceptor listen_at(boost::asio::io_context& io, const std::string& path);

/// Removes the socket file, if it is still one.
void forget_socket(const std::string& path) noexcept;

}  // namespace caravan::sim
