#include "src/commands/io/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/unit/commands/io/samples.h"

namespace dbtrace::commands {
namespace {

using model::FileOperation;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr Span kInterval{
    .total = false, .end_ns = 1'700'000'005'000'000'000, .length_ns = 5'000'000'000};
constexpr Span kTotal{
    .total = true, .end_ns = 1'700'000'005'000'000'000, .length_ns = 60'000'000'000};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

IoSubject named(const std::string& name, const std::string& table = {}) {
  return {.kind = IoSubject::Kind::Named, .name = name, .table = table};
}

// Reads from the page cache and from a disk, a write and a sync.
IoTable sample_table() {
  IoTable table;
  for (int i = 0; i < 90; ++i)
    table.add(named("shop.t"), sample_operation(FileOperation::Read, 2000));
  model::IoOperation disk = sample_operation(FileOperation::Read, 5'000'000);
  disk.blocked = true;
  for (int i = 0; i < 10; ++i) table.add(named("shop.t"), disk);
  table.add(named("redo"), sample_operation(FileOperation::Write, 20'000));
  model::IoOperation sync = sample_operation(FileOperation::Fsync, 1'000'000);
  sync.blocked = true;
  table.add(named("redo"), sync);
  return table;
}

std::string text_of(const Span& span, const IoTable& table, IoBy by, uint64_t lost = 0,
                    size_t width = 0) {
  const auto report = io_text(false, false);
  report->set_width(width);
  std::string out;
  report->table(span, table, by, lost, out);
  return out;
}

json json_of(const Span& span, const IoTable& table, IoBy by, uint64_t lost = 0) {
  std::string out;
  io_json()->table(span, table, by, lost, out);
  EXPECT_EQ(std::ranges::count(out, '\n'), 1);
  return json::parse(out);
}

TEST(IoText, ShowsCacheAndDiskOfEachOperation) {
  const std::string text = text_of(kInterval, sample_table(), IoBy::Table, 3);
  EXPECT_THAT(text, HasSubstr("(5.00s): 102 operations, 404k bytes, "
                              "3 lost (2.9 %: in no sum and no percentile)\n"));
  EXPECT_THAT(text, HasSubstr("\nread: 100 in 50ms, 400k bytes; 10 blocked (#), 90 did not (=)\n"));
  EXPECT_THAT(text, HasSubstr("\nwrite: 1 in 20µs, 4.0k bytes; 0 blocked (#), 1 did not (=)\n"));
  EXPECT_THAT(text, HasSubstr("\nfsync: 1 in 1.0ms; 1 blocked (#), 0 did not (=)\n"));
  // The two humps.
  EXPECT_THAT(text,
              HasSubstr("         90           0 |========================================|"));
  EXPECT_THAT(text,
              HasSubstr("         10          10 |####                                    |"));
}

TEST(IoText, TheTableHasTheMostTimeFirst) {
  const std::vector<std::string> lines = lines_of(text_of(kInterval, sample_table(), IoBy::Table));
  ASSERT_GE(lines.size(), 4U);
  EXPECT_EQ(lines[lines.size() - 4],
            "OP              COUNT   BLOCKED  BYTES   TIME  SHARE    P50    P99    MAX TABLE");
  EXPECT_EQ(lines[lines.size() - 3],
            "read              100        10   400k   50ms  98.0%  2.0µs  5.0ms  5.0ms shop.t");
  EXPECT_EQ(lines[lines.size() - 1],
            "write               1         0   4.0k   20µs   0.0%   20µs   20µs   20µs redo");
}

TEST(IoText, NothingSeenIsSaid) {
  const std::string text = text_of(kTotal, IoTable(), IoBy::Table);
  EXPECT_EQ(text, "total (60.0s): 0 operations, 0 bytes, 0 lost\n");
}

TEST(IoText, RowsOfAnIntervalAreFew) {
  IoTable table;
  for (int i = 0; i < 30; ++i)
    table.add(named(std::to_string(i)), sample_operation(FileOperation::Read, 1000));
  EXPECT_EQ(lines_of(text_of(kInterval, table, IoBy::Table)).back(), "…     and 20 more");
  EXPECT_THAT(text_of(kTotal, table, IoBy::Table), Not(HasSubstr("more")));
}

TEST(IoText, SubjectsAreNamedByWhatTheyAre) {
  IoTable table;
  const auto read = sample_operation(FileOperation::Read, 1000);
  const model::Query query = sample_command("select 1");
  table.add(named("SELECT ?"), read, &query);
  table.add({.kind = IoSubject::Kind::Background, .name = "ib_pg_flush_co", .table = {}}, read);
  table.add({.kind = IoSubject::Kind::Unknown, .name = {}, .table = {}}, read);
  EXPECT_THAT(text_of(kTotal, table, IoBy::Query),
              AllOf(HasSubstr(" SELECT ?\n           e.g. select 1\n"),
                    HasSubstr(" background: ib_pg_flush_co\n"), HasSubstr(" (query unknown)\n")));
  EXPECT_THAT(text_of(kInterval, table, IoBy::Query), Not(HasSubstr("e.g.")));
  EXPECT_THAT(text_of(kTotal, table, IoBy::Thread), HasSubstr(" ib_pg_flush_co\n"));

  IoTable files;
  files.add(named("t.ibd", "shop.t"), read);
  files.add(named("hosts", "hosts"), read);
  files.add({.kind = IoSubject::Kind::Unknown, .name = {}, .table = {}}, read);
  EXPECT_THAT(
      text_of(kTotal, files, IoBy::File),
      AllOf(HasSubstr(" t.ibd (shop.t)\n"), HasSubstr(" hosts\n"), HasSubstr(" (file unknown)\n")));
}

TEST(IoText, NamesCannotDriveATerminal) {
  IoTable table;
  table.add(named("\x1b[31mred"), sample_operation(FileOperation::Read, 1000));
  EXPECT_THAT(text_of(kTotal, table, IoBy::Table),
              AllOf(HasSubstr("\\x1b[31mred"), Not(HasSubstr("\x1b"))));
}

TEST(IoText, LinesOfTheTableFitATerminal) {
  IoTable table;
  table.add(named(std::string(500, 'x')), sample_operation(FileOperation::Read, 1000));
  EXPECT_THAT(lines_of(text_of(kTotal, table, IoBy::Table, 0, 100)).back().size(),
              ::testing::Le(100U + 2 + 4));  // "…" is three bytes, "µ" two
}

TEST(IoText, AllFitsATerminalAndNamesHaveRoom) {
  const std::string text = text_of(kTotal, sample_table(), IoBy::Table, 0, 80);
  for (const std::string& line : lines_of(text)) {
    const auto is_start = [](char c) { return (static_cast<uint8_t>(c) & 0xc0) != 0x80; };
    EXPECT_LE(std::ranges::count_if(line, is_start), 80) << line;
  }
  EXPECT_THAT(text,
              HasSubstr("\nread              100   400k   50ms  98.0%  5.0ms  5.0ms shop.t\n"));
}

TEST(IoText, NoPercentileIsMoreThanTheGreatest) {
  IoTable table;
  table.add(named("redo"), sample_operation(FileOperation::Fsync, 1'000'100));
  const json row = json_of(kTotal, table, IoBy::Table).at("rows").at(0);
  EXPECT_EQ(row.at("p50_ns"), 1'000'100);
  EXPECT_EQ(row.at("max_ns"), 1'000'100);
}

TEST(IoJson, HasSumsHistogramsAndRows) {
  const json line = json_of(kInterval, sample_table(), IoBy::Table, 3);
  EXPECT_EQ(line["span"], "interval");
  EXPECT_EQ(line["end"], "2023-11-14T22:13:25.000000000Z");
  EXPECT_EQ(line["length_ns"], 5'000'000'000);
  EXPECT_EQ(line["lost"], 3);
  const json& reads = line["operations"]["read"];
  EXPECT_EQ(reads["count"], 100);
  EXPECT_EQ(reads["blocked"], 10);
  EXPECT_EQ(reads["bytes"], 409'600);
  EXPECT_EQ(reads["total_ns"], 50'180'000);
  EXPECT_EQ(reads["max_ns"], 5'000'000);
  EXPECT_NEAR(reads["p50_ns"].get<double>(), 2000, 2000 / 32.0);
  EXPECT_NEAR(reads["p99_ns"].get<double>(), 5e6, 5e6 / 32.0);
  ASSERT_EQ(reads["buckets"].size(), 2U);
  EXPECT_EQ(reads["buckets"][0][2], 90);
  EXPECT_EQ(reads["buckets"][0][3], 0);
  EXPECT_EQ(reads["buckets"][1][2], 10);
  EXPECT_EQ(reads["buckets"][1][3], 10);
  EXPECT_EQ(line["by"], "table");
  ASSERT_EQ(line["rows"].size(), 3U);
  EXPECT_EQ(line["rows"][0]["table"], "shop.t");
  EXPECT_EQ(line["rows"][0]["operation"], "read");
  EXPECT_NEAR(line["rows"][0]["share"].get<double>(), 0.98, 0.001);
}

TEST(IoJson, WhatDidNotHappenHasNoPercentiles) {
  const json line = json_of(kTotal, IoTable(), IoBy::Query);
  EXPECT_EQ(line["span"], "total");
  EXPECT_EQ(line["operations"]["fsync"]["count"], 0);
  EXPECT_EQ(line["operations"]["fsync"]["p50_ns"], nullptr);
  EXPECT_EQ(line["operations"]["fsync"]["buckets"], json::array());
  EXPECT_EQ(line["rows"], json::array());
}

TEST(IoJson, RowsByQueryFileAndThread) {
  const auto read = sample_operation(FileOperation::Read, 1000);
  const model::Query query = sample_command("select 1");
  IoTable table;
  table.add(named("SELECT ?", "x"), read, &query);
  json row = json_of(kTotal, table, IoBy::Query)["rows"][0];
  EXPECT_EQ(row["query"], "SELECT ?");
  EXPECT_EQ(row["example"], "select 1");
  EXPECT_EQ(row["background"], nullptr);
  row = json_of(kTotal, table, IoBy::File)["rows"][0];
  EXPECT_EQ(row["file"], "SELECT ?");
  EXPECT_EQ(row["table"], "x");
  EXPECT_EQ(json_of(kTotal, table, IoBy::Thread)["rows"][0]["in_queries"], true);

  IoTable background;
  background.add({.kind = IoSubject::Kind::Background, .name = "purge", .table = {}}, read);
  row = json_of(kTotal, background, IoBy::Query)["rows"][0];
  EXPECT_EQ(row["query"], nullptr);
  EXPECT_EQ(row["background"], "purge");
  row = json_of(kTotal, background, IoBy::Thread)["rows"][0];
  EXPECT_EQ(row["thread"], "purge");
  EXPECT_EQ(row["in_queries"], false);
}

std::string listed(const model::IoOperation& operation, const model::Query* query,
                   bool several = false) {
  const auto report = io_text(false, several);
  std::string out;
  report->operation(operation, query, out);
  return out;
}

TEST(IoList, ALineHasEverythingOfAnOperation) {
  const auto report = io_text(false, false);
  std::string heading;
  report->begin_list(heading);
  EXPECT_EQ(heading,
            "TIME           CONN THREAD          OP          OFFSET  BYTES B   TOOK "
            "TABLE                    QUERY\n");
  model::IoOperation operation = sample_operation(FileOperation::Read, 12'000'000);
  operation.blocked = true;
  const model::Query query = sample_command("select *\nfrom t");
  EXPECT_EQ(listed(operation, &query).substr(8),
            ".123     42 connection      read         16384   4.0k B   12ms "
            "shop.t                   select * from t\n");
}

TEST(IoList, SaysWhatIsNotKnown) {
  model::IoOperation operation = sample_operation(FileOperation::Fsync, 12'000'000);
  operation.offset.reset();
  EXPECT_THAT(listed(operation, nullptr), HasSubstr("(query unknown)"));
  operation.command_start_ns.reset();
  operation.file = {};
  operation.error = EIO;
  EXPECT_THAT(listed(operation, nullptr),
              AllOf(HasSubstr("(background)"), HasSubstr("(file unknown)"),
                    HasSubstr("[Input/output error]"), HasSubstr(" fsync            -")));
}

TEST(IoList, SecretsAndEscapesAreNotShown) {
  const model::IoOperation operation = sample_operation(FileOperation::Read, 1000);
  const model::Query query = sample_command("create user 'a\x1b[2J' identified by 'Tr0ub4dor'");
  EXPECT_THAT(listed(operation, &query),
              AllOf(Not(HasSubstr("\x1b")), Not(HasSubstr("Tr0ub4dor"))));
}

TEST(IoList, AServerHasAColumnWhereThereAreSeveral) {
  const model::IoOperation operation = sample_operation(FileOperation::Read, 1000);
  EXPECT_THAT(listed(operation, nullptr, true), HasSubstr("       7      -"));
}

TEST(IoList, AsJson) {
  const auto report = io_json();
  model::IoOperation operation = sample_operation(FileOperation::Read, 12'000'000);
  const model::Query query = sample_command("select 1");
  std::string out;
  report->begin_list(out);
  EXPECT_EQ(out, "");
  report->operation(operation, &query, out);
  json line = json::parse(out);
  EXPECT_EQ(line["start"], "2023-11-14T22:13:20.123456789Z");
  EXPECT_EQ(line["duration_ns"], 12'000'000);
  EXPECT_EQ(line["operation"], "read");
  EXPECT_EQ(line["file"], "t.ibd");
  EXPECT_EQ(line["table"], "shop.t");
  EXPECT_EQ(line["offset"], 16384);
  EXPECT_EQ(line["bytes"], 4096);
  EXPECT_EQ(line["blocked"], false);
  EXPECT_EQ(line["error"], 0);
  EXPECT_EQ(line["thread"], "connection");
  EXPECT_EQ(line["background"], false);
  EXPECT_EQ(line["conn"], 42);
  EXPECT_EQ(line["query"], "select 1");

  operation.command_start_ns.reset();
  operation.offset.reset();
  out.clear();
  report->operation(operation, nullptr, out);
  line = json::parse(out);
  EXPECT_EQ(line["background"], true);
  EXPECT_EQ(line["offset"], nullptr);
  EXPECT_EQ(line["conn"], nullptr);
  EXPECT_EQ(line["query"], nullptr);
}

}  // namespace
}  // namespace dbtrace::commands
