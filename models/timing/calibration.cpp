// SPDX-License-Identifier: Apache-2.0
#include "models/timing/calibration.hpp"

namespace caravan::timing {
namespace {

using base::Bytes;
using base::Frequency;
using base::Range;
using base::Rate;
using base::Time;

template <class T>
struct Row {
  std::string_view name;
  T def;
  Range<T> range;
  std::string_view sentence, source, uncertainty;
};

constexpr Range<Time> kDelay{Time(), Time::us(100)};
constexpr Range<Rate> kRate{Rate::bps(1'000'000'000), Rate::gbps(1600)};

// The table. `apply` is called once per row, in the order in which it is printed.
template <class Apply, class C>
void for_each_row(Apply&& apply, C& c) {
  apply(Row<Frequency>{"clock",
                       Frequency::mhz(250),
                       {Frequency::mhz(50), Frequency::mhz(500)},
                       "clock of the node's logic",
                       "BALBOA blog: 250 MHz; Tiara: 200 MHz; SafarDB states none, its 17/24 ns bins fit 286..298 MHz",
                       "200..300 MHz"},
        c.clock);
  apply(Row<Rate>{"line_rate", Rate::gbps(100), kRate, "Ethernet line rate of every port", "100GBASE-R", "exact"},
        c.line_rate);
  apply(Row<Time>{"mac_tx", Time::ns(78), kDelay, "MAC transmit: last beat's edge to first preamble bit",
                  "fitted: SafarDB Table D.1, register write 285 ns one way = our logic, 13 cycles to send and 10 to "
                  "receive at "
                  "250 MHz, + 2 beats + 150 bytes at 100 Gb/s + mac_tx + wire + mac_rx",
                  "only the sum mac_tx + wire + mac_rx = 173 ns is observable; the split is assumed"},
        c.mac_tx);
  apply(Row<Time>{"mac_rx", Time::ns(85), kDelay, "MAC receive: last bit of a beat to the beat", "fitted with mac_tx",
                  "see mac_tx"},
        c.mac_rx);
  apply(Row<Time>{"wire", Time::ns(10), kDelay, "one cable: propagation from port to port",
                  "2 m at 5 ns/m; fitted with mac_tx", "5..25 ns (1 to 5 m)"},
        c.wire);
  apply(Row<Bytes>{"mac_tx_fifo",
                   Bytes::kib(16),
                   {Bytes::kib(2), Bytes::mib(1)},
                   "packet FIFO in front of the transmit MAC",
                   "design choice: one 9 KiB frame is sent while the next is stored",
                   "exact for our RTL"},
        c.mac_tx_fifo);
  apply(Row<Bytes>{"mac_max_frame",
                   Bytes(9216),
                   {Bytes(1518), Bytes(16384)},
                   "longest frame without FCS; longer ones are dropped",
                   "common jumbo limit",
                   "vendors: 9000..9600 bytes"},
        c.mac_max_frame);
  apply(
      Row<Time>{
          "switch_latency", Time::ns(300), kDelay,
          "switch: first bit in to first bit out, port idle (cut-through; store-and-forward adds the frame's time)",
          "common knowledge: 300..450 ns for a 100 GbE cut-through switch; SafarDB Table D.1 leaves no room for one: "
          "use a direct link for it",
          "300..450 ns"},
      c.switch_latency);
  apply(Row<Bytes>{"switch_buffer",
                   Bytes::mib(16),
                   {Bytes::kib(16), Bytes::mib(1024)},
                   "switch: packet buffer shared by all ports",
                   "typical 32 x 100 GbE switch silicon",
                   "12..42 MiB"},
        c.switch_buffer);
  apply(Row<double>{"switch_alpha",
                    1.0,
                    {0.01, 64.0},
                    "switch: a port may queue alpha times the free buffer (Choudhury and Hahne 1998)",
                    "common default",
                    "0.5..8"},
        c.switch_alpha);
  apply(Row<Bytes>{"ecn_kmin",
                   Bytes(400'000),
                   {Bytes(0), Bytes::mib(1024)},
                   "switch: queue below which no frame is marked",
                   "HPCC ns-3 configuration at 100 Gb/s (100 KB per 25 Gb/s)",
                   "DCQCN paper at 40 Gb/s: 5..40 KB"},
        c.ecn_kmin);
  apply(Row<Bytes>{"ecn_kmax",
                   Bytes(1'600'000),
                   {Bytes(0), Bytes::mib(1024)},
                   "switch: queue from which every frame is marked",
                   "HPCC ns-3 configuration at 100 Gb/s (400 KB per 25 Gb/s)",
                   "DCQCN paper at 40 Gb/s: 200..1000 KB"},
        c.ecn_kmax);
  apply(Row<double>{"ecn_pmax",
                    0.2,
                    {0.0, 1.0},
                    "switch: marking probability just below ecn_kmax",
                    "HPCC ns-3 configuration",
                    "0.01..1"},
        c.ecn_pmax);
  apply(Row<Time>{"hbm_read", Time::ns(128), kDelay, "HBM: read address to first beat",
                  "SafarDB Table D.1 bounds: 104..200 ns", "104..200 ns"},
        c.hbm_read);
  apply(Row<Time>{"hbm_write", Time::ns(104), kDelay, "HBM: last write beat to response",
                  "SafarDB Table D.1: HBM 413 ns less BRAM 309 ns", "+-4 ns (one cycle)"},
        c.hbm_write);
  apply(Row<Rate>{"hbm_rate", Rate::gbps(128), kRate, "HBM: each direction of the node's port",
                  "512 bits at 250 MHz; the stacks behind it give 460 GB/s", "exact for the port"},
        c.hbm_rate);
  apply(Row<Time>{"pcie_read", Time::ns(750), kDelay, "PCIe: host memory read, address to first beat",
                  "Tiara section 4: 150 cycles at 200 MHz", "0.75..0.9 us"},
        c.pcie_read);
  apply(Row<Time>{"pcie_write", Time::ns(325), kDelay, "PCIe: host memory write, beat to where the CPU sees it",
                  "fitted with host_post; a posted write goes one way, about half of pcie_read", "0.3..0.75 us"},
        c.pcie_write);
  apply(Row<Time>{"pcie_accept", Time::ns(20), kDelay, "PCIe: host memory write, last beat to response",
                  "assumed: a write is posted, the bridge answers once it is queued in order", "10..100 ns"},
        c.pcie_accept);
  apply(
      Row<Rate>{"pcie_rate", Rate::gbps(96), kRate, "PCIe: each direction", "Tiara: 12 GB/s, Gen3 x16", "12..13 GB/s"},
      c.pcie_rate);
  apply(Row<std::int64_t>{"pcie_outstanding",
                          64,
                          {1, 1024},
                          "PCIe: reads (and writes) in flight",
                          "common knowledge: 32..256 tags of a Gen3 endpoint; 9 KB cover 12 GB/s x 0.75 us",
                          "32..256"},
        c.pcie_outstanding);
  apply(Row<Time>{"host_post", Time::ns(20), kDelay, "host CPU: to write one work request and its doorbell",
                  "fitted: with host_mmio_write, host_poll and pcie_write, a READ of 64 bytes, pushed, takes 2.5 us "
                  "through the switch "
                  "(and so 1.9 us over a cable, Tiara's figure for DAC)",
                  "only the sum of the four is observable; the split is assumed"},
        c.host_post);
  apply(Row<Time>{"host_mmio_write", Time::ns(70), kDelay, "host CPU: posted register write, store to register",
                  "fitted with host_post", "see host_post"},
        c.host_mmio_write);
  apply(Row<Time>{"host_poll", Time::ns(20), kDelay, "host CPU: one turn of a polling loop, and to take what it finds",
                  "fitted with host_post", "see host_post"},
        c.host_poll);
  apply(Row<Time>{"host_mmio_read", Time::ns(750), kDelay, "host CPU: register read, load to value",
                  "assumed: as pcie_read, the same way in the other direction", "0.5..1 us"},
        c.host_mmio_read);
  apply(Row<Time>{"host_interrupt", Time::us(3), kDelay, "host CPU: completion event to the program that waits for it",
                  "common knowledge: interrupt, scheduler and system call, 2..5 us on Linux", "2..10 us"},
        c.host_interrupt);
}

Frequency read(base::Params& p, const Row<Frequency>& r) { return p.frequency(r.name, r.def, r.range, r.sentence); }
Rate read(base::Params& p, const Row<Rate>& r) { return p.rate(r.name, r.def, r.range, r.sentence); }
Time read(base::Params& p, const Row<Time>& r) { return p.time(r.name, r.def, r.range, r.sentence); }
Bytes read(base::Params& p, const Row<Bytes>& r) { return p.bytes(r.name, r.def, r.range, r.sentence); }
std::int64_t read(base::Params& p, const Row<std::int64_t>& r) { return p.integer(r.name, r.def, r.range, r.sentence); }
double read(base::Params& p, const Row<double>& r) { return p.real(r.name, r.def, r.range, r.sentence); }

}  // namespace

Calibration::Calibration() {
  for_each_row([](const auto& row, auto& field) { field = row.def; }, *this);
}

Calibration Calibration::from(base::Params& params) {
  Calibration c;
  base::Params timing = params.in("timing");
  for_each_row([&](const auto& row, auto& field) { field = read(timing, row); }, c);
  if (c.ecn_kmax < c.ecn_kmin) timing.fail("ecn_kmax", "must not be below timing.ecn_kmin");
  if (c.mac_tx_fifo < c.mac_max_frame + Bytes(64)) {
    timing.fail("mac_tx_fifo", "must hold the longest frame: timing.mac_max_frame and 64 bytes more");
  }
  return c;
}

std::vector<CalibrationRow> calibration_rows(const Calibration& calibration) {
  std::vector<CalibrationRow> rows;
  for_each_row(
      [&](const auto& row, const auto& field) {
        rows.push_back({std::string(row.name), base::to_text(field), row.sentence, row.source, row.uncertainty});
      },
      calibration);
  return rows;
}

}  // namespace caravan::timing
