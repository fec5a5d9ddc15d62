// SPDX-License-Identifier: Apache-2.0
#include "workloads/ycsb/core_workload.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "models/base/errors.hpp"
#include "models/base/text.hpp"

namespace caravan::workloads {
namespace {

using base::UserError;

/// Properties of YCSB without effect here; the sentence says why.
struct Accepted {
  std::string_view name;
  std::string_view why;
};
constexpr std::string_view kValues = "values are 8 bytes";
constexpr std::string_view kScans = "scans are not run";
constexpr std::string_view kClients = "there is one closed-loop client per replica";
constexpr std::string_view kKeys = "keys are integers";
constexpr std::string_view kReports = "the program writes its own reports";
constexpr Accepted kAccepted[] = {
    {"fieldcount", kValues},
    {"fieldlength", kValues},
    {"fieldlengthdistribution", kValues},
    {"minfieldlength", kValues},
    {"fieldlengthhistogram", kValues},
    {"fieldnameprefix", kValues},
    {"readallfields", kValues},
    {"writeallfields", kValues},
    {"readallfieldsbyname", kValues},
    {"minscanlength", kScans},
    {"maxscanlength", kScans},
    {"scanlengthdistribution", kScans},
    {"threadcount", kClients},
    {"table", kKeys},
    {"keyprefix", kKeys},
    {"zeropadding", kKeys},
    {"measurementtype", kReports},
    {"measurement.interval", kReports},
    {"measurement.raw.output_file", kReports},
    {"histogram.buckets", kReports},
    {"timeseries.granularity", kReports},
    {"hdrhistogram.percentiles", kReports},
    {"exporter", kReports},
    {"exportfile", kReports},
    {"status.interval", kReports},
    {"core_workload_insertion_retry_limit", "an insert is not retried by the client"},
    {"core_workload_insertion_retry_interval", "an insert is not retried by the client"},
};
constexpr std::string_view kUsed[] = {"workload",
                                      "recordcount",
                                      "operationcount",
                                      "readproportion",
                                      "updateproportion",
                                      "insertproportion",
                                      "scanproportion",
                                      "readmodifywriteproportion",
                                      "requestdistribution",
                                      "insertorder",
                                      "zipfianconstant",
                                      "insertstart",
                                      "dataintegrity"};

class Reader {
 public:
  explicit Reader(const Properties& properties) : properties_(properties) {}

