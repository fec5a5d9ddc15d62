// SPDX-License-Identifier: Apache-2.0
#include "testbenches/support/capture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "models/base/errors.hpp"
#include "models/packet/packet.hpp"
#include "models/packet/pcap.hpp"
#include "testbenches/support/capture_script.hpp"

namespace caravan::support {
namespace {

using Json = nlohmann::json;

void read_qps(Capture& capture, const Json& qp) {
  capture.qp_type = qp.value("qp_type", "rc");
  capture.pmtu = qp.value("mtu", 1024u);
  capture.timeout_exponent = qp.value("timeout", 14u);
  capture.retry_limit = qp.value("retry_cnt", 7u);
  capture.rnr_retry = qp.value("rnr_retry", 7u);
  capture.min_rnr_timer = qp.value("min_rnr_timer", 12u);
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
    if (p.ext.deth && step.from == Side::kA) {  // the JSON of datagrams says nothing of their sender
      capture.a.qpn = base::Qpn(p.ext.deth->src_qp);
      capture.a.first_psn = base::Psn(p.bth->psn);
    }
    (step.from == Side::kA ? capture.a : capture.b).udp_src_port = p.udp->src_port;
    if (std::ranges::find(changed, Json(step.index)) != changed.end())
      step.fate = capture.name == "corrupt_icrc" ? Fate::kCorrupted : Fate::kDropped;
    capture.steps.push_back(std::move(step));
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
    capture.b_atomic = capture.name != "nak_atomic_noaccess";
    read_qps(capture, json.at("qp"));
    read_steps(capture, stem + ".pcap", json.value("dropped_or_changed_frames", Json::array()));
    read_script(capture, json.at("script"));
  } catch (const Json::exception& e) { throw base::UserError(path + ": " + e.what()); }
  return capture;
}

Capture over_ipv4(Capture capture) {
  for (CaptureStep& step : capture.steps) {
    const auto p = packet::parse(step.frame);
    if (!p.ipv6) continue;
    packet::RoceFrame frame = packet::to_frame(p);
    const bool a = step.from == Side::kA;
    frame.ip = packet::Ipv4{.src = a ? capture.a.ip : capture.b.ip, .dst = a ? capture.b.ip : capture.a.ip};
    frame.udp.checksum = 0;
    step.frame = packet::build(frame, p.payload);
  }
  return capture;
}

}  // namespace caravan::support
