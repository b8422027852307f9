#include "src/commands/doctor/canary_checks.h"

#include <fmt/format.h>

#include <numeric>
#include <string_view>

namespace dbtrace::commands {
namespace {

using enum CheckState;

constexpr std::string_view kWrong = "dbtrace does not tell the truth of this server";
constexpr std::string_view kReport = "please report it with the output of --explain";

// Exact: a proof shows its figures.
std::string shown(uint64_t ns) { return fmt::format("{:.3f} ms", static_cast<double>(ns) / 1e6); }

Check judge(std::string subject, bool right, std::string found) {
  if (right) return {std::move(subject), Ok, std::move(found)};
  return {std::move(subject), Missing, std::move(found), std::string(kWrong), std::string(kReport)};
}

Check unknown(std::string subject) {
  return {subject, Degraded, "not told", fmt::format("{} is not shown", subject)};
}

template <typename Value>
Check equal(std::string subject, const std::optional<Value>& told, const Value& right) {
  if (!told) return unknown(std::move(subject));
  if (*told == right) return judge(std::move(subject), true, fmt::format("{}", *told));
  return judge(std::move(subject), false, fmt::format("{}, but it is {}", *told, right));
}

std::optional<std::string> as_text(const std::optional<uint64_t>& number) {
  return number ? std::optional(fmt::format("{}", *number)) : std::nullopt;
}

Check duration(const Sung& sung, uint64_t told_ns) {
  return judge("duration", told_ns >= sung.asked_ns && told_ns <= sung.took_ns,
               fmt::format("{}; the statement sleeps {}, its client waited {}", shown(told_ns),
                           shown(sung.asked_ns), shown(sung.took_ns)));
}

Check budget(const Sung& sung, const model::Query& heard) {
  if (!sung.budget)
    return {"budget", Degraded, "not asked for: the kernel's scheduler cannot be seen", "--budget"};
  if (!heard.budget) return judge("budget", false, "none was told");
  const model::Budget& told = *heard.budget;
  const uint64_t sum =
      std::accumulate(told.by_cause_ns.begin(), told.by_cause_ns.end(), told.unexplained_ns);
  const uint64_t slept = told.ns(model::Cause::Sleep);
  const uint64_t gap = sum > heard.duration_ns ? sum - heard.duration_ns : heard.duration_ns - sum;
  // A little of the statement is no sleep yet, or the sleep's end has come and the core has not.
  const bool is_sleep = slept >= sung.asked_ns / 10 * 9;
  return judge("budget", gap <= heard.duration_ns / 100 && is_sleep,
               fmt::format("its parts are {} of {}, {} of it slept", shown(sum),
                           shown(heard.duration_ns), shown(slept)));
}

}  // namespace

std::vector<Check> canary_checks(const Sung& sung, const std::optional<model::Query>& heard) {
  if (!heard)
    return {{"canary", Missing,
             fmt::format("its statement was not seen; connection {} ran it", sung.connection_id),
             "nothing was proved",
             "does the connection lead to this server? --socket and --host say where to"}};
  const std::string& text = heard->text;
  return {
      judge("text", text == sung.text,
            text == sung.text ? text : fmt::format("{}, but it is {}", text, sung.text)),
      equal("connection", as_text(heard->connection_id), sung.connection_id),
      equal("user", heard->user, sung.user),
      duration(sung, heard->duration_ns),
      equal("rows", heard->rows_sent, sung.rows),
      budget(sung, *heard),
  };
}

}  // namespace dbtrace::commands
