// SPDX-License-Identifier: Apache-2.0
// Everything that a run is configured by: what runs, how it is modelled, where it runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/base/config.hpp"
#include "models/timing/calibration.hpp"
#include "models/timing/faults.hpp"
#include "models/timing/pfc.hpp"
#include "sim/cluster/congestion_config.hpp"
#include "verilator/wrap/rtl_node.hpp"
#include "workloads/verb_latency/verbs.hpp"
#include "workloads/ycsb/core_workload.hpp"

namespace caravan::sim {

enum class WorkloadKind : std::uint8_t { kYcsb, kVerb, kHost, kIncast, kIdle };

struct YcsbSettings {
  std::string file;                  ///< as written in the configuration
  workloads::Properties properties;  ///< with overrides
  workloads::CoreWorkload workload;
};

struct VerbSettings {
  base::ClientOp op = base::ClientOp::kWrite;
  std::vector<base::Bytes> sizes;
  std::uint64_t repetitions = 1;
  std::uint32_t outstanding = 1;
  std::uint32_t qps = 1;
  base::Bytes window;
  bool host_memory = false;  ///< else HBM
};

struct HostSettings {
  std::vector<base::Bytes> sizes;
  std::uint64_t repetitions = 1;
  std::uint64_t rate_messages = 1;
  base::Bytes rate_size;
  std::uint32_t qps = 1;
  std::uint32_t batch = 1;
  bool push = true;
};

struct IncastSettings {
  base::Bytes size;
  std::uint32_t outstanding = 4;
  base::Time duration, stagger, sample;
};

struct ScenarioConfig {
  // what
  unsigned nodes = 4;
  bool direct = false;  ///< two nodes and one cable
  bool store_and_forward = false;
  bool ecn = true;
  timing::PfcConfig pfc;
  CongestionSettings congestion;
  base::Bytes pmtu;
  unsigned timeout_exponent = 0;  ///< local ACK timeout is 4.096 us * 2^n
  unsigned retry_limit = 7;
  std::uint64_t seed = 1;
  WorkloadKind kind = WorkloadKind::kIdle;
  YcsbSettings ycsb;
  VerbSettings verb;
  HostSettings host;
  IncastSettings incast;
  std::vector<timing::FaultRule> faults;
  // how
  timing::Calibration calibration;
  vl::Skip skip = vl::Skip::kOn;
  // where
  unsigned threads = 1;
  std::string output;
  bool trace = true;
  bool frames = true;
  base::Time limit;
};

/// Reads and declares every parameter; ends with Params::finish(). Throws base::UserError.
/// `property_overrides` are the -p name=value of the command line. `more_ports`: switch ports behind those of the
/// nodes, which fault rules may name too.
ScenarioConfig read_scenario(base::Params& params, const std::vector<std::string>& property_overrides = {},
                             unsigned more_ports = 0);

/// Whether a key changes no result: [run], and how skipping is done.
bool is_where(const std::string& key);

}  // namespace caravan::sim
