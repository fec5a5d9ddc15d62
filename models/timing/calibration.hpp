// SPDX-License-Identifier: Apache-2.0
// Every delay constant of the simulation, each declared once with its source and uncertainty. `caravan params` prints
// the table; a configuration sets a constant as timing.<name>.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/config.hpp"
#include "models/base/text.hpp"
#include "models/base/units.hpp"

namespace caravan::timing {

struct Calibration {
  Calibration();  ///< the defaults of the table

  /// Reads every constant as timing.<name>; UserError for what does not fit.
  static Calibration from(base::Params& params);

  base::Frequency clock;
  base::Rate line_rate;
  base::Time mac_tx, mac_rx, wire;
  base::Bytes mac_tx_fifo, mac_max_frame;
  base::Time switch_latency;
  base::Bytes switch_buffer;
  double switch_alpha = 0;
  base::Bytes ecn_kmin, ecn_kmax;
  double ecn_pmax = 0;
  base::Time hbm_read, hbm_write;
  base::Rate hbm_rate;
  base::Time pcie_read, pcie_write, pcie_accept;
  base::Rate pcie_rate;
  std::int64_t pcie_outstanding = 0;
  base::Time host_mmio_write, host_mmio_read, host_post, host_poll, host_interrupt;
};

/// One printed row of the table.
struct CalibrationRow {
  std::string name, value;  ///< value with its unit
  std::string_view sentence, source, uncertainty;
};
std::vector<CalibrationRow> calibration_rows(const Calibration& calibration);

}  // namespace caravan::timing
