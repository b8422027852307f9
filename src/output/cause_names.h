// What the causes of a budget are called and how they are drawn: one table for all
// formats and commands.
#pragma once

#include <array>
#include <string_view>

#include "src/model/budget.h"

namespace dbtrace::output {

struct CauseName {
  model::Cause cause;
  std::string_view json_key;  // "file_read_ns"
  std::string_view slowlog;   // of an attribute that tools take for a time; for Lock: of all locks
  std::string_view label;     // for a person
  char letter;                // in a bar; all kinds of locks have the same
  std::string_view color;     // behind the letter

  // "file_read"
  [[nodiscard]] constexpr std::string_view name() const {
    return json_key.substr(0, json_key.size() - std::string_view("_ns").size());
  }
};

inline constexpr std::string_view kLockColor = "\x1b[30;41m";

// In the order of model::Cause.
inline constexpr std::array<CauseName, model::kCauses> kCauseNames = {{
    {model::Cause::OnCpu, "on_cpu_ns", "CPU_time", "cpu", 'C', "\x1b[30;42m"},
    {model::Cause::RunQueue, "runqueue_ns", "Runqueue_wait", "runq", 'Q', "\x1b[30;43m"},
    {model::Cause::FileRead, "file_read_ns", "File_read_wait", "read", 'R', "\x1b[30;46m"},
    {model::Cause::FileWrite, "file_write_ns", "File_write_wait", "write", 'W', "\x1b[30;44m"},
    {model::Cause::Fsync, "fsync_ns", "Fsync_wait", "fsync", 'F', "\x1b[30;104m"},
    {model::Cause::Lock, "lock_ns", "Lock_wait", "lock", 'L', kLockColor},
    {model::Cause::Network, "network_ns", "Network_wait", "net", 'N', "\x1b[30;45m"},
    {model::Cause::Sleep, "sleep_ns", "Sleep_wait", "sleep", 'Z', "\x1b[30;100m"},
    {model::Cause::Other, "other_ns", "Other_wait", "other", 'O', "\x1b[30;47m"},
    {model::Cause::RowLock, "row_lock_ns", "InnoDB_rec_lock_wait", "row lock", 'L', kLockColor},
    {model::Cause::MetadataLock, "metadata_lock_ns", "Metadata_lock_wait", "metadata lock", 'L',
     kLockColor},
    {model::Cause::TableLock, "table_lock_ns", "Table_lock_wait", "table lock", 'L', kLockColor},
    {model::Cause::UserLock, "user_lock_ns", "User_lock_wait", "user lock", 'L', kLockColor},
    {model::Cause::GlobalLock, "global_lock_ns", "Global_lock_wait", "global lock", 'L',
     kLockColor},
    {model::Cause::Binlog, "binlog_ns", "Binlog_wait", "binlog", 'L', kLockColor},
    {model::Cause::GroupCommit, "group_commit_ns", "Group_commit_wait", "group commit", 'L',
     kLockColor},
}};

// What no cause accounts for, drawn like one.
struct UnexplainedName {
  static constexpr std::string_view json_key = "unexplained_ns";
  static constexpr std::string_view slowlog = "Unexplained_time";
  static constexpr std::string_view label = "unexplained";
  static constexpr char letter = '?';
  static constexpr std::string_view color = "\x1b[30;103m";
};

[[nodiscard]] constexpr const CauseName& name_of(model::Cause cause) {
  return kCauseNames[static_cast<size_t>(cause)];
}

// Whether the cause is told as a part of all locks together.
[[nodiscard]] constexpr bool is_kind_of_lock(model::Cause cause) {
  return model::is_lock(cause) && cause != model::Cause::Lock;
}

static_assert([] {
  for (size_t i = 0; i < kCauseNames.size(); ++i)
    if (kCauseNames[i].cause != static_cast<model::Cause>(i)) return false;
  return true;
}());

}  // namespace dbtrace::output
