// What `dbtrace symbols` prints, and how it ends.
#include "src/commands/symbols/symbols.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "src/commands/program_choice.h"

// What the tests look for in their own program.
extern "C" __attribute__((noinline, used)) int dbtrace_test_entry(int x) noexcept { return x * 3; }
__attribute__((noinline, used)) int dbtrace_test_overload(int x) { return x * 5; }
__attribute__((noinline, used)) int dbtrace_test_overload(const char* x) { return x[0] * 7; }
extern "C" __attribute__((alias("dbtrace_test_entry"))) int dbtrace_test_alias(int x) noexcept;

namespace dbtrace::commands {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr const char* kSelf = "/proc/self/exe";

struct Outcome {
  int code;
  std::string out;
  std::string err;
};

Outcome run(const SymbolsOptions& options) {
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  Outcome result{};
  result.code = run_symbols(options);
  result.out = ::testing::internal::GetCapturedStdout();
  result.err = ::testing::internal::GetCapturedStderr();
  return result;
}

Outcome run(const std::string& target, const std::string& pattern) {
  SymbolsOptions options;
  options.target = target;
  options.pattern = pattern;
  return run(options);
}

std::vector<nlohmann::json> json_lines(const std::string& target, const std::string& pattern) {
  SymbolsOptions options;
  options.target = target;
  options.pattern = pattern;
  options.format = SymbolsFormat::Json;
  std::istringstream out(run(options).out);
  std::vector<nlohmann::json> result;
  for (std::string line; std::getline(out, line);) result.push_back(nlohmann::json::parse(line));
  return result;
}

TEST(Symbols, AreToldInJson) {
  const auto found = json_lines(kSelf, "dbtrace_test_overload(const char*)");
  ASSERT_THAT(found, SizeIs(1));
  const nlohmann::json& symbol = found[0];
  std::vector<std::string> keys;
  for (const auto& [key, value] : symbol.items()) keys.push_back(key);
  EXPECT_THAT(keys, ::testing::UnorderedElementsAre("name", "raw", "kind", "address", "offset",
                                                    "size", "table", "file", "probe"));
  EXPECT_EQ(symbol["name"], "dbtrace_test_overload(char const*)");
  EXPECT_EQ(symbol["raw"], "_Z21dbtrace_test_overloadPKc");
  EXPECT_EQ(symbol["kind"], "function");
  EXPECT_EQ(symbol["file"], kSelf);
  EXPECT_GT(symbol["size"].get<uint64_t>(), 0U);
  const auto binary = symbols::ElfFile::open(kSelf);
  EXPECT_EQ(symbol["offset"].get<uint64_t>(),
            binary->file_offset(symbol["address"].get<uint64_t>()));
  const nlohmann::json& probe = symbol["probe"];
  EXPECT_EQ(probe.size(), 3U);
  EXPECT_GE(probe["offset"].get<uint64_t>(), symbol["offset"].get<uint64_t>());
  EXPECT_TRUE(probe["instruction"].is_string());
  EXPECT_TRUE(probe["emulated"].is_boolean());
}

TEST(Symbols, GiveOneObjectForEachNameThatMatches) {
  const auto found = json_lines(kSelf, "dbtrace_test_[ae]*");
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0]["address"], found[1]["address"]);
  EXPECT_NE(found[0]["kind"] == "alias", found[1]["kind"] == "alias");
}

TEST(Symbols, ThatTakeNoProbeSayWhy) {
  const auto found = json_lines("/lib/x86_64-linux-gnu/libc.so.6", "memcpy@@GLIBC_2.14");
  if (found.empty()) GTEST_SKIP() << "this libc has no such function";
  EXPECT_EQ(found[0]["kind"], "ifunc");
  EXPECT_TRUE(found[0]["probe"].is_null());
  EXPECT_THAT(found[0]["reason"].get<std::string>(), HasSubstr("resolver"));
}

TEST(Symbols, AreToldInText) {
  const Outcome found = run(kSelf, "dbtrace_test_entry");
  EXPECT_EQ(found.code, 0);
  EXPECT_EQ(found.err, "");
  EXPECT_THAT(found.out, StartsWith("dbtrace_test_entry\n  raw      dbtrace_test_entry\n"));
  EXPECT_THAT(found.out, ::testing::ContainsRegex("  kind     (function|alias), [0-9]+ bytes\n"));
  EXPECT_THAT(found.out, HasSubstr(", file offset 0x"));
  EXPECT_THAT(found.out, HasSubstr(fmt::format(" of {}\n", kSelf)));
  EXPECT_THAT(found.out, HasSubstr("  probe    offset 0x"));
  EXPECT_THAT(found.out, HasSubstr("  also     dbtrace_test_alias"));
}

TEST(Symbols, ThatAreNotFoundHaveNeighbours) {
  const Outcome missed = run(kSelf, "dbtrace_test_entri");
  EXPECT_EQ(missed.code, 1);
  EXPECT_EQ(missed.out, "");
  EXPECT_THAT(missed.err, HasSubstr("defines no function 'dbtrace_test_entri'"));
  EXPECT_THAT(missed.err, HasSubstr("did you mean dbtrace_test_entry"));
}

