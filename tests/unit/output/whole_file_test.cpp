#include "src/output/whole_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/runtime/temporary_folder.h"

namespace dbtrace::output {
namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class WholeFile : public ::testing::Test {
 protected:
  [[nodiscard]] size_t files() const {
    return static_cast<size_t>(
        std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()));
  }
  testing::TemporaryFolder folder_;
  fs::path path_ = folder_.path() / "saved";
};

TEST_F(WholeFile, IsForItsOwnerOnly) {
  ASSERT_TRUE(replace_file(path_, "first"));
  EXPECT_EQ(content(path_), "first");
  struct stat status {};
  ASSERT_EQ(::stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600U);
  ASSERT_TRUE(replace_file(path_, "second"));
  EXPECT_EQ(content(path_), "second");
  EXPECT_EQ(files(), 1U);
}

TEST_F(WholeFile, TheOldContentStaysForThoseWhoReadIt) {
  ASSERT_TRUE(replace_file(path_, "first"));
  std::ifstream reader(path_);
  ASSERT_TRUE(replace_file(path_, "second"));
  std::string read;
  reader >> read;
  EXPECT_EQ(read, "first");
}

TEST_F(WholeFile, ASymbolicLinkStays) {
  const fs::path target = folder_.path() / "target";
  ASSERT_TRUE(replace_file(target, "first"));
  fs::create_symlink(target, path_);
  ASSERT_TRUE(replace_file(path_, "second"));
  EXPECT_TRUE(fs::is_symlink(path_));
  EXPECT_EQ(content(target), "second");
}

// The kernel refuses to follow more links than it wants, and strangers' where fs.protected_symlinks
// is set.
TEST_F(WholeFile, ALinkThatTheKernelDoesNotFollowIsRefused) {
  fs::create_symlink(path_, path_);
  EXPECT_FALSE(can_replace(path_));
  EXPECT_FALSE(replace_file(path_, "x"));
  EXPECT_TRUE(fs::is_symlink(path_));
  EXPECT_EQ(files(), 1U);
}

TEST_F(WholeFile, ADeviceStaysOne) {
  ASSERT_TRUE(can_replace("/dev/null"));
  ASSERT_TRUE(replace_file("/dev/null", "x"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(WholeFile, WhatCannotBeWrittenIsKnownBefore) {
  EXPECT_TRUE(can_replace(path_));
  EXPECT_EQ(files(), 0U);
  EXPECT_FALSE(can_replace(folder_.path()));
  const auto nowhere = can_replace(folder_.path() / "none" / "saved");
  ASSERT_FALSE(nowhere);
  EXPECT_NE(nowhere.error().message.find("No such file or directory"), std::string::npos);
  EXPECT_FALSE(replace_file(folder_.path() / "none" / "saved", "x"));
}

}  // namespace
}  // namespace dbtrace::output
