// What of a query may be shown: the same for all formats.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "src/model/query.h"

namespace dbtrace::output {

struct ShownText {
  std::string_view visible;  // redacted, and not ending within a character
  std::string_view bytes;    // redacted: all that was copied
  bool redacted = false;
  uint64_t missing_bytes = 0;  // of the whole text, that `visible` does not show
};

// `text` is of `length` bytes in truth. The result refers to it, or to `redacted`, which
// keeps what is shown instead of it.
[[nodiscard]] ShownText shown_text(const std::string& text, uint64_t length, std::string& redacted);

struct Shown {
  const model::Query& query;  // everything but the texts, which stand below
  ShownText text;
  ShownText blocker;  // its query's
};

// The name of the client's machine, or its address where there is no name.
[[nodiscard]] inline const std::optional<std::string>& shown_host(const model::Query& query) {
  return query.host && !query.host->empty() ? query.host : query.ip;
}

}  // namespace dbtrace::output
