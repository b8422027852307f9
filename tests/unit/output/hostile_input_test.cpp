// All formats on random bytes: whatever a server's memory holds, JSON parses
// and nothing but newlines and our own colours controls a terminal.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "src/output/cause_names.h"
#include "src/output/character_class.h"
#include "src/output/utf8.h"
#include "tests/unit/output/sample_query.h"

namespace dbtrace::output {
namespace {

class Hostile {
 public:
  model::Query query() {
    model::Query query;
    query.start_ns = number();
    query.duration_ns = number();
    query.pid = static_cast<uint32_t>(number());
    query.tid = static_cast<uint32_t>(number());
    query.flavor = coin() ? "mysql" : "mariadb";
    query.command = coin() ? "Query" : "InitDb";
    if (coin()) query.connection_id = number();
    if (coin()) query.user = bytes();
    if (coin()) query.host = bytes();
    if (coin()) query.ip = bytes();
    if (coin()) query.database = bytes();
    query.text_state = static_cast<model::TextState>(random_() % 3);
    if (query.text_state == model::TextState::Present) {
      query.text = bytes();
      query.text_length = query.text.size() + (coin() ? 0 : random_() % 1000);
    }
    if (coin()) query.error = static_cast<uint32_t>(number());
    if (coin()) query.rows_sent = number();
    if (coin()) query.rows_examined = number();
    if (coin()) add_budget(query);
    return query;
  }

 private:
  void add_budget(model::Query& query) {
    query.budget.emplace();
    for (uint64_t& ns : query.budget->by_cause_ns) ns = coin() ? 0 : number();
    query.budget->unexplained_ns = number();
    query.io.emplace();
    for (size_t i = 0; i < model::kFileOperations; ++i) {
      query.io->operations[i] = {number(), number(), number(), number(), number()};
      query.io->slowest[i] = {bytes(), bytes()};
    }
    for (size_t count = random_() % 9; count > 0; --count)
      query.io->files.push_back({{bytes(), bytes()}, query.io->operations});
    if (coin()) return;
    query.blocker.emplace();
    query.blocker->waited_ns = number();
    query.blocker->cause = static_cast<model::Cause>(random_() % model::kCauses);
    query.blocker->thread = bytes();
    if (coin()) query.blocker->connection_id = number();
    if (coin()) query.blocker->query = bytes();
    if (query.blocker->query)
      query.blocker->query_length = query.blocker->query->size() + (coin() ? 0 : random_() % 1000);
  }

  bool coin() { return random_() % 2 == 0; }
  uint64_t number() { return random_() >> (random_() % 64); }

  std::string bytes() {
    static constexpr std::string_view kPieces[] = {"\x1b[31m",
                                                   "\x1b]0;",
                                                   "\xc2\x9b",
                                                   "\xe2\x80\xae",
                                                   "\xe2\x80\x8b",
                                                   "\xe4\xb8\xad",
                                                   "\xf0\x9f\x98\x80",
                                                   "\n# Time: ",
                                                   ";\n#",
                                                   "\r\n",
                                                   "identified by '",
                                                   "password(",
                                                   "\\",
                                                   "\"",
                                                   "'",
                                                   " ",
                                                   "a"};
    std::string bytes;
    for (size_t length = random_() % 60; length > 0; --length) {
      if (coin()) {
        bytes += static_cast<char>(random_());
      } else {
        bytes += kPieces[random_() % std::size(kPieces)];
      }
    }
    return bytes;
  }

  std::mt19937_64 random_{20260102};
};

constexpr int kRounds = 20'000;

void remove_all(std::string& text, std::string_view what) {
  for (size_t at; (at = text.find(what)) != std::string::npos;) text.erase(at, what.size());
}

// Valid UTF-8 without any unsafe character but those in `allowed`.
bool is_safe(std::string_view text, std::string_view allowed) {
  for (size_t at = 0; at < text.size();) {
    const Character character = decode_character(text, at);
    if (character.code == kInvalidCharacter) return false;
    if (is_unsafe(character.code) && allowed.find(text[at]) == std::string_view::npos) return false;
    at += character.size;
  }
  return true;
}

TEST(HostileInput, JsonStaysOneParseableLine) {
  Hostile hostile;
  const auto sink = make_sink({.format = Format::Json, .budget = true});
  for (int round = 0; round < kRounds; ++round) {
    const std::string line = written(*sink, hostile.query());
    ASSERT_TRUE(is_safe(line, "\n")) << line;
    ASSERT_EQ(line.find('\n'), line.size() - 1) << line;
    const nlohmann::json object = nlohmann::json::parse(line, nullptr, false);
    ASSERT_TRUE(object.is_object()) << line;
    for (const char* key :
         {"start", "duration_ns", "pid", "tid", "flavor", "conn", "user", "host", "db", "command",
          "query", "query_length", "truncated", "error", "rows_sent", "rows_examined"}) {
      ASSERT_TRUE(object.contains(key)) << key << " in " << line;
    }
  }
}

TEST(HostileInput, TextIsOneSafeLine) {
  Hostile hostile;
  for (const size_t width : {0, 1, 40, 80, 200}) {
    const auto sink = make_sink({.width = width, .show_server = true, .budget = width != 40});
    for (int round = 0; round < kRounds / 5; ++round) {
      const std::string line = written(*sink, hostile.query());
      ASSERT_TRUE(is_safe(line, "\n")) << line;
      ASSERT_EQ(line.find('\n'), line.size() - 1) << line;
    }
  }
}

TEST(HostileInput, ColouredTextHoldsOurColoursOnly) {
  Hostile hostile;
  const auto sink = make_sink({.width = 170, .color = true, .budget = true});
  for (int round = 0; round < kRounds; ++round) {
    std::string line = written(*sink, hostile.query());
    for (std::string_view color : {"\x1b[0m", "\x1b[2m", "\x1b[31m", "\x1b[33m"}) {
      remove_all(line, color);
    }
    for (const CauseName& name : kCauseNames) remove_all(line, name.color);
    remove_all(line, UnexplainedName::color);
    ASSERT_TRUE(is_safe(line, "\n")) << line;
  }
}

TEST(HostileInput, LinesNeverExceedTheWidth) {
  Hostile hostile;
  for (const size_t width : {1, 13, 66, 80, 120, 170}) {
    const auto sink = make_sink({.width = width, .budget = width > 100});
    for (int round = 0; round < kRounds / 5; ++round) {
      const std::string line = written(*sink, hostile.query());
      size_t columns = 0;
      for (size_t at = 0; at + 1 < line.size();) {
        const Character character = decode_character(line, at);
        columns += display_width(character.code);
        at += character.size;
      }
      ASSERT_LE(columns, width) << line;
    }
  }
}

TEST(HostileInput, SlowLogHasOneEventAQuery) {
  Hostile hostile;
  const auto sink = make_sink({.format = Format::SlowLog});
  std::string log;
  for (int round = 0; round < kRounds; ++round) {
    const std::string event = written(*sink, hostile.query());
    ASSERT_TRUE(is_safe(event, "\n\t")) << event;
    log += event;
  }
  int events = 0;
  for (size_t at = 0; (at = log.find("# Time: ", at)) != std::string::npos; ++at) {
    events += at == 0 || log[at - 1] == '\n';
  }
  EXPECT_EQ(events, kRounds);
  // What parsers split at stands between events, and before the administrator
  // commands of an event.
  int separators = 0;
  for (size_t at = 0; (at = log.find(";\n# Time: ", at)) != std::string::npos; ++at) ++separators;
  EXPECT_EQ(separators, kRounds - 1);
}

}  // namespace
}  // namespace dbtrace::output
