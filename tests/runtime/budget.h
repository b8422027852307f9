// What the tests of `dbtrace queries --budget` share: the stub whose queries do known
// things (fixtures/servers/README.md, "budget"), and what each of them really cost.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/runtime/dbtrace_process.h"
#include "tests/runtime/stub_server.h"

namespace dbtrace::testing {

// Budgets by cause, as JSON calls them: "on_cpu_ns", …; locks that the server named
// ("row_lock_ns", …) beside "lock_ns", which is all of them.
using Causes = std::map<std::string, int64_t>;

// A query as dbtrace told it and as the stub did it (its `results`).
struct BudgetedQuery {
  nlohmann::json told;
  nlohmann::json done;

  [[nodiscard]] int64_t ns(const std::string& cause) const;
  [[nodiscard]] int64_t unexplained_ns() const { return ns("unexplained_ns"); }
  [[nodiscard]] int64_t duration_ns() const { return told.at("duration_ns"); }
  [[nodiscard]] const nlohmann::json& blocker() const { return told.at("blocker"); }
  // What all steps of that name (or with that text) cost together.
  [[nodiscard]] int64_t step_ns(const std::string& step, const char* what = "wall_ns") const;
};

// Time that the steps were off the core, by the cause that it ought to be told as.
[[nodiscard]] Causes off_core(const nlohmann::json& done);

// Whether two times differ by no more than that.
void expect_near(int64_t told_ns, int64_t done_ns, int64_t tolerance_ns);
// The causes, without parts of others, and what is unexplained are the duration.
void expect_sum(const nlohmann::json& told);
// At most 1 % or 20 µs, whichever is more.
[[nodiscard]] bool is_explained(const nlohmann::json& told);
// That of each, and of all but one in a hundred that it is explained; prints how well.
void expect_explained(const std::vector<nlohmann::json>& told);
// The sum; on-CPU time; switches; and each cause, as the kernel's clocks have it. Does
// not hold for what is suspended, or inside of something else.
void expect_budget(const BudgetedQuery& query);
// The number of operations, bytes and blocks, exactly; their times roughly; the slowest
// one's file; and each file, if there are not too many.
void expect_io(const BudgetedQuery& query);

// Ways of --file-io that see operations, and whether this machine's kernel has them.
inline constexpr const char* kWaysToSeeFiles[] = {"fentry", "syscalls", "kprobe"};
[[nodiscard]] bool can_see_files(const std::string& way);

// One stub, traced while it carries out one plan.
class BudgetRun {
 public:
  // `shape`: "budget_mariadb/mariadbd" or "budget_mysql/mysqld". `plan`: its lines.
  BudgetRun(const std::string& shape, const std::vector<std::string>& plan,
            const std::vector<std::string>& options = {},
            const std::function<void()>& when_attached = {});

  // By connection, each in the order of their ends.
  [[nodiscard]] const std::vector<BudgetedQuery>& of(uint64_t connection) const;
  // The only one of that connection.
  [[nodiscard]] const BudgetedQuery& one(uint64_t connection) const;
  [[nodiscard]] std::vector<BudgetedQuery> all() const;
  // What background threads did, by name.
  [[nodiscard]] const nlohmann::json& background(const std::string& name) const {
    return background_.at(name);
  }
  // dbtrace's stderr.
  [[nodiscard]] const std::string& errors() const { return errors_; }

 private:
  std::map<uint64_t, std::vector<BudgetedQuery>> queries_;
  std::map<std::string, nlohmann::json> background_;
  std::string errors_;
};

inline constexpr const char* kBudgetShapes[] = {"budget_mariadb/mariadbd", "budget_mysql/mysqld"};

}  // namespace dbtrace::testing
