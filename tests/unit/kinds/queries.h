// Queries to count.
#pragma once

#include <string>
#include <utility>

#include "src/model/query.h"

namespace dbtrace::kinds {

inline model::Query query_of(std::string text, uint64_t duration_ns = 1000) {
  model::Query query;
  query.flavor = "mysql";
  query.command = "Query";
  query.connection_id = 7;
  query.user = "anna";
  query.database = "shop";
  query.text_state = model::TextState::Present;
  query.text_length = text.size();
  query.text = std::move(text);
  query.duration_ns = duration_ns;
  query.error = 0;
  return query;
}

}  // namespace dbtrace::kinds
