// Whoever answers --dsn may lie: nothing is known then, and nothing worse.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "profiles/postgres/server_catalog.h"
#include "tests/runtime/hostile_server.h"

namespace dbtrace::profiles::postgres {
namespace {

using namespace std::string_literals;
using ::testing::HasSubstr;
using testing::HostileServer;
using testing::postgres_message;
using Peer = HostileServer::Peer;

// The first answers are right: the server takes the settings.
HostileServer::Script after_settings(testing::Answer answer) {
  return [answer = std::move(answer)](Peer& peer) {
    bool is_set = false;
    testing::act_as_postgres(peer, [&](Peer& asking) {
      if (std::exchange(is_set, true)) return answer(asking);
      asking.send(postgres_message('C', "SET\0"s) + postgres_message('Z', "I"));
    });
  };
}

std::unique_ptr<ServerCatalog> catalog_of(const HostileServer& server) {
  auto catalog =
      server_catalog("host=127.0.0.1 user=monitor port=" + std::to_string(server.port()));
  EXPECT_TRUE(catalog);
  return std::move(*catalog);
}

std::string error_of(const HostileServer& server) {
  const auto identity = catalog_of(server)->identify({});
  return identity ? "it is " + std::to_string(*identity) : identity.error().message;
}

TEST(HostileCatalog, ItsIdentityIsRead) {
  const HostileServer server(after_settings([](Peer& peer) {
    peer.send(testing::postgres_columns() + testing::postgres_row("7") + testing::postgres_end());
  }));
  EXPECT_EQ(error_of(server), "it is 7");
}

TEST(HostileCatalog, RowsWithoutColumns) {
  const HostileServer server(after_settings([](Peer& peer) {
    peer.send(postgres_message('T', "\0\0"s) + postgres_message('D', "\0\0"s) +
              testing::postgres_end());
  }));
  EXPECT_THAT(error_of(server), HasSubstr("does not tell"));
  for (const uint32_t database : {0, 5}) EXPECT_FALSE(catalog_of(server)->names(database, {}));
}

TEST(HostileCatalog, CopyingIsNoAnswer) {
  for (const char type : {'G', 'H'}) {
    const HostileServer server([type](Peer& peer) {
      testing::act_as_postgres(
          peer, [type](Peer& asking) { asking.send(postgres_message(type, "\0\0\0"s)); });
    });
    EXPECT_THAT(error_of(server), HasSubstr("COPY"));
  }
}

TEST(HostileCatalog, AnswersWithoutEnd) {
  const HostileServer server([](Peer& peer) {
    testing::act_as_postgres(peer, [](Peer& asking) {
      while (asking.send(postgres_message('C', "SET\0"s))) {
      }
    });
  });
  EXPECT_THAT(error_of(server), HasSubstr("too long"));
}

TEST(HostileCatalog, AnAnswerByteByByte) {
  const HostileServer server([](Peer& peer) {
    testing::act_as_postgres(peer, [](Peer& asking) {
      while (asking.drip(postgres_message('S', "x\0y\0"s))) {
      }
    });
  });
  EXPECT_THAT(error_of(server), HasSubstr("too long"));
}

}  // namespace
}  // namespace dbtrace::profiles::postgres
