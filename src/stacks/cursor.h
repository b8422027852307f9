// Reads DWARF's numbers from bytes that nobody has checked.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

namespace dbtrace::stacks {

// Reading past the end fails: it gives 0, and so does everything after it.
class Cursor {
 public:
  explicit Cursor(std::span<const uint8_t> bytes, size_t position = 0)
      : bytes_(bytes),
        position_(std::min(position, bytes.size())),
        failed_(position > bytes.size()) {}

  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] bool at_end() const { return position_ == bytes_.size(); }
  [[nodiscard]] size_t position() const { return position_; }
  [[nodiscard]] size_t left() const { return bytes_.size() - position_; }

  void skip(uint64_t count) {
    if (count > left()) {
      fail();
    } else {
      position_ += count;
    }
  }

  // A number of this type, in the byte order of the machine.
  template <typename T>
  T take() {
    static_assert(std::is_arithmetic_v<T>);
    T value = 0;
    if (sizeof(T) > left()) {
      fail();
    } else {
      std::memcpy(&value, bytes_.data() + position_, sizeof(T));
      position_ += sizeof(T);
    }
    return value;
  }

  // LEB128 (DWARF 5, section 7.6). Bits beyond the 64th are lost.
  uint64_t take_uleb() { return take_leb().value; }
  int64_t take_sleb() {
    const Leb leb = take_leb();
    const bool is_negative = leb.bits < 64 && ((leb.value >> (leb.bits - 1)) & 1) != 0;
    return static_cast<int64_t>(is_negative ? leb.value | (UINT64_MAX << leb.bits) : leb.value);
  }

  // The characters up to a NUL.
  std::string_view take_text() {
    const auto* start = reinterpret_cast<const char*>(bytes_.data()) + position_;
    const void* end = left() == 0 ? nullptr : std::memchr(start, 0, left());
    if (end == nullptr) {
      fail();
      return {};
    }
    const std::string_view text(start, static_cast<size_t>(static_cast<const char*>(end) - start));
    position_ += text.size() + 1;
    return text;
  }

  // The next `count` bytes.
  std::span<const uint8_t> take_bytes(uint64_t count) {
    const size_t start = position_;
    skip(count);
    return failed_ ? std::span<const uint8_t>() : bytes_.subspan(start, count);
  }

 private:
  struct Leb {
    uint64_t value = 0;
    unsigned bits = 0;  // how many were given
  };

  Leb take_leb() {
    Leb leb;
    uint8_t byte = 0;
    do {
      byte = take<uint8_t>();
      if (leb.bits < 64) leb.value |= uint64_t{byte & 0x7fU} << leb.bits;
      leb.bits = std::min(leb.bits + 7, 70U);
    } while ((byte & 0x80) != 0);
    return leb;
  }

  void fail() {
    failed_ = true;
    position_ = bytes_.size();
  }

  std::span<const uint8_t> bytes_;
  size_t position_ = 0;
  bool failed_ = false;
};

}  // namespace dbtrace::stacks
