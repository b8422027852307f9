// Operations on files, summed up by subject and kind of operation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "src/commands/io/latencies.h"
#include "src/commands/io/subject.h"

namespace dbtrace::commands {

// Memory is bounded: subjects beyond kSubjectsMax are counted together.
class IoTable {
 public:
  static constexpr size_t kSubjectsMax = 4096;

  struct Row {
    IoSubject subject;
    model::FileOperation operation;
    Latencies latencies;
    std::string example;  // by query: one of its kind
  };

  void add(const IoSubject& subject, const model::IoOperation& operation,
           const model::Query* query = nullptr);
  void merge(const IoTable& other);
  void clear();

  // All operations of a kind, by model::FileOperation.
  [[nodiscard]] const std::array<Latencies, model::kFileOperations>& totals() const {
    return totals_;
  }
  [[nodiscard]] uint64_t operations() const;
  [[nodiscard]] uint64_t bytes() const;
  [[nodiscard]] uint64_t ns() const;
  // Those that took the most time first; valid until the next change.
  [[nodiscard]] std::vector<const Row*> rows() const;

 private:
  using Key = std::pair<IoSubject, model::FileOperation>;
  Row& row(const IoSubject& subject, model::FileOperation operation);

  std::array<Latencies, model::kFileOperations> totals_;
  std::map<Key, Row> rows_;
};

}  // namespace dbtrace::commands
