#include "tests/runtime/budget.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>

namespace dbtrace::testing {
namespace {

using nlohmann::json;

int64_t slowness() { return is_emulated() ? 100 : 1; }

// Because of interrupts and of the machine's host taking the core, which only some
// clocks know of.
constexpr double kPart = 0.03;
const int64_t kSlackNs = 400'000 * slowness();

int64_t tolerance(int64_t ns) {
  return kSlackNs + static_cast<int64_t>(kPart * static_cast<double>(ns));
}

// What a step of the stub blocks for. Steps that are not here do not block.
const std::map<std::string, std::string> kCauseOfStep = {
    {"sleep", "sleep_ns"},        {"await", "sleep_ns"},           {"lock", "lock_ns"},
    {"wait", "lock_ns"},          {"receive", "network_ns"},       {"poll", "network_ns"},
    {"read", "file_read_ns"},     {"pread", "file_read_ns"},       {"readv", "file_read_ns"},
    {"preadv", "file_read_ns"},   {"preadv2", "file_read_ns"},     {"fault", "file_read_ns"},
    {"write", "file_write_ns"},   {"pwrite", "file_write_ns"},     {"writev", "file_write_ns"},
    {"pwritev", "file_write_ns"}, {"pwritev2", "file_write_ns"},   {"fsync", "fsync_ns"},
    {"fdatasync", "fsync_ns"},    {"sync_file_range", "fsync_ns"},
};

// By the number that the stub's `begin` gives to thd_wait_begin.
const std::map<std::string, std::string> kCauseOfServerWait = {
    {"3", "row_lock_ns"},    {"4", "global_lock_ns"}, {"5", "metadata_lock_ns"},
    {"6", "table_lock_ns"},  {"7", "user_lock_ns"},   {"8", "binlog_ns"},
    {"9", "group_commit_ns"}};

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

}  // namespace

int64_t BudgetedQuery::ns(const std::string& cause) const {
  const json& budget = told.at("budget");
  const json& where = budget.contains(cause) ? budget : budget.at("locks");
  return where.value(cause, int64_t{0});
}

int64_t BudgetedQuery::step_ns(const std::string& step, const char* what) const {
  int64_t sum = 0;
  for (const json& each : done.at("steps")) {
    const std::string text = each.at("step");
    if (text == step || words_of(text).front() == step) sum += each.at(what).get<int64_t>();
  }
  return sum;
}

Causes off_core(const json& done) {
  Causes causes;
  std::string server_says;
  for (const json& step : done.at("steps")) {
    const std::vector<std::string> words = words_of(step.at("step"));
    if (words.front() == "begin") server_says = kCauseOfServerWait.at(words.at(1));
    if (words.front() == "end") server_says.clear();
    const auto cause = kCauseOfStep.find(words.front());
    const int64_t off = step.at("wall_ns").get<int64_t>() - step.at("on_core_ns").get<int64_t>();
    if (cause == kCauseOfStep.end()) {
      causes["runqueue_ns"] += off;
      continue;
    }
    causes[cause->second] += off;
    if (cause->second == "lock_ns" && !server_says.empty()) causes[server_says] += off;
  }
  return causes;
}

void expect_near(int64_t told_ns, int64_t done_ns, int64_t tolerance_ns) {
  EXPECT_LE(std::abs(told_ns - done_ns), tolerance_ns) << told_ns << " instead of " << done_ns;
}

void expect_sum(const json& told) {
  int64_t sum = 0;
  for (const auto& [name, value] : told.at("budget").items())
    if (name.ends_with("_ns")) sum += value.get<int64_t>();
  EXPECT_EQ(sum, told.at("duration_ns").get<int64_t>()) << told;
}

bool is_explained(const json& told) {
  const int64_t duration = told.at("duration_ns");
  return told.at("budget").at("unexplained_ns").get<int64_t>() <=
         std::max<int64_t>(duration / 100, 20'000);
}

void expect_explained(const std::vector<json>& told) {
  std::vector<int64_t> unexplained;
  size_t too_much = 0;
  std::string one;
  for (const json& each : told) {
    expect_sum(each);
    unexplained.push_back(each.at("budget").at("unexplained_ns"));
    if (is_explained(each)) continue;
    ++too_much;
    one = each.dump();
  }
  ASSERT_FALSE(unexplained.empty());
  std::ranges::sort(unexplained);
  EXPECT_LE(too_much * 100, told.size()) << one;
  std::cout << "  unexplained of " << told.size()
            << " queries: " << unexplained[unexplained.size() / 2] << " ns (median), "
            << unexplained.back() << " ns (most), " << too_much << " beyond what is allowed\n";
}

void expect_budget(const BudgetedQuery& query) {
  SCOPED_TRACE(query.told.dump() + "\n" + query.done.dump());
  expect_sum(query.told);
  EXPECT_GE(query.duration_ns(), query.done.at("wall_ns").get<int64_t>());
  const json& budget = query.told.at("budget");
  // Between the probes and the stub's clocks.
  const int64_t outside = query.duration_ns() - query.done.at("wall_ns").get<int64_t>();
  // One may come between each probe and the stub's own look, and where that takes long, as it
  // does under emulation, one in each of the scheduler's time slices.
  constexpr int64_t kShortestSlice_ns = 700'000;
  for (const std::string kind : {"voluntary", "involuntary"}) {
    const int64_t told = budget.at(kind + "_switches"), done = query.done.at(kind);
    EXPECT_GE(told, done) << kind;
    EXPECT_LE(told, done + 2 + outside / kShortestSlice_ns) << kind;
  }

  // What the thread runs outside of the stub's clocks lies between. A thread may wait for its
  // core from the moment on when somebody begins to wake it. The kernel counts from when the core
  // that is to run it has heard of that: on a virtual machine, that may have to run itself first.
  // What the stub reads of the queue includes a little before and after the query, where it may
  // wait long.
  const int64_t kWakingNs = 5'000'000 * slowness();
  const int64_t on_core = query.done.at("on_core_ns"), run_delay = query.done.at("run_delay_ns");
  const int64_t runqueue = query.ns("runqueue_ns");
  expect_near(query.ns("on_cpu_ns"), on_core, tolerance(on_core) + outside);
  EXPECT_LE(runqueue, run_delay + tolerance(run_delay) +
                          kWakingNs * query.done.at("voluntary").get<int64_t>());

  // When a wait is over, the thread may have to wait for a core.
  const Causes expected = off_core(query.done);
  for (const auto& [cause, value] : budget.items()) {
    if (!cause.ends_with("_ns") || cause == "on_cpu_ns" || cause == "runqueue_ns" ||
        cause == "unexplained_ns")
      continue;
    const auto found = expected.find(cause);
    const int64_t ns = found == expected.end() ? 0 : found->second;
    EXPECT_LE(query.ns(cause), ns + tolerance(ns)) << cause;
    EXPECT_GE(query.ns(cause), ns - runqueue - tolerance(ns)) << cause;
  }
  for (const auto& [type, cause] : kCauseOfServerWait) {
    const auto found = expected.find(cause);
    const int64_t ns = found == expected.end() ? 0 : found->second;
    EXPECT_LE(query.ns(cause), ns + tolerance(ns)) << cause;
    EXPECT_GE(query.ns(cause), ns - runqueue - tolerance(ns)) << cause;
  }
}

namespace {

struct Operations {
  int64_t count = 0, blocked = 0, bytes = 0, ns = 0, max_ns = 0;
};

// From either side's object, whatever they call it.
Operations told_operations(const json& object, const std::string& kind) {
  return {.count = object.at(kind + "s"),
          .blocked = object.at(kind + "s_blocked"),
          .bytes = object.at(kind + "_bytes"),
          .ns = object.at(kind + "_ns"),
          .max_ns = object.at(kind + "_max_ns")};
}

void add(Operations& sum, const json& file) {
  sum.count += file.at("count").get<int64_t>();
  sum.blocked += file.at("blocked").get<int64_t>();
  sum.bytes += file.at("bytes").get<int64_t>();
  sum.ns += file.at("ns").get<int64_t>();
  sum.max_ns = std::max(sum.max_ns, file.at("max_ns").get<int64_t>());
}

// The stub's clocks are around dbtrace's: what those cost, and an interrupt now and
// then, lies between.
void expect_operations(const Operations& told, const Operations& done, int64_t run_delay) {
  const int64_t kClocksNs = 10'000 * slowness(), kInterruptNs = 300'000 * slowness();
  EXPECT_EQ(told.count, done.count);
  EXPECT_EQ(told.blocked, done.blocked);
  EXPECT_EQ(told.bytes, done.bytes);
  EXPECT_LE(told.ns, done.ns);
  EXPECT_GE(told.ns, done.ns - done.count * kClocksNs - kInterruptNs - done.ns / 10 - run_delay);
  EXPECT_LE(told.max_ns, done.max_ns);
}

std::string base_name(const json& file) {
  const std::string name = file.at("file");
  return name.substr(name.rfind('/') + 1);
}

}  // namespace

void expect_io(const BudgetedQuery& query) {
  constexpr size_t kMostFiles = 8;
  SCOPED_TRACE(query.told.dump() + "\n" + query.done.dump());
  const json& io = query.told.at("io");
  const int64_t run_delay = query.done.at("run_delay_ns");  // perhaps at the stub's clocks
  std::set<std::string> names;
  for (const json& file : query.done.at("files")) names.insert(base_name(file));
  EXPECT_EQ(io.at("files").size(), std::min(names.size(), kMostFiles));

  for (const std::string kind : {"read", "write", "fsync"}) {
    SCOPED_TRACE(kind);
    Operations sum;
    std::set<std::string> slow;  // not slower than was told
    const Operations told = told_operations(io, kind);
    for (const json& file : query.done.at("files")) {
      if (file.at("operation") != kind) continue;
      if (file.at("max_ns").get<int64_t>() >= told.max_ns) slow.insert(base_name(file));
      add(sum, file);
    }
    expect_operations(told, sum, run_delay);
    EXPECT_GE(told.ns, query.ns(kind == "fsync" ? "fsync_ns" : "file_" + kind + "_ns"));
    const json& slowest = io.at(kind + "_max_file");
    if (sum.count == 0)
      EXPECT_TRUE(slowest.is_null());
    else
      EXPECT_TRUE(slowest.is_string() && slow.contains(slowest)) << slowest;
  }
  for (const json& told : io.at("files")) {
    SCOPED_TRACE(told.dump());
    EXPECT_TRUE(names.contains(told.at("file")));
    if (names.size() > kMostFiles) continue;
    std::map<std::string, Operations> sums = {{"read", {}}, {"write", {}}, {"fsync", {}}};
    for (const json& file : query.done.at("files"))
      if (base_name(file) == told.at("file")) add(sums[file.at("operation")], file);
    for (const auto& [kind, sum] : sums)
      expect_operations(told_operations(told, kind), sum, run_delay);
  }
}

bool can_see_files(const std::string& way) {
  static std::map<std::string, bool> known;
  const auto [found, is_new] = known.try_emplace(way, true);
  if (!is_new || way == "syscalls") return found->second;
  const TemporaryFolder folder;
  StubServer server(kBudgetShapes[0], {}, {folder.path()});
  DbtraceProcess dbtrace({"queries", "--budget", "--file-io", way, "-p", server.pid_text()});
  try {
    dbtrace.wait_until_attached();
  } catch (const std::runtime_error&) {
    found->second = false;
  }
  return found->second;
}

BudgetRun::BudgetRun(const std::string& shape, const std::vector<std::string>& plan,
                     const std::vector<std::string>& options,
                     const std::function<void()>& when_attached) {
  const TemporaryFolder folder;
  std::ofstream file(folder.path() / "plan");
  for (const std::string& line : plan) file << line << '\n';
  file.close();

  StubServer server(shape, {}, {folder.path()});
  std::vector<std::string> arguments = {"queries", "--budget", "--format",
                                        "json",    "-p",       server.pid_text()};
  arguments.insert(arguments.end(), options.begin(), options.end());
  DbtraceProcess dbtrace(arguments);
  dbtrace.wait_until_attached();
  if (when_attached) when_attached();
  server.run_script();
  EXPECT_EQ(dbtrace.stop(), 0);
  errors_ = dbtrace.errors();

  std::istringstream results(read_file(folder.path() / "results"));
  for (std::string line; std::getline(results, line);) {
    const json done = json::parse(line);
    if (done.at("conn").is_null())
      background_[done.at("thread")] = done;
    else
      queries_[done.at("conn")].push_back({.told = {}, .done = done});
  }
  std::map<uint64_t, size_t> seen;
  for (const json& told : dbtrace.queries()) {
    std::vector<BudgetedQuery>& queries = queries_[told.at("conn")];
    const size_t index = seen[told.at("conn")]++;
    EXPECT_LT(index, queries.size()) << told;
    if (index >= queries.size()) continue;
    EXPECT_EQ(told.at("query"), queries[index].done.at("text"));
    EXPECT_TRUE(told.contains("budget")) << told << '\n' << errors_;
    queries[index].told = told;
  }
  for (const auto& [connection, queries] : queries_)
    EXPECT_EQ(seen[connection], queries.size()) << "of " << connection << '\n' << errors_;
}

const std::vector<BudgetedQuery>& BudgetRun::of(uint64_t connection) const {
  return queries_.at(connection);
}

const BudgetedQuery& BudgetRun::one(uint64_t connection) const {
  EXPECT_EQ(of(connection).size(), 1u);
  return of(connection).front();
}

std::vector<BudgetedQuery> BudgetRun::all() const {
  std::vector<BudgetedQuery> all;
  for (const auto& [connection, queries] : queries_)
    all.insert(all.end(), queries.begin(), queries.end());
  return all;
}

}  // namespace dbtrace::testing
