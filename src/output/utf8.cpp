#include "src/output/utf8.h"

#include <algorithm>

namespace dbtrace::output {
namespace {

uint8_t byte_at(std::string_view bytes, size_t at) { return static_cast<uint8_t>(bytes[at]); }

bool is_continuation(uint8_t byte) { return (byte & 0xc0) == 0x80; }

// Bytes of the character that `lead` begins; 0 when it begins none.
uint8_t length_by_lead(uint8_t lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  if (lead >= 0xf0 && lead <= 0xf4) return 4;
  return 0;
}

// Overlong forms, surrogates and too large numbers all show in the second byte.
bool second_byte_fits(uint8_t lead, uint8_t second) {
  switch (lead) {
    case 0xe0:
      return second >= 0xa0 && second <= 0xbf;
    case 0xed:
      return second >= 0x80 && second <= 0x9f;
    case 0xf0:
      return second >= 0x90 && second <= 0xbf;
    case 0xf4:
      return second >= 0x80 && second <= 0x8f;
    default:
      return is_continuation(second);
  }
}

// How many of the bytes from `at` on are a character, or the beginning of one.
size_t fitting_bytes(std::string_view bytes, size_t at, uint8_t length) {
  const size_t end = std::min<size_t>(bytes.size(), at + length);
  size_t here = at + 1;
  if (here < end && second_byte_fits(byte_at(bytes, at), byte_at(bytes, here))) {
    ++here;
    while (here < end && is_continuation(byte_at(bytes, here))) ++here;
  }
  return here - at;
}

}  // namespace

Character decode_character(std::string_view bytes, size_t at) {
  const uint8_t lead = byte_at(bytes, at);
  if (lead < 0x80) return {lead, 1};
  const uint8_t length = length_by_lead(lead);
  if (length == 0 || fitting_bytes(bytes, at, length) != length) return {kInvalidCharacter, 1};
  char32_t code = lead & (0x7f >> length);
  for (size_t i = 1; i < length; ++i) code = code << 6 | (byte_at(bytes, at + i) & 0x3f);
  return {code, length};
}

std::string_view without_unfinished_character(std::string_view text) {
  for (size_t tail = 1; tail <= 3 && tail <= text.size(); ++tail) {
    const size_t at = text.size() - tail;
    if (is_continuation(byte_at(text, at))) continue;
    const uint8_t length = length_by_lead(byte_at(text, at));
    const bool unfinished = length > tail && fitting_bytes(text, at, length) == tail;
    return unfinished ? text.substr(0, at) : text;
  }
  return text;
}

void append_character(std::string& out, char32_t code) {
  const auto low_bits = [code](int shift) {
    return static_cast<char>(0x80 | ((code >> shift) & 0x3f));
  };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += {static_cast<char>(0xc0 | code >> 6), low_bits(0)};
  } else if (code < 0x10000) {
    out += {static_cast<char>(0xe0 | code >> 12), low_bits(6), low_bits(0)};
  } else {
    out += {static_cast<char>(0xf0 | code >> 18), low_bits(12), low_bits(6), low_bits(0)};
  }
}

}  // namespace dbtrace::output
