#!/bin/bash
# dbtrace beside the other ways to see a server's queries: what each costs, and what it records.
# `--help`.
set -euo pipefail
bench=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repository=$bench/../..
for part in progress apt_sources server_cache servers; do
  # shellcheck source=/dev/null
  source "$repository/tests/lib/$part.sh"
done
# shellcheck source=/dev/null
source "$bench/lib.sh"
build=${build:-$repository/build}
cpu_clock=$build/tests/bench/cpu_clock

usage() {
  cat <<'END_OF_USAGE'
Usage: tests/bench/peers.sh [--rounds N] [--seconds S] [--ways "WAY…"]

Needs a finished build (./test.sh makes one), sysbench, and of the peers what there is
(Debian: bpftrace bpfcc-tools libbpf-tools, linux-headers-amd64 for bcc). In each of N rounds
(default 5) every way gets one slice of S seconds (default 3), in random order, of sysbench
point-selects from 4 threads on MariaDB, each query with a number of its own.

  queries      dbtrace queries --format json
  budget       dbtrace queries --format json --budget
  histogram    dbtrace histogram --format json
  bpftrace     a script that prints text and latency of each query
  dbslower     bcc's, by uprobes, threshold 0
  dbslower-usdt, qslower   bcc's dbslower and mysqld_qslower, by static probes
  funclatency  libbpf-tools': a histogram of one function's latency
  slow-log     MariaDB's slow log with long_query_time=0
  general-log  MariaDB's general log
  history      performance_schema, events_statements_history_long

Prints medians over the rounds, [with a 95 % interval]: throughput as a share of "nothing" in the
same round; CPU µs a query that the server uses beyond "nothing"; those that the tracer uses; its
peak of resident memory; ms from its start to the first probe in the server's code (a log: to the
end of the SQL that turns it on); the share of the executed queries that the record has (the least
of all rounds). And, tried once: how many bytes of a text of 20,000 there are, and whether the
executions of a prepared statement are there with its text. Ways that do not start are named with
what they said.
END_OF_USAGE
}

rounds=5 seconds=3
ways=(queries budget histogram bpftrace dbslower dbslower-usdt qslower funclatency slow-log general-log history)
while (($#)); do
  case $1 in
    --rounds) rounds=$2; shift ;;
    --seconds) seconds=$2; shift ;;
    --ways) read -ra ways <<<"$2"; shift ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
  shift
done
((EUID == 0)) || die "probing needs root"
[[ -x $build/src/dbtrace && -x $cpu_clock ]] || die "build first: $build has no dbtrace"

folder=$(mktemp -d)
record=$folder/record said=$folder/said peer_pid=
# shellcheck source=/dev/null
source "$bench/peer_ways.sh"
servers=()
clean_up() {
  [[ -z $peer_pid ]] || kill "$peer_pid" 2>/dev/null || true
  for server in "${servers[@]}"; do stop_server "$server"; done
  rm -rf "$folder"
}
trap clean_up EXIT

# A copy: dbslower watches every process of the file.
mkdir "$folder/bin"
cp "$(command -v mariadbd)" "$folder/bin"
PATH=$folder/bin:$PATH
#   start NAME [SERVER-ARGUMENT…]
start() {
  local name=$1
  shift
  start_mariadb "$folder/$name" "$@"
  servers+=("$server_pid")
  prepare_bench "$server_socket"
}

# performance_schema is there from the server's start, or never: a server of its own.
use_server_of() {
  if [[ $1 == history ]]; then
    server_pid=$pid_with_history server_socket=$folder/with-history/socket
  else
    server_pid=$pid_plain server_socket=$folder/plain/socket
  fi
}

# The dispatch function's code as it is in the server now: a probe changes its first byte.
code() {
  dd if="/proc/$server_pid/mem" iflag=skip_bytes,count_bytes bs=64K status=none \
    skip=$((0x$(sed -n '1s/-.*//p' "/proc/$server_pid/maps") + address)) count="$size"
}

probed() { ! cmp -s <(code) "$folder/code"; }
clean() { cmp -s <(code) "$folder/code"; }
# Fails if the condition does not come, or the tracer ends before.
#   wait_until CONDITION
wait_until() {
  local tries
  for ((tries = 0; tries < 6000; ++tries)); do
    ! "$1" || return 0
    [[ -z $peer_pid ]] || kill -0 "$peer_pid" 2>/dev/null || return 1
    sleep 0.005
  done
  return 1
}

now_ms() { echo $((${EPOCHREALTIME/./} / 1000)); }

# Starts it and leaves in attach_ms how long that took. Fails if it does not attach.
attach() {
  local began
  use_server_of "$1"
  code >"$folder/code"
  began=$(now_ms)
  start_peer "$1"
  [[ -z $peer_pid ]] || wait_until probed || return 1
  attach_ms=$(($(now_ms) - began))
  [[ -z $peer_pid ]] || sleep 0.5 # the rest of its probes
}

