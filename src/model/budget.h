// Where the time of a query went, what it did with files, and who kept it waiting. Plain
// values; all times in nanoseconds.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dbtrace::model {

// What a thread spends its time with: exactly one of them at every moment.
enum class Cause : uint8_t {
  OnCpu,
  RunQueue,  // could run, but every core was taken
  // Blocked, by the system call that the thread is in:
  FileRead,
  FileWrite,
  Fsync,
  Lock,  // a futex, and the server does not say what for
  Network,
  Sleep,
  Other,
  // Blocked, and the server says what for:
  RowLock,
  MetadataLock,
  TableLock,
  UserLock,  // GET_LOCK()
  GlobalLock,
  Binlog,
  GroupCommit,
};
inline constexpr size_t kCauses = 16;

// Whether a thread waits for another one's doing: all kinds of locks.
[[nodiscard]] constexpr bool is_lock(Cause cause) {
  return cause == Cause::Lock || cause >= Cause::RowLock;
}

// The causes and `unexplained_ns` add up to the query's duration.
struct Budget {
  std::array<uint64_t, kCauses> by_cause_ns{};
  uint64_t unexplained_ns = 0;
  uint32_t voluntary_switches = 0;
  uint32_t involuntary_switches = 0;

  [[nodiscard]] uint64_t ns(Cause cause) const { return by_cause_ns[static_cast<size_t>(cause)]; }
  // All kinds of locks together.
  [[nodiscard]] uint64_t lock_ns() const {
    uint64_t sum = 0;
    for (size_t i = 0; i < kCauses; ++i)
      if (is_lock(static_cast<Cause>(i))) sum += by_cause_ns[i];
    return sum;
  }
};

enum class FileOperation : uint8_t { Read, Write, Fsync };
inline constexpr size_t kFileOperations = 3;

// A file of the server: `name` without its folder, and what the server keeps in it:
// "schema.table", "redo", "binlog", …, or the name itself. Both empty: not known.
struct File {
  std::string name;
  std::string content;
  friend bool operator==(const File&, const File&) = default;
};

struct IoCount {
  uint64_t count = 0;
  uint64_t blocked = 0;  // of them: gave up the core, for the device or a lock
  uint64_t bytes = 0;
  uint64_t ns = 0;  // from begin to end, on-CPU time included
  uint64_t max_ns = 0;
};
using IoCounts = std::array<IoCount, kFileOperations>;

inline void add_to(IoCounts& sum, const IoCounts& other) {
  for (size_t i = 0; i < kFileOperations; ++i) {
    sum[i].count += other[i].count;
    sum[i].blocked += other[i].blocked;
    sum[i].bytes += other[i].bytes;
    sum[i].ns += other[i].ns;
    sum[i].max_ns = std::max(sum[i].max_ns, other[i].max_ns);
  }
}

struct FileIo {
  File file;
  IoCounts operations{};
};

struct Io {
  IoCounts operations{};                      // on all files
  std::array<File, kFileOperations> slowest;  // where the one of max_ns was
  std::vector<FileIo> files;                  // the heaviest, by time
};

// What a server says that it waits for, by the names that it has for it.
struct WaitEvent {
  std::string type;
  std::string event;
  friend auto operator<=>(const WaitEvent&, const WaitEvent&) = default;
};

struct NamedWait {
  WaitEvent event;
  uint64_t ns = 0;
  uint64_t waits = 0;
};

// A part of the budget: of the time that it was blocked.
struct NamedWaits {
  std::vector<NamedWait> waits;  // the heaviest, by time
  uint64_t others_ns = 0;
};

// The thread that ended the longest wait of a query for a lock.
struct Blocker {
  uint64_t waited_ns = 0;
  Cause cause = Cause::Lock;
  uint32_t pid = 0;
  uint32_t tid = 0;
  std::string thread;  // its name
  std::string title;   // of a process that runs no query: what it calls itself; empty: not known
  // In a transaction, and in no query: `query` is the last one.
  bool idle = false;
  // What it was at work on at that moment; none: a background thread.
  std::optional<uint64_t> connection_id;
  std::optional<std::string> query;  // raw bytes, perhaps cut
  uint64_t query_length = 0;         // the true length in bytes
};

}  // namespace dbtrace::model
