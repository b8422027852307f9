#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "src/output/cause_names.h"
#include "tests/unit/output/sample_query.h"

namespace dbtrace::output {
namespace {

using model::Cause;
using nlohmann::json;
using ::testing::EndsWith;
using ::testing::HasSubstr;

std::string json_text(const model::Query& query) {
  return written(FormatOptions{.format = Format::Json, .budget = true}, query);
}
json parsed(const model::Query& query) { return json::parse(json_text(query)); }

TEST(BudgetJson, IsThereWhenItIsAskedFor) {
  const std::string line = written(FormatOptions{.format = Format::Json}, sample_with_budget());
  for (const char* key : {"budget", "io", "blocker"})
    EXPECT_FALSE(json::parse(line).contains(key)) << key;

  EXPECT_THAT(
      json_text(sample_with_budget()),
      EndsWith(
          R"(,"budget":{"on_cpu_ns":30000,"runqueue_ns":0,"file_read_ns":20000,)"
          R"("file_write_ns":0,"fsync_ns":0,"lock_ns":73000,"network_ns":0,"sleep_ns":0,)"
          R"("other_ns":0,"unexplained_ns":456,"voluntary_switches":5,"involuntary_switches":1,)"
          R"("locks":{"row_lock_ns":70000}},)"
          R"("io":{"reads":3,"read_bytes":49152,"read_ns":25000,"read_max_ns":21000,)"
          R"("reads_blocked":1,"read_max_file":"orders.ibd","read_max_table":"shop.orders",)"
          R"("writes":0,"write_bytes":0,"write_ns":0,"write_max_ns":0,"writes_blocked":0,)"
          R"("write_max_file":null,"write_max_table":null,)"
          R"("fsyncs":0,"fsync_bytes":0,"fsync_ns":0,"fsync_max_ns":0,"fsyncs_blocked":0,)"
          R"("fsync_max_file":null,"fsync_max_table":null,)"
          R"("files":[{"file":"orders.ibd","table":"shop.orders",)"
          R"("reads":3,"read_bytes":49152,"read_ns":25000,"read_max_ns":21000,"reads_blocked":1,)"
          R"("writes":0,"write_bytes":0,"write_ns":0,"write_max_ns":0,"writes_blocked":0,)"
          R"("fsyncs":0,"fsync_bytes":0,"fsync_ns":0,"fsync_max_ns":0,"fsyncs_blocked":0}]},)"
          R"("blocker":{"waited_ns":69000,"cause":"row_lock","pid":4242,"tid":4251,)"
          R"("thread":"connection","conn":9,"query":"update orders set a = 1",)"
          R"("query_length":23,"truncated":false}})"
          "\n"));
}

TEST(BudgetJson, WhatWasLostIsNull) {
  EXPECT_THAT(json_text(sample_query()),
              EndsWith(",\"budget\":null,\"io\":null,\"blocker\":null}\n"));
  model::Query query = sample_with_budget();
  query.budget.reset();
  query.io.reset();
  const json line = parsed(query);
  EXPECT_EQ(line.at("budget"), nullptr);
  EXPECT_EQ(line.at("blocker").at("waited_ns"), 69'000);
}

TEST(BudgetJson, TimesAddUpToTheDuration) {
  model::Query query = sample_with_budget();
  for (size_t i = 0; i < model::kCauses; ++i) query.budget->by_cause_ns[i] = 1ULL << i;
  query.budget->unexplained_ns = query.duration_ns - ((1ULL << model::kCauses) - 1);
  const json budget = parsed(query)["budget"];
  uint64_t sum = 0;
  for (const auto& [key, value] : budget.items())
    if (key.ends_with("_ns")) sum += value.get<uint64_t>();
  EXPECT_EQ(sum, query.duration_ns);

  uint64_t kinds = 0;
  for (const auto& [key, value] : budget["locks"].items()) kinds += value.get<uint64_t>();
  EXPECT_EQ(budget["locks"].size(), 7u);
  EXPECT_EQ(budget["lock_ns"], kinds + query.budget->ns(Cause::Lock));
}

TEST(BudgetJson, ManyFilesStayApart) {
  model::Query query = sample_with_budget();
  query.io->files.push_back({{"\xff.ibd", "\xff"}, {}});
  query.io->files.push_back({{}, {}});
  const json files = parsed(query)["io"]["files"];
  ASSERT_EQ(files.size(), 3u);
  EXPECT_EQ(files[1]["file"], "\ufffd.ibd");
  EXPECT_EQ(files[1]["file_base64"], "/y5pYmQ=");
  EXPECT_EQ(files[2]["file"], nullptr);
  EXPECT_EQ(files[2]["table"], nullptr);
  query.io->files.clear();
  EXPECT_EQ(parsed(query)["io"]["files"], json::array());
}

TEST(BudgetJson, NoBlockerIsNullAndABackgroundThreadHasNoQuery) {
  model::Query query = sample_with_budget();
  query.blocker->query.reset();
  query.blocker->connection_id.reset();
  query.blocker->thread = "ib_log_flush";
  const json blocker = parsed(query)["blocker"];
  EXPECT_EQ(blocker["thread"], "ib_log_flush");
  EXPECT_EQ(blocker["conn"], nullptr);
  EXPECT_EQ(blocker["query"], nullptr);
  query.blocker.reset();
  EXPECT_EQ(parsed(query)["blocker"], nullptr);
}

TEST(BudgetJson, WaitsByTheServersNames) {
  model::Query query = sample_with_budget();
  query.named_waits.emplace();
  EXPECT_THAT(json_text(query), EndsWith(R"(,"wait_events":[]})"
                                         "\n"));
  query.named_waits->waits = {{{"Lock", "tuple"}, 70'000, 2}, {{"LWLock", "97"}, 10, 1}};
  EXPECT_THAT(json_text(query), EndsWith(R"(,"wait_events":[)"
                                         R"({"type":"Lock","event":"tuple","ns":70000,"waits":2},)"
                                         R"({"type":"LWLock","event":"97","ns":10,"waits":1}]})"
                                         "\n"));
  query.named_waits->others_ns = 5;
  EXPECT_EQ(parsed(query)["other_wait_events_ns"], 5);
  query.waits_for = model::WaitEvent{"Timeout", "PgSleep"};
  EXPECT_EQ(parsed(query)["wait_event"], (json{{"type", "Timeout"}, {"event", "PgSleep"}}));
}

TEST(BudgetJson, BlockersWithoutAQueryOfTheirOwn) {
  model::Query query = sample_with_budget();
  EXPECT_FALSE(parsed(query)["blocker"].contains("idle_in_transaction"));
  query.blocker->idle = true;
  EXPECT_EQ(parsed(query)["blocker"]["idle_in_transaction"], true);
  query.blocker->title = "postgres: walwriter";
  EXPECT_EQ(parsed(query)["blocker"]["process"], "postgres: walwriter");
}

TEST(BudgetJson, ABlockersTextIsRedactedAndMarkedWhenCut) {
  model::Query query = sample_with_budget();
  query.blocker->query = "create user u identified by 'hunter2'";
  query.blocker->query_length = 37;
  EXPECT_THAT(json_text(query), Not(HasSubstr("hunter2")));
  EXPECT_EQ(parsed(query)["blocker"]["redacted"], true);
  EXPECT_EQ(parsed(query)["query"], "select 1") << "not mixed up";

  query.blocker->query = "select '\xe2\x82";
  query.blocker->query_length = 5000;
  const json blocker = parsed(query)["blocker"];
  EXPECT_EQ(blocker["query"], "select '");
  EXPECT_EQ(blocker["query_length"], 5000);
  EXPECT_EQ(blocker["truncated"], true);
}

TEST(CauseNames, AreDistinctAndLocksAreDrawnAlike) {
  std::set<std::string_view> keys, labels;
  std::set<char> letters{UnexplainedName::letter};
  std::set<std::string_view> colors{UnexplainedName::color};
  for (const CauseName& name : kCauseNames) {
    EXPECT_TRUE(keys.insert(name.json_key).second) << name.json_key;
    EXPECT_TRUE(labels.insert(name.label).second) << name.label;
    if (is_kind_of_lock(name.cause)) {
      EXPECT_EQ(name.letter, name_of(Cause::Lock).letter);
      EXPECT_EQ(name.color, name_of(Cause::Lock).color);
    } else {
      EXPECT_TRUE(letters.insert(name.letter).second) << name.letter;
      EXPECT_TRUE(colors.insert(name.color).second) << name.label;
    }
  }
  EXPECT_EQ(name_of(Cause::MetadataLock).name(), "metadata_lock");
  EXPECT_EQ(name_of(Cause::OnCpu).name(), "on_cpu");
}

}  // namespace
}  // namespace dbtrace::output
