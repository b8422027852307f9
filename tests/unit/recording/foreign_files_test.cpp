// Files that are no recordings, or no whole ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/recording/sample_rows.h"
#include "tests/runtime/temporary_folder.h"
#include "tests/unit/recording/queries.h"

namespace dbtrace::recording {
namespace {

using ::testing::HasSubstr;

class ForeignFile : public ::testing::Test {
 protected:
  std::string refusal(const std::string& path) {
    const auto reader = Reader::open(path);
    return reader ? "opened" : reader.error().message;
  }
  std::string refusal_of(const std::string& bytes) {
    write_bytes(path_, bytes);
    return refusal(path_);
  }
  std::string sound_recording() {
    std::vector<model::Query> queries(300, sampled_query());
    for (size_t i = 0; i < queries.size(); ++i) queries[i].text += std::to_string(i);
    Writer writer = writer_of(path_, {.literals = true, .program = "test"});
    for (const model::Query& query : queries) writer.add(query);
    for (uint64_t n = 1; n <= 50; ++n) writer.add(full_second(n));
    must(writer.finish(kBegin + 1));
    return bytes_of(path_);
  }
  // Reads whatever can be read of it.
  void read_whatever() {
    auto reader = Reader::open(path_);
    if (!reader) return;
    (void)reader->want_samples();
    for (int rows = 0; rows < 10'000; ++rows) {
      const auto query = reader->next();
      if (!query || !*query) break;
    }
    for (int rows = 0; rows < 10'000; ++rows) {
      const auto second = reader->next_second();
      if (!second || !*second) break;
    }
    (void)reader->sums();
    (void)reader->examples();
    (void)reader->counters();
  }

