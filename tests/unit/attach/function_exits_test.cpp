// Where functions are left, against another disassembler's opinion.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <sstream>

#include "src/attach/function_plan.h"

namespace dbtrace::attach {
namespace {

// The C++ library that this program uses: thousands of functions, made by others.
std::string library() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.find("/libstdc++.so.6") != std::string::npos) return line.substr(line.find('/'));
  return {};
}

// By address: the instructions that objdump sees.
std::map<uint64_t, std::string> instructions_of(const std::string& path) {
  const std::string command = "objdump -d --no-show-raw-insn '" + path + "'";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), ::pclose);
  std::map<uint64_t, std::string> instructions;
  char* line = nullptr;
  size_t capacity = 0;
  while (pipe && ::getline(&line, &capacity, pipe.get()) > 0) {
    std::istringstream words(line);
    std::string address, mnemonic, next;
    if (!(words >> address >> mnemonic) || address.back() != ':') continue;
    if ((mnemonic == "bnd" || mnemonic == "repz") && words >> next) mnemonic = next;
    instructions[std::strtoull(address.c_str(), nullptr, 16)] = mnemonic;
  }
  ::free(line);
  return instructions;
}

TEST(Exits, AreThoseOfObjdump) {
  const std::string path = library();
  ASSERT_NE(path, "");
  const auto instructions = instructions_of(path);
  if (instructions.empty()) GTEST_SKIP() << "needs objdump";
  auto file = symbols::ElfFile::open(path);
  ASSERT_TRUE(file) << file.error().message;
  auto finder = symbols::Finder::open(std::move(*file));
  ASSERT_TRUE(finder) << finder.error().message;
  const auto all = finder->match(*symbols::Pattern::parse("*"));
  const auto plan = plan_functions(*finder, all.locations, {.durations = true});
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_GT(plan->functions.size(), 3000U);
  size_t returns = 0;
  for (const PlannedFunction& function : plan->functions) {
    std::set<uint64_t> exits;
    for (const FunctionExit& exit : function.exits) {
      exits.insert(exit.kernel.address);
      const auto instruction = instructions.find(exit.kernel.address);
      ASSERT_NE(instruction, instructions.end())
          << function.name << ": no instruction begins there";
      const std::string& mnemonic = instruction->second;
      EXPECT_TRUE(mnemonic == "ret" || mnemonic.starts_with('j') || mnemonic.starts_with('b'))
          << function.name << " " << mnemonic;
    }
    const dbt_func_exit& any = function.exits.front().kernel;
    for (auto each = instructions.lower_bound(any.begin);
         each != instructions.end() && each->first < any.begin + any.size; ++each) {
      if (each->second != "ret") continue;
      ++returns;
      EXPECT_TRUE(exits.contains(each->first)) << function.name << " " << std::hex << each->first;
    }
  }
  EXPECT_GT(returns, 3000U);
}

}  // namespace
}  // namespace dbtrace::attach
