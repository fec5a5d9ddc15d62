// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <bit>
#include <iterator>

#include "models/base/errors.hpp"
#include "models/packet/pcap.hpp"

namespace caravan::packet {
namespace {

constexpr std::size_t kFileHeader = 24, kRecordHeader = 16;
constexpr std::uint32_t kMicro = 0xA1B2C3D4, kNano = 0xA1B23C4D, kPcapng = 0x0A0D0D0A, kEthernet = 1;

constexpr std::uint32_t swap32(std::uint32_t v) { return v >> 24 | (v >> 8 & 0xFF00) | (v << 8 & 0xFF0000) | v << 24; }

/// A file in memory that knows its byte order and how to complain.
struct File {
  std::string path;
  Buffer bytes;
  bool big_endian = false;

  std::uint32_t word(std::size_t offset) const {
    const std::uint32_t be = get_be32(bytes.data() + offset);
    return big_endian ? be : swap32(be);
  }
  [[noreturn]] void fail(std::size_t offset, const std::string& what) const {
    throw base::UserError(fmt::format("{}: offset {}: {}", path, offset, what));
  }
};

File load(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw base::UserError(fmt::format("{}: offset 0: can't open the file for reading", path));
  File file{.path = path, .bytes = Buffer(std::istreambuf_iterator<char>(in), {})};
  if (in.bad()) file.fail(file.bytes.size(), "read error");
  return file;
}

/// Sets the byte order; the number of picoseconds in one unit of the fraction field.
std::int64_t read_header(File& file) {
  if (file.bytes.size() < kFileHeader) file.fail(file.bytes.size(), "the file ends inside the 24-byte pcap header");
  const std::uint32_t magic = get_be32(file.bytes.data());
  if (magic == kPcapng) file.fail(0, "this is pcapng; classic pcap is expected (convert with: editcap -F pcap)");
  file.big_endian = magic == kMicro || magic == kNano;
  const std::uint32_t native = file.word(0);
  if (native != kMicro && native != kNano) file.fail(0, fmt::format("not a pcap file: magic number {:#010x}", magic));
  const std::uint32_t link = file.word(20) & 0xFFFF;
  if (link != kEthernet) file.fail(20, fmt::format("link type {} is not Ethernet (1)", link));
  return native == kNano ? 1'000 : 1'000'000;
}

}  // namespace

std::vector<PcapRecord> read_pcap(const std::string& path) {
  File file = load(path);
  const std::int64_t fraction_ps = read_header(file);
  std::vector<PcapRecord> records;
  for (std::size_t at = kFileHeader; at < file.bytes.size();) {
    if (file.bytes.size() - at < kRecordHeader)
      file.fail(at, fmt::format("record {}: the file ends inside its header", records.size()));
    const std::uint32_t stored = file.word(at + 8), original = file.word(at + 12);
    const std::size_t left = file.bytes.size() - at - kRecordHeader;
    if (stored > left)
      file.fail(at + 8, fmt::format("record {}: {} bytes claimed, {} left in the file", records.size(), stored, left));
    if (stored < original)
      file.fail(at + 8, fmt::format("record {}: only {} of {} bytes were captured", records.size(), stored, original));
    // Whole seconds since 1970 overflow a picosecond count: times start at the first record.
    const auto seconds = static_cast<std::int64_t>(file.word(at)) - static_cast<std::int64_t>(file.word(kFileHeader));
    const auto begin = file.bytes.begin() + static_cast<std::ptrdiff_t>(at + kRecordHeader);
    records.push_back(
        {base::Time::ps(seconds * 1'000'000'000'000 + file.word(at + 4) * fraction_ps), Buffer(begin, begin + stored)});
    at += kRecordHeader + stored;
  }
  return records;
}

}  // namespace caravan::packet
