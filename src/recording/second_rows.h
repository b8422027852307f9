// What all queries together spent, second by second ↔ rows.
#pragma once

#include <cstdint>

#include "src/model/wait_sums.h"
#include "src/recording/database.h"
#include "src/recording/query_reader.h"
#include "src/recording/query_writer.h"
#include "src/recording/statement.h"

namespace dbtrace::recording {

// Not thread-safe, as the other one. What goes wrong is the database's failure.
class SecondWriter {
 public:
  explicit SecondWriter(Database& database);

  // `names`: of the same database. Returns how many rows that took.
  uint64_t add(const model::Spending& second, QueryWriter& names);

 private:
  uint64_t add_cause(size_t cause, const model::WaitSums& sums);

  int64_t last_id_ = 0;
  Statement second_, cause_, wait_, event_;
};

class SecondReader {
 public:
  explicit SecondReader(Database& database);

  // The next one, in the order in which they were added; false: there are no more.
  [[nodiscard]] bool next();
  [[nodiscard]] const model::Spending& second() const { return second_; }

 private:
  void add_causes(int64_t id);
  void add_waits(int64_t id);
  void add_events(int64_t id);

  model::Spending second_;
  Statement rows_;
  Beside causes_, waits_, events_;
  Known<model::WaitEvent> names_;
};

}  // namespace dbtrace::recording
