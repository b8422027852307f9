// Operations on files, summed up by subject and kind.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "src/commands/io/kind.h"
#include "src/commands/io/latencies.h"
#include "src/commands/io/subject.h"

namespace dbtrace::commands {

// Memory is bounded: subjects beyond kSubjectsMax are counted together.
class IoTable {
 public:
  static constexpr size_t kSubjectsMax = 4096;

  struct Row {
    IoSubject subject;
    IoKind kind;
    Latencies latencies;
    std::string example;  // by query: one of its kind
  };

  void add(const IoSubject& subject, const model::IoOperation& operation,
           const model::Query* query = nullptr);
  void merge(const IoTable& other);
  // What was counted of table `from` is of table `to`; in sums by table and by file.
  void rename_table(const std::string& from, const std::string& to, IoBy by);
  void clear();

  // All operations of a kind, by IoKind.
  [[nodiscard]] const std::array<Latencies, kIoKinds>& totals() const { return totals_; }
  [[nodiscard]] uint64_t operations() const;
  [[nodiscard]] uint64_t bytes() const;
  // Of those kinds that are asynchronous, or of those that are not.
  [[nodiscard]] uint64_t ns(bool asynchronous) const;
  // The part of ns() that a row has: 0 to 1.
  [[nodiscard]] double share(const Row& row) const;
  // Those that took the most time first; valid until the next change.
  [[nodiscard]] std::vector<const Row*> rows() const;

 private:
  using Key = std::pair<IoSubject, IoKind>;
  Row& row(const IoSubject& subject, IoKind kind);

  std::array<Latencies, kIoKinds> totals_;
  std::map<Key, Row> rows_;
};

}  // namespace dbtrace::commands
