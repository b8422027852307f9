#!/bin/bash
# How long it takes from a name to a probe's place. `--help` says more.
set -euo pipefail
bench=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repository=$bench/../..
for part in progress apt_sources server_cache mysql9; do
  # shellcheck source=/dev/null
  source "$repository/tests/lib/$part.sh"
done
build=${build:-$repository/build}

usage() {
  cat <<'END'
Usage: tests/bench/symbols.sh [--runs N] [--binary FILE] [--large FILE]

Needs a finished build (./test.sh makes one). Times whole processes, start to exit,
page cache warm, medians of N runs (default 15), and prints each as a ratio to
`dbtrace symbols FILE dispatch_command`.

  --binary FILE   a server; default: the MySQL 9 of the tests, else mariadbd
  --large FILE    a file with hundreds of MB of symbols and debug information, such as
                  vmlinux of a linux-image-*-dbg package
END
}

runs=15 large=
binary=$mysql9_root/usr/sbin/mysqld
[[ -e $binary ]] || binary=/usr/sbin/mariadbd
while (($#)); do
  case $1 in
    --runs) runs=$2; shift ;;
    --binary) binary=$2; shift ;;
    --large) large=$2; shift ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
  shift
done
dbtrace=$build/src/dbtrace
run_cost=$build/tests/bench/run_cost
[[ -x $dbtrace && -x $run_cost ]] || die "build first: $build has no dbtrace"
[[ -e $binary ]] || die "there is no $binary"

unset DEBUGINFOD_URLS
unit=
#   row WHAT COMMAND ARGUMENT…
row() {
  local what=$1 milliseconds megabytes
  shift
  "$run_cost" 2 "$@" >/dev/null || { say "$what: does not run"; return; }
  read -r milliseconds megabytes < <("$run_cost" "$runs" "$@")
  unit=${unit:-$milliseconds}
  awk -v what="$what" -v ms="$milliseconds" -v mb="$megabytes" -v unit="$unit" \
    'BEGIN { printf "%-46s %9.1f ms %8.1f x %8.1f MB\n", what, ms, ms / unit, mb }'
}

printf '%s (%s MB)\n' "$binary" "$(($(stat -Lc %s "$binary") / 1000000))"
row "dbtrace symbols dispatch_command" "$dbtrace" symbols "$binary" dispatch_command
row "dbtrace symbols '*dispatch*'" "$dbtrace" symbols "$binary" '*dispatch*'
# No part of it is long enough to pass over names unseen.
row "dbtrace symbols '*::*[d]i?pat*'" "$dbtrace" symbols "$binary" '*::*[d]i?pat*'
row "dbtrace symbols '/dispatch_[a-z]+/'" "$dbtrace" symbols "$binary" '/dispatch_[a-z]+/'
row "dbtrace --version" "$dbtrace" --version
row "nm -DC | grep dispatch_command" sh -c 'nm -DC "$1" | grep dispatch_command' sh "$binary"
! command -v bpftrace >/dev/null ||
  row "bpftrace -l uprobe:…:dispatch_command" bpftrace -l "uprobe:$binary:dispatch_command"
if [[ -n $large ]]; then
  unit=
  printf '%s (%s MB)\n' "$large" "$(($(stat -Lc %s "$large") / 1000000))"
  row "dbtrace symbols vfs_read" "$dbtrace" symbols "$large" vfs_read
  row "dbtrace symbols '*vfs_read*'" "$dbtrace" symbols "$large" '*vfs_read*'
  row "nm -C | grep vfs_read" sh -c 'nm -C "$1" | grep vfs_read' sh "$large"
fi
