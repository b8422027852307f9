#include "src/commands/func/arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace dbtrace::commands {
namespace {

using code::Arch;
using ::testing::HasSubstr;
using Type = Argument::Type;

Argument parsed(std::string_view typed) {
  auto argument = parse_argument(typed);
  if (!argument) throw std::runtime_error(argument.error().message);
  return *argument;
}

TEST(Arguments, AreParsed) {
  EXPECT_EQ(parsed("2:str"), (Argument{"2", {2, {}}, Type::Str, {}}));
  EXPECT_EQ(parsed("15:hex"), (Argument{"15", {15, {}}, Type::Hex, {}}));
  EXPECT_EQ(parsed("1+8:ulong"), (Argument{"1+8", {1, 8}, Type::Ulong, {}}));
  EXPECT_EQ(parsed("1+0x10:int"), (Argument{"1+0x10", {1, 16}, Type::Int, {}}));
  EXPECT_EQ(parsed("2:str:3"), (Argument{"2", {2, {}}, Type::Str, ArgumentPlace{3, {}}}));
  EXPECT_EQ(parsed("1+0:str:1+8"), (Argument{"1+0", {1, 0}, Type::Str, ArgumentPlace{1, 8}}));
}

TEST(Arguments, ThatMakeNoSenseAreRefusedWithWhatWould) {
  for (const char* typed : {"",
                            "2",
                            ":",
                            "2:",
                            ":str",
                            "x:str",
                            "-1:int",
                            "16:int",
                            "2:string",
                            "2:int:3",
                            "2:str:",
                            "2:str:x",
                            "1+:int",
                            "1+-8:int",
                            "1+8",
                            "2:STR",
                            "1+99999999999:int",
                            "1+0x:int",
                            "2 :str",
                            "1+1+1:int"}) {
    const auto argument = parse_argument(typed);
    ASSERT_FALSE(argument) << typed;
    EXPECT_EQ(argument.error().message, "'" + std::string(typed) + "' is no argument to show");
    EXPECT_THAT(argument.error().hint, HasSubstr("2:str:3"));
  }
}

// What the kernel does: registers by their numbers in instructions.
void expect_source(const dbt_func_source& source, int reg, std::vector<int> offsets) {
  EXPECT_EQ(source.reg, reg);
  ASSERT_EQ(source.loads, offsets.size());
  for (size_t i = 0; i < offsets.size(); ++i) EXPECT_EQ(source.offset[i], offsets[i]);
}

TEST(Arguments, AreWhereX86_64HasThem) {
  const int registers[] = {7, 6, 2, 1, 8, 9};  // rdi, rsi, rdx, rcx, r8, r9
  for (int i = 0; i < 6; ++i)
    expect_source(kernel_argument(parsed(std::to_string(i) + ":int"), Arch::X86_64).value,
                  registers[i], {});
  // Behind the return address.
  expect_source(kernel_argument(parsed("6:int"), Arch::X86_64).value, 4, {8});
  expect_source(kernel_argument(parsed("7+24:str"), Arch::X86_64).value, 4, {16, 24});
  expect_source(kernel_argument(parsed("1+8:ulong"), Arch::X86_64).value, 6, {8});
}

TEST(Arguments, AreWhereAArch64HasThem) {
  for (int i = 0; i < 8; ++i)
    expect_source(kernel_argument(parsed(std::to_string(i) + ":int"), Arch::AArch64).value, i, {});
  expect_source(kernel_argument(parsed("8:int"), Arch::AArch64).value, 31, {0});
  expect_source(kernel_argument(parsed("9+4:int"), Arch::AArch64).value, 31, {8, 4});
}

TEST(Arguments, AreReadAsWideAsTheyAre) {
  EXPECT_EQ(kernel_argument(parsed("1+8:int"), Arch::X86_64).value.width, 4);
  EXPECT_EQ(kernel_argument(parsed("1+8:long"), Arch::X86_64).value.width, 8);
  EXPECT_EQ(kernel_argument(parsed("1+8:str"), Arch::X86_64).value.width, 8);
  const dbt_func_argument text = kernel_argument(parsed("1+0:str:1+8"), Arch::X86_64);
  EXPECT_EQ(text.kind, DBT_FUNC_BYTES);
  expect_source(text.length, 6, {8});
  EXPECT_EQ(text.length.width, 4);
  EXPECT_EQ(kernel_argument(parsed("0:str"), Arch::X86_64).kind, DBT_FUNC_STRING);
  EXPECT_EQ(kernel_argument(parsed("0:int"), Arch::X86_64).kind, DBT_FUNC_NUMBER);
}

TEST(Arguments, ThatAreNoPointersRaiseADoubt) {
  const std::vector<std::string> parameters = {"THD*", "COM_DATA const*", "enum_server_command",
                                               "String&"};
  EXPECT_EQ(doubt(parsed("2:str"), "f", parameters),
            "argument 2 of f seems to be no pointer, but: enum_server_command");
  EXPECT_NE(doubt(parsed("2+8:int"), "f", parameters), "");
  for (const char* fine : {"1:str", "3:str", "2:int", "4:str"})
    EXPECT_EQ(doubt(parsed(fine), "f", parameters), "") << fine;
}

// ---- what comes back ----

std::string shown(std::string_view argument, const Call::Value& value) {
  std::string out;
  append_value(out, parsed(argument), value);
  return out;
}

std::string as_json(std::string_view argument, const Call::Value& value) {
  std::string out;
  append_json_value(out, parsed(argument), value);
  return out;
}

TEST(Values, AreWhatTheirTypesMakeOfThem) {
  const Call::Value all_bits{.number = UINT64_MAX};
  EXPECT_EQ(shown("0:int", all_bits), "-1");
  EXPECT_EQ(shown("0:uint", all_bits), "4294967295");
  EXPECT_EQ(shown("0:long", all_bits), "-1");
  EXPECT_EQ(shown("0:ulong", all_bits), "18446744073709551615");
  EXPECT_EQ(shown("0:hex", all_bits), "0xffffffffffffffff");
  // The upper half of a register that holds an int may hold anything.
  EXPECT_EQ(shown("0:int", {.number = 0xdead00000003}), "3");
  EXPECT_EQ(as_json("0:int", all_bits), "-1");
  EXPECT_EQ(as_json("0:hex", all_bits), "\"0xffffffffffffffff\"");
}

TEST(Values, OfTextCannotDriveATerminal) {
  const Call::Value text{.number = 1, .text = "SELECT\n'\x1b[31m\xff'"};
  EXPECT_EQ(shown("0:str", text), "\"SELECT '\\x1b[31m\\xff'\"");
  EXPECT_EQ(as_json("0:str", text), "\"SELECT\\n'\\u001b[31m\ufffd'\"");
  EXPECT_EQ(shown("0:str", {.number = 1, .text = "abc", .cut = true}), "\"abc\"…");
  EXPECT_EQ(shown("0:str", {.is_null = true}), "null");
  EXPECT_EQ(as_json("0:str", {.is_null = true}), "null");
  EXPECT_EQ(shown("0:str", {.number = 16, .unreadable = true}), "<unreadable 0x10>");
  EXPECT_EQ(as_json("0:str", {.number = 16, .unreadable = true}), "null");
}

TEST(Values, KeepPasswordsSecret) {
  const Call::Value text{.number = 1, .text = "SET PASSWORD = 'hush'"};
  EXPECT_EQ(shown("0:str", text), "\"SET PASSWORD = '<redacted>'\"");
  EXPECT_EQ(as_json("0:str", text), "\"SET PASSWORD = '<redacted>'\"");
}

std::vector<std::byte> bytes_of(const dbt_func_call_event& event, size_t size) {
  std::vector<std::byte> bytes(size);
  std::memcpy(bytes.data(), &event, size);
  return bytes;
}

TEST(Calls, AreTakenApart) {
  dbt_func_call_event event{};
  event.size = offsetof(dbt_func_call_event, data) + 7;
  event.function = 3;
  event.time_ns = 4;
  event.tgid = 5;
  event.tid = 6;
  event.values[0] = {
      .number = 9, .length = 0, .size = 4, .state = DBT_FUNC_READ, .cut = 1, .pad = {}};
  event.values[1] = {
      .number = 8, .length = 0, .size = 0, .state = DBT_FUNC_UNREADABLE, .cut = 0, .pad = {}};
  event.values[2] = {
      .number = 7, .length = 0, .size = 3, .state = DBT_FUNC_READ, .cut = 0, .pad = {}};
  std::memcpy(event.data, "textend", 7);
  const auto bytes = bytes_of(event, event.size + 1);  // the ring rounds up
  const auto call = decode_call(bytes, 3);
  ASSERT_TRUE(call);
  EXPECT_EQ(call->function, 3U);
  EXPECT_EQ(call->time_ns, 4U);
  EXPECT_EQ(call->pid, 5U);
  EXPECT_EQ(call->tid, 6U);
  ASSERT_EQ(call->values.size(), 3U);
  EXPECT_EQ(call->values[0].text, "text");
  EXPECT_TRUE(call->values[0].cut);
  EXPECT_TRUE(call->values[1].unreadable);
  EXPECT_EQ(call->values[2].text, "end");
}

TEST(Calls, ThatAreNoneAreRefused) {
  dbt_func_call_event event{};
  event.size = offsetof(dbt_func_call_event, data) + 7;
  event.values[0].size = 8;  // more than there is
  EXPECT_FALSE(decode_call(bytes_of(event, event.size), 1));
  event.values[0].size = 7;
  EXPECT_TRUE(decode_call(bytes_of(event, event.size), 1));
  EXPECT_FALSE(decode_call(bytes_of(event, event.size - 1), 1));
  EXPECT_FALSE(decode_call(bytes_of(event, 10), 1));
  EXPECT_FALSE(decode_call(bytes_of(event, event.size), DBT_FUNC_ARGUMENTS + 1));
  event.size = 3;
  EXPECT_FALSE(decode_call(bytes_of(event, sizeof(event)), 1));
  // Whatever bytes come, texts lie within them.
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    auto bytes = bytes_of(event, offsetof(dbt_func_call_event, data) + random() % 300);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() % 4);
    const auto call = decode_call(bytes, 8);
    if (!call) continue;
    size_t size = 0;
    for (const Call::Value& value : call->values) size += value.text.size();
    EXPECT_LE(size, bytes.size());
  }
}

}  // namespace
}  // namespace dbtrace::commands
