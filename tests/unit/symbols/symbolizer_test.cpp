// Addresses of living processes, against what those say about themselves.
#include "symbols/symbolizer.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ctime>
#include <fstream>

#include "symbols/unique.h"
#include "tests/unit/symbols/fixture.h"
#include "tests/unit/symbols/tracee.h"

namespace dbtrace::symbols {
namespace {

namespace fs = std::filesystem;
using Kind = Symbolized::Kind;
using test::fixture;
using test::Tracee;

uint32_t own_pid() { return static_cast<uint32_t>(::getpid()); }

// "name+offset in module" or what else there is.
std::string text(const Symbolized& location) {
  switch (location.kind) {
    case Kind::Nowhere:
      return "nowhere";
    case Kind::ReturnProbe:
      return "return probe";
    case Kind::Module:
      return fmt::format("{}+{:#x}", location.module, location.module_offset);
    case Kind::Function:
      return fmt::format("{}+{:#x} in {}", location.function, location.function_offset,
                         location.module);
  }
  return "";
}

void expect_all_functions(Symbolizer& symbolizer, const Tracee& tracee, uint32_t pid,
                          const std::string& module) {
  const std::pair<const char*, const char*> functions[] = {
      {"method", "tracee::Thing::method"},
      {"hidden", "tracee::(anonymous namespace)::hidden"},
      {"exported", "exported"},
      {"internal", "internal"}};
  for (const auto& [name, function] : functions) {
    ASSERT_NE(tracee.address(name), 0U) << name;
    EXPECT_EQ(text(symbolizer.user(pid, tracee.address(name) + 1)),
              fmt::format("{}+0x1 in {}", function, module));
  }
}

TEST(Symbolizer, NamesTheFunctionsOfAProcess) {
  const Tracee tracee(fixture("tracee"));
  Symbolizer symbolizer;
  expect_all_functions(symbolizer, tracee, tracee.pid(), fixture("tracee"));
  const Symbolized location = symbolizer.user(tracee.pid(), tracee.address("hidden"));
  EXPECT_EQ(location.raw, "_ZN6tracee12_GLOBAL__N_16hiddenEi");
  EXPECT_EQ(location.module_offset,
            test::nm_address("", fixture("tracee"), "_ZN6tracee12_GLOBAL__N_16hiddenEi"));
}

TEST(Symbolizer, NamesThoseOfAnExecutableWithABase) {
  const Tracee tracee(fixture("tracee.static"));
  Symbolizer symbolizer;
  expect_all_functions(symbolizer, tracee, tracee.pid(), fixture("tracee.static"));
  EXPECT_EQ(symbolizer.user(tracee.pid(), tracee.address("exported")).module_offset,
            tracee.address("exported"));
}

TEST(Symbolizer, GivesModuleAndOffsetWhereNoTableKnows) {
  const Tracee tracee(fixture("tracee.stripped"));
  SymbolizerOptions options;
  options.debug_folders.clear();
  Symbolizer symbolizer(std::move(options));
  const uint64_t offset = test::nm_address("", fixture("tracee"), "_ZL8internali");
  ASSERT_NE(offset, 0U);
  EXPECT_EQ(text(symbolizer.user(tracee.pid(), tracee.address("internal"))),
            fmt::format("{}+{:#x}", fixture("tracee.stripped"), offset));
}

TEST(Symbolizer, ReadsTheDebugFile) {
  test::TemporaryFolder folder;
  test::copy_to(fixture("tracee.stripped"), folder / "tracee");
  test::copy_to(fixture("tracee.debug"), folder / "tracee.debug");
  const Tracee tracee((folder / "tracee").string());
  Symbolizer symbolizer;
  expect_all_functions(symbolizer, tracee, tracee.pid(), (folder / "tracee").string());
}

TEST(Symbolizer, NamesLibraryFunctions) {
  Symbolizer symbolizer;
  const Symbolized location =
      symbolizer.user(own_pid(), reinterpret_cast<uint64_t>(::dlsym(RTLD_DEFAULT, "getenv")) + 2);
  EXPECT_EQ(location.kind, Kind::Function);
  EXPECT_EQ(location.function, "getenv");
  EXPECT_EQ(location.function_offset, 2U);
  EXPECT_THAT(std::string(location.module), ::testing::HasSubstr("libc.so"));
}

TEST(Symbolizer, NamesTheVdso) {
  void* vdso = ::dlopen("linux-vdso.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (vdso == nullptr) GTEST_SKIP() << "this process has no vDSO that ld.so knows";
  const auto address = reinterpret_cast<uint64_t>(::dlsym(vdso, "__vdso_clock_gettime"));
  ASSERT_NE(address, 0U);
  Symbolizer symbolizer;
  EXPECT_EQ(text(symbolizer.user(own_pid(), address + 3)), "clock_gettime+0x3 in [vdso]");
  const Tracee tracee(fixture("tracee"));
  const uint64_t offset = symbolizer.user(own_pid(), address).module_offset;
  for (std::ifstream maps(fmt::format("/proc/{}/maps", tracee.pid())); maps;) {
    std::string line;
    std::getline(maps, line);
    if (!line.ends_with("[vdso]")) continue;
    EXPECT_EQ(text(symbolizer.user(tracee.pid(), std::stoull(line, nullptr, 16) + offset)),
              "clock_gettime+0x0 in [vdso]");
    return;
  }
  FAIL() << "the tracee has no vDSO";
}

TEST(Symbolizer, KnowsNothingWhereNoCodeIs) {
  const int on_the_stack = 0;
  Symbolizer symbolizer;
  EXPECT_EQ(text(symbolizer.user(own_pid(), 0)), "nowhere");
  EXPECT_EQ(text(symbolizer.user(own_pid(), reinterpret_cast<uint64_t>(&on_the_stack))), "nowhere");
  EXPECT_EQ(text(symbolizer.user(own_pid(), UINT64_MAX)), "nowhere");
  EXPECT_EQ(text(symbolizer.user(0, 0x1000)), "nowhere");
  EXPECT_FALSE(symbolizer.observe(0));
}

// bpftrace 246: nothing but numbers once the process had ended.
TEST(Symbolizer, RemembersAProcessThatHasEnded) {
  Tracee tracee(fixture("tracee"));
  const uint32_t pid = tracee.pid();
  Symbolizer symbolizer;
  ASSERT_TRUE(symbolizer.observe(pid));
  tracee.end();
  expect_all_functions(symbolizer, tracee, pid, fixture("tracee"));
  symbolizer.forget(pid);
  EXPECT_EQ(text(symbolizer.user(pid, tracee.address("exported"))), "nowhere");
}

// huatuo 912: the executable of a server that was upgraded while it runs.
TEST(Symbolizer, NamesFunctionsOfADeletedFile) {
  test::TemporaryFolder folder;
  const std::string path = (folder / "tracee").string();
  test::copy_to(fixture("tracee"), path);
  const Tracee tracee(path);
  fs::remove(path);
  test::copy_to(fixture("pie"), path);  // another file takes its place
  Symbolizer symbolizer;
  expect_all_functions(symbolizer, tracee, tracee.pid(), path);
}

TEST(Symbolizer, NoticesALibraryThatIsLoadedLater) {
  Tracee tracee(fixture("tracee"));
  Symbolizer symbolizer;
  ASSERT_TRUE(symbolizer.observe(tracee.pid()));
  tracee.ask("load", fixture("library.first"));
  EXPECT_EQ(text(symbolizer.user(tracee.pid(), tracee.address("loaded"))),
            fmt::format("first+0x0 in {}", fixture("library.first")));
}

// Two files of one path, one after the other: each has its own names.
TEST(Symbolizer, TellsFilesOfOnePathApart) {
  test::TemporaryFolder folder;
  const std::string path = (folder / "library.so").string();
  Symbolizer symbolizer;
  for (const char* name : {"first", "second"}) {
    test::copy_to(fixture(fmt::format("library.{}", name)), path);
    Tracee tracee(fixture("tracee"));
    tracee.ask("load", path);
    ASSERT_TRUE(symbolizer.observe(tracee.pid()));
    EXPECT_EQ(text(symbolizer.user(tracee.pid(), tracee.address("loaded"))),
              fmt::format("{}+0x0 in {}", name, path));
    fs::remove(path);
  }
}

TEST(Symbolizer, ReadsAgainWhatItDroppedForMemory) {
  const Tracee tracee(fixture("tracee"));
  const auto getenv_address = reinterpret_cast<uint64_t>(::dlsym(RTLD_DEFAULT, "getenv"));
  SymbolizerOptions options;
  options.memory_limit = 1;
  Symbolizer symbolizer(std::move(options));
  size_t most = 0;
  for (int round = 0; round < 3; ++round) {
    expect_all_functions(symbolizer, tracee, tracee.pid(), fixture("tracee"));
    const size_t one = symbolizer.memory();
    EXPECT_EQ(symbolizer.user(own_pid(), getenv_address).function, "getenv");
    const size_t other = symbolizer.memory();
    if (round == 0) most = std::max(one, other);
    EXPECT_LE(std::max(one, other), most);
  }
  Symbolizer roomy;
  EXPECT_EQ(roomy.user(own_pid(), getenv_address).function, "getenv");
  expect_all_functions(roomy, tracee, tracee.pid(), fixture("tracee"));
  EXPECT_GT(roomy.memory(), most);
}

void write_perf_map(const fs::path& path, uint64_t address, std::string_view name) {
  std::ofstream(path, std::ios::app) << fmt::format("{:x} 40 {}\n", address, name);
}

TEST(Symbolizer, NamesWhatACompilerWrote) {
  Tracee tracee(fixture("tracee"));
  tracee.ask("compile");
  const uint64_t code = tracee.address("compiled");
  ASSERT_NE(code, 0U);
  Symbolizer symbolizer;
  EXPECT_EQ(text(symbolizer.user(tracee.pid(), code + 8)), "[anon]+0x8");
  const std::string map = fmt::format("/tmp/perf-{}.map", tracee.pid());
  write_perf_map(map, code, "query plan.7 of _Z1fv");
  ASSERT_TRUE(symbolizer.observe(tracee.pid()));
  EXPECT_EQ(text(symbolizer.user(tracee.pid(), code + 8)),
            fmt::format("query plan.7 of _Z1fv+0x8 in {}", map));
  EXPECT_EQ(text(symbolizer.user(tracee.pid(), code + 0x40)), "[anon]+0x40");
  expect_all_functions(symbolizer, tracee, tracee.pid(), fixture("tracee"));
  fs::remove(map);
}

// As a container: its own root, mounts and process ids.
TEST(Symbolizer, LooksIntoContainers) {
  if (::geteuid() != 0) GTEST_SKIP() << "making namespaces needs root";
  test::TemporaryFolder folder;
  const std::string root = folder.path();
  Tracee tracee("/bin/tracee", [&root] {
    // Only the child of this process is in the new pid namespace.
    if (::unshare(CLONE_NEWNS | CLONE_NEWPID) != 0 ||
        ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("none", root.c_str(), "tmpfs", 0, nullptr) != 0) {
      return false;
    }
    test::copy_to(fixture("tracee.static"), root + "/bin/tracee");
    fs::create_directory(root + "/tmp");
    const pid_t child = ::fork();
    if (child > 0) ::waitpid(child, nullptr, 0);
    return child == 0 && ::chroot(root.c_str()) == 0 && ::chdir("/") == 0;
  });
  ASSERT_NE(tracee.pid(), 0U);
  EXPECT_FALSE(fs::exists(root + "/bin/tracee"));
  std::ifstream children(fmt::format("/proc/{0}/task/{0}/children", tracee.pid()));
  uint32_t inner = 0;
  ASSERT_TRUE(children >> inner);
  Symbolizer symbolizer;
  expect_all_functions(symbolizer, tracee, inner, root + "/bin/tracee");

  tracee.ask("compile");  // by the inner process, which calls itself 1
  write_perf_map(fmt::format("/proc/{}/root/tmp/perf-1.map", inner), tracee.address("compiled"),
                 "inside");
  ASSERT_TRUE(symbolizer.observe(inner));
  EXPECT_EQ(text(symbolizer.user(inner, tracee.address("compiled"))),
            "inside+0x0 in /tmp/perf-1.map");
}

// A probe on the return of `function` in `file`, only of that process.
UniqueFd probe_return(const std::string& file, uint64_t offset, uint32_t pid) {
  uint32_t type = 0;
  if (!(std::ifstream("/sys/bus/event_source/devices/uprobe/type") >> type)) return UniqueFd();
  perf_event_attr attributes{};
  attributes.size = sizeof(attributes);
  attributes.type = type;
  attributes.config = 1;  // format/retprobe: config:0
  attributes.uprobe_path = reinterpret_cast<uint64_t>(file.c_str());
  attributes.probe_offset = offset;
  return UniqueFd(static_cast<int>(
      ::syscall(SYS_perf_event_open, &attributes, pid, -1, -1, PERF_FLAG_FD_CLOEXEC)));
}

// cargo-trace 19: such an address was taken for code of the program.
TEST(Symbolizer, RecognisesTheTrampolineOfReturnProbes) {
  if (::geteuid() != 0) GTEST_SKIP() << "a return probe needs root";
  const std::string path = fixture("tracee");
  Tracee tracee(path);
  tracee.ask("return");
  Symbolizer symbolizer;
  EXPECT_EQ(symbolizer.user(tracee.pid(), tracee.address("returns")).function, "main");
  const ElfFile file = test::open_file(path);
  const auto offset = file.file_offset(test::nm_address("", path, "return_address"));
  ASSERT_TRUE(offset);
  const UniqueFd probe = probe_return(path, *offset, tracee.pid());
  if (!probe) GTEST_SKIP() << "no return probes: " << std::strerror(errno);
  tracee.ask("return");
  ASSERT_TRUE(symbolizer.observe(tracee.pid()));
  EXPECT_EQ(text(symbolizer.user(tracee.pid(), tracee.address("returns"))), "return probe");
}

TEST(Symbolizer, NamesKernelFunctions) {
  uint64_t address = 0;
  for (const std::string& line : test::output_of("grep ' [tT] vfs_read$' /proc/kallsyms")) {
    address = std::stoull(line, nullptr, 16);
  }
  if (address == 0) GTEST_SKIP() << "the kernel hides its addresses from this user";
  Symbolizer symbolizer;
  const Symbolized location = symbolizer.kernel(address + 1);
  EXPECT_EQ(text(location), "vfs_read+0x1 in [kernel]");
  EXPECT_EQ(location.module_offset, address + 1);
  EXPECT_EQ(symbolizer.kernel_error().message, "");
  EXPECT_EQ(text(symbolizer.kernel(1)), "nowhere");
}

}  // namespace
}  // namespace dbtrace::symbols
