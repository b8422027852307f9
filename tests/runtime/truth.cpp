#include "tests/runtime/truth.h"

#include <signal.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ostream>
#include <regex>
#include <set>

namespace dbtrace::testing {
namespace {

using nlohmann::json;

// Probes come and go when the kernel has seen every processor switch: on an
// overloaded machine that takes a while.
constexpr std::chrono::seconds kPatience{120};

std::string decode_base64(const std::string& encoded) {
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  uint32_t bits = 0;
  int held = 0;
  for (const char digit : encoded.substr(0, encoded.find('='))) {
    bits = bits << 6 | static_cast<uint32_t>(kDigits.find(digit));
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes += static_cast<char>(bits >> held & 0xff);
  }
  return bytes;
}

// Every member must be there; null is an absent value.
template <typename Value>
std::optional<Value> member(const json& line, const char* name) {
  const json& value = line.at(name);
  return value.is_null() ? std::nullopt : std::optional(value.get<Value>());
}

Line line_from(const json& object) {
  Line line;
  line.told.command = object.at("command");
  line.told.text = member<std::string>(object, "query");
  line.in_base64 = object.contains("query_base64");
  if (line.in_base64) line.told.text = decode_base64(object.at("query_base64"));
  line.told.user = member<std::string>(object, "user");
  line.told.host = member<std::string>(object, "host");
  line.told.database = member<std::string>(object, "db");
  line.told.error = member<uint64_t>(object, "error");
  line.told.rows_sent = member<uint64_t>(object, "rows_sent");
  line.told.rows_examined = member<uint64_t>(object, "rows_examined");
  line.connection = object.at("conn");
  line.duration_ns = object.at("duration_ns");
  line.text_length = member<uint64_t>(object, "query_length");
  line.truncated = object.at("truncated");
  line.start = object.at("start");
  line.flavor = object.at("flavor");
  line.pid = object.at("pid");
  line.tid = object.at("tid");
  if (object.contains("statement_id")) {
    line.id = object.at("statement_id");
    line.parent_id = member<uint64_t>(object, "parent_id").value_or(0);
    line.depth = object.at("depth");
    line.own_ns = object.at("own_ns");
  }
  return line;
}

std::vector<std::string> command_line(const Server& server,
                                      const std::vector<std::string>& arguments) {
  std::vector<std::string> all = {"queries", "-p", std::to_string(server.pid()), "--format",
                                  "json"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return all;
}

template <typename Value>
std::ostream& operator<<(std::ostream& out, const std::optional<Value>& value) {
  return value ? out << *value : out << "-";
}

}  // namespace

void PrintTo(const Told& told, std::ostream* out) {
  constexpr size_t kEnough = 120;
  std::optional<std::string> text = told.text;
  if (text && text->size() > kEnough)
    text = text->substr(0, kEnough) + "… of " + std::to_string(text->size()) + " bytes";
  *out << told.command << " {" << text << "} user " << told.user << " host " << told.host << " db "
       << told.database << " error " << told.error << " sent " << told.rows_sent << " examined "
       << told.rows_examined;
}

Summary summary_of(const std::string& errors) {
  static const std::regex account(
      R"((\d+) commands?(?: and (\d+) statements? in them)? seen: (\d+) (?:shown|counted|recorded), (\d+) filtered, (\d+) of kinds not asked for, )"
      R"((\d+) lost(?:, (\d+) after the end)?(?:; (\d+) still running)?\n)");
  std::smatch found;
  if (!std::regex_search(errors, found, account))
    throw std::runtime_error("no summary in:\n" + errors);
  const auto number = [&](size_t group) {
    return found[group].matched ? std::stoull(found[group].str()) : 0;
  };
  return {.seen = number(1),
          .statements = number(2),
          .shown = number(3),
          .filtered = number(4),
          .hidden = number(5),
          .lost = number(6),
          .surplus = number(7),
          .still_running = number(8),
          .incomplete = errors.find("incomplete:") != std::string::npos};
}

Trace::Trace(const Server& server, const std::vector<std::string>& arguments)
    : process_(command_line(server, arguments)), server_(server) {
  process_.wait_until_attached(kPatience);
}

std::vector<Line> Trace::finish(size_t least) {
  static_cast<void>(process_.wait_for_lines(least, std::chrono::seconds(5)));
  process_.process().signal(SIGINT);
  return wait();
}

std::vector<Line> Trace::wait() { return close(process_.wait(kPatience)); }

std::vector<Line> Trace::close(int exit_code) {
  EXPECT_EQ(exit_code, 0) << process_.errors();
  summary_ = summary_of(process_.errors());
  EXPECT_EQ(summary_.lost, 0u) << process_.errors();
  EXPECT_FALSE(summary_.incomplete) << process_.errors();
  EXPECT_EQ(summary_.seen + summary_.statements,
            summary_.shown + summary_.filtered + summary_.hidden + summary_.surplus)
      << process_.errors();

  std::vector<Line> lines;
  for (const json& object : process_.queries()) {
    lines.push_back(line_from(object));
    EXPECT_EQ(lines.back().pid, server_.pid());
    EXPECT_EQ(lines.back().flavor, flavor_name(server_.flavor()));
  }
  EXPECT_EQ(summary_.shown, lines.size()) << process_.errors();
  return lines;
}

std::map<uint64_t, std::vector<Told>> by_connection(const std::vector<Line>& lines) {
  std::map<uint64_t, std::vector<Told>> connections;
  for (const Line& line : lines) connections[line.connection].push_back(line.told);
  return connections;
}

std::vector<Line> lines_of(const std::vector<Line>& lines, const Client& client) {
  std::vector<Line> own;
  for (const Line& line : lines)
    if (line.connection == client.connection_id()) own.push_back(line);
  return own;
}

std::vector<Told> told_of(const std::vector<Line>& lines, const Client& client) {
  std::vector<Told> own;
  for (const Line& line : lines_of(lines, client)) own.push_back(line.told);
  return own;
}

void expect_same(const std::vector<Told>& told, const std::vector<Told>& done) {
  EXPECT_EQ(told.size(), done.size());
  for (size_t i = 0; i < std::min(told.size(), done.size()); ++i) {
    EXPECT_EQ(told[i], done[i]) << "command " << i;
    if (!(told[i] == done[i])) return;
  }
}

void furnish(const Server& server) {
  Client root({.socket = server.socket()});
  std::string rows;
  for (int id = 1; id <= 100; ++id)
    rows += (id > 1 ? ", (" : "(") + std::to_string(id) + ", " + std::to_string(id * id) + ")";
  for (const std::string database : {"shop", "depot"})
    root.query("CREATE DATABASE " + database + ";CREATE TABLE " + database +
               ".numbers (id INT PRIMARY KEY, square INT);INSERT INTO " + database +
               ".numbers VALUES " + rows);
  for (const std::string user : {"anna", "bert", "carl"})
    root.query("CREATE USER " + user + "@localhost; GRANT ALL ON shop.* TO " + user +
               "@localhost; GRANT ALL ON depot.* TO " + user + "@localhost");
}

void Truth::SetUp() {
  if (const auto reason = why_unavailable(flavor())) GTEST_SKIP() << *reason;
  static std::set<Flavor> furnished;
  if (furnished.insert(flavor()).second) furnish(server());
}

std::vector<std::string> Truth::as_set(std::vector<std::string> arguments) {
  if (GetParam().rows_examined) arguments.emplace_back("--rows-examined");
  return arguments;
}

std::optional<uint64_t> Setting::examined(uint64_t rows) const {
  return flavor == Flavor::MariaDb && !rows_examined ? std::nullopt : std::optional(rows);
}

std::optional<uint64_t> Setting::examined_without_table() const {
  return examined(flavor == Flavor::MariaDb ? 0 : 1);
}

std::string setting_name(const ::testing::TestParamInfo<Setting>& setting) {
  static constexpr std::array<const char*, kFlavors> kNames = {"mariadb", "mysql", "mysql56",
                                                               "mariadb11"};
  return std::string(kNames.at(static_cast<size_t>(setting.param.flavor))) +
         (setting.param.rows_examined ? "_rows_examined" : "");
}

}  // namespace dbtrace::testing
