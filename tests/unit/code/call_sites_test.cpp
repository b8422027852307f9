// Code by hand; the same questions are put to real servers by the runtime tests.
#include "src/code/call_sites.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace dbtrace::code {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr uint64_t kAt = 0x1000;

//   1000 call 2000       e8 fb 0f 00 00
//   1005 test al, al     84 c0
//   1007 jne 1016        75 0d
//   1009 lea rdi, [3000] 48 8d 3d f0 1f 00 00
//   1010 call 2010       e8 fb 0f 00 00
//   1015 ret             c3
//   1016 mov edi, 's'    bf 73 00 00 00
//   101b call 2020       e8 00 10 00 00
//   1020 call 2010       e8 eb 0f 00 00
//   1025 ret             c3
const std::vector<uint8_t> kCode = {0xe8, 0xfb, 0x0f, 0x00, 0x00, 0x84, 0xc0, 0x75, 0x0d, 0x48,
                                    0x8d, 0x3d, 0xf0, 0x1f, 0x00, 0x00, 0xe8, 0xfb, 0x0f, 0x00,
                                    0x00, 0xc3, 0xbf, 0x73, 0x00, 0x00, 0x00, 0xe8, 0x00, 0x10,
                                    0x00, 0x00, 0xe8, 0xeb, 0x0f, 0x00, 0x00, 0xc3};

std::vector<NextCall> after(uint64_t from, std::vector<uint64_t> wanted, size_t most = 100) {
  return next_calls(Arch::X86_64, kCode, kAt, from, wanted, most);
}

TEST(DirectCalls, AreFoundByTheirTarget) {
  EXPECT_THAT(direct_calls(Arch::X86_64, kCode, kAt, 0x2010), ElementsAre(0x1010, 0x1020));
  EXPECT_THAT(direct_calls(Arch::X86_64, kCode, kAt, 0x2000), ElementsAre(0x1000));
  EXPECT_THAT(direct_calls(Arch::X86_64, kCode, kAt, 0x2001), IsEmpty());
}

TEST(Meets, OnlyWhereAnInstructionBegins) {
  EXPECT_TRUE(meets(Arch::X86_64, kCode, kAt, 0x1000, 0x1000));
  EXPECT_TRUE(meets(Arch::X86_64, kCode, kAt, 0x1000, 0x1010));
  EXPECT_TRUE(meets(Arch::X86_64, kCode, kAt, 0x1005, 0x1020));
  EXPECT_FALSE(meets(Arch::X86_64, kCode, kAt, 0x1000, 0x1006));
  EXPECT_FALSE(meets(Arch::X86_64, kCode, kAt, 0x1000, 0x1012));
  EXPECT_FALSE(meets(Arch::X86_64, kCode, kAt, 0x1010, 0x1000)) << "behind it";
  EXPECT_FALSE(meets(Arch::X86_64, kCode, kAt, 0x1000, 0x2000)) << "outside";
  EXPECT_FALSE(meets(Arch::X86_64, kCode, kAt, 0x0, 0x1000)) << "outside";
}

TEST(DirectCalls, OfAArch64) {
  // 1000: bl 1008; 1004: nop; 1008: bl 1000
  const std::vector<uint8_t> code = {0x02, 0x00, 0x00, 0x94, 0x1f, 0x20,
                                     0x03, 0xd5, 0xfe, 0xff, 0xff, 0x97};
  EXPECT_THAT(direct_calls(Arch::AArch64, code, kAt, 0x1008), ElementsAre(0x1000));
  EXPECT_THAT(direct_calls(Arch::AArch64, code, kAt, 0x1000), ElementsAre(0x1008));
}

TEST(NextCalls, OnBothWaysOfABranch) {
  const auto found = after(0x1005, {0x2010, 0x2020});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].at, 0x1010u);
  EXPECT_EQ(found[0].target, 0x2010u);
  EXPECT_EQ(found[0].argument, 0x3000u);
  EXPECT_EQ(found[1].at, 0x101bu);
  EXPECT_EQ(found[1].argument, uint64_t{'s'});
}

TEST(NextCalls, OthersArePassedAndTakeTheArgumentAway) {
  const auto found = after(0x1016, {0x2010});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].at, 0x1020u);
  EXPECT_EQ(found[0].argument, std::nullopt);
}

TEST(NextCalls, NotTooFarAndNotOutside) {
  EXPECT_THAT(after(0x1005, {0x2010, 0x2020}, 1), IsEmpty());
  EXPECT_THAT(after(0x900, {0x2010}), IsEmpty());
  EXPECT_THAT(after(0x2000, {0x2010}), IsEmpty());
}

TEST(ArgumentJustBefore, IsAMoveOrNothing) {
  EXPECT_EQ(argument_just_before(Arch::X86_64, kCode, kAt, 0x101b), uint64_t{'s'});
  EXPECT_EQ(argument_just_before(Arch::X86_64, kCode, kAt, 0x1010), std::nullopt);
  EXPECT_EQ(argument_just_before(Arch::X86_64, kCode, kAt, 0x1000), std::nullopt);
  EXPECT_EQ(argument_just_before(Arch::X86_64, kCode, kAt, 0x5000), std::nullopt);
}

TEST(CallSites, AnyBytesDoNoHarm) {
  std::mt19937 random(3);
  for (int i = 0; i < 2'000; ++i) {
    std::vector<uint8_t> code(random() % 200);
    for (uint8_t& byte : code) byte = static_cast<uint8_t>(random());
    const uint64_t wanted[] = {kAt + random() % 300};
    (void)next_calls(Arch::X86_64, code, kAt, kAt + random() % 220, wanted, 500);
    (void)direct_calls(Arch::X86_64, code, kAt, wanted[0]);
    (void)argument_just_before(Arch::X86_64, code, kAt, kAt + random() % 220);
  }
}

}  // namespace
}  // namespace dbtrace::code
