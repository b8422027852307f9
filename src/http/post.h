// A POST over HTTP/1.1 in clear text.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "src/http/answer.h"
#include "src/http/url.h"
#include "symbols/result.h"

namespace dbtrace::http {

struct Request {
  const Url& to;
  std::string_view path;  // behind that of `to`: "/v1/metrics"
  std::string_view type;  // of the body
  std::string_view agent;
  const std::vector<Header>& headers;  // besides
  std::string_view body;
};

// When to give up; asked several times a second, as it may come nearer meanwhile.
using Deadline = std::function<std::chrono::steady_clock::time_point()>;

// On a connection of its own. Waits for the answer, but not beyond the deadline. Errors: there was
// none that could be read.
[[nodiscard]] Result<Answer> post(const Request& request, const Deadline& deadline);

}  // namespace dbtrace::http
