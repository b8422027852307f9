// What the tests share that hold the output of `dbtrace queries` against what the
// clients really did and what the server itself counted.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/runtime/client.h"
#include "tests/runtime/dbtrace_process.h"
#include "tests/runtime/servers.h"

namespace dbtrace::testing {

// What a line says about a command, as far as a client can know it too.
struct Told {
  std::string command;              // "Query"
  std::optional<std::string> text;  // its bytes, whatever the encoding in JSON
  std::optional<std::string> user = "root";
  std::optional<std::string> host = "localhost";
  std::optional<std::string> database = {};
  std::optional<uint64_t> error = 0;
  std::optional<uint64_t> rows_sent = {};
  std::optional<uint64_t> rows_examined = {};

  friend bool operator==(const Told&, const Told&) = default;
};

void PrintTo(const Told& told, std::ostream* out);

// A whole line of `--format json`.
struct Line {
  Told told;
  uint64_t connection = 0;
  uint64_t duration_ns = 0;
  std::optional<uint64_t> text_length;
  bool truncated = false;
  bool in_base64 = false;
  std::string start;
  std::string flavor;
  pid_t pid = 0;
  pid_t tid = 0;
  // With --statements.
  uint64_t id = 0, parent_id = 0, depth = 0, own_ns = 0;
};

// The account at the end of a run.
struct Summary {
  uint64_t seen = 0, statements = 0, shown = 0, filtered = 0, hidden = 0, lost = 0;
  uint64_t surplus = 0;  // after --limit was reached
  uint64_t still_running = 0;
  bool incomplete = false;  // some text was not copied, or not whole
};

// `dbtrace queries` on one server, attached from the constructor to finish().
class Trace {
 public:
  explicit Trace(const Server& server, const std::vector<std::string>& arguments = {});

  // Ends it with Ctrl-C, or waits until it ends by itself, and expects that it
  // did so in order, lost nothing, and that the account fits the lines. Clients
  // have their answer before the server is done with a command, so finish()
  // waits for `least` lines (a while, for there may be too few) before it ends.
  std::vector<Line> finish(size_t least);
  std::vector<Line> wait();

  // After finish() or wait().
  [[nodiscard]] const Summary& summary() const { return summary_; }
  [[nodiscard]] DbtraceProcess& process() { return process_; }

 private:
  std::vector<Line> close(int exit_code);

  DbtraceProcess process_;
  const Server& server_;
  Summary summary_;
};

[[nodiscard]] Summary summary_of(const std::string& errors);

// The lines of each connection, in the order in which they were printed.
[[nodiscard]] std::map<uint64_t, std::vector<Told>> by_connection(const std::vector<Line>& lines);

// The lines of one connection; whole, or what is told about the commands.
[[nodiscard]] std::vector<Line> lines_of(const std::vector<Line>& lines, const Client& client);
[[nodiscard]] std::vector<Told> told_of(const std::vector<Line>& lines, const Client& client);

// As EXPECT_EQ, but shows the first difference only.
void expect_same(const std::vector<Told>& told, const std::vector<Told>& done);

// What a test runs on: a server, and whether dbtrace is asked for the rows
// examined (MySQL's are told without asking).
struct Setting {
  Flavor flavor;
  bool rows_examined;

  // What is told when the server has examined so many rows…
  [[nodiscard]] std::optional<uint64_t> examined(uint64_t rows) const;
  // …or none, as no table is read: MySQL makes up a row for that.
  [[nodiscard]] std::optional<uint64_t> examined_without_table() const;
};

// Tests that run on both flavours. The shared server has:
//   users anna, bert and carl without password, who may do all in shop and depot;
//   table `numbers` in both databases: id 1–100 (primary key), square (no index).
class Truth : public ::testing::TestWithParam<Setting> {
 protected:
  void SetUp() override;

  [[nodiscard]] static Flavor flavor() { return GetParam().flavor; }
  [[nodiscard]] static bool is_mariadb() { return flavor() == Flavor::MariaDb; }
  [[nodiscard]] static Server& server() { return shared_server(flavor()); }
  // `arguments`, and what the setting asks for.
  [[nodiscard]] static std::vector<std::string> as_set(std::vector<std::string> arguments = {});
  [[nodiscard]] static Client client(const std::string& user = "root",
                                     const std::string& database = {}) {
    return Client({.socket = server().socket(), .user = user, .database = database});
  }
};

// Makes users, databases and tables as Truth has them.
void furnish(const Server& server);

[[nodiscard]] std::string setting_name(const ::testing::TestParamInfo<Setting>& setting);

// The servers as dbtrace takes them by default…
#define DBTRACE_EACH_FLAVOR(suite)                                                      \
  INSTANTIATE_TEST_SUITE_P(                                                             \
      Each, suite,                                                                      \
      ::testing::Values(Setting{Flavor::MariaDb, false}, Setting{Flavor::MySql, false}), \
      setting_name)
// …and, besides, MariaDB with the probes that tell the rows examined.
#define DBTRACE_EACH_SETTING(suite)                                                      \
  INSTANTIATE_TEST_SUITE_P(                                                              \
      Each, suite,                                                                       \
      ::testing::Values(Setting{Flavor::MariaDb, false}, Setting{Flavor::MariaDb, true}, \
                        Setting{Flavor::MySql, false}),                                  \
      setting_name)

}  // namespace dbtrace::testing
