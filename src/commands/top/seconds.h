// How many queries of each kind ended in each second of a recording.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "src/commands/top/history.h"

namespace dbtrace::commands::top {

// Seconds come in any order. Memory: 24 bytes for each second and kind that had queries.
class Seconds {
 public:
  void add(uint64_t second, std::span<const uint32_t> kinds, const History::Part& part);
  // Of each of so many kinds the last minute before `end`.
  [[nodiscard]] std::vector<History> minute_before(uint64_t end, size_t kinds) const;

 private:
  struct Cell {
    uint32_t kind = 0;
    History::Part part;
  };
  using Cells = std::vector<Cell>;  // by kind

  std::map<uint64_t, Cells> seconds_;
  std::pair<const uint64_t, Cells>* latest_ = nullptr;  // most come one after the other
};

}  // namespace dbtrace::commands::top
