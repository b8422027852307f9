#include "src/model/table_io.h"

#include <algorithm>

namespace dbtrace::model {
namespace {

void take_away(uint64_t& from, uint64_t amount) { from -= std::min(from, amount); }

// A query tells of all its operations, and of the files with most of them.
IoCounts without(IoCounts all, const IoCounts& part) {
  for (size_t i = 0; i < all.size(); ++i) {
    take_away(all[i].count, part[i].count);
    take_away(all[i].blocked, part[i].blocked);
    take_away(all[i].bytes, part[i].bytes);
    take_away(all[i].ns, part[i].ns);
    all[i].max_ns = std::min(all[i].max_ns, all[i].ns);
  }
  return all;
}

}  // namespace

uint64_t time_of(const IoCounts& operations) {
  uint64_t sum = 0;
  for (const IoCount& operation : operations) sum += operation.ns;
  return sum;
}

uint64_t number_of(const IoCounts& operations) {
  uint64_t sum = 0;
  for (const IoCount& operation : operations) sum += operation.count;
  return sum;
}

void TableIo::add(const Io& io) {
  IoCounts told{};
  for (const FileIo& file : io.files) {
    add_to(told, file.operations);
    const std::string& name = file.file.content.empty() ? file.file.name : file.file.content;
    if (name.empty())
      add_to(rest_, file.operations);
    else
      add(name, file.operations);
  }
  add_to(rest_, without(io.operations, told));
}

void TableIo::add(std::string_view name, const IoCounts& operations) {
  const auto known = tables_.find(name);
  if (known != tables_.end())
    add_to(known->second, operations);
  else if (tables_.size() < most_)
    tables_.emplace(name, operations);
  else
    add_to(rest_, operations);
}

void TableIo::merge(const TableIo& other) {
  for (const auto& [name, operations] : other.tables_) add(name, operations);
  add_to(rest_, other.rest_);
}

void TableIo::clear() {
  tables_.clear();
  rest_ = {};
}

std::vector<TableIo::Entry> TableIo::heaviest_first() const {
  std::vector<Entry> entries;
  for (const auto& [name, operations] : tables_) entries.push_back({name, operations});
  std::ranges::stable_sort(entries, std::greater(),
                           [](const Entry& entry) { return time_of(entry.operations); });
  return entries;
}

bool TableIo::is_empty() const { return tables_.empty() && number_of(rest_) == 0; }

}  // namespace dbtrace::model
