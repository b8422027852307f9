#include "src/sql/trace_parent.h"

#include <algorithm>
#include <string>

namespace dbtrace::sql {
namespace {

constexpr std::string_view kBegin = "/*", kEnd = "*/", kBlank = " \t\r\n\f\v";
constexpr std::string_view kKey = "traceparent";

std::string_view without(std::string_view text, std::string_view ends) {
  const size_t begin = text.find_first_not_of(ends);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(ends) + 1 - begin);
}

// What is in a comment at the beginning or at the end; empty: there is none.
std::string_view first_comment(std::string_view text) {
  text = without(text, kBlank);
  if (!text.starts_with(kBegin)) return {};
  text.remove_prefix(kBegin.size());
  const size_t end = text.find(kEnd);
  return end == std::string_view::npos ? std::string_view() : text.substr(0, end);
}

std::string_view last_comment(std::string_view text) {
  text = without(text, " \t\r\n\f\v;");
  if (!text.ends_with(kEnd)) return {};
  text.remove_suffix(kEnd.size());
  const size_t begin = text.rfind(kBegin);
  // What ends before is a comment of its own, and this is no comment's end.
  if (begin == std::string_view::npos || text.find(kEnd, begin) != std::string_view::npos)
    return {};
  return text.substr(begin + kBegin.size());
}

std::optional<uint8_t> digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<uint8_t>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<uint8_t>(c - 'a' + 10);
  return std::nullopt;
}

std::optional<std::string> url_decoded(std::string_view text) {
  std::string decoded;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      decoded += text[at];
      continue;
    }
    if (at + 2 >= text.size()) return std::nullopt;
    // Here they may be capitals.
    const auto lower = [&](size_t i) {
      const char c = text[i];
      return c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
    };
    const auto high = digit(lower(at + 1)), low = digit(lower(at + 2));
    if (!high || !low) return std::nullopt;
    decoded += static_cast<char>(*high << 4 | *low);
    at += 2;
  }
  return decoded;
}

// The value of the key; none also if it is there twice, or anything is not as it should be.
std::optional<std::string_view> value_of(std::string_view pairs) {
  std::optional<std::string_view> found;
  pairs = without(pairs, kBlank);
  while (!pairs.empty()) {
    const size_t equals = pairs.find("='");
    if (equals == std::string_view::npos) return std::nullopt;
    const std::string_view key = without(pairs.substr(0, equals), kBlank);
    pairs.remove_prefix(equals + 2);
    size_t end = 0;
    while (end < pairs.size() && pairs[end] != '\'') end += pairs[end] == '\\' ? 2 : 1;
    if (end >= pairs.size()) return std::nullopt;
    if (key == kKey) {
      if (found) return std::nullopt;
      found = pairs.substr(0, end);
    }
    pairs = without(pairs.substr(end + 1), kBlank);
    if (pairs.empty()) break;
    if (pairs.front() != ',') return std::nullopt;
    pairs = without(pairs.substr(1), kBlank);
    if (pairs.empty()) return std::nullopt;
  }
  return found;
}

template <typename Bytes>
bool read_hexadecimal(std::string_view text, Bytes& bytes) {
  for (size_t i = 0; i < bytes.size(); ++i) {
    const auto high = digit(text[2 * i]), low = digit(text[2 * i + 1]);
    if (!high || !low) return false;
    bytes[i] = static_cast<uint8_t>(*high << 4 | *low);
  }
  return true;
}

// "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
std::optional<TraceParent> parsed(std::string_view text) {
  constexpr size_t kTrace = 3, kSpan = 36, kFlags = 53, kSize = 55;
  if (text.size() != kSize || !text.starts_with("00-") || text[kSpan - 1] != '-' ||
      text[kFlags - 1] != '-')
    return std::nullopt;
  TraceParent parent;
  std::array<uint8_t, 1> flags{};
  if (!read_hexadecimal(text.substr(kTrace), parent.trace) ||
      !read_hexadecimal(text.substr(kSpan), parent.span) ||
      !read_hexadecimal(text.substr(kFlags), flags))
    return std::nullopt;
  const auto is_zero = [](uint8_t byte) { return byte == 0; };
  if (std::ranges::all_of(parent.trace, is_zero) || std::ranges::all_of(parent.span, is_zero))
    return std::nullopt;
  parent.flags = flags[0];
  return parent;
}

}  // namespace

std::optional<TraceParent> trace_parent_of(std::string_view text) {
  for (const std::string_view comment : {last_comment(text), first_comment(text)}) {
    const auto value = value_of(comment);
    if (!value) continue;
    const auto decoded = url_decoded(*value);
    return decoded ? parsed(*decoded) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace dbtrace::sql
