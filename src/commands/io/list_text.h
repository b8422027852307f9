// Single operations on files, a line each, for a person.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "src/model/io_operation.h"
#include "src/model/query.h"
#include "src/output/clock_text.h"
#include "src/output/text_line.h"

namespace dbtrace::commands {

// Not for use by several threads at once.
class IoListText {
 public:
  IoListText(bool color, bool several) : color_(color), several_(several), line_(0, color) {}

  void set_width(size_t columns) { line_ = output::TextLine(columns, color_); }
  void begin(std::string& out);
  // As IoReport::operation().
  void operation(const model::IoOperation& operation, const model::Query* query, std::string& out);

 private:
  [[nodiscard]] std::string_view time_of_day(uint64_t time_ns);
  [[nodiscard]] std::string_view digits(uint64_t number);
  void query_text(const model::IoOperation& operation, const model::Query* query, std::string& out);

  bool color_;
  bool several_;
  output::TextLine line_;
  output::ClockText clock_{output::Zone::Local, "%H:%M:%S"};
  std::string scratch_;  // the value of one cell
  std::string redacted_;
};

}  // namespace dbtrace::commands
