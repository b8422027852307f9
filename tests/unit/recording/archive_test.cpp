#include "src/recording/archive.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "tests/runtime/temporary_folder.h"
#include "tests/unit/recording/queries.h"

namespace dbtrace::recording {
namespace {

using dbtrace::testing::TemporaryFolder;

class ArchiveOfFiles : public ::testing::Test {
 protected:
  std::unique_ptr<Archive> create(size_t keep) {
    auto archive = Archive::create(
        {.path = path_,
         .writer = {.literals = true, .max_bytes = Writer::kLeastBytes, .program = "test"},
         .keep = keep},
        kBegin);
    if (!archive) throw std::runtime_error(archive.error().message);
    return std::move(*archive);
  }
  // Numbered queries, as many as fill so many files.
  uint64_t fill(Archive& archive, int files) {
    uint64_t number = 0;
    while (files > 0) {
      archive.add(query_of("select " + std::to_string(number++) + std::string(300, 'x')));
      if (!archive.wants_commit()) continue;
      must(archive.commit(kBegin + number));
      --files;
    }
    archive.add(query_of("select " + std::to_string(number++)));
    must(archive.finish(kBegin + number));
    return number;
  }
  std::set<std::string> files() {
    std::set<std::string> names;
    for (const auto& file : std::filesystem::directory_iterator(folder_.path()))
      names.insert(file.path().filename());
    return names;
  }

  TemporaryFolder folder_;
  std::string path_ = folder_.path() / "r";
};

TEST_F(ArchiveOfFiles, KeepsTheLatest) {
  const auto archive = create(3);
  ServerNote server;
  server.pid = 42;
  archive->add(server);
  const uint64_t added = fill(*archive, 5);
  EXPECT_EQ(files(), (std::set<std::string>{"r", "r.1", "r.2"}));
  // They follow each other without a gap, up to the last.
  uint64_t last = added;
  for (const std::string name : {"r", "r.1", "r.2"}) {
    const std::string file = folder_.path() / name;
    Reader reader = reader_of(file);
    EXPECT_TRUE(reader.is_finished()) << name;
    const auto queries = read_all(reader);
    ASSERT_FALSE(queries.empty()) << name;
    EXPECT_TRUE(queries.back().text.starts_with("select " + std::to_string(last - 1)));
    last -= queries.size();
    EXPECT_TRUE(queries.front().text.starts_with("select " + std::to_string(last)));
    EXPECT_EQ(asked(file, "select pid from server"), "42\n") << name;
  }
  EXPECT_FALSE(archive->is_full());
}

TEST_F(ArchiveOfFiles, OneIsKeptIfOneIsWanted) {
  const auto archive = create(1);
  fill(*archive, 2);
  EXPECT_EQ(files(), std::set<std::string>{"r"});
}

TEST_F(ArchiveOfFiles, WithoutOthersAFullFileIsTheEnd) {
  const auto archive = create(0);
  fill(*archive, 1);
  EXPECT_TRUE(archive->is_full());
  EXPECT_EQ(files(), std::set<std::string>{"r"});
}

// An older file goes when there is one in its place.
TEST_F(ArchiveOfFiles, WhatCannotBeMadeLeavesTheOldOne) {
  record(path_, {query_of("select 1")}, {.literals = true, .program = "old"});
  std::filesystem::create_directory(path_ + "-new");
  const auto failed = Writer::create(path_, {.program = "new"}, kBegin);
  ASSERT_FALSE(failed);
  EXPECT_TRUE(failed.error().message.starts_with("cannot record to ")) << failed.error().message;
  EXPECT_EQ(reader_of(path_).program(), "old");
  std::filesystem::remove(path_ + "-new");
  write_bytes(path_ + "-new", "of one that was killed");
  {
    const Writer writer = writer_of(path_, {.program = "new"});
    EXPECT_EQ(reader_of(path_).program(), "new");
  }
  EXPECT_EQ(files(), std::set<std::string>{"r"});
}

}  // namespace
}  // namespace dbtrace::recording
