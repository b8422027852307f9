#include "src/commands/io/subject.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/commands/io/samples.h"

namespace dbtrace::commands {
namespace {

using Kind = IoSubject::Kind;
using model::FileOperation;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(IoSubjects, TablesFilesAndOperations) {
  const model::IoOperation operation = sample_operation(FileOperation::Read, 1);
  EXPECT_EQ(IoSubjects(IoBy::Table).of(operation, nullptr).name, "shop.t");
  const IoSubject file = IoSubjects(IoBy::File).of(operation, nullptr);
  EXPECT_EQ(file.name, "t.ibd");
  EXPECT_EQ(file.table, "shop.t");
  EXPECT_EQ(IoSubjects(IoBy::Operation).of(operation, nullptr).name, "");
}

TEST(IoSubjects, AFileWithoutANameIsUnknown) {
  model::IoOperation operation = sample_operation(FileOperation::Read, 1);
  operation.file = {};
  EXPECT_EQ(IoSubjects(IoBy::Table).of(operation, nullptr).kind, Kind::Unknown);
  EXPECT_EQ(IoSubjects(IoBy::File).of(operation, nullptr).kind, Kind::Unknown);
}

TEST(IoSubjects, ThreadsInCommandsAreToldFromBackgroundOnes) {
  IoSubjects subjects(IoBy::Thread);
  model::IoOperation operation = sample_operation(FileOperation::Read, 1);
  EXPECT_EQ(subjects.of(operation, nullptr).kind, Kind::Named);
  operation.command_start_ns.reset();
  operation.thread = "ib_log_writer";
  const IoSubject background = subjects.of(operation, nullptr);
  EXPECT_EQ(background.kind, Kind::Background);
  EXPECT_EQ(background.name, "ib_log_writer");
}

TEST(IoSubjects, QueriesOfAKindAreOneSubject) {
  IoSubjects subjects(IoBy::Query);
  EXPECT_TRUE(subjects.needs_queries());
  const model::IoOperation operation = sample_operation(FileOperation::Read, 1);
  const model::Query one = sample_command("select * from t where id = 1");
  const model::Query two = sample_command("SELECT  * FROM t WHERE id = 22");
  const model::Query other = sample_command("delete from t where id = 1");
  EXPECT_EQ(subjects.of(operation, &one), subjects.of(operation, &two));
  EXPECT_NE(subjects.of(operation, &one), subjects.of(operation, &other));
  EXPECT_EQ(subjects.of(operation, &one).kind, Kind::Named);
}

TEST(IoSubjects, WithoutATextTheCommandIsTheKind) {
  IoSubjects subjects(IoBy::Query);
  model::Query quit = sample_command("");
  quit.text_state = model::TextState::None;
  quit.command = "Quit";
  EXPECT_EQ(subjects.of(sample_operation(FileOperation::Read, 1), &quit).name, "[Quit]");
}

TEST(IoSubjects, WhatIsInNoQueryIsBackgroundOrUnknown) {
  IoSubjects subjects(IoBy::Query);
  model::IoOperation operation = sample_operation(FileOperation::Read, 1);
  EXPECT_EQ(subjects.of(operation, nullptr).kind, Kind::Unknown);
  operation.command_start_ns.reset();
  operation.thread = "ib_pg_flush_co";
  const IoSubject background = subjects.of(operation, nullptr);
  EXPECT_EQ(background.kind, Kind::Background);
  EXPECT_EQ(background.name, "ib_pg_flush_co");
}

TEST(IoSubjects, SecretsAreInNeitherKindNorExample) {
  IoSubjects subjects(IoBy::Query);
  const model::Query query = sample_command("create user u identified by 'Tr0ub4dor'");
  EXPECT_THAT(subjects.of(sample_operation(FileOperation::Read, 1), &query).name,
              Not(HasSubstr("Tr0ub4dor")));
  EXPECT_EQ(example_of(query), "create user u identified by '<redacted>'");
}

TEST(IoSubjects, AnExampleSaysThatItWasCut) {
  model::Query query = sample_command("select 1");
  query.text_length = 100;
  EXPECT_EQ(example_of(query), "select 1…");
}

}  // namespace
}  // namespace dbtrace::commands
