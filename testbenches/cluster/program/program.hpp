// SPDX-License-Identifier: Apache-2.0
// Runs the real program and keeps what it printed.
#pragma once

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace caravan::support {

struct ProgramResult {
  int status = -1;
  std::string output;  ///< standard output and standard error
  bool says(const std::string& text) const { return output.find(text) != std::string::npos; }
};

inline const std::string kProgram = CARAVAN_BINARY_DIR "/sim/app/caravan";

inline ProgramResult shell(const std::string& command) {
  ProgramResult result;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  std::array<char, 4096> part;
  while (const auto n = std::fread(part.data(), 1, part.size(), pipe)) result.output.append(part.data(), n);
  const int status = pclose(pipe);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  return result;
}

/// From the root of the sources, as a user would.
inline ProgramResult run_caravan(const std::string& arguments) {
  return shell("cd " CARAVAN_SOURCE_DIR " && " + kProgram + " " + arguments);
}

inline std::string slurp(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// A fresh path for results; nothing is there yet.
inline std::filesystem::path fresh(const std::string& name) {
  const std::filesystem::path path =
      std::filesystem::path(CARAVAN_BINARY_DIR) / "testbenches/cluster/program/out" / name;
  std::filesystem::remove_all(path);
  std::filesystem::create_directories(path.parent_path());
  return path;
}

inline std::string fingerprint_line(const ProgramResult& result) {
  const auto at = result.output.rfind("fingerprint ");
  return at == std::string::npos ? "" : result.output.substr(at, 12 + 16);
}

}  // namespace caravan::support
