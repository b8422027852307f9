#include "src/output/redact.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace dbtrace::output {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using std::literals::string_literals::operator""s;

// The text as it is shown.
std::string shown(const std::string& text) {
  std::string out;
  return redact(text, out) ? out : text;
}

struct Case {
  std::string text;
  std::string expected;
};

void check(const std::vector<Case>& cases) {
  for (const Case& test : cases) EXPECT_EQ(shown(test.text), test.expected);
}

TEST(Redact, UserStatements) {
  check({
      {"CREATE USER bob IDENTIFIED BY 's3cret'", "CREATE USER bob IDENTIFIED BY '<redacted>'"},
      {"create user 'bob'@'%' identified by 's3cret'",
       "create user 'bob'@'%' identified by '<redacted>'"},
      {"CREATE USER IF NOT EXISTS `b`@`h` IDENTIFIED BY \"s3cret\" REQUIRE SSL",
       "CREATE USER IF NOT EXISTS `b`@`h` IDENTIFIED BY '<redacted>' REQUIRE SSL"},
      {"ALTER USER USER() IDENTIFIED BY 's3cret' REPLACE 'old s3cret' RETAIN CURRENT PASSWORD",
       "ALTER USER USER() IDENTIFIED BY '<redacted>' REPLACE '<redacted>' RETAIN CURRENT PASSWORD"},
      {"ALTER USER a IDENTIFIED WITH caching_sha2_password BY 's3cret'",
       "ALTER USER a IDENTIFIED WITH caching_sha2_password BY '<redacted>'"},
      {"ALTER USER a IDENTIFIED WITH 'mysql_native_password' AS '*0123ABC'",
       "ALTER USER a IDENTIFIED WITH 'mysql_native_password' AS '<redacted>'"},
      {"CREATE USER a IDENTIFIED BY PASSWORD '*0123ABC'",
       "CREATE USER a IDENTIFIED BY PASSWORD '<redacted>'"},
      {"CREATE USER a IDENTIFIED BY RANDOM PASSWORD",
       "CREATE USER a IDENTIFIED BY RANDOM PASSWORD"},
      {"CREATE USER a IDENTIFIED VIA ed25519 USING PASSWORD('s3cret') OR unix_socket",
       "CREATE USER a IDENTIFIED VIA ed25519 USING PASSWORD('<redacted>') OR unix_socket"},
      {"CREATE USER a IDENTIFIED BY 's3cret' AND IDENTIFIED WITH x AS 's3cret'",
       "CREATE USER a IDENTIFIED BY '<redacted>' AND IDENTIFIED WITH x AS '<redacted>'"},
      {"CREATE USER 'a'@'%' IDENTIFIED BY 's3cret', 'b'@'%' IDENTIFIED BY 's3cret2'",
       "CREATE USER 'a'@'%' IDENTIFIED BY '<redacted>', 'b'@'%' IDENTIFIED BY '<redacted>'"},
      {"GRANT ALL ON *.* TO 'a'@'%' IDENTIFIED BY 's3cret' WITH GRANT OPTION",
       "GRANT ALL ON *.* TO 'a'@'%' IDENTIFIED BY '<redacted>' WITH GRANT OPTION"},
      {"CLONE INSTANCE FROM 'a'@'h':3306 IDENTIFIED BY 's3cret'",
       "CLONE INSTANCE FROM 'a'@'h':3306 IDENTIFIED BY '<redacted>'"},
      {"CREATE OR REPLACE USER a IDENTIFIED BY 's3cret'",
       "CREATE OR REPLACE USER a IDENTIFIED BY '<redacted>'"},
      {"CREATE USER a IDENTIFIED BY ''", "CREATE USER a IDENTIFIED BY '<redacted>'"},
  });
}

TEST(Redact, SetPassword) {
  check({
      {"SET PASSWORD = 's3cret'", "SET PASSWORD = '<redacted>'"},
      {"SET PASSWORD='s3cret'", "SET PASSWORD='<redacted>'"},
      {"set password for 'bob'@'localhost' = 's3cret' replace 's3cret2'",
       "set password for 'bob'@'localhost' = '<redacted>' replace '<redacted>'"},
      {"SET PASSWORD FOR bob = PASSWORD('s3cret')",
       "SET PASSWORD FOR bob = PASSWORD('<redacted>')"},
      {"SET PASSWORD FOR `b`@`h` = OLD_PASSWORD(\"s3cret\")",
       "SET PASSWORD FOR `b`@`h` = OLD_PASSWORD('<redacted>')"},
      {"SET PASSWORD FOR 'a' TO RANDOM", "SET PASSWORD FOR 'a' TO RANDOM"},
      {"SET STATEMENT max_statement_time=1 FOR SET PASSWORD = 's3cret'",
       "SET STATEMENT max_statement_time=1 FOR SET PASSWORD = '<redacted>'"},
  });
}

