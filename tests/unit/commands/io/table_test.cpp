#include "src/commands/io/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/commands/io/samples.h"

namespace dbtrace::commands {
namespace {

using model::FileOperation;
using ::testing::ElementsAre;
using ::testing::SizeIs;

IoSubject table_named(const std::string& name) {
  return {.kind = IoSubject::Kind::Named, .name = name, .table = {}};
}

std::vector<std::string> names_of(const IoTable& table) {
  std::vector<std::string> names;
  for (const IoTable::Row* row : table.rows()) names.push_back(row->subject.name);
  return names;
}

TEST(IoTable, SumsUpBySubjectAndOperation) {
  IoTable table;
  model::IoOperation blocked = sample_operation(FileOperation::Read, 3000);
  blocked.blocked = true;
  table.add(table_named("a"), sample_operation(FileOperation::Read, 1000));
  table.add(table_named("a"), blocked);
  table.add(table_named("a"), sample_operation(FileOperation::Write, 50));
  table.add(table_named("b"), sample_operation(FileOperation::Read, 7000));

  ASSERT_THAT(table.rows(), SizeIs(3));
  EXPECT_THAT(names_of(table), ElementsAre("b", "a", "a"));  // by time
  const IoTable::Row& reads = *table.rows()[1];
  EXPECT_EQ(reads.kind, IoKind::Read);
  EXPECT_EQ(reads.latencies.sum.count, 2U);
  EXPECT_EQ(reads.latencies.sum.blocked, 1U);
  EXPECT_EQ(reads.latencies.sum.bytes, 8192U);
  EXPECT_EQ(reads.latencies.sum.ns, 4000U);
  EXPECT_EQ(reads.latencies.sum.max_ns, 3000U);
  EXPECT_EQ(reads.latencies.all.count(), 2U);
  EXPECT_EQ(reads.latencies.blocked.count(), 1U);

  EXPECT_EQ(table.totals()[0].sum.count, 3U);
  EXPECT_EQ(table.totals()[1].sum.count, 1U);
  EXPECT_EQ(table.totals()[2].sum.count, 0U);
  EXPECT_EQ(table.operations(), 4U);
  EXPECT_EQ(table.bytes(), 4 * 4096U);
  EXPECT_EQ(table.ns(false), 11'050U);
}

TEST(IoTable, WhatWasCountedUnderANumberMovesToTheName) {
  IoTable table;
  table.add(table_named("5/16400"), sample_operation(FileOperation::Read, 1000));
  table.add(table_named("5/16400"), sample_operation(FileOperation::Write, 10));
  table.add(table_named("public.t"), sample_operation(FileOperation::Read, 300));
  table.rename_table("5/16400", "public.t", IoBy::Query);
  EXPECT_THAT(table.rows(), SizeIs(3)) << "a query of that text";
  table.rename_table("5/16400", "public.t", IoBy::Table);
  EXPECT_THAT(names_of(table), ElementsAre("public.t", "public.t"));
  EXPECT_EQ(table.rows()[0]->latencies.sum.ns, 1300U);
  EXPECT_EQ(table.operations(), 3U);

  IoTable files;
  files.add({.kind = IoSubject::Kind::Named, .name = "16400", .table = "5/16400"},
            sample_operation(FileOperation::Read, 1000));
  files.rename_table("5/16400", "public.t", IoBy::File);
  ASSERT_THAT(files.rows(), SizeIs(1));
  EXPECT_EQ(files.rows()[0]->subject.table, "public.t");
  EXPECT_EQ(files.rows()[0]->subject.name, "16400");
}

TEST(IoTable, WhatNobodyWaitsForIsCountedApart) {
  IoTable table;
  model::IoOperation ahead = sample_operation(FileOperation::Read, 8000);
  ahead.asynchronous = true;
  table.add(table_named("a"), ahead);
  table.add(table_named("a"), sample_operation(FileOperation::Read, 1000));
  table.add(table_named("a"), sample_operation(FileOperation::Write, 3000));
  ASSERT_THAT(table.rows(), SizeIs(3));
  EXPECT_EQ(table.rows()[0]->kind, IoKind::AsyncRead);
  EXPECT_EQ(table.ns(true), 8000U);
  EXPECT_EQ(table.ns(false), 4000U);
  EXPECT_EQ(table.share(*table.rows()[0]), 1.0);
  EXPECT_EQ(table.share(*table.rows()[1]), 0.75);
  EXPECT_EQ(table.totals()[static_cast<size_t>(IoKind::AsyncRead)].sum.count, 1U);
}

TEST(IoTable, MergesAndClears) {
  IoTable interval, total;
  const model::Query query = sample_command("select 1");
  interval.add(table_named("a"), sample_operation(FileOperation::Read, 1000), &query);
  total.merge(interval);
  interval.clear();
  EXPECT_EQ(interval.operations(), 0U);
  EXPECT_THAT(interval.rows(), SizeIs(0));
  interval.add(table_named("a"), sample_operation(FileOperation::Read, 9000));
  interval.add(table_named("c"), sample_operation(FileOperation::Fsync, 10));
  total.merge(interval);

  ASSERT_THAT(names_of(total), ElementsAre("a", "c"));
  EXPECT_EQ(total.rows()[0]->latencies.sum.count, 2U);
  EXPECT_EQ(total.rows()[0]->latencies.sum.max_ns, 9000U);
  EXPECT_EQ(total.rows()[0]->example, "select 1");
  EXPECT_EQ(total.operations(), 3U);
}

TEST(IoTable, TheFirstQueryOfAKindIsItsExample) {
  IoTable table;
  const model::Query first = sample_command("select 1"), second = sample_command("select 2");
  table.add(table_named("k"), sample_operation(FileOperation::Read, 1), &first);
  table.add(table_named("k"), sample_operation(FileOperation::Read, 2), &second);
  EXPECT_EQ(table.rows().front()->example, "select 1");
}

TEST(IoTable, TooManySubjectsAreCountedTogether) {
  IoTable table;
  constexpr size_t kMore = 100;
  for (size_t i = 0; i < IoTable::kSubjectsMax + kMore; ++i)
    table.add(table_named(std::to_string(i)), sample_operation(FileOperation::Read, 1));
  ASSERT_THAT(table.rows(), SizeIs(IoTable::kSubjectsMax + 1));
  const IoTable::Row& others = *table.rows().back();
  uint64_t in_others = 0;
  for (const IoTable::Row* row : table.rows())
    if (row->subject.kind == IoSubject::Kind::Others) in_others += row->latencies.sum.count;
  EXPECT_EQ(in_others, kMore) << others.subject.name;
  EXPECT_EQ(table.operations(), IoTable::kSubjectsMax + kMore);
}

}  // namespace
}  // namespace dbtrace::commands
