// Rows beside those of queries: what some of them have in other tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "src/recording/database.h"
#include "src/recording/statement.h"

namespace dbtrace::recording {

// Queries by their numbers, both ends included.
struct Ids {
  int64_t first = INT64_MIN;
  int64_t last = INT64_MAX;
  friend bool operator==(const Ids&, const Ids&) = default;
};

// The rows that some queries (or whatever has numbers) have in a table, in their order. Both are
// read once, side by side.
class Beside {
 public:
  // `columns`: what is wanted behind the query's number, which is the first column of `order`.
  Beside(Database& database, std::string_view table, std::string_view columns,
         std::string_view order = "query");
  // The next row of this query, at its first column behind the number; nullptr: it has no more.
  // Queries come in ascending order.
  [[nodiscard]] Statement* row_of(int64_t query);
  // The next queries are these; at first they are all.
  void seek(const Ids& ids);
  // There are no more of them.
  void end();

 private:
  void advance();

  Statement rows_;
  int64_t query_ = 0;  // of the row at hand
  bool taken_ = true;  // that row was handed out
  bool ended_ = false;
};

// Rows that stand for themselves, read when they are met. Memory is bounded.
template <typename Row>
class Known {
 public:
  static constexpr size_t kMost = 50'000;
  static constexpr size_t kMostBytes = 64 << 20;  // of texts, and one row
  Known(Database& database, std::string_view sql) : statement_(database.prepare(sql)) {}

  // The row of this number; `read(statement, row)` reads it. One that is not there is empty.
  template <typename Read>
  const Row& of(int64_t id, const Read& read) {
    if (const auto known = rows_.find(id); known != rows_.end()) return known->second;
    if (rows_.size() >= kMost || bytes_ >= kMostBytes) {
      rows_.clear();
      bytes_ = 0;
    }
    Row& row = rows_[id];
    statement_.put(id);
    if (statement_.next()) {
      bytes_ += statement_.bytes();
      read(statement_, row);
    }
    statement_.reset();
    return row;
  }

 private:
  Statement statement_;
  std::unordered_map<int64_t, Row> rows_;
  size_t bytes_ = 0;  // about
};

}  // namespace dbtrace::recording
