// What many rows have in common is a row of its own, written when it is first met.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace dbtrace::recording {

// Stands for values of any number and kind. Nobody outside can make two the same.
class Key {
 public:
  explicit Key(uint64_t seed) : hash_(seed) {}
  Key& add(uint64_t number);
  Key& add(std::string_view bytes);
  template <typename Value>
  Key& add(const std::optional<Value>& value) {
    return value ? add(uint64_t{1}).add(*value) : add(uint64_t{0});
  }
  [[nodiscard]] uint64_t hash() const { return hash_; }

 private:
  uint64_t hash_;
};

// Memory is bounded: when too much is known all is forgotten, and a row may come twice.
class Dictionary {
 public:
  static constexpr size_t kMost = 100'000;

  Dictionary();
  [[nodiscard]] Key key() const { return Key(seed_); }

  // The number of the row of that key; `insert` makes the row if it is not known.
  template <typename Insert>
  int64_t number(const Key& key, const Insert& insert) {
    if (const auto known = numbers_.find(key.hash()); known != numbers_.end()) return known->second;
    if (numbers_.size() >= kMost) numbers_.clear();
    numbers_.emplace(key.hash(), ++last_);
    const int64_t number = last_;
    insert(number);
    return number;
  }

 private:
  uint64_t seed_;
  std::unordered_map<uint64_t, int64_t> numbers_;
  int64_t last_ = 0;
};

}  // namespace dbtrace::recording
