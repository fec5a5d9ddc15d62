// SPDX-License-Identifier: Apache-2.0
// Framing, bounds and manners of the sockets; the peer's port in simulated time.
#include <catch2/catch_test_macros.hpp>

#include <fstream>

#include "models/base/errors.hpp"
#include "models/timing/mac.hpp"
#include "sim/control/frame_socket.hpp"
#include "sim/control/line_socket.hpp"
#include "sim/control/peer_port.hpp"
#include "testbenches/cluster/bridge/local_socket.hpp"

using namespace caravan;
using base::Time;
using support::LocalSocket;
using support::socket_path;

namespace {

packet::Buffer frame_of(std::size_t size, std::uint8_t mark) {
  packet::Buffer frame(size, mark);
  if (size >= 14) frame[12] = 0x08, frame[13] = 0x00;
  return frame;
}

base::FrameBytes wait_for_frame(sim::FrameSocket& socket, sim::Wakeup& wakeup) {
  for (int i = 0; i < 200; ++i) {
    if (auto frame = socket.take()) return frame;
    wakeup.wait(std::chrono::milliseconds(20));
  }
  return nullptr;
}

template <class Condition>
bool eventually(Condition condition) {
  for (int i = 0; i < 1000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return false;
}

std::string error_of(const std::string& path) {
  try {
    sim::Wakeup wakeup;
    sim::FrameSocket socket(path, {}, wakeup);
  } catch (const base::UserError& error) { return error.what(); }
  return "";
}

}  // namespace

TEST_CASE("Frames arrive whole, in pieces or many at once, padded to the Ethernet minimum", "[bridge]") {
  sim::Wakeup wakeup;
  const auto path = socket_path("framing");
  sim::FrameSocket socket(path, {}, wakeup);
  LocalSocket peer(path);
  const auto long_frame = frame_of(4200, 7), short_frame = frame_of(42, 9);
  packet::Buffer stream;
  for (const auto& frame : {long_frame, short_frame}) {
    stream.resize(stream.size() + 4);
    packet::put_be(stream.data() + stream.size() - 4, 4, frame.size());
    stream.insert(stream.end(), frame.begin(), frame.end());
  }
  for (const std::size_t piece : {std::size_t{1}, std::size_t{3}, std::size_t{1000}, stream.size()}) {
    for (std::size_t at = 0; at < stream.size(); at += piece)
      peer.write(packet::ByteSpan(stream).subspan(at, std::min(piece, stream.size() - at)));
    auto got = wait_for_frame(socket, wakeup);
    REQUIRE(got);
    CHECK(*got == long_frame);
    got = wait_for_frame(socket, wakeup);
    REQUIRE(got);
    auto padded = short_frame;
    padded.resize(60);
    CHECK(*got == padded);
  }
  socket.send(std::make_shared<const packet::Buffer>(long_frame));
  CHECK(peer.receive_frame() == long_frame);
  CHECK(socket.stats().received == 8);
  CHECK(socket.stats().sent == 1);
}

TEST_CASE("Frames that no Ethernet carries are dropped and counted; a length that no frame has ends the connection",
          "[bridge]") {
  sim::Wakeup wakeup;
  const auto path = socket_path("lengths");
  sim::FrameSocket socket(path, {}, wakeup);
  {
    LocalSocket peer(path);
    for (const std::size_t size : {0u, 13u, 9217u, 65550u}) peer.send_frame(frame_of(size, 1));
    for (const std::size_t size : {14u, 9216u}) peer.send_frame(frame_of(size, 2));
    CHECK(wait_for_frame(socket, wakeup)->size() == 60);
    CHECK(wait_for_frame(socket, wakeup)->size() == 9216);
    CHECK(socket.stats().drop_length == 4);
    packet::Buffer length(4);
    packet::put_be(length.data(), 4, 65551);
    peer.write(length);
    CHECK(peer.closed());
  }
  CHECK(eventually([&] { return !socket.connected(); }));
  socket.send(std::make_shared<const packet::Buffer>(60));
  CHECK(socket.stats().drop_absent == 1);
  LocalSocket next(path);  // another one may come
  next.send_frame(frame_of(64, 3));
  CHECK(wait_for_frame(socket, wakeup)->size() == 64);
  CHECK(socket.stats().connections == 2);
}

TEST_CASE("A peer that sends faster than the simulation takes is held back, and loses nothing", "[bridge]") {
  sim::Wakeup wakeup;
  const auto path = socket_path("pressure");
  sim::FrameSocket socket(path, {}, wakeup);
  LocalSocket peer(path);
  constexpr unsigned kFrames = 2000;
  std::thread sender([&] {
    for (unsigned i = 0; i < kFrames; ++i) {
      auto frame = frame_of(1500, 0);
      packet::put_be(frame.data(), 4, i);
      peer.send_frame(frame);
    }
  });
  CHECK(eventually([&] { return socket.stats().received == sim::FrameSocket::kReceiveFrames; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  CHECK(socket.stats().received == sim::FrameSocket::kReceiveFrames);
  for (unsigned i = 0; i < kFrames; ++i) {
    const auto frame = wait_for_frame(socket, wakeup);
    REQUIRE(frame);
    REQUIRE(packet::get_be32(frame->data()) == i);
  }
  sender.join();
}

TEST_CASE("A peer that reads nothing loses what does not fit the queue, counted", "[bridge]") {
  sim::Wakeup wakeup;
  const auto path = socket_path("deaf");
  sim::FrameSocket socket(path, {}, wakeup);
  LocalSocket peer(path);
  REQUIRE(eventually([&] { return socket.connected(); }));
  const auto frame = std::make_shared<const packet::Buffer>(frame_of(4200, 1));
  while (socket.stats().drop_full == 0) socket.send(frame);
  CHECK(socket.stats().sent >= sim::FrameSocket::kSendFrames);
  for (std::uint64_t i = 0; i < socket.stats().sent; ++i) REQUIRE(peer.receive_frame());
}

TEST_CASE("A second peer is turned away; the first goes on", "[bridge]") {
  sim::Wakeup wakeup;
  const auto path = socket_path("second");
  sim::FrameSocket socket(path, {}, wakeup);
  LocalSocket first(path);
  REQUIRE(eventually([&] { return socket.connected(); }));
  LocalSocket second(path);
  CHECK(second.closed());
  first.send_frame(frame_of(64, 1));
  CHECK(wait_for_frame(socket, wakeup));
}

TEST_CASE("Where a socket can't be is said", "[bridge][errors]") {
  CHECK(error_of("") == "socket '': a path of 0 characters; allowed: 1 .. 107");
  CHECK(error_of(std::string(108, 'x')) ==
        "socket '" + std::string(108, 'x') + "': a path of 108 characters; allowed: 1 .. 107");
  CHECK(error_of("/nowhere/at/all") == "socket '/nowhere/at/all': No such file or directory");
  const auto path = socket_path("plain");
  std::ofstream(path) << "data";
  CHECK(error_of(path) == "socket '" + path + "': there is a file that is no socket");
  CHECK(std::filesystem::file_size(path) == 4);
  sim::Wakeup wakeup;
  const auto busy = socket_path("busy");
  {
    const sim::LineSocket line(busy, wakeup);
    CHECK(error_of(busy) == "socket '" + busy + "': another process listens there");
  }
  CHECK_FALSE(std::filesystem::exists(busy));
}

TEST_CASE("Control lines: any line end, one client at a time, endless lines are cut off", "[bridge]") {
  sim::Wakeup wakeup;
  const auto path = socket_path("lines");
  sim::LineSocket socket(path, wakeup);
  auto next = [&] {
    std::optional<sim::ControlLine> line;
    eventually([&] { return (line = socket.take()).has_value(); });
    return line;
  };
  {
    LocalSocket client(path);
    const std::string text = "one\r\ntwo 2\n";
    client.write({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
    CHECK(next()->text == "one");
    const auto line = next();
    CHECK(line->text == "two 2");
    LocalSocket second(path);
    CHECK(second.ask("x") == "err busy: another client controls this bridge");
    socket.reply(line->client, "ok");
    CHECK(client.read(3) == packet::Buffer{'o', 'k', '\n'});
    socket.reply(line->client + 1, "not for you");
    client.write(packet::Buffer((1 << 20) + 1, 'x'));
    CHECK(client.closed());
  }
  LocalSocket client(path);
  const std::string text = "again\n";
  client.write({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  const auto line = next();
  CHECK(line->text == "again");
  CHECK(line->client == 2);
}

TEST_CASE("The peer's frames enter the network at line rate, never before the window's end and the lookahead",
          "[bridge]") {
  sim::Wakeup wakeup;
  const auto path = socket_path("port");
  sim::FrameSocket socket(path, {}, wakeup);
  sim::PeerPort port({base::Rate::gbps(100), Time::ns(50)}, socket);
  CHECK(port.next_activity().is_never());
  LocalSocket peer(path);
  for (unsigned i = 0; i < 6; ++i) peer.send_frame(frame_of(1000, 1));
  REQUIRE(eventually([&] { return socket.stats().received == 6; }));
  CHECK(port.next_activity() == Time());
  base::FrameInbox inbox;
  base::FrameOutbox outbox;
  const Time slot = base::Rate::gbps(100).time_for(timing::wire_slot_bytes(base::Bytes(1000)));
  port.run_until(slot * 2, inbox, outbox);  // room for two
  REQUIRE(outbox.size() == 2);
  CHECK(outbox[0].time == slot * 2 + Time::ns(50));
  CHECK(outbox[1].time == outbox[0].time + slot);
  CHECK(outbox[1].sequence == 1);
  CHECK(port.next_activity() == slot * 2 + slot * 2);
  outbox.clear();
  port.run_until(slot * 5, inbox, outbox);
  REQUIRE(outbox.size() == 3);
  CHECK(outbox[0].time == slot * 5 + Time::ns(50));
  // To the peer: good frames only.
  inbox.push_back({Time(), 0, std::make_shared<const packet::Buffer>(frame_of(70, 4)), true});
  inbox.push_back({Time(), 1, std::make_shared<const packet::Buffer>(frame_of(70, 5)), false});
  port.run_until(slot * 6, inbox, outbox);
  CHECK(inbox.empty());
  CHECK(peer.receive_frame() == frame_of(70, 5));
}
