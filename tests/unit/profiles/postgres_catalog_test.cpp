// Names of tables from pages of the catalog, sound and otherwise.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "profiles/postgres/catalog.h"
#include "tests/unit/profiles/postgres_pages.h"

namespace dbtrace::profiles::postgres {
namespace {

using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

bool always(uint32_t /*transaction*/) { return true; }

Catalog catalog_of(const Bytes& page, int major = 15, const IsCommitted& is_committed = always) {
  Catalog catalog;
  each_row(page, is_committed, [&](const RowVersion& row) {
    if (auto relation = relation_of(row, *class_columns(major))) catalog.add(*relation, row);
  });
  catalog.schemas().add(2200, "public");
  catalog.schemas().add(99, "pg_toast");
  catalog.schemas().add(11, "pg_catalog");
  return catalog;
}

NamesByFile names_of(const Bytes& page, int major = 15) {
  return catalog_of(page, major).names({}, false);
}

TEST(PostgresCatalog, TablesAndIndexesHaveSchemas) {
  for (const int major : {13, 15, 18}) {
    Page page;
    page.add(class_columns_of({}, major))
        .add(class_columns_of({.oid = 16410, .name = "t_pkey", .file = 16411, .kind = 'i'}, major))
        .add(class_columns_of({.oid = 16420, .name = "v", .file = 0, .kind = 'v'}, major));
    EXPECT_THAT(names_of(page.bytes(), major),
                UnorderedElementsAre(Pair(16400, "public.t"), Pair(16411, "public.t_pkey")))
        << major;
  }
}

TEST(PostgresCatalog, OnlyKnownVersionsAreRead) {
  EXPECT_FALSE(class_columns(12));
  EXPECT_TRUE(class_columns(13));
  EXPECT_TRUE(class_columns(18));
  EXPECT_FALSE(class_columns(19));
}

TEST(PostgresCatalog, ToastIsOfItsTable) {
  Page page;
  page.add(class_columns_of({.toast = 16403}))
      .add(class_columns_of(
          {.oid = 16403, .name = "pg_toast_16400", .schema = 99, .file = 16403, .kind = 't'}))
      .add(class_columns_of(
          {.oid = 16404, .name = "pg_toast_16400_index", .schema = 99, .file = 16404, .kind = 'i'}))
      .add(class_columns_of(
          {.oid = 16409, .name = "pg_toast_77_index", .schema = 99, .file = 16409, .kind = 'i'}));
  EXPECT_THAT(names_of(page.bytes()),
              UnorderedElementsAre(Pair(16400, "public.t"), Pair(16403, "public.t (toast)"),
                                   Pair(16404, "public.t (toast index)"),
                                   Pair(16409, "pg_toast.pg_toast_77_index")));
}

TEST(PostgresCatalog, ARewrittenTableHasBothItsFiles) {
  Page page;
  page.add(class_columns_of({.file = 16400}), {.xmin = 700, .xmax = 710, .mask = kXminCommitted})
      .add(class_columns_of({.file = 16500}), {.xmin = 710});
  const Catalog catalog = catalog_of(page.bytes());
  EXPECT_THAT(catalog.names({}, false),
              UnorderedElementsAre(Pair(16400, "public.t"), Pair(16500, "public.t")));
  EXPECT_EQ(catalog.file_of(16400), 16500u);
}

// VACUUM FULL makes a table beside the old one and swaps their files.
TEST(PostgresCatalog, WhatATransactionMadeForItselfIsNotThere) {
  Page page;
  page.add(class_columns_of({}), {.xmin = 700, .xmax = 710, .mask = kXminCommitted})
      .add(class_columns_of({.oid = 16500, .name = "pg_temp_16400", .file = 16500}),
           {.xmin = 710, .xmax = 710, .mask = kXminCommitted})
      .add(class_columns_of({.file = 16500}), {.xmin = 710})
      .add(class_columns_of({.oid = 16500, .name = "pg_temp_16400", .file = 16400}),
           {.xmin = 710, .xmax = 710, .mask = 0});
  EXPECT_THAT(names_of(page.bytes()),
              UnorderedElementsAre(Pair(16400, "public.t"), Pair(16500, "public.t")));
}

TEST(PostgresCatalog, TheLastNameCounts) {
  const RowHeader old{.xmin = 700, .xmax = 710, .mask = kXminCommitted}, now{.xmin = 710};
  for (const bool old_first : {true, false}) {
    Page page;
    if (old_first) page.add(class_columns_of({.name = "before"}), old);
    page.add(class_columns_of({.name = "after"}), now);
    if (!old_first) page.add(class_columns_of({.name = "before"}), old);
    EXPECT_THAT(names_of(page.bytes()), UnorderedElementsAre(Pair(16400, "public.after")));
  }
}

// alter table a rename to x; alter table b rename to a; alter table x rename to b; by one
// transaction, whose versions have no marks yet.
Page swapped_names() {
  const RowHeader old{.xmin = 700, .xmax = 710, .mask = kXminCommitted};
  const RowHeader passing{.xmin = 710, .xmax = 710, .mask = 0};
  const RowHeader now{.xmin = 710, .mask = kXmaxInvalid};
  return Page()
      .add(class_columns_of({.oid = 1, .name = "a", .file = 1}), old)
      .add(class_columns_of({.oid = 2, .name = "b", .file = 2}), old)
      .add(class_columns_of({.oid = 1, .name = "x", .file = 1}), passing)
      .add(class_columns_of({.oid = 2, .name = "a", .file = 2}), now)
      .add(class_columns_of({.oid = 1, .name = "b", .file = 1}), now);
}

TEST(PostgresCatalog, OnlyWhatIsCommittedIsBelieved) {
  Page page = swapped_names();
  const auto names = [&](bool is_committed) {
    return catalog_of(page.bytes(), 15, [&](uint32_t) { return is_committed; }).names({}, false);
  };
  EXPECT_THAT(names(true), UnorderedElementsAre(Pair(1, "public.b"), Pair(2, "public.a")));
  EXPECT_THAT(names(false), UnorderedElementsAre(Pair(1, "public.a"), Pair(2, "public.b")));
}

TEST(PostgresCatalog, ARowsOwnMarksAreEnough) {
  Page page;
  page.add(class_columns_of({.name = "before"}),
           {.xmin = 700, .xmax = 710, .mask = kXminCommitted | kXmaxCommitted})
      .add(class_columns_of({.name = "after"}), {.xmin = 690, .mask = kXminCommitted})
      .add(class_columns_of({.oid = 9, .name = "locked", .file = 9}),
           {.xmin = 700, .xmax = 5, .mask = kXminCommitted | kXmaxIsMulti});
  const auto never = [](uint32_t) { return false; };
  EXPECT_THAT(catalog_of(page.bytes(), 15, never).names({}, false),
              UnorderedElementsAre(Pair(16400, "public.after"), Pair(9, "public.locked")));
}

TEST(PostgresCatalog, TransactionsGoRoundAndFrozenIsOldest) {
  Page page;
  page.add(class_columns_of({.name = "round"}), {.xmin = 5})
      .add(class_columns_of({.name = "before"}), {.xmin = 4'294'967'000U})
      .add(class_columns_of({.name = "frozen"}), {.xmin = 900, .mask = kXminFrozen | kXmaxInvalid});
  EXPECT_THAT(names_of(page.bytes()), UnorderedElementsAre(Pair(16400, "public.round")));
}

TEST(PostgresCatalog, WhatFailedIsNotThereAndALockIsNoChange) {
  Page page;
  page.add(class_columns_of({.name = "locked"}),
           {.xmin = 700, .xmax = 705, .mask = kXminCommitted | kXmaxLockOnly})
      .add(class_columns_of({.name = "failed"}), {.xmin = 720, .mask = kXminInvalid});
  EXPECT_THAT(names_of(page.bytes()), UnorderedElementsAre(Pair(16400, "public.locked")));
}

TEST(PostgresCatalog, TheMapTellsOfTheCatalogsOwnFiles) {
  Page page;
  page.add(class_columns_of({.oid = 1259, .name = "pg_class", .schema = 11, .file = 0}))
      .add(class_columns_of(
          {.oid = 1262, .name = "pg_database", .schema = 11, .file = 0, .shared = true}));
  const Catalog catalog = catalog_of(page.bytes());
  const FileMap map = file_map_of(map_file({{1259, 16999}, {1262, 1262}}));
  EXPECT_THAT(catalog.names(map, false), UnorderedElementsAre(Pair(16999, "pg_catalog.pg_class")));
  EXPECT_THAT(catalog.names(map, true), UnorderedElementsAre(Pair(1262, "pg_catalog.pg_database")));
}

TEST(PostgresCatalog, WithoutASchemaThereIsNoName) {
  Page page;
  page.add(class_columns_of({.schema = 12345}));
  EXPECT_THAT(names_of(page.bytes()), IsEmpty());
}

TEST(PostgresCatalog, RowsThatCannotBeAreSkipped) {
  Page page;
  page.add(class_columns_of({.kind = '?'}))
      .add(class_columns_of({.name = ""}))
      .add(class_columns_of({.name = std::string(64, 'x')}))  // without a NUL
      .add(class_columns_of({.oid = 0}))
      .add(class_columns_of({}), {.columns = 17})
      .add(Bytes(100));
  EXPECT_THAT(names_of(page.bytes()), IsEmpty());
}

TEST(PostgresCatalog, LinePointersThatLeadAstrayAreSkipped) {
  Page page;
  const auto pointer = [](uint32_t offset, uint32_t flags, uint32_t length) {
    return offset | flags << 15 | length << 17;
  };
  page.line(pointer(8190, 1, 300)).line(pointer(0x7fff, 1, 0x7fff)).line(pointer(100, 1, 5));
  page.line(pointer(4000, 0, 100)).line(pointer(4000, 2, 100)).line(pointer(4000, 3, 100));
  page.add(class_columns_of({}));
  EXPECT_THAT(names_of(page.bytes()), UnorderedElementsAre(Pair(16400, "public.t")));
}

TEST(PostgresCatalog, PagesAreWhatTheySay) {
  EXPECT_EQ(page_size(Page(8192).bytes()), 8192u);
  EXPECT_EQ(page_size(Page(32768).bytes()), 32768u);
  EXPECT_EQ(page_size(Bytes(8192)), 0u) << "a page that was never written";
  EXPECT_EQ(page_size(Bytes(3)), 0u);
  Page page;
  page.add(class_columns_of({}));
  page.bytes().resize(8000);
  EXPECT_THAT(names_of(page.bytes()), IsEmpty()) << "torn";
}

TEST(PostgresCatalog, MapsAreWhatTheySay) {
  EXPECT_THAT(file_map_of({}), IsEmpty());
  EXPECT_THAT(file_map_of(Bytes(512)), IsEmpty());
  Bytes bytes = map_file({{1259, 5}});
  put(bytes, 4, uint32_t{65});
  EXPECT_THAT(file_map_of(bytes), IsEmpty());
  put(bytes, 4, uint32_t{64});
  bytes.resize(16);
  EXPECT_THAT(file_map_of(bytes), UnorderedElementsAre(Pair(1259, 5)));
}

TEST(PostgresCatalog, AnyBytesDoNoHarm) {
  std::mt19937 random(1);
  Page page;
  for (uint32_t i = 0; i < 20; ++i)
    page.add(class_columns_of({.oid = 16400 + i, .file = 16400 + i}));
  const Bytes sound = page.bytes();
  for (int round = 0; round < 2000; ++round) {
    Bytes broken = sound;
    for (auto times = random() % 20; times > 0; --times)
      broken[random() % broken.size()] = static_cast<std::byte>(random());
    for (const auto& [file, name] : names_of(broken)) EXPECT_LE(name.size(), 64u + 63u);
  }
}

}  // namespace
}  // namespace dbtrace::profiles::postgres
