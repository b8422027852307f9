// Rows → queries.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "src/model/query.h"
#include "src/recording/database.h"
#include "src/recording/statement.h"

namespace dbtrace::recording {

// Queries by their numbers, both ends included.
struct Ids {
  int64_t first = INT64_MIN;
  int64_t last = INT64_MAX;
  friend bool operator==(const Ids&, const Ids&) = default;
};

// The rows that some queries have in a table, in the queries' order. Both are read once, side by
// side.
class Beside {
 public:
  // `columns`: what is wanted behind the query's number.
  Beside(Database& database, std::string_view table, std::string_view columns,
         std::string_view order = "query");
  // The next row of this query, at its first column behind the number; nullptr: it has no more.
  // Queries come in ascending order.
  [[nodiscard]] Statement* row_of(int64_t query);
  // The next queries are these.
  void seek(const Ids& ids);
  // There are no more of them.
  void end();

 private:
  void advance();

  Statement rows_;
  int64_t query_ = 0;  // of the row at hand
  bool taken_ = true;  // that row was handed out
  bool ended_ = false;
};

// Rows that stand for themselves, read when they are met. Memory is bounded.
template <typename Row>
class Known {
 public:
  static constexpr size_t kMost = 50'000;
  Known(Database& database, std::string_view sql) : statement_(database.prepare(sql)) {}

  // The row of this number; `read(statement, row)` reads it. One that is not there is empty.
  template <typename Read>
  const Row& of(int64_t id, const Read& read) {
    if (const auto known = rows_.find(id); known != rows_.end()) return known->second;
    if (rows_.size() >= kMost) rows_.clear();
    Row& row = rows_[id];
    statement_.put(id);
    if (statement_.next()) read(statement_, row);
    statement_.reset();
    return row;
  }

 private:
  Statement statement_;
  std::unordered_map<int64_t, Row> rows_;
};

// Not thread-safe. What goes wrong is the database's failure.
class QueryReader {
 public:
  // `begin_ns`: of the recording.
  QueryReader(Database& database, uint64_t begin_ns);

  // The next one, in the order in which they were added; false: there
  // are no more. What is `static storage` in a model::Query is good as long as the reader is.
  [[nodiscard]] bool next();
  // From here on next() hands out these.
  void seek(const Ids& ids);
  [[nodiscard]] const model::Query& query() const { return query_; }
  [[nodiscard]] int64_t id() const { return id_; }
  [[nodiscard]] int64_t kind() const { return kind_; }

 private:
  struct Session {
    std::string_view flavor;
    uint32_t pid = 0, tid = 0;
    std::optional<uint64_t> connection_id;
    std::optional<std::string> user, host, ip, application, database;
  };
  struct Command {
    uint8_t id = 0;
    std::string_view name;
  };
  struct Text {
    int64_t kind = 0;
    uint8_t form = 0;
    std::string text;
    uint64_t length = 0;
    std::optional<int64_t> query_id;
  };
  [[nodiscard]] std::array<Beside*, 7> besides() {
    return {&blocked_, &details_, &blockers_, &waits_, &io_, &file_io_, &stacks_};
  }
  void set_session(int64_t id);
  void set_command(int64_t id);
  void set_text(int64_t id);
  void add_budget(uint64_t on_cpu_ns, uint64_t runqueue_ns);
  void add_details();
  void add_blocker();
  void add_io();
  void add_waits();
  void add_stacks();

  [[nodiscard]] const Text& text(int64_t id);
  [[nodiscard]] const model::File& file(int64_t id);
  [[nodiscard]] const model::WaitEvent& event(int64_t id);
  [[nodiscard]] std::string_view kept(const std::string& name);

  uint64_t begin_ns_;
  model::Query query_;
  int64_t id_ = 0, kind_ = 0;
  int64_t session_ = 0, text_ = 0;  // whose values `query_` has
  std::unordered_set<std::string> names_;

  Statement rows_;
  Beside blocked_, details_, blockers_, waits_, io_, file_io_, stacks_;
  Known<Session> sessions_;
  Known<Command> commands_;
  Known<Text> texts_;
  Known<model::File> files_;
  Known<model::WaitEvent> events_;
  Known<std::string> frames_;
};

}  // namespace dbtrace::recording