TEST(Redact, Replication) {
  check({
      {"CHANGE MASTER TO MASTER_HOST='h', MASTER_USER='u', MASTER_PASSWORD='s3cret', "
       "MASTER_LOG_FILE='f'",
       "CHANGE MASTER TO MASTER_HOST='h', MASTER_USER='u', MASTER_PASSWORD='<redacted>', "
       "MASTER_LOG_FILE='f'"},
      {"change replication source to source_password = \"s3cret\" for channel 'c'",
       "change replication source to source_password = '<redacted>' for channel '<redacted>'"},
      {"START REPLICA USER='u' PASSWORD='s3cret'", "START REPLICA USER='u' PASSWORD='<redacted>'"},
      {"START SLAVE SQL_THREAD UNTIL MASTER_LOG_FILE='f' USER='u' PASSWORD = 's3cret'",
       "START SLAVE SQL_THREAD UNTIL MASTER_LOG_FILE='f' USER='u' PASSWORD = '<redacted>'"},
      {"START GROUP_REPLICATION USER='u', PASSWORD='s3cret'",
       "START GROUP_REPLICATION USER='u', PASSWORD='<redacted>'"},
  });
}

TEST(Redact, Servers) {
  check({
      {"CREATE SERVER s FOREIGN DATA WRAPPER mysql OPTIONS (USER 'u', PASSWORD 's3cret', HOST 'h')",
       "CREATE SERVER s FOREIGN DATA WRAPPER mysql OPTIONS (USER 'u', PASSWORD '<redacted>', "
       "HOST 'h')"},
      {"ALTER SERVER s OPTIONS (PASSWORD 's3cret')",
       "ALTER SERVER s OPTIONS (PASSWORD '<redacted>')"},
      {"CREATE TABLE t (a int) ENGINE=FEDERATED CONNECTION='mysql://u:s3cret@h/d/t'",
       "CREATE TABLE t (a int) ENGINE=FEDERATED CONNECTION='<redacted>'"},
  });
}

TEST(Redact, PostgresStatements) {
  check({
      {"CREATE ROLE r LOGIN PASSWORD 's3cret' VALID UNTIL 'infinity'",
       "CREATE ROLE r LOGIN PASSWORD '<redacted>' VALID UNTIL '<redacted>'"},
      {"ALTER ROLE r WITH ENCRYPTED PASSWORD 's3cret'",
       "ALTER ROLE r WITH ENCRYPTED PASSWORD '<redacted>'"},
      {"ALTER ROLE r PASSWORD E's3cret'", "ALTER ROLE r PASSWORD E'<redacted>'"},
      {"ALTER ROLE r PASSWORD NULL", "ALTER ROLE r PASSWORD NULL"},
      {"ALTER ROLE r PASSWORD $$s3cret$$", "ALTER ROLE r PASSWORD '<redacted>'"},
      {"CREATE USER MAPPING FOR r SERVER s OPTIONS (user 'u', password 's3cret')",
       "CREATE USER MAPPING FOR r SERVER s OPTIONS (user 'u', password '<redacted>')"},
      {"CREATE FOREIGN TABLE ft (a int) SERVER s OPTIONS (password 's3cret')",
       "CREATE FOREIGN TABLE ft (a int) SERVER s OPTIONS (password '<redacted>')"},
      {"ALTER FOREIGN DATA WRAPPER w OPTIONS (ADD password 's3cret')",
       "ALTER FOREIGN DATA WRAPPER w OPTIONS (ADD password '<redacted>')"},
      {"IMPORT FOREIGN SCHEMA x FROM SERVER s INTO y OPTIONS (password 's3cret')",
       "IMPORT FOREIGN SCHEMA x FROM SERVER s INTO y OPTIONS (password '<redacted>')"},
      {"ALTER USER MAPPING FOR r SERVER s OPTIONS (SET password 's3cret')",
       "ALTER USER MAPPING FOR r SERVER s OPTIONS (SET password '<redacted>')"},
      {"CREATE SUBSCRIPTION s CONNECTION 'host=h password=s3cret' PUBLICATION p",
       "CREATE SUBSCRIPTION s CONNECTION '<redacted>'"},
      {"ALTER SUBSCRIPTION s CONNECTION 'postgresql://u:s3cret@h/d'",
       "ALTER SUBSCRIPTION s CONNECTION '<redacted>'"},
      {"ALTER SYSTEM SET primary_conninfo = 'host=x password=s3cret'",
       "ALTER SYSTEM SET primary_conninfo = '<redacted>'"},
      {"select dblink_connect('host=x password=s3cret')", "select dblink_connect('<redacted>'"},
      {"select * from dblink('password=s3cret', 'select 1') as t(a int)",
       "select * from dblink('<redacted>'"},
      {"DO $$ BEGIN ALTER ROLE r PASSWORD 's3cret'; END $$",
       "DO $$ BEGIN ALTER ROLE r PASSWORD '<redacted>'; END $$"},
  });
}

