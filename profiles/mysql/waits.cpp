#include "profiles/mysql/family.h"

namespace dbtrace::profiles::mysql {

WaitHooks wait_hooks() {
  // Numbers of enum _thd_wait_type_e; the same in MySQL 5.6–9 and MariaDB 10–12.
  return {.begin = "thd_wait_begin",
          .end = "thd_wait_end",
          .argument = 1,
          .waits = {Wait::Unknown, Wait::Sleep, Wait::FileRead, Wait::RowLock, Wait::GlobalLock,
                    Wait::MetadataLock, Wait::TableLock, Wait::UserLock, Wait::Binlog,
                    Wait::GroupCommit, Wait::Fsync, Wait::Network}};
}

}  // namespace dbtrace::profiles::mysql
