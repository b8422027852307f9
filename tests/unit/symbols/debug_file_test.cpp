// Where debug files are looked for, which are taken, and what is said of the others.
#include <elf.h>
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>

#include "symbols/finder.h"
#include "symbols/root.h"
#include "tests/unit/symbols/fixture.h"

namespace dbtrace::symbols {
namespace {

namespace fs = std::filesystem;
using test::fixture;
using test::open_finder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kStatic = "_ZL15static_functioni";

std::string build_id_path() {
  const std::string id = test::open_file(fixture("stripped")).build_id();
  return fmt::format(".build-id/{}/{}.debug", id.substr(0, 2), id.substr(2));
}

// A root with the stripped server at /usr/sbin/mysqld and debug files where a
// test puts them.
class DebugFiles : public ::testing::Test {
 protected:
  void install(std::string_view binary) { test::copy_to(fixture(binary), folder_ / kBinary); }

  // As a process on the host is seen: no root of its own, debug folder `debug`.
  FinderOptions on_host() const {
    FinderOptions options;
    options.debug_folders = {(folder_ / "debug").string()};
    return options;
  }

  // As a process in a container is seen.
  FinderOptions in_container() const {
    FinderOptions options;
    options.target_root = folder_.path();
    options.path_in_root = fmt::format("/{}", kBinary);
    return options;
  }

  // Searches the debug file; what came of it is in `found_` and `attempts_`.
  void search(FinderOptions options) {
    Finder finder = open_finder((folder_ / kBinary).string(), std::move(options));
    found_ = finder.functions("static_function");
    attempts_ = finder.debug_file_attempts();
    summary_ = finder.tables_summary();
    for (const Function& function : found_) {
      EXPECT_EQ(function.offset, finder.binary().file_offset(function.address));
    }
  }

  std::string outcome(const fs::path& path) const {
    for (const DebugFileAttempt& attempt : attempts_) {
      if (attempt.path == path) return attempt.outcome;
    }
    return "not tried";
  }