TEST(Redact, PasswordFunctionsInAnyStatement) {
  check({
      {"SELECT PASSWORD('s3cret')", "SELECT PASSWORD('<redacted>')"},
      {"select old_password ( concat('s3', 'cret') ), 'b'",
       "select old_password ( concat('<redacted>', '<redacted>') ), 'b'"},
      {"INSERT INTO users VALUES ('bob', PASSWORD('s3cret'), 'x')",
       "INSERT INTO users VALUES ('bob', PASSWORD('<redacted>'), 'x')"},
  });
}

TEST(Redact, EveryFormOfLiteral) {
  for (const std::string literal :
       {"'s3cret'", "\"s3cret\"", "'s3''cret'", "\"s3\"\"cret\"", "'s3\\\\cret'", "_utf8's3cret'",
        "_utf8mb4 's3cret'", "N's3cret'", "x'733363726574'", "X'733363726574'", "0x733363726574",
        "'s3' 'cret'", "s3cret", "'it;s,s3cret)'", "'a\ns3cret'", "_binary 0x733363726574"}) {
    const std::string text = shown("ALTER USER a IDENTIFIED BY " + literal);
    EXPECT_THAT(text, Not(HasSubstr("cret"))) << literal;
    EXPECT_THAT(text, Not(HasSubstr("7333"))) << literal;
    EXPECT_THAT(text, HasSubstr("ALTER USER a IDENTIFIED BY ")) << literal;
    EXPECT_THAT(text, HasSubstr("<redacted>")) << literal;
  }
}

TEST(Redact, CommentsBetweenTheWords) {
  for (const std::string text :
       {"CREATE/**/USER/* it's bob */bob/**/IDENTIFIED/**/BY/**/'s3cret'",
        "/* leading */ -- it's\n# so\nALTER USER a IDENTIFIED BY 's3cret'",
        "CREATE USER a IDENTIFIED -- comment\n BY # it's\n 's3cret'",
        "CREATE USER a /*!50706 IDENTIFIED BY 's3cret' */",
        "CREATE USER a /*!50706IDENTIFIED BY 's3cret'*/",
        "CREATE USER a IDENTIFIED /*!50706 BY */ 's3cret'",
        "CREATE USER a IDENTIFIED BY /*!50706 's3cret' */",
        "CREATE USER a IDENTIFIED BY /*M!100100 's3cret' */",
        "SET/* x */PASSWORD/* FOR 'a' */=/* y */'s3cret'", "SET\n\tPASSWORD\n=\n's3cret'",
        "/*! SET PASSWORD = 's3cret' */", "ALTER ROLE r PASSWORD /* c */ 's3cret'",
        "SELECT PASSWORD /* c */ ('s3cret')"}) {
    EXPECT_THAT(shown(text), Not(HasSubstr("s3cret"))) << text;
    EXPECT_THAT(shown(text), HasSubstr("<redacted>")) << text;
  }
}

