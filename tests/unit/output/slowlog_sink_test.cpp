#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

#include "tests/unit/output/sample_query.h"

namespace dbtrace::output {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using std::literals::string_view_literals::operator""sv;

class SlowLogSink : public ::testing::Test {
 protected:
  SlowLogSink() {
    setenv("TZ", "UTC-2", 1);
    tzset();
  }
  ~SlowLogSink() override {
    unsetenv("TZ");
    tzset();
  }
};

const FormatOptions kSlowLog{.format = Format::SlowLog};

std::string event(const model::Query& query) { return written(kSlowLog, query); }

// What stands behind "SET timestamp=…;".
std::string statement(std::string_view text, uint64_t missing = 0) {
  model::Query query = sample_query();
  set_text(query, text, missing);
  const std::string out = event(query);
  const std::string mark = "SET timestamp=1767323045;\n";
  const size_t at = out.find(mark);
  return at == std::string::npos ? out : out.substr(at + mark.size());
}

TEST_F(SlowLogSink, WritesMySqlsStyle) {
  EXPECT_EQ(event(sample_query()),
            "# Time: 2026-01-02T03:04:05.123580Z\n"
            "# User@Host: app[app] @ web1 [10.0.0.7]  Id:     8\n"
            "# Query_time: 0.000123  Lock_time: 0.000000 Rows_sent: 1  Rows_examined: 20\n"
            "use shop;\n"
            "SET timestamp=1767323045;\n"
            "select 1;\n");
}

TEST_F(SlowLogSink, WritesMariaDbsStyle) {
  model::Query query = sample_query();
  query.flavor = "mariadb";
  EXPECT_EQ(event(query),
            "# Time: 260102  5:04:05\n"
            "# User@Host: app[app] @ web1 [10.0.0.7]\n"
            "# Thread_id: 8  Schema: shop  QC_hit: No\n"
            "# Query_time: 0.000123  Lock_time: 0.000000  Rows_sent: 1  Rows_examined: 20\n"
            "use shop;\n"
            "SET timestamp=1767323045;\n"
            "select 1;\n");
}

TEST_F(SlowLogSink, ABudgetAddsPerconasAttributes) {
  model::Query query = sample_with_budget();
  ns_of(query, model::Cause::MetadataLock) = 1'000;
  ns_of(query, model::Cause::TableLock) = 2'000;
  const std::string attributes =
      "  Rows_sent: 1  Rows_examined: 20"
      "  InnoDB_IO_r_ops: 3  InnoDB_IO_r_bytes: 49152  InnoDB_IO_r_wait: 0.000025"
      "  InnoDB_rec_lock_wait: 0.000070  CPU_time: 0.000030  Runqueue_wait: 0.000000  "
      "File_read_wait: 0.000020  "
      "File_write_wait: 0.000000  Fsync_wait: 0.000000  Lock_wait: 0.000076  "
      "Network_wait: 0.000000  Sleep_wait: 0.000000  Other_wait: 0.000000  "
      "Unexplained_time: 0.000000\n"
      "use shop;\n";
  EXPECT_THAT(event(query),
              HasSubstr("# Query_time: 0.000123  Lock_time: 0.000073" + attributes.substr(1)));
  query.flavor = "mariadb";
  EXPECT_THAT(event(query), HasSubstr("  Lock_time: 0.000073" + attributes));
}

TEST_F(SlowLogSink, StampsTheEndAndTheStart) {
  model::Query query = sample_query();
  query.duration_ns = 3'000'000'000;
  EXPECT_THAT(event(query), HasSubstr("# Time: 2026-01-02T03:04:08.123456Z\n"));
  EXPECT_THAT(event(query), HasSubstr("# Query_time: 3.000000 "));
  EXPECT_THAT(event(query), HasSubstr("SET timestamp=1767323045;\n"));
}

TEST_F(SlowLogSink, UsesADatabaseOnlyWhenItChanges) {
  const auto sink = make_sink(kSlowLog);
  model::Query query = sample_query();
  EXPECT_THAT(written(*sink, query), HasSubstr("use shop;\n"));
  EXPECT_THAT(written(*sink, query), Not(HasSubstr("use ")));
  query.database.reset();
  EXPECT_THAT(written(*sink, query), Not(HasSubstr("use ")));
  query.database = "other";
  EXPECT_THAT(written(*sink, query), HasSubstr("use other;\n"));
  query.database = "shop";
  EXPECT_THAT(written(*sink, query), HasSubstr("use shop;\n"));
}

TEST_F(SlowLogSink, SaysWhatIsUnknown) {
  model::Query query;
  query.flavor = "mysql";
  query.command = "Query";
  set_text(query, "select 1");
  EXPECT_EQ(event(query),
            "# Time: 1970-01-01T00:00:00.000000Z\n"
            "# User@Host: unknown[unknown] @  []\n"
            "# Query_time: 0.000000  Lock_time: 0.000000 Rows_sent: 0  Rows_examined: 0  "
            "Rows_unknown: Yes\n"
            "SET timestamp=0;\n"
            "select 1;\n");
  query.rows_sent = 3;
  query.rows_examined = 4;
  query.error = 1317;
  EXPECT_THAT(event(query), HasSubstr("Rows_sent: 3  Rows_examined: 4  Last_errno: 1317\n"));
}

TEST_F(SlowLogSink, OtherCommandsAreAdministratorCommands) {
  model::Query query = sample_query();
  query.command = "Ping";
  query.text_state = model::TextState::None;
  query.text.clear();
  query.text_length = 0;
  EXPECT_THAT(event(query),
              EndsWith("SET timestamp=1767323045;\n# administrator command: Ping;\n"));
  query.command = "InitDb";
  set_text(query, "shop");
  EXPECT_THAT(event(query),
              EndsWith("SET timestamp=1767323045;\n# administrator command: InitDb;\n"));
}

TEST_F(SlowLogSink, EveryEventHasAStatement) {
  EXPECT_EQ(statement(""), "/* no text */;\n");
  EXPECT_EQ(statement(" \n;; \t"), "/* no text */;\n");
  EXPECT_EQ(statement("select 1;"), "select 1;\n");
  EXPECT_EQ(statement("  select 1 ; \n"), "select 1;\n");
  EXPECT_EQ(statement("select 'abc", 40), "select 'abc /* truncated, 40 bytes */;\n");
  model::Query query = sample_query();
  query.text_state = model::TextState::Unreadable;
  EXPECT_THAT(event(query), EndsWith(";\n/* text unreadable */;\n"));
}

TEST_F(SlowLogSink, KeepsLinesOfAStatement) {
  EXPECT_EQ(statement("select a,\r\n\tb\nfrom t"), "select a,\n\tb\nfrom t;\n");
}

TEST_F(SlowLogSink, TextCannotForgeAnEvent) {
  EXPECT_EQ(
      statement("select 1;\n# Time: 2026-01-01T00:00:00.000000Z\n# User@Host: root[root] @ x []"
                "\n# Query_time: 9\nSET timestamp=1;\nuse mysql;\ndrop table t"),
      "select 1; \n # Time: 2026-01-01T00:00:00.000000Z\n # User@Host: root[root] @ x []"
      "\n # Query_time: 9\n SET timestamp=1; \n use mysql; \ndrop table t;\n");
  EXPECT_EQ(statement("select 1;\r\n#"), "select 1; \n #;\n");
  EXPECT_EQ(statement("select 1;\r#"), "select 1;\\x0d#;\n");
}

TEST_F(SlowLogSink, TextCannotBeginLikeAHeader) {
  EXPECT_EQ(statement("# Time: 1"), " # Time: 1;\n");
  EXPECT_EQ(statement("use mysql"), " use mysql;\n");
  EXPECT_EQ(statement("USE mysql"), " USE mysql;\n");
  EXPECT_EQ(statement("SET timestamp=1"), " SET timestamp=1;\n");
  EXPECT_EQ(statement("set insert_id=1"), " set insert_id=1;\n");
  EXPECT_EQ(statement("administrator command: Quit"), " administrator command: Quit;\n");
  EXPECT_EQ(statement("/usr/sbin/mysqld, Version: 8 started with:\nTcp port: 0\nTime Id Command"),
            " /usr/sbin/mysqld, Version: 8 started with:\n Tcp port: 0\n Time Id Command;\n");
}

TEST_F(SlowLogSink, TextIsSafeForTerminals) {
  EXPECT_EQ(statement("select '\x1b[2J\0\x7f\xc2\x9b\xe2\x80\xae'"sv),
            "select '\\x1b[2J\\x00\\x7f\\u009b\\u202e';\n");
  EXPECT_EQ(statement("select 'caf\xe9', 'caf\xc3\xa9 中'"),
            "select 'caf\\xe9', 'caf\xc3\xa9 中';\n");
}

TEST_F(SlowLogSink, NamesCannotForgeAnything) {
  model::Query query = sample_query();
  query.flavor = "mariadb";
  query.user = "a[root] @ x\n# Time";
  query.host = "h []\r\n";
  query.ip = "1]";
  query.database = "d\n# Query_time: 5; `x";
  EXPECT_EQ(event(query),
            "# Time: 260102  5:04:05\n"
            "# User@Host: a\\x5broot\\x5d\\x20@\\x20x\\x0a#\\x20Time"
            "[a\\x5broot\\x5d\\x20@\\x20x\\x0a#\\x20Time] @ h\\x20\\x5b\\x5d\\x0d\\x0a [1\\x5d]\n"
            "# Thread_id: 8  Schema: d\\x0a#\\x20Query_time\\x3a\\x205;\\x20`x  QC_hit: No\n"
            "# Query_time: 0.000123  Lock_time: 0.000000  Rows_sent: 1  Rows_examined: 20\n"
            "use `d\\x0a# Query_time: 5\\x3b \\x60x`;\n"
            "SET timestamp=1767323045;\n"
            "select 1;\n");
}

TEST_F(SlowLogSink, RedactsPasswords) {
  EXPECT_EQ(statement("alter user a identified by 'hunter2'"),
            "alter user a identified by '<redacted>';\n");
}

}  // namespace
}  // namespace dbtrace::output
