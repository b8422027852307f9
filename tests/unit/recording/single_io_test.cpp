// Single operations on files: as they were told of, and whose they were.
#include <gtest/gtest.h>

#include "src/recording/archive.h"
#include "src/recording/past.h"
#include "tests/runtime/temporary_folder.h"
#include "tests/unit/recording/queries.h"

namespace dbtrace::recording {
namespace {

using model::IoOperation;

constexpr uint64_t kSecond = 1'000'000'000;

// The n-th, which ended n seconds after kBegin.
IoOperation operation_of(uint64_t n) {
  IoOperation operation;
  operation.duration_ns = 1000 + n;
  operation.start_ns = kBegin + n * kSecond - operation.duration_ns;
  operation.operation = static_cast<model::FileOperation>(n % 3);
  operation.file = {"t" + std::to_string(n % 5) + ".ibd", "shop.t"};
  if (n % 3 != 2) operation.offset = n % 2 ? 0 : UINT64_MAX - 1;
  operation.bytes = 4096 * n;
  operation.error = n % 7 == 0 ? 5 : 0;
  operation.blocked = n % 2;
  operation.asynchronous = n % 4 == 0;
  operation.pid = 42;
  operation.tid = 43 + n % 2;
  operation.thread = "io\xff" + std::to_string(n % 2);
  return operation;
}

std::string described(const IoOperation& one) {
  return std::to_string(one.start_ns) + ' ' + std::to_string(one.duration_ns) + ' ' +
         std::to_string(static_cast<int>(one.operation)) + ' ' + one.file.name + ' ' +
         one.file.content + ' ' + (one.offset ? std::to_string(*one.offset) : "-") + ' ' +
         std::to_string(one.bytes) + ' ' + std::to_string(one.error) + (one.blocked ? " B" : "") +
         (one.asynchronous ? " A" : "") + ' ' + std::to_string(one.pid) + ' ' +
         std::to_string(one.tid) + ' ' + one.thread + ' ' +
         (one.command_start_ns ? std::to_string(*one.command_start_ns) : "-");
}

struct Read {
  std::string operation;
  std::string query;  // its text; "-": none
};

std::vector<Read> read_operations(Reader& reader, bool with_queries = true) {
  must(reader.begin_operations(with_queries));
  std::vector<Read> all;
  while (true) {
    const auto operation = reader.next_operation();
    if (!operation) throw std::runtime_error(operation.error().message);
    if (!*operation) return all;
    const model::Query* query = reader.query_of_operation();
    all.push_back({described(**operation), query ? query->text : "-"});
  }
}

class SingleIo : public ::testing::Test {
 protected:
  static void expect_numbers(Reader reader, uint64_t first, uint64_t last) {
    const auto read = read_operations(reader, false);
    ASSERT_EQ(read.size(), last - first + 1);
    for (uint64_t n = first; n <= last; ++n)
      EXPECT_EQ(read[n - first].operation, described(operation_of(n)));
  }

