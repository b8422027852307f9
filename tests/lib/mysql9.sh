# shellcheck shell=bash
# Oracle's MySQL 9 for the tests. Only Debian's unstable suite has it, and it
# needs that suite's libc, so it is unpacked, not installed, into a folder of its
# own and run in a chroot there.
# Needs: progress.sh apt_sources.sh

mysql9_root=${DBTRACE_TEST_CACHE:-/var/cache/dbtrace-tests}/mysql9
# Written last, so that a folder without it is not taken for a whole one.
readonly mysql9_marker=.complete

# Makes $mysql9_root, once; fails (and says why) where it cannot be downloaded.
mysql9_fetch() {
  if [[ -e $mysql9_root/$mysql9_marker ]]; then
    mysql9_sweep
    return
  fi
  local cache
  cache=$(dirname "$mysql9_root")
  mkdir -p "$cache" && (
    flock 9
    [[ -e $mysql9_root/$mysql9_marker ]] && exit
    # What an interrupted run left.
    rm -rf --one-file-system "$mysql9_root" "$mysql9_root".new
    if mysql9_unpack "$mysql9_root.new"; then
      mv -T "$mysql9_root.new" "$mysql9_root"
    else
      rm -rf --one-file-system "$mysql9_root.new"
      exit 1
    fi
  ) 9>"$cache/lock"
}

# Removes the folders of servers whose owners were killed before they could:
# data-PID-XXXXXX, where PID is the owner's.
mysql9_sweep() {
  local folder owner
  for folder in "$mysql9_root"/data-*-*; do
    owner=${folder##*/data-}
    owner=${owner%%-*}
    [[ ! -d $folder || -d /proc/$owner ]] || rm -rf --one-file-system "$folder"
  done
}

#   mysql9_unpack FOLDER
mysql9_unpack() {
  local source link
  source=$(apt_source_line sid) || return
  say "downloading MySQL 9 into $mysql9_root"
  # The suite changes daily and mirrors lag: an expired index is good enough.
  if ! quietly mmdebstrap --variant=extract --include=mysql-server-core,mysql-client-core \
    --aptopt='Acquire::Check-Valid-Until "false"' sid "$1" "$source"; then
    say "MySQL 9 could not be downloaded"
    return 1
  fi
  # Unpacking runs no package scripts, so the merged /usr is up to us.
  for link in bin sbin lib lib64; do
    [[ -e $1/$link ]] || ln -s "usr/$link" "$1/$link"
  done
  if ! chroot "$1" /usr/sbin/mysqld --no-defaults --version >&2; then
    say "MySQL 9 was downloaded but does not run"
    return 1
  fi
  touch "$1/$mysql9_marker"
}