TEST(Redact, LaterStatementsAndStatementsInStrings) {
  check({
      {"SELECT 1; SET PASSWORD = 's3cret'; SELECT 'x'",
       "SELECT 1; SET PASSWORD = '<redacted>'; SELECT 'x'"},
      {"EXECUTE IMMEDIATE \"CREATE USER a IDENTIFIED BY 's3cret'\"",
       "EXECUTE IMMEDIATE \"CREATE USER a IDENTIFIED BY '<redacted>''<redacted>'"},
  });
  for (const std::string text : {"PREPARE s FROM 'CREATE USER a IDENTIFIED BY ''s3cret'''",
                                 "PREPARE s FROM 'CREATE USER a IDENTIFIED BY \\'s3cret\\''",
                                 "PREPARE s FROM 'CREATE USER a IDENTIFIED BY \"s3cret\"'",
                                 "SELECT 'it\\'s'; CREATE USER a IDENTIFIED BY 's3cret'",
                                 "SELECT 'no escape\\'; CREATE USER a IDENTIFIED BY 's3cret'",
                                 "SELECT 'my password '; CREATE USER a IDENTIFIED BY ' s3cret'",
                                 "SELECT 'password('; CREATE USER a IDENTIFIED BY ' s3cret '"}) {
    EXPECT_THAT(shown(text), Not(HasSubstr("s3cret"))) << text;
  }
}

// A password that other settings would end earlier or later: what follows could
// be a part of it.
TEST(Redact, AmbiguousQuotingRedactsTheRest) {
  check({
      {"CREATE USER a IDENTIFIED BY 's3\\'cret' REQUIRE SSL",
       "CREATE USER a IDENTIFIED BY '<redacted>'"},
      {"CREATE USER a IDENTIFIED BY 'x\\', b IDENTIFIED BY 's3cret'",
       "CREATE USER a IDENTIFIED BY '<redacted>'"},
      {"CREATE USER a IDENTIFIED BY 's3\xbf\\'cret'", "CREATE USER a IDENTIFIED BY '<redacted>'"},
      {"CREATE USER a IDENTIFIED BY '\\\\', b IDENTIFIED BY 's3cret'",
       "CREATE USER a IDENTIFIED BY '<redacted>', b IDENTIFIED BY '<redacted>'"},
      {"CREATE USER a IDENTIFIED BY s3'cr et'", "CREATE USER a IDENTIFIED BY '<redacted>'"},
  });
}

// Wherever the text is cut, no two characters of the secret appear.
TEST(Redact, CutTextNeverShowsAPartOfASecret) {
  for (const std::string begin :
       {"CREATE USER 'bob'@'%' IDENTIFIED BY '", "ALTER USER a IDENTIFIED WITH x AS \"",
        "SET PASSWORD FOR 'bob'@'h' = '", "SET PASSWORD = PASSWORD('", "SELECT PASSWORD(\"",
        "CHANGE MASTER TO MASTER_PASSWORD='", "START SLAVE USER='u' PASSWORD='",
        "CREATE SERVER s OPTIONS (PASSWORD '", "ALTER ROLE r PASSWORD '",
        "CREATE SUBSCRIPTION s CONNECTION 'password=", "ALTER USER a IDENTIFIED BY 0x",
        "ALTER USER a IDENTIFIED BY x'", "/*!50000 SET PASSWORD = '"}) {
    std::string text = begin;
    for (const char c : "7a7b7c"s) {
      text += c;
      EXPECT_THAT(shown(text), Not(HasSubstr("7"))) << text;
    }
  }
}

TEST(Redact, OrdinaryQueriesAreLeftAlone) {
  std::string out;
  for (const std::string text :
       {"SELECT * FROM users WHERE password = 'x' AND name = 'y'",
        "SELECT * FROM users WHERE password='x'",
        "INSERT INTO users(name, password) VALUES ('bob', 'x')",
        "INSERT INTO password (name) VALUES ('bob')",
        "SELECT \"password\", 'it' FROM \"users\" WHERE \"users\".\"password\" = 'x'",
        "INSERT INTO mail VALUES ('Forgot password', 'Click here')",
        "SELECT identified FROM birds ORDER BY name, 'x'",
        "SELECT url FROM links WHERE url = 'http://example.com/?password=1'",
        "CREATE TABLE t (password varchar(10) COMMENT 'not in clear')",
        "SHOW VARIABLES LIKE 'validate_password%'", "ALTER USER a PASSWORD EXPIRE", "SELECT 1",
        ""}) {
    EXPECT_FALSE(redact(text, out)) << text << "\n" << out;
  }
}

TEST(Redact, UpdateOfAPasswordColumnReadsLikeSetPassword) {
  EXPECT_EQ(shown("UPDATE users SET password = 's3cret', name = 'bob' WHERE id = 7"),
            "UPDATE users SET password = '<redacted>', name = 'bob' WHERE id = 7");
}

