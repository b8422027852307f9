// Servers that lie to a client of theirs: it is told, nothing worse.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "profiles/postgres/libpq.h"
#include "src/client/client.h"
#include "tests/runtime/hostile_server.h"

namespace dbtrace::client {
namespace {

using namespace std::string_literals;
using profiles::Patience;
using profiles::Protocol;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::HostileServer;
using ::testing::Not;
using Peer = HostileServer::Peer;

constexpr std::chrono::minutes kLong{1};
constexpr std::chrono::milliseconds kShort{500};

Patience patience(std::chrono::milliseconds most) {
  return {most, [] { return false; }};
}

// What comes of one question: the answer or the error.
std::string ask(Protocol protocol, const HostileServer& server, const Patience& to_connect,
                const Patience& to_ask) {
  const auto client = connect(protocol,
                              {.socket = {},
                               .host = "127.0.0.1",
                               .port = server.port(),
                               .user = "canary",
                               .database = {},
                               .password = "hunter2"},
                              to_connect);
  if (!client) return "no connection: " + client.error().message;
  const auto answer = (*client)->ask("select 1", to_ask);
  if (!answer) return answer.error().message;
  return std::to_string(answer->rows) + ": " + answer->value;
}

std::string ask_postgres(const testing::Answer& answer, std::chrono::milliseconds most = kLong) {
  const HostileServer server([&](Peer& peer) { testing::act_as_postgres(peer, answer); });
  return ask(Protocol::Postgres, server, patience(kLong), patience(most));
}

std::string ask_mysql(const testing::Answer& answer, std::chrono::milliseconds most = kLong) {
  const HostileServer server([&](Peer& peer) { testing::act_as_mysql(peer, answer); });
  return ask(Protocol::MySql, server, patience(kLong), patience(most));
}

TEST(HostilePostgres, ARowIsRead) {
  EXPECT_EQ(ask_postgres([](Peer& peer) {
              peer.send(testing::postgres_columns() + testing::postgres_row("7") +
                        testing::postgres_end());
            }),
            "1: 7");
}

TEST(HostilePostgres, ARowWithoutColumns) {
  EXPECT_THAT(ask_postgres([](Peer& peer) {
                peer.send(testing::postgres_message('T', "\0\0"s) +
                          testing::postgres_message('D', "\0\0"s) + testing::postgres_end());
              }),
              HasSubstr("0 columns"));
}

TEST(HostilePostgres, CopyingIsNoAnswer) {
  for (const auto& [type, name] : {std::pair('G', "COPY_IN"), std::pair('H', "COPY_OUT")})
    EXPECT_THAT(
        ask_postgres([type](Peer& peer) { peer.send(testing::postgres_message(type, "\0\0\0"s)); }),
        HasSubstr(name));
}

TEST(HostilePostgres, NothingButAnEndIsNoAnswer) {
  EXPECT_THAT(ask_postgres([](Peer& peer) { peer.send(testing::postgres_message('Z', "I")); }),
              HasSubstr("nothing"));
}

TEST(HostilePostgres, TwoRows) {
  EXPECT_THAT(ask_postgres([](Peer& peer) {
                peer.send(testing::postgres_columns() + testing::postgres_row("7") +
                          testing::postgres_row("8") + testing::postgres_end());
              }),
              HasSubstr("more than one row"));
}

TEST(HostilePostgres, ARowWithoutEnd) {
  EXPECT_THAT(ask_postgres([](Peer& peer) {
                const std::string part(1 << 20, 'x');
                for (bool there = peer.send(testing::postgres_columns() + "D\x3f\xff\xff\xff");
                     there;)
                  there = peer.send(part);
              }),
              HasSubstr("too much"));
}

TEST(HostilePostgres, AnswersWithoutEnd) {
  EXPECT_THAT(ask_postgres([](Peer& peer) {
                while (peer.send(testing::postgres_message('C', "SET\0"s))) {
                }
              }),
              HasSubstr("too much"));
}

TEST(HostilePostgres, AnAnswerByteByByte) {
  EXPECT_THAT(ask_postgres(
                  [](Peer& peer) {
                    while (peer.drip(testing::postgres_message('S', "x\0y\0"s))) {
                    }
                  },
                  kShort),
              HasSubstr("too long"));
}

TEST(HostilePostgres, ItsNoticesAreNotShown) {
  ::testing::internal::CaptureStderr();
  const std::string answer = ask_postgres([](Peer& peer) {
    peer.send(testing::postgres_notice() + testing::postgres_columns() +
              testing::postgres_row("7") + testing::postgres_end());
  });
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(answer, "1: 7");
}

TEST(HostileMySql, ARowIsRead) {
  EXPECT_EQ(ask_mysql([](Peer& peer) {
              peer.send(testing::mysql_columns() +
                        testing::mysql_packet(4,
                                              "\1"
                                              "7") +
                        testing::mysql_packet(5, "\xfe\0\0\2\0"s));
            }),
            "1: 7");
}

TEST(HostileMySql, RowsWithoutEnd) {
  EXPECT_THAT(ask_mysql([](Peer& peer) {
                const std::string value = "\xfd\0\0\1"s + std::string(1 << 16, 'x');
                uint8_t number = 4;
                for (bool there = peer.send(testing::mysql_columns()); there;)
                  there = peer.send(testing::mysql_packet(number++, value));
              }),
              HasSubstr("more than one row"));
}

TEST(HostileMySql, ARowThatIsTooLong) {
  EXPECT_THAT(ask_mysql([](Peer& peer) {
                peer.send(testing::mysql_columns());
                const std::string part(0xffffff, 'x');
                for (uint8_t number = 4; peer.send(testing::mysql_packet(number, part));) ++number;
              }),
              HasSubstr("Lost connection"));
}

TEST(HostileMySql, AnAnswerByteByByte) {
  EXPECT_THAT(ask_mysql(
                  [](Peer& peer) {
                    peer.send(testing::mysql_columns());
                    peer.drip("\xff\xff\x0f\x04" + std::string(1 << 20, 'x'));
                  },
                  kShort),
              HasSubstr("too long"));
}

TEST(HostileMySql, AGreetingByteByByte) {
  const HostileServer server(
      [](Peer& peer) { peer.drip(std::string("\xff\xff\x0f\0", 4) + std::string(1 << 20, 'x')); });
  EXPECT_THAT(ask(Protocol::MySql, server, patience(kShort), patience(kShort)),
              AllOf(HasSubstr("no connection"), HasSubstr("too long")));
}

TEST(HostileMySql, ThePasswordIsNotSentInClear) {
  for (const char* way : {"mysql_clear_password", "dialog"}) {
    const HostileServer server([way](Peer& peer) {
      testing::act_as_mysql(
          peer, [](Peer&) {}, "\xfe" + std::string(way) + '\0');
    });
    EXPECT_THAT(ask(Protocol::MySql, server, patience(kLong), patience(kLong)),
                AllOf(HasSubstr("no connection"), HasSubstr("may show it")));
    EXPECT_THAT(server.received(), AllOf(HasSubstr("canary"), Not(HasSubstr("hunter2"))));
  }
}

// Of another way than the greeting's, too.
TEST(HostileMySql, ThePasswordIsProved) {
  const HostileServer server([](Peer& peer) {
    testing::act_as_mysql(
        peer, [](Peer&) {},
        "\xfe"
        "mysql_native_password\0ABCDEFGHIJKLMNOPQRST\0"s);
  });
  EXPECT_THAT(ask(Protocol::MySql, server, patience(kShort), patience(kShort)),
              HasSubstr("too long"));
  EXPECT_THAT(server.received(), Not(HasSubstr("hunter2")));
}

TEST(HostilePostgres, ThePasswordIsNotSentInClear) {
  const auto libpq = profiles::postgres::Libpq::load();
  if (!libpq || (*libpq)->PQlibVersion() < 160000) GTEST_SKIP() << "libpq is older than 16";
  const HostileServer server([](Peer& peer) {
    testing::act_as_postgres(
        peer, [](Peer&) {}, testing::postgres_message('R', "\0\0\0\3"s));
  });
  EXPECT_THAT(ask(Protocol::Postgres, server, patience(kLong), patience(kLong)),
              HasSubstr("no connection"));
  EXPECT_THAT(server.received(), AllOf(HasSubstr("canary"), Not(HasSubstr("hunter2"))));
}

// Whoever stops dbtrace need not wait for the server.
TEST(HostileServers, AreLeftWhenItIsTimeToStop) {
  const HostileServer silent([](Peer& peer) { peer.wait_until_gone(); });
  const Patience stopped(kLong, [] { return true; });
  for (const Protocol protocol : {Protocol::MySql, Protocol::Postgres})
    EXPECT_THAT(ask(protocol, silent, stopped, stopped), HasSubstr("stopped"));
}

}  // namespace
}  // namespace dbtrace::client
