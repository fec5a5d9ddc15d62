// SPDX-License-Identifier: Apache-2.0
#include "testbenches/support/capture_script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "models/base/errors.hpp"
#include "models/packet/packet.hpp"

namespace caravan::support {
namespace {

using ref::Operation;

/// Words of one command of the script.
class Words {
 public:
  explicit Words(const std::string& text) {
    std::istringstream in(text);
    for (std::string word; in >> word;) words_.push_back(word);
  }
  std::string verb() const { return words_.empty() ? "" : words_[0]; }
  bool has(std::size_t i) const { return i < words_.size(); }
  std::string text(std::size_t i) const {
    if (!has(i)) throw base::UserError(fmt::format("script command '{}' lacks argument {}", verb(), i));
    return words_[i];
  }
  /// Argument i, decimal or 0x hexadecimal.
  std::uint64_t number(std::size_t i) const { return std::stoull(text(i), nullptr, 0); }

 private:
  std::vector<std::string> words_;
};

packet::Buffer fill_pattern(std::uint64_t length, std::uint64_t seed) {
  packet::Buffer bytes(length);
  for (std::uint64_t i = 0; i < length; ++i) bytes[i] = static_cast<std::uint8_t>(seed + 7 * i + (i >> 8));
  return bytes;
}

packet::Buffer from_hex(const std::string& hex) {
  packet::Buffer bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes.push_back(static_cast<std::uint8_t>(std::stoul(hex.substr(i, 2), nullptr, 16)));
  return bytes;
}

/// The text behind `key` up to the next space or bracket.
std::string value_of(const std::string& text, const std::string& key) {
  const auto at = text.find(key);
  if (at == std::string::npos) return {};
  return text.substr(at + key.size(), text.find_first_of(" ]", at + key.size()) - at - key.size());
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

/// What the frame of an unsegmented WRITE or SEND carried.
packet::Buffer payload_of(const Capture& capture, const ref::WorkRequest& request) {
  const auto action = request.op == Operation::kSend ? packet::Action::kSend : packet::Action::kWrite;
  for (const auto& step : capture.steps) {
    const auto p = packet::parse(step.frame);
    const bool same_place = !p.ext.reth || (p.ext.reth->va == request.remote_va && p.ext.reth->rkey == request.rkey);
    if (step.from == Side::kA && p.op != nullptr && p.op->action == action && same_place &&
        p.payload.size() == request.length)
      return {p.payload.begin(), p.payload.end()};
  }
  throw base::UserError(
      fmt::format("{}: no frame carries the data of wr {}, and no fill made it", capture.name, request.wr_id));
}

/// The work request of a command of A; nothing for a command that posts none.
std::optional<ref::WorkRequest> request_of(const Capture& capture, const Words& words) {
  const std::string verb = words.verb();
  ref::WorkRequest r;
  const auto place = [&](std::size_t va) {
    r.remote_va = words.number(va);
    r.rkey = static_cast<std::uint32_t>(words.number(va + 1));
  };
  const auto immediate = [&](std::size_t at) {
    r.has_imm = true;
    r.imm = static_cast<std::uint32_t>(words.number(at));
  };
  const bool atomic = verb == "faa" || verb == "cas";
  if (verb == "write" || verb == "writei" || verb == "read") {
    r.op = verb == "read" ? Operation::kRead : Operation::kWrite;
    place(3);
    if (verb == "writei") immediate(5);
  } else if (verb == "send" || verb == "sendi") {
    r.op = Operation::kSend;
    if (verb == "sendi") immediate(3);
    r.solicited = words.has(4) && words.text(4) == "s";
  } else if (verb == "udsend") {
    r.op = Operation::kSend;
    r.remote_va = words.number(4);
    r.rkey = static_cast<std::uint32_t>(words.number(5));
  } else if (atomic) {
    r.op = verb == "faa" ? Operation::kFetchAdd : Operation::kCompareSwap;
    place(2);
    r.swap_add = words.number(verb == "faa" ? 4 : 5);
    if (verb == "cas") r.compare = words.number(4);
  } else {
    return std::nullopt;
  }
  r.local_va = capture.a.va + words.number(1);
  r.length = atomic ? 8 : words.number(2);
  return r;
}

void post(Capture& capture, ref::WorkRequest request, const std::string& answer) {
  request.wr_id = static_cast<std::uint32_t>(std::stoul(answer.substr(answer.find("wr=") + 3)));
  const bool sends_data = request.op == Operation::kWrite || request.op == Operation::kSend;
  if (sends_data && !covers(capture.a_memory, request.local_va, request.length))
    capture.a_memory.push_back({request.local_va, payload_of(capture, request)});
  capture.verbs.push_back({request, {}});
  if (request.op == Operation::kWrite && !request.has_imm)
    capture.writes.push_back({request.wr_id, request.local_va, request.remote_va, request.length, request.rkey, {}});
}

void poll_a(Capture& capture, const std::string& answer) {
  for (auto& write : capture.writes) {
    if (write.status.empty()) write.status = completion_status(answer, write.wr_id);
  }
  for (auto& verb : capture.verbs) {
    if (verb.status.empty()) verb.status = completion_status(answer, verb.request.wr_id);
  }
}

void poll_b(Capture& capture, const std::string& answer) {
  if (answer.find("[wr=") == std::string::npos) return;
  CaptureReceived r;
  r.wr_id = static_cast<std::uint32_t>(std::stoul(value_of(answer, "[wr=")));
  r.status = completion_status(answer, r.wr_id);
  r.is_write = value_of(answer, " op=") == "129";
  r.has_imm = (std::stoul(value_of(answer, " f=")) & 2) != 0;
  r.imm = static_cast<std::uint32_t>(std::stoul(value_of(answer, " imm="), nullptr, 16));
  r.length = static_cast<std::uint32_t>(std::stoul(value_of(answer, " len=")));
  capture.received.push_back(r);
}

void sum(Capture& capture, const Words& words, const std::string& answer) {
  const std::uint64_t offset = words.number(1), length = words.number(2);
  const auto second = answer.find('|');
  const auto hash = [](const std::string& text) { return std::stoull(value_of(text, "fnv="), nullptr, 16); };
  capture.sums.push_back({offset, length, hash(answer), hash(answer.substr(second))});
  const auto block = std::ranges::find_if(
      capture.a_memory, [&](const auto& m) { return m.va == capture.a.va + offset && m.bytes.size() == length; });
  if (block == capture.a_memory.end()) return;  // the data went the other way
  if (packet::payload_hash(block->bytes) != capture.sums.back().hash_b)
    throw base::UserError(fmt::format("{}: the data at offset {} is not {}", capture.name, offset, answer));
  capture.b_expected.push_back({capture.b.va + offset, block->bytes});
}

}  // namespace

void read_script(Capture& capture, const nlohmann::json& script) {
  for (const auto& line : script) {
    const auto who = line.at(0).get<std::string>(), answer = line.at(2).get<std::string>();
    const Words words(line.at(1).get<std::string>());
    const std::string verb = words.verb();
    CaptureQp& end = who == "a" ? capture.a : capture.b;
    auto& memory = who == "a" ? capture.a_memory : capture.b_memory;
    if (verb == "fill") {
      memory.push_back({end.va + words.number(1), fill_pattern(words.number(2), words.number(3))});
    } else if (verb == "set") {
      memory.push_back({end.va + words.number(1), from_hex(words.text(2))});
    } else if (verb == "get") {  // the newest answer for a place is the one that lasts
      auto& expected = who == "a" ? capture.a_expected : capture.b_expected;
      const std::uint64_t va = end.va + words.number(1);
      std::erase_if(expected, [va](const auto& m) { return m.va == va; });
      expected.push_back({va, from_hex(answer.substr(answer.find(' ') + 1))});
    } else if (verb == "rts") {
      end.first_psn = base::Psn(static_cast<std::uint32_t>(words.number(1)));
    } else if (verb == "recv") {
      capture.receives.push_back(
          {.wr_id = static_cast<std::uint32_t>(std::stoul(answer.substr(answer.find("wr=") + 3))),
           .local_va = capture.b.va + words.number(1),
           .length = static_cast<std::uint32_t>(words.number(2))});
    } else if (verb == "poll") {
      who == "a" ? poll_a(capture, answer) : poll_b(capture, answer);
    } else if (verb == "sum") {
      sum(capture, words, answer);
    } else if (const auto request = request_of(capture, words)) {
      post(capture, *request, answer);
    }
  }
}

}  // namespace caravan::support
