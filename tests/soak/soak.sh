#!/bin/bash
# A long soak of a dbtrace with sanitizers. `--help`.
set -euo pipefail
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=/dev/null
source "$repository/tests/lib/progress.sh"

usage() {
  cat <<'END_OF_USAGE'
Usage: tests/soak/soak.sh [--minutes N] [--plain]

Needs a finished build (./test.sh makes one). Builds dbtrace with AddressSanitizer and
UndefinedBehaviorSanitizer into build-sanitize/, and runs the test soak_tests with it for N
minutes (default 20): mixed load on MariaDB, MySQL 9 and PostgreSQL at once, every line of
`dbtrace queries --budget` held against what the clients did.

  --plain   the dbtrace of the finished build, without sanitizers
END_OF_USAGE
}

minutes=20 plain=no
while (($#)); do
  case $1 in
    --minutes) minutes=$2; shift ;;
    --plain) plain=yes ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
  shift
done
((EUID == 0)) || die "probing needs root"
soak=${build:-$repository/build}/tests/soak/soak_tests
[[ -x $soak ]] || die "build first: there is no $soak"

if [[ $plain == no ]]; then
  sanitized=$repository/build-sanitize
  say "building with sanitizers into $sanitized"
  # Debug information for file and line is enough, and optimising instrumented code takes an hour.
  quietly cmake -S "$repository" -B "$sanitized" -G Ninja -DDBTRACE_SANITIZE=ON -DDBTRACE_TESTS=OFF \
    -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS='-O0 -g1' \
    -DCMAKE_C_COMPILER_LAUNCHER="$(command -v ccache)" -DCMAKE_CXX_COMPILER_LAUNCHER="$(command -v ccache)"
  cmake --build "$sanitized" --target dbtrace >&2
  export DBTRACE_SOAK_PROGRAM=$sanitized/src/dbtrace
  # Sanitizers look at memory by way of pipes, and for leaks from another process.
  export DBTRACE_SANDBOX=off
  # Freed memory is kept from use for a while: a bounded one, or it would pass for growth.
  export ASAN_OPTIONS=quarantine_size_mb=8:malloc_context_size=8
fi
DBTRACE_SOAK_MINUTES=$minutes "$soak" --gtest_filter='Soak.*'
