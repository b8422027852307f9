// Rows → queries.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "src/model/query.h"
#include "src/recording/beside.h"
#include "src/recording/database.h"
#include "src/recording/sample_rows.h"
#include "src/recording/statement.h"

namespace dbtrace::recording {

// Not thread-safe. What goes wrong is the database's failure.
class QueryReader {
 public:
  // `begin_ns`: of the recording.
  QueryReader(Database& database, uint64_t begin_ns);

  // From now on queries have all their stacks, too (model::Query::samples).
  void want_samples(Database& database) { samples_.emplace(database); }
  // The next one, in the order in which they were added; false: there
  // are no more. What is `static storage` in a model::Query is good as long as the reader is.
  [[nodiscard]] bool next();
  // From here on next() hands out these.
  void seek(const Ids& ids);
  [[nodiscard]] const model::Query& query() const { return query_; }
  // One by its number, with its times, session, command and text, and nothing else; nullptr: there
  // is none. Not together with next().
  [[nodiscard]] const model::Query* find(int64_t id);
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

  Statement rows_, row_;
  Beside blocked_, details_, blockers_, waits_, io_, file_io_, stacks_;
  Known<Session> sessions_;
  Known<Command> commands_;
  Known<Text> texts_;
  Known<model::File> files_;
  Known<model::WaitEvent> events_;
  Known<std::string> frames_;
  std::optional<SampleReader> samples_;
};

}  // namespace dbtrace::recording
