#include "src/commands/histogram/report.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "src/kinds/kind_table.h"
#include "src/output/redact.h"
#include "tests/unit/output/csv_rows.h"

namespace dbtrace::commands {
namespace {

using output::parse_csv;
using ::testing::HasSubstr;
using ::testing::Not;

model::Query query_of(std::string text, uint64_t duration_ns) {
  model::Query query;
  query.start_ns = 1'767'323'045'123'456'789;
  query.flavor = "mysql";
  query.command = "Query";
  query.connection_id = 7;
  query.pid = 42;
  query.text_state = model::TextState::Present;
  query.text_length = text.size();
  query.text = std::move(text);
  query.duration_ns = duration_ns;
  query.error = 0;
  query.rows_sent = 2;
  return query;
}

class Report : public ::testing::Test {
 protected:
  void count(const std::string& text, uint64_t duration_ns, bool failed = false) {
    model::Query query = query_of(text, duration_ns);
    if (failed) query.error = 1064;
    table_.add(query);
  }
  void count_with_budget(const std::string& text, uint64_t on_cpu_ns, uint64_t row_lock_ns) {
    model::Query query = query_of(text, on_cpu_ns + row_lock_ns);
    query.budget.emplace();
    query.budget->by_cause_ns[static_cast<size_t>(model::Cause::OnCpu)] = on_cpu_ns;
    query.budget->by_cause_ns[static_cast<size_t>(model::Cause::RowLock)] = row_lock_ns;
    if (sees_files_)
      query.io.emplace().operations[0] = {
          .count = 3, .blocked = 1, .bytes = 4096, .ns = 500, .max_ns = 400};
    table_.add(query);
  }

