// Operations on files, told by what the server keeps in them.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/model/budget.h"

namespace dbtrace::model {

// At most `most` tables (or logs, or files: File::content); others, and what no
// query told the file of, are in rest().
class TableIo {
 public:
  explicit TableIo(size_t most) : most_(most) {}

  void add(const Io& io);
  void merge(const TableIo& other);
  void clear();

  struct Entry {
    std::string_view name;  // good until the next change
    IoCounts operations;
  };
  // The one with most time in operations first.
  [[nodiscard]] std::vector<Entry> heaviest_first() const;
  [[nodiscard]] const IoCounts& rest() const { return rest_; }
  [[nodiscard]] bool is_empty() const;

 private:
  void add(std::string_view name, const IoCounts& operations);

  size_t most_;
  std::map<std::string, IoCounts, std::less<>> tables_;
  IoCounts rest_{};
};

[[nodiscard]] uint64_t time_of(const IoCounts& operations);
[[nodiscard]] uint64_t number_of(const IoCounts& operations);

}  // namespace dbtrace::model
