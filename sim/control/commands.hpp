// SPDX-License-Identifier: Apache-2.0
// The control channel's language: one line in, one line out, "ok ..." or "err COMMAND: why". The words are those of the
// guest's rxe_peer (tools/interop_parts), so that one driver speaks to both; docs/bridge.md describes them.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/base/stats.hpp"
#include "sim/control/arguments.hpp"
#include "sim/control/node_session.hpp"

namespace caravan::sim {

/// What commands need of the cluster as a whole.
struct ClusterHooks {
  std::function<std::vector<base::StatValue>()> statistics;
  std::function<void(const std::string& toml)> set_faults;  ///< throws base::UserError
  std::function<base::Time()> now;
};

class Commands {
 public:
  using Clock = std::chrono::steady_clock;

  Commands(std::vector<NodeSession*> nodes, ClusterHooks hooks);

  /// The answer; nothing when the line has none yet: `poll` waits, and tick() gives its answer. Never throws for what
  /// the line says.
  std::optional<std::string> execute(const std::string& line, Clock::time_point now);
  bool waiting() const { return poll_.has_value(); }
  std::optional<std::string> tick(Clock::time_point now);
  /// When tick() has an answer at the latest; far away when nothing waits.
  Clock::time_point deadline() const;
  /// The client is gone: its poll is given up.
  void forget() { poll_.reset(); }
  bool quit() const { return quit_; }

  /// All commands with their arguments, one a line.
  static std::string help();

 private:
  struct Poll {
    std::size_t wanted;
    Clock::time_point start, end;
  };
  struct Command {
    std::string_view word, usage;
    std::size_t least, most;  ///< arguments
    std::string (Commands::*run)(Arguments&);
  };
  static const std::vector<Command>& table();
  NodeSession& node() { return *nodes_[selected_]; }
  std::string run(const std::string& line);

  std::string select(Arguments& a);
  std::string open(Arguments& a);
  std::string mr(Arguments& a);
  std::string qp(Arguments& a);
  std::string use(Arguments& a);
  std::string rtr(Arguments& a);
  std::string rts(Arguments& a);
  std::string change_state(Arguments& a);
  std::string state(Arguments& a);
  std::string recv(Arguments& a);
  std::string request(Arguments& a);
  std::string poll(Arguments& a);
  std::string fill(Arguments& a);
  std::string set(Arguments& a);
  std::string get(Arguments& a);
  std::string sum(Arguments& a);
  std::string fault(Arguments& a);
  std::string stats(Arguments& a);
  std::string time(Arguments& a);
  std::string help(Arguments& a);
  std::string quit(Arguments& a);
  std::string poll_answer(Clock::time_point now);

  std::vector<NodeSession*> nodes_;
  ClusterHooks hooks_;
  std::size_t selected_ = 0;
  std::optional<Poll> poll_;
  Clock::time_point now_;
  bool quit_ = false;
};

}  // namespace caravan::sim
