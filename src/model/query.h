// Query: one command (finished, unless it says otherwise) of a database session, or a statement
// inside one, decoded. Everything that prints, filters or counts works on this and knows nothing of
// eBPF.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/model/budget.h"
#include "src/model/stack.h"

namespace dbtrace::model {

enum class TextState : uint8_t {
  None,        // the command carries no text
  Present,     // `text` is the query's text (perhaps cut: see `truncated`)
  Unreadable,  // there is text, but it could not be copied
};

// The `command` of what is not one, but a statement inside one.
inline constexpr std::string_view kStatement = "Statement";

// All times in nanoseconds. Text fields are raw bytes as the server holds them:
// any character set, control characters, NUL. Absent optionals mean "could not
// be had", never zero.
struct Query {
  uint64_t start_ns = 0;     // wall clock, since the Unix epoch
  uint64_t duration_ns = 0;  // of a running one: until now
  bool running = false;      // has not ended
  bool start_known = true;   // false: start and duration could not be had (running only)
  uint32_t pid = 0;
  uint32_t tid = 0;
  std::string_view flavor;  // "mysql", "mariadb" (static storage)
  // Not 0: an example of this coarse kind, which was counted elsewhere (the kernel): not to
  // be counted again.
  uint64_t kind = 0;
  uint8_t command_id = 0;
  // "Query", "Execute", …, or kStatement (static storage). Empty: not known, for a
  // command that began before anybody looked.
  std::string_view command;

  // Where it stands among the statements of its command. Only when statements are
  // traced; else statement_id is 0.
  uint64_t statement_id = 0;
  uint64_t parent_id = 0;    // the command or statement that it runs in; 0: none
  uint64_t children_ns = 0;  // of duration_ns: in statements that it runs
  uint32_t depth = 0;        // 0: the command itself

  std::optional<uint64_t> connection_id;
  std::optional<std::string> user;
  std::optional<std::string> host;
  std::optional<std::string> ip;
  std::optional<std::string> application;  // what the client calls itself
  std::optional<std::string> database;  // absent also when none is selected

  TextState text_state = TextState::None;
  std::string text;          // what was copied
  uint64_t text_length = 0;  // the true length in bytes; ≥ text.size()
  [[nodiscard]] bool truncated() const { return text_length > text.size(); }
  // `text` is not the query's own, but its fingerprint (sql::FingerprintMode::MySql): a recording
  // without literals has no more.
  bool is_fingerprint = false;
  // Whether there is text and it is SQL: these two commands' is the name of a database or a table.
  [[nodiscard]] bool has_sql() const {
    return text_state != TextState::None && command != "InitDb" && command != "FieldList";
  }

  std::optional<uint32_t> error;  // the server's error number; 0 = succeeded
  std::string sqlstate;           // the error's five characters, of servers that number them so
  std::optional<int64_t> query_id;  // the server's own number of this kind of query
  bool process_ended = false;       // its process did, before the query
  std::optional<uint64_t> rows_sent;
  std::optional<uint64_t> rows_examined;

  // Only when the budget is asked for. `blocker` also only when the query waited for
  // somebody.
  std::optional<Budget> budget;
  std::optional<Io> io;
  std::optional<Blocker> blocker;
  // Only of servers that say what they wait for: in all, and what a running query waits for now.
  std::optional<NamedWaits> named_waits;
  std::optional<WaitEvent> waits_for;
  // Only when stacks are asked for: the heaviest, by time.
  std::optional<std::vector<NamedStack>> stacks;
  // All of them, only where they are kept for later.
  std::shared_ptr<const SampledStacks> samples;
};

}  // namespace dbtrace::model
