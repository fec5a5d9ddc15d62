// SPDX-License-Identifier: Apache-2.0
// Which frames reach a queue pair at all.
#include <fmt/format.h>

#include "testbenches/conformance/rows.hpp"

namespace caravan::conformance {
namespace {

using packet::Buffer;
using packet::RoceFrame;

packet::Ipv4& ip_of(RoceFrame& f) { return std::get<packet::Ipv4>(f.ip); }
const FrameSpec kGood = write_only(0, 64).ack_req();

/// The changed packet is taken like any other.
Row taken(const std::string& id, const std::string& requirement, const std::string& source, const FrameSpec& spec) {
  return {"frame." + id, requirement, source, {create(), inject(spec), expect({ack(0, 1)}), memory(kVa, 1, 64)}};
}

/// The changed packet has no effect and is counted; the right one after it is taken.
Row dropped(const std::string& id, const std::string& requirement, const std::string& source, const FrameSpec& spec,
            Drop reason) {
  return {"frame." + id,
          requirement,
          source,
          {create(), inject(spec), silence(), drops(reason), untouched(kVa, 64), inject(kGood), expect({ack(0, 1)}),
           memory(kVa, 1, 64)}};
}

FrameSpec with_udp_checksum(bool right) {
  return kGood.bytes(right ? "UDP checksum" : "wrong UDP checksum", [right](Buffer& f) {
    const std::uint16_t sum = packet::udp_checksum(kPeerIp, kOwnIp, {f.data() + 34, f.size() - 34});
    packet::put_be(f.data() + 40, 2, right ? sum : sum ^ 0x0101u);
  });
}

FrameSpec over_ipv6() {
  return kGood.bytes("IPv6", [](Buffer& f) {
    const auto parsed = packet::parse(f);
    RoceFrame frame = packet::to_frame(parsed);
    frame.ip = packet::Ipv6{.src = {0xFD, 1}, .dst = {0xFD, 2}};
    f = packet::build(frame, Buffer(parsed.payload.begin(), parsed.payload.end()));
  });
}

std::vector<Row> accepted() {
  return {
      taken("mig_req", "MigReq 0 and 1 are taken", "2 accepted",
            kGood.header("MigReq", [](RoceFrame& f) { f.bth.mig_req = true; })),
      taken("tos", "Any DSCP is taken", "2 accepted", kGood.header("TOS", [](RoceFrame& f) { ip_of(f).tos = 0xB8; })),
      taken("ttl_1", "TTL 1 is taken", "2 accepted", kGood.header("TTL 1", [](RoceFrame& f) { ip_of(f).ttl = 1; })),
      taken("ip_id", "Any IP identification is taken", "2 accepted",
            kGood.header("id", [](RoceFrame& f) { ip_of(f).id = 0xBEEF; })),
      taken("df_clear", "DF may be clear", "2 accepted", kGood.header("DF", [](RoceFrame& f) { ip_of(f).flags = 0; })),
      taken("fecn_becn", "FECN and BECN of a request are ignored", "2 accepted",
            kGood.header("FECN, BECN", [](RoceFrame& f) { f.bth.fecn = f.bth.becn = true; })),
      taken("reserved_bits", "Reserved BTH bits are ignored", "1.1",
            kGood.header("reserved",
                         [](RoceFrame& f) {
                           f.bth.reserved6 = 0x3F;
                           f.bth.reserved7 = 0x7F;
                         })),
      taken("pkey_7fff", "P_Key 0x7FFF is taken as 0xFFFF is", "2 accepted",
            kGood.header("P_Key", [](RoceFrame& f) { f.bth.pkey = 0x7FFF; })),
      taken("udp_source_port", "Any UDP source port is taken", "2 accepted",
            kGood.header("source port", [](RoceFrame& f) { f.udp.src_port = 1; })),
      taken("udp_checksum", "A right UDP checksum is taken as none is", "2 accepted", with_udp_checksum(true)),
      taken("trailing_bytes", "Bytes behind the ICRC are padding of the MAC", "trap 9, 2 accepted",
            trailing(kGood, 22)),
      taken("solicited", "The solicited bit of a WRITE changes nothing", "2 accepted", kGood.solicited()),
      taken("broadcast_mac", "A frame to the broadcast MAC is taken when its IP address is ours", "2 accepted",
            kGood.header("broadcast", [](RoceFrame& f) { f.eth.dst.fill(0xFF); })),
  };
}

std::vector<Row> refused() {
  return {
      dropped("bad_icrc", "Nothing of a frame with a wrong ICRC is committed", "defect 11, Also, trap 25",
              bad_icrc(kGood), Drop::kIcrc),
      dropped("icrc_zero", "An ICRC of zero is wrong", "2 dropped",
              kGood.bytes("ICRC 0", [](Buffer& f) { std::fill(f.end() - 4, f.end(), 0); }), Drop::kIcrc),
      dropped("icrc_reversed", "An ICRC in the other byte order is wrong", "2 dropped, 1.3",
              kGood.bytes("ICRC reversed", [](Buffer& f) { std::reverse(f.end() - 4, f.end()); }), Drop::kIcrc),
      dropped("payload_damaged", "The ICRC covers the payload", "1.3",
              kGood.bytes("payload bit", [](Buffer& f) { f[80] ^= 1; }), Drop::kIcrc),
      dropped("mig_req_damaged", "The ICRC covers the BTH, byte 4 apart", "1.3",
              kGood.bytes("MigReq bit", [](Buffer& f) { f[43] ^= 0x40; }), Drop::kIcrc),
      dropped("tver", "A transport version other than 0 is dropped", "2 dropped",
              kGood.header("TVer 1", [](RoceFrame& f) { f.bth.tver = 1; }), Drop::kHeader),
      dropped("pkey", "Another P_Key is dropped", "2 dropped",
              kGood.header("P_Key", [](RoceFrame& f) { f.bth.pkey = 0x1234; }), Drop::kHeader),
      dropped("udp_checksum_wrong", "A UDP checksum that is not zero must be right", "2 dropped",
              with_udp_checksum(false), Drop::kNetwork),
      dropped("ip_checksum", "A wrong IPv4 checksum is dropped", "2 dropped",
              kGood.bytes("checksum", [](Buffer& f) { f[24] ^= 1; }), Drop::kNetwork),
      dropped("other_mac", "A frame to another station is dropped", "2 dropped",
              kGood.header("MAC", [](RoceFrame& f) { f.eth.dst = {0x02, 0, 0, 0, 0, 0x55}; }), Drop::kNetwork),
      dropped("other_ip", "A packet to another IP address is dropped", "2 dropped",
              kGood.header("IP", [](RoceFrame& f) { ip_of(f).dst = 0x0A000055; }), Drop::kNetwork),
      dropped("other_peer", "A packet from an address other than the QP's peer is dropped", "2 dropped",
              kGood.header("source", [](RoceFrame& f) { ip_of(f).src = 0x0A000066; }), Drop::kPeer),
      dropped("udp_port", "UDP to a port other than 4791 is no RoCE", "Also",
              kGood.header("port", [](RoceFrame& f) { f.udp.dst_port = 4792; }), Drop::kNetwork),
      dropped("vlan", "A VLAN tag is not understood and the frame dropped", "Also", vlan_tagged(kGood), Drop::kNetwork),
      dropped("ip_options", "IPv4 options are not understood and the packet dropped", "trap 15", with_ip_option(kGood),
              Drop::kNetwork),
      dropped("ipv6", "An IPv6 packet does not concern an IPv4 QP", "trap 15", over_ipv6(), Drop::kNetwork),
      dropped("fragment", "A fragment is dropped", "1.1", kGood.header("MF", [](RoceFrame& f) { ip_of(f).flags = 1; }),
              Drop::kNetwork),
      dropped("truncated_icrc", "A frame that ends before its ICRC is dropped", "Also", truncated(kGood, 4),
              Drop::kNetwork),
      dropped("truncated_payload", "A frame cut in its payload is dropped", "Also", truncated(kGood, 40),
              Drop::kNetwork),
      dropped("truncated_headers", "A frame cut in its BTH is dropped", "Also", truncated(kGood, 90), Drop::kNetwork),
      dropped("udp_length", "A UDP length that disagrees with IP is dropped", "trap 24",
              kGood.bytes("UDP length",
                          [](Buffer& f) {
                            f[39] ^= 4;
                            reseal(f);
                          }),
              Drop::kNetwork),
      dropped("pad_without_payload", "A pad count larger than the payload is dropped", "defect 3",
              pad_count(write_only(0, 0).ack_req(), 3), Drop::kHeader),
      dropped("unknown_qpn", "A QPN that does not exist is dropped", "trap 18, trap 40",
              kGood.header("QPN", [](RoceFrame& f) { f.bth.dest_qp = 0x00FFF0; }), Drop::kQp),
      dropped("opcode_15", "A reserved opcode is dropped, and the packet behind it is not lost", "defect 1, 7.2",
              raw_opcode(kGood, 0x15), Drop::kOpcode),
      dropped("opcode_18", "A reserved opcode behind the last of the service is dropped", "defect 1",
              raw_opcode(kGood, 0x18), Drop::kOpcode),
      dropped("opcode_uc", "An opcode of another service (UC) is dropped", "defect 1", raw_opcode(kGood, 0x2A),
              Drop::kOpcode),
      dropped("opcode_rd", "An opcode of a service that nobody speaks (RD) is dropped", "defect 1",
              raw_opcode(kGood, 0x4A), Drop::kOpcode),
      dropped("opcode_ff", "Opcode 0xFF is dropped", "defect 1", raw_opcode(kGood, 0xFF), Drop::kOpcode),
  };
}

Row every_unknown_opcode() {
  std::vector<Step> script = {create()};
  std::uint64_t count = 0;
  for (unsigned opcode = 0; opcode < 256; ++opcode) {
    if (packet::find_opcode(static_cast<std::uint8_t>(opcode)) != nullptr) continue;
    script.push_back(inject(raw_opcode(kGood, static_cast<std::uint8_t>(opcode))));
    ++count;
  }
  for (const Step& step : {silence(), drops(Drop::kOpcode, count), inject(kGood), expect({ack(0, 1)})})
    script.push_back(step);
  return {"frame.every_unknown_opcode", "None of the unknown opcodes stops the receiver", "defect 1, 7.2", script};
}

Row oversize() {
  return {"frame.oversize",
          "A frame longer than any MTU is dropped and stalls nothing",
          "trap 32",
          {create({.pmtu = 4096}), inject(write_only(0, 8900).ack_req()), silence(), untouched(kVa, 8900),
           inject(write_only(0, 4096).ack_req()), expect({ack(0, 1)}), memory(kVa, 1, 4096)}};
}

Row ce_mark() {
  const FrameSpec marked = kGood.bytes("CE", [](Buffer& f) {
    f[15] |= 3;
    auto ip = packet::Ipv4::decode(f.data() + 14);
    ip.checksum = ip.right_checksum();
    ip.encode(f.data() + 14);
  });
  return {"frame.ce_mark",
          "A switch may mark CE without touching the ICRC; the packet is executed and a CNP goes back",
          "1.3, 1.4",
          {create(), inject(marked), expect({ack(0, 1), cnp()}), memory(kVa, 1, 64),
           inject(write_only(1, 64).ack_req()), expect({ack(1, 2)})}};
}

Row first_then_bad_icrc() {
  return {"frame.bad_icrc_is_loss",
          "A wrong ICRC in the middle of a message is the same as a loss",
          "2, corrupt_icrc",
          {create(), inject(write_first(0, 600)), silence(), inject(bad_icrc(write_middle(1, 256))), silence(),
           inject(write_last(2, 512, 88).ack_req()), expect({nak(1, 0x60, 0)}), inject(write_middle(1, 256)),
           inject(write_last(2, 512, 88).ack_req()), expect({ack(2, 1)}), memory(kVa, 1, 600)}};
}

}  // namespace

std::vector<Row> frame_rows() {
  std::vector<Row> rows = accepted();
  for (auto& row : refused()) rows.push_back(std::move(row));
  rows.push_back(ce_mark());
  rows.push_back(every_unknown_opcode());
  rows.push_back(oversize());
  rows.push_back(first_then_bad_icrc());
  return rows;
}

}  // namespace caravan::conformance
