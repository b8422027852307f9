// JSON of texts and lists, appended value by value to a buffer. Private to this room.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "src/output/digits.h"
#include "src/output/escape.h"
#include "src/output/json_writer.h"

namespace dbtrace::report {

// As a person sees it: on one line, escapes for what is unsafe.
inline void add_string(output::JsonObject& object, std::string_view key, std::string_view text) {
  std::string visible;
  output::append_visible(visible, text);
  object.string(key, visible);
}

class List {
 public:
  explicit List(std::string& out) : out_(out) { out_ += '['; }
  void end() { out_ += ']'; }

  // Begins a value, which the caller appends.
  std::string& next() {
    if (!empty_) out_ += ',';
    empty_ = false;
    return out_;
  }
  List& add(std::unsigned_integral auto value) {
    output::append_number(next(), uint64_t{value});
    return *this;
  }
  // As add_string() has it.
  List& add(std::string_view text) {
    std::string visible;
    output::append_visible(visible, text);
    output::append_json_string(next(), visible);
    return *this;
  }

 private:
  std::string& out_;
  bool empty_ = true;
};

}  // namespace dbtrace::report
