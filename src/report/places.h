// Of what has many values, the heaviest get places; all others share the one behind. Private to
// this room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

namespace dbtrace::report {

template <typename Value>
class Places {
 public:
  explicit Places(size_t most) : most_(most) {}

  void add(const Value& value) {
    if (places_.size() < most_) places_.emplace(value, static_cast<uint32_t>(places_.size()));
  }
  [[nodiscard]] uint32_t of(const Value& value) const {
    const auto place = places_.find(value);
    return place == places_.end() ? others() : place->second;
  }
  [[nodiscard]] uint32_t others() const { return static_cast<uint32_t>(places_.size()); }

 private:
  size_t most_;
  std::map<Value, uint32_t> places_;
};

}  // namespace dbtrace::report
