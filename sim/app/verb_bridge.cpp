// SPDX-License-Identifier: Apache-2.0
// caravan bridge: a cluster that shares a network with a peer outside of the simulation.
#include <memory>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "models/packet/pcap.hpp"
#include "sim/app/configured.hpp"
#include "sim/app/interrupt.hpp"
#include "sim/app/verbs.hpp"
#include "sim/cluster/bridge.hpp"

namespace caravan::app {
namespace {

struct BridgeArguments {
  ConfigArguments config;
  std::string socket, control, frames;
};

std::unique_ptr<packet::PcapngWriter> open_capture(const std::string& path, unsigned nodes) {
  std::vector<std::string> interfaces;
  for (unsigned node = 0; node < nodes; ++node) interfaces.push_back(fmt::format("node{}", node));
  interfaces.emplace_back("peer");
  return std::make_unique<packet::PcapngWriter>(path, interfaces);
}

int bridge(BridgeArguments& a) {
  const auto configured = configure(a.config, 1);
  sim::Bridge bridge({configured.scenario, a.socket, a.control});
  std::unique_ptr<packet::PcapngWriter> capture;
  if (!a.frames.empty()) {
    capture = open_capture(a.frames, configured.scenario.nodes);
    bridge.capture([&](unsigned node, bool outbound, const base::Frame& frame) {
      capture->write(node, frame.time, *frame.bytes,
                     outbound ? packet::Direction::kOutbound : packet::Direction::kInbound);
    });
  }
  const InterruptGuard guard;
  fmt::print("{}\n", summary(configured.scenario));
  fmt::print("peer {} at -netdev stream,server=off,addr.type=unix,addr.path={}\n", bridge.peer_address(), a.socket);
  if (!a.control.empty()) fmt::print("control channel at {}\n", a.control);
  std::fflush(stdout);
  bridge.run([] { return !InterruptGuard::interrupted(); });
  if (capture) capture->close();
  fmt::print("simulated {:.3f} us\n", bridge.now().in_us());
  for (const auto& value : bridge.statistics()) {
    if (value.value != 0 && value.path.starts_with("peer.")) fmt::print("{} {}\n", value.path, value.value);
  }
  return kGood;
}

}  // namespace

void add_bridge(CLI::App& app, int& status) {
  auto* verb = app.add_subcommand("bridge", "Run a cluster with a port for a peer outside, such as a guest of QEMU");
  auto arguments = std::make_shared<BridgeArguments>();
  arguments->config.add_to(*verb);
  verb->add_option("--socket", arguments->socket, "Local socket for frames (QEMU: -netdev stream)")->required();
  verb->add_option("--control", arguments->control, "Local socket for commands to the nodes (`help` lists them)");
  verb->add_option("--frames", arguments->frames, "Write every frame to this pcapng file");
  verb->callback([arguments, &status] { status = bridge(*arguments); });
}

}  // namespace caravan::app
