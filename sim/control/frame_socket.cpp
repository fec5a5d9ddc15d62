// SPDX-License-Identifier: Apache-2.0
#include "sim/control/frame_socket.hpp"

#include <deque>
#include <mutex>
#include <thread>

#include "sim/control/listen.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

namespace caravan::sim {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

constexpr std::size_t kLongestRead = 65550;  // what QEMU may send at most, whatever the guest's MTU
constexpr std::size_t kShortest = 14, kPadded = 60;

}  // namespace

// Everything but the queues and counters is touched by the socket's thread only.
struct FrameSocket::Impl {
  std::string path;
  std::vector<Station> stations;
  Wakeup& wakeup;
  asio::io_context io{1};
  LocalProtocol::acceptor acceptor;
  LocalProtocol::socket peer{io};
  bool open = false;
  std::array<std::uint8_t, 4> read_header{}, write_header{};
  std::vector<std::uint8_t> body;
  base::FrameBytes writing;
  std::uint64_t generation = 0;  // of the connection: handlers of an older one do nothing

  mutable std::mutex mutex;
  std::deque<base::FrameBytes> in, out;
  bool connected = false, paused = false;
  FrameSocketStats stats;
  std::thread thread;

  Impl(std::string at, std::vector<Station> known, Wakeup& wake)
      : path(std::move(at)), stations(std::move(known)), wakeup(wake), acceptor(listen_at(io, path)) {
    accept();
    thread = std::thread([this] { io.run(); });
  }
  ~Impl() {
    io.stop();
    thread.join();
    forget_socket(path);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void accept() {
    acceptor.async_accept(io, [this](const error_code& error, LocalProtocol::socket coming) {
      if (!acceptor.is_open()) return;
      error_code ignored;
      if (!error && !open) {
        peer = std::move(coming);
        begin();
      } else {
        coming.close(ignored);
      }
      accept();
    });
  }

  void begin() {
    open = true;
    ++generation;
    {
      const std::lock_guard lock(mutex);
      connected = true;
      paused = false;
      ++stats.connections;
    }
    wakeup.ring();
    read();
  }

  void end() {
    error_code ignored;
    peer.close(ignored);
    open = false;
    ++generation;
    writing.reset();
    const std::lock_guard lock(mutex);
    connected = false;
    out.clear();
  }

  void read() {
    asio::async_read(peer, asio::buffer(read_header), [this, mine = generation](const error_code& error, std::size_t) {
      if (mine != generation) return;
      const std::size_t length = std::size_t{read_header[0]} << 24 | std::size_t{read_header[1]} << 16 |
                                 std::size_t{read_header[2]} << 8 | std::size_t{read_header[3]};
      if (error || length > kLongestRead) return end();
      body.resize(length);
      asio::async_read(peer, asio::buffer(body), [this, mine](const error_code& failed, std::size_t) {
        if (mine != generation) return;
        if (failed) return end();
        received();
      });
    });
  }

  void received() {
    bool go_on = true;
    if (body.size() < kShortest || body.size() > kMaxFrame) {
      const std::lock_guard lock(mutex);
      ++stats.drop_length;
    } else if (is_arp(body)) {
      auto answer = answer_arp(body, stations);
      const std::lock_guard lock(mutex);
      ++(answer ? stats.arp_answered : stats.arp_dropped);
      if (answer) out.push_back(std::make_shared<const std::vector<std::uint8_t>>(std::move(*answer)));
    } else {
      body.resize(std::max(body.size(), kPadded));
      const std::lock_guard lock(mutex);
      in.push_back(std::make_shared<const std::vector<std::uint8_t>>(body));
      ++stats.received;
      paused = in.size() >= kReceiveFrames;
      go_on = !paused;
    }
    write();
    wakeup.ring();
    if (go_on) read();
  }

  void write() {
    if (!open || writing) return;
    {
      const std::lock_guard lock(mutex);
      if (out.empty()) return;
      writing = std::move(out.front());
      out.pop_front();
    }
    const std::size_t n = writing->size();
    write_header = {static_cast<std::uint8_t>(n >> 24), static_cast<std::uint8_t>(n >> 16),
                    static_cast<std::uint8_t>(n >> 8), static_cast<std::uint8_t>(n)};
    const std::array<asio::const_buffer, 2> parts = {asio::buffer(write_header), asio::buffer(*writing)};
    // The frame is kept alive by the handler too: the connection may end first.
    asio::async_write(peer, parts, [this, mine = generation, kept = writing](const error_code& error, std::size_t) {
      if (mine != generation) return;
      if (error) return end();
      writing.reset();
      write();
    });
  }
};

FrameSocket::FrameSocket(std::string path, std::vector<Station> stations, Wakeup& wakeup)
    : impl_(std::make_unique<Impl>(std::move(path), std::move(stations), wakeup)) {}
FrameSocket::~FrameSocket() = default;

base::FrameBytes FrameSocket::take() {
  base::FrameBytes frame;
  bool resume = false;
  {
    const std::lock_guard lock(impl_->mutex);
    if (impl_->in.empty()) return nullptr;
    frame = std::move(impl_->in.front());
    impl_->in.pop_front();
    resume = impl_->paused && impl_->in.size() < kReceiveFrames / 2;
    if (resume) impl_->paused = false;
  }
  if (resume) {
    asio::post(impl_->io, [impl = impl_.get()] {
      if (impl->open) impl->read();
    });
  }
  return frame;
}

bool FrameSocket::waiting() const {
  const std::lock_guard lock(impl_->mutex);
  return !impl_->in.empty();
}

void FrameSocket::send(base::FrameBytes frame) {
  {
    const std::lock_guard lock(impl_->mutex);
    if (!impl_->connected) {
      ++impl_->stats.drop_absent;
      return;
    }
    if (impl_->out.size() >= kSendFrames) {
      ++impl_->stats.drop_full;
      return;
    }
    impl_->out.push_back(std::move(frame));
    ++impl_->stats.sent;
  }
  asio::post(impl_->io, [impl = impl_.get()] { impl->write(); });
}

bool FrameSocket::connected() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->connected;
}

FrameSocketStats FrameSocket::stats() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->stats;
}

}  // namespace caravan::sim