// Each of these made a careless scanner look at every rest of the text again.
TEST(Redact, IsLinearOnHostileText) {
  const size_t kSize = 4 << 20;
  for (const std::string unit : {"IDENTIFIED/*",
                                 "IDENTIFIED--",
                                 "IDENTIFIED ",
                                 "IDENTIFIED/*IDENTIFIED*/",
                                 "SET/*",
                                 "SET ",
                                 "PASSWORD",
                                 "PASSWORD(",
                                 "PASSWORD('",
                                 "PASSWORD /*!",
                                 "CREATE/*",
                                 "CREATE USER PASSWORD#",
                                 "IDENTIFIED BY '\\\\",
                                 "IDENTIFIED BY ''",
                                 "SET PASSWORD FOR '",
                                 "(PASSW",
                                 "://",
                                 "passw",
                                 "\\",
                                 "'",
                                 "/*",
                                 "/**/",
                                 "IDENTIFIED BY a/**/ "}) {
    std::string text = "CREATE USER a IDENTIFIED BY 'x';";
    while (text.size() < kSize) text += unit;
    std::string out;
    EXPECT_TRUE(redact(text, out)) << unit;
  }
}

// Whatever stands before a statement, its secret does not show: quotes that
// open and never close, escapes that are none, comments that are none.
TEST(Redact, NothingBeforeAStatementUncoversItsSecret) {
  const std::vector<std::string> kBefore = {"SELECT 'it\\'s'",
                                            "SELECT 'x\\'",
                                            "-- don't\n",
                                            "/* it's */",
                                            "# \"\n",
                                            "'my password '",
                                            "'identified by '",
                                            "`a'b`",
                                            "$$",
                                            "SET @a = ",
                                            "PASSWORD(",
                                            "x'",
                                            "\"",
                                            "'",
                                            "/*",
                                            "*/",
                                            "PASSWORD = '",
                                            "IDENTIFIED WITH ",
                                            "CREATE USER a ",
                                            "START SLAVE ",
                                            "IDENTIFIED BY 'a'",
                                            "FOR",
                                            "SET PASSWORD FOR ",
                                            "ALTER ROLE r ",
                                            ",",
                                            "@",
                                            "(",
                                            ")",
                                            "\\"};
  const std::vector<std::string> kStatements = {"CREATE USER u IDENTIFIED BY ",
                                                "ALTER USER 'u'@'%' IDENTIFIED WITH 'p' AS ",
                                                "SET PASSWORD = ",
                                                "SET PASSWORD FOR 'u'@'h' = PASSWORD(",
                                                "CREATE ROLE r PASSWORD ",
                                                "CHANGE MASTER TO MASTER_PASSWORD=",
                                                "START REPLICA USER='u' PASSWORD=",
                                                "ALTER SERVER s OPTIONS (PASSWORD "};
  const std::vector<std::string> kSecrets = {"'S3CRET'",    "\"S3CRET\"",    "' S3CRET '",
                                             "'a''S3CRET'", "'a\\\'S3CRET'", "'a, S3CRET;'",
                                             "'a\" S3CRET'"};
  std::mt19937 random(11);
  const auto any_of = [&](const std::vector<std::string>& choices) {
    return choices[random() % choices.size()];
  };
  for (int round = 0; round < 100'000; ++round) {
    std::string text;
    for (size_t pieces = random() % 5; pieces > 0; --pieces) text += any_of(kBefore) + " ";
    text += "; " + any_of(kStatements) + any_of(kSecrets);
    ASSERT_THAT(shown(text), Not(HasSubstr("S3CRET"))) << text;
  }
}

TEST(Redact, SurvivesRandomMixesOfItsOwnWords) {
  const std::vector<std::string> kPieces = {
      "IDENTIFIED", "BY",    "PASSWORD", "SET",        "FOR",    "'",  "\"",  "`",
      "\\",         "$$",    "/*",       "*/",         "--",     "#",  "\n",  " ",
      "=",          "(",     ")",        ",",          ";",      "@",  "0x1", "_u",
      "x",          "\xff",  "/*!50706", "USER",       "CREATE", "OR", "a",   "\0"s,
      "1",          "START", "SLAVE",    "CONNECTION", "://"};
  std::mt19937 random(7);
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (size_t length = random() % 40; length > 0; --length) {
      text += kPieces[random() % kPieces.size()];
    }
    std::string out;
    if (redact(text, out)) {
      EXPECT_THAT(out, HasSubstr("<redacted>")) << text;
    }
  }
}

}  // namespace
}  // namespace dbtrace::output
