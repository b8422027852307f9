#include "profiles/postgres/data_files.h"

#include <algorithm>
#include <span>

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

bool is_number(std::string_view text) {
  return !text.empty() && text.size() <= 10 &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

std::string_view find(std::span<const Known> table, std::string_view name) {
  const auto known = std::ranges::find(table, name, &Known::name);
  return known == table.end() ? std::string_view{} : known->content;
}

// "16397", "16397.1" (its second gigabyte), "16397_vm", "16397_vm.1"; "t3_16397" is a session's
// own table.
std::string relation(std::string_view folder, std::string_view name) {
  if (const size_t segment = name.find('.'); segment != std::string_view::npos) {
    if (!is_number(name.substr(segment + 1))) return {};
    name = name.substr(0, segment);
  }
  if (name.starts_with('t')) {
    const size_t end = name.find('_');
    return end != std::string_view::npos && is_number(name.substr(1, end - 1)) ? "temporary table"
                                                                               : "";
  }
  std::string_view fork;
  if (const size_t end = name.find('_'); end != std::string_view::npos) {
    fork = find(kForks, name.substr(end + 1));
    if (fork.empty()) return {};
    name = name.substr(0, end);
  }
  if (!is_number(name)) return {};
  std::string content(folder);
  content += '/';
  content += name;
  if (!fork.empty()) content.append(" (").append(fork).append(")");
  return content;
}

}  // namespace

std::string content_of_file(std::string_view folder, std::string_view name) {
  if (const std::string_view content = find(kFolders, folder); !content.empty())
    return std::string(content);
  if (const std::string_view content = find(kFiles, name); !content.empty())
    return std::string(content);
  if (folder.starts_with("pgsql_tmp") || name.starts_with("pgsql_tmp")) return "temporary file";
  if (folder == "global" || is_number(folder)) return relation(folder, name);
  return {};
}

}  // namespace dbtrace::profiles::postgres
