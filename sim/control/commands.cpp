// SPDX-License-Identifier: Apache-2.0
#include "sim/control/commands.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/base/errors.hpp"
#include "models/base/text.hpp"
#include "sim/control/request_words.hpp"

namespace caravan::sim {
namespace {

constexpr std::uint64_t kLongestGet = 1 << 20;
constexpr std::uint64_t kLongestFill = 1ull << 28;
constexpr std::uint32_t kMax24 = 0xFFFFFF;

unsigned verbs_number(vl::QpState state) {  // ibv_qp_state
  return state == vl::QpState::kErr ? 6 : static_cast<unsigned>(state);
}

std::vector<std::uint8_t> from_hex(const std::string& text) {
  std::vector<std::uint8_t> bytes;
  const auto digit = [&](char c) -> unsigned {
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
    if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
    throw base::UserError(fmt::format("HEX: '{}' is no hexadecimal digit", c));
  };
  if (text.size() % 2 != 0) throw base::UserError("HEX has an odd number of digits");
  for (std::size_t i = 0; i < text.size(); i += 2)
    bytes.push_back(static_cast<std::uint8_t>(digit(text[i]) << 4 | digit(text[i + 1])));
  return bytes;
}

}  // namespace

const std::vector<Commands::Command>& Commands::table() {
  static const std::vector<Command> known = {
      {"node", "N                              the node that the commands after this are for (at first 0)", 1, 1,
       &Commands::select},
      {"open", "[GIDIDX]                       the node's name, address and MAC", 0, 1, &Commands::open},
      {"mr", "VA SIZE [ro|noatomic]            the region, in place of the one before; VA bits 63:60: 0 HBM, 8 host", 2,
       3, &Commands::mr},
      {"qp", "rc DEPTH [QPN]                   a queue pair, then the current one; DEPTH has no meaning here", 1, 3,
       &Commands::qp},
      {"use", "QPN                             another queue pair becomes the current one", 1, 1, &Commands::use},
      {"rtr", "MTU RQPN RPSN DGID RNRTIMER [RDATOM]", 5, 6, &Commands::rtr},
      {"rts", "LPSN TIMEOUT RETRY RNRRETRY [RDATOM]", 4, 5, &Commands::rts},
      {"err", "                                the queue pair to ERR", 0, 0, &Commands::change_state},
      {"reset", "                              the queue pair to RESET", 0, 0, &Commands::change_state},
      {"state", "                              as libibverbs numbers it: 3 is RTS, 6 is ERR", 0, 0, &Commands::state},
      {"recv", "OFF LEN                        a buffer for a SEND of the peer", 2, 2, &Commands::recv},
      {"write", "OFF LEN RVA RKEY              flags may follow any request: s solicited, n success is not reported", 4,
       4, &Commands::request},
      {"writei", "OFF LEN RVA RKEY IMM", 5, 5, &Commands::request},
      {"read", "OFF LEN RVA RKEY", 4, 4, &Commands::request},
      {"send", "OFF LEN", 2, 2, &Commands::request},
      {"sendi", "OFF LEN IMM", 3, 3, &Commands::request},
      {"faa", "OFF RVA RKEY ADD", 4, 4, &Commands::request},
      {"cas", "OFF RVA RKEY CMP SWAP", 5, 5, &Commands::request},
      {"poll", "N TIMEOUT_MS                   waits for N completions, or for so long", 2, 2, &Commands::poll},
      {"fill", "OFF LEN SEED                   byte i = SEED + 7 i + i / 256", 3, 3, &Commands::fill},
      {"set", "OFF HEX", 2, 2, &Commands::set},
      {"get", "OFF LEN", 2, 2, &Commands::get},
      {"sum", "OFF LEN                         FNV-1a, 64 bits", 2, 2, &Commands::sum},
      {"fault",
       "KEY=VALUE ... | clear         one rule of the switch, as a [[fault]] of a configuration, in place of all "
       "before",
       1, 99, &Commands::fault},
      {"stats", "[WORD]                        counters whose name has WORD in it; none that is 0", 0, 1,
       &Commands::stats},
      {"time", "                               simulated time in ps", 0, 0, &Commands::time},
      {"help", "", 0, 0, &Commands::help},
      {"quit", "                               ends the bridge", 0, 0, &Commands::quit},
  };
  return known;
}

Commands::Commands(std::vector<NodeSession*> nodes, ClusterHooks hooks)
    : nodes_(std::move(nodes)), hooks_(std::move(hooks)) {
  BUG_IF(nodes_.empty(), "a control channel without nodes");
}

std::string Commands::help() {
  std::string text;
  for (const auto& command : table()) text += fmt::format("{} {}\n", command.word, base::trim(command.usage));
  return text;
}

std::optional<std::string> Commands::execute(const std::string& line, Clock::time_point now) {
  now_ = now;
  std::string answer = run(line);
  if (poll_) return tick(now);
  return answer;
}

std::string Commands::run(const std::string& line) {
  Arguments a(line);
  if (a.empty()) return "err empty line";
  const auto found = std::find_if(table().begin(), table().end(), [&](const Command& c) { return c.word == a.word(); });
  if (found == table().end()) {
    std::vector<std::string> words;
    for (const auto& command : table()) words.emplace_back(command.word);
    const auto near = base::nearest(a.word(), words);
    return fmt::format("err unknown command '{}'{}", a.word(), near ? fmt::format("; did you mean '{}'?", *near) : "");
  }
  Arguments plain = a;
  const std::string flags = plain.take_flags("sfn");
  const std::size_t given = found->most < a.count() ? plain.count() : a.count();
  if (given < found->least || given > found->most)
    return fmt::format("err {}: usage: {} {}", a.word(), found->word, base::trim(found->usage));
  try {
    return (this->*found->run)(a);
  } catch (const base::UserError& error) { return fmt::format("err {}: {}", a.word(), error.what()); }
}

std::optional<std::string> Commands::tick(Clock::time_point now) {
  if (!poll_ || (node().verbs().completed() < poll_->wanted && now < poll_->end)) return std::nullopt;
  return poll_answer(now);
}

Commands::Clock::time_point Commands::deadline() const { return poll_ ? poll_->end : Clock::time_point::max(); }

std::string Commands::poll_answer(Clock::time_point now) {
  std::string answer = "ok";
  const auto taken = node().verbs().take(poll_->wanted);
  for (const auto& c : taken) {
    answer += fmt::format(" [wr={} {} op={} len={} imm={:x} f={}]", c.wr, status_text(c.status), c.wc_opcode, c.length,
                          c.immediate.value_or(0), c.immediate ? 2 : 0);  // 2: IBV_WC_WITH_IMM
  }
  const double ms = std::chrono::duration<double, std::milli>(now - poll_->start).count();
  answer += fmt::format(" n={} ms={:.1f}", taken.size(), ms);
  poll_.reset();
  return answer;
}

std::string Commands::select(Arguments& a) {
  selected_ = a.number(0, "N", nodes_.size() - 1);
  return fmt::format("ok node={}", selected_);
}

std::string Commands::open(Arguments&) {
  const auto& station = node().station();
  return fmt::format("ok dev=rtl{} gid=::ffff:{} mac={:012x}", selected_, packet::to_text(station.ip), station.mac);
}

std::string Commands::mr(Arguments& a) {
  RegionAccess access;
  if (a.count() > 2) {
    if (a.text(2) != "ro" && a.text(2) != "noatomic")
      throw base::UserError(fmt::format("'{}' is not one of ro, noatomic", a.text(2)));
    access.write = a.text(2) != "ro";
    access.atomic = false;
  }
  const auto va = a.number(0, "VA");
  const auto rkey = node().make_region(va, a.number(1, "SIZE"), access);
  return fmt::format("ok va={:#x} lkey={:#x} rkey={:#x}", va, rkey, rkey);
}

std::string Commands::qp(Arguments& a) {
  if (a.text(0) != "rc") throw base::UserError(fmt::format("service '{}' is not one of rc", a.text(0)));
  const auto qpn = static_cast<std::uint32_t>(a.number_or(2, "QPN", 0, kMax24));
  return fmt::format("ok qpn={:#x}", node().make_qp(qpn));
}

std::string Commands::use(Arguments& a) {
  node().use_qp(a.number32(0, "QPN", kMax24));
  return fmt::format("ok qpn={:#x}", node().current_qp());
}

std::string Commands::rtr(Arguments& a) {
  RtrAttributes attributes;
  attributes.pmtu = base::Bytes(a.number(0, "MTU", 4096));
  attributes.dest_qpn = base::Qpn(a.number32(1, "RQPN", kMax24));
  attributes.rq_psn = base::Psn(a.number32(2, "RPSN", kMax24));
  attributes.ip = a.address(3, "DGID");
  attributes.min_rnr = a.number32(4, "RNRTIMER", 31);
  node().to_rtr(attributes);
  return "ok rtr";
}

std::string Commands::rts(Arguments& a) {
  RtsAttributes attributes;
  attributes.sq_psn = base::Psn(a.number32(0, "LPSN", kMax24));
  attributes.timeout = a.number32(1, "TIMEOUT", 31);
  attributes.retry = a.number32(2, "RETRY", 7);
  attributes.rnr_retry = a.number32(3, "RNRRETRY", 7);
  node().to_rts(attributes);
  return "ok rts";
}

std::string Commands::change_state(Arguments& a) {
  node().to_state(a.word() == "err" ? vl::QpState::kErr : vl::QpState::kReset);
  return "ok " + a.word();
}

std::string Commands::state(Arguments&) {
  const auto& config = node().config();
  return fmt::format("ok state={} sq_psn={:#x} rq_psn={:#x} timeout={}", verbs_number(node().state()),
                     config.sq_psn.value(), config.rq_psn.value(), config.timeout);
}

std::string Commands::recv(Arguments& a) {
  return fmt::format("ok wr={}", node().post_receive(a.number(0, "OFF"), a.number32(1, "LEN")));
}

std::string Commands::request(Arguments& a) {
  const auto [verb, offset] = read_request(a);
  return fmt::format("ok wr={}", node().post(verb, offset));
}

std::string Commands::poll(Arguments& a) {
  const auto wanted = static_cast<std::size_t>(a.number(0, "N", 1'000'000));
  const auto limit = std::chrono::milliseconds(a.number(1, "TIMEOUT_MS", 86'400'000));
  poll_ = Poll{wanted, now_, now_ + limit};
  return {};
}

std::string Commands::fill(Arguments& a) {
  const auto count = a.number(1, "LEN", kLongestFill);
  const auto seed = a.number(2, "SEED");
  std::vector<std::uint8_t> bytes(count);
  for (std::uint64_t i = 0; i < count; ++i) bytes[i] = static_cast<std::uint8_t>(seed + i * 7 + (i >> 8));
  node().write_memory(a.number(0, "OFF"), bytes);
  return "ok filled";
}

std::string Commands::set(Arguments& a) {
  node().write_memory(a.number(0, "OFF"), from_hex(a.text(1)));
  return "ok set";
}

std::string Commands::get(Arguments& a) {
  std::string answer = "ok ";
  for (const auto byte : node().read_memory(a.number(0, "OFF"), a.number(1, "LEN", kLongestGet)))
    answer += fmt::format("{:02x}", byte);
  return answer;
}

std::string Commands::sum(Arguments& a) {
  std::uint64_t hash = 14695981039346656037ull;
  for (const auto byte : node().read_memory(a.number(0, "OFF"), a.number(1, "LEN", kLongestFill)))
    hash = (hash ^ byte) * 1099511628211ull;
  return fmt::format("ok fnv={:016x}", hash);
}

std::string Commands::fault(Arguments& a) {
  std::string toml;
  if (a.rest(0) != "clear") {
    toml = "[[fault]]\n";
    for (std::size_t i = 0; i < a.count(); ++i) {
      const auto equals = a.text(i).find('=');
      if (equals == std::string::npos || equals == 0)
        throw base::UserError(fmt::format("'{}' is not KEY=VALUE", a.text(i)));
      const auto value = a.text(i).substr(equals + 1);
      const bool bare = base::parse_real(value) || base::parse_integer(value) || value == "true" || value == "false";
      toml += a.text(i).substr(0, equals) + " = " + (bare ? value : base::quote(value)) + "\n";
    }
  }
  hooks_.set_faults(toml);
  return "ok fault";
}

std::string Commands::stats(Arguments& a) {
  std::string answer = "ok";
  const std::string word = a.count() > 0 ? a.text(0) : "";
  for (const auto& value : hooks_.statistics()) {
    if (value.value != 0 && value.path.find(word) != std::string::npos)
      answer += fmt::format(" {}={}", value.path, value.value);
  }
  return answer;
}

std::string Commands::time(Arguments&) { return fmt::format("ok ps={}", hooks_.now().in_ps()); }

std::string Commands::help(Arguments&) {
  std::string words;
  for (const auto& command : table()) words += fmt::format(" {}", command.word);
  return "ok" + words;
}

std::string Commands::quit(Arguments&) {
  quit_ = true;
  return "ok bye";
}

}  // namespace caravan::sim
