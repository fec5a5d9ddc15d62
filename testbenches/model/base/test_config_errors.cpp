// SPDX-License-Identifier: Apache-2.0
// The text of every complaint about a configuration.
#include <catch2/catch_test_macros.hpp>

#include "models/base/config.hpp"

using namespace caravan::base;

namespace {

void read_all(Params& p) {
  auto cluster = p.in("cluster");
  const auto nodes = cluster.integer("nodes", 4, {2, 64}, "Nodes.");
  cluster.time("delay", Time::ns(100), {Time::ns(1), Time::us(10)}, "Delay.");
  cluster.frequency("clock", Frequency::mhz(250), {Frequency::mhz(100), Frequency::mhz(500)}, "Clock.");
  auto run = p.in("run");
  const auto threads = run.integer("threads", 1, {1, 256}, "Threads.");
  run.bytes_list("sizes", {Bytes(64)}, {Bytes(1), Bytes::kib(64)}, "Sizes.");
  run.text_list("notes", "Notes.");
  run.text("output", "out", "Folder.");
  run.boolean("trace", true, "Trace.");
  run.choice("skip", "on", {"on", "off", "verify"}, "Skip.");
  p.tables("fault", [](Params& f, bool) { f.real("probability", 1, {0, 1}, "How often."); });
  p.finish();
  if (threads > nodes) run.fail("threads", "more threads than nodes");
}

std::string complaint(const std::string& text, const std::vector<std::string>& sets = {}) {
  try {
    auto config = Config::from_text(text, "my.toml");
    for (const auto& set : sets) config.set(set);
    Params p(config);
    read_all(p);
  } catch (const UserError& error) { return error.what(); }
  return "accepted";
}

}  // namespace

TEST_CASE("wrong values name the place, the value and what is allowed", "[model][config][errors]") {
  CHECK(complaint("") == "accepted");
  CHECK(complaint("[cluster]\nnodes = 65") == "my.toml:2: cluster.nodes = 65: out of range; allowed: 2 .. 64");
  CHECK(complaint("[cluster]\nnodes = \"two\"") ==
        "my.toml:2: cluster.nodes = \"two\": wrong type, expected an integer; allowed: 2 .. 64");
  CHECK(complaint("[cluster]\nnodes = 2.5") ==
        "my.toml:2: cluster.nodes = 2.5: wrong type, expected an integer; allowed: 2 .. 64");
  CHECK(complaint("[cluster]\ndelay = 850") ==
        "my.toml:2: cluster.delay = 850: the unit is missing; write a time as \"850ns\" (units: ps, ns, us, ms, s); "
        "allowed: 1ns .. 10us");
  CHECK(complaint("[cluster]\ndelay = true") ==
        "my.toml:2: cluster.delay = true: wrong type, expected time with its unit, as text; allowed: 1ns .. 10us");
  CHECK(complaint("[cluster]\ndelay = \"1s\"") ==
        "my.toml:2: cluster.delay = \"1s\": out of range; allowed: 1ns .. 10us");
  CHECK(complaint("[cluster]\nclock = \"250 Mhz\"") ==
        "my.toml:2: cluster.clock = \"250 Mhz\": unknown unit 'Mhz'; a frequency has the units Hz, kHz, MHz, GHz; "
        "allowed: 100MHz .. 500MHz");
  CHECK(complaint("[run]\nskip = \"of\"") ==
        "my.toml:2: run.skip = \"of\": not one of: on, off, verify; did you mean \"on\"?");
  CHECK(complaint("[run]\nskip = 1") == "my.toml:2: run.skip = 1: wrong type, expected text; allowed: on, off, verify");
  CHECK(complaint("[run]\ntrace = \"yes\"") ==
        "my.toml:2: run.trace = \"yes\": wrong type, expected true or false; allowed: true, false");
  CHECK(complaint("[run]\noutput = 3") == "my.toml:2: run.output = 3: wrong type, expected text");
  CHECK(complaint("[run]\nnotes = \"x\"") == "my.toml:2: run.notes = \"x\": wrong type, expected a list of texts");
  CHECK(complaint("[run]\nsizes = []") ==
        "my.toml:2: run.sizes = []: wrong type, expected a list of sizes, such as [\"64B\", \"4KiB\"]; "
        "allowed: each 1B .. 64KiB");
  CHECK(complaint("[run]\nsizes = [\"64B\", 4]") ==
        "my.toml:2: run.sizes = [\"64B\", 4]: 4: the unit is missing; write a size as \"64KiB\" (units: B, KiB, MiB, "
        "GiB); "
        "allowed: each 1B .. 64KiB");
  CHECK(complaint("[run]\nsizes = [\"1MiB\"]") ==
        "my.toml:2: run.sizes = [\"1MiB\"]: out of range; allowed: each 1B .. 64KiB");
}