  dbtrace::testing::TemporaryFolder folder_;
  std::string path_ = folder_.path() / "recording";
};

TEST_F(SingleIo, IsReadAsItWas) {
  Writer writer = writer_of(path_, {.program = "test"});
  for (uint64_t n = 1; n <= 30; ++n) writer.add(operation_of(n));
  must(writer.finish(kBegin));
  expect_numbers(reader_of(path_), 1, 30);
  EXPECT_EQ(asked(path_, "select count(*), sum(bytes) from single_operations where blocked"),
            "15|921600\n");
}

TEST_F(SingleIo, IsOfTheQueryThatBeganThenInThatProcess) {
  Writer writer = writer_of(path_, {.literals = true, .program = "test"});
  const auto add_query = [&](const char* text, uint32_t pid, uint64_t start_ns) {
    model::Query query = query_of(text);
    query.pid = pid;
    query.start_ns = start_ns;
    writer.add(query);
  };
  const auto add_operation = [&](uint32_t pid, std::optional<uint64_t> command_start_ns) {
    IoOperation operation = operation_of(1);
    operation.pid = pid;
    operation.command_start_ns = command_start_ns;
    writer.add(operation);
  };
  // Before their query, as they come, and after.
  add_operation(1, kBegin + 5);
  add_operation(2, kBegin + 5);
  add_operation(1, std::nullopt);
  add_query("select 'one'", 1, kBegin + 5);
  add_query("select 'two'", 2, kBegin + 5);
  add_query("select 'earlier'", 1, kBegin - 7);
  add_operation(1, kBegin - 7);
  add_operation(1, kBegin + 6);
  add_operation(1, kBegin + 5);
  must(writer.finish(kBegin));
  Reader reader = reader_of(path_);
  std::vector<std::string> texts;
  for (const Read& read : read_operations(reader)) texts.push_back(read.query);
  EXPECT_EQ(texts, (std::vector<std::string>{"select 'one'", "select 'two'", "-",
                                             "select 'earlier'", "-", "select 'one'"}));
}

TEST_F(SingleIo, ThatIsMissingIsCountedByTime) {
  Writer writer = writer_of(path_, {.program = "test"});
  writer.set({"file_operations_seen", 0});
  writer.add(LossNote{kBegin + 1, "file_operations_lost", 3});
  writer.add(LossNote{kBegin + 2, "file_operations_above_rate", 4});
  writer.add(LossNote{kBegin + 2, "lost_ring_full", 5});
  must(writer.finish(kBegin + 3));
  Reader reader = reader_of(path_);
  EXPECT_TRUE(*reader.has_operations()) << "there were none, which is known";
  EXPECT_EQ(*reader.lost_operations(0, INT64_MAX), 7U);
  EXPECT_EQ(*reader.lost_operations(kBegin + 2, kBegin + 3), 4U);
}

TEST_F(SingleIo, WasNotAskedFor) {
  Writer writer = writer_of(path_, {.program = "test"});
  writer.add(full_query());
  must(writer.finish(kBegin));
  EXPECT_FALSE(*reader_of(path_).has_operations());
}

TEST_F(SingleIo, HasTheNameThatBecameKnownLate) {
  Writer writer = writer_of(path_, {.program = "test"});
  writer.add(operation_of(1));
  writer.rename_content("shop.t", "shop.u");
  writer.add(operation_of(1));
  must(writer.finish(kBegin));
  EXPECT_EQ(asked(path_, "select content from single_operations"), "shop.u\nshop.u\n");
}

TEST_F(SingleIo, GoesOnInTheNextFile) {
  auto archive = Archive::create(
      {.path = path_, .writer = {.max_bytes = Writer::kLeastBytes, .program = "test"}, .keep = 2},
      kBegin);
  ASSERT_TRUE(archive);
  uint64_t n = 0;
  while (!(*archive)->wants_commit()) (*archive)->add(operation_of(++n));
  EXPECT_GT(n, 1000U);
  must((*archive)->commit(kBegin));
  (*archive)->add(operation_of(n + 1));
  must((*archive)->finish(kBegin));
  expect_numbers(reader_of(path_ + ".1"), 1, n);
  expect_numbers(reader_of(path_), n + 1, n + 1);
  EXPECT_LE(bytes_of(path_ + ".1").size(), Writer::kLeastBytes);
}

TEST_F(SingleIo, OfThePastIsCutToTheTime) {
  auto made = Past::create({.folder = folder_.path(),
                            .writer = {.program = "test"},
                            .length_ns = 60 * kSecond,
                            .after_ns = 0,
                            .max_bytes = uint64_t{1} << 30},
                           kBegin);
  ASSERT_TRUE(made);
  Past& past = **made;
  for (uint64_t n = 1; n <= 400; ++n) {
    past.add(operation_of(n));
    must(past.commit(kBegin + n * kSecond));
  }
  past.rename_content("shop.t", "shop.u");
  past.add(Incident{kBegin + 400 * kSecond, "max > 1s", "2s"});
  must(past.finish(kBegin + 400 * kSecond));
  const std::string news = past.take_news().at(0);
  const size_t name = sizeof("kept: ") - 1;
  const std::string file = news.substr(name, news.find(": 0 queries") - name);
  EXPECT_EQ(asked(file, "select count(*), min(bytes), max(bytes) from single_operations"),
            "61|1392640|1638400\n");
  EXPECT_EQ(asked(file, "select distinct content from single_operations"), "shop.u\n");
}

TEST_F(SingleIo, OfAStrangeFileIsBounded) {
  Writer writer = writer_of(path_, {.program = "test"});
  for (uint64_t n = 1; n <= 10; ++n) writer.add(operation_of(n));
  must(writer.finish(kBegin));
  (void)asked(path_,
              "update single_io set duration_ns = -1, bytes = 1 << 62, flags = -1 where id = 1;"
              "update single_io set operation = 17 where id = 2;"
              "update single_io set operation = -1, file = 'x' where id = 3;"
              "update single_io set thread = 99, file = 98, start_ns = x'ff' where id = 4;"
              "update thread set name = zeroblob(10), pid = 1 << 40");
  Reader reader = reader_of(path_);
  must(reader.begin_operations(true));
  const auto first = reader.next_operation();
  ASSERT_TRUE(first && *first);
  EXPECT_EQ((*first)->duration_ns, 0U);
  EXPECT_EQ((*first)->bytes, uint64_t{1} << 46);
  const auto second = reader.next_operation();
  ASSERT_TRUE(second && *second) << "two are of no known kind";
  EXPECT_EQ((*second)->start_ns, kBegin);
  EXPECT_EQ((*second)->file, model::File{});
  EXPECT_EQ((*second)->thread, "");
  int rest = 0;
  for (auto next = reader.next_operation(); next && *next; next = reader.next_operation()) ++rest;
  EXPECT_EQ(rest, 6);
}

}  // namespace
}  // namespace dbtrace::recording
