// A row for each kind of query.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "src/commands/top/bar.h"
#include "src/commands/top/figures.h"
#include "src/commands/top/pages.h"
#include "src/output/histogram_text.h"

namespace dbtrace::commands::top {
namespace {

using output::Align;
using output::Column;

constexpr Column kMarker{"", 1, Align::Left, false};
constexpr Column kRate{"/S", 5, Align::Right, false};
constexpr Column kP50{"P50", 6, Align::Right, false};
constexpr Column kP95{"P95", 6, Align::Right, false};
constexpr Column kP99{"P99", 6, Align::Right, false};
constexpr Column kShare{"SHARE", 5, Align::Right, false};

// Cells of what is drawn: the query shall have its room, too.
struct Layout {
  size_t at_least;   // columns of the screen
  bool percentiles;  // all of them
  size_t bar;
  size_t minute;  // a divisor of a minute
};
constexpr std::array<Layout, 6> kLayouts = {{{170, true, 16, 60},
                                             {130, true, 12, 30},
                                             {100, true, 10, 20},
                                             {76, true, 8, 10},
                                             {60, true, 0, 0},
                                             {0, false, 0, 0}}};
constexpr Layout kForLogs{0, true, 10, 20};

const Layout& layout_for(size_t width) {
  if (width == 0) return kForLogs;
  return *std::ranges::find_if(kLayouts,
                               [&](const Layout& layout) { return width >= layout.at_least; });
}

// The column that the rows are sorted by, if it is there.
const Column* column_of(kinds::SortKey key) {
  if (key == kinds::SortKey::Total) return &kShare;
  if (key == kinds::SortKey::Count) return &kRate;
  if (key == kinds::SortKey::P99) return &kP99;
  return nullptr;
}

std::string_view title_of(kinds::By by) {
  switch (by) {
    case kinds::By::Fingerprint:
      return "QUERY";
    case kinds::By::Database:
      return "DB";
    case kinds::By::User:
      return "USER";
    case kinds::By::Command:
      return "COMMAND";
    case kinds::By::Table:
      return "TABLE";
    case kinds::By::Connection:
      return "CONN";
  }
  return "";
}

class Table {
 public:
  Table(const TopState& state, const Controls& controls, Paper& paper)
      : state_(state),
        over_(controls.over()),
        layout_(layout_for(paper.width())),
        bar_{"TIME", state.sums_of_all(Over::Run).budgets ? layout_.bar : 0, Align::Left, true},
        minute_{layout_.minute < 11 ? "MINUTE" : "LAST MINUTE", layout_.minute, Align::Left, true},
        seconds_(static_cast<double>(state.length_ns(over_)) / 1e9),
        total_ns_(state.sums_of_all(over_).total_ns),
        sorted_(column_of(controls.sort())),
        paper_(paper) {}

  void headings() {
    heading(kMarker);
    heading(kRate);
    if (layout_.percentiles) {
      heading(kP50);
      heading(kP95);
    }
    heading(kP99);
    heading(kShare);
    for (const Column* column : {&bar_, &minute_})
      if (column->width) paper_.cell(*column, column->title, output::kDim);
    paper_.piece(title_of(state_.by()), output::kDim);
    paper_.end();
  }

  void row(uint32_t kind, bool selected) {
    const model::Sums& sums = state_.sums(kind, over_);
    if (selected) paper_.begin_highlighted();
    paper_.cell(kMarker, selected ? ">" : "");
    paper_.cell(kRate, rate_text(seconds_ > 0 ? static_cast<double>(sums.count) / seconds_ : 0));
    if (layout_.percentiles) {
      quantile(kP50, sums, 0.5);
      quantile(kP95, sums, 0.95);
    }
    quantile(kP99, sums, 0.99);
    paper_.cell(kShare, share_text(sums.total_ns, total_ns_));
    if (bar_.width) draw_bar(sums, bar_.width, paper_);
    if (minute_.width) minute(kind);
    if (sums.errors)
      paper_.piece(fmt::format("[{} failed]", count_text(sums.errors)), output::kRed);
    paper_.piece(state_.kind(kind).text);
    paper_.end();
  }

 private:
  void heading(const Column& column) {
    paper_.cell(column, column.title, &column == sorted_ ? kBold : output::kDim);
  }

  void quantile(const Column& column, const model::Sums& sums, double fraction) {
    paper_.cell(column, sums.count ? output::rounded_duration(sums.quantile_ns(fraction))
                                   : std::string("-"));
  }

  void minute(uint32_t kind) {
    std::vector<uint64_t> values;
    for (const History::Part& part :
         state_.history(kind).parts(state_.history_end(), minute_.width))
      values.push_back(part.queries);
    paper_.cell(minute_, sparkline(values));
  }

  const TopState& state_;
  Over over_;
  const Layout& layout_;
  Column bar_, minute_;
  double seconds_;
  uint64_t total_ns_;
  const Column* sorted_;
  Paper& paper_;
};

}  // namespace

void draw_kinds(const TopState& state, const Controls& controls, size_t first, size_t most,
                Paper& paper) {
  Table table(state, controls, paper);
  table.headings();
  const std::vector<uint32_t>& rows = controls.rows();
  const size_t last = first + std::min(rows.size() - std::min(first, rows.size()), most);
  for (size_t row = first; row < last; ++row)
    table.row(rows[row], controls.selected() == rows[row]);
}

}  // namespace dbtrace::commands::top
