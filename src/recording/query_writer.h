// Queries → rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "src/kinds/kinds.h"
#include "src/model/query.h"
#include "src/recording/database.h"
#include "src/recording/dictionary.h"
#include "src/recording/format.h"
#include "src/recording/sample_rows.h"
#include "src/recording/statement.h"

namespace dbtrace::recording {

// Not thread-safe. What goes wrong is the database's failure.
class QueryWriter {
 public:
  // `begin_ns`: of the recording. `literals`: texts stay as they are, but for passwords; else
  // only their fingerprints are kept.
  QueryWriter(Database& database, uint64_t begin_ns, bool literals);

  // The query stands for `weight` of its like.
  void add(const model::Query& query, uint64_t weight);
  // The row that tells of the query's kind.
  [[nodiscard]] int64_t kind_of(const model::Query& query);
  // Those that have the names of an event and of a file.
  [[nodiscard]] int64_t event_of(const model::WaitEvent& event);
  [[nodiscard]] int64_t file_of(const model::File& file);
  // Of the query that comes next.
  [[nodiscard]] int64_t next_id() const { return last_id_ + 1; }

 private:
  void add_budget(const model::Budget& budget);
  void add_details(const model::Query& query);
  void add_blocker(const model::Query& query, const model::Blocker& blocker);
  void add_io(const model::Io& io);
  void add_waits(const model::NamedWaits& waits);
  void add_stacks(const std::vector<model::NamedStack>& stacks);

  [[nodiscard]] int64_t session_of(const model::Query& query);
  [[nodiscard]] int64_t command_of(const model::Query& query);
  [[nodiscard]] TextForm form_of(const model::Query& query) const;
  [[nodiscard]] int64_t text_of(const model::Query& query);

  uint64_t begin_ns_;
  bool literals_;
  kinds::Kinds kinds_;
  int64_t last_id_ = 0;
  size_t kinds_written_ = 0;  // the first so many of kinds_ are rows
  std::string redacted_, frames_;

  Dictionary sessions_, commands_, texts_, files_, events_, stacks_;
  Statement session_, command_, kind_, text_, file_, event_, stack_;
  Statement query_, blocked_, detail_, blocker_, wait_, io_, file_io_, query_stack_;
  SampleWriter samples_;
};

}  // namespace dbtrace::recording
