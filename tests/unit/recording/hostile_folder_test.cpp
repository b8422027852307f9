// Whoever made a recording, or can write beside one, means harm to whoever reads or writes it
// there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "src/recording/archive.h"
#include "tests/runtime/temporary_folder.h"
#include "tests/unit/recording/queries.h"

namespace dbtrace::recording {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

void append_number(std::string& bytes, uint64_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift);
}

// A rollback journal of `pages` pages that is part of a transaction over several databases, which
// `super_journal` tells of: https://sqlite.org/fileformat.html#the_rollback_journal and
// writeSuperJournal() of SQLite's pager.c.
std::string journal_of(uint64_t pages, const std::string& super_journal) {
  constexpr uint64_t kPage = 4096, kSector = 512, kLockByte = 0x40000000;
  const std::string magic = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
  std::string bytes = magic;
  for (const uint64_t number : {uint64_t{0}, uint64_t{0}, pages, kSector, kPage})
    append_number(bytes, number);
  bytes.resize(kSector);
  append_number(bytes, kLockByte / kPage + 1);
  bytes += super_journal;
  append_number(bytes, super_journal.size());
  uint64_t sum = 0;
  for (const char c : super_journal) sum += static_cast<uint64_t>(c);
  append_number(bytes, sum);
  return bytes + magic;
}

class HostileFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    Writer writer = writer_of(path_, {.program = "test"});
    for (int i = 0; i < 100; ++i) writer.add(query_of("select " + std::to_string(i)));
    must(writer.finish(kBegin + 1));
    write_bytes(victim_, "mine");
  }
  [[nodiscard]] std::string refusal() const {
    auto reader = Reader::open(path_);
    if (!reader) return reader.error().message;
    const auto query = reader->next();
    return query ? "read" : query.error().message;
  }

  dbtrace::testing::TemporaryFolder folder_;
  std::string path_ = folder_.path() / "recording", journal_ = path_ + "-journal";
  std::string victim_ = folder_.path() / "victim";
};

TEST_F(HostileFolder, NoFileIsRemovedForAJournal) {
  write_bytes(journal_, journal_of(fs::file_size(path_) / 4096, victim_));
  EXPECT_THAT(refusal(), HasSubstr("is no recording"));
  EXPECT_EQ(bytes_of(victim_), "mine");
}

// A write-ahead log would be given to the recording's owner, were it another file of root's.
TEST_F(HostileFolder, NoWriteAheadLogIsRead) {
  std::string bytes = bytes_of(path_);
  bytes[18] = bytes[19] = 2;
  write_bytes(path_, bytes);
  fs::create_hard_link(victim_, path_ + "-wal");
  if (::geteuid() == 0) {
    ASSERT_EQ(::chown(path_.c_str(), 65534, 65534), 0);
  }
  EXPECT_THAT(refusal(), HasSubstr("is no recording"));
  struct stat status {};
  ASSERT_EQ(::stat(victim_.c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, ::geteuid());
  EXPECT_EQ(bytes_of(victim_), "mine");
}

TEST_F(HostileFolder, AJournalIsNotGivenAway) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  ASSERT_EQ(::chown(path_.c_str(), 65534, 65534), 0);
  fs::create_hard_link(victim_, journal_);
  (void)refusal();
  struct stat status {};
  ASSERT_EQ(::stat(victim_.c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, 0U);
}

TEST_F(HostileFolder, APipeIsNotWaitedFor) {
  ASSERT_EQ(::mkfifo(journal_.c_str(), 0600), 0);
  EXPECT_THAT(refusal(), HasSubstr("is no recording"));
}

TEST_F(HostileFolder, WhatIsNoTableIsNotAsked) {
  (void)asked(path_,
              "drop table counter; create view counter as with recursive c(x) as (select 1 union "
              "all select x + 1 from c) select 'lost_' || x as name, x as value from c");
  auto reader = Reader::open(path_);
  ASSERT_TRUE(reader);
  EXPECT_FALSE(reader->counters());
  (void)asked(path_, "create virtual table t using fts5(x)");
  EXPECT_THAT(refusal(), HasSubstr("it has virtual tables"));
}

TEST_F(HostileFolder, AFileHasOneWriter) {
  const std::string path = folder_.path() / "written";
  EXPECT_TRUE(Archive::can_create({.path = path, .writer = {}}));
  Writer writer = writer_of(path, {.program = "first"});
  writer.add(query_of("select 1"));
  must(writer.commit(kBegin + 1));
  for (const auto& refused : {Archive::can_create({.path = path, .writer = {}}),
                              Writer::create(path, {}, kBegin).map([](const Writer&) {})}) {
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message, "cannot record to " + path + ": another dbtrace does");
  }
  writer.add(query_of("select 2"));
  must(writer.finish(kBegin + 2));
  Reader reader = reader_of(path);
  EXPECT_EQ(read_all(reader).size(), 2U);
  EXPECT_TRUE(Archive::can_create({.path = path, .writer = {}}));
}

TEST_F(HostileFolder, OnlyFilesTakeEachOthersPlace) {
  fs::create_directory(path_ + ".2");
  EXPECT_TRUE(Archive::can_create({.path = path_, .writer = {}, .keep = 2}));
  const auto refused = Archive::can_create({.path = path_, .writer = {}, .keep = 3});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("recording.2 is no regular file"));
}

TEST_F(HostileFolder, AFileThatIsGoneIsSaidToBe) {
  Writer writer = writer_of(folder_.path() / "second", {.program = "test"});
  fs::remove(folder_.path() / "second");
  writer.add(query_of("select 1"));
  const auto committed = writer.commit(kBegin + 3'600'000'000'000);
  ASSERT_FALSE(committed);
  EXPECT_THAT(committed.error().message,
              HasSubstr("was removed, or something else is in its place"));
}

}  // namespace
}  // namespace dbtrace::recording
