// The files that events refer to by number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/model/budget.h"
#include "src/stream/event_source.h"

namespace dbtrace::stream {

// Not thread-safe. Memory is bounded: of too many files those are forgotten that were
// not asked for the longest; they have no names from then on.
class Files {
 public:
  static constexpr size_t kMost = 65'536;

  // Remembers at most so many files, two or more.
  explicit Files(size_t most = kMost) : most_(most) {}

  // Takes a dbt_file_event. False: it is malformed.
  bool feed(std::span<const std::byte> event, const EventSource& source);

  // The file of this number; one without a name where that is not known. Valid until
  // the next feed().
  [[nodiscard]] const model::File& find(uint32_t number);

  // What find() has called otherwise before its source's namer knew better: old and new content.
  // Once each.
  using Renamed = std::vector<std::pair<std::string, std::string>>;
  [[nodiscard]] Renamed take_renamed();

 private:
  struct Known {
    model::File file;
    std::string folder;
    std::shared_ptr<profiles::FileNamer> namer;
    uint64_t edition = 0;  // of the namer, when it was asked
    uint64_t last_use = 0;
  };

  void ask_again(Known& known);
  void forget_half();

  size_t most_;
  std::unordered_map<uint32_t, Known> files_;
  Renamed renamed_;
  uint64_t uses_ = 0;
};

}  // namespace dbtrace::stream
