// Symbols from a real debuginfod server on the loopback interface.
#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "tests/unit/symbols/fixture.h"

namespace dbtrace::symbols {
namespace {

namespace fs = std::filesystem;
using test::fixture;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kServer = "/usr/bin/debuginfod";

// A port that nobody uses now.
int free_port() {
  const UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  if (::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), size) != 0) return 0;
  if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  return ntohs(address.sin_port);
}

class Server {
 public:
  Server(const fs::path& files, const fs::path& database) : port_(free_port()) {
    const std::string port = fmt::format("--port={}", port_);
    const std::string data = "--database=" + database.string();
    pid_ = ::fork();
    if (pid_ != 0) return;
    const int null = ::open("/dev/null", O_RDWR);
    ::dup2(null, 1);
    ::dup2(null, 2);
    ::execl(kServer, kServer, "--fdcache-prefetch=0", "--concurrency=1", "--scan-file-dir",
            port.c_str(), data.c_str(), files.c_str(), nullptr);
    ::_exit(127);
  }
  ~Server() {
    ::kill(pid_, SIGTERM);
    ::waitpid(pid_, nullptr, 0);
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  std::string url() const { return fmt::format("http://127.0.0.1:{}", port_); }

 private:
  int port_;
  pid_t pid_ = 0;
};

class Debuginfod : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_ / "cache");
    // A miss may be asked for again at once: the server needs a moment to scan.
    std::ofstream(folder_ / "cache" / "cache_miss_s") << "0\n";
    ::setenv("DEBUGINFOD_CACHE_PATH", (folder_ / "cache").c_str(), 1);
    ::setenv("DEBUGINFOD_TIMEOUT", "20", 1);
    ::unsetenv("DEBUGINFOD_URLS");
    test::copy_to(fixture("stripped"), folder_ / "bin/server");
    options_.debug_folders.clear();
    options_.debuginfod = symbols::Debuginfod::Always;
  }
  void TearDown() override {
    for (const char* name : {"DEBUGINFOD_CACHE_PATH", "DEBUGINFOD_TIMEOUT", "DEBUGINFOD_URLS"})
      ::unsetenv(name);
  }

  Matches find(std::string_view typed) {
    Finder finder = test::open_finder((folder_ / "bin/server").string(), options_);
    Matches matches = finder.match(*Pattern::parse(typed));
    attempts_ = finder.debug_file_attempts();
    return matches;
  }

  // Until the server has scanned its folder, a minute at most.
  Matches find_patiently(std::string_view typed) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    for (;;) {
      Matches matches = find(typed);
      if (!matches.locations.empty() || std::chrono::steady_clock::now() > deadline) return matches;
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
  }

  test::TemporaryFolder folder_;
  FinderOptions options_;
  std::vector<DebugFileAttempt> attempts_;
};

TEST_F(Debuginfod, GivesTheSymbolSectionsAndNoMore) {
  if (!fs::exists(kServer)) GTEST_SKIP() << kServer << " is not installed";
  test::copy_to(fixture("server.debug"), folder_ / "files/server.debug");
  const Server server(folder_ / "files", folder_ / "database");
  ::setenv("DEBUGINFOD_URLS", server.url().c_str(), 1);

  const Matches matches = find_patiently("static_function");
  ASSERT_THAT(matches.locations, SizeIs(1));
  const Location& location = matches.locations[0];
  EXPECT_EQ(location.address,
            test::nm_address("", fixture("server.debug"), "_ZL15static_functioni"));
  EXPECT_EQ(location.offset, test::open_file(fixture("stripped")).file_offset(location.address));
  EXPECT_EQ(location.names[0].table, ".symtab");
  EXPECT_EQ(location.names[0].file, "debuginfod " + server.url());
  ASSERT_FALSE(attempts_.empty());
  EXPECT_EQ(attempts_.back().path, "debuginfod " + server.url());
  EXPECT_EQ(attempts_.back().outcome, "used");
  for (const auto& entry : fs::recursive_directory_iterator(folder_ / "cache"))
    EXPECT_NE(entry.path().filename(), "debuginfo") << "the whole debug file was fetched";

  // Only when nothing else is found, where that is all that was asked for.
  options_.debuginfod = symbols::Debuginfod::IfNothingMatches;
  EXPECT_THAT(find("static_function").locations, SizeIs(1));
  EXPECT_TRUE(attempts_.back().used);
  options_.debuginfod = symbols::Debuginfod::Never;
  EXPECT_THAT(find("static_function").locations, IsEmpty());
}

TEST_F(Debuginfod, IsNotAskedForWhatIsHere) {
  ::setenv("DEBUGINFOD_URLS", "http://127.0.0.1:1", 1);
  test::copy_to(fixture("server.debug"), folder_ / "bin/server.debug");
  EXPECT_THAT(find("static_function").locations, SizeIs(1));
  for (const DebugFileAttempt& attempt : attempts_)
    EXPECT_THAT(attempt.path, ::testing::Not(HasSubstr("debuginfod")));
}

TEST_F(Debuginfod, ThatIsNotThereIsToldOf) {
  ::setenv("DEBUGINFOD_URLS", "http://127.0.0.1:1", 1);  // nobody listens there
  EXPECT_THAT(find("static_function").locations, IsEmpty());
  ASSERT_FALSE(attempts_.empty());
  EXPECT_EQ(attempts_.back().path, "debuginfod http://127.0.0.1:1");
  EXPECT_FALSE(attempts_.back().used);
  EXPECT_THAT(attempts_.back().outcome, HasSubstr(".symtab: "));
}

TEST_F(Debuginfod, NeedsAServerAndABuildId) {
  EXPECT_THAT(find("static_function").locations, IsEmpty());
  EXPECT_EQ(attempts_.back().outcome, "no server is named in DEBUGINFOD_URLS");
  fs::remove(folder_ / "bin/server");
  test::copy_to(fixture("no-id.stripped"), folder_ / "bin/server");
  EXPECT_THAT(find("static_function").locations, IsEmpty());
  EXPECT_THAT(attempts_.back().outcome, HasSubstr("no build-id"));
}

}  // namespace
}  // namespace dbtrace::symbols
