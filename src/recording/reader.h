// Reader: a recording that is there, as the values it was made of.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/kinds/kernel_sums.h"
#include "src/model/query.h"
#include "src/recording/database.h"
#include "src/recording/query_reader.h"
#include "src/recording/second_rows.h"
#include "src/recording/single_io_rows.h"
#include "src/recording/writer.h"
#include "symbols/result.h"

namespace dbtrace::recording {

// Not for use by several threads at once. Whatever the file is, it is refused with a reason or read
// as far as it is sound.
class Reader {
 public:
  // Errors: no recording (says why), of a later version, not readable.
  [[nodiscard]] static Result<Reader> open(const std::string& path);
  // Of what Writer::create_in_memory() made, while that writer is there.
  [[nodiscard]] static Result<Reader> open_in_memory(const std::string& name);

  // Times since the Unix epoch; of a recording that was cut off: its last commit.
  [[nodiscard]] uint64_t begin_ns() const { return begin_ns_; }
  [[nodiscard]] uint64_t end_ns() const { return end_ns_; }
  [[nodiscard]] bool is_finished() const { return finished_; }
  // Whether texts are the queries' own (model::Query::is_fingerprint).
  [[nodiscard]] bool has_literals() const { return literals_; }
  // Whether there were stretches in which not all queries were kept.
  [[nodiscard]] bool is_sampled() const { return !stretches_.empty(); }
  // When those ended, since the Unix epoch.
  [[nodiscard]] std::vector<uint64_t> stretch_ends() const;
  [[nodiscard]] const std::string& path() const { return path_; }
  // That made it: "dbtrace 0.1.0".
  [[nodiscard]] const std::string& program() const { return program_; }

  // Before the first next(): queries have all their stacks, too (model::Query::samples). False: an
  // earlier version made it, which kept some of them only.
  [[nodiscard]] bool want_samples();
  // The next query, in the order of their ends; nullptr: no more. Those of stretches in which not
  // all were kept are examples of their kinds (model::Query::kind), which sums() counts. Valid
  // until the next call; what is "static storage" in it, as long as the reader is.
  [[nodiscard]] Result<const model::Query*> next();
  // Its number.
  [[nodiscard]] int64_t id() const { return queries_->id(); }
  // From here on next() hands out these.
  void seek(const Ids& ids);

  // What all queries spent in the next second; nullptr: no more, or a recording that has none.
  // Valid until the next call.
  [[nodiscard]] Result<const model::Spending*> next_second();

  // Whether single operations on files were recorded, be they none.
  [[nodiscard]] Result<bool> has_operations();
  // From the first one on. `with_queries`: query_of_operation() is asked for, which takes temporary
  // room for each query.
  [[nodiscard]] Result<void> begin_operations(bool with_queries);
  // In the order in which they were told of, nearly that of their ends; nullptr: no more, or a
  // recording of a version without. Valid until the next call.
  [[nodiscard]] Result<const model::IoOperation*> next_operation();
  // SingleIoReader::query() of the last.
  [[nodiscard]] const model::Query* query_of_operation() { return operations_->query(); }
  // Operations that were done from the first nanosecond to before the last and are not in it.
  [[nodiscard]] Result<uint64_t> lost_operations(uint64_t from_ns, uint64_t to_ns);

  // Of the stretches in which not all were kept, by kind; and for each of these an example that
  // has nothing but its kind and its fingerprint.
  [[nodiscard]] Result<kinds::KernelSums::Sums> sums();
  // The same of the stretches that ended within a time: from the first nanosecond to before the
  // last.
  [[nodiscard]] Result<kinds::KernelSums::Sums> sums(uint64_t from_ns, uint64_t to_ns);
  [[nodiscard]] Result<std::vector<model::Query>> examples();
  // In the order in which they were met.
  [[nodiscard]] Result<std::vector<ServerNote>> servers();
  // Whether any query has stacks.
  [[nodiscard]] Result<bool> has_stacks();
  [[nodiscard]] Result<std::vector<Incident>> incidents();
  // Queries that are in sums() only.
  [[nodiscard]] Result<uint64_t> summed_up();
  // What was noted last, by name (CounterNote).
  [[nodiscard]] Result<std::map<std::string, uint64_t>> counters();

 private:
  struct Range {
    int64_t first = 0;
    int64_t count = 0;
    uint64_t end_ns = 0;
  };
  Reader(std::string path, Database database)
      : path_(std::move(path)), database_(std::move(database)) {}
  [[nodiscard]] static Result<Reader> begin(const std::string& path, Result<Database> database);
  [[nodiscard]] Result<void> begin();
  template <typename Value>
  [[nodiscard]] Result<Value> unless_failed(Value value) const;
  [[nodiscard]] bool is_example(int64_t query);

  std::string path_, program_;
  Database database_;
  uint64_t begin_ns_ = 0, end_ns_ = 0;
  bool finished_ = false, literals_ = false;
  std::vector<Range> stretches_;
  size_t stretch_ = 0;  // the first that may hold the next query
  std::unique_ptr<QueryReader> queries_;
  std::unique_ptr<SecondReader> seconds_;
  std::unique_ptr<SingleIoReader> operations_;
  model::Query example_;
};

}  // namespace dbtrace::recording
