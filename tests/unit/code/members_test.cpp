// Members out of the accessors of real servers (x86-64) and of stand-ins
// (AArch64). The expected offsets were read from the disassembly beside the
// bytes, and those of the servers tried with a debugger.
#include "src/code/members.h"

#include <gtest/gtest.h>

#include "tests/unit/code/aarch64_samples.h"
#include "tests/unit/code/x86_64_samples.h"

namespace dbtrace::code {
namespace {

std::vector<Path> x86(const Sample& sample) { return trace(Arch::X86_64, sample); }
std::vector<Path> arm(const Sample& sample) { return trace(Arch::AArch64, sample); }

constexpr uint64_t kMyFree = 0x277d200;          // my_free, as mysql_set_db calls it
constexpr uint64_t kSetQuerySource = 0x1198fa0;  // PROFILING::set_query_source
constexpr uint64_t kSetStatement = 0x7d39a0;     // Statement::set_statement of MariaDB
constexpr uint64_t kSetStatement56 = 0x6b5510;   // and of MySQL 5.6

TEST(ReturnedMember, Number) {
  EXPECT_EQ(returned_member(x86(x86_64::mysql_thread_id)),
            (MemberPath{.last = 0x25d0, .width = 4}));
  EXPECT_EQ(returned_member(x86(x86_64::mariadb_thread_id)), (MemberPath{.last = 0x3f18}));
  EXPECT_EQ(returned_member(x86(x86_64::mariadb_error_number)),
            (MemberPath{.loads = {0x62e0}, .last = 8, .width = 4}));
  EXPECT_EQ(returned_member(arm(aarch64::thread_id)), (MemberPath{.last = 9680, .width = 4}));
  EXPECT_EQ(returned_member(arm(aarch64::error_number)),
            (MemberPath{.loads = {32768}, .last = 668, .width = 4}));
}

TEST(ReturnedMember, PairInTwoRegisters) {
  EXPECT_EQ(returned_member(x86(x86_64::mysql_user)), (MemberPath{.last = 0, .pair = true}));
  EXPECT_EQ(returned_member(x86(x86_64::mysql_host)), (MemberPath{.last = 0x20, .pair = true}));
  EXPECT_EQ(returned_member(arm(aarch64::user)), (MemberPath{.last = 56, .pair = true}));
}

TEST(ReturnedMember, IgnoresTheDefaultOfANullCheck) {
  EXPECT_EQ(returned_member(x86(x86_64::mariadb_user_name)),
            (MemberPath{.loads = {0x25f8}, .last = 8}));
  EXPECT_EQ(returned_member(x86(x86_64::mariadb_client_host)),
            (MemberPath{.loads = {0x25f8}, .last = 0}));
  EXPECT_EQ(returned_member(arm(aarch64::user_name)), (MemberPath{.loads = {6144}, .last = 8}));
  EXPECT_EQ(returned_member(arm(aarch64::client_host)), (MemberPath{.loads = {6144}, .last = 0}));
}

TEST(ReturnedMember, Address) {
  EXPECT_EQ(returned_member(x86(x86_64::mariadb_current_db)),
            (MemberPath{.last = 0xa0, .address_only = true}));
  EXPECT_EQ(returned_member(x86(x86_64::mariadb_query_string)),
            (MemberPath{.last = 0x68, .address_only = true}));
  EXPECT_EQ(returned_member(arm(aarch64::query_string)),
            (MemberPath{.last = 80, .address_only = true}));
}

TEST(ReturnedMember, NothingWhenPathsDisagree) {
  const std::vector<uint8_t> code = {
      0x85, 0xf6,              // test esi, esi
      0x74, 0x05,              // je +5
      0x48, 0x8b, 0x47, 0x10,  // mov rax, [rdi+0x10]
      0xc3,                    // ret
      0x48, 0x8b, 0x47, 0x18,  // mov rax, [rdi+0x18]
      0xc3,                    // ret
  };
  EXPECT_EQ(returned_member(trace_values(Arch::X86_64, code, 0)), std::nullopt);
}

TEST(ReturnedMember, NothingWhenAPathIsNotUnderstood) {
  const std::vector<uint8_t> code = {
      0x85, 0xf6,              // test esi, esi
      0x74, 0x05,              // je +5
      0x48, 0x8b, 0x47, 0x10,  // mov rax, [rdi+0x10]
      0xc3,                    // ret
      0x48, 0x0f, 0xaf, 0xc7,  // imul rax, rdi
      0xc3,                    // ret
  };
  EXPECT_EQ(returned_member(trace_values(Arch::X86_64, code, 0)), std::nullopt);
}

TEST(ReturnedMember, NothingFromOtherFunctions) {
  EXPECT_EQ(returned_member(x86(x86_64::mysql_set_sent_row_count)), std::nullopt);
  EXPECT_EQ(returned_member(x86(x86_64::mysql_is_error)), std::nullopt);
  EXPECT_EQ(returned_member({}), std::nullopt);
}

TEST(StoredThrough, OutArgument) {
  EXPECT_EQ(stored_through(x86(x86_64::mysql_security_context), 1), (MemberPath{.last = 0x1800}));
  EXPECT_EQ(stored_through(arm(aarch64::security_context), 1), (MemberPath{.last = 6144}));
  EXPECT_EQ(stored_through(x86(x86_64::mysql_security_context), 2), std::nullopt);
}

TEST(StoreOf, Argument) {
  EXPECT_EQ(store_of(x86(x86_64::mysql_set_sent_row_count), 1), (MemberPath{.last = 0x22a0}));
  EXPECT_EQ(store_of(x86(x86_64::mysql_set_error_status), 1),
            (MemberPath{.last = 0x29c, .width = 4}));
  EXPECT_EQ(store_of(arm(aarch64::set_sent_row_count), 1), (MemberPath{.last = 8864}));
  EXPECT_EQ(store_of(arm(aarch64::set_error_status), 1), (MemberPath{.last = 668, .width = 4}));
}

TEST(StoreOf, ArgumentInAnotherObject) {
  const auto paths = x86(x86_64::mysql56_restore_security_context);
  EXPECT_EQ(store_of(paths, 2, 1), (MemberPath{.last = 0x1108}));
  EXPECT_EQ(store_of(paths, 2), std::nullopt);
  EXPECT_EQ(store_of(paths, 1, 1), std::nullopt);
}

TEST(StoreOf, NothingInAnOverloadThatOnlyPassesItOn) {
  EXPECT_EQ(store_of(x86(x86_64::mysql_set_error_status_of_thd), 1), std::nullopt);
  EXPECT_EQ(store_of(x86(x86_64::mysql_set_error_status_of_thd), 2), std::nullopt);
}

TEST(FirstStore, OfACounter) {
  EXPECT_EQ(first_store(x86(x86_64::mysql_inc_sent_row_count)), (MemberPath{.last = 0x22a0}));
  EXPECT_EQ(first_store(x86(x86_64::mariadb_inc_examined_row_count)), (MemberPath{.last = 0x3ba0}));
  EXPECT_EQ(first_store(arm(aarch64::inc_examined_row_count)), (MemberPath{.last = 8872}));
  EXPECT_EQ(first_store(x86(x86_64::mysql_user)), std::nullopt);
}

TEST(ComparedObject, BehindAPointer) {
  EXPECT_EQ(compared_object(x86(x86_64::mysql_is_error)), (MemberPath{.last = 0x33a0}));
  EXPECT_EQ(compared_object(arm(aarch64::is_error)), (MemberPath{.last = 32768}));
  // A null check compares with zero, and a member of the object itself is no
  // other object.
  EXPECT_EQ(compared_object(x86(x86_64::mariadb_user_name)), std::nullopt);
  EXPECT_EQ(compared_object(x86(x86_64::mysql_set_error_status)), std::nullopt);
}

TEST(CallArgument, OfACallThroughAPointer) {
  const auto paths = x86(x86_64::mariadb11_ps_report_examined_row_count);
  EXPECT_EQ(call_argument(paths, 0, 1), (MemberPath{.last = 0x3cd0}));
  EXPECT_EQ(call_argument(paths, 0x288, 1), std::nullopt);
}

TEST(CallArgument, OfThis) {
  EXPECT_EQ(call_argument(x86(x86_64::mysql_set_db), kMyFree, 0), (MemberPath{.last = 0x558}));
  EXPECT_EQ(call_argument(arm(aarch64::set_db), aarch64::kMyFree, 0), (MemberPath{.last = 1368}));
  EXPECT_EQ(call_argument(x86(x86_64::mysql_set_db), kMyFree + 1, 0), std::nullopt);
  EXPECT_EQ(call_argument(x86(x86_64::mysql_set_db), kMyFree, 6), std::nullopt);
}

TEST(CallArgument, OfAnyObject) {
  const MemberPath text{.last = 0x250, .pair = true};
  EXPECT_EQ(call_argument(x86(x86_64::mysql_stmt_execute), kSetQuerySource, 1, kAnyObject), text);
  EXPECT_EQ(call_argument(arm(aarch64::stmt_execute), aarch64::kSetQuerySource, 1, kAnyObject),
            text);
  EXPECT_EQ(call_argument(arm(aarch64::stmt_execute), aarch64::kSetQuerySource, 1), std::nullopt);
}

TEST(CallArgument, OfTheResultOfALookUp) {
  const std::vector<uint8_t> code = {
      0x55,                          // push rbp
      0xe8, 0x00, 0x10, 0x00, 0x00,  // call (the look-up)
      0x48, 0x8b, 0x70, 0x30,        // mov rsi, [rax+0x30]
      0x48, 0x8b, 0x50, 0x38,        // mov rdx, [rax+0x38]
      0xe8, 0xed, 0x1f, 0x00, 0x00,  // call 0x2000
      0xc3,                          // ret
  };
  EXPECT_EQ(call_argument(trace_values(Arch::X86_64, code, 0), 0x2000, 1, kAnyObject),
            (MemberPath{.last = 0x30, .pair = true}));
}

TEST(CallArgument, OffsetOfABaseClass) {
  EXPECT_EQ(call_argument(x86(x86_64::mariadb_set_statement), kSetStatement, 0),
            (MemberPath{.last = 0, .address_only = true}));
  EXPECT_EQ(call_argument(x86(x86_64::mysql56_set_statement), kSetStatement56, 0),
            (MemberPath{.last = 8, .address_only = true}));
  EXPECT_EQ(call_argument(arm(aarch64::set_statement), aarch64::kSetStatement, 0),
            (MemberPath{.last = 8, .address_only = true}));
}

TEST(Compose, ThroughAPointer) {
  const auto user = compose(*stored_through(x86(x86_64::mysql_security_context), 1),
                            *returned_member(x86(x86_64::mysql_host)));
  EXPECT_EQ(user, (MemberPath{.loads = {0x1800}, .last = 0x20, .pair = true}));
  const auto error = compose(*compared_object(x86(x86_64::mysql_is_error)),
                             *store_of(x86(x86_64::mysql_set_error_status), 1));
  EXPECT_EQ(error, (MemberPath{.loads = {0x33a0}, .last = 0x29c, .width = 4}));
}

TEST(Compose, ThroughAnEmbeddedObject) {
  const MemberPath embedded{.loads = {0x10}, .last = 0x20, .address_only = true};
  EXPECT_EQ(compose(embedded, {.last = 4, .width = 4}),
            (MemberPath{.loads = {0x10}, .last = 0x24, .width = 4}));
  EXPECT_EQ(compose(embedded, {.loads = {8}, .last = 4}),
            (MemberPath{.loads = {0x10, 0x28}, .last = 4}));
}

TEST(Compose, NotThroughANumber) {
  EXPECT_EQ(compose({.last = 8, .width = 4}, {.last = 0}), std::nullopt);
}

TEST(FromPart, SubtractsFromTheFirstStep) {
  const auto text = returned_member(x86(x86_64::mysql56_query_string));
  ASSERT_TRUE(text);
  EXPECT_EQ(from_part(*text, 8), (MemberPath{.last = 0x48, .address_only = true}));
  EXPECT_EQ(from_part({.loads = {0x18}, .last = 4}, 8), (MemberPath{.loads = {0x10}, .last = 4}));
}

TEST(ReadMember, CountsThoseOfTheObject) {
  const auto paths = x86(x86_64::mariadb_start_utime);
  EXPECT_EQ(read_member(paths, 0), (MemberPath{.last = 0x27e8}));
  EXPECT_EQ(read_member(paths, 1), (MemberPath{.last = 0x27f0}));
  EXPECT_EQ(read_member(paths, 2), std::nullopt);
}

TEST(FirstComputedStore, PassesConstantsBy) {
  EXPECT_EQ(first_computed_store(x86(x86_64::mysql_set_time)), (MemberPath{.last = 0x19f0}));
}

TEST(FirstComputedStore, NothingWhenTheSameIsStoredTwice) {
  const std::vector<uint8_t> code = {
      0x53,                       // push rbx
      0x48, 0x89, 0xfb,           // mov rbx, rdi
      0xe8, 0,    0x10, 0,    0,  // call
      0x48, 0x89, 0x43, 0x10,     // mov [rbx+0x10], rax
      0x48, 0x89, 0x43, 0x18,     // mov [rbx+0x18], rax
      0x5b, 0xc3,                 // pop rbx; ret
  };
  EXPECT_EQ(first_computed_store(trace_values(Arch::X86_64, code, 0)), std::nullopt);
}

TEST(ReturnedThreadLocal, IsADistanceFromTheThreadPointer) {
  EXPECT_EQ(returned_thread_local(x86(x86_64::mariadb_current_thd)), -0x68);
  const std::vector<uint8_t> direct = {0x64, 0x48, 0x8b, 0x04, 0x25,
                                       0xf8, 0xff, 0xff, 0xff, 0xc3};  // mov rax, fs:[-8]; ret
  EXPECT_EQ(returned_thread_local(trace_values(Arch::X86_64, direct, 0)), -8);
}

TEST(ReturnedThreadLocal, IsNothingElse) {
  EXPECT_EQ(returned_thread_local(x86(x86_64::mysql_thread_id)), std::nullopt);
  EXPECT_EQ(returned_thread_local(x86(x86_64::mariadb_query_string)), std::nullopt);
}

}  // namespace
}  // namespace dbtrace::code
