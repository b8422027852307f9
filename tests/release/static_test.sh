#!/bin/bash
# The static DBTRACE is one small file that traces from a root that holds nothing else.
#   static_test.sh DBTRACE STUB-SERVER
set -euo pipefail
dbtrace=$(realpath "$1")
stub=$(realpath "$2")
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
readonly most_bytes=$((12 * 1000 * 1000)) commands=30000

fail() {
  printf 'FAILED: %s\n' "$*" >&2
  exit 1
}

folder=$(mktemp -d)
stub_pid=
dbtrace_pid=
clean_up() {
  [[ -z $dbtrace_pid ]] || kill -KILL "$dbtrace_pid" 2>/dev/null || true
  [[ -z $stub_pid ]] || kill -KILL "$stub_pid" 2>/dev/null || true
  rm -rf --one-file-system "$folder"
}
trap clean_up EXIT

# Waits until FILE has a line with TEXT; the test's own limit is generous.
wait_for() {
  local file=$1 text=$2
  for ((i = 0; i < 1200; ++i)); do
    grep -qF -- "$text" "$file" 2>/dev/null && return
    sleep 0.1
  done
  cat "$folder"/*.err >&2
  fail "no \"$text\" in $file"
}

#   within ROOT ARGUMENT…: becomes dbtrace, in a root with /proc and /sys. The mounts are its own.
within() {
  # shellcheck disable=SC2016  # the inner shell's
  exec unshare --mount --propagation private sh -c '
    root=$1
    shift
    mount --rbind /proc "$root/proc" && mount --rbind /sys "$root/sys" && exec chroot "$root" /dbtrace "$@"
  ' sh "$@"
}

is_one_small_file() {
  local bytes
  bytes=$(stat -c %s "$dbtrace")
  printf '%d bytes\n' "$bytes"
  ((bytes <= most_bytes)) || fail "larger than $most_bytes bytes"
  if readelf --wide --segments --dynamic "$dbtrace" | grep -E 'INTERP|NEEDED'; then
    fail "needs a loader or libraries"
  fi
}

#   make_root NAME: empty but for dbtrace; says its path
make_root() {
  mkdir -p "$folder/$1/proc" "$folder/$1/sys"
  cp "$dbtrace" "$folder/$1/dbtrace"
  printf '%s\n' "$folder/$1"
}

traces_in() {
  local root=$1 name
  name=$(basename "$root")
  [[ $(within "$root" --version) == "dbtrace "* ]] || fail "$name: no version"

  "$stub" >"$folder/$name.stub" &
  stub_pid=$!
  wait_for "$folder/$name.stub" ready
  (within "$root" queries -p "$stub_pid" --format json) >"$folder/$name.json" 2>"$folder/$name.err" &
  dbtrace_pid=$!
  wait_for "$folder/$name.err" attached
  kill -USR2 "$stub_pid"
  wait_for "$folder/$name.stub" "done"
  kill -INT "$dbtrace_pid"
  wait "$dbtrace_pid" || fail "$name: dbtrace ended with $?: $(cat "$folder/$name.err")"
  dbtrace_pid=
  kill -TERM "$stub_pid"
  wait "$stub_pid" || fail "$name: the server was harmed"
  stub_pid=

  for ((i = 0; i < commands; ++i)); do printf "SELECT %d, '%d'\n" $i $i; done >"$folder/wanted"
  sed -n "s/.*\"query\":\"\(SELECT [0-9]*, '[0-9]*'\)\".*/\1/p" "$folder/$name.json" >"$folder/seen"
  cmp "$folder/wanted" "$folder/seen" || fail "$name: not each command once, in its order"
  tail -n 1 "$folder/$name.err"
}

# What needs a library says that there is none.
says_what_it_lacks() {
  local said
  said=$(DEBUGINFOD_URLS=http://127.0.0.1:1 within "$1" symbols /dbtrace main --debuginfod --where 2>&1) || true
  [[ $said == *"cannot load libdebuginfod.so.1: this dbtrace is one static file"* ]] || fail "debuginfod: $said"
}

is_one_small_file
empty=$(make_root empty)
traces_in "$empty"
says_what_it_lacks "$empty"
libc=$(make_root libc)
mapfile -t files < <(ldd /bin/true | grep -o '/[^ ]*')
cp --parents --dereference "${files[@]}" "$libc"
traces_in "$libc"
cmake -S "$repository" --preset release -B "$folder/release" -DCMAKE_EXPORT_COMPILE_COMMANDS=OFF >/dev/null
grep -q -- '-static-pie' "$folder/release/build.ninja" || fail "the preset release is not static"
