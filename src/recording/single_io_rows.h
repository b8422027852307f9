// Single operations on files ↔ rows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "src/model/io_operation.h"
#include "src/model/query.h"
#include "src/recording/database.h"
#include "src/recording/dictionary.h"
#include "src/recording/query_reader.h"
#include "src/recording/query_writer.h"
#include "src/recording/statement.h"

namespace dbtrace::recording {

// Not thread-safe, as the other one. What goes wrong is the database's failure.
class SingleIoWriter {
 public:
  // `begin_ns`: of the recording.
  SingleIoWriter(Database& database, uint64_t begin_ns);

  // `names`: of the same database.
  void add(const model::IoOperation& operation, QueryWriter& names);

 private:
  [[nodiscard]] int64_t thread_of(const model::IoOperation& operation);

  uint64_t begin_ns_;
  Dictionary threads_;
  Statement thread_, operation_;
};

class SingleIoReader {
 public:
  // `with_queries`: whose operations they are is asked for; it takes temporary room for each query.
  SingleIoReader(Database& database, uint64_t begin_ns, bool with_queries);

  // The next one, in the order in which they were told of; false: there are no more.
  [[nodiscard]] bool next();
  [[nodiscard]] const model::IoOperation& operation() const { return operation_; }
  // What it was done for, as far as queries' own rows say (QueryReader::find()); nullptr: none, or
  // one that was not recorded, or nobody has asked.
  [[nodiscard]] const model::Query* query();

 private:
  struct Thread {
    uint32_t pid = 0, tid = 0;
    std::string name;
  };

  uint64_t begin_ns_;
  model::IoOperation operation_;
  std::optional<int64_t> query_;
  Statement rows_;
  Known<Thread> threads_;
  Known<model::File> files_;
  QueryReader queries_;
};

// Whether the recording is one that has them, be they none.
[[nodiscard]] bool has_single_io(Database& database);

}  // namespace dbtrace::recording
