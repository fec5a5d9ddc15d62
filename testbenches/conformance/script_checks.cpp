// SPDX-License-Identifier: Apache-2.0
// Steps that look at what the endpoint did beside sending: completions, memory, counters.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "testbenches/conformance/script.hpp"

namespace caravan::conformance {
namespace {

std::string text_of(const ref::Completion& c) {
  return fmt::format("{{qp {} wr {} status {} original {:#x}}}", c.qpn.value(), c.wr_id, static_cast<int>(c.status),
                     c.original);
}

std::string text_of(const ref::ReceiveCompletion& c) {
  return fmt::format("{{qp {} wr {} status {} write {} solicited {} imm {} {:#x} length {} from {:#x} {}}}",
                     c.qpn.value(), c.wr_id, static_cast<int>(c.status), c.is_write, c.solicited, c.has_imm, c.imm,
                     c.length, c.src_qpn.value(), packet::to_text(c.src_ip));
}

template <typename T>
std::string text_of(const std::vector<T>& items) {
  std::vector<std::string> texts;
  for (const auto& item : items) texts.push_back(text_of(item));
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

}  // namespace

Step completes(const std::vector<Done>& done) {
  std::vector<ref::Completion> want;
  for (const Done& d : done) want.push_back({base::Qpn(d.qpn), d.wr_id, d.status, d.original});
  return {"completions", {}, [want](Run& run) -> std::string {
            const auto got = run.endpoint.take_completions();
            return got == want ? "" : fmt::format("expected {}, got {}", text_of(want), text_of(got));
          }};
}

Step receives(const std::vector<ref::ReceiveCompletion>& want) {
  return {"receive completions", {Need::kReceive}, [want](Run& run) -> std::string {
            const auto got = run.endpoint.take_received();
            return got == want ? "" : fmt::format("expected {}, got {}", text_of(want), text_of(got));
          }};
}

ref::ReceiveCompletion received(std::uint32_t wr_id, std::uint32_t length) {
  ref::ReceiveCompletion c;
  c.qpn = base::Qpn(1);
  c.wr_id = wr_id;
  c.length = length;
  c.src_ip = kPeerIp;
  return c;
}
ref::ReceiveCompletion received_imm(std::uint32_t wr_id, std::uint32_t length, std::uint32_t imm) {
  ref::ReceiveCompletion c = received(wr_id, length);
  c.has_imm = true;
  c.imm = imm;
  return c;
}
ref::ReceiveCompletion receive_failed(std::uint32_t wr_id, ref::CompletionStatus status) {
  ref::ReceiveCompletion c;
  c.qpn = base::Qpn(1);
  c.wr_id = wr_id;
  c.status = status;
  return c;
}

Step memory(std::uint64_t va, std::uint32_t seed, std::size_t bytes, std::uint64_t from) {
  return {fmt::format("memory at {:#x}", va), {}, [=](Run& run) -> std::string {
            const auto want = data(seed, from, bytes), got = run.endpoint.read_memory(va, bytes);
            const auto at = std::ranges::mismatch(want, got).in1;
            if (at == want.end()) return {};
            const auto i = static_cast<std::size_t>(at - want.begin());
            return fmt::format("byte {:#x}: expected {:#04x}, got {:#04x}", va + i, want[i], got[i]);
          }};
}

Step memory_u64(std::uint64_t va, std::uint64_t value) {
  return {fmt::format("word at {:#x}", va), {}, [=](Run& run) -> std::string {
            const auto bytes = run.endpoint.read_memory(va, 8);
            std::uint64_t got = 0;
            for (std::size_t i = 8; i-- > 0;) got = got << 8 | bytes[i];
            return got == value ? "" : fmt::format("expected {:#x}, got {:#x}", value, got);
          }};
}

Step untouched(std::uint64_t va, std::size_t bytes) {
  return {fmt::format("nothing at {:#x}", va), {}, [=](Run& run) -> std::string {
            const auto got = run.endpoint.read_memory(va, bytes);
            const auto at = std::ranges::find_if(got, [](std::uint8_t b) { return b != 0; });
            return at == got.end() ? "" : fmt::format("byte {:#x} is {:#04x}", va + (at - got.begin()), *at);
          }};
}

Step drops(Drop reason, std::uint64_t frames) {
  return {fmt::format("{} drops counted", frames), {}, [=](Run& run) -> std::string {
            const auto now = run.endpoint.dropped(reason);
            const auto got = now - std::exchange(run.drops[reason], now);
            return got == frames
                       ? ""
                       : fmt::format("{} expected for reason {}, {} counted", frames, static_cast<int>(reason), got);
          }};
}

Step takes_cnps(std::uint64_t count) {
  return {"CNPs counted", {Need::kCnp}, [=](Run& run) -> std::string {
            const auto now = run.endpoint.cnps();
            const auto got = now - std::exchange(run.cnps, now);
            return got == count ? "" : fmt::format("{} expected, {} counted", count, got);
          }};
}

}  // namespace caravan::conformance
