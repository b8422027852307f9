#!/bin/bash
# That what lies in contrib/ means something to those it is for.
#   contrib_test.sh rules|unit SOURCE     (exit status 77: no such program here)
set -euo pipefail
what=$1 source=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

wants() {
  command -v "$1" >/dev/null && return
  printf 'skipped: %s is not installed\n' "$1" >&2
  exit 77
}

check_rules() {
  wants promtool
  promtool check rules --lint=all --lint-fatal "$source/contrib/prometheus-rules.yml"
  sed "s,RULES,$source/contrib/prometheus-rules.yml," "$source/tests/contrib/rules.yml" >"$folder/rules.yml"
  promtool test rules "$folder/rules.yml"
}

# As if the program were installed where the unit wants it.
check_unit() {
  wants systemd-analyze
  sed "s,^ExecStart=[^ ]*,ExecStart=/bin/true," "$source/contrib/dbtrace-serve.service" >"$folder/dbtrace-serve.service"
  systemd-analyze verify --man=no "$folder/dbtrace-serve.service" 2>"$folder/said" || true
  # Of its own lines only: other units of the machine may have faults.
  ! grep dbtrace-serve "$folder/said"
}

"check_$what"