  [[noreturn]] void fail(const std::string& name, const std::string& reason) const {
    const auto* p = properties_.find(name);
    throw UserError(fmt::format("{}: {}={}: {}", p->origin, name, p->value, reason));
  }
  std::uint64_t count(const std::string& name) const {
    const auto* p = properties_.find(name);
    if (p == nullptr)
      throw UserError(
          fmt::format("{}: the property {} is missing; allowed: 1 .. 1000000000", properties_.name(), name));
    const auto v = base::parse_integer(p->value);
    if (!v) fail(name, "expected an integer; allowed: 1 .. 1000000000");
    if (*v < 1 || *v > 1'000'000'000) fail(name, "out of range; allowed: 1 .. 1000000000");
    return static_cast<std::uint64_t>(*v);
  }
  double real(const std::string& name, double def, double max) const {
    const auto* p = properties_.find(name);
    if (p == nullptr) return def;
    const auto v = base::parse_real(p->value);
    if (!v) fail(name, fmt::format("expected a number; allowed: 0 .. {}", max));
    if (*v < 0 || *v > max) fail(name, fmt::format("out of range; allowed: 0 .. {}", max));
    return *v;
  }
  std::string choice(const std::string& name, std::string def, const std::vector<std::string>& allowed,
                     const std::string& why_not) const {
    const auto* p = properties_.find(name);
    if (p == nullptr) return def;
    if (std::find(allowed.begin(), allowed.end(), p->value) != allowed.end()) return p->value;
    const auto near = base::nearest(p->value, allowed);
    fail(name, fmt::format("{}; allowed: {}{}", why_not, base::join(allowed, ", "),
                           near ? "; did you mean " + *near + "?" : ""));
  }

 private:
  const Properties& properties_;
};

void refuse_unknown(const Properties& properties, std::vector<std::string>& notes) {
  std::vector<std::string> names(std::begin(kUsed), std::end(kUsed));
  for (const auto& accepted : kAccepted) names.emplace_back(accepted.name);
  for (const auto& entry : properties.all()) {
    const std::string& name = entry.first;
    const Property& property = entry.second;
    const auto accepted =
        std::find_if(std::begin(kAccepted), std::end(kAccepted), [&](const auto& a) { return a.name == name; });
    if (accepted != std::end(kAccepted)) {
      notes.push_back(fmt::format("{}: {} has no effect: {}", property.origin, name, accepted->why));
    } else if (std::find(std::begin(kUsed), std::end(kUsed), name) == std::end(kUsed)) {
      const auto near = base::nearest(name, names);
      throw UserError(fmt::format("{}: unknown property '{}'{}", property.origin, name,
                                  near ? "; did you mean '" + *near + "'?" : ""));
    }
  }
}

}  // namespace

std::string_view op_kind_name(OpKind kind) {
  constexpr std::string_view kNames[kOpKinds] = {"READ", "UPDATE", "INSERT", "READ-MODIFY-WRITE"};
  return kNames[static_cast<std::size_t>(kind)];
}

CoreWorkload read_core_workload(const Properties& properties) {
  CoreWorkload w;
  refuse_unknown(properties, w.notes);
  const Reader reader(properties);
  reader.choice("workload", "", {"site.ycsb.workloads.CoreWorkload", "com.yahoo.ycsb.workloads.CoreWorkload"},
                "only the core workload is supported");
  if (reader.real("scanproportion", 0, 1) > 0) {
    reader.fail("scanproportion",
                "scans are not supported: the map is indexed by key and has no order to scan; allowed: 0");
  }
  if (reader.real("insertstart", 0, 1e9) > 0) {
    reader.fail("insertstart", "the load phase always begins at record 0; allowed: 0");
  }
  reader.choice("dataintegrity", "false", {"false"},
                "values are 8 bytes and carry no check; every run is compared with the reference instead");
  w.record_count = reader.count("recordcount");
  w.operation_count = reader.count("operationcount");

  // YCSB's defaults: a file that says nothing of updates has 5 % of them.
  constexpr const char* kNames[kOpKinds] = {"readproportion", "updateproportion", "insertproportion",
                                            "readmodifywriteproportion"};
  constexpr double kDefaults[kOpKinds] = {0.95, 0.05, 0, 0};
  double sum = 0;
  for (std::size_t i = 0; i < kOpKinds; ++i) sum += w.proportion[i] = reader.real(kNames[i], kDefaults[i], 1);
  if (sum <= 0) {
    throw UserError(fmt::format("{}: all proportions are 0; one of {}, {}, {} or {} must be above 0", properties.name(),
                                kNames[0], kNames[1], kNames[2], kNames[3]));
  }
  if (std::abs(sum - 1) > 1e-9) {
    w.notes.push_back(fmt::format("{}: the proportions add up to {:.4g}; they are scaled to 1, as YCSB does",
                                  properties.name(), sum));
  }
  for (auto& p : w.proportion) p /= sum;

  const auto distribution = reader.choice("requestdistribution", "uniform", {"uniform", "zipfian", "latest"},
                                          "this request distribution is not supported");
  w.distribution = distribution == "uniform"   ? Distribution::kUniform
                   : distribution == "zipfian" ? Distribution::kZipfian
                                               : Distribution::kLatest;
  w.zipf_theta = reader.real("zipfianconstant", 0.99, 10);
  w.hashed_order = reader.choice("insertorder", "hashed", {"hashed", "ordered"}, "unknown order") == "hashed";
  return w;
}

}  // namespace caravan::workloads
