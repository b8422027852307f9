// Fingerprints of queries of any server, each by its own rules.
#pragma once

#include <array>
#include <string_view>

#include "src/model/query.h"
#include "src/sql/fingerprint.h"

namespace dbtrace::kinds {

[[nodiscard]] sql::Dialect dialect_of(const model::Query& query);

// Not thread-safe.
class Fingerprints {
 public:
  explicit Fingerprints(sql::FingerprintMode mode);

  // Of `text`, which is the query's or what may be shown of it. Valid until the next call.
  [[nodiscard]] sql::Fingerprint of(const model::Query& query, std::string_view text);

 private:
  std::array<sql::Fingerprinter, 3> by_dialect_;
};

}  // namespace dbtrace::kinds
