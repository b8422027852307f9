#include "src/code/exits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/code/aarch64_samples.h"
#include "tests/unit/code/x86_64_samples.h"

namespace dbtrace::code {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Kind = Exit::Kind;
using Code = std::vector<uint8_t>;

constexpr uint64_t kAddress = 0x1000;

Result<std::vector<Exit>> exits(const Code& code, Arch arch = Arch::X86_64) {
  const Part part{kAddress, code};
  return find_exits(arch, {&part, 1});
}

Result<std::vector<Exit>> exits(Arch arch, const Sample& sample) {
  const Part part{sample.address, sample.code};
  return find_exits(arch, {&part, 1});
}

void expect_refused(const Code& code, const std::string& reason, Arch arch = Arch::X86_64) {
  const auto found = exits(code, arch);
  ASSERT_FALSE(found) << found->size();
  EXPECT_EQ(found.error().message, reason);
}

auto leaves(uint64_t offset, Kind kind) {
  return ::testing::AllOf(::testing::Field(&Exit::address, kAddress + offset),
                          ::testing::Field(&Exit::kind, kind));
}

// ---- x86-64 ----

TEST(ExitsOnX86_64, RealAccessors) {
  const auto found = exits(Arch::X86_64, x86_64::mysql_security_context);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_THAT(*found, ElementsAre(Exit{.address = 0x1409875}, Exit{.address = 0x1409885}));
}

TEST(ExitsOnX86_64, EveryFormOfReturn) {
  const auto found = exits({0x85, 0xff,        // test edi, edi
                            0x74, 0x03,        // je to the ret 8
                            0xf3, 0xc3, 0x90,  // repz ret; nop
                            0xc2, 0x08, 0x00,  // ret 8
                            0xf2, 0xc3});      // bnd ret
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_THAT(*found, ElementsAre(leaves(4, Kind::Return), leaves(7, Kind::Return),
                                  leaves(10, Kind::Return)));
}

TEST(ExitsOnX86_64, TailCalls) {
  const auto found = exits({0x85, 0xff,                            // test edi, edi
                            0x74, 0x05,                            // je to the next jmp but one
                            0xe9, 0x00, 0x10, 0x00, 0x00,          // jmp far away
                            0xff, 0x25, 0x10, 0x00, 0x00, 0x00});  // jmp [rip+0x10]
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_THAT(*found, ElementsAre(leaves(4, Kind::Jump), leaves(9, Kind::Jump)));
}

TEST(ExitsOnX86_64, ConditionalTailCallsWithTheirCondition) {
  const auto found = exits({0x0f, 0x84, 0x00, 0x10, 0x00, 0x00,  // je far away
                            0x78, 0x70,                          // js, not so far
                            0xc3});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_THAT(*found,
              ElementsAre(Exit{.address = kAddress, .kind = Kind::Branch, .condition = 4},
                          Exit{.address = kAddress + 6, .kind = Kind::Branch, .condition = 8},
                          leaves(8, Kind::Return)));
}

TEST(ExitsOnX86_64, ComputedJumpsWithTheirComputation) {
  const auto found = exits({0x74, 0x14,                                // je to the last
                            0xff, 0xe0,                                // jmp rax
                            0x41, 0xff, 0xe3,                          // jmp r11
                            0xff, 0x60, 0x18,                          // jmp [rax+0x18]
                            0xff, 0x24, 0xd5, 0x00, 0x20, 0x40, 0x00,  // jmp [rdx*8+0x402000]
                            0x43, 0xff, 0x64, 0xcc, 0xf8,              // jmp [r12+r9*8-8]
                            0xc3});
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->size(), 6U);
  using Computation = Exit::Computation;
  EXPECT_EQ((*found)[0].to, (Computation{.base = 0}));
  EXPECT_EQ((*found)[1].to, (Computation{.base = 11}));
  EXPECT_EQ((*found)[2].to, (Computation{.base = 0, .in_memory = true, .displacement = 0x18}));
  EXPECT_EQ((*found)[3].to,
            (Computation{.index = 2, .scale = 8, .in_memory = true, .displacement = 0x402000}));
  EXPECT_EQ(
      (*found)[4].to,
      (Computation{.base = 12, .index = 9, .scale = 8, .in_memory = true, .displacement = -8}));
  for (size_t i = 0; i < 5; ++i) EXPECT_EQ((*found)[i].kind, Kind::ComputedJump) << i;
}

