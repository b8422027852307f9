# shellcheck shell=bash
# Measuring what tracing costs on a machine whose speed drifts: short slices of
# the same load, each way of tracing once a round in random order, differences
# taken within a round, medians of many rounds.
# Needs: ../lib/progress.sh; a built cpu_clock in $cpu_clock

bench_dir=$(dirname "${BASH_SOURCE[0]}")
cpu_clock=${cpu_clock:-$bench_dir/../../build/tests/bench/cpu_clock}

#   sysbench_load SOCKET ARGUMENT…   e.g. … --threads=4 --time=2 run
sysbench_load() {
  local socket=$1
  shift
  sysbench "${workload:-oltp_point_select}" --db-driver=mysql --mysql-socket="$socket" --mysql-user=root \
    --mysql-db=bench --tables=1 --table-size=10000 --db-ps-mode="${prepare_mode:-disable}" "$@"
}

#   prepare_bench SOCKET
prepare_bench() {
  mariadb --no-defaults --socket="$1" --user=root --execute='CREATE DATABASE IF NOT EXISTS bench' &&
    quietly sysbench_load "$1" prepare
}

# CPU time of the processes together, in ns.
#   cpu_ns PID…
cpu_ns() { "$cpu_clock" "$@" | awk '{ sum += $1 } END { printf "%.0f\n", sum }'; }

# Runs the load once and prints "QUERIES SECONDS SERVER_NS TRACER_NS": what the
# server and the tracer (no pid: none) used of CPU meanwhile.
#   measure_slice SOCKET SECONDS SERVER_PID [TRACER_PID…]
measure_slice() {
  local socket=$1 seconds=$2 server=$3 server_before tracer_before=0 server_after tracer_after=0 report
  shift 3
  server_before=$(cpu_ns "$server") || return
  (($# == 0)) || tracer_before=$(cpu_ns "$@") || return
  report=$(sysbench_load "$socket" --threads=4 --time="$seconds" run) || return
  server_after=$(cpu_ns "$server") || return
  (($# == 0)) || tracer_after=$(cpu_ns "$@") || return
  awk -v server=$((server_after - server_before)) -v tracer=$((tracer_after - tracer_before)) '
    /^ +total:/ { queries = $2 }
    /total time:/ { seconds = $3 + 0 }
    END { if (!queries) exit 1; print queries, seconds, server, tracer }' <<<"$report"
}

# The names in random order, one a line.
#   shuffled NAME…
shuffled() { printf '%s\n' "$@" | shuf; }

# Reads numbers, one a line, and prints "MEDIAN LOW HIGH": LOW and HIGH bound the
# median with 95 % confidence, as order statistics (no assumption about how the
# numbers are distributed). Fewer than 6 numbers give no such bounds: LOW and HIGH
# are then the smallest and the largest.
median_interval() {
  sort -g | awk '
    { value[NR] = $1 }
    END {
      if (NR == 0) exit 1
      median = NR % 2 ? value[(NR + 1) / 2] : (value[NR / 2] + value[NR / 2 + 1]) / 2
      # The largest k whose lower binomial tail P(X < k), X ~ B(NR, 1/2), is within 2.5 %.
      term = 0.5 ^ NR
      for (k = 0; (tail += term) <= 0.025; ++k) term *= (NR - k) / (k + 1)
      low = k < 1 ? 1 : k
      print median, value[low], value[NR + 1 - low]
    }'
}
