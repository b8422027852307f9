#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "profiles/postgres/data_files.h"
#include "profiles/postgres/process_names.h"
#include "profiles/postgres/wait_event_names.h"
#include "profiles/profile.h"

namespace dbtrace::profiles::postgres {
namespace {

const Profile& profile() { return *std::ranges::find(all(), "postgres", &Profile::flavor); }

TEST(PostgresProfile, EveryPlaceIsOfACommand) {
  std::set<uint8_t> begun;
  for (const Reports::Place& place : profile().reports.places) {
    EXPECT_NE(find_command(profile(), place.command), nullptr);
    EXPECT_FALSE(place.before.empty());
    EXPECT_TRUE(begun.insert(place.command).second);
  }
  begun.insert(profile().reports.idle);
  EXPECT_EQ(begun.size(), profile().commands.size());
  for (const uint8_t command : profile().reports.ended) EXPECT_TRUE(begun.contains(command));
}

TEST(PostgresProfile, CommandNumbersAndNamesAreUnique) {
  std::set<uint8_t> ids;
  std::set<std::string_view> names;
  for (const Command& command : profile().commands) {
    EXPECT_TRUE(ids.insert(command.id).second) << command.name;
    EXPECT_TRUE(names.insert(command.name).second) << command.name;
  }
}

// MAKE_SQLSTATE('X','X','0','0','0') of elog.h.
TEST(PostgresProfile, TheDefaultErrorIsInternal) {
  EXPECT_EQ(profile().reports.default_error, (uint32_t{'X' - '0'} | uint32_t{'X' - '0'} << 6));
}

std::string wait_event(const char* version, uint32_t number) {
  const WaitEventName name = wait_event_name(version, number);
  return name.type + ':' + name.event;
}

TEST(PostgresWaits, EachVersionHasNumbersOfItsOwn) {
  EXPECT_EQ(wait_event("15.18 (Debian 15.18-0+deb12u1)", 0x0300'0005), "Lock:transactionid");
  EXPECT_EQ(wait_event("14.23", 0x0900'0001), "Timeout:PgSleep");
  EXPECT_EQ(wait_event("15.18", 0x0900'0002), "Timeout:PgSleep");
  EXPECT_EQ(wait_event("16.14", 0x0100'000b), "LWLock:XactSLRU");
  EXPECT_EQ(wait_event("17.10", 0x0100'005a), "LWLock:XactSLRU");
  EXPECT_EQ(wait_event("18.4", 0x0a00'0000), "IO:AioIoCompletion");
}

TEST(PostgresWaits, WhatIsNotKnownIsANumber) {
  EXPECT_EQ(wait_event("17.10", 0x0100'000b), "LWLock:11") << "an unused number";
  EXPECT_EQ(wait_event("18.4", 0x0100'0060), "LWLock:96") << "an extension's";
  EXPECT_EQ(wait_event("18.4", 0x0b00'0002), "InjectionPoint:2");
  EXPECT_EQ(wait_event("18.4", 0x0c00'0002), "12:2");
  EXPECT_EQ(wait_event("18.4", 0xffff'ffff), "255:16777215");
  for (const char* version : {"", "x", "13.23", "19.1", "99999999999"})
    EXPECT_EQ(wait_event(version, 0x0300'0005), "3:5") << version;
}

TEST(PostgresFiles, RelationsByTheirNumbers) {
  EXPECT_EQ(content_of_file("16384", "16397"), "16384/16397");
  EXPECT_EQ(content_of_file("16384", "16397.12"), "16384/16397");
  EXPECT_EQ(content_of_file("16384", "16397_vm"), "16384/16397 (visibility map)");
  EXPECT_EQ(content_of_file("16384", "16397_fsm.1"), "16384/16397 (free space map)");
  EXPECT_EQ(content_of_file("global", "1262"), "global/1262");
  EXPECT_EQ(content_of_file("16384", "t3_16400"), "temporary table");
}

TEST(PostgresFiles, WhatTheServerKeepsBesides) {
  EXPECT_EQ(content_of_file("pg_wal", "000000010000000000000001"), "wal");
  EXPECT_EQ(content_of_file("pg_xact", "0000"), "commit status");
  EXPECT_EQ(content_of_file("members", "0000"), "multixacts");
  EXPECT_EQ(content_of_file("pgsql_tmp", "pgsql_tmp123.0"), "temporary file");
  EXPECT_EQ(content_of_file("global", "pg_control"), "control file");
}

TEST(PostgresFiles, OthersAreNot) {
  for (const char* name : {"", "x", "16397_", "16397_x", "16397.x", "99999999999", "t_1", "tx_1",
                           "16397_vm.x", ".", "_", "t", "t3"})
    EXPECT_EQ(content_of_file("16384", name), "") << name;
  EXPECT_EQ(content_of_file("home", "16397"), "");
}

TEST(PostgresProcesses, AreCalledWhatTheirTitlesSay) {
  const std::pair<const char*, const char*> names[] = {
      {"postgres: checkpointer ", "checkpointer"},
      {"postgres: io worker 1", "io worker 1"},
      {"postgres: main: io worker 17", "io worker 17"},
      {"postgres: autovacuum worker shop", "autovacuum worker"},
      {"postgres: startup recovering 000000010000000000000003", "startup"},
      {"postgres: walsender repl 10.0.0.1(4242) streaming 0/3000000", "walsender"},
      {"postgres: shop shop [local] idle", ""},
      {"postgres: loggers shop [local] idle", ""},
      {"postgres: io workers", ""},
      {"/usr/lib/postgresql/15/bin/postgres", ""},
      {"postgres: ", ""},
      {"", ""}};
  for (const auto& [title, name] : names) EXPECT_EQ(process_name(title), name) << title;
}

TEST(PostgresFiles, AnyBytesDoNoHarm) {
  std::mt19937 random(1);
  for (int i = 0; i < 100'000; ++i) {
    std::string folder, name;
    for (auto size = random() % 6; size > 0; --size) folder += "0123_.tvpg\xff"[random() % 11];
    for (auto size = random() % 12; size > 0; --size) name += "0123_.tvpg\xff"[random() % 11];
    EXPECT_LE(content_of_file(folder, name).size(), 64u);
  }
}

}  // namespace
}  // namespace dbtrace::profiles::postgres
