// SPDX-License-Identifier: Apache-2.0
// The far side of the bridge's sockets, on the plain system calls: a peer's wire and a control client.
#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "models/packet/bytes.hpp"

namespace caravan::support {

/// A short path: sun_path holds 107 characters.
inline std::string socket_path(const std::string& name) {
  const auto folder = std::filesystem::temp_directory_path() / ("caravan-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  return (folder / name).string();
}

class LocalSocket {
 public:
  /// Connects within two seconds.
  explicit LocalSocket(const std::string& path) : fd_(socket(AF_UNIX, SOCK_STREAM, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    for (int i = 0; i < 400; ++i) {
      if (connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    throw std::runtime_error("can't connect to " + path);
  }
  ~LocalSocket() { close(fd_); }
  LocalSocket(const LocalSocket&) = delete;
  LocalSocket& operator=(const LocalSocket&) = delete;

  void write(packet::ByteSpan bytes) {
    while (!bytes.empty()) {
      const auto n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n <= 0) throw std::runtime_error("the other side is gone");
      bytes = bytes.subspan(static_cast<std::size_t>(n));
    }
  }
  /// Exactly `count` bytes; nothing when they don't come within `limit` or the other side closes.
  std::optional<packet::Buffer> read(std::size_t count, std::chrono::milliseconds limit = std::chrono::seconds(20)) {
    const auto end = std::chrono::steady_clock::now() + limit;
    while (buffer_.size() < count) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
      pollfd waiting{fd_, POLLIN, 0};
      if (left.count() < 0 || ::poll(&waiting, 1, static_cast<int>(left.count())) <= 0) return std::nullopt;
      std::uint8_t part[65536];
      const auto n = ::recv(fd_, part, sizeof part, 0);
      if (n <= 0) {
        closed_ = true;
        return std::nullopt;
      }
      buffer_.insert(buffer_.end(), part, part + n);
    }
    packet::Buffer taken(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(count));
    buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(count));
    return taken;
  }
  bool closed() {
    read(1 << 30, std::chrono::milliseconds(2000));
    return closed_;
  }

  void send_frame(packet::ByteSpan frame) {
    packet::Buffer framed(4);
    packet::put_be(framed.data(), 4, frame.size());
    framed.insert(framed.end(), frame.begin(), frame.end());
    write(framed);
  }
  std::optional<packet::Buffer> receive_frame(std::chrono::milliseconds limit = std::chrono::seconds(20)) {
    const auto length = read(4, limit);
    if (!length) return std::nullopt;
    return read(packet::get_be32(length->data()));
  }
  /// One command, its answer.
  std::string ask(const std::string& line) {
    const std::string whole = line + "\n";
    write({reinterpret_cast<const std::uint8_t*>(whole.data()), whole.size()});
    std::string answer;
    while (const auto byte = read(1)) {
      if ((*byte)[0] == '\n') return answer;
      answer += static_cast<char>((*byte)[0]);
    }
    return answer + "<closed>";
  }

 private:
  int fd_;
  packet::Buffer buffer_;
  bool closed_ = false;
};

}  // namespace caravan::support