TEST_CASE("wrong keys name the nearest valid key", "[model][config][errors]") {
  CHECK(complaint("[cluster]\n\nnode = 4") ==
        "my.toml:3: unknown key 'cluster.node'; did you mean 'cluster.nodes'?; `caravan params` lists them all");
  CHECK(complaint("[clustr]\nnodes = 4") ==
        "my.toml:1: unknown key 'clustr'; did you mean 'cluster'?; `caravan params` lists them all");
  CHECK(complaint("quux_zork = 4") == "my.toml:1: unknown key 'quux_zork'; `caravan params` lists them all");
  CHECK(complaint("cluster = 4") == "my.toml:1: cluster = 4: expected a table; begin it with [cluster]");
  CHECK(complaint("[fault]\nprobability = 0.5") ==
        "my.toml:1: fault = {...}: expected a list of tables; begin each with [[fault]]");
  CHECK(complaint("fault = [1]") == "my.toml:1: fault = [1]: expected a list of tables; begin each with [[fault]]");
  CHECK(complaint("[[fault]]\nprobability = 0.5\n[[fault]]\nprobabilty = 1") ==
        "my.toml:4: unknown key 'fault[].probabilty'; did you mean 'fault[].probability'?; `caravan params` lists them "
        "all");
  CHECK(complaint("[[fault]]\nprobability = 1.5") ==
        "my.toml:2: fault.0.probability = 1.5: out of range; allowed: 0 .. 1");
  CHECK(complaint("[[fault]]\nprobability = nan") ==
        "my.toml:2: fault.0.probability = nan: out of range; allowed: 0 .. 1");
}

TEST_CASE("a file that is no TOML names the line", "[model][config][errors]") {
  CHECK(complaint("[cluster]\nnodes = \n").starts_with("my.toml:2: "));
  CHECK(complaint("[cluster]\nnodes = 1\nnodes = 2").starts_with("my.toml:3: "));
  CHECK_THROWS_AS(Config::from_file("/nowhere/x.toml"), UserError);
  CHECK_THROWS_AS(Config::from_file("/"), UserError);
}

TEST_CASE("overrides complain in the same words, with the command line as place", "[model][config][errors]") {
  CHECK(complaint("", {"cluster.nodes=8"}) == "accepted");
  CHECK(complaint("", {"cluster.nodes=1"}) ==
        "command line (--set cluster.nodes=1): cluster.nodes = 1: out of range; allowed: 2 .. 64");
  CHECK(complaint("", {"cluster.node=1"}) ==
        "command line (--set cluster.node=1): unknown key 'cluster.node'; did you mean 'cluster.nodes'?; "
        "`caravan params` lists them all");
  CHECK(complaint("", {"threads"}) == "command line (--set threads): expected key=value, such as --set run.threads=2");
  CHECK(complaint("", {"run..threads=1"}) ==
        "command line (--set run..threads=1): 'run..threads' is no key; a key is names joined by dots, such as "
        "run.threads");
  CHECK(complaint("[[fault]]\nprobability = 1", {"fault.1.probability=0.5"}) ==
        "command line (--set fault.1.probability=0.5): there is no element 1; the list has 1");
  CHECK(complaint("[[fault]]\nprobability = 1", {"fault.probability=0.5"}) ==
        "command line (--set fault.probability=0.5): name an element of the list, such as fault.0.probability");
  CHECK(complaint("[run]\ntrace = true", {"run.trace.x=1"}) ==
        "command line (--set run.trace.x=1): 'trace' holds no further keys");
  CHECK(complaint("", {"run.threads=8"}) ==
        "command line (--set run.threads=8): run.threads = 8: more threads than nodes");
}
