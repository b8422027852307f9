// A client of HTTP servers on this machine, well-behaved or not.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "symbols/unique.h"

namespace dbtrace::testing {

// One connection. Throws std::runtime_error when nobody listens.
class HttpConnection {
 public:
  explicit HttpConnection(uint16_t port, int receive_buffer = 0);

  // As much as is taken at once; false: the other end has gone, or takes no more.
  bool send(std::string_view bytes);
  // What comes until the other end closes, or nothing more within the time.
  std::string receive(std::chrono::milliseconds patience = std::chrono::seconds(20));
  // Whether the other end closes within the time.
  [[nodiscard]] bool is_closed(std::chrono::milliseconds patience);

 private:
  UniqueFd socket_;
};

struct HttpAnswer {
  int status = 0;  // 0: none came
  std::string headers;
  std::string body;
};
[[nodiscard]] HttpAnswer http_get(uint16_t port, const std::string& path);

// A port that was free a moment ago.
[[nodiscard]] uint16_t free_port();

}  // namespace dbtrace::testing
