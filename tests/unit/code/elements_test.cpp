// geterrcode() of PostgreSQL 15.18 (Debian 12) and 18.4 (its npm package), byte for byte; what they
// return was tried with a debugger's eyes on `errordata`.
#include "src/code/elements.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace dbtrace::code {
namespace {

const std::vector<uint8_t> kDebian = {
    0x48, 0x63, 0x05, 0x11, 0xe4, 0x2c, 0x00,  // movslq 875f48, %rax
    0x85, 0xc0,                                // test %eax, %eax
    0x0f, 0x88, 0xa1, 0x44, 0xba, 0xff,        // js (gives up)
    0x48, 0x69, 0xc0, 0xb8, 0x00, 0x00, 0x00,  // imul $0xb8, %rax
    0x48, 0x8d, 0x15, 0xf3, 0x97, 0x2e, 0x00,  // lea 891340, %rdx
    0x8b, 0x44, 0x02, 0x30,                    // mov 0x30(%rdx,%rax), %eax
    0xc3};

std::optional<Element> of(const std::vector<uint8_t>& code) {
  return returned_element(Arch::X86_64, code, 0x5a7b30);
}

TEST(ReturnedElement, FallsThroughWhereItGivesUpElsewhere) {
  EXPECT_EQ(of(kDebian), (Element{.index = 0x875f48, .first = 0x891340 + 0x30, .size = 0xb8}));
}

TEST(ReturnedElement, JumpsOverWhereItGivesUp) {
  std::vector<uint8_t> code = {0x48, 0x63, 0x05, 0x11, 0xe4, 0x2c,
                               0x00, 0x85, 0xc0, 0x79, 0x03,  // jns
                               0x0f, 0x0b, 0x90};             // ud2
  code.insert(code.end(), kDebian.begin() + 15, kDebian.end());
  const auto element = of(code);
  ASSERT_TRUE(element);
  EXPECT_EQ(element->index, 0x875f48u);
  EXPECT_EQ(element->size, 0xb8u);
}

TEST(ReturnedElement, IsNothingElse) {
  for (size_t size = 0; size < kDebian.size(); ++size)
    EXPECT_EQ(of({kDebian.begin(), kDebian.begin() + static_cast<ptrdiff_t>(size)}), std::nullopt);
  std::vector<uint8_t> other = kDebian;
  other[31] = 0x42;  // scaled by two
  EXPECT_EQ(of(other), std::nullopt);
  EXPECT_EQ(returned_element(Arch::AArch64, kDebian, 0x5a7b30), std::nullopt);
}

TEST(ReturnedElement, AnyBytesDoNoHarm) {
  std::mt19937 random(4);
  for (int i = 0; i < 20'000; ++i) {
    std::vector<uint8_t> code = kDebian;
    for (auto changes = random() % 6; changes > 0; --changes)
      code[random() % code.size()] = static_cast<uint8_t>(random());
    (void)of(code);
  }
}

}  // namespace
}  // namespace dbtrace::code
