// Collector: from the queries of a recording to what a report tells of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/kinds/kernel_sums.h"
#include "src/kinds/kind_table.h"
#include "src/kinds/order.h"
#include "src/kinds/slices.h"
#include "src/model/query.h"
#include "src/model/sums.h"
#include "src/model/table_io.h"
#include "src/model/wait_sums.h"
#include "src/report/blocks.h"
#include "src/report/slow_queries.h"
#include "src/report/timeline.h"

namespace dbtrace::report {

// What the queries of a kind came to in a bucket of the timeline. Times in nanoseconds.
struct Cell {
  uint32_t kind = 0;
  uint64_t count = 0;
  uint64_t errors = 0;
  uint64_t total_ns = 0;
  uint64_t max_ns = 0;
  model::Budget budget;  // of those that have one
  kinds::Slice durations;
};

// Everything about a bucket that a reader of the report may ask for by itself.
struct Bucket {
  std::vector<Cell> cells;
  std::vector<std::pair<std::string, model::IoCounts>> tables;
  model::IoCounts other_tables{};
  std::vector<std::pair<model::WaitEvent, model::EventSums>> events;
  std::vector<std::pair<Block, BlockSums>> blocks;
  BlockSums other_blocks;
};

struct CollectorOptions {
  Timeline timeline;
  bool several_servers = false;
  bool literals = true;  // texts are the queries' own (recording::Reader::has_literals)
};

// Fed with queries in the order of their ends, nearly; a query counts where it comes. Memory is
// bounded by the numbers of kinds, tables, events and buckets. Not thread-safe.
class Collector {
 public:
  static constexpr size_t kMostTables = 500;
  static constexpr size_t kMostEvents = 500;

  explicit Collector(const CollectorOptions& options);

  // One that stands for the others of its key (model::Query::kind), whose sums add() gets: before
  // them.
  void example(const model::Query& query);
  void take(const model::Query& query);
  // Queries of those keys, of the present bucket.
  void add(const kinds::KernelSums::Sums& sums);
  // The next query belongs to the next one. After the last query, too.
  void end_bucket();

  [[nodiscard]] const Timeline& timeline() const { return options_.timeline; }
  [[nodiscard]] size_t bucket() const { return buckets_.size(); }
  // Of the present bucket.
  [[nodiscard]] uint64_t bucket_end_ns() const { return timeline().end_of(bucket()); }

  // What is asked from here on is as of the last end_bucket().
  [[nodiscard]] const std::vector<Bucket>& buckets() const { return buckets_; }
  [[nodiscard]] const kinds::Kinds& kinds() const { return table_.kinds(); }
  [[nodiscard]] const model::Sums& all() const { return table_.total_of_all(); }
  // Those with queries, the one that took most time first.
  [[nodiscard]] std::vector<kinds::Ranked> ranked() const;
  [[nodiscard]] const model::TableIo& tables() const { return tables_; }
  // As far as the server says what it waits for: waits by name.
  [[nodiscard]] const model::WaitSums& waits() const { return waits_; }
  [[nodiscard]] const Blocks& blocks() const { return blocks_; }
  [[nodiscard]] const SlowQueries& slow() const { return slow_; }

 private:
  void add_blocker(const model::Query& query, uint32_t kind);
  [[nodiscard]] Cell cell_of(uint32_t kind) const;

  CollectorOptions options_;
  kinds::KindTable table_;
  std::unordered_map<uint64_t, std::vector<uint32_t>> keys_;
  std::vector<Bucket> buckets_;
  model::TableIo tables_{kMostTables}, tables_now_{kMostTables};
  model::WaitSums waits_, waits_now_;
  Blocks blocks_, blocks_now_;
  SlowQueries slow_;
};

}  // namespace dbtrace::report
