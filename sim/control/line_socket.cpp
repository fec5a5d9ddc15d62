// SPDX-License-Identifier: Apache-2.0
#include "sim/control/line_socket.hpp"

#include <chrono>
#include <deque>
#include <mutex>
#include <thread>

#include "sim/control/listen.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>

namespace caravan::sim {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

constexpr std::size_t kLongestLine = 1 << 20;

}  // namespace

struct LineSocket::Impl {
  std::string path;
  Wakeup& wakeup;
  asio::io_context io{1};
  LocalProtocol::acceptor acceptor;
  LocalProtocol::socket client{io};
  bool open = false;
  std::uint64_t number = 0;  // of the client, or of the last one
  std::string read_text;
  std::deque<std::string> out;
  bool writing = false;

  std::mutex mutex;
  std::deque<ControlLine> in;
  std::thread thread;

  Impl(std::string at, Wakeup& wake) : path(std::move(at)), wakeup(wake), acceptor(listen_at(io, path)) {
    accept();
    thread = std::thread([this] { io.run(); });
  }
  /// What was answered last still goes out, but nobody is waited for long.
  ~Impl() {
    asio::post(io, [this] {
      error_code ignored;
      acceptor.close(ignored);
      if (!writing) client.close(ignored);
      if (writing) closing = true;
    });
    for (int i = 0; i < 100 && !io.stopped(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    io.stop();
    thread.join();
    forget_socket(path);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  bool closing = false;

  void accept() {
    acceptor.async_accept(io, [this](const error_code& error, LocalProtocol::socket coming) {
      if (!acceptor.is_open()) return;
      error_code ignored;
      if (!error && !open) {
        client = std::move(coming);
        open = true;
        ++number;
        read_text.clear();
        read();
      } else if (!error) {
        static constexpr char kBusy[] = "err busy: another client controls this bridge\n";
        asio::write(coming, asio::buffer(kBusy, sizeof kBusy - 1), ignored);
        coming.close(ignored);
      }
      accept();
    });
  }

  void end() {
    error_code ignored;
    client.close(ignored);
    open = false;
    out.clear();
    writing = false;
  }

  void read() {
    asio::async_read_until(client, asio::dynamic_buffer(read_text, kLongestLine), '\n',
                           [this, mine = number](const error_code& error, std::size_t length) {
                             if (mine != number || !open) return;
                             if (error) return end();
                             std::string line = read_text.substr(0, length - 1);
                             read_text.erase(0, length);
                             if (!line.empty() && line.back() == '\r') line.pop_back();
                             {
                               const std::lock_guard lock(mutex);
                               in.push_back({mine, std::move(line)});
                             }
                             wakeup.ring();
                             read();
                           });
  }

  void answer(std::uint64_t to, std::string text) {
    if (to != number || !open) return;
    out.push_back(std::move(text));
    if (!writing) write();
  }

  void write() {
    writing = !out.empty();
    if (!writing) {
      error_code ignored;
      if (closing) client.close(ignored);
      return;
    }
    auto line = std::make_shared<std::string>(std::move(out.front()));
    out.pop_front();
    asio::async_write(client, asio::buffer(*line), [this, line, mine = number](const error_code& error, std::size_t) {
      if (mine != number || !open) return;
      if (error) return end();
      write();
    });
  }
};

LineSocket::LineSocket(std::string path, Wakeup& wakeup) : impl_(std::make_unique<Impl>(std::move(path), wakeup)) {}
LineSocket::~LineSocket() = default;

std::optional<ControlLine> LineSocket::take() {
  const std::lock_guard lock(impl_->mutex);
  if (impl_->in.empty()) return std::nullopt;
  ControlLine line = std::move(impl_->in.front());
  impl_->in.pop_front();
  return line;
}

void LineSocket::reply(std::uint64_t client, const std::string& text) {
  asio::post(impl_->io, [impl = impl_.get(), client, line = text + "\n"] { impl->answer(client, line); });
}

}  // namespace caravan::sim
