// The files that events refer to by number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>

#include "profiles/profile.h"
#include "src/model/budget.h"

namespace dbtrace::stream {

// Not thread-safe. Memory is bounded: of too many files those are forgotten that were
// not asked for the longest; they have no names from then on.
class Files {
 public:
  static constexpr size_t kMax = 65'536;

  // Takes a dbt_file_event. False: it is malformed.
  bool feed(std::span<const std::byte> event, const profiles::Profile& profile);

  // The file of this number; one without a name where that is not known. Valid until
  // the next feed().
  [[nodiscard]] const model::File& find(uint32_t number);

 private:
  struct Known {
    model::File file;
    uint64_t last_use = 0;
  };

  void forget_half();

  std::unordered_map<uint32_t, Known> files_;
  uint64_t uses_ = 0;
};

}  // namespace dbtrace::stream
