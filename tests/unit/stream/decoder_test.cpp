#include "src/stream/decoder.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "tests/unit/stream/events.h"

namespace dbtrace::stream {
namespace {

using model::TextState;

class DecoderTest : public testing::Test {
 protected:
  DecoderTest() { decoder.set_clock_offset(kClockOffset); }
  Decoder decoder{{{&profile(), profiles::PacketLayout::RawPacket}}};
};

TEST_F(DecoderTest, DecodesEveryFieldOfACommand) {
  ASSERT_EQ(decoder.feed(session("app")), nullptr);
  const model::Query* query = decoder.feed(command());
  ASSERT_NE(query, nullptr);
  EXPECT_EQ(query->start_ns, kClockOffset + 1000u);
  EXPECT_EQ(query->duration_ns, 2500u);
  EXPECT_EQ(query->pid, 42u);
  EXPECT_EQ(query->tid, 43u);
  EXPECT_EQ(query->flavor, "mariadb");
  EXPECT_EQ(query->command, "Query");
  EXPECT_EQ(query->command_id, 3);
  EXPECT_EQ(query->connection_id, 7u);
  EXPECT_EQ(query->user, "app");
  EXPECT_EQ(query->host, "");
  EXPECT_EQ(query->ip, std::nullopt);
  EXPECT_EQ(query->database, "shop");
  EXPECT_EQ(query->text_state, TextState::Present);
  EXPECT_EQ(query->text, "select 1");
  EXPECT_FALSE(query->truncated());
  EXPECT_EQ(query->error, 1146u);
  EXPECT_EQ(query->rows_sent, std::nullopt) << "the flag is not set";
  EXPECT_EQ(query->rows_examined, std::nullopt);
  EXPECT_EQ(decoder.malformed(), 0u);
}

TEST_F(DecoderTest, DecodesWhereAStatementStands) {
  std::vector<std::byte> bytes = command({.flags = DBT_HAS_TEXT | DBT_IS_STATEMENT});
  const auto put = [&bytes](size_t offset, auto value) {
    std::memcpy(bytes.data() + offset, &value, sizeof(value));
  };
  put(offsetof(dbt_command_event, id), uint64_t{31});
  put(offsetof(dbt_command_event, parent_id), uint64_t{30});
  put(offsetof(dbt_command_event, children_ns), uint64_t{2000});
  put(offsetof(dbt_command_event, depth), uint32_t{2});
  const model::Query* query = decoder.feed(bytes);
  ASSERT_NE(query, nullptr);
  EXPECT_EQ(query->command, model::kStatement);
  EXPECT_EQ(query->statement_id, 31u);
  EXPECT_EQ(query->parent_id, 30u);
  EXPECT_EQ(query->children_ns, 2000u);
  EXPECT_EQ(query->depth, 2u);
  query = decoder.feed(command());
  ASSERT_NE(query, nullptr);
  EXPECT_EQ(query->command, "Query");
  EXPECT_EQ(query->statement_id, 0u);
}

TEST_F(DecoderTest, NothingOfTheQueryBeforeRemains) {
  decoder.feed(session("app"));
  ASSERT_NE(decoder.feed(command()), nullptr);
  const model::Query* query =
      decoder.feed(command({.database = "", .text = "", .flags = 0, .connection = 0}));
  ASSERT_NE(query, nullptr);
  EXPECT_EQ(query->connection_id, std::nullopt);
  EXPECT_EQ(query->user, std::nullopt);
  EXPECT_EQ(query->database, std::nullopt);
  EXPECT_EQ(query->error, std::nullopt);
  EXPECT_EQ(query->text_state, TextState::None);
  EXPECT_EQ(query->text, "");
}

TEST_F(DecoderTest, ASelectedDatabaseOfNoNameIsNotNone) {
  EXPECT_EQ(decoder.feed(command({.database = ""}))->database, "");
}

TEST_F(DecoderTest, AnEmptyTextIsNotAnUnreadableOne) {
  EXPECT_EQ(decoder.feed(command({.text = ""}))->text_state, TextState::Present);
  const model::Query* query =
      decoder.feed(command({.text = "", .flags = DBT_TEXT_UNREADABLE, .text_length = 99}));
  EXPECT_EQ(query->text_state, TextState::Unreadable);
  EXPECT_EQ(query->text_length, 99u);
}

TEST_F(DecoderTest, KeepsTheTrueLengthOfACutText) {
  const model::Query* query = decoder.feed(command({.text = "select", .text_length = 16u << 20}));
  EXPECT_EQ(query->text, "select");
  EXPECT_EQ(query->text_length, 16u << 20);
  EXPECT_TRUE(query->truncated());
}

TEST_F(DecoderTest, JoinsALongTextWithItsTail) {
  const CommandSpec with_tail{
      .text = "head ", .flags = DBT_HAS_TEXT | DBT_HAS_TAIL, .text_length = 9};
  EXPECT_EQ(decoder.feed(tail("tail")), nullptr);
  const model::Query* query = decoder.feed(command(with_tail));
  EXPECT_EQ(query->text, "head tail");
  EXPECT_FALSE(query->truncated());
}

TEST_F(DecoderTest, ATailOfAnotherQueryIsNotTaken) {
  const CommandSpec with_tail{
      .text = "head ", .flags = DBT_HAS_TEXT | DBT_HAS_TAIL, .text_length = 9};
  decoder.feed(tail("old!", /*start=*/999));
  EXPECT_EQ(decoder.feed(command(with_tail))->text, "head ");
  decoder.feed(tail("far!", /*start=*/1000, /*tid=*/44));
  const model::Query* query = decoder.feed(command(with_tail));
  EXPECT_EQ(query->text, "head ");
  EXPECT_TRUE(query->truncated());
}

TEST_F(DecoderTest, AReusedSessionAddressDoesNotInheritAUser) {
  decoder.feed(session("first", 7));
  EXPECT_EQ(decoder.feed(command({.connection = 8}))->user, std::nullopt);
  decoder.feed(session("second", 8));
  EXPECT_EQ(decoder.feed(command({.connection = 8}))->user, "second");
}

TEST_F(DecoderTest, AFieldListNamesItsTableOnly) {
  const model::Query* query =
      decoder.feed(command({.text = std::string("orders\0%", 8), .command = 4}));
  EXPECT_EQ(query->text, "orders");
  EXPECT_EQ(query->text_length, 6u);
}

TEST_F(DecoderTest, AQueryKeepsItsNulBytes) {
  const std::string text("select '\0'", 10);
  EXPECT_EQ(decoder.feed(command({.text = text}))->text, text);
}

TEST_F(DecoderTest, AnUnknownCommandIsShownByNumber) {
  const model::Query* query = decoder.feed(command({.command = 200}));
  ASSERT_NE(query, nullptr);
  EXPECT_EQ(query->command, "Unknown");
  EXPECT_EQ(query->command_id, 200);
}

TEST_F(DecoderTest, CountsAndDropsMalformedEvents) {
  const auto reject = [&](std::vector<std::byte> event, const char* why) {
    const uint64_t before = decoder.malformed();
    EXPECT_EQ(decoder.feed(event), nullptr) << why;
    EXPECT_EQ(decoder.malformed(), before + 1) << why;
  };
  const auto patched = [](std::vector<std::byte> event, size_t offset, auto value) {
    std::memcpy(event.data() + offset, &value, sizeof(value));
    return event;
  };
  reject({}, "empty");
  reject(std::vector<std::byte>(4), "shorter than a header");
  reject(patched(command(), 0, uint32_t{4}), "size disagrees");
  reject(patched(command(), 4, uint16_t{99}), "unknown kind");
  reject(patched(command(), 6, uint16_t{1}), "plan out of range");
  reject(patched(command(), offsetof(dbt_command_event, text_size), uint32_t{9}),
         "text beyond the end");
  reject(patched(command(), offsetof(dbt_command_event, database_size), uint8_t{255}),
         "database beyond the end");
  reject(patched(session("a"), offsetof(dbt_session_event, user_size), uint16_t{193}),
         "user too long");
  reject(patched(session("a"), offsetof(dbt_session_event, host_size), uint16_t{65535}),
         "host too long");
  reject(patched(tail("x"), offsetof(dbt_tail_event, size), uint32_t{2}), "tail beyond the end");
}

TEST_F(DecoderTest, SurvivesEveryTruncationOfEveryKind) {
  for (std::vector<std::byte> whole : {command(), session("app"), tail("tail")}) {
    for (uint32_t size = 0; size < whole.size(); ++size) {
      std::vector<std::byte> cut(whole.begin(), whole.begin() + size);
      if (size >= sizeof(size)) std::memcpy(cut.data(), &size, sizeof(size));
      EXPECT_EQ(decoder.feed(cut), nullptr) << "cut to " << size;
    }
  }
}

TEST_F(DecoderTest, SurvivesRandomBytes) {
  std::mt19937 random(1);
  for (int round = 0; round < 20'000; ++round) {
    std::vector<std::byte> event = round % 2 ? command() : session("app");
    for (int flips = 0; flips < 8; ++flips) event[random() % event.size()] = std::byte(random());
    const auto size = static_cast<uint32_t>(event.size());
    std::memcpy(event.data(), &size, sizeof(size));
    if (const model::Query* query = decoder.feed(event)) {
      EXPECT_LE(query->text.size(), event.size());
    }
  }
}

TEST_F(DecoderTest, SessionsAndTailsAreBounded) {
  for (uint32_t tid = 0; tid < 1000; ++tid) decoder.feed(tail("x", 1, tid));
  std::vector<std::byte> event = session("app");
  for (uint64_t address = 0; address < 2 * Files::kMost; ++address) {
    std::memcpy(event.data() + offsetof(dbt_session_event, session), &address, sizeof(address));
    decoder.feed(event);
  }
  EXPECT_EQ(decoder.malformed(), 0u);
  decoder.feed(session("late"));
  EXPECT_EQ(decoder.feed(command())->user, "late");
}

}  // namespace
}  // namespace dbtrace::stream
