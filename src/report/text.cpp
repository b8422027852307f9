#include "src/report/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "src/output/byte_size.h"
#include "src/output/cause_names.h"
#include "src/output/clock_text.h"
#include "src/output/counted.h"
#include "src/output/histogram_text.h"
#include "src/output/short_number.h"
#include "src/output/shown.h"
#include "src/output/text_line.h"

namespace dbtrace::report {
namespace {

using model::IoCounts;
using output::Align;
using output::Column;
using output::counted;
using output::rounded_duration;
using output::short_number;

constexpr size_t kServers = 2, kCauses = 6, kKinds = 8, kSlow = 5, kTables = 5, kBlocks = 4,
                 kEvents = 4, kRemarks = 5;

constexpr Column number(std::string_view title, size_t width = 6) {
  return {title, width, Align::Right, false};
}

constexpr Column left(std::string_view title, size_t width = 13) {
  return {title, width, Align::Left, false};
}

std::string percent(uint64_t part, uint64_t of) {
  return fmt::format("{:.1f}%", of ? 100 * static_cast<double>(part) / static_cast<double>(of) : 0);
}

class Text {
 public:
  Text(const About& about, const Collector& collector, std::string& out)
      : about_(about), collector_(collector), out_(out) {}

  void write() {
    heading();
    totals();
    causes();
    kinds();
    slowest();
    tables();
    blocks();
    events();
    remarks();
  }

 private:
  struct Cell {
    Column column;
    std::string value;
  };

  // Cells, and behind them whatever there is.
  void row(std::span<const Cell> cells, std::string_view rest) {
    line_.start();
    for (const Cell& cell : cells) line_.cell(cell.column, cell.value, output::kNoColor, out_);
    line_.piece(rest, output::kNoColor, out_);
    out_.erase(out_.find_last_not_of(' ') + 1);
    out_ += '\n';
  }
  void row(std::initializer_list<Cell> cells, std::string_view rest) {
    row(std::span(cells.begin(), cells.size()), rest);
  }
  void titles(std::initializer_list<Column> columns, std::string_view rest) {
    out_ += '\n';
    std::vector<Cell> cells;
    for (const Column& column : columns) cells.push_back({column, std::string(column.title)});
    row(cells, rest);
  }
  void line(std::string_view text) { row({}, text); }

  std::string at(uint64_t ns) { return std::string(clock_.at(ns / output::kNanosecondsPerSecond)); }
  std::string text_of(uint32_t kind) const { return collector_.kinds()[kind].text; }

  void heading() {
    line(fmt::format("{}: {} to {} ({}), by {}", about_.path, at(about_.begin_ns),
                     at(about_.end_ns), rounded_duration(about_.end_ns - about_.begin_ns),
                     about_.program));
    for (const auto& server :
         std::span(about_.servers).first(std::min(about_.servers.size(), kServers)))
      line(described(server));
    if (about_.servers.size() > kServers)
      line(fmt::format("and {}", counted(about_.servers.size() - kServers, "more server")));
    if (!about_.incidents.empty()) {
      const recording::Incident& first = about_.incidents.front();
      line(fmt::format("recorded for {}: {} at {}{}", first.condition, first.value, at(first.at_ns),
                       about_.incidents.size() > 1 ? ", and more" : ""));
    }
  }

  void totals() {
    const model::Sums& all = collector_.all();
    const double seconds =
        static_cast<double>(std::max<uint64_t>(about_.end_ns - about_.begin_ns, 1)) / 1e9;
    out_ += '\n';
    line(fmt::format(
        "{} of {}, {:.1f}/s; {}; {:.2f} at work on average", counted(all.count, "query", "queries"),
        counted(collector_.ranked().size(), "kind"), static_cast<double>(all.count) / seconds,
        counted(all.errors, "error"), static_cast<double>(all.total_ns) / 1e9 / seconds));
    if (!all.count) return;
    line(fmt::format("took {} together: mean {}, p50 {}, p95 {}, p99 {}, max {}",
                     rounded_duration(all.total_ns), rounded_duration(all.mean_ns()),
                     rounded_duration(all.quantile_ns(0.5)),
                     rounded_duration(all.quantile_ns(0.95)),
                     rounded_duration(all.quantile_ns(0.99)), rounded_duration(all.max_ns)));
  }

