// Whom to send to.
#pragma once

#include <string>

#include "src/http/address.h"
#include "symbols/result.h"

namespace dbtrace::http {

// "http://127.0.0.1:4318/prefix"
struct Url {
  Address address;
  std::string host;  // as a request names it: "127.0.0.1:4318"
  std::string path;  // without a slash at its end; often empty
};

// Names are not looked up, but for localhost. https is not spoken.
[[nodiscard]] Result<Url> parse_url(const std::string& text);

struct Header {
  std::string name;
  std::string value;
};

// Of "Name: value". Those that a request has anyway are refused.
[[nodiscard]] Result<Header> parse_header(const std::string& text);

}  // namespace dbtrace::http
