// What of a query may be shown: the same for all formats.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "src/model/query.h"

namespace dbtrace::output {

struct Shown {
  const model::Query& query;  // everything but the text, which stands below
  std::string_view text;      // redacted, and not ending within a character
  std::string_view bytes;     // redacted: all that was copied
  bool redacted = false;
  uint64_t missing_bytes = 0;  // of the whole text, that `text` does not show
};

// The name of the client's machine, or its address where there is no name.
[[nodiscard]] inline const std::optional<std::string>& shown_host(const model::Query& query) {
  return query.host && !query.host->empty() ? query.host : query.ip;
}

}  // namespace dbtrace::output