  static constexpr const char* kBinary = "usr/sbin/mysqld";
  test::TemporaryFolder folder_;
  std::vector<Function> found_;
  std::vector<DebugFileAttempt> attempts_;
  std::string summary_;
};

TEST_F(DebugFiles, AreFoundByBuildId) {
  install("stripped");
  const fs::path place = folder_ / "debug" / build_id_path();
  test::copy_to(fixture("server.debug"), place);
  search(on_host());
  ASSERT_THAT(found_, SizeIs(1));
  EXPECT_EQ(found_[0].address, test::nm_address("", fixture("server.debug"), kStatic));
  EXPECT_EQ(found_[0].table, ".symtab");
  EXPECT_EQ(found_[0].file, place);
  ASSERT_THAT(attempts_, SizeIs(1));
  EXPECT_TRUE(attempts_[0].used);
  EXPECT_THAT(summary_, HasSubstr(fmt::format(".symtab of {} (", place.string())));
}

// The offsets come from the binary: in the debug file, the same segment claims
// other bytes, and an offset from there would never fire.
TEST_F(DebugFiles, NeverLendTheirProgramHeaders) {
  install("stripped");
  test::Bytes debug = test::read_bytes(fixture("server.debug"));
  Elf64_Ehdr header;
  std::memcpy(&header, debug.data(), sizeof(header));
  std::fill_n(debug.begin() + static_cast<ptrdiff_t>(header.e_phoff),
              size_t{header.e_phnum} * header.e_phentsize, uint8_t{0});
  const fs::path place = folder_ / "debug" / build_id_path();
  fs::create_directories(place.parent_path());
  test::write_bytes(place, debug);
  search(on_host());
  ASSERT_THAT(found_, SizeIs(1));
  EXPECT_GT(found_[0].offset, 0U);
}

TEST_F(DebugFiles, AreFoundByDebugLinkInEachFolder) {
  for (const char* place : {"usr/sbin/server.debug", "usr/sbin/.debug/server.debug"}) {
    install("stripped");
    test::copy_to(fixture("server.debug"), folder_ / place);
    search(on_host());
    EXPECT_THAT(found_, SizeIs(1));
    EXPECT_EQ(outcome(folder_ / place), "used");
    fs::remove_all(folder_ / "usr");
  }
  install("stripped");
  const std::string mirrored =
      fmt::format("{}/debug{}/usr/sbin/server.debug", folder_.path(), folder_.path());
  test::copy_to(fixture("server.debug"), mirrored);
  search(on_host());
  EXPECT_THAT(found_, SizeIs(1));
  EXPECT_EQ(outcome(mirrored), "used");
}

TEST_F(DebugFiles, AreSoughtInOrderAndEveryPlaceIsTold) {
  install("stripped");
  search(on_host());
  EXPECT_THAT(found_, IsEmpty());
  std::vector<std::string> paths;
  for (const DebugFileAttempt& attempt : attempts_) {
    paths.push_back(attempt.path);
    EXPECT_EQ(attempt.outcome, "not there");
    EXPECT_FALSE(attempt.used);
  }
  const std::string root = folder_.path();
  EXPECT_THAT(paths,
              ElementsAre(fmt::format("{}/debug/{}", root, build_id_path()),
                          root + "/usr/sbin/server.debug", root + "/usr/sbin/.debug/server.debug",
                          fmt::format("{0}/debug{0}/usr/sbin/server.debug", root)));
}

TEST_F(DebugFiles, AreNotReadForWhatTheBinaryHas) {
  install("pie");
  Finder finder = open_finder((folder_ / kBinary).string(), on_host());
  EXPECT_THAT(finder.functions("dispatch_command"), SizeIs(1));
  EXPECT_FALSE(finder.has_symbol_with_prefix("nothing"));
  EXPECT_EQ(finder.data_address("nothing"), std::nullopt);
  EXPECT_THAT(finder.debug_file_attempts(), IsEmpty());
}

TEST_F(DebugFiles, OfAnotherBuildAreRefused) {
  install("stripped");
  const fs::path place = folder_ / "debug" / build_id_path();
  test::copy_to(fixture("exec"), place);
  test::copy_to(fixture("no-id.debug"), folder_ / "usr/sbin/server.debug");
  search(on_host());
  EXPECT_THAT(found_, IsEmpty());
  EXPECT_THAT(outcome(place),
              HasSubstr("build-id differs: " + test::open_file(fixture("exec")).build_id()));
  EXPECT_THAT(outcome(folder_ / "usr/sbin/server.debug"), HasSubstr("has no build-id"));
}

TEST_F(DebugFiles, WithoutSymbolsAreRefused) {
  install("stripped");
  const fs::path place = folder_ / "debug" / build_id_path();
  test::copy_to(fixture("stripped"), place);  // a copy: another inode, the same build-id
  search(on_host());
  EXPECT_EQ(outcome(place), "no .symtab");
}

TEST_F(DebugFiles, WithoutBuildIdAreVerifiedByCrc) {
  install("no-id.stripped");
  const fs::path place = folder_ / "usr/sbin/no-id.debug";
  test::copy_to(fixture("no-id.debug"), place);
  search(on_host());
  EXPECT_THAT(found_, SizeIs(1));
  EXPECT_EQ(outcome(place), "used");

  test::Bytes changed = test::read_bytes(place);
  changed.push_back(0);  // still a sound ELF file
  test::write_bytes(place, changed);
  search(on_host());
  EXPECT_THAT(found_, IsEmpty());
  EXPECT_THAT(outcome(place), HasSubstr("CRC differs"));
}

TEST_F(DebugFiles, ThatAreTheBinaryItselfAreSkipped) {
  install("no-id.stripped");
  const fs::path place = folder_ / "usr/sbin/no-id.debug";
  fs::create_hard_link(folder_ / kBinary, place);
  search(on_host());
  EXPECT_EQ(outcome(place), "is the binary itself");

  fs::remove(place);
  fs::create_symlink("mysqld", place);
  search(on_host());
  EXPECT_EQ(outcome(place), "is the binary itself");
}

TEST_F(DebugFiles, AreNeverFoundThroughALinkWithASlash) {
  test::Bytes binary = test::read_bytes(fixture("no-id.stripped"));
  test::replace_text(binary, "no-id.debug", "x/.id.debug");
  fs::create_directories(folder_ / "usr/sbin/x");
  test::write_bytes(folder_ / kBinary, binary);
  test::copy_to(fixture("no-id.debug"), folder_ / "usr/sbin/x/.id.debug");
  search(on_host());
  EXPECT_THAT(found_, IsEmpty());
  ASSERT_THAT(attempts_, SizeIs(1));
  EXPECT_THAT(outcome("x/.id.debug"), HasSubstr("refused"));
}

TEST_F(DebugFiles, ThatAreNoElfFilesAreTold) {
  install("stripped");
  fs::create_directories(folder_ / "usr/sbin/server.debug");
  test::write_bytes(folder_ / "usr/sbin/.debug", {'x'});
  search(on_host());
  EXPECT_THAT(outcome(folder_ / "usr/sbin/server.debug"), HasSubstr("not a regular file"));
  EXPECT_EQ(outcome(folder_ / "usr/sbin/.debug/server.debug"), "Not a directory");
}

TEST_F(DebugFiles, OfAContainerComeFirst) {
  install("stripped");
  FinderOptions options = in_container();
  const std::string host_folder = (folder_ / "host").string();
  options.debug_folders = {host_folder};
  const std::string host_place = fmt::format("{}/{}", host_folder, build_id_path());
  test::copy_to(fixture("server.debug"), host_place);
  const std::string inner_place = folder_.path() + host_place;
  search(options);
  EXPECT_EQ(outcome(inner_place), "not there");
  EXPECT_EQ(outcome(host_place), "used");

  test::copy_to(fixture("server.debug"), inner_place);
  search(options);
  EXPECT_EQ(outcome(inner_place), "used");
  EXPECT_EQ(outcome(host_place), "not tried");
}

TEST_F(DebugFiles, OfAContainerAreFoundByDebugLink) {
  install("stripped");
  test::copy_to(fixture("server.debug"), folder_ / "usr/lib/debug/usr/sbin/server.debug");
  search(in_container());
  EXPECT_THAT(found_, SizeIs(1));
  EXPECT_EQ(outcome(folder_ / "usr/sbin/server.debug"), "not there");
  EXPECT_EQ(outcome(folder_ / "usr/lib/debug/usr/sbin/server.debug"), "used");
}

// A chroot as the kernel reports it: the root and the binary by their host paths.
TEST_F(DebugFiles, OfAChrootNeedNoPathInRoot) {
  install("stripped");
  test::copy_to(fixture("server.debug"), folder_ / "usr/lib/debug/usr/sbin/server.debug");
  FinderOptions options = in_container();
  options.path_in_root.clear();
  search(options);
  EXPECT_THAT(found_, SizeIs(1));
  EXPECT_EQ(outcome(folder_ / "usr/lib/debug/usr/sbin/server.debug"), "used");
}

TEST_F(DebugFiles, CannotBeLinksOutOfTheContainer) {
  install("stripped");
  const test::TemporaryFolder outside;
  test::copy_to(fixture("server.debug"), outside / "server.debug");
  const fs::path place = folder_ / "usr/sbin/server.debug";
  fs::create_symlink(outside / "server.debug", place);
  fs::create_directories(folder_ / "usr/sbin/.debug");
  fs::create_symlink("../../../../../../../../.." / (outside / "server.debug").relative_path(),
                     folder_ / "usr/sbin/.debug/server.debug");
  search(in_container());
  EXPECT_THAT(found_, IsEmpty());
  EXPECT_EQ(outcome(place), "not there");
  EXPECT_EQ(outcome(folder_ / "usr/sbin/.debug/server.debug"), "not there");

  // The same links do work where they stay inside.
  fs::remove(place);
  test::copy_to(fixture("server.debug"), folder_ / "opt/server.debug");
  fs::create_symlink("/opt/server.debug", place);
  search(in_container());
  EXPECT_EQ(outcome(place), "used");
}

TEST_F(DebugFiles, OfTheUserComeFirst) {
  install("stripped");
  test::copy_to(fixture("server.debug"), folder_ / "usr/sbin/server.debug");
  FinderOptions options = on_host();
  options.debug_file = (folder_ / "mine").string();
  search(options);
  EXPECT_EQ(outcome(folder_ / "mine"), "not there");
  EXPECT_EQ(outcome(folder_ / "usr/sbin/server.debug"), "used");

  test::copy_to(fixture("exec"), folder_ / "mine");
  search(options);
  EXPECT_THAT(outcome(folder_ / "mine"), HasSubstr("build-id differs"));
  EXPECT_EQ(outcome(folder_ / "usr/sbin/server.debug"), "used");

  fs::remove(folder_ / "mine");
  test::copy_to(fixture("server.debug"), folder_ / "mine");
  search(options);
  EXPECT_EQ(outcome(folder_ / "mine"), "used");
  EXPECT_EQ(outcome(folder_ / "usr/sbin/server.debug"), "not tried");
}

TEST_F(DebugFiles, AreFoundInTheUsersFolders) {
  for (const std::string& place :
       {"mine/" + build_id_path(), fmt::format("mine{}/usr/sbin/server.debug", folder_.path()),
        std::string("mine/server.debug")}) {
    install("stripped");
    test::copy_to(fixture("server.debug"), folder_ / place);
    FinderOptions options = on_host();
    options.user_debug_folders = {(folder_ / "mine").string()};
    search(options);
    EXPECT_THAT(found_, SizeIs(1)) << place;
    EXPECT_EQ(outcome(folder_ / place), "used");
    fs::remove_all(folder_ / "usr");
    fs::remove_all(folder_ / "mine");
  }
}

// As RPMs install them: for a binary without a link, by its own path.
TEST_F(DebugFiles, AreFoundByTheBinarysPathWhereThereIsNoLink) {
  test::copy_to(fixture("pie.exported"), folder_ / kBinary);
  const std::string place =
      fmt::format("{0}/debug{0}/{1}.debug", folder_.path(), std::string(kBinary));
  test::copy_to(fixture("pie"), place);
  search(on_host());
  EXPECT_THAT(found_, SizeIs(1));
  EXPECT_EQ(outcome(place), "used");
}

TEST_F(DebugFiles, ThatNothingProvesAreRefused) {
  test::Bytes binary = test::read_bytes(fixture("no-id.stripped"));
  test::replace_text(binary, ".gnu_debuglink", ".gnu_debugxxxx");
  fs::create_directories(folder_ / "usr/sbin");
  test::write_bytes(folder_ / kBinary, binary);
  FinderOptions options = on_host();
  options.debug_file = fixture("no-id.debug");
  search(options);
  EXPECT_THAT(found_, IsEmpty());
  EXPECT_THAT(outcome(fixture("no-id.debug")), HasSubstr("cannot be verified"));
}

TEST(OpenInRoot, SaysWhatIsWrong) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(open_in_root(folder.path(), "/absent").error().message, "not there");
  EXPECT_EQ(open_in_root((folder / "no-root").string(), "/x").error().message,
            fmt::format("{}/no-root: No such file or directory", folder.path()));
  fs::create_symlink("loop", folder / "loop");
  EXPECT_THAT(open_in_root(folder.path(), "/loop").error().message, HasSubstr("symbolic links"));
  fs::create_symlink("/proc/self/exe", folder / "exe");
  EXPECT_TRUE(open_in_root("", (folder / "exe").string()).has_value());
  EXPECT_FALSE(open_in_root("/", (folder / "exe").string()).has_value());  // a magic link
}

}  // namespace
}  // namespace dbtrace::symbols
