// SPDX-License-Identifier: Apache-2.0
#include "sim/control/listen.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "models/base/errors.hpp"

namespace caravan::sim {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t kLongestPath = 107;  // sun_path of Linux, less its final zero

bool somebody_listens(boost::asio::io_context& io, const std::string& path) {
  LocalProtocol::socket probe(io);
  boost::system::error_code error;
  probe.connect(LocalProtocol::endpoint(path), error);
  return !error;
}

}  // namespace

LocalProtocol::acceptor listen_at(boost::asio::io_context& io, const std::string& path) {
  if (path.empty() || path.size() > kLongestPath) {
    throw base::UserError(
        fmt::format("socket '{}': a path of {} characters; allowed: 1 .. {}", path, path.size(), kLongestPath));
  }
  std::error_code error;
  const auto status = fs::symlink_status(path, error);
  if (fs::exists(status)) {
    if (!fs::is_socket(status))
      throw base::UserError(fmt::format("socket '{}': there is a file that is no socket", path));
    if (somebody_listens(io, path))
      throw base::UserError(fmt::format("socket '{}': another process listens there", path));
    fs::remove(path, error);
  }
  try {
    return LocalProtocol::acceptor(io, LocalProtocol::endpoint(path));
  } catch (const boost::system::system_error& failure) {
    throw base::UserError(fmt::format("socket '{}': {}", path, failure.code().message()));
  }
}

void forget_socket(const std::string& path) noexcept {
  std::error_code error;
  if (fs::is_socket(fs::symlink_status(path, error))) fs::remove(path, error);
}

}  // namespace caravan::sim
