#include "src/http/answer.h"

#include <strings.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace dbtrace::http {
namespace {

constexpr std::string_view kLine = "\r\n", kHeadEnd = "\r\n\r\n";

template <typename Number>
std::optional<Number> number_of(std::string_view text, int base = 10) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc() || end != text.data() + text.size() || text.empty() ||
      text.front() == '-')
    return std::nullopt;
  return number;
}

bool is(std::string_view one, std::string_view other) {
  return one.size() == other.size() && ::strncasecmp(one.data(), other.data(), one.size()) == 0;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t";
  const size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) + 1 - begin);
}

struct Head {
  int status = 0;
  std::optional<uint32_t> retry_after;
  std::optional<uint64_t> length;
  bool chunked = false;
  bool sound = true;  // where the body ends is known
};

// "HTTP/1.1 200 OK"
std::optional<int> status_of(std::string_view line) {
  constexpr size_t kCode = std::string_view("HTTP/1.1 ").size(), kDigits = 3;
  if (!line.starts_with("HTTP/1.0 ") && !line.starts_with("HTTP/1.1 ")) return std::nullopt;
  if (line.size() > kCode + kDigits && line[kCode + kDigits] != ' ') return std::nullopt;
  const auto status = number_of<int>(line.substr(kCode, kDigits));
  return status && *status >= 100 && *status < 600 ? status : std::nullopt;
}

bool read_header(std::string_view line, Head& head) {
  const size_t colon = line.find(':');
  if (colon == 0 || colon == std::string_view::npos) return false;
  const std::string_view name = line.substr(0, colon), value = trimmed(line.substr(colon + 1));
  if (is(name, "Content-Length")) {
    const auto length = number_of<uint64_t>(value);
    head.sound = head.sound && length && head.length.value_or(*length) == *length;
    head.length = length;
  } else if (is(name, "Transfer-Encoding")) {
    head.chunked = is(value, "chunked");
    head.sound = head.sound && head.chunked;
  } else if (is(name, "Retry-After")) {
    head.retry_after = number_of<uint32_t>(value);
  }
  return true;
}

std::optional<Head> read_head(std::string_view text) {
  size_t end = text.find(kLine);
  const auto status = status_of(text.substr(0, end));
  if (!status) return std::nullopt;
  Head head{.status = *status, .retry_after = {}, .length = {}};
  while (end != std::string_view::npos) {
    text.remove_prefix(end + kLine.size());
    end = text.find(kLine);
    if (!read_header(text.substr(0, end), head)) return std::nullopt;
  }
  // Two lengths are an attack, or a mistake.
  if (head.chunked && head.length) head.sound = false;
  return head;
}

// False: it has to go on, or (`bad`) is none.
bool read_chunks(std::string_view bytes, std::string& body, bool& bad) {
  body.clear();
  while (true) {
    const size_t end = bytes.find(kLine);
    if (end == std::string_view::npos) {
      bad = bytes.size() > kMostHead;
      return false;
    }
    const auto size =
        number_of<uint64_t>(trimmed(bytes.substr(0, end).substr(0, bytes.find(';'))), 16);
    bad = !size || *size > kMostBody - body.size();
    if (bad) return false;
    if (*size == 0) return true;  // what trails it is of no interest
    bytes.remove_prefix(end + kLine.size());
    if (bytes.size() < *size + kLine.size()) return false;
    bad = bytes.substr(*size, kLine.size()) != kLine;
    if (bad) return false;
    body += bytes.substr(0, *size);
    bytes.remove_prefix(*size + kLine.size());
  }
}

// As read_chunks().
bool read_body(std::string_view bytes, const Head& head, bool at_end, std::string& body,
               bool& bad) {
  if (head.chunked) return read_chunks(bytes, body, bad);
  bad = head.length.value_or(bytes.size()) > kMostBody;
  if (bad || (head.length ? bytes.size() < *head.length : !at_end)) return false;
  body = bytes.substr(0, head.length.value_or(bytes.size()));
  return true;
}

}  // namespace

Reading read_answer(std::string_view bytes, bool at_end, Answer& answer) {
  answer = {};
  std::optional<Head> head;
  do {  // what is said in advance (100 to 199) has no body
    const size_t end = bytes.find(kHeadEnd);
    if (std::min(end, bytes.size()) > kMostHead) return Reading::Malformed;
    if (end == std::string_view::npos) return at_end ? Reading::Malformed : Reading::NeedsMore;
    head = read_head(bytes.substr(0, end));
    if (!head) return Reading::Malformed;
    bytes.remove_prefix(end + kHeadEnd.size());
  } while (head->status < 200);

  answer.status = head->status;
  if (head->retry_after) answer.retry_after = std::chrono::seconds(*head->retry_after);
  constexpr int kNoContent = 204, kNotModified = 304;
  bool bad = !head->sound;
  if (bad || head->status == kNoContent || head->status == kNotModified) return Reading::Done;
  if (read_body(bytes, *head, at_end, answer.body, bad)) return Reading::Done;
  answer.body.clear();
  return bad || at_end ? Reading::Done : Reading::NeedsMore;
}

}  // namespace dbtrace::http