  dbtrace::testing::TemporaryFolder folder_;
  std::string path_ = folder_.path() / "file";
};

TEST_F(ForeignFile, IsRefusedWithTheReason) {
  EXPECT_THAT(refusal(folder_.path() / "none"), HasSubstr("No such file or directory"));
  EXPECT_THAT(refusal(folder_.path()), HasSubstr("is no recording: it is no regular file"));
  EXPECT_THAT(refusal_of(""), HasSubstr("is no recording: it is a database of something else"));
  EXPECT_THAT(refusal_of("{\"by\": \"fingerprint\"}\n" + std::string(1000, ' ')),
              HasSubstr("is no recording: file is not a database"));
}

TEST_F(ForeignFile, AnotherDatabaseIsRefused) {
  (void)asked(path_, "create table query (id integer)");
  EXPECT_THAT(refusal(path_), HasSubstr("it is a database of something else"));
  (void)asked(path_, "pragma application_id = 1684173938; pragma user_version = 1");
  EXPECT_THAT(refusal(path_), HasSubstr("no such"));
}

TEST_F(ForeignFile, ALaterVersionIsRefused) {
  sound_recording();
  (void)asked(path_, "pragma user_version = 4");
  EXPECT_THAT(refusal(path_), HasSubstr("is a recording of version 4"));
}

TEST_F(ForeignFile, IsNotChangedByReading) {
  const std::string bytes = sound_recording();
  read_whatever();
  EXPECT_EQ(bytes_of(path_), bytes);
}

TEST_F(ForeignFile, CutOffAnywhereItIsReadOrRefused) {
  const std::string bytes = sound_recording();
  for (size_t size = 0; size < bytes.size(); size += 1531) {
    write_bytes(path_, bytes.substr(0, size));
    read_whatever();
  }
}

// Bytes changed here and there, always the same ones: no crash, and none that only sanitizers see.
TEST_F(ForeignFile, CorruptItIsReadOrRefused) {
  const std::string bytes = sound_recording();
  uint32_t random = 12345;
  const auto next = [&random] { return random = random * 1664525 + 1013904223; };
  for (int round = 0; round < 300; ++round) {
    std::string changed = bytes;
    for (int i = 0; i < 20; ++i)
      changed[100 + next() % (changed.size() - 100)] = static_cast<char>(next() >> 24);
    write_bytes(path_, changed);
    read_whatever();
  }
}

// Rows that nobody has written, in a sound file.
TEST_F(ForeignFile, StrangeValuesAreReadAsTheyAre) {
  sound_recording();
  (void)asked(
      path_,
      "update query set session = 999, text = -1, command = 77, start_ns = 'x',"
      " duration_ns = -1, known = 15;"
      "update blocker set cause = 300; update query_stack set cause = -3;"
      "update or ignore io set operation = 17; update or ignore file_io set place = 1 << 60;"
      "insert into stretch values (1, 1, 2, -5, 3, 9000000000000000000, 1, 0)");
  Reader reader = reader_of(path_);
  const auto queries = read_all(reader);
  EXPECT_EQ(queries.size(), 300U);
  EXPECT_EQ(queries[0].command, "");
  EXPECT_EQ(queries[0].text, "");
}

// Calls that call each other, are called by nobody knows whom, and without an end.
TEST_F(ForeignFile, StrangeCallsAreReadToAnEnd) {
  sound_recording();
  (void)asked(path_,
              "update call set caller = iif(id % 2, id + 1, id - 1), frame = id * 1000 - 2000;"
              "update frame set kind = -1, name = zeroblob(1000), module = 7, offset = 'x';"
              "update sample set cause = -1, time_ns = -1, ns = 1e300;"
              "insert into call values (9000000000000000000, 9000000000000000000, -1);"
              "insert into call with recursive n(id) as (select 100 union all select id + 1 from n"
              " where id < 30000) select id, id - 1, id from n;"
              "update sample set call = 9000000000000000000 where place = 1;"
              "update sample set call = 30000 where place = 2;"
              "update sample set call = -7 where place = 3");
  Reader reader = reader_of(path_);
  ASSERT_TRUE(reader.want_samples());
  const auto queries = read_all(reader);
  ASSERT_EQ(queries.size(), 300U);
  const model::SampledStacks& stacks = *queries[7].samples;
  ASSERT_EQ(stacks.samples.size(), 5U);
  EXPECT_EQ(stacks.samples[1].frames.size(), 1U);
  EXPECT_EQ(stacks.samples[2].frames.size(), SampleReader::kMostFrames);
  EXPECT_TRUE(stacks.samples[3].frames.empty());
}

TEST_F(ForeignFile, StrangeSumsAreBounded) {
  sound_recording();
  (void)asked(path_,
              "update second set length_ns = -1, queries = 1 << 62, end_ns = 'x';"
              "update second_cause set ns = -5, now = x'00' where cause = 0;"
              "update second_cause set ns = 1 << 62 where cause = 3;"
              "update or ignore second_cause set cause = 99 where cause = 4;"
              "update or ignore second_wait set cause = -1, at_least_ns = -7 where second < 10;"
              "update second_wait set count = 'many' where second = 20;"
              "update or ignore second_event set event = 999");
  Reader reader = reader_of(path_);
  const auto second = reader.next_second();
  ASSERT_TRUE(second);
  ASSERT_TRUE(*second);
  constexpr uint64_t kMost = uint64_t{1} << 46;
  EXPECT_EQ((*second)->length_ns, 0U);
  EXPECT_EQ((*second)->end_ns, 0U);
  EXPECT_EQ((*second)->queries, kMost);
  EXPECT_EQ((*second)->sums.ns[0], 0U);
  EXPECT_EQ((*second)->sums.ns[3], kMost);
  EXPECT_EQ((*second)->sums.ns[4], 0U);
  EXPECT_EQ((*second)->sums.events.size(), 2U);
  int rest = 0;
  for (auto next = reader.next_second(); next && *next; next = reader.next_second()) ++rest;
  EXPECT_EQ(rest, 49);
}

TEST_F(ForeignFile, ALongValueIsRefused) {
  sound_recording();
  (void)asked(path_, "update kind set text = zeroblob(20000000); update text set form = 1");
  auto reader = Reader::open(path_);
  ASSERT_TRUE(reader);
  const auto query = reader->next();
  ASSERT_FALSE(query);
  EXPECT_THAT(query.error().message, HasSubstr("string or blob too big"));
}

}  // namespace
}  // namespace dbtrace::recording
