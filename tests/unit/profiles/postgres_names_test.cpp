// Names of tables from a data directory that the test has made.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "profiles/postgres/file_names.h"
#include "tests/runtime/temporary_folder.h"
#include "tests/unit/profiles/postgres_pages.h"

namespace dbtrace::profiles::postgres {
namespace {

using std::filesystem::path;
using ::testing::HasSubstr;
using ::testing::Not;

class PostgresNames : public ::testing::Test {
 protected:
  PostgresNames() {
    create_directories(data() / "base" / "5");
    create_directories(data() / "global");
    create_directories(data() / "pg_xact");
    write("PG_VERSION", "15\n");
    write("base/5/pg_filenode.map", map_file({{kClassOid, 1259}}));
    write("global/pg_filenode.map", map_file({{1262, 1262}}));
    write("base/5/2615",
          Page().add(schema_columns_of(2200, "public")).add(schema_columns_of(11, "pg_catalog")));
    write("base/5/1259", classes());
  }

  [[nodiscard]] path data() const { return folder_.path() / "data"; }
  [[nodiscard]] path root() const { return folder_.path(); }
  static Page classes() {
    return Page()
        .add(class_columns_of({}))
        .add(class_columns_of({.oid = 2615, .name = "pg_namespace", .schema = 11, .file = 2615}))
        .add(class_columns_of(
            {.oid = 1262, .name = "pg_database", .schema = 11, .file = 0, .shared = true}));
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(data() / name, std::ios::binary) << text;
  }
  void write(const std::string& name, const Bytes& bytes) const {
    write(name, std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  }
  void write(const std::string& name, Page page) const { write(name, page.bytes()); }

  [[nodiscard]] std::unique_ptr<FileNames> names() const {
    auto names = std::make_unique<FileNames>(
        [this] { return DataFolder::at(data().string(), root().string()); }, nullptr);
    EXPECT_TRUE(names->wait_until_ready(std::chrono::seconds(60)));
    return names;
  }
  // Whether it is, or soon becomes so.
  static bool becomes(FileNames& names, std::string_view folder, std::string_view name,
                      std::string_view content) {
    for (int i = 0; i < 600 && names.content(folder, name) != content; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    return names.content(folder, name) == content;
  }
  [[nodiscard]] std::string content(std::string_view folder, std::string_view name) const {
    return names()->content(folder, name);
  }

 private:
  dbtrace::testing::TemporaryFolder folder_;
};

TEST_F(PostgresNames, AreKnownFromTheBeginning) {
  const auto known = names();
  EXPECT_EQ(known->content("5", "16400"), "public.t");
  EXPECT_EQ(known->content("5", "16400.3"), "public.t");
  EXPECT_EQ(known->content("5", "16400_vm"), "public.t (visibility map)");
  EXPECT_EQ(known->content("5", "2615"), "pg_catalog.pg_namespace");
  EXPECT_EQ(known->content("global", "1262"), "pg_catalog.pg_database");
  EXPECT_EQ(known->content("5", "t3_16400"), "temporary table");
  EXPECT_EQ(known->content("pg_wal", "000000010000000000000001"), "wal");
}

TEST_F(PostgresNames, WhatIsNotThereStaysANumber) {
  EXPECT_EQ(content("5", "16999"), "5/16999");
  EXPECT_EQ(content("6", "16400"), "6/16400");
}

TEST_F(PostgresNames, SaysTheDatabaseWhereSeveralHaveSuchATable) {
  copy(data() / "base" / "5", data() / "base" / "6");
  copy(data() / "base" / "5", data() / "base" / "7");
  write("base/7/1259", Page()
                           .add(class_columns_of({.name = "single"}))
                           .add(class_columns_of({.oid = 2615, .schema = 11, .file = 2615})));
  write("global/1262", Page().add(schema_columns_of(5, "shop")));
  const auto known = names();
  EXPECT_EQ(known->content("5", "16400"), "public.t") << "nothing was seen of others";
  EXPECT_EQ(known->content("7", "16400"), "public.single");
  const uint64_t before = known->edition();
  EXPECT_EQ(known->content("6", "16400_fsm"), "6.public.t (free space map)") << "has no name";
  EXPECT_NE(known->edition(), before);
  EXPECT_EQ(known->content("5", "16400"), "shop.public.t");
  EXPECT_EQ(known->content("7", "16400"), "public.single");
}

TEST_F(PostgresNames, ComeWithTheNextCheckpoint) {
  const auto known = names();
  EXPECT_EQ(known->content("5", "16500"), "5/16500");
  write("base/5/1259", classes().add(class_columns_of({.oid = 16500, .name = "n", .file = 16500})));
  EXPECT_TRUE(becomes(*known, "5", "16500", "public.n"));
  EXPECT_EQ(known->content("5", "16400"), "public.t");
}

// The last version of the row is of a transaction whose end is written later than the row.
TEST_F(PostgresNames, ComeWithTheEndOfTheirTransaction) {
  write("base/5/1259",
        Page(classes())
            .add(class_columns_of({.oid = 8, .name = "old", .file = 8}),
                 {.xmin = 600, .xmax = 710, .mask = kXminCommitted})
            .add(class_columns_of({.oid = 8, .name = "new", .file = 8}), {.xmin = 710, .mask = 0}));
  write("pg_xact/0000", status_file({{710, 2}}));
  EXPECT_EQ(content("5", "8"), "public.old") << "aborted";
  std::filesystem::remove(data() / "pg_xact" / "0000");
  const auto known = names();
  EXPECT_EQ(known->content("5", "8"), "public.old");
  write("pg_xact/0000", status_file({{710, 1}}));
  EXPECT_TRUE(becomes(*known, "5", "8", "public.new"));
}

TEST_F(PostgresNames, ADatabaseMayGetAnother) {
  copy(data() / "base" / "5", data() / "base" / "6");
  write("global/1262", Page().add(schema_columns_of(5, "shop")));
  const auto known = names();
  (void)known->content("6", "16400");
  EXPECT_EQ(known->content("5", "16400"), "shop.public.t");
  write("global/1262", Page()
                           .add(schema_columns_of(5, "shop"),
                                {.xmin = 700, .xmax = 710, .mask = kXminCommitted | kXmaxCommitted})
                           .add(schema_columns_of(5, "store"), {.xmin = 710}));
  EXPECT_TRUE(becomes(*known, "5", "16400", "store.public.t"));
}

// Larger than what is read at a time, and than what the server lets a file be.
TEST_F(PostgresNames, AreFoundInTheLastPageOfALargeCatalog) {
  std::string pages;
  for (uint32_t i = 0; i < 200; ++i) {
    Page page = i == 0 ? classes() : Page();
    page.add(
        class_columns_of({.oid = 20'000 + i, .name = "n" + std::to_string(i), .file = 20'000 + i}));
    pages.append(reinterpret_cast<const char*>(page.bytes().data()), page.bytes().size());
  }
  write("base/5/1259", pages);
  write("base/5/1259.1", Page().add(class_columns_of({.oid = 9, .name = "last", .file = 9})));
  const auto known = names();
  EXPECT_EQ(known->content("5", "20000"), "public.n0");
  EXPECT_EQ(known->content("5", "20128"), "public.n128");
  EXPECT_EQ(known->content("5", "20199"), "public.n199");
  EXPECT_EQ(known->content("5", "9"), "public.last");
}

TEST_F(PostgresNames, DatabasesOfOtherTablespacesAreFoundInTheServersRoot) {
  const path space = root() / "space" / "PG_15_202209061";
  create_directories(space);
  create_directories(data() / "pg_tblspc");
  rename(data() / "base" / "5", space / "7");
  // As the server sees it: below its own root.
  create_symlink("/space", data() / "pg_tblspc" / "16390");
  EXPECT_TRUE(becomes(*names(), "7", "16400", "public.t"));
}

TEST_F(PostgresNames, NothingButRegularFilesIsRead) {
  std::filesystem::remove(data() / "base" / "5" / "1259");
  ASSERT_EQ(::mkfifo((data() / "base" / "5" / "1259").c_str(), 0600), 0);
  EXPECT_EQ(content("5", "16400"), "5/16400") << "a pipe that nobody writes to";
  std::filesystem::remove(data() / "base" / "5" / "1259");
  write("../elsewhere", classes());
  create_symlink("../../../elsewhere", data() / "base" / "5" / "1259");
  EXPECT_EQ(content("5", "16400"), "5/16400") << "a link that leads out";
}

TEST_F(PostgresNames, OtherVersionsAreLeftAlone) {
  for (const char* version : {"12\n", "19\n", "9.6\n", "", "x", "99999999999"}) {
    write("PG_VERSION", version);
    EXPECT_EQ(content("5", "16400"), "5/16400") << version;
  }
}

TEST_F(PostgresNames, BrokenFilesAreNone) {
  write("base/5/1259", std::string(8192, '\0'));
  EXPECT_EQ(content("5", "16400"), "5/16400");
  write("base/5/1259", std::string(100, 'x'));
  EXPECT_EQ(content("5", "16400"), "5/16400");
  write("base/5/pg_filenode.map", "");
  EXPECT_EQ(content("5", "16400"), "5/16400");
  remove_all(data());
  EXPECT_EQ(content("5", "16400"), "5/16400");
}

TEST_F(PostgresNames, TheEndWaitsForNobody) {
  for (int i = 0; i < 20; ++i) {
    const FileNames unused([this] { return DataFolder::at(data().string()); }, nullptr);
  }
}

TEST(PostgresConnection, NothingOfAPasswordIsShown) {
  for (const char* text : {"hunter2", "password=hunter2 x", "host=h password='hunter2"}) {
    const auto refused = file_namer(1, text);
    ASSERT_FALSE(refused) << text;
    EXPECT_THAT(refused.error().message + refused.error().hint, Not(HasSubstr("hunter2")));
  }
}

// The socket's folder is empty: no server.
TEST(PostgresConnection, AServerThatIsNotThereIsAnError) {
  const dbtrace::testing::TemporaryFolder folder;
  const auto namer = file_namer(static_cast<uint32_t>(::getpid()),
                                "host=" + folder.path().string() + " password=hunter2");
  ASSERT_TRUE(namer);
  const auto ready = (*namer)->wait_until_ready(std::chrono::seconds(60));
  ASSERT_FALSE(ready);
  EXPECT_THAT(ready.error().message, HasSubstr("--dsn"));
  EXPECT_THAT(ready.error().message, Not(HasSubstr("hunter2")));
}

}  // namespace
}  // namespace dbtrace::profiles::postgres
