// SPDX-License-Identifier: Apache-2.0
// A bridge that runs in a thread of its own for the length of a test, and who talks to it.
#pragma once

#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include "models/base/config.hpp"
#include "sim/cluster/bridge.hpp"
#include "testbenches/cluster/bridge/local_socket.hpp"

namespace caravan::support {

class RunningBridge {
 public:
  explicit RunningBridge(const std::string& name, const std::string& toml = "")
      : socket_(socket_path(name + ".net")), control_(socket_path(name + ".ctl")) {
    const auto text = base::Config::from_text("[cluster]\nnodes = 2\n[run]\nthreads = 1\n" + toml, "test");
    base::Params params(text);
    const auto scenario = sim::read_scenario(params, {}, 1);
    std::promise<void> built;
    auto ready = built.get_future();
    thread_ = std::thread([this, scenario, &built] {
      sim::Bridge bridge({scenario, socket_, control_});
      built.set_value();
      bridge.run([this] { return !stop_.load(); });
    });
    ready.wait();
    peer_ = std::make_unique<LocalSocket>(socket_);
    client_ = std::make_unique<LocalSocket>(control_);
  }
  ~RunningBridge() {
    stop_ = true;
    thread_.join();
  }
  RunningBridge(const RunningBridge&) = delete;
  RunningBridge& operator=(const RunningBridge&) = delete;

  LocalSocket& peer() { return *peer_; }
  std::string ask(const std::string& line) { return client_->ask(line); }
  const std::string& control() const { return control_; }
  void join() {
    stop_ = false;
    thread_.join();
    thread_ = std::thread([] {});
  }

 private:
  std::string socket_, control_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
  std::unique_ptr<LocalSocket> peer_, client_;
};

}  // namespace caravan::support
