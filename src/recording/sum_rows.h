// What the queries of each kind come to in a stretch ↔ rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "src/kinds/kernel_sums.h"
#include "src/model/query.h"
#include "src/model/sums.h"
#include "src/recording/database.h"
#include "src/recording/rate_limit.h"
#include "src/recording/statement.h"

namespace dbtrace::recording {

// Not thread-safe. What goes wrong is the database's failure.
class SumWriter {
 public:
  explicit SumWriter(Database& database);

  // Until the next end_stretch().
  void add(int64_t kind, const model::Query& query) { sums_[kind].add(query); }
  // In the present stretch.
  [[nodiscard]] size_t kinds() const { return sums_.size(); }
  // `first_query`: the number of the first one that was kept in it.
  void end_stretch(const Stretch& stretch, int64_t first_query);

 private:
  void write(int64_t stretch, int64_t kind, const model::Sums& sums);

  std::unordered_map<int64_t, model::Sums> sums_;
  int64_t last_stretch_ = 0;
  Statement stretch_, sum_, io_, duration_;
};

// By kind: all stretches together that ended from `from_ns` to before `to_ns`.
[[nodiscard]] kinds::KernelSums::Sums read_sums(Database& database, uint64_t from_ns,
                                                uint64_t to_ns);

}  // namespace dbtrace::recording
