// Where the time of a query went, on its line for a person: a few columns, a bar of
// letters, and remarks on what deserves one.
#pragma once

#include <span>
#include <string>

#include "src/output/shown.h"
#include "src/output/text_line.h"

namespace dbtrace::output {

// Up to this part of a query, and not less than this, may be missing in its budget
// without a remark: probes and budgets do not end in the same nanosecond.
inline constexpr uint64_t kUnexplainedPart = 100;  // a hundredth
inline constexpr uint64_t kUnexplained_ns = 20'000;

struct BudgetColumn;

// Columns that share one line with a query's others; how many depends on its width.
class BudgetText {
 public:
  // Columns of a terminal from which on all of them leave room for the query.
  static constexpr size_t kWideEnough = 160;

  // `width`: 0 = unlimited.
  explicit BudgetText(size_t width);

  // What the letters of the bar mean; a line's content.
  void legend(TextLine& line, std::string& out) const;
  void headings(TextLine& line, std::string& out) const;
  void cells(const model::Query& query, TextLine& line, std::string& out);
  // Before the query's text: an unexplained rest, where no column shows it, the server's name
  // for what took most of the time, and the blocker.
  void remarks(const Shown& shown, TextLine& line, std::string& out);

 private:
  void blocker(const model::Blocker& blocker, const ShownText& text, TextLine& line,
               std::string& out);

  std::span<const BudgetColumn> columns_;
  std::string scratch_;
};

// "#9", "background ib_log_flush", "#9, idle in transaction".
[[nodiscard]] std::string who(const model::Blocker& blocker);

// "[Lock:transactionid]", where that leaves the query most of what is left of the line.
void append_wait(const model::WaitEvent& event, TextLine& line, std::string& out);

// The budget as a bar of `cells` letters in their colours; nothing when it is empty.
void append_bar(const model::Budget& budget, size_t cells, TextLine& line, std::string& out);

// The bar, and behind it each part that is not nothing: its letter, name and time.
void append_bar_and_times(const model::Budget& budget, size_t cells, TextLine& line,
                          std::string& out);

}  // namespace dbtrace::output
