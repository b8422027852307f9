// Lines for a person: columns that line up, the query last.
//
// Cut to a terminal's width, every line fits; otherwise nothing is cut and a
// long name pushes the columns behind it to the right.
#include <algorithm>

#include "src/output/budget_text.h"
#include "src/output/clock_text.h"
#include "src/output/digits.h"
#include "src/output/duration.h"
#include "src/output/formats.h"
#include "src/output/shown.h"
#include "src/output/stack_lines.h"
#include "src/output/text_line.h"

namespace dbtrace::output {
namespace {

using model::Query;
using model::TextState;

// A statement stands to the right of what it runs in, up to a point.
constexpr size_t kIndent = 2;
constexpr uint32_t kDeepestShown = 16;

constexpr uint64_t kSlow_ns = 100'000'000;  // worth a colour

constexpr Column kServer{"PID", 7, Align::Right, false};
constexpr Column kConnection{"CONN", 6, Align::Right, false};
constexpr Column kTaken{"TOOK", 6, Align::Right, false};
constexpr Column kRows{"ROWS", 6, Align::Right, false};
constexpr std::string_view kQueryTitle = "QUERY";

// What takes less room on a narrow terminal, where the query would have none.
struct Layout {
  Column time;
  Column user;
  Column database;
  bool milliseconds;
  bool host;
};
constexpr Layout kWide{.time = {"TIME", 12, Align::Left, false},
                       .user = {"USER", 18, Align::Left, true},
                       .database = {"DB", 12, Align::Left, true},
                       .milliseconds = true,
                       .host = true};
constexpr Layout kNarrow{.time = {"TIME", 8, Align::Left, false},
                         .user = {"USER", 8, Align::Left, true},
                         .database = {"DB", 8, Align::Left, true},
                         .milliseconds = false,
                         .host = false};
constexpr size_t kWideEnough = 110;  // columns: two fifths of them for the query

bool is_wide(const FormatOptions& options) {
  return options.width == 0 ||
         options.width >= (options.budget ? BudgetText::kWideEnough : kWideEnough);
}

class TextSink final : public Sink {
 public:
  explicit TextSink(const FormatOptions& options)
      : options_(options),
        layout_(is_wide(options) ? kWide : kNarrow),
        line_(options.width, options.color),
        budget_(options.width) {}
  void begin(std::string& out) override;

 private:
  void format(const Shown& shown, std::string& out) override;

  void query_text(const Shown& shown, std::string& out);
  template <typename Number>
  std::string_view digits(const std::optional<Number>& number);
  std::string_view account(const Query& query);
  std::string_view time_of_day(uint64_t start_ns);

  FormatOptions options_;
  const Layout& layout_;
  ClockText clock_{Zone::Local, "%H:%M:%S"};
  TextLine line_;
  BudgetText budget_;
  std::string scratch_;  // the value of one cell
};

template <typename Number>
std::string_view TextSink::digits(const std::optional<Number>& number) {
  if (!number) return "-";
  scratch_.clear();
  append_number(scratch_, *number);
  return scratch_;
}

std::string_view TextSink::account(const Query& query) {
  const std::optional<std::string>& host = shown_host(query);
  if (!query.user && !(layout_.host && host)) return "-";
  scratch_ = query.user ? *query.user : "-";
  if (layout_.host && host && !host->empty()) {
    scratch_ += '@';
    scratch_ += *host;
  }
  return scratch_;
}

std::string_view TextSink::time_of_day(uint64_t start_ns) {
  scratch_ = clock_.at(start_ns / kNanosecondsPerSecond);
  if (layout_.milliseconds) {
    scratch_ += '.';
    append_zero_padded(scratch_, start_ns % kNanosecondsPerSecond / 1'000'000, 3);
  }
  return scratch_;
}

void TextSink::query_text(const Shown& shown, std::string& out) {
  if (shown.query.text_state == TextState::Unreadable) {
    line_.piece("<text unreadable>", kDim, out);
    return;
  }
  if (shown.text.missing_bytes == 0) {
    line_.piece(shown.text.visible, kNoColor, out);
    return;
  }
  scratch_ = shown.text.visible;
  scratch_ += kEllipsis;
  scratch_ += "[+";
  append_number(scratch_, shown.text.missing_bytes);
  scratch_ += " bytes]";
  line_.piece(scratch_, kNoColor, out);
}

void TextSink::begin(std::string& out) {
  if (options_.budget) {
    line_.start();
    budget_.legend(line_, out);
    out += '\n';
  }
  line_.start();
  const auto title = [&](const Column& column) { line_.cell(column, column.title, kDim, out); };
  title(layout_.time);
  if (options_.show_server) title(kServer);
  for (const Column* column : {&kConnection, &layout_.user, &layout_.database, &kTaken})
    title(*column);
  if (options_.budget) budget_.headings(line_, out);
  title(kRows);
  line_.piece(kQueryTitle, kDim, out);
  out += '\n';
}

void TextSink::format(const Shown& shown, std::string& out) {
  const Query& query = shown.query;
  line_.start();
  line_.cell(layout_.time, query.start_known ? time_of_day(query.start_ns) : "-", kDim, out);
  if (options_.show_server) line_.cell(kServer, digits(std::optional(query.pid)), kDim, out);
  line_.cell(kConnection, digits(query.connection_id), kDim, out);
  line_.cell(layout_.user, account(query), kNoColor, out);
  line_.cell(layout_.database, query.database ? *query.database : "-", kNoColor, out);
  scratch_ = query.start_known ? "" : "-";
  if (query.start_known) append_duration(scratch_, query.duration_ns);
  line_.cell(kTaken, scratch_, query.duration_ns >= kSlow_ns ? kYellow : kNoColor, out);
  if (options_.budget) budget_.cells(query, line_, out);
  line_.cell(kRows, digits(query.rows_sent), kNoColor, out);

  line_.pad(kIndent * std::min(query.depth, kDeepestShown), out);
  if (query.children_ns != 0 && !query.running) {  // those that run now are not in it
    scratch_ = "[own ";
    append_duration(scratch_, query.duration_ns - std::min(query.duration_ns, query.children_ns));
    scratch_ += ']';
    line_.piece(scratch_, kDim, out);
  }
  if (query.running && options_.mark_running) line_.piece("[running]", kYellow, out);
  if (!query.command.empty() && query.command != "Query" && query.command != model::kStatement) {
    scratch_ = '[';
    scratch_ += query.command;
    scratch_ += ']';
    line_.piece(scratch_, kNoColor, out);
  }
  if (query.error.value_or(0) != 0) {
    scratch_ = "ERR ";
    if (query.sqlstate.empty())
      append_number(scratch_, *query.error);
    else
      scratch_ += query.sqlstate;
    line_.piece(scratch_, kRed, out);
  }
  if (query.process_ended) line_.piece("[process ended]", kRed, out);
  if (query.waits_for) append_wait(*query.waits_for, line_, out);
  if (options_.budget) budget_.remarks(shown, line_, out);
  query_text(shown, out);
  out += '\n';
  if (query.stacks) append_stack_lines(*query.stacks, line_, out);
}

}  // namespace

std::unique_ptr<Sink> make_text_sink(const FormatOptions& options) {
  return std::make_unique<TextSink>(options);
}

}  // namespace dbtrace::output