  std::string shown(HistogramWriter& writer, bool total = true) {
    KindReport report{
        .span = {.total = total, .end_ns = 1'767'323'045'000'000'000, .length_ns = 2'000'000'000},
        .kinds = table_.kinds(),
        .ranked = {},
        .all = table_.interval_of_all(),
        .losses = losses_};
    for (uint32_t kind = 0; kind < table_.kinds().size(); ++kind)
      if (table_.interval(kind).count) report.ranked.push_back({kind, &table_.interval(kind)});
    kinds::sort(report.ranked, kinds::SortKey::Total);
    std::string out;
    writer.add(report, out);
    return out;
  }
  nlohmann::json json(size_t top = 0) { return nlohmann::json::parse(shown(*histogram_json(top))); }
  std::string text(HistogramTextOptions options = {}) { return shown(*histogram_text(options)); }

  bool sees_files_ = true;
  kinds::KindTable table_{kinds::KindOptions{.max_kinds = 5, .redact = output::redact}};
  HistogramLosses losses_;
};

// Names and texts that want to be something else.
const std::string kHostile =
    "select `\"\\\n\x1b[31m,',\r\n# HELP x\xff\u202e` from t where a = 'secret'";

// ---- JSON ----

TEST_F(Report, JsonHasTheMembersThatItShall) {
  for (uint64_t i = 1; i <= 100; ++i) count("select " + std::to_string(i), i * 1000, i <= 3);
  losses_.lost = 9;
  const nlohmann::json all = json();
  EXPECT_EQ(all.at("span"), "total");
  EXPECT_EQ(all.at("end"), "2026-01-02T03:04:05.000000000Z");
  EXPECT_EQ(all.at("length_ns"), 2'000'000'000);
  EXPECT_EQ(all.at("by"), "fingerprint");
  EXPECT_EQ(all.at("fingerprint"), "mysql");
  EXPECT_EQ(all.at("count"), 100);
  EXPECT_EQ(all.at("lost"), 9);
  ASSERT_EQ(all.at("kinds").size(), 1U);
  const nlohmann::json& kind = all.at("kinds")[0];
  EXPECT_EQ(kind.at("id"), sql::printed_id(sql::FingerprintMode::MySql, "SELECT ?"));
  EXPECT_EQ(kind.at("text"), "SELECT ?");
  EXPECT_EQ(kind.at("count"), 100);
  EXPECT_EQ(kind.at("errors"), 3);
  EXPECT_EQ(kind.at("total_ns"), 5'050'000);
  EXPECT_EQ(kind.at("mean_ns"), 50'500);
  EXPECT_EQ(kind.at("max_ns"), 100'000);
  EXPECT_EQ(kind.at("rows_sent"), 200);
  EXPECT_TRUE(kind.at("rows_examined").is_null());
  for (const auto& [key, exact] :
       std::map<std::string, double>{{"p50_ns", 50'000}, {"p95_ns", 95'000}, {"p99_ns", 99'000}})
    EXPECT_NEAR(kind.at(key).get<double>() / exact, 1, 0.03) << key;
  uint64_t counted = 0;
  for (const nlohmann::json& range : kind.at("histogram")) {
    EXPECT_LE(range.at(0), range.at(1));
    counted += range.at(2).get<uint64_t>();
  }
  EXPECT_EQ(counted, 100U);
  EXPECT_EQ(kind.at("slowest").at("duration_ns"), 100'000);
  EXPECT_EQ(kind.at("slowest").at("query"), "select 100");
  EXPECT_EQ(kind.at("slowest").at("connection_id"), 7);
  EXPECT_FALSE(kind.contains("budget"));
}

TEST_F(Report, JsonHasSlicesWhenItIsToBeSaved) {
  kinds::Slices slices;
  for (int stretch = 0; stretch < 3; ++stretch) {
    for (int i = 0; i <= stretch; ++i) count("select 1", 1000);
    slices.end_stretch(table_);
  }
  EXPECT_FALSE(json().at("kinds")[0].contains("slices"));
  const nlohmann::json saved = nlohmann::json::parse(shown(*histogram_json(0, &slices)));
  const uint64_t least = saved.at("kinds")[0].at("slices")[0][0][0];
  EXPECT_NEAR(static_cast<double>(least), 1000, 125);
  EXPECT_EQ(saved.at("kinds")[0].at("slices"),
            nlohmann::json({{{least, 1}}, {{least, 2}}, {{least, 3}}}));
}

TEST_F(Report, JsonHasBudgetsWhenThereAreAny) {
  count_with_budget("select 1", 3000, 1000);
  const nlohmann::json kind = json().at("kinds")[0];
  EXPECT_EQ(kind.at("budget").at("count"), 1);
  EXPECT_EQ(kind.at("budget").at("on_cpu_ns"), 3000);
  EXPECT_EQ(kind.at("budget").at("lock_ns"), 1000);
  EXPECT_EQ(kind.at("budget").at("locks").at("row_lock_ns"), 1000);
  EXPECT_EQ(kind.at("io").at("reads"), 3);
  EXPECT_EQ(kind.at("io").at("read_bytes"), 4096);
}

TEST_F(Report, FileOperationsThatWereNotCountedAreNotNone) {
  sees_files_ = false;
  count_with_budget("select 1", 3000, 1000);
  EXPECT_EQ(json().at("kinds")[0].at("io"), nullptr);
  EXPECT_THAT(shown(*histogram_csv(0)), ::testing::EndsWith(",0,,,,,,,,\r\n"));
}

TEST_F(Report, JsonIsJsonWhateverTheTextIs) {
  count(kHostile, 1000);
  const std::string out = shown(*histogram_json(0));
  EXPECT_EQ(out.find('\n'), out.size() - 1);
  EXPECT_EQ(out.find('\x1b'), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(out).at("kinds").size(), 1U);
}

TEST_F(Report, JsonSaysHowManyKindsItLeavesOut) {
  for (const char* table : {"a", "b", "c"}) count(std::string("select * from ") + table, 1000);
  EXPECT_EQ(json(2).at("kinds").size(), 2U);
  EXPECT_EQ(json(2).at("kinds_left_out"), 1);
  EXPECT_EQ(json(0).at("kinds_left_out"), 0);
}

TEST_F(Report, NoFormatTellsPasswords) {
  count("create user anna identified by 'secret'", 1000);
  for (auto& writer :
       {histogram_text({}), histogram_json(0), histogram_csv(0), histogram_prometheus(0)})
    EXPECT_THAT(shown(*writer), Not(HasSubstr("secret")));
}

// ---- text ----

TEST_F(Report, TextHasATableAndHistograms) {
  for (int i = 0; i < 10; ++i) count("select a from t where a = 1", 3'000'000, i == 0);
  count("update u set a = 1", 10'000'000);
  const std::string out = text();
  EXPECT_THAT(out, HasSubstr("total (2.00s)  11 queries of 2 kinds, 6/s; 0.02 at work on average"));
  EXPECT_THAT(out, HasSubstr(" 75.0% 30.0ms      10      1 3.00ms 2.98ms 2.98ms 2.98ms 3.00ms"
                             "     20      - SELECT `a` FROM `t` WHERE `a` = ?\n"));
  EXPECT_THAT(out, HasSubstr(" 25.0% 10.0ms       1      0"));
  EXPECT_THAT(out, HasSubstr("10 |########################################|"));
  EXPECT_THAT(out, HasSubstr("by connection 7: update u set a = 1\n"));
  EXPECT_THAT(out, Not(HasSubstr("lost")));
  EXPECT_THAT(out, Not(HasSubstr("BUDGET")));
}

TEST_F(Report, TextTellsOneFromMany) {
  count("select 1", 1'000);
  EXPECT_THAT(text(), HasSubstr("1 query of 1 kind, "));
}

TEST_F(Report, TextSaysWhatLossesMean) {
  for (int i = 0; i < 9990; ++i) count("select 1", 1000);
  losses_.lost = 10;
  EXPECT_THAT(text(), HasSubstr("lost: 10 commands (0.1 % of all): neither their kinds nor their "
                                "times are known."));
  EXPECT_THAT(text(),
              HasSubstr("what is shown as p99 is something from p98.90 to p99.00 of all\n"));
  losses_.lost = 1110;
  EXPECT_THAT(text(), HasSubstr("lost: 1110 commands (10 % of all)"));
  EXPECT_THAT(text(), HasSubstr("p99 is something from p89.10 to p99.10 of all\n"));
}

TEST_F(Report, TextSaysWhatIsNotShown) {
  for (const char* table : {"a", "b", "c", "d", "e", "f", "g"})
    count(std::string("select * from ") + table, 1000);
  const std::string out = text({.top = 2, .draw_total = 0});
  EXPECT_THAT(out, HasSubstr("  and 4 more kinds with 71.4% of the time; --top shows more\n"));
  EXPECT_THAT(out, HasSubstr("as many kinds as --max-kinds 5 allows: what else comes is (other)"));
  EXPECT_THAT(text({.top = 0}), HasSubstr("(other)\n"));
}

TEST_F(Report, TextHasSharesOfTheBudget) {
  count_with_budget("select 1", 3000, 1000);
  const std::string out = text({.draw_total = 0});
  EXPECT_THAT(out, HasSubstr("CPU    I/O   LOCK BUDGET     KIND\n"));
  EXPECT_THAT(out, HasSubstr(" 75.0%   0.0%  25.0% CCCCCCCCLL SELECT ?\n"));
}

TEST_F(Report, TextFitsATerminal) {
  count("select " + std::string(500, 'a') + " from t", 1000);
  count_with_budget("select 1 + 1", 1, 1);
  for (const size_t width : {40U, 80U, 100U, 120U, 200U}) {
    const std::string out = text({.draw_total = 0, .width = width});
    size_t begin = out.find('\n') + 1;  // behind the heading
    for (size_t end; (end = out.find('\n', begin)) != std::string::npos; begin = end + 1) {
      const auto columns = std::count_if(
          out.begin() + static_cast<long>(begin), out.begin() + static_cast<long>(end),
          [](char c) { return (static_cast<uint8_t>(c) & 0xc0) != 0x80; });
      EXPECT_LE(static_cast<size_t>(columns), width) << out.substr(begin, end - begin);
    }
  }
}

TEST_F(Report, TextIsSafeForATerminal) {
  count(kHostile, 1000);
  const std::string out = text();
  for (const char c : out) EXPECT_TRUE(c == '\n' || static_cast<uint8_t>(c) >= 0x20);
  EXPECT_THAT(out, Not(HasSubstr("\u202e")));
  EXPECT_THAT(out, Not(HasSubstr("\n# HELP")));
}

TEST_F(Report, NothingIsNoTable) {
  EXPECT_THAT(text(), HasSubstr("0 queries of 0 kinds"));
  EXPECT_THAT(text(), Not(HasSubstr("SHARE")));
  EXPECT_EQ(json().at("kinds").size(), 0U);
}

// ---- CSV ----

TEST_F(Report, CsvHasARowAKind) {
  count("select 1", 1000);
  count("select 1", 3000, true);
  count(kHostile, 500);
  losses_.lost = 4;
  const auto rows = parse_csv(shown(*histogram_csv(0)));
  ASSERT_EQ(rows.size(), 3U);
  for (const auto& row : rows) EXPECT_EQ(row.size(), rows[0].size());
  std::map<std::string, std::string> first;
  for (size_t i = 0; i < rows[0].size(); ++i) first[rows[0][i]] = rows[1][i];
  EXPECT_EQ(first["span"], "total");
  EXPECT_EQ(first["end"], "2026-01-02T03:04:05Z");
  EXPECT_EQ(first["lost"], "4");
  EXPECT_EQ(first["text"], "SELECT ?");
  EXPECT_EQ(first["count"], "2");
  EXPECT_EQ(first["errors"], "1");
  EXPECT_EQ(first["total_ns"], "4000");
  EXPECT_EQ(first["max_ns"], "3000");
  EXPECT_EQ(first["rows_sent"], "4");
  EXPECT_EQ(first["rows_examined"], "");
  EXPECT_EQ(first["on_cpu_ns"], "");
  EXPECT_EQ(first["reads"], "");
  EXPECT_THAT(rows[2][5], Not(HasSubstr("\n")));
}

TEST_F(Report, CsvHasNoFormulas) {
  for (const char* text : {"=cmd|' /C calc'!A0", "+1", "-1", "@sum(1)", "a=1"}) {
    table_ = kinds::KindTable(kinds::KindOptions{.by = kinds::By::User});
    model::Query query = query_of("select 1", 1000);
    query.user = text;
    table_.add(query);
    const std::string out = shown(*histogram_csv(0));
    const std::string expected =
        fmt::format(",\"{}{}\",1,", text == std::string("a=1") ? "" : "'", text);
    EXPECT_THAT(out, HasSubstr(expected));
  }
}

TEST_F(Report, CsvHasOneHeading) {
  count_with_budget("select 1", 3000, 1000);
  const auto writer = histogram_csv(0);
  std::string csv = shown(*writer, false);
  csv += shown(*writer);
  const auto rows = parse_csv(csv);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[1][0], "interval");
  EXPECT_EQ(rows[2][0], "total");
  const auto column = std::ranges::find(rows[0], "on_cpu_ns") - rows[0].begin();
  EXPECT_EQ(rows[1][static_cast<size_t>(column)], "3000");
}

// ---- Prometheus ----

struct Exposition {
  std::map<std::string, std::string> types;            // by metric
  std::map<std::string, double> values;                // by name and labels
  std::map<std::string, std::vector<double>> buckets;  // by the labels without le, in order
};

// Expects what the format (and promtool) asks for.
Exposition parse_prometheus(const std::string& text) {
  Exposition exposition;
  static const std::regex help(R"(# HELP ([a-z_]+) [ -~]+)");
  static const std::regex type(R"(# TYPE ([a-z_]+) (counter|gauge|histogram))");
  static const std::regex sample(
      R"re(([a-z_]+)(\{(?:[a-z_]+="(?:[^"\\\n]|\\[\\"n])*",?)*\})? ([0-9.]+))re");
  static const std::regex le(R"re(,le="([^"]+)")re");
  std::string family;
  std::set<std::string> helped;
  std::istringstream lines(text);
  EXPECT_TRUE(text.ends_with('\n'));
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_match(line, match, help)) {
      EXPECT_TRUE(helped.insert(match[1]).second) << "twice: " << line;
      family = match[1];
    } else if (std::regex_match(line, match, type)) {
      EXPECT_EQ(match[1], family);
      exposition.types[family] = match[2];
      EXPECT_EQ(match[2] == "counter", family.ends_with("_total")) << line;
    } else if (std::regex_match(line, match, sample)) {
      std::string name = match[1];
      EXPECT_TRUE(name == family || (exposition.types[family] == "histogram" &&
                                     (name == family + "_bucket" || name == family + "_sum" ||
                                      name == family + "_count")))
          << line;
      const std::string labels = match[2];
      EXPECT_TRUE(exposition.values.emplace(name + labels, std::stod(match[3])).second) << line;
      std::smatch bound;
      if (std::regex_search(labels, bound, le))
        exposition.buckets[std::regex_replace(labels, le, "")].push_back(std::stod(match[3]));
    } else {
      ADD_FAILURE() << "not valid: " << line;
    }
  }
  return exposition;
}

TEST_F(Report, PrometheusIsValidAndCumulative) {
  for (int i = 0; i < 90; ++i) count("select 1", 1'000'000);  // within le 2^20 - 1 ns
  for (int i = 0; i < 10; ++i) count("select 1", 1'500'000, true);
  count("select 2 + 2", 200'000'000'000);  // beyond the last bound
  count(kHostile, 5);
  losses_.lost = 3;
  const Exposition metrics = parse_prometheus(shown(*histogram_prometheus(0)));
  const std::string id = sql::printed_id(sql::FingerprintMode::MySql, "SELECT ?");
  const auto value = [&](const std::string& name, const std::string& labels = "") {
    const auto found = metrics.values.find(name + "{kind=\"" + id + "\"" +
                                           (labels.empty() ? "" : "," + labels) + "}");
    return found == metrics.values.end() ? NAN : found->second;
  };
  EXPECT_EQ(metrics.values.at("dbtrace_commands_lost_total"), 3);
  EXPECT_EQ(metrics.types.at("dbtrace_query_duration_seconds"), "histogram");
  EXPECT_EQ(value("dbtrace_query_duration_seconds_count"), 100);
  EXPECT_NEAR(value("dbtrace_query_duration_seconds_sum"), 0.105, 1e-9);
  EXPECT_EQ(value("dbtrace_query_duration_seconds_bucket", "le=\"0.000524287\""), 0);
  EXPECT_EQ(value("dbtrace_query_duration_seconds_bucket", "le=\"0.001048575\""), 90);
  EXPECT_EQ(value("dbtrace_query_duration_seconds_bucket", "le=\"0.002097151\""), 100);
  EXPECT_EQ(value("dbtrace_query_duration_seconds_bucket", "le=\"+Inf\""), 100);
  EXPECT_EQ(value("dbtrace_query_errors_total"), 10);
  EXPECT_EQ(value("dbtrace_query_rows_sent_total"), 200);
  EXPECT_EQ(value("dbtrace_kind_info", "text=\"SELECT ?\""), 1);
  EXPECT_EQ(metrics.buckets.size(), 3U);
  for (const auto& [labels, counts] : metrics.buckets) {
    EXPECT_EQ(counts.size(), 27U);
    EXPECT_TRUE(std::ranges::is_sorted(counts)) << labels;
  }
  EXPECT_FALSE(metrics.types.contains("dbtrace_query_time_seconds_total"));
}

TEST_F(Report, PrometheusTellsBudgets) {
  count_with_budget("select 1", 3000, 1000);
  const Exposition metrics = parse_prometheus(shown(*histogram_prometheus(0)));
  const std::string id = sql::printed_id(sql::FingerprintMode::MySql, "SELECT ?");
  EXPECT_NEAR(
      metrics.values.at("dbtrace_query_time_seconds_total{kind=\"" + id + "\",cause=\"row_lock\"}"),
      1e-6, 1e-12);
  const auto files = [&](const std::string& what) {
    return metrics.values.at("dbtrace_query_file_" + what + "_total{kind=\"" + id +
                             "\",operation=\"read\"}");
  };
  EXPECT_EQ(files("operations"), 3);
  EXPECT_EQ(files("bytes"), 4096);
  EXPECT_NEAR(files("seconds"), 500e-9, 1e-12);
}

TEST_F(Report, PrometheusTellsNoFilesThatWereNotSeen) {
  sees_files_ = false;
  count_with_budget("select 1", 3000, 1000);
  EXPECT_FALSE(parse_prometheus(shown(*histogram_prometheus(0)))
                   .types.contains("dbtrace_query_file_bytes_total"));
}

TEST_F(Report, PrometheusIsValidWithoutKinds) {
  EXPECT_EQ(parse_prometheus(shown(*histogram_prometheus(0))).types.size(), 1U);
}

}  // namespace
}  // namespace dbtrace::commands
