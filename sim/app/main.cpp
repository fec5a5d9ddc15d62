// SPDX-License-Identifier: Apache-2.0
// caravan: a cluster of RTL nodes, cycle by cycle. Exit status: 0 good, 1 a check failed, 2 the user's input is wrong.
#include <cstdio>
#include <exception>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "models/base/errors.hpp"
#include "sim/app/verbs.hpp"

int main(int argc, char** argv) {
  using namespace caravan;
  CLI::App app("Simulates a cluster of FPGA RDMA nodes, cycle by cycle.", "caravan");
  app.require_subcommand(1);
  app.set_help_all_flag("--help-all", "Print the help of every verb");
  int status = app::kGood;
  app::add_run(app, status);
  app::add_check(app, status);
  app::add_golden(app, status);
  app::add_trace(app, status);
  app::add_params(app, status);
  app::add_stats(app, status);
  app::add_bridge(app, status);
  app::add_bench(app, status);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? app::kGood : app::kUserError;
  } catch (const base::UserError& error) {
    fmt::print(stderr, "caravan: {}\n", error.what());
    return app::kUserError;
  } catch (const std::exception& error) {
    fmt::print(stderr, "caravan: unexpected: {}\n", error.what());
    return app::kCheckFailed;
  }
  return status;
}
