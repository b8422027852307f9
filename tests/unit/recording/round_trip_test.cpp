#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "tests/runtime/temporary_folder.h"
#include "tests/unit/recording/queries.h"

namespace dbtrace::recording {
namespace {

using dbtrace::testing::TemporaryFolder;
using model::Query;
using model::TextState;

class RoundTrip : public ::testing::Test {
 protected:
  std::vector<Query> again(const std::vector<Query>& queries, bool literals) {
    record(path_, queries, {.literals = literals, .program = "test"});
    Reader reader = reader_of(path_);
    EXPECT_EQ(reader.has_literals(), literals);
    EXPECT_TRUE(reader.is_finished());
    std::vector<Query> all = read_all(reader);
    readers_.push_back(std::move(reader));  // the names in them are its
    return all;
  }
  void expect_same(const std::vector<Query>& queries) {
    const std::vector<Query> read = again(queries, true);
    ASSERT_EQ(read.size(), queries.size());
    for (size_t i = 0; i < queries.size(); ++i)
      EXPECT_EQ(described(read[i]), described(queries[i])) << i;
  }

  TemporaryFolder folder_;
  std::string path_ = folder_.path() / "recording";
  std::vector<Reader> readers_;
};

TEST_F(RoundTrip, EveryField) { expect_same({full_query()}); }

TEST_F(RoundTrip, WhatIsAbsent) {
  Query empty;
  Query io_only = query_of("select 1");
  io_only.io.emplace();
  Query empty_parts = query_of("select 2");
  empty_parts.budget.emplace();
  empty_parts.named_waits.emplace();
  empty_parts.stacks.emplace();
  Query no_text = query_of("");
  no_text.text_state = TextState::None;
  no_text.query_id = 12;
  Query unreadable = query_of("");
  unreadable.text_state = TextState::Unreadable;
  unreadable.text_length = 77;
  Query blocked = query_of("select 3");
  blocked.blocker = model::Blocker{};
  expect_same({empty, io_only, empty_parts, no_text, unreadable, blocked, query_of("")});
}

TEST_F(RoundTrip, AllStacks) {
  Query none = query_of("select 1");
  none.samples = std::make_shared<const model::SampledStacks>();
  const std::vector<Query> queries = {sampled_query(), query_of("select 2"), none, sampled_query()};
  record(path_, queries, {.literals = true, .program = "test"});
  Reader reader = reader_of(path_);
  EXPECT_TRUE(reader.want_samples());
  const std::vector<Query> read = read_all(reader);
  ASSERT_EQ(read.size(), queries.size());
  for (size_t i = 0; i < queries.size(); ++i)
    EXPECT_EQ(described(read[i]), described(queries[i])) << i;
  // What stacks have in common stands once.
  EXPECT_EQ(asked(path_, "select count(*) from frame"), "5\n");
  EXPECT_EQ(asked(path_, "select count(*) from call"), "7\n");
  // Who does not want them reads the rest.
  Reader without = reader_of(path_);
  EXPECT_EQ(described(read_all(without).front()), described(full_query()));
}

// What one has must not stay with the next.
TEST_F(RoundTrip, NothingIsLeftOfTheQueryBefore) {
  std::vector<Query> queries;
  for (int i = 0; i < 3; ++i) {
    queries.push_back(full_query());
    queries.push_back(query_of("select 1"));
    queries.emplace_back();
  }
  expect_same(queries);
}

TEST_F(RoundTrip, HostileBytes) {
  using namespace std::string_literals;
  Query query = full_query();
  const std::string hostile = "a\0b\xff\xfe'\"\n; drop table query; --\xc3"s;
  query.text = hostile;
  query.text_length = hostile.size();
  query.user = hostile;
  query.host = hostile;
  query.ip = "";
  query.application = hostile + "x";
  query.database = "\xed\xa0\x80"s;  // a surrogate
  query.blocker->thread = hostile;
  query.blocker->title = hostile;
  query.blocker->query = hostile;
  query.blocker->query_length = hostile.size();
  query.io->slowest[0] = {hostile, hostile};
  query.io->files[0].file = {hostile, hostile};
  query.waits_for = model::WaitEvent{hostile, hostile};
  query.named_waits->waits[0].event = {hostile, ""};
  expect_same({query});
  EXPECT_EQ(asked(path_, "select typeof(user), typeof(ip), hex(user) from session"),
            "blob|text|610062FFFE27220A3B2064726F70207461626C652071756572793B202D2DC3\n");
  EXPECT_EQ(asked(path_, "pragma integrity_check"), "ok\n");
}

TEST_F(RoundTrip, TimesBeforeTheRecordingBegan) {
  Query query = query_of("select 1");
  query.start_ns = kBegin - 3'600'000'000'000;
  query.duration_ns = UINT64_MAX;
  expect_same({query});
}

TEST_F(RoundTrip, WithoutLiteralsOnlyFingerprintsAreKept) {
  Query cut = query_of("select 'secret");
  cut.text_length = 5000;
  Query names = query_of("shop");
  names.command = "InitDb";
  const std::vector<Query> read =
      again({query_of("select 'secret' from t where id = 1"), full_query(), cut, names}, false);
  ASSERT_EQ(read.size(), 4U);
  EXPECT_EQ(read[0].text, "SELECT ? FROM `t` WHERE `id` = ?");
  EXPECT_TRUE(read[0].is_fingerprint);
  EXPECT_FALSE(read[0].truncated());
  EXPECT_EQ(read[1].blocker->query, "UPDATE `t` SET `a` = ?");
  EXPECT_TRUE(read[2].text.ends_with("...")) << read[2].text;
  EXPECT_EQ(read[3].text, "shop");
  EXPECT_FALSE(read[3].is_fingerprint);
  std::string bytes;
  for (const auto& file : std::filesystem::directory_iterator(folder_.path()))
    bytes += bytes_of(file.path());
  EXPECT_EQ(bytes.find("'secret"), std::string::npos);
  EXPECT_EQ(bytes.find("4711"), std::string::npos);
}

TEST_F(RoundTrip, PasswordsAreNotKeptEvenWithLiterals) {
  const std::vector<Query> read = again({query_of("set password for a = 'hunter2'")}, true);
  EXPECT_EQ(read[0].text, "set password for a = '<redacted>'");
  EXPECT_EQ(bytes_of(path_).find("hunter2"), std::string::npos);
}

TEST_F(RoundTrip, TheKindsAreThoseOfTheQueries) {
  kinds::Kinds live({}), replayed({});
  const std::vector<Query> queries = {query_of("select * from t where id in (1, 2, 3)"),
                                      query_of("insert into t values (1, 'a'), (2, 'b')"),
                                      query_of("-- nothing"), query_of("select `a``b` from t")};
  const std::vector<Query> read = again(queries, false);
  for (size_t i = 0; i < queries.size(); ++i) {
    const kinds::Kind kind = live[live.of(queries[i]).front()];
    const kinds::Kind other = replayed[replayed.of(read[i]).front()];
    EXPECT_EQ(other.text, kind.text);
    EXPECT_EQ(other.id, kind.id) << kind.text;
  }
}

TEST_F(RoundTrip, OnlyItsOwnerMayReadIt) {
  const mode_t before = ::umask(0);
  record(path_, {query_of("select 1")}, {.program = "test"});
  ::umask(before);
  struct stat status {};
  ASSERT_EQ(::stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600U);
}

TEST_F(RoundTrip, IsOneFileAndReplacesWhatWasThere) {
  record(path_, {query_of("select 1"), query_of("select 2")}, {.program = "test"});
  // As a writer that was killed may have left it.
  write_bytes(path_ + "-journal", "whatever");
  record(path_, {query_of("select 3")}, {.literals = true, .program = "test"});
  EXPECT_EQ(asked(path_, "select text from queries"), "select 3\n");
  const std::filesystem::directory_iterator files(folder_.path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
}

// What comes while somebody reads is written when he has done.
TEST_F(RoundTrip, AReaderHoldsUpNothing) {
  Writer writer = writer_of(path_, {.literals = true, .program = "test"});
  writer.add(query_of("select 1"));
  must(writer.commit(kBegin + 1));
  {
    Reader reader = reader_of(path_);
    ASSERT_TRUE(reader.next());
    writer.add(query_of("select 2"));
    must(writer.commit(kBegin + 2));
    EXPECT_EQ(read_all(reader).size(), 0U);
    EXPECT_TRUE(writer.commit(kBegin + 3));
  }
  writer.add(query_of("select 3"));
  must(writer.commit(kBegin + 4));
  EXPECT_EQ(asked(path_, "select count(*) from queries"), "3\n");
  must(writer.finish(kBegin + 5));
}

// Not for ever.
TEST_F(RoundTrip, AReaderThatStaysEndsIt) {
  Writer writer = writer_of(path_, {.literals = true, .program = "test"});
  writer.add(query_of("select 1"));
  must(writer.commit(kBegin + 1));
  Reader reader = reader_of(path_);
  ASSERT_TRUE(reader.next());
  writer.add(query_of("select 2"));
  must(writer.commit(kBegin + 2));
  const auto failed = writer.commit(kBegin + 3'600'000'000'000);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, path_ + ": somebody else reads or writes it for too long");
}

TEST_F(RoundTrip, RefusesWhatIsNoFile) {
  const auto made = Writer::create("/dev/null", {}, kBegin);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message, "cannot record to /dev/null: it is no regular file");
  EXPECT_FALSE(Writer::create(folder_.path() / "none" / "file", {}, kBegin));
}

}  // namespace
}  // namespace dbtrace::recording
