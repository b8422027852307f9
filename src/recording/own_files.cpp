#include "src/recording/own_files.h"

#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/types.h>

#include <string_view>

namespace dbtrace::recording {
namespace {

constexpr const char* kName = "dbtrace";

sqlite3_vfs& sqlites_own() {
  static sqlite3_vfs* const vfs = ::sqlite3_vfs_find("unix");
  return *vfs;
}

// One that is not there may be made.
bool is_regular_or_none(const char* name) {
  struct stat status {};
  return ::lstat(name, &status) != 0 || S_ISREG(status.st_mode);
}

int open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* opened) {
  constexpr int kNever = SQLITE_OPEN_WAL | SQLITE_OPEN_SUPER_JOURNAL;
  file->pMethods = nullptr;
  if ((flags & kNever) != 0 || (name && !is_regular_or_none(name))) return SQLITE_CANTOPEN;
  return sqlites_own().xOpen(&sqlites_own(), name, file, flags, opened);
}

int remove(sqlite3_vfs*, const char* name, int sync_folder) {
  if (!std::string_view(name).ends_with("-journal")) return SQLITE_IOERR_DELETE;
  return sqlites_own().xDelete(&sqlites_own(), name, sync_folder);
}

// Root's SQLite gives journals to the owner of their database.
int give_nothing_away(int, uid_t, gid_t) { return 0; }

bool register_once() {
  sqlite3_vfs& base = sqlites_own();
  (void)base.xSetSystemCall(&base, "fchown",
                            reinterpret_cast<sqlite3_syscall_ptr>(&give_nothing_away));
  static sqlite3_vfs guarded = base;
  guarded.pNext = nullptr;
  guarded.zName = kName;
  guarded.xOpen = open;
  guarded.xDelete = remove;
  return ::sqlite3_vfs_register(&guarded, 0) == SQLITE_OK;
}

}  // namespace

const char* own_files() {
  // Opening a file through a VFS that is not there fails.
  static const bool registered = register_once();
  (void)registered;
  return kName;
}

}  // namespace dbtrace::recording
