// How x86-64 instructions move values. The bytes are GNU as' of the Intel
// syntax beside them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/code/machine.h"
#include "src/code/trace.h"

namespace dbtrace::code {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr uint64_t kAddress = 0x1000;

std::vector<Path> trace(const std::vector<uint8_t>& code) {
  return trace_values(Arch::X86_64, code, kAddress);
}

Value member(int argument, std::vector<int64_t> loads, uint8_t width = 8) {
  return {.base = Value::Base::Argument,
          .argument = argument,
          .loads = std::move(loads),
          .width = width};
}

TEST(X86_64, FollowsAnArgumentThroughTheStack) {
  const auto paths = trace({
      0x55,                    // push rbp
      0x48, 0x89, 0xe5,        // mov rbp, rsp
      0x48, 0x89, 0x7d, 0xf8,  // mov [rbp-8], rdi
      0x48, 0x8b, 0x45, 0xf8,  // mov rax, [rbp-8]
      0x8b, 0x40, 0x10,        // mov eax, [rax+0x10]
      0x5d,                    // pop rbp
      0xc3,                    // ret
  });
  ASSERT_THAT(paths, SizeIs(1));
  EXPECT_TRUE(paths[0].complete);
  EXPECT_EQ(paths[0].returned, member(0, {0x10}, 4));
  EXPECT_THAT(paths[0].stores, IsEmpty());  // the stack is nobody's member
}

TEST(X86_64, ForgetsASlotWhoseAddressACalleeGot) {
  const auto paths = trace({
      0x48, 0x83, 0xec, 0x18,        // sub rsp, 0x18
      0x48, 0x89, 0x7c, 0x24, 0x08,  // mov [rsp+8], rdi
      0x48, 0x89, 0x34, 0x24,        // mov [rsp], rsi
      0x48, 0x8d, 0x7c, 0x24, 0x08,  // lea rdi, [rsp+8]
      0xe8, 0xfb, 0x00, 0x00, 0x00,  // call
      0x48, 0x8b, 0x44, 0x24, 0x08,  // mov rax, [rsp+8]
      0x48, 0x8b, 0x14, 0x24,        // mov rdx, [rsp]
      0x48, 0x83, 0xc4, 0x18,        // add rsp, 0x18
      0xc3,                          // ret
  });
  ASSERT_THAT(paths, SizeIs(1));
  EXPECT_EQ(paths[0].returned, Value{});
  EXPECT_EQ(paths[0].returned_second, argument_value(1));
}

TEST(X86_64, CallsKeepOnlyCalleeSavedRegisters) {
  const auto paths = trace({
      0x53,                          // push rbx
      0x48, 0x89, 0xf3,              // mov rbx, rsi
      0xe8, 0xfb, 0x00, 0x00, 0x00,  // call
      0x48, 0x89, 0x58, 0x20,        // mov [rax+0x20], rbx
      0x48, 0x89, 0xf8,              // mov rax, rdi
      0x5b,                          // pop rbx
      0xc3,                          // ret
  });
  ASSERT_THAT(paths, SizeIs(1));
  const uint64_t callee = kAddress + 9 + 0xfb;
  ASSERT_THAT(paths[0].calls, SizeIs(1));
  EXPECT_EQ(paths[0].calls[0].target, callee);
  EXPECT_FALSE(paths[0].calls[0].tail);
  EXPECT_THAT(paths[0].calls[0].arguments,
              ElementsAre(argument_value(0), argument_value(1), argument_value(2),
                          argument_value(3), argument_value(4), argument_value(5)));
  ASSERT_THAT(paths[0].stores, SizeIs(1));
  EXPECT_EQ(paths[0].stores[0].address,
            (Value{.base = Value::Base::CallResult, .callee = callee, .addend = 0x20}));
  EXPECT_EQ(paths[0].stores[0].value, argument_value(1));
  EXPECT_EQ(paths[0].returned, Value{});
}

TEST(X86_64, AddressesRelativeToTheInstructionAreConstants) {
  const auto paths = trace({
      0x48, 0x8d, 0x15, 0x00, 0x01, 0x00, 0x00,  // lea rdx, [rip+0x100]
      0x48, 0x8b, 0x05, 0x00, 0x02, 0x00, 0x00,  // mov rax, [rip+0x200]
      0xc3,                                      // ret
  });
  ASSERT_THAT(paths, SizeIs(1));
  EXPECT_EQ(paths[0].returned_second, constant_value(kAddress + 7 + 0x100));
  EXPECT_EQ(paths[0].returned,
            (Value{.base = Value::Base::Constant, .loads = {kAddress + 14 + 0x200}}));
}

TEST(X86_64, AddsIndexesThatAreConstants) {
  const auto paths = trace({
      0xb9, 0x10, 0x00, 0x00, 0x00,  // mov ecx, 0x10
      0x48, 0x8b, 0x44, 0xcf, 0x04,  // mov rax, [rdi+rcx*8+4]
      0x48, 0x8b, 0x14, 0x37,        // mov rdx, [rdi+rsi]
      0xc3,                          // ret
  });
  ASSERT_THAT(paths, SizeIs(1));
  EXPECT_EQ(paths[0].returned, member(0, {0x84}));
  EXPECT_EQ(paths[0].returned_second, Value{});
}

TEST(X86_64, CutsLoops) {
  const auto paths = trace({
      0x48, 0x83, 0xc7, 0x08,  // again: add rdi, 8
      0x48, 0x83, 0x3f, 0x00,  // cmp qword ptr [rdi], 0
      0x75, 0xf6,              // jne again
      0x48, 0x89, 0xf8,        // mov rax, rdi
      0xc3,                    // ret
  });
  ASSERT_THAT(paths, SizeIs(2));
  EXPECT_TRUE(paths[0].complete);  // falls through first
  EXPECT_EQ(paths[0].returned, plus(argument_value(0), 8));
  EXPECT_FALSE(paths[1].complete);

  const auto endless = trace({0xeb, 0xfe});  // jmp to itself
  ASSERT_THAT(endless, SizeIs(1));
  EXPECT_FALSE(endless[0].complete);
}

TEST(X86_64, RecordsStoresOfValuesItDoesNotFollow) {
  const auto paths = trace({
      0x0f, 0x11, 0x47, 0x10,                                // movups [rdi+0x10], xmm0
      0xc6, 0x47, 0x05, 0x01,                                // mov byte ptr [rdi+5], 1
      0x64, 0x48, 0x8b, 0x04, 0x25, 0x28, 0x00, 0x00, 0x00,  // mov rax, fs:[0x28]
      0xb2, 0x01,                                            // mov dl, 1
      0xc3,                                                  // ret
  });
  ASSERT_THAT(paths, SizeIs(1));
  ASSERT_THAT(paths[0].stores, SizeIs(2));
  EXPECT_EQ(paths[0].stores[0].address, plus(argument_value(0), 0x10));
  EXPECT_EQ(paths[0].stores[0].value, Value{});
  EXPECT_EQ(paths[0].stores[0].width, 16);
  EXPECT_EQ(paths[0].stores[1].address, plus(argument_value(0), 5));
  EXPECT_EQ(paths[0].stores[1].width, 1);
  EXPECT_EQ(paths[0].returned, (Value{.base = Value::Base::ThreadPointer, .loads = {0x28}}));
  EXPECT_EQ(paths[0].returned_second, Value{});  // one byte of it changed
}

TEST(X86_64, JumpsOutOfTheFunctionAreTailCalls) {
  const auto paths = trace({
      0x85, 0xf6,                          // test esi, esi
      0x0f, 0x85, 0xfa, 0x0f, 0x00, 0x00,  // jne +0xffa
      0x48, 0x8d, 0x7f, 0x08,              // lea rdi, [rdi+8]
      0xe9, 0xfb, 0x1f, 0x00, 0x00,        // jmp +0x1ffb
  });
  ASSERT_THAT(paths, SizeIs(2));
  for (const Path& path : paths) {
    EXPECT_TRUE(path.complete);
    EXPECT_EQ(path.returned, std::nullopt);
    ASSERT_THAT(path.calls, SizeIs(1));
    EXPECT_TRUE(path.calls[0].tail);
  }
  EXPECT_EQ(paths[0].calls[0].target, kAddress + 17 + 0x1ffb);
  EXPECT_EQ(paths[0].calls[0].arguments[0], plus(argument_value(0), 8));
  EXPECT_EQ(paths[1].calls[0].target, kAddress + 8 + 0xffa);
  EXPECT_EQ(paths[1].calls[0].arguments[0], argument_value(0));
}

TEST(X86_64, RepeatedStoresMayReachTheStack) {
  const auto paths = trace({
      0x48, 0x89, 0x7c, 0x24, 0xf8,  // mov [rsp-8], rdi
      0x31, 0xc0,                    // xor eax, eax
      0xb9, 0x04, 0x00, 0x00, 0x00,  // mov ecx, 4
      0xf3, 0x48, 0xab,              // rep stosq
      0x48, 0x8b, 0x44, 0x24, 0xf8,  // mov rax, [rsp-8]
      0xc3,                          // ret
  });
  ASSERT_THAT(paths, SizeIs(1));
  EXPECT_EQ(paths[0].returned, Value{});
}

TEST(X86_64, KeepsTheFrameWhenTheStackIsAligned) {
  const auto paths = trace({
      0x55,                    // push rbp
      0x48, 0x89, 0xe5,        // mov rbp, rsp
      0x48, 0x83, 0xe4, 0xe0,  // and rsp, -32
      0x57,                    // push rdi
      0x48, 0x8b, 0x47, 0x08,  // mov rax, [rdi+8]
      0xc9,                    // leave
      0xc3,                    // ret
  });
  ASSERT_THAT(paths, SizeIs(1));
  EXPECT_TRUE(paths[0].complete);
  EXPECT_EQ(paths[0].returned, member(0, {8}));
  EXPECT_THAT(paths[0].stores, IsEmpty());
}

TEST(X86_64, NoticesWhatItDoesNotModel) {
  const auto paths = trace({
      0x83, 0x7f, 0x04, 0x07,  // cmp dword ptr [rdi+4], 7
      0x48, 0x0f, 0x44, 0xfe,  // cmove rdi, rsi
      0x48, 0x89, 0xf8,        // mov rax, rdi
      0xc3,                    // ret
  });
  ASSERT_THAT(paths, SizeIs(1));
  EXPECT_EQ(paths[0].returned, Value{});
  ASSERT_THAT(paths[0].compares, SizeIs(1));
  EXPECT_EQ(paths[0].compares[0].member, member(0, {4}, 4));
  EXPECT_EQ(paths[0].compares[0].constant, 7);
}

TEST(X86_64, ShortLoadsKeepTheirWidth) {
  const auto paths = trace({
      0x0f, 0xb7, 0x47, 0x06,  // movzx eax, word ptr [rdi+6]
      0xc3,                    // ret
  });
  ASSERT_THAT(paths, SizeIs(1));
  EXPECT_EQ(paths[0].returned, member(0, {6}, 2));
}

TEST(X86_64, BoundsThePaths) {
  std::vector<uint8_t> code;
  for (int i = 0; i < 150; ++i) {
    code.insert(code.end(), {0x85, 0xff});  // test edi, edi
    code.insert(code.end(), {0x74, 0x00});  // je to the next instruction
  }
  code.push_back(0xc3);  // ret
  const auto paths = trace(code);
  EXPECT_THAT(paths, SizeIs(32));
  EXPECT_TRUE(paths[0].complete);

  const std::vector<uint8_t> long_code(500, 0x90);  // nop
  ASSERT_THAT(trace(long_code), SizeIs(1));
  EXPECT_FALSE(trace(long_code)[0].complete);
}

TEST(X86_64, NothingToWalk) {
  const auto paths = trace({});
  ASSERT_THAT(paths, SizeIs(1));
  EXPECT_FALSE(paths[0].complete);
}

}  // namespace
}  // namespace dbtrace::code
