// How transactions ended, from files that the test has made.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "profiles/postgres/transaction_status.h"
#include "tests/runtime/temporary_folder.h"
#include "tests/unit/profiles/postgres_pages.h"

namespace dbtrace::profiles::postgres {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr size_t kPage = 8192;
constexpr uint32_t kInFile = 32 * kPage * 4;

class PostgresTransactions : public ::testing::Test {
 protected:
  PostgresTransactions() { create_directories(pg_xact()); }
  [[nodiscard]] std::filesystem::path pg_xact() const { return folder_.path() / "pg_xact"; }
  void write(const std::string& name, const Bytes& bytes) const {
    std::ofstream(pg_xact() / name, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  }
  [[nodiscard]] TransactionStatus status() const {
    return TransactionStatus(*DataFolder::at(folder_.path().string()));
  }

 private:
  dbtrace::testing::TemporaryFolder folder_;
};

TEST_F(PostgresTransactions, AreCommittedWhereTheirBitsSaySo) {
  write("0000", status_file({{700, 1}, {701, 2}, {702, 3}, {703, 0}, {40'000, 1}}));
  TransactionStatus known = status();
  EXPECT_TRUE(known.is_committed(700, kPage));
  EXPECT_FALSE(known.is_committed(701, kPage)) << "aborted";
  EXPECT_TRUE(known.is_committed(40'000, kPage)) << "on the second page";
  EXPECT_THAT(known.undecided(), IsEmpty());
  EXPECT_FALSE(known.is_committed(702, kPage)) << "committed with another, or not";
  EXPECT_FALSE(known.is_committed(703, kPage)) << "at work";
  EXPECT_THAT(known.undecided(), SizeIs(1));
}

TEST_F(PostgresTransactions, AreInFilesOf32Pages) {
  write("00AB", status_file({{5, 1}}));
  write("0FFF", status_file({{6, 1}}));
  TransactionStatus known = status();
  EXPECT_TRUE(known.is_committed(0xab * kInFile + 5, kPage));
  EXPECT_FALSE(known.is_committed(0xab * kInFile + 6, kPage));
  EXPECT_TRUE(known.is_committed(0xfffU * kInFile + 6, kPage));
  // A server with greater pages.
  EXPECT_TRUE(status().is_committed(0xab * 4 * kInFile + 5, 4 * kPage));
}

TEST_F(PostgresTransactions, WhatCannotBeReadIsNotCommitted) {
  write("0000", Bytes(10, std::byte{0x55}));
  std::filesystem::create_directory(pg_xact() / "0001");
  TransactionStatus known = status();
  EXPECT_TRUE(known.is_committed(39, kPage));
  EXPECT_FALSE(known.is_committed(40, kPage)) << "beyond the end";
  EXPECT_FALSE(known.is_committed(kInFile, kPage)) << "no file";
  EXPECT_FALSE(known.is_committed(5 * kInFile, kPage));
  EXPECT_FALSE(known.is_committed(39, 0));
  remove_all(pg_xact());
  EXPECT_FALSE(status().is_committed(39, kPage));
}

TEST_F(PostgresTransactions, TheServersOwnAreCommitted) {
  TransactionStatus known = status();
  EXPECT_FALSE(known.is_committed(0, kPage)) << "none";
  EXPECT_TRUE(known.is_committed(1, kPage));
  EXPECT_TRUE(known.is_committed(2, kPage));
  EXPECT_FALSE(known.is_committed(3, kPage));
}

TEST_F(PostgresTransactions, OnlySomePagesAreKept) {
  constexpr uint32_t kOnPage = kPage * 4;
  TransactionStatus known = status();
  for (uint32_t page = 1; page <= TransactionStatus::kPagesMax; ++page)
    EXPECT_FALSE(known.is_committed(page * kOnPage, kPage));
  write("0000", Bytes(kPage, std::byte{0x55}));
  EXPECT_FALSE(known.is_committed(700, kPage));
  EXPECT_TRUE(status().is_committed(700, kPage));
}

}  // namespace
}  // namespace dbtrace::profiles::postgres
