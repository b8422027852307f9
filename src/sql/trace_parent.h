// The trace that a client says its statement belongs to: W3C's trace context in a comment as
// sqlcommenter writes it (https://google.github.io/sqlcommenter/spec).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace dbtrace::sql {

// Neither id is all zero.
struct TraceParent {
  std::array<uint8_t, 16> trace{};
  std::array<uint8_t, 8> span{};  // of the client, which this statement is a part of
  uint8_t flags = 0;              // bit 0: it is sampled
  friend bool operator==(const TraceParent&, const TraceParent&) = default;
};

// Of a whole text that begins or ends with a comment /*key='value',…*/, of which one value is a
// traceparent of version 00, perhaps URL-encoded. What is not exactly so is none. Linear in the
// text.
[[nodiscard]] std::optional<TraceParent> trace_parent_of(std::string_view text);

}  // namespace dbtrace::sql
