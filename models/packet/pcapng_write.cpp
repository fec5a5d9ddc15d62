// SPDX-License-Identifier: Apache-2.0
// Block layouts: draft-ietf-opsawg-pcapng, sections 4.1 (section header), 4.2 (interface), 4.3 (enhanced packet).
#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "models/base/errors.hpp"
#include "models/packet/pcap.hpp"

namespace caravan::packet {
namespace {

constexpr std::uint32_t kSectionHeader = 0x0A0D0D0A, kInterface = 1, kEnhancedPacket = 6;
constexpr std::uint16_t kOptEnd = 0, kOptIfName = 2, kOptUserApplication = 4, kOptIfTsResolution = 9,
                        kOptPacketFlags = 2;

// Little-endian whatever the host is, so that a run gives the same file everywhere.
void put_le(Buffer& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<std::uint8_t>(value >> 8 * i));
}

void align(Buffer& out) { out.resize((out.size() + 3) / 4 * 4); }

void option(Buffer& out, std::uint16_t code, ByteSpan value) {
  put_le(out, code, 2);
  put_le(out, value.size(), 2);
  out.insert(out.end(), value.begin(), value.end());
  align(out);
}

ByteSpan bytes_of(const std::string& text) { return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}; }

}  // namespace

PcapngWriter::PcapngWriter(const std::string& path, const std::vector<std::string>& interfaces)
    : path_(path), out_(path, std::ios::binary | std::ios::trunc), interfaces_(interfaces.size()) {
  if (!out_) throw base::UserError(fmt::format("{}: can't make the file: {}", path_, std::strerror(errno)));
  Buffer section;
  put_le(section, 0x1A2B3C4D, 4);
  put_le(section, 1, 2);  // version 1.0
  put_le(section, 0, 2);
  put_le(section, ~0ull, 8);  // section length not given
  option(section, kOptUserApplication, bytes_of("caravan"));
  option(section, kOptEnd, {});
  block(kSectionHeader, section);
  for (const std::string& if_name : interfaces) {
    Buffer body;
    put_le(body, 1, 2);  // Ethernet
    put_le(body, 0, 2);
    put_le(body, 262'144, 4);  // snap length
    option(body, kOptIfName, bytes_of(if_name));
    const std::uint8_t nanoseconds = 9;
    option(body, kOptIfTsResolution, {&nanoseconds, 1});
    option(body, kOptEnd, {});
    block(kInterface, body);
  }
}

PcapngWriter::~PcapngWriter() = default;

void PcapngWriter::write(std::size_t interface, base::Time time, ByteSpan frame, Direction direction) {
  BUG_IF(interface >= interfaces_, fmt::format("{}: frame for interface {} of {}", path_, interface, interfaces_));
  BUG_IF(!out_.is_open(), path_ + ": frame after close()");
  const auto ns = static_cast<std::uint64_t>(time / base::Time::ns(1));
  Buffer body;
  body.reserve(frame.size() + 40);
  put_le(body, interface, 4);
  put_le(body, ns >> 32, 4);
  put_le(body, ns & 0xFFFFFFFF, 4);
  put_le(body, frame.size(), 4);
  put_le(body, frame.size(), 4);
  body.insert(body.end(), frame.begin(), frame.end());
  align(body);
  if (direction != Direction::kUnknown) {
    put_le(body, kOptPacketFlags, 2);
    put_le(body, 4, 2);
    put_le(body, static_cast<std::uint64_t>(direction), 4);
    option(body, kOptEnd, {});
  }
  block(kEnhancedPacket, body);
}

void PcapngWriter::close() {
  if (!out_.is_open()) return;
  out_.close();
  if (!out_) throw base::UserError(fmt::format("{}: writing failed: {}", path_, std::strerror(errno)));
}

void PcapngWriter::block(std::uint32_t type, const Buffer& body) {
  Buffer frame;
  frame.reserve(body.size() + 12);
  put_le(frame, type, 4);
  put_le(frame, body.size() + 12, 4);
  frame.insert(frame.end(), body.begin(), body.end());
  put_le(frame, body.size() + 12, 4);
  out_.write(reinterpret_cast<const char*>(frame.data()), static_cast<std::streamsize>(frame.size()));
  if (!out_) throw base::UserError(fmt::format("{}: writing failed: {}", path_, std::strerror(errno)));
}

}  // namespace caravan::packet
