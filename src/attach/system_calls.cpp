#include "src/attach/system_calls.h"

#include <sys/syscall.h>

namespace dbtrace::attach {
namespace {

struct SystemCall {
  unsigned number;
  uint16_t meaning;
};

constexpr uint16_t operation(dbt_file_operation kind) {
  return static_cast<uint16_t>((kind + 1) << DBT_CALL_OPERATION_SHIFT);
}

constexpr uint16_t kRead = DBT_CAUSE_FILE_READ | DBT_CALL_BY_FILE | operation(DBT_FILE_READ);
constexpr uint16_t kWrite = DBT_CAUSE_FILE_WRITE | DBT_CALL_BY_FILE | operation(DBT_FILE_WRITE);
constexpr uint16_t kSync = DBT_CAUSE_FSYNC | operation(DBT_FILE_SYNC);
constexpr uint16_t kAt = DBT_CALL_OFFSET;
constexpr uint16_t kNetwork = DBT_CAUSE_NETWORK;
constexpr uint16_t kPoll = DBT_CAUSE_NETWORK | DBT_CALL_SERVER_KNOWS;
constexpr uint16_t kSleep = DBT_CAUSE_SLEEP | DBT_CALL_SERVER_KNOWS;
constexpr uint16_t kFutex = DBT_CAUSE_LOCK | DBT_CALL_SERVER_KNOWS | DBT_CALL_WAKES;

// Calls that glibc and the servers make. The newer architectures have only the
// general one of several similar calls, so that some are missing there.
constexpr SystemCall kCalls[] = {
    {SYS_read, kRead},
    {SYS_readv, kRead},
    {SYS_pread64, kRead | kAt},
    {SYS_preadv, kRead | kAt},
    {SYS_preadv2, kRead | kAt},
    {SYS_write, kWrite},
    {SYS_writev, kWrite},
    {SYS_pwrite64, kWrite | kAt},
    {SYS_pwritev, kWrite | kAt},
    {SYS_pwritev2, kWrite | kAt},
    {SYS_fsync, kSync},
    {SYS_fdatasync, kSync},
    {SYS_sync_file_range, kSync},
    {SYS_sync, DBT_CAUSE_FSYNC},
    {SYS_syncfs, DBT_CAUSE_FSYNC},
    {SYS_msync, DBT_CAUSE_FSYNC},
    {SYS_fallocate, DBT_CAUSE_FILE_WRITE | DBT_CALL_BY_FILE},
    {SYS_ftruncate, DBT_CAUSE_FILE_WRITE | DBT_CALL_BY_FILE},
    {SYS_sendfile, kNetwork},
    {SYS_recvfrom, kNetwork},
    {SYS_recvmsg, kNetwork},
    {SYS_recvmmsg, kNetwork},
    {SYS_sendto, kNetwork},
    {SYS_sendmsg, kNetwork},
    {SYS_sendmmsg, kNetwork},
    {SYS_connect, kNetwork},
    {SYS_accept, kNetwork},
    {SYS_accept4, kNetwork},
    {SYS_ppoll, kPoll},
    {SYS_pselect6, kPoll},
    {SYS_epoll_pwait, kPoll},
#ifdef SYS_epoll_pwait2
    {SYS_epoll_pwait2, kPoll},
#endif
#ifdef SYS_poll
    {SYS_poll, kPoll},
    {SYS_select, kPoll},
    {SYS_epoll_wait, kPoll},
#endif
    {SYS_nanosleep, kSleep},
    {SYS_clock_nanosleep, kSleep},
#ifdef SYS_pause
    {SYS_pause, kSleep},
#endif
    {SYS_futex, kFutex},
    {SYS_kill, DBT_CALL_WAKES},  // latches: a signal that is waited for
    {SYS_io_submit, DBT_CALL_SUBMITS},
    {SYS_io_getevents, DBT_CALL_COLLECTS},
    {SYS_io_pgetevents, DBT_CALL_COLLECTS},
};

}  // namespace

std::array<uint16_t, DBT_SYSTEM_CALLS_MAX> system_calls() {
  std::array<uint16_t, DBT_SYSTEM_CALLS_MAX> calls{};
  for (const SystemCall& call : kCalls) calls.at(call.number) = call.meaning;
  return calls;
}

}  // namespace dbtrace::attach