TEST(ExitsOnX86_64, JumpsInsideAreNone) {
  const auto found = exits({0x90,        // nop
                            0xff, 0xcf,  // dec edi
                            0x75, 0xfc,  // jne to the dec
                            0xeb, 0x01,  // jmp to the last ret
                            0xc3, 0xc3});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_THAT(*found, ElementsAre(leaves(7, Kind::Return), leaves(8, Kind::Return)));
  // A switch: the kernel would take no probe there, and none is needed.
  const auto dispatch = exits({0x3e, 0xff, 0xe0, 0xc3});
  ASSERT_TRUE(dispatch) << dispatch.error().message;
  EXPECT_THAT(*dispatch, ElementsAre(leaves(3, Kind::Return)));
}

TEST(ExitsOnX86_64, TheColdPartBelongsToIt) {
  const Code hot = {0x85, 0xff,                          // test edi, edi
                    0x0f, 0x84, 0xf8, 0x00, 0x00, 0x00,  // je to the cold part, 0x1100
                    0xc3};
  const Code cold = {0x31, 0xc0,                     // xor eax, eax
                     0xe9, 0x01, 0xff, 0xff, 0xff};  // jmp back to the ret, 0x1008
  std::vector<Part> parts = {{kAddress, hot}, {0x1100, cold}};
  const auto found = find_exits(Arch::X86_64, parts);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_THAT(*found, ElementsAre(leaves(8, Kind::Return)));
  // Not known, it is another function.
  parts.pop_back();
  const auto without = find_exits(Arch::X86_64, parts);
  ASSERT_TRUE(without) << without.error().message;
  EXPECT_THAT(*without, ElementsAre(leaves(2, Kind::Branch), leaves(8, Kind::Return)));
  // Its own exits count, and what is wrong with it is wrong with all.
  const Code returning = {0x31, 0xc0, 0xc3};
  parts.push_back({0x1100, returning});
  const auto both = find_exits(Arch::X86_64, parts);
  ASSERT_TRUE(both) << both.error().message;
  EXPECT_THAT(*both, ElementsAre(leaves(8, Kind::Return), leaves(0x102, Kind::Return)));
  const Code garbage = {0x31, 0xc0, 0x06, 0xc3};
  parts[1].bytes = garbage;
  EXPECT_EQ(find_exits(Arch::X86_64, parts).error().message,
            "an instruction at .cold+0x2 cannot be decoded");
}

TEST(ExitsOnX86_64, NothingInWhatCannotBeTrusted) {
  expect_refused({0x31, 0xc0, 0x06, 0xc3}, "an instruction at +0x2 cannot be decoded");
  // The last instruction goes on beyond the end.
  expect_refused({0xc3, 0x48, 0x8b}, "an instruction at +0x1 cannot be decoded");
  expect_refused({0x31, 0xc0}, "it runs on beyond its end");
  expect_refused({0xc3, 0x75, 0xfd}, "it runs on beyond its end");
  // The trick with the lock prefix: a jump over it.
  expect_refused({0x74, 0x01, 0xf0, 0x0f, 0xb1, 0x0f, 0xc3},
                 "+0x0 goes to the middle of an instruction");
  expect_refused({0xe8, 0xfc, 0xff, 0xff, 0xff, 0xc3}, "+0x0 goes to the middle of an instruction");
  expect_refused({}, "its code is not in the file");
  expect_refused({0x0f, 0x0b}, "it never returns");
  expect_refused({0x90, 0xeb, 0xfe}, "it never returns");
}

