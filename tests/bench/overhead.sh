#!/bin/bash
# What tracing costs: CPU time per query of server and tracer under sysbench
# point-selects, with nothing attached and with each way of tracing. `--help`.
set -euo pipefail
bench=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repository=$bench/../..
for part in progress apt_sources server_cache mysql9 postgres_versions servers; do
  # shellcheck source=/dev/null
  source "$repository/tests/lib/$part.sh"
done
# shellcheck source=/dev/null
source "$bench/lib.sh"
# shellcheck source=/dev/null
source "$bench/postgres.sh"
build=${build:-$repository/build}
cpu_clock=$build/tests/bench/cpu_clock

usage() {
  cat <<'END'
Usage: tests/bench/overhead.sh [--rounds N] [--seconds S] [--server mariadb|mysql9|postgres] [--prepared] [--options]
       [--ways "WAY…"] [--workload oltp_point_select|oltp_read_write|oltp_write_only]

Needs a finished build (./test.sh makes one). In each of N rounds (default 20) every
way of tracing gets one slice of S seconds (default 2), in random order, of sysbench
point-selects from 4 threads. Prints for each way the medians over the rounds of
CPU µs per query (server + tracer) and of queries per second, and the median, with
its 95 % interval, of what it adds to "nothing" within a round.

  nothing    no probe
  floor      an empty entry/return pair where dbtrace puts its own
  symbol     the same pair on the function's first instruction
  dbtrace    dbtrace queries --format json -o /dev/null
  bpftrace   a script that prints text and latency of each query, to /dev/null

For postgres (Debian's), the load is pgbench -S (-M prepared with --prepared) and the server's
CPU time that of all its processes.

With --options also what dbtrace's options cost:
  rows        --rows-examined
  statements  --statements
  budget      --budget
  no-files    --budget --file-io none
  record      dbtrace record, which has the budget, too

  histogram   dbtrace histogram: counted by kind in the kernel
  stacks      dbtrace stacks: of queries of 100 ms and more, which there are none of
  slow-budget --budget of queries of 100 ms and more: what stacks adds to

--ways takes only these, besides "nothing" and "floor". --workload is a sysbench test; of
one whose transactions have several queries, the figures are for each query.
END
}

rounds=20 seconds=2 servers=(mariadb mysql9) prepare_mode=disable options=() only=()
while (($#)); do
  case $1 in
    --rounds) rounds=$2; shift ;;
    --seconds) seconds=$2; shift ;;
    --server) servers=("$2"); shift ;;
    --prepared) prepare_mode=auto ;;
    --options) options=(rows statements budget no-files) ;;
    --workload) workload=$2; shift ;;
    --ways) read -ra only <<<"$2"; shift ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
  shift
done
((EUID == 0)) || die "probing needs root"
[[ -x $build/src/dbtrace && -x $build/tests/bench/floor ]] || die "build first: $build has no dbtrace"

folder=$(mktemp -d)
server_pid=
tracer_pid=
clean_up() {
  [[ -z $tracer_pid ]] || kill "$tracer_pid" 2>/dev/null || true
  [[ -z $server_pid ]] || stop_server "$server_pid"
  rm -rf "$folder" "${server_folder:-}"
}
trap clean_up EXIT

# What people write today: probes on the symbol (bpftrace puts no return probe elsewhere).
bpftrace_script() {
  local server=$1 pid=$2 symbol text
  case $server in
    postgres) postgres_bpftrace_script "$pid"; return ;;
  esac
  symbol=$("$build/src/dbtrace" queries -p "$pid" --explain | sed -n 's/^ *\(_Z16dispatch_command[^,]*\),.*/\1/p')
  case $server in
    mariadb) text='str(arg2)' ;;
    mysql9) text='str(*(uint64*)arg1)' ;;
  esac
  cat <<END
uprobe:/proc/$pid/exe:$symbol { @begin[tid] = nsecs; @text[tid] = $text; }
uretprobe:/proc/$pid/exe:$symbol /@begin[tid]/ {
  printf("%d %s\n", (nsecs - @begin[tid]) / 1000, @text[tid]);
  delete(@begin[tid]); delete(@text[tid]);
}
END
}

#   start_tracer WAY SERVER PID: sets tracer_pid, returns when it is attached
start_tracer() {
  local way=$1 server=$2 pid=$3 said=$folder/tracer.log only_process=(-p "$3")
  local dbtrace=("$build/src/dbtrace" queries -p "$pid" --format json -o /dev/null)
  : >"$said"
  tracer_pid=
  case $way in
    nothing) return ;;
    floor) "$build/tests/bench/floor" "$pid" 2>"$said" & ;;
    symbol) "$build/tests/bench/floor" "$pid" --at-symbol 2>"$said" & ;;
    dbtrace) "${dbtrace[@]}" 2>"$said" & ;;
    rows) "${dbtrace[@]}" --rows-examined 2>"$said" & ;;
    statements) "${dbtrace[@]}" --statements 2>"$said" & ;;
    budget) "${dbtrace[@]}" --budget 2>"$said" & ;;
    no-files) "${dbtrace[@]}" --budget --file-io none 2>"$said" & ;;
    record) "$build/src/dbtrace" record -o "$folder/recording" --max-rate 0 -p "$pid" 2>"$said" & ;;
    stacks) "$build/src/dbtrace" stacks --format json -p "$pid" >/dev/null 2>"$said" & ;;
    slow-budget) "${dbtrace[@]}" --budget --slower-than 100ms 2>"$said" & ;;
    histogram) "$build/src/dbtrace" histogram -p "$pid" >/dev/null 2>"$said" & ;;
    bpftrace)
      bpftrace_script "$server" "$pid" >"$folder/script.bt"
      [[ $server != postgres ]] || only_process=() # its sessions are processes
      bpftrace "${only_process[@]}" "$folder/script.bt" >"$folder/bpftrace.out" 2>"$said" &
      ;;
  esac
  tracer_pid=$!
  local i
  for ((i = 0; i < 200; ++i)); do
    if [[ $way == bpftrace ]]; then
      ! grep -q Attaching "$folder/bpftrace.out" 2>/dev/null || { sleep 0.5; return; }
    elif grep -q attached "$said"; then
      return
    fi
    kill -0 "$tracer_pid" 2>/dev/null || die "$way ended: $(cat "$said")"
    sleep 0.05
  done
  die "$way did not attach: $(cat "$said")"
}

