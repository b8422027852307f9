// One row of comma-separated values after RFC 4180. All text is quoted, and shown as for a
// person: a value can end neither its field nor its row, nor drive a terminal, nor be a formula: an
// apostrophe stands before what looks like one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "src/model/budget.h"

namespace dbtrace::output {

// Not for use by several threads at once.
class CsvRow {
 public:
  explicit CsvRow(std::string& out) : out_(out) {}

  // As it is: a word of dbtrace's own, a time. Empty: not known.
  CsvRow& word(std::string_view word);
  CsvRow& text(std::string_view text);
  CsvRow& text_if_known(const std::optional<std::string>& text);
  CsvRow& number(uint64_t number);
  template <typename Number>
  CsvRow& number(const std::optional<Number>& number) {
    return number ? this->number(uint64_t{*number}) : word({});
  }
  // The fields that append_budget_heading() names; nullptr: not known.
  CsvRow& budget(const model::Budget* budget);
  CsvRow& io(const model::IoCounts* operations);
  void end();

 private:
  void begin_field();

  std::string& out_;
  bool is_empty_ = true;
  std::string shown_;
};

// ",on_cpu_ns,…": what budget() and io() fill in.
void append_budget_heading(std::string& out);

}  // namespace dbtrace::output