TEST(ExitsOnX86_64, NothingWhereALoopComesByTheEntryProbe) {
  const std::string reason =
      "it jumps back to its begin, where a round of that loop looks like a call";
  expect_refused({0xff, 0xcf, 0x75, 0xfc, 0xc3}, reason);
  // The probe sits on the push, and that is where the loop begins.
  const Code code = {0xf3, 0x0f, 0x1e, 0xfa, 0x55, 0x5d, 0xff, 0xcf, 0x75, 0xfa, 0xc3};
  const Part part{kAddress, code};
  EXPECT_TRUE(find_exits(Arch::X86_64, {&part, 1}, 0));
  const auto found = find_exits(Arch::X86_64, {&part, 1}, 4);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message, reason);
  // Recursion is no loop.
  EXPECT_TRUE(exits({0xe8, 0xfb, 0xff, 0xff, 0xff, 0xc3}));
}

TEST(ExitsOnX86_64, NothingInWhatCannotBeFollowed) {
  expect_refused({0xe3, 0x40, 0xc3}, "the conditional branch at +0x0 leaves it");  // jrcxz
  expect_refused({0xcb}, "it is left in an unusual way at +0x0");                  // retf
  expect_refused({0x64, 0xff, 0x20}, "it is left in an unusual way at +0x0");      // jmp fs:[rax]
  // The kernel takes no probe on a jump with an operand size prefix.
  const auto prefixed = exits({0x66, 0xff, 0xe0});
  EXPECT_FALSE(prefixed);
}

TEST(ExitsOnX86_64, NoReturnsInsideOtherInstructions) {
  const auto found = exits({0xb8, 0xc3, 0xc3, 0xc3, 0xc3,  // mov eax, 0xc3c3c3c3
                            0xc3,                          // ret
                            0x66, 0x90, 0xcc});            // what fills up
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_THAT(*found, ElementsAre(leaves(5, Kind::Return)));
}

// ---- AArch64 ----

Code words(std::initializer_list<uint32_t> instructions) {
  Code code;
  for (const uint32_t word : instructions)
    for (int shift = 0; shift < 32; shift += 8) code.push_back(static_cast<uint8_t>(word >> shift));
  return code;
}

TEST(ExitsOnAArch64, RealAccessors) {
  const auto found = exits(Arch::AArch64, aarch64::thread_id);
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->size(), 1U);
  EXPECT_EQ(found->front().kind, Kind::Return);
}

TEST(ExitsOnAArch64, ReturnsTailCallsAndComputedJumps) {
  const auto found = exits(words({0xb4000060,    // cbz x0, +12
                                  0xd65f03c0,    // ret
                                  0x14000400,    // b far away
                                  0x54000040,    // b.eq +8
                                  0xd61f0200,    // br x16
                                  0xd65f03c0}),  // ret
                           Arch::AArch64);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_THAT(*found, ElementsAre(leaves(4, Kind::Return), leaves(8, Kind::Jump),
                                  leaves(16, Kind::ComputedJump), leaves(20, Kind::Return)));
  EXPECT_EQ((*found)[2].to, (Exit::Computation{.base = 16}));
}

TEST(ExitsOnAArch64, NothingInWhatCannotBeTrustedOrFollowed) {
  expect_refused(words({0x00000000, 0xd65f03c0}), "an instruction at +0x0 cannot be decoded",
                 Arch::AArch64);
  expect_refused(words({0xb4010000, 0xd65f03c0}), "the conditional branch at +0x0 leaves it",
                 Arch::AArch64);
  expect_refused(words({0xd2800000}), "it runs on beyond its end", Arch::AArch64);
  expect_refused({0xc0, 0x03}, "an instruction at +0x0 cannot be decoded", Arch::AArch64);
  // retaa
  expect_refused(words({0xd65f0bff}), "the kernel takes no probe on its exit at +0x0",
                 Arch::AArch64);
}

}  // namespace
}  // namespace dbtrace::code
