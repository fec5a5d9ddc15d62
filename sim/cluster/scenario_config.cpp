// SPDX-License-Identifier: Apache-2.0
#include "sim/cluster/scenario_config.hpp"

#include <algorithm>
#include <bit>
#include <thread>

#include <fmt/format.h>

#include "sim/cluster/fault_config.hpp"

namespace caravan::sim {
namespace {

using base::Bytes;
using base::Params;
using base::Time;

constexpr Time kTimeoutUnit = Time::ns(4096);

void read_cluster(Params p, ScenarioConfig& c) {
  c.nodes = static_cast<unsigned>(p.integer("nodes", 4, {2, 32}, "Nodes in the cluster; each is a replica."));
  c.direct = p.choice("topology", "switch", {"switch", "direct"},
                      "How the nodes are joined: all to one switch, or two nodes by one cable.") == "direct";
  if (c.direct && c.nodes != 2)
    p.fail("topology", fmt::format("one cable joins 2 nodes; cluster.nodes is {}", c.nodes));
  c.store_and_forward = p.choice("switch", "cut_through", {"cut_through", "store_and_forward"},
                                 "When the switch begins to send a frame on.") == "store_and_forward";
  c.ecn = p.boolean("ecn", true, "The switch marks ECN-capable frames by its queue lengths.");
  c.pmtu = p.bytes("pmtu", Bytes::kib(4), {Bytes(256), Bytes::kib(4)},
                   "Path MTU of every queue pair: RDMA payload of one packet.");
  if (!std::has_single_bit(c.pmtu.count())) p.fail("pmtu", "must be one of 256B, 512B, 1KiB, 2KiB, 4KiB");
  const auto timeout =
      p.time("retry_timeout", kTimeoutUnit * 16, {kTimeoutUnit, kTimeoutUnit * (1ll << 20)},
             "Time without an acknowledgement after which a queue pair sends again: 4096ns times a power of two.");
  const auto units = timeout / kTimeoutUnit;
  if (timeout % kTimeoutUnit != Time() || !std::has_single_bit(static_cast<std::uint64_t>(units))) {
    const auto down = std::bit_floor(static_cast<std::uint64_t>(units));
    p.fail("retry_timeout", fmt::format("must be 4096ns times a power of two, such as {}",
                                        base::to_text(kTimeoutUnit * static_cast<std::int64_t>(down))));
  }
  c.timeout_exponent = static_cast<unsigned>(std::countr_zero(static_cast<std::uint64_t>(units)));
  c.retry_limit = static_cast<unsigned>(
      p.integer("retry_limit", 7, {0, 7}, "Tries without progress after which a queue pair goes to its error state."));
}

void read_ycsb(Params p, bool used, const std::vector<std::string>& more, YcsbSettings& y) {
  y.file = p.text("file", "", "YCSB core properties file, relative to the configuration's folder.");
  auto overrides = p.text_list("set", "Properties that replace those of the file: \"name=value\".");
  overrides.insert(overrides.end(), more.begin(), more.end());
  if (!used) {
    if (!more.empty()) p.fail("file", "-p sets YCSB properties, but workload.kind is not \"ycsb\"");
    return;
  }
  if (y.file.empty())
    p.fail("file", "must name a YCSB core properties file, such as workloads/ycsb/workloada.properties");
  y.properties = workloads::Properties::from_file(p.path(y.file));
  for (const auto& assignment : overrides) y.properties.set(assignment);
  y.workload = workloads::read_core_workload(y.properties);
}

void read_verb(Params p, bool used, VerbSettings& v) {
  v.sizes = p.bytes_list("sizes",
                         {Bytes(1), Bytes(8), Bytes(64), Bytes(256), Bytes::kib(1), Bytes::kib(4), Bytes::kib(16),
                          Bytes::kib(64), Bytes::kib(256), Bytes::mib(1)},
                         {Bytes(1), Bytes::mib(1)}, "Message sizes, measured one after another.");
  v.repetitions = static_cast<std::uint64_t>(p.integer("repetitions", 20, {1, 10'000'000}, "Messages of each size."));
  v.outstanding = static_cast<std::uint32_t>(
      p.integer("outstanding", 1, {1, 4096}, "Messages in flight, all queue pairs together; 1 measures latency."));
  v.qps = static_cast<std::uint32_t>(
      p.integer("qps", 1, {1, 500}, "Queue pairs from node 0 to node 1; messages take turns."));
  v.window = p.bytes("window", Bytes::mib(4), {Bytes(1), Bytes::mib(64)},
                     "Memory at either end that the messages step through.");
  v.host_memory = p.choice("memory", "hbm", {"hbm", "host"}, "Memory at both ends.") == "host";
  const auto op = p.choice("op", "write", {"write", "read", "send", "fetch_add"},
                           "The verb; a host program posts the buffers that SENDs go to; fetch_add adds 1 to 8-byte "
                           "counters, its sizes must all be 8B.");
  v.op = op == "read"        ? base::ClientOp::kRead
         : op == "send"      ? base::ClientOp::kSend
         : op == "fetch_add" ? base::ClientOp::kFetchAdd
                             : base::ClientOp::kWrite;
  if (used && v.op == base::ClientOp::kFetchAdd &&
      std::any_of(v.sizes.begin(), v.sizes.end(), [](Bytes size) { return size != Bytes(8); })) {
    p.fail("sizes", "must be [\"8B\"] with op = \"fetch_add\"");
  }
  if (used && *std::max_element(v.sizes.begin(), v.sizes.end()) > v.window) {
    p.fail("window", "is smaller than the largest of workload.verb.sizes");
  }
}

void read_host(Params p, HostSettings& h) {
  h.sizes = p.bytes_list("sizes", {Bytes(8), Bytes(64), Bytes::kib(1), Bytes::kib(4), Bytes::kib(64)},
                         {Bytes(1), Bytes::mib(1)}, "Message sizes, measured one after another.");
  h.repetitions =
      static_cast<std::uint64_t>(p.integer("repetitions", 50, {1, 1'000'000}, "Of each verb and size, one at a time."));
  h.rate_messages = static_cast<std::uint64_t>(p.integer(
      "rate_messages", 2048, {1, 10'000'000}, "Messages of each verb in the rate phase; rounded up to whole batches."));
  h.rate_size = p.bytes("rate_size", Bytes(64), {Bytes(1), Bytes::kib(64)}, "Message size of the rate phase.");
  h.qps = static_cast<std::uint32_t>(p.integer("qps", 8, {1, 64}, "Queue pairs of the rate phase."));
  h.batch = static_cast<std::uint32_t>(
      p.integer("batch", 16, {1, 1024}, "Work requests with one doorbell; two batches in flight on each queue pair."));
  h.push = p.boolean("push", true, "Single work requests go through registers instead of being fetched.");
}

void read_incast(Params p, IncastSettings& s) {
  s.size = p.bytes("size", Bytes::kib(64), {Bytes(1), Bytes::mib(1)}, "Message size.");
  s.outstanding =
      static_cast<std::uint32_t>(p.integer("outstanding", 4, {1, 64}, "Messages in flight of each sender."));
  s.duration = p.time("duration", Time::ms(5), {Time::us(1), Time::ms(10'000)}, "Time in which messages are begun.");
  s.stagger = p.time("stagger", Time(), {Time(), Time::ms(1'000)}, "Node i begins at i - 1 times this.");
  s.sample = p.time("sample", Time::us(100), {Time::us(1), Time::ms(100)}, "Interval of rates over time.");
}

void read_run(Params p, ScenarioConfig& c) {
  const auto threads =
      p.integer("threads", 0, {0, 64}, "Worker threads; 0: one per processor. Results do not depend on it.");
  const unsigned processors = std::max(1u, std::thread::hardware_concurrency());
  c.threads = std::min(c.nodes, threads == 0 ? processors : static_cast<unsigned>(threads));
  c.output = p.text("output", "out/run", "Folder for the results, relative to the current one.");
  if (c.output.empty()) p.fail("output", "must name a folder");
  c.trace = p.boolean("trace", true, "Write every client operation and frame to trace.txt.");
  c.frames = p.boolean("frames", true, "Write every frame to frames.pcapng.");
  c.limit = p.time("limit", Time::ms(10'000), {Time::us(1), Time::ms(1'000'000)},
                   "Simulated time after which a run is ended as failed.");
}

}  // namespace

ScenarioConfig read_scenario(Params& params, const std::vector<std::string>& property_overrides, unsigned more_ports) {
  ScenarioConfig c;
  read_cluster(params.in("cluster"), c);
  c.pfc = read_pfc(params.in("pfc"));
  c.congestion = read_congestion(params.in("congestion"));
  if (c.direct && c.pfc.enabled)
    params.fail("pfc.enabled", "flow control is the switch's; topology \"direct\" has none");
  auto workload = params.in("workload");
  const auto kind = workload.choice("kind", "idle", {"ycsb", "verb", "host", "incast", "idle"},
                                    "What runs: YCSB on every node, RDMA verbs from node 0 to node 1, host programs' "
                                    "verbs from node 0 to node 1, WRITEs from all others to node 0, or nothing.");
  c.kind = kind == "ycsb"     ? WorkloadKind::kYcsb
           : kind == "verb"   ? WorkloadKind::kVerb
           : kind == "host"   ? WorkloadKind::kHost
           : kind == "incast" ? WorkloadKind::kIncast
                              : WorkloadKind::kIdle;
  c.seed = static_cast<std::uint64_t>(workload.integer("seed", 1, {0, 0x7FFFFFFFFFFFFFFF},
                                                       "Decides every random choice: operations, faults, ECN marks."));
  read_ycsb(workload.in("ycsb"), c.kind == WorkloadKind::kYcsb, property_overrides, c.ycsb);
  read_verb(workload.in("verb"), c.kind == WorkloadKind::kVerb, c.verb);
  read_host(workload.in("host"), c.host);
  read_incast(workload.in("incast"), c.incast);
  c.faults = read_faults(params, c.nodes + more_ports);
  if (c.direct && !c.faults.empty())
    params.fail("fault", "faults strike in the switch; with cluster.topology = \"direct\" there is none");
  auto model = params.in("model");
  const auto skip = model.choice("skip", "on", {"on", "off", "verify"},
                                 "Quiet stretches: jumped over, evaluated, or evaluated and compared with the jump.");
  c.skip = skip == "on" ? vl::Skip::kOn : skip == "off" ? vl::Skip::kOff : vl::Skip::kVerify;
  c.calibration = timing::Calibration::from(params);
  read_run(params.in("run"), c);
  params.finish();
  return c;
}

bool is_where(const std::string& key) { return key.starts_with("run.") || key == "model.skip"; }

}  // namespace caravan::sim
