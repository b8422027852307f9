#include "src/report/about.h"

#include <string_view>

#include "src/output/counted.h"

namespace dbtrace::report {
namespace {

using output::counted;

// By the counters' names.
struct Loss {
  std::string_view counter;
  std::string_view one;
  std::string_view what;
  std::string_view meaning;
};
constexpr std::string_view kUnseen = "counts and times are too low by these, of unknown kind";
constexpr Loss kLosses[] = {
    {"lost_ring_full", "command", "lost: dbtrace was too slow to take them", kUnseen},
    {"lost_map_full", "command", "lost: the kernel had no room for them", kUnseen},
    {"lost_orphaned", "command", "lost: their begin or their end was not seen", kUnseen},
    {"lost_nested_too_deeply", "command", "lost: nested too deeply", kUnseen},
    {"lost_malformed", "command", "lost: could not be decoded", kUnseen},
    {"lost_not_written", "command", "lost: the disk was too slow", kUnseen},
    {"texts_unreadable", "text", "could not be read", "counted, but of no known kind"},
    {"texts_cut_short", "text", "cut short", "may be of another kind than they seem"},
    {"budgets_lost", "budget", "lost, whole or in part", "shares of time are of the other queries"},
    {"file_operations_missed", "file operation", "missed", "I/O is too low by these"},
    {"stacks_lost", "stack", "lost", "flame graphs are of the others"},
    {"stacks_not_taken", "stack", "not taken, to keep the cost low",
     "flame graphs are of the others"},
};

}  // namespace

std::string described(const recording::ServerNote& server) {
  std::string text = server.title;
  if (server.version) text += ' ' + *server.version;
  text += " (";
  if (server.pid) text += "pid " + std::to_string(*server.pid) + ", ";
  text += server.executable;
  if (server.data) text += ", " + *server.data;
  return text + ')';
}

std::vector<Remark> remarks_on(const About& about) {
  std::vector<Remark> remarks;
  if (!about.finished)
    remarks.push_back({"cut off, or still being written", "later queries are not in it"});
  for (const Loss& loss : kLosses) {
    const auto counter = about.counters.find(std::string(loss.counter));
    if (counter == about.counters.end() || counter->second == 0) continue;
    remarks.push_back({counted(counter->second, loss.one) + ' ' + std::string(loss.what),
                       std::string(loss.meaning)});
  }
  if (about.sampled)
    remarks.push_back(
        {counted(about.summed_up, "query", "queries") + " in sums only (--max-rate)",
         "kinds and times are exact; tables, waits, blockers and slow queries are of the rest"});
  return remarks;
}

}  // namespace dbtrace::report
