// SPDX-License-Identifier: Apache-2.0
#include "sim/app/output_folder.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "models/base/errors.hpp"

namespace caravan::app {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kResults[] = {"results.json", "perf.json",     "frames.pcapng",      "incast.csv",
                                         "trace.txt",    "resolved.toml", "workload.properties"};

bool is_result(const fs::path& path) {
  const auto name = path.filename().string();
  return fs::is_regular_file(path) && std::find(std::begin(kResults), std::end(kResults), name) != std::end(kResults);
}

}  // namespace

void prepare_output(const fs::path& folder, bool force) {
  try {
    if (fs::exists(folder) && !fs::is_directory(folder)) {
      throw base::UserError(fmt::format("{}: exists and is no folder; choose another with --out", folder.string()));
    }
    fs::create_directories(folder);
    std::vector<fs::path> old;
    for (const auto& entry : fs::directory_iterator(folder)) old.push_back(entry.path());
    for (const auto& path : old) {
      if (!is_result(path)) {
        throw base::UserError(
            fmt::format("{}: holds '{}', which is no result of a run; choose another folder with --out",
                        folder.string(), path.filename().string()));
      }
    }
    if (!old.empty() && !force) {
      throw base::UserError(fmt::format(
          "{}: holds results already; --force replaces them, --out chooses another folder", folder.string()));
    }
    for (const auto& path : old) fs::remove(path);
  } catch (const fs::filesystem_error& error) {
    throw base::UserError(fmt::format("{}: {}", folder.string(), error.code().message()));
  }
}

void write_file(const fs::path& path, std::string_view content) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
  out.close();
  if (!out) throw base::UserError(fmt::format("{}: can't be written", path.string()));
}

}  // namespace caravan::app
