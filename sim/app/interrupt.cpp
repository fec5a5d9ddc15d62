// SPDX-License-Identifier: Apache-2.0
#include "sim/app/interrupt.hpp"

#include <csignal>

namespace caravan::app {
namespace {

// A signal handler can reach nothing but a global flag.
volatile std::sig_atomic_t signalled = 0;

void on_signal(int signal) {
  signalled = 1;
  std::signal(signal, SIG_DFL);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  signalled = 0;
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}

InterruptGuard::~InterruptGuard() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

bool InterruptGuard::interrupted() { return signalled != 0; }

}  // namespace caravan::app
