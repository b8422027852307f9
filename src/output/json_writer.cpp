#include "src/output/json_writer.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "src/output/character_class.h"
#include "src/output/digits.h"
#include "src/output/utf8.h"

namespace dbtrace::output {
namespace {

constexpr std::array<bool, 256> kNeedsNoEscape = [] {
  std::array<bool, 256> plain{};
  for (size_t c = ' '; c < 0x7f; ++c) plain[c] = c != '"' && c != '\\';
  return plain;
}();

void append_unicode_escape(std::string& out, char32_t utf16) {
  constexpr char kHexDigits[] = "0123456789abcdef";
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += kHexDigits[(utf16 >> shift) & 0xf];
}

void append_escape(std::string& out, char32_t code) {
  switch (code) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      break;
  }
  if (code < 0x10000) {
    append_unicode_escape(out, code);
  } else {
    append_unicode_escape(out, 0xd800 + ((code - 0x10000) >> 10));
    append_unicode_escape(out, 0xdc00 + ((code - 0x10000) & 0x3ff));
  }
}

}  // namespace

bool append_json_string(std::string& out, std::string_view bytes) {
  bool valid = true;
  out += '"';
  size_t at = 0;
  while (at < bytes.size()) {
    const size_t run = at;
    while (at < bytes.size() && kNeedsNoEscape[static_cast<uint8_t>(bytes[at])]) ++at;
    out.append(bytes, run, at - run);
    if (at == bytes.size()) break;

    const Character character = decode_character(bytes, at);
    if (character.code == kInvalidCharacter) {
      out += "\ufffd";
      valid = false;
    } else if (character.code == '"' || character.code == '\\' || is_unsafe(character.code)) {
      append_escape(out, character.code);
    } else {
      out.append(bytes, at, character.size);
    }
    at += character.size;
  }
  out += '"';
  return valid;
}

void append_base64(std::string& out, std::string_view bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t at = 0; at < bytes.size(); at += 3) {
    const std::string_view group = bytes.substr(at, 3);
    uint32_t bits = 0;
    for (size_t i = 0; i < 3; ++i) {
      bits = bits << 8 | (i < group.size() ? static_cast<uint8_t>(group[i]) : 0U);
    }
    for (size_t i = 0; i < 4; ++i) {
      out += i <= group.size() ? kDigits[(bits >> (18 - 6 * i)) & 0x3f] : '=';
    }
  }
}

void JsonObject::key(std::string_view key) {
  out_.append(empty_ ? "\"" : ",\"");
  empty_ = false;
  out_ += key;
  out_ += "\":";
}

// In one piece: numbers are most of what is written.
void JsonObject::number(std::string_view key, uint64_t value) {
  constexpr size_t kAround = 4 + 20;  // ,"": and digits
  std::array<char, 64> piece;
  if (key.size() > piece.size() - kAround) {
    this->key(key);
    append_number(out_, value);
    return;
  }
  char* at = piece.data();
  if (!empty_) *at++ = ',';
  empty_ = false;
  *at++ = '"';
  at = std::copy(key.begin(), key.end(), at);
  *at++ = '"';
  *at++ = ':';
  at = std::to_chars(at, piece.data() + piece.size(), value).ptr;
  out_.append(piece.data(), at);
}

void JsonObject::boolean(std::string_view key, bool value) {
  this->key(key);
  out_ += value ? "true" : "false";
}

void JsonObject::null(std::string_view key) {
  this->key(key);
  out_ += "null";
}

void JsonObject::string(std::string_view key, std::string_view text, std::string_view exact) {
  this->key(key);
  if (append_json_string(out_, text)) return;
  out_ += ",\"";
  out_ += key;
  out_ += "_base64\":\"";
  append_base64(out_, exact);
  out_ += '"';
}

}  // namespace dbtrace::output
