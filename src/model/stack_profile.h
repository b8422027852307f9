// The stacks of one query, or of all queries of one kind.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/model/query.h"
#include "src/model/stack.h"

namespace dbtrace::model {

struct StackProfile {
  std::string text;      // the query, or its kind
  uint64_t queries = 1;  // how many it is about
  uint64_t duration_ns = 0;
  Budget budget;  // of all of them
  std::vector<Sample> samples;
  std::optional<Query> query;  // the one that it is about
};

}  // namespace dbtrace::model
