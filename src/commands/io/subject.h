// What operations on files are counted by: a table, a file, a kind of query or a thread.
#pragma once

#include <compare>
#include <string>

#include "src/kinds/fingerprints.h"
#include "src/model/io_operation.h"
#include "src/model/query.h"

namespace dbtrace::commands {

enum class IoBy { Table, File, Operation, Query, Thread };

struct IoSubject {
  enum class Kind {
    Named,
    Background,  // by query or thread: a thread of that name that is in no command
    Unknown,     // the file has no name, or the command's text never came
    Others,      // more than can be told apart
  };
  Kind kind = Kind::Named;
  std::string name;   // of the table, file, kind of query (its fingerprint) or thread; raw bytes
  std::string table;  // by file: what the server keeps in it
  friend auto operator<=>(const IoSubject&, const IoSubject&) = default;
};

// Not for use by two threads at once.
class IoSubjects {
 public:
  explicit IoSubjects(IoBy by) : by_(by) {}
  [[nodiscard]] IoBy by() const { return by_; }
  // Whether of() needs the query that an operation was done for.
  [[nodiscard]] bool needs_queries() const { return by_ == IoBy::Query; }

  // `query`: nullptr when it is not known, or when there is none.
  [[nodiscard]] IoSubject of(const model::IoOperation& operation, const model::Query* query);

 private:
  [[nodiscard]] IoSubject kind_of_query(const model::IoOperation& operation,
                                        const model::Query* query);

  IoBy by_;
  kinds::Fingerprints fingerprints_{sql::FingerprintMode::MySql};
  std::string redacted_;
};

// A query as an example of its kind: redacted, what was cut marked with "…".
[[nodiscard]] std::string example_of(const model::Query& query);

}  // namespace dbtrace::commands
