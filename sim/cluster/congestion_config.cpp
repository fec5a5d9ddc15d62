// SPDX-License-Identifier: Apache-2.0
#include "sim/cluster/congestion_config.hpp"

namespace caravan::sim {

using base::Bytes;
using base::Rate;
using base::Time;

namespace {

void read_dcqcn(base::Params& p, vl::CongestionConfig& c) {
  const base::Range<Rate> steps{Rate::bps(100'000), Rate::gbps(100)};
  const base::Range<Time> times{Time(), Time::ms(60)};
  c.ai_rate = p.rate("ai_rate", c.ai_rate, steps, "DCQCN: additive step of the target rate.");
  c.hai_rate = p.rate("hai_rate", c.hai_rate, steps, "DCQCN: hyper step of the target rate.");
  c.g_shift = static_cast<unsigned>(p.integer("g_shift", c.g_shift, {1, 15}, "DCQCN: g is 2 to the minus this."));
  c.fast_steps =
      static_cast<unsigned>(p.integer("fast_steps", c.fast_steps, {0, 14}, "DCQCN: steps of fast recovery (F)."));
  c.byte_counter = p.bytes("byte_counter", c.byte_counter, {Bytes(0), Bytes(1u << 30)},
                           "DCQCN: bytes sent between increases; 0B: only the timer counts.");
  c.alpha_time = p.time("alpha_time", c.alpha_time, times, "DCQCN: time without a CNP after which alpha falls.");
  c.timer = p.time("timer", c.timer, times, "DCQCN: time between increases; 0ns: only the byte counter counts.");
  c.cut_time = p.time("cut_time", c.cut_time, times, "DCQCN: at most one decrease in this time.");
  c.cnp_interval = p.time("cnp_interval", c.cnp_interval, times, "At most one CNP a queue pair in this time.");
}

void read_timely(base::Params& p, vl::CongestionConfig& c) {
  const base::Range<Time> times{Time::ns(100), Time::ms(60)};
  c.add_rate = p.rate("add_rate", c.add_rate, {Rate::bps(100'000), Rate::gbps(100)}, "TIMELY: additive step.");
  c.t_low = p.time("t_low", c.t_low, times, "TIMELY: round-trip time below which the rate only rises.");
  c.t_high = p.time("t_high", c.t_high, times, "TIMELY: round-trip time above which the rate only falls.");
  c.min_rtt = p.time("min_rtt", c.min_rtt, times, "TIMELY: round-trip time of an idle network.");
  c.ewma = p.real("ewma", c.ewma, {0.001, 0.999}, "TIMELY: weight of the newest difference of round-trip times.");
  c.beta = p.real("beta", c.beta, {0.001, 0.999}, "TIMELY: strength of decreases.");
  c.hai_thresh = static_cast<unsigned>(p.integer(
      "hai_thresh", c.hai_thresh, {1, 15}, "TIMELY: falling samples in a row before steps are five times as large."));
  c.patched =
      p.boolean("patched", c.patched, "TIMELY: judge the gradient as patched TIMELY does, which has one fixed point.");
  if (c.t_high < c.t_low) p.fail("t_high", "must not be below congestion.t_low");
}

}  // namespace

CongestionSettings read_congestion(base::Params p) {
  CongestionSettings s;
  const auto control =
      p.choice("control", "none", {"none", "dcqcn", "timely"}, "What governs the rate of each queue pair.");
  s.control = control == "dcqcn"    ? vl::Congestion::kDcqcn
              : control == "timely" ? vl::Congestion::kTimely
                                    : vl::Congestion::kNone;
  s.registers.min_rate = p.rate("min_rate", s.registers.min_rate, {Rate::bps(1'000'000), Rate::gbps(100)},
                                "Rate below which no queue pair falls.");
  read_dcqcn(p, s.registers);
  read_timely(p, s.registers);
  return s;
}

timing::PfcConfig read_pfc(base::Params p) {
  timing::PfcConfig pfc;
  pfc.enabled = p.boolean("enabled", false,
                          "Priority flow control (802.1Qbb): the switch pauses senders and obeys pause frames.");
  const auto lossless = p.integer("priorities", 1, {0, 255}, "Priorities that are lossless, one bit each.");
  pfc.lossless = static_cast<std::uint8_t>(lossless);
  pfc.priority_of = timing::PfcConfig::class_selectors();  // priority = upper three bits of the DSCP
  pfc.xoff = p.bytes("xoff", Bytes(100'000), {Bytes(1'000), Bytes::mib(64)},
                     "Bytes of one priority from one port above which its sender is paused.");
  pfc.xon = p.bytes("xon", Bytes(50'000), {Bytes(0), Bytes::mib(64)}, "Bytes down to which it stays paused.");
  pfc.headroom = p.bytes("headroom", Bytes(60'000), {Bytes(0), Bytes::mib(64)},
                         "Bytes above xoff for what is on its way when the pause is sent; more is dropped.");
  pfc.quanta = static_cast<std::uint16_t>(p.integer(
      "quanta", 0xFFFF, {16, 0xFFFF}, "Time of a pause in units of 512 bit times; it is renewed at half of it."));
  if (pfc.xon > pfc.xoff) p.fail("xon", "must not be above pfc.xoff");
  return pfc;
}

}  // namespace caravan::sim
