// SPDX-License-Identifier: Apache-2.0
#include "testbenches/support/capture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "models/base/errors.hpp"
#include "models/packet/packet.hpp"
#include "models/packet/pcap.hpp"

namespace caravan::support {
namespace {

using Json = nlohmann::json;

/// Words of one command of the script.
class Words {
 public:
  explicit Words(const std::string& text) {
    std::istringstream in(text);
    for (std::string word; in >> word;) words_.push_back(word);
  }
  std::string verb() const { return words_.empty() ? "" : words_[0]; }
  /// Argument i, decimal or 0x hexadecimal.
  std::uint64_t number(std::size_t i) const {
    if (i >= words_.size()) throw base::UserError(fmt::format("script command '{}' lacks argument {}", verb(), i));
    return std::stoull(words_[i], nullptr, 0);
  }

 private:
  std::vector<std::string> words_;
};

packet::Buffer fill_pattern(std::uint64_t length, std::uint64_t seed) {
  packet::Buffer bytes(length);
  for (std::uint64_t i = 0; i < length; ++i) bytes[i] = static_cast<std::uint8_t>(seed + 7 * i + (i >> 8));
  return bytes;
}

/// "success" out of "ok [wr=12 success op=1 len=0 ...]".
std::string completion_status(const std::string& answer, std::uint32_t wr_id) {
  const std::string start = fmt::format("[wr={} ", wr_id);
  const auto from = answer.find(start);
  if (from == std::string::npos) return {};
  const auto text = from + start.size();
  return answer.substr(text, answer.find(" op=", text) - text);
}

bool covers(const std::vector<CaptureMemory>& blocks, std::uint64_t va, std::uint64_t length) {
  return std::ranges::any_of(blocks, [&](const auto& m) { return m.va <= va && va + length <= m.va + m.bytes.size(); });
}

/// What the first frame of an unsegmented WRITE carried.
packet::Buffer payload_of(const Capture& capture, const CaptureWrite& write) {
  for (const auto& step : capture.steps) {
    const auto p = packet::parse(step.frame);
    if (step.from == Side::kA && p.ext.reth && p.ext.reth->va == write.remote_va && p.ext.reth->rkey == write.rkey &&
        p.payload.size() == write.length) {
      return {p.payload.begin(), p.payload.end()};
    }
  }
  throw base::UserError(
      fmt::format("{}: no frame carries the data of wr {}, and no fill made it", capture.name, write.wr_id));
}

void read_qps(Capture& capture, const Json& qp) {
  capture.qp_type = qp.value("qp_type", "rc");
  capture.pmtu = qp.value("mtu", 1024u);
  capture.timeout_exponent = qp.value("timeout", 14u);
  capture.retry_limit = qp.value("retry_cnt", 7u);
  const auto side = [&](const std::string& s) {
    CaptureQp end;
    end.qpn = base::Qpn(qp.value("qpn_" + s, 0u));
    end.first_psn = base::Psn(qp.value("psn_" + s, 0u));
    end.rkey = qp.value("rkey_" + s, 0u);
    end.va = qp.value("va_" + s, std::uint64_t{0x10000000});
    end.mac = {0x52, 0x54, 0, 0, 0, static_cast<std::uint8_t>(s == "a" ? 1 : 2)};
    end.ip = s == "a" ? 0x0A000001 : 0x0A000002;
    return end;
  };
  capture.a = side("a");
  capture.b = side("b");
}

void read_steps(Capture& capture, const std::string& path, const Json& changed) {
  for (auto& record : packet::read_pcap(path)) {
    CaptureStep step{.index = capture.steps.size(),
                     .from = Side::kA,
                     .fate = Fate::kDelivered,
                     .time = record.time,
                     .frame = std::move(record.bytes)};
    const auto p = packet::parse(step.frame);
    if (!p.eth || !p.udp) throw base::UserError(fmt::format("{}: record {}: not a UDP frame", path, step.index));
    step.from = p.eth->src == capture.a.mac ? Side::kA : Side::kB;
    (step.from == Side::kA ? capture.a : capture.b).udp_src_port = p.udp->src_port;
    if (std::ranges::find(changed, Json(step.index)) != changed.end())
      step.fate = capture.name == "corrupt_icrc" ? Fate::kCorrupted : Fate::kDropped;
    capture.steps.push_back(std::move(step));
  }
}

void read_script(Capture& capture, const Json& script) {
  for (const auto& line : script) {
    const auto who = line.at(0).get<std::string>(), answer = line.at(2).get<std::string>();
    const Words words(line.at(1).get<std::string>());
    if (who == "a" && words.verb() == "fill") {
      capture.a_memory.push_back({capture.a.va + words.number(1), fill_pattern(words.number(2), words.number(3))});
    } else if (who == "a" && words.verb() == "write") {
      CaptureWrite write{.wr_id = static_cast<std::uint32_t>(std::stoul(answer.substr(answer.find("wr=") + 3))),
                         .local_va = capture.a.va + words.number(1),
                         .remote_va = words.number(3),
                         .length = words.number(2),
                         .rkey = static_cast<std::uint32_t>(words.number(4)),
                         .status = {}};
      if (!covers(capture.a_memory, write.local_va, write.length))
        capture.a_memory.push_back({write.local_va, payload_of(capture, write)});
      capture.writes.push_back(write);
    } else if (who == "a" && words.verb() == "poll") {
      for (auto& write : capture.writes) {
        if (write.status.empty()) write.status = completion_status(answer, write.wr_id);
      }
    } else if (who == "check" && words.verb() == "sum") {
      const std::uint64_t va = capture.a.va + words.number(1), length = words.number(2);
      const auto block =
          std::ranges::find_if(capture.a_memory, [&](const auto& m) { return m.va == va && m.bytes.size() == length; });
      if (block == capture.a_memory.end()) continue;  // the data went the other way
      const auto hash = fmt::format("fnv={:016x}", packet::payload_hash(block->bytes));
      if (answer.find(hash) == std::string::npos)
        throw base::UserError(
            fmt::format("{}: the data at offset {} is not {}", capture.name, words.number(1), answer));
      capture.b_expected.push_back({capture.b.va + words.number(1), block->bytes});
    }
  }
}

}  // namespace

packet::Buffer CaptureStep::delivered() const {
  if (fate == Fate::kDropped) return {};
  packet::Buffer bytes = frame;
  if (fate == Fate::kCorrupted) bytes[bytes.size() / 2] ^= 1;
  return bytes;
}

Capture load_capture(const std::string& stem) {
  const std::string path = stem + ".json";
  std::ifstream in(path);
  if (!in) throw base::UserError(path + ": can't open the file for reading");
  Capture capture;
  try {
    const Json json = Json::parse(in);
    capture.name = json.at("name");
    capture.description = json.at("description");
    capture.b_writable = capture.name != "nak_write_readonly";
    read_qps(capture, json.at("qp"));
    read_steps(capture, stem + ".pcap", json.value("dropped_or_changed_frames", Json::array()));
    read_script(capture, json.at("script"));
  } catch (const Json::exception& e) { throw base::UserError(path + ": " + e.what()); }
  return capture;
}

}  // namespace caravan::support
