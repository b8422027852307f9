# shellcheck shell=bash
# Oracle's MySQL 9 for the tests. Only Debian's unstable suite has it, and it
# needs that suite's libc, so it is unpacked, not installed, into a folder of its
# own and run in a chroot there.
# Needs: progress.sh apt_sources.sh server_cache.sh

mysql9_root=$server_cache/mysql9

# Makes $mysql9_root, once; fails (and says why) where it cannot be downloaded.
mysql9_fetch() { cached_server mysql9 mysql9_unpack; }

#   mysql9_unpack FOLDER
mysql9_unpack() {
  say "downloading MySQL 9 into $mysql9_root"
  if ! unpack_suite "$1" sid mysql-server-core,mysql-client-core; then
    say "MySQL 9 could not be downloaded"
    return 1
  fi
  if ! chroot "$1" /usr/sbin/mysqld --no-defaults --version >&2; then
    say "MySQL 9 was downloaded but does not run"
    return 1
  fi
}
