#include "profiles/postgres/process_names.h"

#include "profiles/postgres/number.h"

namespace dbtrace::profiles::postgres {
namespace {

// From 13 to 18 (src/backend/utils/init/miscinit.c, postmaster/, replication/). What follows is
// what they are at: a database, a file, a user.
constexpr std::string_view kNames[] = {
    "archiver",
    "autovacuum launcher",
    "autovacuum worker",
    "background writer",
    "checkpointer",
    "io worker",
    "logger",
    "logical replication apply worker",
    "logical replication launcher",
    "logical replication parallel apply worker",
    "logical replication tablesync worker",
    "logical replication worker",
    "slotsync worker",
    "startup",
    "stats collector",
    "walreceiver",
    "walsender",
    "walsummarizer",
    "walwriter",
};

bool takes_the_lead(std::string_view text, std::string_view name) {
  return text.starts_with(name) && (text.size() == name.size() || text[name.size()] == ' ');
}

std::string name_in(std::string_view text) {
  for (const std::string_view name : kNames) {
    if (!takes_the_lead(text, name)) continue;
    // One of several: its number belongs to it.
    const bool is_numbered = text.size() > name.size() && number_of(text.substr(name.size() + 1));
    return std::string(is_numbered ? text : name);
  }
  return {};
}

}  // namespace

std::string process_name(std::string_view title) {
  constexpr std::string_view kPrefix = "postgres: ", kEnd = ": ";
  if (!title.starts_with(kPrefix)) return {};
  title.remove_prefix(kPrefix.size());
  title = title.substr(0, title.find_last_not_of(' ') + 1);
  if (std::string name = name_in(title); !name.empty()) return name;
  const size_t cluster = title.find(kEnd);
  return cluster == std::string_view::npos ? std::string()
                                           : name_in(title.substr(cluster + kEnd.size()));
}

}  // namespace dbtrace::profiles::postgres
