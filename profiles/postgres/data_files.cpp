#include "profiles/postgres/data_files.h"

#include <algorithm>
#include <span>

#include "profiles/postgres/number.h"

namespace dbtrace::profiles::postgres {
namespace {

struct Known {
  std::string_view name;
  std::string_view content;
};

// Folders all of whose files are the same to whoever waits for them.
constexpr Known kFolders[] = {
    {"pg_wal", "wal"},
    {"archive_status", "wal archive status"},
    {"pg_xact", "commit status"},
    {"pg_commit_ts", "commit timestamps"},
    {"pg_subtrans", "subtransactions"},
    {"members", "multixacts"},  // pg_multixact/members, pg_multixact/offsets
    {"offsets", "multixacts"},
    {"pg_serial", "serializable transactions"},
    {"pg_notify", "notifications"},
    {"pg_twophase", "prepared transactions"},
    {"pg_replslot", "replication slots"},
    {"pg_stat", "statistics"},
    {"pg_stat_tmp", "statistics"},
    {"pgsql_tmp", "temporary file"},
    {"snapshots", "logical snapshots"},
    {"mappings", "logical mappings"},
};

// Forks of a relation (src/common/relpath.c); the main one has no name.
constexpr Known kForks[] = {
    {"fsm", "free space map"},
    {"vm", "visibility map"},
    {"init", "initial copy"},
};

constexpr Known kFiles[] = {
    {"pg_control", "control file"},
    {"pg_filenode.map", "catalog's file numbers"},
    {"pg_internal.init", "catalog cache"},
    {"pgstat.stat", "statistics"},
    {"pg_stat_statements.stat", "statistics"},
    {"pgss_query_texts.stat", "statistics"},
    {"postmaster.pid", "lock file"},
};

std::string_view find(std::span<const Known> table, std::string_view name) {
  const auto known = std::ranges::find(table, name, &Known::name);
  return known == table.end() ? std::string_view{} : known->content;
}

// "t3_16397", without its fork: a session's own.
bool is_temporary(std::string_view name) {
  const size_t end = name.find('_');
  return name.starts_with('t') && end != std::string_view::npos &&
         number_of(name.substr(1, end - 1));
}

}  // namespace

std::optional<RelationFile> relation_file(std::string_view folder, std::string_view name) {
  const auto database = folder == "global" ? 0 : number_of(folder);
  if (const size_t segment = name.find('.'); segment != std::string_view::npos) {
    if (!number_of(name.substr(segment + 1))) return std::nullopt;
    name = name.substr(0, segment);
  }
  std::string_view fork;
  if (const size_t end = name.find('_'); end != std::string_view::npos) {
    fork = find(kForks, name.substr(end + 1));
    if (fork.empty()) return std::nullopt;
    name = name.substr(0, end);
  }
  const auto number = number_of(name);
  if (!database || !number) return std::nullopt;
  return RelationFile{.database = *database, .number = *number, .fork = fork};
}

std::string with_fork(std::string name, std::string_view fork) {
  if (!fork.empty()) name.append(" (").append(fork).append(")");
  return name;
}

std::string content_of_file(std::string_view folder, std::string_view name) {
  if (const std::string_view content = find(kFolders, folder); !content.empty())
    return std::string(content);
  if (const std::string_view content = find(kFiles, name); !content.empty())
    return std::string(content);
  if (folder.starts_with("pgsql_tmp") || name.starts_with("pgsql_tmp")) return "temporary file";
  if (const auto relation = relation_file(folder, name))
    return with_fork(std::string(folder) + '/' + std::to_string(relation->number), relation->fork);
  return number_of(folder) && is_temporary(name) ? "temporary table" : "";
}

}  // namespace dbtrace::profiles::postgres
