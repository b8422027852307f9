// How AArch64 instructions move values. The words are llvm-mc's of the
// assembly beside them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/code/machine.h"
#include "src/code/trace.h"

namespace dbtrace::code {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr uint64_t kAddress = 0x10000;

std::vector<Path> trace(const std::vector<uint32_t>& words) {
  std::vector<uint8_t> code;
  for (const uint32_t word : words) {
    for (int shift = 0; shift < 32; shift += 8) code.push_back(static_cast<uint8_t>(word >> shift));
  }
  return trace_values(Arch::AArch64, code, kAddress);
}

Value member(int argument, std::vector<int64_t> loads, uint8_t width = 8) {
  return {.base = Value::Base::Argument,
          .argument = argument,
          .loads = std::move(loads),
          .width = width};
}

TEST(AArch64, FollowsArgumentsThroughTheStackAndSignedReturns) {
  const auto paths = trace({
      0xd503237f,  // pacibsp
      0xa9be7bfd,  // stp x29, x30, [sp, #-32]!
      0xa90107e0,  // stp x0, x1, [sp, #16]
      0x94000040,  // bl
      0xa94123e9,  // ldp x9, x8, [sp, #16]
      0xf9000d09,  // str x9, [x8, #24]
      0xf9401520,  // ldr x0, [x9, #40]
      0xa8c27bfd,  // ldp x29, x30, [sp], #32
      0xd65f0bff,  // retaa
  });
  ASSERT_THAT(paths, SizeIs(1));
  EXPECT_TRUE(paths[0].complete);
  EXPECT_EQ(paths[0].returned, member(0, {40}));
  ASSERT_THAT(paths[0].stores, SizeIs(1));
  EXPECT_EQ(paths[0].stores[0].address, plus(argument_value(1), 24));
  EXPECT_EQ(paths[0].stores[0].value, argument_value(0));
  ASSERT_THAT(paths[0].calls, SizeIs(1));
  EXPECT_EQ(paths[0].calls[0].target, kAddress + 12 + 0x100);
  EXPECT_THAT(paths[0].calls[0].arguments, SizeIs(8));
}

TEST(AArch64, BuildsConstantsInPieces) {
  const auto paths = trace({
      0xd28acf08,  // mov x8, #0x5678
      0xf2a24688,  // movk x8, #0x1234, lsl #16
      0xb8686800,  // ldr w0, [x0, x8]
      0xd65f03c0,  // ret
  });
  ASSERT_THAT(paths, SizeIs(1));
  EXPECT_EQ(paths[0].returned, member(0, {0x12345678}, 4));
}

TEST(AArch64, AddsShiftedNumbers) {
  const auto paths = trace({
      0x91400c08,  // add x8, x0, #3, lsl #12
      0xf9402100,  // ldr x0, [x8, #64]
      0x91004001,  // add x1, x0, #16
      0xd65f03c0,  // ret
  });
  ASSERT_THAT(paths, SizeIs(1));
  EXPECT_EQ(paths[0].returned, member(0, {0x3040}));
  EXPECT_EQ(paths[0].returned_second, plus(member(0, {0x3040}), 16));
}

TEST(AArch64, AddressesRelativeToTheInstructionAreConstants) {
  const auto paths = trace({
      0x90000008,  // adrp x8, this page
      0xf9400d00,  // ldr x0, [x8, #24]
      0x10000201,  // adr x1, #64
      0xd65f03c0,  // ret
  });
  ASSERT_THAT(paths, SizeIs(1));
  EXPECT_EQ(paths[0].returned, (Value{.base = Value::Base::Constant, .loads = {kAddress + 24}}));
  EXPECT_EQ(paths[0].returned_second, constant_value(kAddress + 8 + 64));
}

TEST(AArch64, MovesTheBaseAfterTheAccess) {
  const auto paths = trace({
      0xf8410408,  // ldr x8, [x0], #16
      0xb9000401,  // str w1, [x0, #4]
      0x38001401,  // strb w1, [x0], #1
      0x3c80f000,  // stur q0, [x0, #15]
      0xaa0803e0,  // mov x0, x8
      0xd65f03c0,  // ret
  });
  ASSERT_THAT(paths, SizeIs(1));
  EXPECT_EQ(paths[0].returned, member(0, {0}));
  ASSERT_THAT(paths[0].stores, SizeIs(3));
  EXPECT_EQ(paths[0].stores[0].address, plus(argument_value(0), 20));
  EXPECT_EQ(paths[0].stores[0].value, narrowed(argument_value(1), 4));
  EXPECT_EQ(paths[0].stores[1].address, plus(argument_value(0), 16));
  EXPECT_EQ(paths[0].stores[1].width, 1);
  EXPECT_EQ(paths[0].stores[2].address, plus(argument_value(0), 32));
  EXPECT_EQ(paths[0].stores[2].width, 16);
  EXPECT_EQ(paths[0].stores[2].value, Value{});
}

TEST(AArch64, WalksBothSidesOfEveryKindOfBranch) {
  const auto paths = trace({
      0x36180061,  // tbz w1, #3, +12
      0x52800020,  // mov w0, #1
      0xd65f03c0,  // ret
      0xb5000080,  // cbnz x0, +16
      0xf100143f,  // cmp x1, #5
      0x54008000,  // b.eq +0x1000
      0xaa0003e0,  // mov x0, x0
      0x14000800,  // b +0x2000
  });
  ASSERT_THAT(paths, SizeIs(4));
  EXPECT_EQ(paths[0].returned, constant_value(1));
  const uint64_t far = kAddress + 28 + 0x2000;
  ASSERT_THAT(paths[1].calls, SizeIs(1));  // tbz taken, x0 is zero
  EXPECT_EQ(paths[1].calls[0].target, far);
  EXPECT_EQ(paths[1].calls[0].arguments[0], constant_value(0));
  ASSERT_THAT(paths[1].compares, SizeIs(2));
  EXPECT_EQ(paths[1].compares[1].member, argument_value(1));
  EXPECT_EQ(paths[1].compares[1].constant, 5);
  ASSERT_THAT(paths[2].calls, SizeIs(1));  // cbnz taken
  EXPECT_EQ(paths[2].calls[0].target, far);
  EXPECT_EQ(paths[2].calls[0].arguments[0], argument_value(0));
  ASSERT_THAT(paths[3].calls, SizeIs(1));  // b.eq taken
  EXPECT_EQ(paths[3].calls[0].target, kAddress + 20 + 0x1000);
}

TEST(AArch64, IndirectJumpsLeadNowhereKnown) {
  const auto paths = trace({
      0xf9400008,  // ldr x8, [x0]
      0xf9400908,  // ldr x8, [x8, #16]
      0xd61f0100,  // br x8
  });
  ASSERT_THAT(paths, SizeIs(1));
  ASSERT_THAT(paths[0].calls, SizeIs(1));
  EXPECT_EQ(paths[0].calls[0].target, 0u);
  EXPECT_TRUE(paths[0].calls[0].tail);
}

TEST(AArch64, CallsKeepOnlyCalleeSavedRegisters) {
  const auto paths = trace({
      0xaa0003f3,  // mov x19, x0
      0xd63f0040,  // blr x2
      0xf9000660,  // str x0, [x19, #8]
      0xaa0103e0,  // mov x0, x1
      0xd65f03c0,  // ret
  });
  ASSERT_THAT(paths, SizeIs(1));
  EXPECT_EQ(paths[0].returned, Value{});
  ASSERT_THAT(paths[0].stores, SizeIs(1));
  EXPECT_EQ(paths[0].stores[0].address, plus(argument_value(0), 8));
  EXPECT_EQ(paths[0].stores[0].value.base, Value::Base::CallResult);
}

TEST(AArch64, NoticesWhatItDoesNotModel) {
  const auto paths = trace({
      0xd53bd048,  // mrs x8, TPIDR_EL0
      0xf9400900,  // ldr x0, [x8, #16]
      0xd65f03c0,  // ret
  });
  ASSERT_THAT(paths, SizeIs(1));
  EXPECT_TRUE(paths[0].complete);
  EXPECT_EQ(paths[0].returned, Value{});
}

}  // namespace
}  // namespace dbtrace::code
