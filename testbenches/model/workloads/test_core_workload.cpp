// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>

#include "models/base/errors.hpp"
#include "workloads/ycsb/core_workload.hpp"

using namespace caravan::workloads;
using caravan::base::UserError;

namespace {
CoreWorkload read(const std::string& tail) {
  return read_core_workload(Properties::from_text("recordcount=100\noperationcount=10\n" + tail, "w"));
}
std::string complaint(const std::string& tail) {
  try {
    read(tail);
  } catch (const UserError& error) { return error.what(); }
  return "accepted";
}
}  // namespace

TEST_CASE("the workloads that ship are YCSB's", "[model][ycsb]") {
  struct {
    char letter;
    double read, update, insert, rmw;
    Distribution distribution;
  } const expected[] = {{'a', .5, .5, 0, 0, Distribution::kZipfian},
                        {'b', .95, .05, 0, 0, Distribution::kZipfian},
                        {'c', 1, 0, 0, 0, Distribution::kZipfian},
                        {'d', .95, 0, .05, 0, Distribution::kLatest},
                        {'f', .5, 0, 0, .5, Distribution::kZipfian}};
  for (const auto& e : expected) {
    const auto w = read_core_workload(
        Properties::from_file(std::string(CARAVAN_SOURCE_DIR "/workloads/ycsb/workload") + e.letter + ".properties"));
    CHECK(w.proportion == std::array<double, kOpKinds>{e.read, e.update, e.insert, e.rmw});
    CHECK(w.distribution == e.distribution);
    CHECK(w.record_count == 1000);
    CHECK(w.operation_count == 1000);
    CHECK(w.zipf_theta == 0.99);
    CHECK(w.hashed_order);
    CHECK(w.notes.empty());
  }
}

TEST_CASE("YCSB's defaults and scaling hold", "[model][ycsb]") {
  const auto w = read("");
  CHECK(w.proportion == std::array<double, kOpKinds>{.95, .05, 0, 0});
  CHECK(w.distribution == Distribution::kUniform);
  const auto scaled = read("readproportion=0.5\nupdateproportion=1\n");
  CHECK(scaled.proportion[0] == 0.5 / 1.5);
  CHECK(scaled.notes ==
        std::vector<std::string>{"w: the proportions add up to 1.5; they are scaled to 1, as YCSB does"});
  CHECK_FALSE(read("insertorder=ordered").hashed_order);
  CHECK(read("zipfianconstant=2\nrequestdistribution=zipfian").zipf_theta == 2);
}

TEST_CASE("what has no effect is accepted and noted", "[model][ycsb]") {
  const auto w = read(
      "workload=com.yahoo.ycsb.workloads.CoreWorkload\nfieldcount=10\nfieldlength=100\nscanproportion=0\n"
      "readallfields=true\ndataintegrity=false\ninsertstart=0\n");
  REQUIRE(w.notes.size() == 3);
  CHECK(w.notes[0] == "w:4: fieldcount has no effect: values are 8 bytes");
}

TEST_CASE("every complaint about a workload names place, value and what is allowed", "[model][ycsb][errors]") {
  CHECK(complaint("") == "accepted");
  CHECK(complaint("scanproportion=0.05") ==
        "w:3: scanproportion=0.05: scans are not supported: the map is indexed by key and has no order to scan; "
        "allowed: 0");
  CHECK(complaint("readpropotion=1") == "w:3: unknown property 'readpropotion'; did you mean 'readproportion'?");
  CHECK(complaint("xyzzy=1") == "w:3: unknown property 'xyzzy'");
  CHECK(complaint("recordcount=many") == "w:3: recordcount=many: expected an integer; allowed: 1 .. 1000000000");
  CHECK(complaint("recordcount=0") == "w:3: recordcount=0: out of range; allowed: 1 .. 1000000000");
  CHECK(complaint("operationcount=-5") == "w:3: operationcount=-5: out of range; allowed: 1 .. 1000000000");
  CHECK(complaint("operationcount=99999999999999999999") ==
        "w:3: operationcount=99999999999999999999: expected an integer; allowed: 1 .. 1000000000");
  CHECK(complaint("readproportion=1.5") == "w:3: readproportion=1.5: out of range; allowed: 0 .. 1");
  CHECK(complaint("readproportion=half") == "w:3: readproportion=half: expected a number; allowed: 0 .. 1");
  CHECK(complaint("readproportion=") == "w:3: readproportion=: expected a number; allowed: 0 .. 1");
  CHECK(complaint("readproportion=nan") == "w:3: readproportion=nan: expected a number; allowed: 0 .. 1");
  CHECK(complaint("readproportion=0\nupdateproportion=0") ==
        "w: all proportions are 0; one of readproportion, updateproportion, insertproportion or "
        "readmodifywriteproportion must be "
        "above 0");
  CHECK(complaint("requestdistribution=zipfan") ==
        "w:3: requestdistribution=zipfan: this request distribution is not supported; allowed: uniform, zipfian, "
        "latest; did you "
        "mean zipfian?");
  CHECK(complaint("requestdistribution=hotspot") ==
        "w:3: requestdistribution=hotspot: this request distribution is not supported; allowed: uniform, zipfian, "
        "latest");
  CHECK(complaint("zipfianconstant=-1") == "w:3: zipfianconstant=-1: out of range; allowed: 0 .. 10");
  CHECK(complaint("insertorder=random") == "w:3: insertorder=random: unknown order; allowed: hashed, ordered");
  CHECK(complaint("workload=site.ycsb.workloads.TimeSeriesWorkload") ==
        "w:3: workload=site.ycsb.workloads.TimeSeriesWorkload: only the core workload is supported; allowed: "
        "site.ycsb.workloads.CoreWorkload, com.yahoo.ycsb.workloads.CoreWorkload; did you mean "
        "site.ycsb.workloads.CoreWorkload?");
  CHECK(complaint("dataintegrity=true") ==
        "w:3: dataintegrity=true: values are 8 bytes and carry no check; every run is compared with the reference "
        "instead; allowed: "
        "false");
  CHECK(complaint("insertstart=5") == "w:3: insertstart=5: the load phase always begins at record 0; allowed: 0");
  try {
    read_core_workload(Properties::from_text("operationcount=1", "w"));
    FAIL("a missing record count was accepted");
  } catch (const UserError& error) {
    CHECK(std::string(error.what()) == "w: the property recordcount is missing; allowed: 1 .. 1000000000");
  }
}
