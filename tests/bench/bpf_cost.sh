#!/bin/bash
# What a run of each of dbtrace's BPF programs costs, by the kernel's own clock
# (kernel.bpf_stats_enabled). `--help`.
set -euo pipefail
bench=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repository=$bench/../..
for part in progress apt_sources server_cache mysql9 servers; do
  # shellcheck source=/dev/null
  source "$repository/tests/lib/$part.sh"
done
# shellcheck source=/dev/null
source "$bench/lib.sh"
build=${build:-$repository/build}
cpu_clock=$build/tests/bench/cpu_clock

usage() {
  cat <<'END'
Usage: tests/bench/bpf_cost.sh [--seconds S] [--server mariadb|mysql9] [--dbtrace 'COMMAND OPTIONS']

Needs a finished build (./test.sh makes one), sysbench and bpftool. Attaches dbtrace
(default: 'queries --budget') to a server and prints for each of its programs how often
it ran and the nanoseconds a run took, the clock reads of the measurement included:
  server   under 4 threads of sysbench point-selects (texts of some 40 bytes)
  others   while only other processes change cores: what they pay
END
}

seconds=5 server=mariadb dbtrace='queries --budget'
while (($#)); do
  case $1 in
    --seconds) seconds=$2; shift ;;
    --server) server=$2; shift ;;
    --dbtrace) dbtrace=$2; shift ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
  shift
done
((EUID == 0)) || die "probing needs root"
[[ -x $build/src/dbtrace ]] || die "build first: $build has no dbtrace"

folder=$(mktemp -d)
server_pid= tracer_pid=
stats=/proc/sys/kernel/bpf_stats_enabled
stats_before=$(<"$stats")
clean_up() {
  echo "$stats_before" >"$stats"
  [[ -z $tracer_pid ]] || kill -INT "$tracer_pid" 2>/dev/null || true
  [[ -z $server_pid ]] || stop_server "$server_pid"
  rm -rf "$folder" "${server_folder:-}"
}
trap clean_up EXIT

# "ID NAME RUNS NS" of each program of our tracer, which is its loader.
programs() {
  bpftool --json prog show | tr '{' '\n' | awk -v ids="$1" '
    BEGIN { n = split(ids, list, " "); for (i = 1; i <= n; ++i) ours[list[i]] = 1 }
    match($0, /"id":[0-9]+/) {
      id = substr($0, RSTART + 5, RLENGTH - 5)
      if (!(id in ours)) next
      name = $0; sub(/.*"name":"/, "", name); sub(/".*/, "", name)
      runs = 0; ns = 0
      if (match($0, /"run_cnt":[0-9]+/)) runs = substr($0, RSTART + 10, RLENGTH - 10)
      if (match($0, /"run_time_ns":[0-9]+/)) ns = substr($0, RSTART + 14, RLENGTH - 14)
      print id, name, runs, ns
    }'
}

# The programs that a process has loaded, by the descriptors that it holds.
programs_of() {
  local info
  for info in /proc/"$1"/fdinfo/*; do awk '/^prog_id:/ { print $2 }' "$info" 2>/dev/null || true; done | sort -un | tr '\n' ' '
}

#   measure TITLE COMMAND…: how often the programs ran meanwhile, and how long
measure() {
  local title=$1
  shift
  programs "$ids" >"$folder/before"
  "$@"
  programs "$ids" >"$folder/after"
  awk -v title="$title" '
    NR == FNR { runs[$1] = $3; ns[$1] = $4; next }
    { n = $3 - runs[$1]; if (n > 0) printf "  %-8s %-20s %10d runs %8.0f ns\n", title, $2, n, ($4 - ns[$1]) / n }' \
    "$folder/before" "$folder/after"
}

load_server() { sysbench_load "$server_socket" --threads=4 --time="$seconds" run >"$folder/load"; }
load_others() { sysbench threads --threads=4 --thread-locks=1 --time="$seconds" run >/dev/null; }

case $server in
  mariadb) start_mariadb "$folder/mariadb" ;;
  mysql9) start_mysql9 ;;
  *) usage >&2; exit 2 ;;
esac
prepare_bench "$server_socket"
read -ra arguments <<<"$dbtrace"
"$build/src/dbtrace" "${arguments[@]}" -p "$server_pid" >/dev/null 2>"$folder/said" &
tracer_pid=$!
for ((i = 0; i < 200; ++i)); do
  ! grep -q attached "$folder/said" || break
  kill -0 "$tracer_pid" 2>/dev/null || die "dbtrace ended: $(cat "$folder/said")"
  sleep 0.1
done
ids=$(programs_of "$tracer_pid")
echo 1 >"$stats"
echo "dbtrace $dbtrace on $server:"
measure server load_server
measure others load_others
