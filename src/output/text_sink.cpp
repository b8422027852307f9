// Lines for a person: columns that line up, the query last.
//
// Cut to a terminal's width, every line fits; otherwise nothing is cut and a
// long name pushes the columns behind it to the right.
#include <algorithm>

#include "src/output/clock_text.h"
#include "src/output/digits.h"
#include "src/output/duration.h"
#include "src/output/escape.h"
#include "src/output/formats.h"
#include "src/output/shown.h"

namespace dbtrace::output {
namespace {

using model::Query;
using model::TextState;

// A statement stands to the right of what it runs in, up to a point.
constexpr size_t kIndent = 2;
constexpr uint32_t kDeepestShown = 16;

constexpr uint64_t kSlow_ns = 100'000'000;  // worth a colour

constexpr std::string_view kReset = "\x1b[0m";
constexpr std::string_view kDim = "\x1b[2m";
constexpr std::string_view kRed = "\x1b[31m";
constexpr std::string_view kYellow = "\x1b[33m";
constexpr std::string_view kNoColor = {};

enum class Align { Left, Right };

struct Column {
  std::string_view title;
  size_t width;
  Align align;
  bool may_be_cut;  // part of a number would mislead
};

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

class TextSink final : public Sink {
 public:
  explicit TextSink(const FormatOptions& options)
      : options_(options),
        layout_(options.width == 0 || options.width >= kWideEnough ? kWide : kNarrow) {}
  void begin(std::string& out) override;

 private:
  void format(const Shown& shown, std::string& out) override;

  void start_line() {
    room_ = options_.width == 0 ? kUnlimited : options_.width;
    line_is_empty_ = true;
  }
  void separate(std::string& out);
  void cell(const Column& column, std::string_view value, std::string_view color, std::string& out);
  void piece(std::string_view value, std::string_view color, std::string& out);
  void query_text(const Shown& shown, std::string& out);
  template <typename Number>
  std::string_view digits(const std::optional<Number>& number);
  std::string_view account(const Query& query);
  std::string_view time_of_day(uint64_t start_ns);

  FormatOptions options_;
  const Layout& layout_;
  ClockText clock_{Zone::Local, "%H:%M:%S"};
  size_t room_ = 0;  // columns left on this line
  bool line_is_empty_ = true;
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

// The space between two columns or pieces.
void TextSink::separate(std::string& out) {
  if (!line_is_empty_ && room_ > 0) {
    out += ' ';
    --room_;
  }
  line_is_empty_ = false;
}

void TextSink::cell(const Column& column, std::string_view value, std::string_view color,
                    std::string& out) {
  separate(out);
  if (room_ == 0) return;
  const bool cut = column.may_be_cut && options_.width != 0;
  const size_t begin = out.size();
  if (!options_.color) color = kNoColor;
  out += color;
  const size_t used = append_visible(out, value, cut ? std::min(column.width, room_) : room_);
  if (!color.empty()) out += kReset;
  room_ -= used;

  const size_t padding = std::min(room_, column.width - std::min(column.width, used));
  if (column.align == Align::Left) {
    out.append(padding, ' ');
  } else {
    out.insert(begin, padding, ' ');
  }
  room_ -= padding;
}

// Text without a column of its own.
void TextSink::piece(std::string_view value, std::string_view color, std::string& out) {
  if (value.empty()) return;
  separate(out);
  if (room_ == 0) return;
  if (!options_.color) color = kNoColor;
  out += color;
  room_ -= append_visible(out, value, room_);
  if (!color.empty()) out += kReset;
}

void TextSink::query_text(const Shown& shown, std::string& out) {
  if (shown.query.text_state == TextState::Unreadable) {
    piece("<text unreadable>", kDim, out);
    return;
  }
  if (shown.text.missing_bytes == 0) {
    piece(shown.text.visible, kNoColor, out);
    return;
  }
  scratch_ = shown.text.visible;
  scratch_ += kEllipsis;
  scratch_ += "[+";
  append_number(scratch_, shown.text.missing_bytes);
  scratch_ += " bytes]";
  piece(scratch_, kNoColor, out);
}

void TextSink::begin(std::string& out) {
  start_line();
  for (const Column* column :
       {&layout_.time, &kServer, &kConnection, &layout_.user, &layout_.database, &kTaken, &kRows}) {
    if (column != &kServer || options_.show_server) cell(*column, column->title, kDim, out);
  }
  piece(kQueryTitle, kDim, out);
  out += '\n';
}

void TextSink::format(const Shown& shown, std::string& out) {
  const Query& query = shown.query;
  start_line();
  cell(layout_.time, query.start_known ? time_of_day(query.start_ns) : "-", kDim, out);
  if (options_.show_server) cell(kServer, digits(std::optional(query.pid)), kDim, out);
  cell(kConnection, digits(query.connection_id), kDim, out);
  cell(layout_.user, account(query), kNoColor, out);
  cell(layout_.database, query.database ? *query.database : "-", kNoColor, out);
  scratch_ = query.start_known ? "" : "-";
  if (query.start_known) append_duration(scratch_, query.duration_ns);
  cell(kTaken, scratch_, query.duration_ns >= kSlow_ns ? kYellow : kNoColor, out);
  cell(kRows, digits(query.rows_sent), kNoColor, out);

  const size_t indent = std::min(kIndent * std::min(query.depth, kDeepestShown), room_);
  out.append(indent, ' ');
  room_ -= indent;
  if (query.children_ns != 0 && !query.running) {  // those that run now are not in it
    scratch_ = "[own ";
    append_duration(scratch_, query.duration_ns - std::min(query.duration_ns, query.children_ns));
    scratch_ += ']';
    piece(scratch_, kDim, out);
  }
  if (query.running && options_.mark_running) piece("[running]", kYellow, out);
  if (!query.command.empty() && query.command != "Query" && query.command != model::kStatement) {
    scratch_ = '[';
    scratch_ += query.command;
    scratch_ += ']';
    piece(scratch_, kNoColor, out);
  }
  if (query.error.value_or(0) != 0) {
    scratch_ = "ERR ";
    append_number(scratch_, *query.error);
    piece(scratch_, kRed, out);
  }
  query_text(shown, out);
  out += '\n';
}

}  // namespace

std::unique_ptr<Sink> make_text_sink(const FormatOptions& options) {
  return std::make_unique<TextSink>(options);
}

}  // namespace dbtrace::output
