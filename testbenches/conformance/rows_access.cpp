// SPDX-License-Identifier: Apache-2.0
// Responder: keys, bounds, permissions, protection domains. A violation is NAK 0x62, and the QP has failed.
#include "testbenches/conformance/rows.hpp"

namespace caravan::conformance {
namespace {

constexpr std::uint32_t kOther = 0x333;
constexpr std::uint64_t kHost = 8ull << 60, kRpc = 3ull << 60;

Row refused(const std::string& id, const std::string& requirement, const std::string& source,
            const std::vector<Step>& before, const FrameSpec& bad, const QpSpec& qp = {}) {
  return {"access." + id, requirement, source,
          join({{fill(kVa, 4, 512)},
                before,
                {create(qp)},
                {inject(bad), expect({nak(bad.psn, 0x62, 0)}), memory(kVa, 4, 512), inject(write_only(0, 8).ack_req()),
                 silence(), drops(Drop::kQp)}})};
}

/// WRITE of `bytes` at `va` of region kOther.
FrameSpec write_at(std::uint64_t va, std::uint32_t bytes) { return write_only(0, bytes).va(va).rkey(kOther).ack_req(); }

Row allowed(const std::string& id, const std::string& requirement, const RegionSpec& r, std::uint64_t va,
            std::uint32_t bytes) {
  return {"access." + id,
          requirement,
          "trap 20",
          {create(), region(r), inject(write_at(va, bytes)), expect({ack(0, 1)}), memory(va, 1, bytes)}};
}

std::vector<Row> keys() {
  return {
      refused("wrong_key", "The key of another generation of the region", "1.5, defect 5, nak_bad_rkey", {},
              write_only(0, 8).rkey(kRkey ^ 0x0F)),
      refused("no_such_region", "A region that was never registered", "1.5, defect 5", {},
              write_only(0, 8).rkey(0x455)),
      refused("region_out_of_range", "A region number outside the table", "1.5, defect 5", {},
              write_only(0, 8).rkey(0xFFFFFF55)),
      refused("read_wrong_key", "READ with a wrong key", "nak_read_bad_rkey", {}, read_request(0, 8).rkey(0x999)),
      refused("atomic_wrong_key", "FETCH_ADD with a wrong key", "1.5", {}, fetch_add(0, 1).rkey(0x999)),
      refused("removed", "A region that was removed", "1.5", {unregister()}, write_only(0, 8)),
  };
}

std::vector<Row> rights() {
  return {
      refused("region_read_only", "WRITE to a region that may not be written", "nak_write_readonly",
              {region({.write = false})}, write_only(0, 8)),
      refused("region_not_readable", "READ of a region that may not be read", "1.5", {region({.read = false})},
              read_request(0, 8)),
      refused("region_no_atomics", "FETCH_ADD on a region without atomics", "nak_atomic_noaccess",
              {region({.atomic = false})}, fetch_add(0, 1)),
      refused("region_no_swap", "COMPARE_SWAP on a region without atomics", "nak_atomic_noaccess",
              {region({.atomic = false})}, compare_swap(0, 0, 1)),
      refused("qp_no_write", "WRITE on a QP that does not allow it", "1.5", {}, write_only(0, 8), {.write = false}),
      refused("qp_no_read", "READ on a QP that does not allow it", "1.5", {}, read_request(0, 8), {.read = false}),
      refused("qp_no_atomic", "FETCH_ADD on a QP that does not allow it", "1.5", {}, fetch_add(0, 1),
              {.atomic = false}),
      refused("qp_no_read_of_nothing", "READ of no bytes on a QP that does not allow READs", "1.5", {},
              read_request(0, 0), {.read = false}),
      refused("pd_write", "WRITE to a region of another protection domain", "issue 4: PD mismatch", {},
              write_only(0, 8), {.pd = 7}),
      refused("pd_read", "READ of a region of another protection domain", "issue 4: PD mismatch", {},
              read_request(0, 8), {.pd = 7}),
      refused("pd_atomic", "FETCH_ADD in another protection domain", "issue 4: PD mismatch", {}, fetch_add(0, 1),
              {.pd = 7}),
      refused("read_of_rpc", "READ of an address of class RPC", "issue 4: HBM or host only",
              {region({.rkey = kOther, .first = kRpc, .bytes = 0x1000})}, read_request(0, 8).va(kRpc).rkey(kOther)),
      refused("atomic_on_rpc", "FETCH_ADD on an address of class RPC", "issue 4: HBM or host only",
              {region({.rkey = kOther, .first = kRpc, .bytes = 0x1000})}, fetch_add(0, 1).va(kRpc).rkey(kOther)),
  };
}

std::vector<Row> bounds() {
  const RegionSpec small{.rkey = kOther, .first = 0x90000, .bytes = 0x100};
  const RegionSpec to_4g{.rkey = kOther, .first = 0xFFFF0000, .bytes = 0x10000};
  const RegionSpec host_to_4g{.rkey = kOther, .first = kHost + 0xFFFF0000, .bytes = 0x10000};
  return {
      refused("below", "One byte below the region", "1.5", {region(small)}, write_at(0x8FFFF, 8)),
      refused("above", "One byte behind the region", "1.5", {region(small)}, write_at(0x900FC, 5)),
      refused("far_above", "Wholly behind the region", "1.5", {region(small)}, write_at(0x90100, 1)),
      refused("first_too_long", "FIRST of a message that will not fit: refused at once", "1.5", {region(small)},
              write_first(0, 0x101).va(0x90000).rkey(kOther)),
      refused("read_above", "READ that ends behind the region", "1.5", {region(small)},
              read_request(0, 9).va(0x900F8).rkey(kOther)),
      refused("atomic_above", "FETCH_ADD whose last byte is behind the region", "1.5",
              {region({.rkey = kOther, .first = 0x90000, .bytes = 0xFC})}, fetch_add(0, 1).va(0x900F8).rkey(kOther)),
      refused("carry_32", "A WRITE over the end of a region that ends at 2^32", "trap 20", {region(to_4g)},
              write_at(0xFFFFFFF8, 9)),
      refused("carry_64", "va + length carries out of 64 bits", "trap 20", {region(to_4g)},
              write_at(0xFFFFFFFFFFFFFFF8, 16)),
      refused("carry_64_read", "READ whose va + length carries out of 64 bits", "trap 20", {region(to_4g)},
              read_request(0, 0x20000).va(0xFFFFFFFFFFFFFFF8).rkey(kOther)),
      refused("length_32_bits", "A READ of 2^31 bytes at the end of a region", "trap 20", {region(to_4g)},
              read_request(0, 0x80000000).va(0xFFFF0000).rkey(kOther)),
      refused("no_target_class", "An address of a class that has no target", "3 classes", {},
              write_only(0, 8).va(0x5000000000010000)),
      allowed("first_byte", "The first byte of a region", small, 0x90000, 1),
      allowed("last_byte", "The last byte of a region", small, 0x900FF, 1),
      allowed("whole", "A whole region at once", small, 0x90000, 0x100),
      allowed("end_at_32", "The last bytes of a region that ends at 2^32", to_4g, 0xFFFFFFF8, 8),
      allowed("host_end_at_32", "The same in host memory", host_to_4g, kHost + 0xFFFFFFF8, 8),
      {"access.read_end_at_32",
       "READ of the last bytes of a region that ends at 2^32",
       "trap 20",
       {create(), region(to_4g), fill(0xFFFFFF00, 6, 256), inject(read_request(0, 256).va(0xFFFFFF00).rkey(kOther)),
        expect({read_response(packet::Opcode::kReadRespOnly, 0, 1, 0, 256, 6)})}},
      {"access.atomic_last_word",
       "FETCH_ADD on the last word of a region",
       "trap 20",
       {create(), region(small), inject(fetch_add(0, 5).va(0x900F8).rkey(kOther)), expect({atomic_ack(0, 1, 0)}),
        memory_u64(0x900F8, 5)}},
  };
}

std::vector<Row> no_region_needed() {
  return {
      {"access.write_of_nothing",
       "A WRITE of no bytes needs no region",
       "1.5",
       {create(), inject(write_only(0, 0).rkey(0x999).va(0x5000000000000000).ack_req()), expect({ack(0, 1)})}},
      {"access.read_of_nothing",
       "A READ of no bytes needs no region",
       "1.5",
       {create(), inject(read_request(0, 0).rkey(0x999)),
        expect({read_response(packet::Opcode::kReadRespOnly, 0, 1, 0, 0)})}},
      {"access.same_pd",
       "A region of the QP's own protection domain",
       "issue 4",
       {create({.pd = 7}), region({.pd = 7}), inject(write_only(0, 8).ack_req()), expect({ack(0, 1)})}},
      {"access.revoked_midway",
       "A permission taken away stops a message at its next packet",
       "1.5, 7.10",
       {create(), inject(write_first(0, 700)), silence(), region({.write = false}), inject(write_middle(1, 256)),
        expect({nak(1, 0x62, 0)}), memory(kVa, 1, 256), untouched(kVa + 256, 512)}},
      {"access.removed_midway",
       "A region taken away stops a message at its last packet",
       "1.5, 7.10",
       {create(), inject(write_first(0, 500)), silence(), unregister(), inject(write_last(1, 256, 244)),
        expect({nak(1, 0x62, 0)}), untouched(kVa + 256, 256)}},
  };
}

}  // namespace

std::vector<Row> access_rows() {
  std::vector<Row> rows = keys();
  for (const auto& part : {rights(), bounds(), no_region_needed()}) rows.insert(rows.end(), part.begin(), part.end());
  return rows;
}

}  // namespace caravan::conformance
