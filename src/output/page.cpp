#include "src/output/page.h"

#include <sha2.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "src/output/json_writer.h"

namespace dbtrace::output {

void append_page(std::string_view page, std::span<const PageValue> values, std::string& out) {
  for (;;) {
    const size_t begin = page.find("{{");
    out += page.substr(0, begin);
    if (begin == std::string_view::npos) return;
    const size_t end = page.find("}}", begin);
    const std::string_view name = page.substr(begin + 2, end - begin - 2);
    const auto value = std::ranges::find(values, name, &PageValue::name);
    if (value != values.end()) out += value->value;
    page.remove_prefix(end + 2);
  }
}

std::string policy_hash(std::string_view text) {
  std::array<uint8_t, SHA256_DIGEST_LENGTH> digest;
  SHA2_CTX context;
  SHA256Init(&context);
  SHA256Update(&context, reinterpret_cast<const uint8_t*>(text.data()), text.size());
  SHA256Final(digest.data(), &context);
  std::string hash = "'sha256-";
  append_base64(hash, {reinterpret_cast<const char*>(digest.data()), digest.size()});
  return hash + '\'';
}

std::string json_for_page(std::string_view json) {
  std::string harmless;
  harmless.reserve(json.size());
  for (const char c : json) c == '<' ? harmless += "\\u003c" : harmless += c;
  return harmless;
}

}  // namespace dbtrace::output
