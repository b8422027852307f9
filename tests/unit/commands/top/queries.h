// Queries for `dbtrace top` to count.
#pragma once

#include <string>
#include <utility>

#include "src/commands/top/top_state.h"
#include "src/model/query.h"

namespace dbtrace::commands::top {

inline constexpr uint64_t kMicrosecond = 1'000, kMillisecond = 1'000'000, kSecond = 1'000'000'000;

inline model::Query query_of(std::string text, uint64_t duration_ns) {
  model::Query query;
  query.flavor = "mysql";
  query.command = "Query";
  query.start_ns = 1'700'000'000 * kSecond;
  query.connection_id = 7;
  query.text_state = model::TextState::Present;
  query.text_length = text.size();
  query.text = std::move(text);
  query.duration_ns = duration_ns;
  query.error = 0;
  return query;
}

inline model::FileIo file_io(std::string content, model::FileOperation operation, uint64_t count,
                             uint64_t bytes, uint64_t ns) {
  model::FileIo file{.file = {.name = content + ".ibd", .content = content}, .operations = {}};
  file.operations[static_cast<size_t>(operation)] = {count, 0, bytes, ns, ns};
  return file;
}

// A state that begins at second 1000.
inline constexpr uint64_t kBegin_ns = 1000 * kSecond;
inline TopState state_of(size_t max_kinds = 100) {
  return {{.max_kinds = max_kinds}, {.time_ns = kBegin_ns, .lost = 0, .waits = {}}};
}

// Its kind; one that there is not when it is not known.
inline uint32_t find_kind(const TopState& state, std::string_view text) {
  for (uint32_t kind = 0; kind < state.kinds(); ++kind)
    if (state.kind(kind).text == text) return kind;
  return UINT32_MAX;
}

}  // namespace dbtrace::commands::top