  void causes() {
    const model::Sums& all = collector_.all();
    if (!all.budgets) return;
    struct Part {
      std::string_view label;
      uint64_t ns;
    };
    std::vector<Part> parts;
    for (const output::CauseName& name : output::kCauseNames)
      parts.push_back({name.label, all.ns(name.cause)});
    parts.push_back({output::UnexplainedName::label, all.unexplained_ns});
    std::ranges::stable_sort(parts, std::greater(), &Part::ns);
    titles({number("SHARE"), number("TIME")}, "WHERE THE TIME WENT");
    constexpr size_t kBar = 60;
    for (const Part& part : std::span(parts).first(kCauses)) {
      if (!part.ns) break;
      const auto bar = static_cast<size_t>(static_cast<double>(part.ns) * kBar /
                                           static_cast<double>(all.budgeted_ns()));
      row({{number(""), percent(part.ns, all.budgeted_ns())},
           {number(""), rounded_duration(part.ns)},
           {left(""), std::string(part.label)}},
          std::string(bar, '#'));
    }
  }

  void kinds() {
    const std::vector<kinds::Ranked> ranked = collector_.ranked();
    if (ranked.empty()) return;
    titles({number("SHARE"), number("TIME"), number("COUNT", 7), number("ERRORS"), number("P50"),
            number("P95"), number("P99"), number("MAX")},
           "KIND");
    const size_t shown = std::min(ranked.size(), kKinds);
    for (const kinds::Ranked& each : std::span(ranked).first(shown)) {
      const model::Sums& sums = *each.sums;
      row({{number(""), percent(sums.total_ns, collector_.all().total_ns)},
           {number(""), rounded_duration(sums.total_ns)},
           {number("", 7), short_number(sums.count)},
           {number(""), short_number(sums.errors)},
           {number(""), rounded_duration(sums.quantile_ns(0.5))},
           {number(""), rounded_duration(sums.quantile_ns(0.95))},
           {number(""), rounded_duration(sums.quantile_ns(0.99))},
           {number(""), rounded_duration(sums.max_ns)}},
          text_of(each.kind));
    }
    uint64_t rest_ns = 0;
    for (const kinds::Ranked& each : std::span(ranked).subspan(shown))
      rest_ns += each.sums->total_ns;
    if (shown < ranked.size())
      row({{number(""), percent(rest_ns, collector_.all().total_ns)},
           {number(""), rounded_duration(rest_ns)}},
          fmt::format("{}", counted(ranked.size() - shown, "more kind")));
  }

  void slowest() {
    const std::vector<SlowQuery> slow = collector_.slow().of_all(kSlow);
    if (slow.empty()) return;
    titles({number("TOOK"), left("AT", 8), number("CONN", 6), left("MOSTLY")}, "SLOWEST QUERIES");
    for (const SlowQuery& each : slow) {
      const model::Query& query = *each.query;
      const std::string text =
          query.text_state == model::TextState::Present
              ? std::string(output::shown_text(query.text, query.text_length, redacted_).visible)
              : text_of(each.kind);
      row({{number(""), rounded_duration(query.duration_ns)},
           {left("", 8), std::string(time_.at(query.start_ns / output::kNanosecondsPerSecond))},
           {number("", 6), query.connection_id ? fmt::format("{}", *query.connection_id) : "-"},
           {left(""), mostly(query)}},
          query.error.value_or(0) ? fmt::format("ERR {} {}", *query.error, text) : text);
    }
  }

