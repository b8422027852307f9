// Operations on files, by what the server keeps in them.
#include <fmt/format.h>

#include "src/commands/top/figures.h"
#include "src/commands/top/pages.h"
#include "src/output/byte_size.h"
#include "src/output/counted.h"
#include "src/output/histogram_text.h"

namespace dbtrace::commands::top {
namespace {

using model::FileOperation;
using model::IoCount;
using output::Align;
using output::Column;

constexpr Column kCount{"", 6, Align::Right, false};
constexpr Column kBytes{"BYTES", 6, Align::Right, false};
constexpr Column kTime{"TIME", 6, Align::Right, false};
constexpr size_t kName = 24;
constexpr size_t kLongestName = 64;

constexpr struct {
  FileOperation operation;
  std::string_view title;
  bool has_bytes;
} kOperations[] = {{FileOperation::Read, "READS", true},
                   {FileOperation::Write, "WRITES", true},
                   {FileOperation::Fsync, "FSYNCS", false}};

// The name takes what a wide screen has to spare.
Column name_column(size_t width) {
  constexpr size_t kOthers = 80 - kName;
  return {"TABLE", width > 80 ? std::min(width - kOthers, kLongestName) : kName, Align::Left, true};
}

void row(std::string_view name, const model::IoCounts& operations, Paper& paper) {
  paper.cell(name_column(paper.width()), name);
  for (const auto& each : kOperations) {
    const IoCount& io = operations[static_cast<size_t>(each.operation)];
    const std::string_view color = io.count ? output::kNoColor : output::kDim;
    paper.cell(kCount, count_text(io.count), color);
    if (each.has_bytes) {
      std::string bytes;
      output::append_byte_size(bytes, io.bytes);
      paper.cell(kBytes, bytes, color);
    }
    paper.cell(kTime, io.count ? output::rounded_duration(io.ns) : std::string("0"), color);
  }
  paper.end();
}

}  // namespace

void draw_tables(const model::TableIo& tables, Paper& paper) {
  const Column name = name_column(paper.width());
  paper.cell(name, name.title, output::kDim);
  for (const auto& each : kOperations) {
    paper.cell(kCount, each.title, output::kDim);
    if (each.has_bytes) paper.cell(kBytes, kBytes.title, output::kDim);
    paper.cell(kTime, kTime.title, output::kDim);
  }
  paper.end();
  for (const model::TableIo::Entry& entry : tables.heaviest_first())
    row(entry.name, entry.operations, paper);
  if (model::number_of(tables.rest())) row("(others)", tables.rest(), paper);
}

void draw_io(const TopState& state, Over over, Paper& paper) {
  draw_tables(state.io(over), paper);
  const model::Sums& all = state.sums_of_all(over);
  if (all.io_known < all.count)
    paper.say(fmt::format("Measured of {} of {} only.", all.io_known,
                          output::counted(all.count, "query", "queries")));
  else if (state.io(over).is_empty())
    paper.say("No query has read or written a file.");
}

}  // namespace dbtrace::commands::top
