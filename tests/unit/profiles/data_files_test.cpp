// Names as MariaDB 10.11 and MySQL 9.7 gave them to their files, unless it says otherwise.
#include "profiles/mysql/data_files.h"

#include <gtest/gtest.h>

#include <random>

#include "profiles/mysql/file_name_charset.h"
#include "profiles/profile.h"

namespace dbtrace::profiles::mysql {
namespace {

TEST(DataFiles, BothServersAnswerByName) {
  for (const Profile& profile : all()) {
    if (profile.dispatch != "dispatch_command") continue;
    ASSERT_NE(profile.file_content, nullptr) << profile.flavor;
    EXPECT_EQ(profile.file_content("shop", "t.ibd"), "shop.t");
  }
}

TEST(DataFiles, TablesOfAllEngines) {
  for (const char* name : {"t.ibd", "t.frm", "t.par", "t.TRG", "t.MYD", "t.MYI", "t.MAD", "t.MAI",
                           "t.CSV", "t.CSM", "t.ARZ", "t.MRG", "t_390.sdi"})
    EXPECT_EQ(content_of_file("shop", name), "shop.t") << name;
  EXPECT_EQ(content_of_file("shop", "t_1_390.sdi"), "shop.t_1");
  EXPECT_EQ(content_of_file("mysql", "gtid_slave_pos.ibd"), "mysql.gtid_slave_pos");
  EXPECT_EQ(content_of_file("shop", ".ibd"), "") << "no name";
}

TEST(DataFiles, Partitions) {
  EXPECT_EQ(content_of_file("shop", "p#P#p0.ibd"), "shop.p (partition p0)");  // MariaDB
  EXPECT_EQ(content_of_file("shop", "p#p#p1.ibd"), "shop.p (partition p1)");  // MySQL
  EXPECT_EQ(content_of_file("shop", "mp#P#p1.MYD"), "shop.mp (partition p1)");
  EXPECT_EQ(content_of_file("shop", "sp#P#p0#SP#p0sp1.ibd"), "shop.sp (partition p0, p0sp1)");
  EXPECT_EQ(content_of_file("shop", "sp#p#p1#sp#p1sp0.ibd"), "shop.sp (partition p1, p1sp0)");
  EXPECT_EQ(content_of_file("shop", "p#P#p0#TMP#.ibd"), "shop.p (partition p0)");
  EXPECT_EQ(content_of_file("shop", "p#p#@1ober.ibd"), "shop.p (partition über)");
  EXPECT_EQ(content_of_file("shop", "x@0023p@0023p0.ibd"), "shop.x#p#p0") << "a table's name";
}

TEST(DataFiles, NamesAreDecoded) {
  EXPECT_EQ(content_of_file("shop", "@1ober@0020tab@002dle.ibd"), "shop.über tab-le");
  EXPECT_EQ(content_of_file("shop", "@540d@002e@5b57.ibd"), "shop.名.字");
  EXPECT_EQ(content_of_file("we@002dird@0020db", "x@0023y.ibd"), "we-ird db.x#y");
  EXPECT_EQ(content_of_file("shop", "con@@@.ibd"), "shop.con");
}

TEST(DataFiles, FullTextIndexes) {
  for (const char* name :
       {"FTS_0000000000000019_0000000000000025_INDEX_1.ibd",
        "FTS_0000000000000019_BEING_DELETED.ibd",
        "fts_000000000000042f_00000000000000a8_index_6.ibd", "fts_000000000000042f_config.ibd"})
    EXPECT_EQ(content_of_file("shop", name), "shop (full-text index)") << name;
  EXPECT_EQ(content_of_file("shop", "fts_orders.ibd"), "shop.fts_orders");
  EXPECT_EQ(content_of_file("shop", "fts_000000000000042x_config.ibd"),
            "shop.fts_000000000000042x_config");
}

TEST(DataFiles, Temporary) {
  EXPECT_EQ(content_of_file("tmp", "#sql10fe_9_0.MYD"), "temporary table");
  EXPECT_EQ(content_of_file("shop", "#sql-ib26.ibd"), "temporary table");
  EXPECT_EQ(content_of_file("tmp", "#sql-temptable-b2d-4-0.MAI"), "temporary table");
  EXPECT_EQ(content_of_file("tmp", "mysql_temptable.0a1B2c3D4e"), "temporary table");
  EXPECT_EQ(content_of_file("data", "ibtmp1"), "temporary tablespace");
  EXPECT_EQ(content_of_file("#innodb_temp", "temp_10.ibt"), "temporary tablespace");
  EXPECT_EQ(content_of_file("tmp", "ibXa1b2C"), "temporary file");
  EXPECT_EQ(content_of_file("tmp", "MYA1b2c3"), "temporary file");
  EXPECT_EQ(content_of_file("tmp", "#1835044"), "temporary file") << "O_TMPFILE";
}

TEST(DataFiles, TheServersOwn) {
  const struct {
    const char* name;
    const char* content;
  } files[] = {
      {"ib_logfile0", "redo"},
      {"#ib_redo13", "redo"},
      {"#ib_redo14_tmp", "redo"},
      {"undo001", "undo"},
      {"undo_002", "undo"},
      {"u.ibu", "undo"},
      {"#ib_16384_0.dblwr", "doublewrite"},
      {"#ib_16384_1.bdblwr", "doublewrite"},  // Percona Server, by its documentation
      {"xb_doublewrite", ""},
      {"ibdata1", "system tablespace"},
      {"ibdata12", "system tablespace"},
      {"mysql.ibd", "data dictionary"},
      {"ib_buffer_pool", "buffer pool dump"},
      {"aria_log.00000001", "aria log"},
      {"aria_log_control", "aria log"},
      {"ddl_recovery.log", "ddl log"},
      {"vm-slow.log", "slow log"},
      {"slow.log.1", "slow log"},
      {"error.log", "error log"},
      {"vm.err", "error log"},
      {"general.log", "general log"},
      {"vm.log", "log"},
      {"db.opt", ""},
      {"auto.cnf", ""},
      {"", ""},
  };
  for (const auto& file : files)
    EXPECT_EQ(content_of_file("data", file.name), file.content) << file.name;
  EXPECT_EQ(content_of_file("#rocksdb", "000012.sst"), "rocksdb");
}

TEST(DataFiles, BinaryAndRelayLogs) {
  for (const char* name : {"binlog.000001", "mysql-bin.1000000", "vm-bin.000001", "x.y.123456",
                           "binlog.index", "vm-bin.index"})
    EXPECT_EQ(content_of_file("data", name), "binlog") << name;
  for (const char* name : {"vm-relay-bin.000002", "relay-log.000001", "vm-relay-bin.index"})
    EXPECT_EQ(content_of_file("data", name), "relay log") << name;
  for (const char* name : {"t.12345", "t.12345x", ".000001", "000001", "relay-log.info"})
    EXPECT_EQ(content_of_file("data", name), "") << name;
}

TEST(FileNameCharset, DecodesEveryScript) {
  EXPECT_EQ(identifier_of("t_1"), "t_1");
  EXPECT_EQ(identifier_of("@1ober"), "über");
  EXPECT_EQ(identifier_of("@1Ober"), "Über");
  EXPECT_EQ(identifier_of("@7j@6t"), "σι");
  EXPECT_EQ(identifier_of("@g0@G0@h0"), "аАб");
  EXPECT_EQ(identifier_of("@@z@Z@"), "ⓩＺ");
  EXPECT_EQ(identifier_of("@0024@4e2d"), "$中");
}

TEST(FileNameCharset, LeavesAloneWhatItDidNotSpell) {
  for (const char* name :
       {"@", "a@", "@1", "a@B1", "@002", "@002G", "@00zz", "@d800", "@0000", "caf\xc3\xa9", "@@@x"})
    EXPECT_EQ(identifier_of(name), name);
}

TEST(DataFiles, SurvivesAnyBytes) {
  std::mt19937 random(1);
  constexpr std::string_view kPieces[] = {
      "@",    "@00",  "#p#", "#sp#", "#tmp", "fts_", "_", ".ibd", ".sdi", ".", "0000000000000001",
      "#sql", ".log", "z"};
  const auto bytes = [&random, &kPieces] {
    std::string result;
    for (size_t left = random() % 12; left > 0; --left) {
      if (random() % 4 == 0)
        result += static_cast<char>(random());
      else
        result += kPieces[random() % std::size(kPieces)];
    }
    return result;
  };
  for (int round = 0; round < 50'000; ++round) {
    const std::string folder = bytes(), name = bytes();
    EXPECT_LE(content_of_file(folder, name).size(), 3 * (folder.size() + name.size()) + 40);
  }
}

}  // namespace
}  // namespace dbtrace::profiles::mysql
