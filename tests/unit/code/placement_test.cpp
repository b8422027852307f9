#include "src/code/placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/code/aarch64_samples.h"
#include "tests/unit/code/x86_64_samples.h"

namespace dbtrace::code {
namespace {

using ::testing::AnyOf;

std::optional<Placement> place(const std::vector<uint8_t>& code) {
  return place_probe(Arch::X86_64, code);
}

void expect_place(const std::vector<uint8_t>& code, uint32_t delta, const std::string& instruction,
                  bool emulated) {
  const auto placement = place(code);
  ASSERT_TRUE(placement);
  EXPECT_EQ(placement->delta, delta);
  EXPECT_EQ(placement->instruction, instruction);
  EXPECT_EQ(placement->emulated, emulated);
}

TEST(PlaceOnX86_64, RealServers) {
  expect_place(x86_64::mysql_dispatch_command.code, 4, "push rbp", true);
  expect_place(x86_64::mariadb_dispatch_command.code, 0, "push rbp", true);
}

TEST(PlaceOnX86_64, PushOfAHighRegister) {
  expect_place({0xf3, 0x0f, 0x1e, 0xfa, 0x41, 0x57, 0xc3}, 4, "push r15", true);
}

TEST(PlaceOnX86_64, SkipsWhatLeavesArgumentsAndStackAlone) {
  expect_place({0x31, 0xc0,              // xor eax, eax
                0x48, 0x89, 0xfb,        // mov rbx, rdi
                0x48, 0x8d, 0x46, 0x08,  // lea rax, [rsi+8]
                0x55, 0xc3},             // push rbp; ret
               9, "push rbp", true);
}

TEST(PlaceOnX86_64, StaysBeforeAChangedArgument) {
  expect_place({0xf3, 0x0f, 0x1e, 0xfa,  // endbr64
                0x89, 0xf2,              // mov edx, esi
                0x55, 0xc3},             // push rbp; ret
               0, "endbr64", false);
  expect_place({0x41, 0xb0, 0x01, 0x55, 0xc3}, 0, "mov r8b, 1", false);
}

TEST(PlaceOnX86_64, StaysBeforeAChangedStack) {
  expect_place({0x48, 0x83, 0xec, 0x18, 0x55, 0xc3}, 0, "sub rsp, 0x18", false);
  expect_place({0x5b, 0x55, 0xc3}, 0, "pop rbx", false);
}

TEST(PlaceOnX86_64, StaysBeforeAStore) {
  expect_place({0xc6, 0x07, 0x00, 0x55, 0xc3}, 0, "mov byte ptr [rdi], 0", false);
  expect_place({0x0f, 0x11, 0x07, 0x55, 0xc3}, 0, "movups xmmword ptr [rdi], xmm0", false);
}

TEST(PlaceOnX86_64, StaysBeforeACallAndAReturn) {
  expect_place({0x48, 0x89, 0xf8, 0xe8, 0, 0, 0, 0, 0x55}, 0, "mov rax, rdi", false);
  expect_place({0xc3, 0x55}, 0, "ret", false);
}

TEST(PlaceOnX86_64, NopAndJump) {
  expect_place({0x90, 0x55, 0xc3}, 0, "nop", true);
  expect_place({0x48, 0x85, 0xf6, 0x74, 0x10, 0xc3}, 3, "je 0x15", true);
  // Not a plain nop to the kernel.
  expect_place({0xf3, 0x90, 0x48, 0x83, 0xec, 0x08, 0xc3}, 0, "pause", false);
}

TEST(PlaceOnX86_64, NotWhereALoopComesBy) {
  expect_place({0xf3, 0x0f, 0x1e, 0xfa,  // endbr64
                0x55,                    // push rbp
                0x85, 0xff,              // test edi, edi
                0x75, 0xfb,              // jne to the push
                0xc3},
               0, "endbr64", false);
  expect_place({0x31, 0xc0,        // xor eax, eax
                0x48, 0x89, 0xfb,  // mov rbx, rdi
                0x55,              // push rbp
                0xeb, 0xfa},       // jmp to the mov
               0, "xor eax, eax", false);
  // Back to a place behind the probe: harmless.
  expect_place({0xf3, 0x0f, 0x1e, 0xfa, 0x55, 0x85, 0xff, 0x75, 0xfc, 0xc3}, 4, "push rbp", true);
}

TEST(PlaceOnX86_64, NotWhatTheKernelRefuses) {
  EXPECT_EQ(place({0xf0, 0xff, 0x07, 0xc3}), std::nullopt);  // lock inc dword ptr [rdi]
  EXPECT_EQ(place({0xcc, 0x55}), std::nullopt);              // int3
  EXPECT_EQ(place({0xf4, 0x55}), std::nullopt);              // hlt
  // A hot-patch nop with an operand size prefix: refused itself, but passable.
  expect_place({0x66, 0x90, 0x55, 0xc3}, 2, "push rbp", true);
}

TEST(PlaceOnX86_64, NothingInGarbage) {
  EXPECT_EQ(place({}), std::nullopt);
  EXPECT_EQ(place({0x06, 0x06, 0x06}), std::nullopt);          // invalid in 64-bit mode
  EXPECT_EQ(place({0x48, 0x8b}), std::nullopt);                // cut short
  expect_place({0x31, 0xc0, 0x06}, 0, "xor eax, eax", false);  // garbage later on
}

TEST(PlaceOnAArch64, AlwaysTheFirstInstruction) {
  const auto hint = place_probe(Arch::AArch64, aarch64::set_error_status.code);
  ASSERT_TRUE(hint);
  EXPECT_EQ(hint->delta, 0u);
  EXPECT_THAT(hint->instruction, AnyOf("hint #0x19", "paciasp"));  // Capstone 4, Capstone 5
  EXPECT_FALSE(hint->emulated);

  const auto branch = place_probe(Arch::AArch64, std::vector<uint8_t>{0x40, 0x00, 0x00, 0xb4});
  ASSERT_TRUE(branch);
  EXPECT_EQ(branch->instruction, "cbz x0, #8");
  EXPECT_TRUE(branch->emulated);
}

TEST(PlaceOnAArch64, NothingInGarbage) {
  EXPECT_EQ(place_probe(Arch::AArch64, std::vector<uint8_t>{0, 0, 0, 0}), std::nullopt);
  EXPECT_EQ(place_probe(Arch::AArch64, std::vector<uint8_t>{0xc0, 0x03}), std::nullopt);
  EXPECT_EQ(place_probe(Arch::AArch64, {}), std::nullopt);
}

}  // namespace
}  // namespace dbtrace::code