stop_tracer() {
  [[ -n $tracer_pid ]] || return 0
  kill -INT "$tracer_pid" 2>/dev/null || true
  kill -TERM "$tracer_pid" 2>/dev/null || true
  wait "$tracer_pid" 2>/dev/null || true
  tracer_pid=
  : >"$folder/bpftrace.out"
}

#   report SERVER: from lines "ROUND WAY QUERIES SECONDS SERVER_NS TRACER_NS"
report() {
  local way
  printf '%s\n' "$1, $rounds rounds of $seconds s, sysbench ${workload:-oltp_point_select}, 4 threads (ps-mode $prepare_mode)"
  printf '  %-10s %12s %12s %12s   %s\n' way 'CPU µs/query' 'of it tracer' 'queries/s' 'adds µs/query (95 %)'
  for way in "${ways[@]}"; do
    local cpu tracer rate added
    cpu=$(awk -v way="$way" '$2 == way { print ($5 + $6) / $3 / 1000 }' "$folder/slices" | median_interval | cut -d' ' -f1)
    tracer=$(awk -v way="$way" '$2 == way { print $6 / $3 / 1000 }' "$folder/slices" | median_interval | cut -d' ' -f1)
    rate=$(awk -v way="$way" '$2 == way { print $3 / $4 }' "$folder/slices" | median_interval | cut -d' ' -f1)
    added=$(added_over nothing "$way" | median_interval)
    awk -v way="$way" -v cpu="$cpu" -v tracer="$tracer" -v rate="$rate" -v added="$added" 'BEGIN {
      split(added, a, " ")
      printf "  %-10s %12.2f %12.2f %12.0f", way, cpu, tracer, rate
      if (way != "nothing") printf "   %+.2f [%+.2f … %+.2f]", a[1], a[2], a[3]
      print "" }'
  done
  for way in "${ways[@]}"; do
    [[ $way != nothing && $way != floor ]] || continue
    printf '  %s beyond the floor: %s µs/query (median, 95 %% interval)\n' "$way" \
      "$(added_over floor "$way" | median_interval | awk '{ printf "%+.2f [%+.2f … %+.2f]", $1, $2, $3 }')"
  done
  if [[ " ${ways[*]} " == *" bpftrace "* ]]; then
    local ours theirs
    ours=$(added_over nothing dbtrace | median_interval | cut -d' ' -f1)
    theirs=$(added_over nothing bpftrace | median_interval | cut -d' ' -f1)
    awk -v ours="$ours" -v theirs="$theirs" 'BEGIN { printf "  dbtrace adds %.0f %% of what bpftrace adds\n", 100 * ours / theirs }'
  fi
}

# The differences in CPU µs per query between two ways, one for each round.
#   added_over BASE WAY
added_over() {
  awk -v base="$1" -v way="$2" '
    { cost = ($5 + $6) / $3 / 1000 }
    $2 == base { before[$1] = cost }
    $2 == way { after[$1] = cost }
    END { for (round in after) if (round in before) print after[round] - before[round] }' "$folder/slices"
}

ways=(nothing floor symbol dbtrace "${options[@]}")
if ((${#only[@]})); then
  ways=(nothing floor "${only[@]}")
elif command -v bpftrace >/dev/null; then ways+=(bpftrace); else say "no bpftrace here: left out"; fi

for server in "${servers[@]}"; do
  say "starting $server"
  measure=measure_slice
  [[ $server != postgres ]] || measure=measure_postgres_slice
  case $server in
    mariadb) start_mariadb "$folder/mariadb" ;;
    mysql9) start_mysql9 ;;
    postgres) start_postgres "$folder/postgres" ;;
  esac
  [[ $server == postgres ]] || prepare_bench "$server_socket"
  : >"$folder/slices"
  for ((round = 1; round <= rounds; ++round)); do
    say "$server: round $round of $rounds"
    for way in $(shuffled "${ways[@]}"); do
      start_tracer "$way" "$server" "$server_pid"
      slice=$("$measure" "$server_socket" "$seconds" "$server_pid" ${tracer_pid:+"$tracer_pid"}) ||
        die "the load failed while measuring $way"
      stop_tracer
      printf '%s %s %s\n' "$round" "$way" "$slice" >>"$folder/slices"
    done
  done
  report "$server"
  stop_server "$server_pid"
  server_pid=
done
