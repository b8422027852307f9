#include "src/output/budget_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "src/output/cause_names.h"
#include "src/output/digits.h"
#include "src/output/duration.h"

namespace dbtrace::output {

using model::Budget;
using model::Cause;

struct BudgetColumn {
  Column column;
  uint64_t (*ns)(const Budget&);
};

namespace {

uint64_t on_cpu(const Budget& budget) { return budget.ns(Cause::OnCpu); }
uint64_t run_queue(const Budget& budget) { return budget.ns(Cause::RunQueue); }
uint64_t file_io(const Budget& budget) {
  return budget.ns(Cause::FileRead) + budget.ns(Cause::FileWrite) + budget.ns(Cause::Fsync);
}
uint64_t locks(const Budget& budget) { return budget.lock_ns(); }
uint64_t network(const Budget& budget) { return budget.ns(Cause::Network); }
uint64_t other(const Budget& budget) { return budget.ns(Cause::Sleep) + budget.ns(Cause::Other); }
uint64_t unexplained(const Budget& budget) { return budget.unexplained_ns; }

constexpr BudgetColumn column(std::string_view title, uint64_t (*ns)(const Budget&)) {
  return {{title, 6, Align::Right, false}, ns};
}

constexpr BudgetColumn kAll[] = {
    column("CPU", on_cpu),    column("RUNQ", run_queue), column("I/O", file_io),
    column("LOCK", locks),    column("NET", network),    column("OTHER", other),
    column("?", unexplained),
};
// The bar tells of the others.
constexpr BudgetColumn kMost[] = {
    column("CPU", on_cpu),
    column("RUNQ", run_queue),
    column("I/O", file_io),
    column("LOCK", locks),
};
constexpr size_t kWideEnoughForMost = 110;

constexpr size_t kBarCells = 10;
constexpr Column kBar{"BUDGET", kBarCells, Align::Left, false};

// Columns for the blocker's query, of `room` that are left and of which `name` go to who it
// is: not more than the query itself gets.
size_t blocker_columns(size_t room, size_t name) {
  constexpr size_t kAtMost = 40;
  constexpr size_t kAtLeast = 8;
  constexpr size_t kAround = 6;  // ": ", "…", "]", two spaces
  const size_t columns = (room - std::min(room, name + kAround)) / 2;
  return columns < kAtLeast ? 0 : std::min(columns, kAtMost);
}

bool is_remarkable(const model::Query& query) {
  return query.budget->unexplained_ns >
         std::max(query.duration_ns / kUnexplainedPart, kUnexplained_ns);
}

// Worth the room that the query loses only for a wait that matters, and not for its own worker.
bool is_remarkable(const model::Blocker& blocker, const model::Query& query) {
  const bool is_own = blocker.connection_id && blocker.connection_id == query.connection_id;
  return !is_own && blocker.waited_ns >= query.duration_ns / 10;
}

// What at least half of the query's time was waited for.
const model::NamedWait* dominating_wait(const model::Query& query) {
  if (!query.named_waits || query.named_waits->waits.empty()) return nullptr;
  const model::NamedWait& heaviest = query.named_waits->waits.front();
  return heaviest.ns >= query.duration_ns / 2 ? &heaviest : nullptr;
}

struct BarPart {
  char letter;
  std::string_view label;
  std::string_view color;
  uint64_t ns;
};

// All that a bar is made of, in order.
std::vector<BarPart> bar_parts(const Budget& budget) {
  std::vector<BarPart> parts;
  parts.reserve(kCauseNames.size() + 1);
  for (const CauseName& name : kCauseNames) {
    if (is_kind_of_lock(name.cause)) continue;
    parts.push_back({name.letter, name.label, name.color,
                     name.cause == Cause::Lock ? budget.lock_ns() : budget.ns(name.cause)});
  }
  parts.push_back({UnexplainedName::letter, UnexplainedName::label, UnexplainedName::color,
                   budget.unexplained_ns});
  return parts;
}

// Shares `cells` out by time: what is left by rounding down goes to those that lost most.
std::vector<size_t> shares(const std::vector<BarPart>& parts, size_t cells) {
  double total = 0;
  for (const BarPart& part : parts) total += static_cast<double>(part.ns);
  std::vector<size_t> shares(parts.size(), 0);
  if (total == 0) return shares;
  std::vector<std::pair<double, size_t>> lost;
  size_t left = cells;
  for (size_t i = 0; i < parts.size(); ++i) {
    const double exact = static_cast<double>(parts[i].ns) / total * static_cast<double>(cells);
    shares[i] = std::min(left, static_cast<size_t>(exact));
    left -= shares[i];
    lost.emplace_back(exact - std::floor(exact), i);
  }
  std::stable_sort(lost.begin(), lost.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (size_t i = 0; left > 0; ++i, --left) ++shares[lost[i].second];
  return shares;
}

}  // namespace

void append_bar(const Budget& budget, size_t cells, TextLine& line, std::string& out) {
  const std::vector<BarPart> parts = bar_parts(budget);
  const std::vector<size_t> cells_of = shares(parts, cells);
  for (size_t i = 0; i < parts.size(); ++i) {
    if (cells_of[i] > 0)
      line.append(std::string(cells_of[i], parts[i].letter), parts[i].color, out);
  }
}

void append_bar_and_times(const Budget& budget, size_t cells, TextLine& line, std::string& out) {
  std::string text;
  for (const BarPart& part : bar_parts(budget)) {
    if (part.ns == 0) continue;
    if (text.empty()) {
      line.separate(out);
      append_bar(budget, cells, line, out);
    }
    text = part.label;
    text += ' ';
    append_duration(text, part.ns);
    line.piece({&part.letter, 1}, part.color, out);
    line.piece(text, kNoColor, out);
  }
}

std::string who(const model::Blocker& blocker) {
  std::string name;
  if (blocker.connection_id) {
    name = '#';
    append_number(name, *blocker.connection_id);
  } else {
    name = blocker.query ? "thread " : "background ";
    name += blocker.title.empty() ? blocker.thread : blocker.title;
  }
  if (blocker.idle) name += ", idle in transaction";
  return name;
}

void append_wait(const model::WaitEvent& event, TextLine& line, std::string& out) {
  constexpr size_t kPart = 3;
  const std::string text = '[' + event.type + ':' + event.event + ']';
  if (text.size() <= line.room() / kPart) line.piece(text, kNoColor, out);
}

BudgetText::BudgetText(size_t width) {
  if (width == 0 || width >= kWideEnough)
    columns_ = kAll;
  else if (width >= kWideEnoughForMost)
    columns_ = kMost;
}

void BudgetText::legend(TextLine& line, std::string& out) const {
  for (const BarPart& part : bar_parts({})) {
    line.piece({&part.letter, 1}, part.color, out);
    line.piece(part.label, kDim, out);
  }
}

void BudgetText::headings(TextLine& line, std::string& out) const {
  for (const BudgetColumn& column : columns_)
    line.cell(column.column, column.column.title, kDim, out);
  line.cell(kBar, kBar.title, kDim, out);
}

void BudgetText::cells(const model::Query& query, TextLine& line, std::string& out) {
  if (!query.budget) {
    for (const BudgetColumn& column : columns_) line.cell(column.column, "-", kDim, out);
    line.cell(kBar, "-", kDim, out);
    return;
  }
  for (const BudgetColumn& column : columns_) {
    const uint64_t ns = column.ns(*query.budget);
    scratch_.clear();
    append_duration(scratch_, ns);
    const bool remarkable = column.ns == unexplained && is_remarkable(query);
    line.cell(column.column, ns == 0 ? "0" : std::string_view(scratch_),
              remarkable ? kYellow
              : ns == 0  ? kDim
                         : kNoColor,
              out);
  }
  line.separate(out);
  const size_t begin = line.room();
  append_bar(*query.budget, kBarCells, line, out);
  line.pad(kBarCells - (begin - line.room()), out);
}

void BudgetText::blocker(const model::Blocker& blocker, const ShownText& text, TextLine& line,
                         std::string& out) {
  scratch_ = "[blocked by " + who(blocker);
  const size_t columns = blocker_columns(line.room(), scratch_.size());
  if (blocker.query && columns > 0) {
    scratch_ += ": ";
    const size_t begin = scratch_.size();
    append_visible(scratch_, text.visible, columns);
    if (text.missing_bytes > 0 && !std::string_view(scratch_).substr(begin).ends_with(kEllipsis))
      scratch_ += kEllipsis;
  }
  scratch_ += ']';
  line.piece(scratch_, kYellow, out);
}

void BudgetText::remarks(const Shown& shown, TextLine& line, std::string& out) {
  const model::Query& query = shown.query;
  if (!query.budget) return;
  if (columns_.size() != std::size(kAll) && is_remarkable(query)) {
    scratch_ = "[unexplained ";
    append_duration(scratch_, query.budget->unexplained_ns);
    scratch_ += ']';
    line.piece(scratch_, kYellow, out);
  }
  if (const model::NamedWait* wait = dominating_wait(query)) append_wait(wait->event, line, out);
  if (query.blocker && is_remarkable(*query.blocker, query))
    blocker(*query.blocker, shown.blocker, line, out);
}

}  // namespace dbtrace::output