  static std::string mostly(const model::Query& query) {
    if (!query.budget) return "-";
    const auto& causes = query.budget->by_cause_ns;
    const auto most = std::ranges::max_element(causes);
    if (*most < query.budget->unexplained_ns) return std::string(output::UnexplainedName::label);
    return std::string(output::kCauseNames[static_cast<size_t>(most - causes.begin())].label);
  }

  void tables() {
    const model::TableIo& tables = collector_.tables();
    if (tables.is_empty()) return;
    titles({number("TIME"), number("READS"), number("BYTES"), number("WRITES"), number("BYTES"),
            number("FSYNCS"), number("BLOCKED", 7)},
           "FILES, BY TABLE");
    const auto entries = tables.heaviest_first();
    const size_t shown = std::min(entries.size(), kTables);
    for (const auto& entry : std::span(entries).first(shown)) table(entry.name, entry.operations);
    IoCounts rest = tables.rest();
    for (const auto& entry : std::span(entries).subspan(shown))
      model::add_to(rest, entry.operations);
    if (model::number_of(rest)) table("(others)", rest);
  }

  void table(std::string_view name, const IoCounts& operations) {
    const auto& [read, write, fsync] = operations;
    const auto bytes = [](uint64_t value) {
      std::string text;
      output::append_byte_size(text, value);
      return text;
    };
    row({{number(""), rounded_duration(model::time_of(operations))},
         {number(""), short_number(read.count)},
         {number(""), bytes(read.bytes)},
         {number(""), short_number(write.count)},
         {number(""), bytes(write.bytes)},
         {number(""), short_number(fsync.count)},
         {number("", 7), short_number(read.blocked + write.blocked + fsync.blocked)}},
        name);
  }

  std::string name_of(const Party& party) const {
    if (!party.kind) return "background " + party.thread;
    return (party.idle ? "idle in transaction after " : "") + text_of(*party.kind);
  }

  void blocks() {
    const auto heaviest = collector_.blocks().heaviest_first();
    if (heaviest.empty()) return;
    constexpr Column kBlocker{"BLOCKER", 34, Align::Left, true};
    titles({number("WAITED"), number("TIMES"), number("LONGEST", 7), left("FOR"), kBlocker},
           "BLOCKED (each query's longest wait)");
    for (const auto& [block, sums] : std::span(heaviest).first(std::min(heaviest.size(), kBlocks)))
      row({{number(""), rounded_duration(sums->ns)},
           {number(""), short_number(sums->count)},
           {number("", 7), rounded_duration(sums->max_ns)},
           {left(""), std::string(output::name_of(block->cause).label)},
           {kBlocker, name_of(block->blocker)}},
          name_of(block->blocked));
  }

  void events() {
    const auto events = collector_.waits().events_by_time();
    if (events.empty()) return;
    titles({number("TIME"), number("WAITS")}, "WAIT EVENT");
    for (const auto& [event, sums] : std::span(events).first(std::min(events.size(), kEvents)))
      row({{number(""), rounded_duration(sums.ns)}, {number(""), short_number(sums.waits)}},
          event.type.empty() ? event.event : event.type + ':' + event.event);
  }

  void remarks() {
    const std::vector<Remark> remarks = remarks_on(about_);
    out_ += '\n';
    if (remarks.empty()) line("Nothing was lost.");
    const size_t shown = remarks.size() > kRemarks ? kRemarks - 1 : remarks.size();
    for (const Remark& remark : std::span(remarks).first(shown))
      line(remark.what + ": " + remark.meaning);
    if (shown < remarks.size())
      line(fmt::format("and {}", counted(remarks.size() - shown, "more loss", "more losses")));
  }

  const About& about_;
  const Collector& collector_;
  std::string& out_;
  output::TextLine line_{kTextColumns, false};
  output::ClockText clock_{output::Zone::Local, "%Y-%m-%d %H:%M:%S"};
  output::ClockText time_{output::Zone::Local, "%H:%M:%S"};
  std::string redacted_;
};

}  // namespace

void append_text(const About& about, const Collector& collector, std::string& out) {
  Text(about, collector, out).write();
}

}  // namespace dbtrace::report
