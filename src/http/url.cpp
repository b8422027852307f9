#include "src/http/url.h"

#include <fmt/format.h>
#include <strings.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace dbtrace::http {
namespace {

constexpr std::string_view kScheme = "http://";
constexpr std::string_view kLocalhost = "localhost:";

constexpr bool is_visible(char c) { return c > ' ' && c < '\x7f'; }

// RFC 9110's tokens.
bool is_token(std::string_view text) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           kMarks.find(c) != std::string_view::npos;
  });
}

bool is_ours(const std::string& name) {
  constexpr std::array<const char*, 9> kOurs = {
      "Host",       "Content-Type", "Content-Length", "Content-Encoding", "Transfer-Encoding",
      "Connection", "Expect",       "Trailer",        "Upgrade"};
  return std::ranges::any_of(
      kOurs, [&](const char* each) { return ::strcasecmp(each, name.c_str()) == 0; });
}

}  // namespace

Result<Url> parse_url(const std::string& text) {
  const auto refused = [&](const char* hint) {
    return fail(fmt::format("'{}' is nothing to send to", text), hint);
  };
  if (text.starts_with("https://"))
    return refused(
        "dbtrace speaks no TLS: run a collector on this machine, send to it "
        "(http://127.0.0.1:4318) "
        "and let it go on by https");
  if (!text.starts_with(kScheme)) return refused("it begins with http://");
  const size_t end = text.find('/', kScheme.size());
  Url url;
  url.host = text.substr(kScheme.size(), end == std::string::npos ? end : end - kScheme.size());
  if (end != std::string::npos) url.path = text.substr(end);
  while (url.path.ends_with('/')) url.path.pop_back();
  if (!std::ranges::all_of(url.path, is_visible) ||
      url.path.find_first_of("?#") != std::string::npos)
    return refused("behind the port there may be a path, and nothing else");
  const std::string numbers = url.host.starts_with(kLocalhost)
                                  ? "127.0.0.1:" + url.host.substr(kLocalhost.size())
                                  : url.host;
  const auto address = parse_address(numbers);
  if (!address || address->port() == 0)
    return refused(
        "names are not looked up: it is an address in numbers, or localhost, and a port, as in "
        "http://127.0.0.1:4318 or http://[::1]:4318");
  url.address = *address;
  return url;
}

Result<Header> parse_header(const std::string& text) {
  const size_t colon = text.find(':');
  Header header{.name = text.substr(0, colon), .value = {}};
  if (colon != std::string::npos) {
    const size_t begin = text.find_first_not_of(' ', colon + 1);
    if (begin != std::string::npos) header.value = text.substr(begin);
  }
  const auto can_be_sent = [](char c) { return is_visible(c) || c == ' '; };
  if (colon == std::string::npos || !is_token(header.name) ||
      !std::ranges::all_of(header.value, can_be_sent))
    return fail("that is no header", "a header is 'Name: value', in ASCII");  // perhaps a secret
  if (is_ours(header.name)) return fail(fmt::format("the header {} is dbtrace's own", header.name));
  return header;
}

}  // namespace dbtrace::http
