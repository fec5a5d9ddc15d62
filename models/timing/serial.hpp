// SPDX-License-Identifier: Apache-2.0
// Raw state on a binary stream. One build writes and reads it, so layout is not versioned.
#pragma once

#include <cstdint>
#include <istream>
#include <memory>
#include <ostream>
#include <type_traits>
#include <utility>
#include <vector>

#include "models/base/errors.hpp"
#include "models/base/frame.hpp"

namespace caravan::timing {

template <class T>
requires std::is_trivially_copyable_v<T>
void put(std::ostream& out, const T& value) { out.write(reinterpret_cast<const char*>(&value), sizeof(T)); }

template <class T>
requires std::is_trivially_copyable_v<T> T get(std::istream& in) {
  T value{};
  in.read(reinterpret_cast<char*>(&value), sizeof(T));
  if (!in) throw base::UserError("saved state ends too early");
  return value;
}

inline void put_bytes(std::ostream& out, const std::vector<std::uint8_t>& bytes) {
  put(out, static_cast<std::uint64_t>(bytes.size()));
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

inline std::vector<std::uint8_t> get_bytes(std::istream& in) {
  const auto size = get<std::uint64_t>(in);
  if (size > (1u << 20)) throw base::UserError("saved state is damaged: a frame longer than 1 MiB");
  std::vector<std::uint8_t> bytes(size);
  in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size));
  if (!in) throw base::UserError("saved state ends too early");
  return bytes;
}

inline void put_frame(std::ostream& out, const base::Frame& frame) {
  put(out, frame.time);
  put(out, frame.sequence);
  put(out, frame.bad_fcs);
  put_bytes(out, *frame.bytes);
}

inline base::Frame get_frame(std::istream& in) {
  base::Frame frame;
  frame.time = get<base::Time>(in);
  frame.sequence = get<std::uint64_t>(in);
  frame.bad_fcs = get<bool>(in);
  frame.bytes = std::make_shared<const std::vector<std::uint8_t>>(get_bytes(in));
  return frame;
}

}  // namespace caravan::timing
