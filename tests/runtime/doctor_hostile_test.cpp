// `dbtrace doctor --canary` when what answers it is no server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <string>

#include "tests/runtime/dbtrace_process.h"
#include "tests/runtime/hostile_server.h"
#include "tests/runtime/servers.h"

namespace dbtrace::testing {
namespace {

using ::testing::HasSubstr;

// It would take hours.
void answer_byte_by_byte(HostileServer::Peer& peer) {
  peer.send(mysql_columns());
  peer.drip("\xff\xff\x0f\x04" + std::string(1 << 20, 'x'));
}

TEST(DoctorCanary, IsOverWhenTheServerAnswersByteByByte) {
  if (const auto why = why_unavailable(Flavor::MariaDb)) GTEST_SKIP() << *why;
  for (const int signal : {0, SIGINT, SIGTERM}) {
    std::atomic<bool> asked = false;
    const HostileServer hostile([&asked](HostileServer::Peer& peer) {
      act_as_mysql(peer, [&asked](HostileServer::Peer& asking) {
        asked = true;
        answer_byte_by_byte(asking);
      });
    });
    DbtraceProcess dbtrace({"doctor", std::to_string(shared_server(Flavor::MariaDb).pid()),
                            "--canary", "--host", "127.0.0.1", "--port",
                            std::to_string(hostile.port())});
    ASSERT_TRUE(wait_until([&] { return asked.load(); }, std::chrono::minutes(1)));
    if (signal != 0) dbtrace.process().signal(signal);
    EXPECT_EQ(dbtrace.wait(), 1);
    EXPECT_THAT(dbtrace.output(), HasSubstr(signal == 0 ? "too long to answer" : "it was stopped"));
  }
}

}  // namespace
}  // namespace dbtrace::testing