detach() {
  stop_peer "$1"
  wait_until clean || die "$1 left something in the server's code"
}

# Tries what it makes of a long text and of a prepared statement: "BYTES yes|no".
try_texts() {
  local length=20000 long bytes executions
  long=$(printf '%*s' "$length" '' | tr ' ' x)
  sql "SELECT '$long'" >/dev/null
  prepare_mode=auto workload=oltp_point_select sysbench_load "$server_socket" --threads=1 --events=50 --time=0 run >/dev/null
  detach "$1"
  bytes=$(grep -ao "SELECT 'xx*" "$record" | awk '{ if (length > n) n = length } END { print n + 0 }')
  executions=$(grep -aoi 'SELECT c FROM sbtest1 WHERE id=' "$record" | wc -l)
  ((bytes < length)) || bytes=whole
  echo "$bytes" "$( ((executions >= 50)) && echo yes || echo no)"
}

# Of each slice of $way, an awk expression over its line…
each() { awk -v way="$way" "\$2 == way { print $1 }" "$folder/slices"; }
# …in which `rate` and `cpu` are those of "nothing" in the same round.
compared() {
  awk -v way="$way" "
    NR == FNR { if (\$2 == \"nothing\") { rates[\$1] = \$3 / \$4; cpus[\$1] = \$5 / \$3 / 1000 } next }
    \$2 == way { rate = rates[\$1]; cpu = cpus[\$1]; print $1 }" "$folder/slices" "$folder/slices"
}
#   middle FORMAT: of the numbers on stdin the median…
middle() { median_interval | awk -v format="$1" '{ printf format, $1 }'; }
# …and with its interval.
interval() { median_interval | awk -v format="$1 [$1 … $1]" '{ printf format, $1, $2, $3 }'; }

start plain
pid_plain=$server_pid
start with-history --performance-schema=ON
pid_with_history=$server_pid
# shellcheck disable=SC2034  # peer_ways.sh's
read -r symbol address size < <("$build/src/dbtrace" symbols "$folder/bin/mariadbd" dispatch_command |
  awk '$1 == "raw" { raw = $2 } $1 == "kind" { size = $3 } $1 == "address" { sub(",", "", $2); print raw, $2, size }')
# shellcheck disable=SC2034  # lib.sh's
workload=$bench/marked.lua

: >"$folder/texts"
able=(nothing)
for way in "${ways[@]}"; do
  say "trying $way"
  if attach "$way"; then
    echo "$way $(try_texts "$way")" >>"$folder/texts"
    able+=("$way")
  else
    stop_peer "$way"
    printf '%s does not work here: %s\n' "$way" "$(grep -Ev '^( |Traceback|$)' "$said" | tr -s ' \n' ' ')"
  fi
done

: >"$folder/slices"
for ((round = 1; round <= rounds; ++round)); do
  say "round $round of $rounds"
  for way in $(shuffled "${able[@]}"); do
    attach "$way" || die "$way did not attach this time: $(cat "$said")"
    slice=$(measure_slice "$server_socket" "$seconds" "$server_pid" ${peer_pid:+"$peer_pid"}) ||
      die "the load failed while measuring $way"
    memory=0
    [[ -z $peer_pid ]] || memory=$(awk '/^VmHWM/ { print $2 }' "/proc/$peer_pid/status")
    detach "$way"
    echo "$round $way $slice $attach_ms $memory $(recorded "$way")" >>"$folder/slices"
  done
done

printf 'rounds: %s of %s s, 4 threads\n' "$rounds" "$seconds"
row='%-14s %-18s %-18s %10s %7s %9s %9s %7s %9s\n'
# shellcheck disable=SC2059  # one format for all
row() { printf "$row" "$@"; }
row way 'throughput %' 'server +µs' 'tracer µs' 'RSS MB' 'ready ms' 'record %' text prepared
for way in "${able[@]}"; do
  read -r bytes prepared < <(awk -v way="$way" '$1 == way { print $2, $3 }' "$folder/texts") || true
  # shellcheck disable=SC2016  # awk's
  row "$way" "$(compared '100 * ($3 / $4) / rate' | interval %.0f)" \
    "$(compared '$5 / $3 / 1000 - cpu' | interval %+.0f)" "$(each '$6 / $3 / 1000' | middle %.1f)" \
    "$(each '$8 / 1024' | sort -g | tail -n 1 | awk '{ printf "%.0f", $1 }')" "$(each '$7' | middle %.0f)" \
    "$(each '100 * $9 / $3' | sort -g | head -n 1 | awk '{ printf "%.1f", $1 }')" "${bytes:-}" "${prepared:-}"
done
