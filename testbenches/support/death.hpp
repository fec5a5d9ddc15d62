// SPDX-License-Identifier: Apache-2.0
// For broken invariants: they abort, so they are tried in a child process.
#pragma once

#include <csignal>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

namespace caravan::support {

/// What `act` wrote to standard error before it aborted; empty when it did not abort.
template <class Act>
std::string dying_words(Act act) {
  int ends[2];
  if (pipe(ends) != 0) return "";
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGABRT, SIG_DFL);  // not the test framework's handler
    dup2(ends[1], 2);
    close(ends[0]);
    act();
    _exit(0);
  }
  close(ends[1]);
  std::string words;
  char buffer[512];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;) words.append(buffer, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT ? words : "";
}

}  // namespace caravan::support
