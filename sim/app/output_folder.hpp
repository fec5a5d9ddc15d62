// SPDX-License-Identifier: Apache-2.0
// The folder of a run's results. Nothing that exists is overwritten unasked, and nothing but results is ever removed.
#pragma once

#include <filesystem>
#include <string_view>

namespace caravan::app {

/// Makes `folder` ready: new, or empty, or with `force` rid of earlier results. Throws base::UserError when it holds
/// results and `force` is not set, when it holds anything else, or when it can't be made.
void prepare_output(const std::filesystem::path& folder, bool force);

/// Writes a whole file; throws base::UserError when that fails.
void write_file(const std::filesystem::path& path, std::string_view content);

}  // namespace caravan::app
