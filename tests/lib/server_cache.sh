# shellcheck shell=bash
# Servers that are unpacked, not installed, each into a folder of its own that is
# kept for the next run.
# Needs: progress.sh

server_cache=${DBTRACE_TEST_CACHE:-/var/cache/dbtrace-tests}
# Written last, so that a folder without it is not taken for a whole one.
readonly server_marker=.complete

# Makes the folder $server_cache/NAME, once: UNPACK FOLDER fills it. Fails where
# UNPACK does, which says why.
#   cached_server NAME UNPACK
cached_server() {
  local folder=$server_cache/$1 unpack=$2
  if [[ -e $folder/$server_marker ]]; then
    sweep_servers "$folder"
    return
  fi
  mkdir -p "$server_cache" && (
    flock 9
    [[ -e $folder/$server_marker ]] && exit
    # What an interrupted run left.
    rm -rf --one-file-system "$folder" "$folder".new
    if "$unpack" "$folder.new" && touch "$folder.new/$server_marker"; then
      mv -T "$folder.new" "$folder"
    else
      rm -rf --one-file-system "$folder.new"
      exit 1
    fi
  ) 9>"$server_cache/lock"
}

# Removes the folders of servers whose owners were killed before they could:
# data-PID-XXXXXX, where PID is the owner's.
sweep_servers() {
  local folder owner
  for folder in "$1"/data-*-*; do
    owner=${folder##*/data-}
    owner=${owner%%-*}
    [[ ! -d $folder || -d /proc/$owner ]] || rm -rf --one-file-system "$folder"
  done
}

# Unpacks PACKAGEs of another Debian suite, with what they depend on, as the root
# of a file system.
#   unpack_suite FOLDER SUITE PACKAGE,…
unpack_suite() {
  local source link
  source=$(apt_source_line "$2") || return
  # Suites change and mirrors lag: an expired index is good enough.
  quietly mmdebstrap --variant=extract --include="$3" \
    --aptopt='Acquire::Check-Valid-Until "false"' "$2" "$1" "$source" || return
  # Unpacking runs no package scripts, so the merged /usr is up to us.
  for link in bin sbin lib lib64; do
    [[ -e $1/$link ]] || ln -s "usr/$link" "$1/$link"
  done
}
