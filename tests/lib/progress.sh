# shellcheck shell=bash
# How the entry scripts speak: progress goes to stderr, so that stdout carries
# only what a command was run for.

say() { printf '==> %s\n' "$*" >&2; }

die() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# Runs a command silently; shows what it printed only if it fails.
#   quietly COMMAND ARGUMENT…
quietly() {
  local log status=0
  log=$(mktemp)
  "$@" >"$log" 2>&1 || status=$?
  ((status == 0)) || tail -n 40 "$log" >&2
  rm -f "$log"
  return "$status"
}
