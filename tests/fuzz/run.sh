#!/bin/bash
# Runs a fuzzer on its saved inputs and what it makes of them.
#   run.sh .../fuzz_NAME [LIBFUZZER-OPTION...]
# Inputs that reach new code are kept in $FUZZ_CORPUS, if that is set. What crashes,
# hangs or needs too much memory is printed and kept in the current folder; it
# becomes a unit test.
set -euo pipefail
program=$1
shift
name=${program##*/fuzz_}
saved=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/corpus/$name
found=${FUZZ_CORPUS:-$(mktemp -d)}
[[ -n ${FUZZ_CORPUS:-} ]] || trap 'rm -rf "$found"' EXIT
"$program" -timeout=10 -rss_limit_mb=2048 -malloc_limit_mb=1024 -print_final_stats=1 "$@" "$found" "$saved"