TEST(Symbols, OfOtherLibrariesNameThem) {
  const Outcome missed = run(kSelf, "getpid");
  EXPECT_EQ(missed.code, 1);
  EXPECT_THAT(missed.err, HasSubstr("getpid is only used here; libc.so.6 (version GLIBC_"));
}

TEST(Symbols, TellWhereTheyWereLookedFor) {
  SymbolsOptions options;
  options.target = kSelf;
  options.pattern = "dbtrace_test_entry";
  options.where = true;
  options.debug.file = "/nonexistent.debug";
  const Outcome found = run(options);
  EXPECT_EQ(found.code, 0);
  EXPECT_THAT(found.out, StartsWith("symbols     .dynsym ("));
  EXPECT_THAT(found.out, HasSubstr("looked at   /nonexistent.debug: not there\n"));
  EXPECT_THAT(found.err, HasSubstr("/nonexistent.debug is not used: not there"));

  options.format = SymbolsFormat::Json;
  const Outcome json = run(options);
  EXPECT_THAT(json.out, StartsWith("{\"name\":"));
  EXPECT_THAT(json.err, HasSubstr("looked at   /nonexistent.debug: not there\n"));
}

TEST(Symbols, EndAsTheyShould) {
  EXPECT_EQ(run(kSelf, "/(/").code, 2);
  EXPECT_EQ(run(kSelf, "").code, 2);
  EXPECT_EQ(run("/nonexistent", "f").code, 1);
  EXPECT_EQ(run("no-program-is-called-so", "f").code, 1);
  EXPECT_EQ(run("999999999", "f").code, 1);
  EXPECT_EQ(run(fmt::format("{}", ::getpid()), "dbtrace_test_entry").code, 0);
}

TEST(Symbols, HaveACommandLine) {
  CLI::App app;
  SymbolsOptions options;
  add_symbols_command(app, options);
  app.parse("symbols mysqld f --format json --debug-dir /a --debug-dir /b --debuginfod");
  EXPECT_EQ(options.target, "mysqld");
  EXPECT_EQ(options.pattern, "f");
  EXPECT_EQ(options.format, SymbolsFormat::Json);
  EXPECT_THAT(options.debug.folders, ::testing::ElementsAre("/a", "/b"));
  EXPECT_TRUE(options.debug.debuginfod);
  EXPECT_THROW(app.parse("symbols mysqld"), CLI::ParseError);
  EXPECT_THROW(app.parse("symbols mysqld f --format xml"), CLI::ParseError);
}

// A process of a program with a name of its own.
class Sleeper {
 public:
  Sleeper() {
    char pattern[] = "/tmp/dbtrace-program-XXXXXX";
    folder_ = ::mkdtemp(pattern);
    std::filesystem::copy_file("/usr/bin/sleep", folder_ / name());
    pid_ = ::fork();
    if (pid_ == 0) {
      ::execl(path().c_str(), "called-otherwise", "60", nullptr);
      ::_exit(127);
    }
    while (std::filesystem::read_symlink(fmt::format("/proc/{}/exe", pid_)) != path())
      ::usleep(1000);
  }
  ~Sleeper() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    std::filesystem::remove_all(folder_);
  }
  Sleeper(const Sleeper&) = delete;
  Sleeper& operator=(const Sleeper&) = delete;
  const std::string& name() const { return name_; }
  pid_t pid() const { return pid_; }
  std::string path() const { return (folder_ / name()).string(); }

 private:
  std::string name_ = fmt::format("sleeper-{}", ::getpid());
  std::filesystem::path folder_;
  pid_t pid_ = 0;
};

TEST(ChooseProgram, TakesProcessesFilesAndNames) {
  const Sleeper sleeper;
  const auto by_name = choose_program(sleeper.name());
  ASSERT_TRUE(by_name.has_value());
  EXPECT_EQ(by_name->pid, static_cast<uint32_t>(sleeper.pid()));
  EXPECT_EQ(by_name->name, sleeper.path());
  EXPECT_EQ(by_name->root, fmt::format("/proc/{}/root", sleeper.pid()));
  const auto by_pid = choose_program(fmt::format("{}", sleeper.pid()));
  ASSERT_TRUE(by_pid.has_value());
  EXPECT_EQ(by_pid->attach_path, fmt::format("/proc/{}/exe", sleeper.pid()));
  const auto by_path = choose_program(sleeper.path());
  ASSERT_TRUE(by_path.has_value());
  EXPECT_EQ(by_path->pid, 0U);
  EXPECT_EQ(by_path->root, "");
}

TEST(ChooseProgram, AsksWhichOfSeveral) {
  const Sleeper one;
  const Sleeper other;  // a copy: another file of the same name
  const auto chosen = choose_program(one.name());
  ASSERT_FALSE(chosen.has_value());
  EXPECT_THAT(chosen.error().message, HasSubstr(fmt::format("{}", one.pid())));
  EXPECT_THAT(chosen.error().message, HasSubstr(fmt::format("{}", other.pid())));
}

}  // namespace
}  // namespace dbtrace::commands
