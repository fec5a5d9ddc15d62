// SPDX-License-Identifier: Apache-2.0
// The one trace format: a line `time node port kind fields...` per record (docs/trace_format.md). Listeners write,
// hash or compare what they are given.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <iosfwd>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/base/fingerprint.hpp"
#include "models/base/units.hpp"

namespace caravan::base {

/// One event at a port of a node. `fields` is `name=value` joined by single blanks and holds no absolute time, so that
/// a functional comparison can ignore times.
struct TraceRecord {
  Time time;
  std::uint32_t node = 0;
  std::string port;  ///< mac_rx, mac_tx, client ...: lower case, no blank
  std::string kind;
  std::string fields;
  bool operator==(const TraceRecord&) const = default;
};

/// The record's line, without the line end: picoseconds, node, port, kind, fields.
std::string to_text(const TraceRecord& record);
/// Throws UserError (`place: what is wrong`) for a line that is no record.
TraceRecord parse_trace_line(std::string_view line, const std::string& place);

/// Takes records in their order: (time, node, port), then as they happened.
class TraceListener {
 public:
  virtual ~TraceListener() = default;
  virtual void record(const TraceRecord& record) = 0;
  /// No further record comes.
  virtual void end() {}
};

/// Writes a header line and one line per record.
class TraceWriter final : public TraceListener {
 public:
  explicit TraceWriter(std::ostream& out);
  void record(const TraceRecord& record) override;
  void end() override;

 private:
  std::ostream& out_;
};

/// Hash over all records; the same for equal traces.
class TraceHash final : public TraceListener {
 public:
  void record(const TraceRecord& record) override;
  std::uint64_t value() const { return hash_.value(); }

 private:
  Fingerprint hash_;
};

/// Reads a trace written by TraceWriter. Throws UserError (file:line) for a bad header or line.
class TraceReader {
 public:
  TraceReader(std::istream& in, std::string name);
  std::optional<TraceRecord> next();
  std::size_t line() const { return line_; }

 private:
  std::istream& in_;
  std::string name_;
  std::size_t line_ = 0;
};

enum class Strictness {
  kCycleExact,  ///< same records with the same times in the same order
  kFunctional,  ///< same kinds and fields in the same order per node and port; times ignored
};

/// Where two traces part for the first time.
struct Divergence {
  std::optional<TraceRecord> expected;  ///< nullopt: the expected trace had already ended
  std::optional<TraceRecord> actual;    ///< nullopt: the actual trace ended early
  std::vector<TraceRecord> before;      ///< the last records that were equal, at most five, oldest first
};

/// Compares what it is given with an expected trace; keeps the first divergence only.
class TraceCompare final : public TraceListener {
 public:
  /// `expected` gives the records of the expected trace one by one, nullopt at its end.
  TraceCompare(std::function<std::optional<TraceRecord>()> expected, Strictness strictness);
  void record(const TraceRecord& record) override;
  void end() override;
  /// After end(), or as soon as it is known.
  const std::optional<Divergence>& divergence() const { return divergence_; }
  std::size_t compared() const { return compared_; }

 private:
  using PortKey = std::pair<std::uint32_t, std::string>;
  std::optional<TraceRecord> expected_on(const PortKey& port);
  void matched(const TraceRecord& record);
  void diverge(std::optional<TraceRecord> expected, std::optional<TraceRecord> actual);

  std::function<std::optional<TraceRecord>()> expected_;
  Strictness strictness_;
  std::map<PortKey, std::deque<TraceRecord>> waiting_;  ///< functional: read ahead, not yet compared
  std::deque<TraceRecord> before_;
  std::optional<Divergence> divergence_;
  std::size_t compared_ = 0;
};

/// First divergence of two recorded traces; nullopt when they are equal.
std::optional<Divergence> compare_traces(TraceReader& expected, TraceReader& actual, Strictness strictness);

}  // namespace caravan::base
