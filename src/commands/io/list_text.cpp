#include "src/commands/io/list_text.h"

#include <fmt/format.h>

#include <cstring>

#include "src/commands/io/report.h"
#include "src/output/byte_size.h"
#include "src/output/digits.h"
#include "src/output/duration.h"
#include "src/output/shown.h"

namespace dbtrace::commands {
namespace {

using output::Align;
using output::Column;
using output::kDim;
using output::kNoColor;

constexpr Column kTime{"TIME", 12, Align::Left, false};
constexpr Column kServer{"PID", 7, Align::Right, false};
constexpr Column kConnection{"CONN", 6, Align::Right, false};
constexpr Column kThread{"THREAD", 15, Align::Left, true};
constexpr Column kOperation{"OP", 5, Align::Left, false};
constexpr Column kOffset{"OFFSET", 12, Align::Right, false};
constexpr Column kBytes{"BYTES", 6, Align::Right, false};
constexpr Column kBlocked{"B", 1, Align::Left, false};
constexpr Column kTook{"TOOK", 6, Align::Right, false};
constexpr Column kFile{"TABLE", 24, Align::Left, true};
constexpr std::string_view kQueryTitle = "QUERY";

}  // namespace

void IoListText::begin(std::string& out) {
  line_.start();
  const auto title = [&](const Column& column) { line_.cell(column, column.title, kDim, out); };
  title(kTime);
  if (several_) title(kServer);
  for (const Column& column :
       {kConnection, kThread, kOperation, kOffset, kBytes, kBlocked, kTook, kFile})
    title(column);
  line_.piece(kQueryTitle, kDim, out);
  out += '\n';
}

std::string_view IoListText::time_of_day(uint64_t time_ns) {
  scratch_ = clock_.at(time_ns / output::kNanosecondsPerSecond);
  scratch_ += '.';
  output::append_zero_padded(scratch_, time_ns % output::kNanosecondsPerSecond / 1'000'000, 3);
  return scratch_;
}

std::string_view IoListText::digits(uint64_t number) {
  scratch_.clear();
  output::append_number(scratch_, number);
  return scratch_;
}

void IoListText::operation(const model::IoOperation& operation, const model::Query* query,
                           std::string& out) {
  const auto cell = [&](const Column& column, std::string_view value,
                        std::string_view color = kNoColor) {
    line_.cell(column, value, color, out);
  };
  line_.start();
  cell(kTime, time_of_day(operation.start_ns), kDim);
  if (several_) cell(kServer, digits(operation.pid), kDim);
  cell(kConnection, query && query->connection_id ? digits(*query->connection_id) : "-", kDim);
  cell(kThread, operation.thread);
  cell(kOperation, name_of(operation.operation));
  cell(kOffset, operation.offset ? digits(*operation.offset) : "-");
  scratch_.clear();
  output::append_byte_size(scratch_, operation.bytes);
  cell(kBytes, scratch_);
  cell(kBlocked, operation.asynchronous ? "A" : operation.blocked ? "B" : "-");
  scratch_.clear();
  output::append_duration(scratch_, operation.duration_ns);
  cell(kTook, scratch_, output::kYellow);
  cell(kFile, operation.file.content.empty() ? "(file unknown)" : operation.file.content);
  if (operation.error != 0)
    line_.piece(fmt::format("[{}]", std::strerror(static_cast<int>(operation.error))), output::kRed,
                out);
  query_text(operation, query, out);
  out += '\n';
}

void IoListText::query_text(const model::IoOperation& operation, const model::Query* query,
                            std::string& out) {
  if (!query) {
    line_.piece(operation.command_start_ns ? "(query unknown)" : "(background)", kDim, out);
    return;
  }
  if (query->running) line_.piece("[running]", output::kYellow, out);
  if (query->command != "Query") line_.piece(fmt::format("[{}]", query->command), kNoColor, out);
  if (query->text_state != model::TextState::Present) return;
  const output::ShownText text = output::shown_text(query->text, query->text_length, redacted_);
  line_.piece(text.visible, kNoColor, out);
  if (text.missing_bytes != 0) line_.piece(output::kEllipsis, kNoColor, out);
}

}  // namespace dbtrace::commands
