// Nanoseconds per query that each format costs, on queries of 100 bytes, without and with a
// budget, and of 4 KiB. A figure to look at: build the target `output_bench` and run it.
#include <chrono>
#include <cstdio>
#include <string>

#include "tests/unit/output/sample_query.h"

namespace {

using dbtrace::model::Query;
using dbtrace::output::Format;
using dbtrace::output::FormatOptions;
using Clock = std::chrono::steady_clock;

constexpr int kQueries = 200'000;
constexpr size_t kBufferLimit = 64 * 1024;  // about what a writer lets pile up

double nanoseconds_per_query(const FormatOptions& options, Query query) {
  const auto sink = dbtrace::output::make_sink(options);
  std::string out;
  const Clock::time_point begin = Clock::now();
  for (int i = 0; i < kQueries; ++i) {
    query.start_ns += 20'000;
    sink->write(query, out);
    if (out.size() > kBufferLimit) out.clear();
  }
  return std::chrono::duration<double, std::nano>(Clock::now() - begin).count() / kQueries;
}

std::string text_of_size(size_t size) {
  std::string text =
      "SELECT c FROM sbtest1 WHERE id BETWEEN 5021 AND 5120 AND name = 'a quoted name'";
  while (text.size() < size) text += " OR k IN (1, 2, 33)";
  text.resize(size);
  return text;
}

}  // namespace

int main() {
  const struct {
    const char* name;
    FormatOptions options;
  } formats[] = {
      {"json", {.format = Format::Json}},
      {"text", {.format = Format::Text}},
      {"text, 120 columns, colour",
       {.format = Format::Text, .width = 120, .color = true, .budget = true}},
      {"slowlog", {.format = Format::SlowLog}},
  };
  const struct {
    const char* name;
    Query query;
    size_t size;
  } kinds[] = {
      {"", dbtrace::output::sample_query(), 100},
      {"budget", dbtrace::output::sample_with_budget(), 100},
      {"", dbtrace::output::sample_query(), 4096},
  };
  for (const auto& kind : kinds) {
    Query query = kind.query;
    dbtrace::output::set_text(query, text_of_size(kind.size));
    for (const auto& format : formats) {
      double best = nanoseconds_per_query(format.options, query);
      for (int round = 0; round < 4; ++round) {
        best = std::min(best, nanoseconds_per_query(format.options, query));
      }
      std::printf("%4zu bytes %-6s %-28s %7.0f ns\n", kind.size, kind.name, format.name, best);
    }
  }
}
