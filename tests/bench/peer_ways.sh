# shellcheck shell=bash
# Who watches queries, for peers.sh: how each is started and ended, and what it has recorded.
# Needs: ../lib/progress.sh; $build, $folder; $record and $said, files for what a tracer prints;
# for a way, its server in $server_pid and $server_socket, and the name of the dispatch function's
# symbol in $symbol

sql() { mariadb --no-defaults --socket="$server_socket" --user=root --batch --skip-column-names --execute="$1"; }

# A tracer in the background, its output in $record. Scripts leave SIGINT to nobody there.
watch() {
  env --default-signal=INT "$@" >"$record" 2>"$said" &
  peer_pid=$!
}

# bcc's tools compile, and want headers in the place of this kernel's: where there are none,
# Debian's newest stand in, for this process alone.
with_kernel_headers() {
  if [[ -e /lib/modules/$(uname -r)/build ]]; then
    watch "$@"
    return
  fi
  local newest modules=$folder/modules
  newest=$(printf '%s\n' /lib/modules/*/build | sort -V | tail -n 1)
  [[ ! -e $newest ]] || { mkdir -p "$modules"; cp -a "$(dirname "$newest")" "$modules/$(uname -r)"; }
  # shellcheck disable=SC2016  # that shell's own
  watch unshare --mount sh -c '[ ! -d "$0" ] || mount --bind "$0" /lib/modules; exec "$@"' "$modules" "$@"
}

bpftrace_script() {
  cat <<END_OF_SCRIPT
uprobe:/proc/$server_pid/exe:$symbol { @begin[tid] = nsecs; @text[tid] = str(arg2); }
uretprobe:/proc/$server_pid/exe:$symbol /@begin[tid]/ {
  printf("%d %s\n", (nsecs - @begin[tid]) / 1000, @text[tid]);
  delete(@begin[tid]); delete(@text[tid]);
}
END_OF_SCRIPT
}

#   start_peer WAY: sets peer_pid, if it is a process
start_peer() {
  local dbtrace=$build/src/dbtrace program
  program=$(readlink "/proc/$server_pid/exe")
  peer_pid=
  rm -f "$record"
  case $1 in
    nothing) ;;
    queries) watch "$dbtrace" queries -p "$server_pid" --format json ;;
    budget) watch "$dbtrace" queries -p "$server_pid" --format json --budget ;;
    histogram) watch "$dbtrace" histogram -p "$server_pid" --format json ;;
    bpftrace)
      bpftrace_script >"$folder/script.bt"
      watch bpftrace -p "$server_pid" "$folder/script.bt"
      ;;
    dbslower) with_kernel_headers dbslower-bpfcc mysql -x "$program" -m 0 ;;
    dbslower-usdt) with_kernel_headers dbslower-bpfcc mysql -p "$server_pid" -m 0 ;;
    qslower) with_kernel_headers mysqld_qslower-bpfcc "$server_pid" 0 ;;
    funclatency) watch funclatency -u -p "$server_pid" ":$symbol" ;;
    slow-log) sql "SET GLOBAL slow_query_log_file='$record', long_query_time=0, slow_query_log=ON" ;;
    general-log) sql "SET GLOBAL general_log_file='$record', general_log=ON" ;;
    history) sql "UPDATE performance_schema.setup_consumers SET enabled='YES' WHERE name LIKE 'events_statements%';
      TRUNCATE performance_schema.events_statements_history_long" ;;
    *) die "there is no way $1" ;;
  esac
}

# Ends it when it has had time to write down what it has seen.
#   stop_peer WAY
stop_peer() {
  local tries
  case $1 in
    slow-log) sql 'SET GLOBAL slow_query_log=OFF, long_query_time=10' ;;
    general-log) sql 'SET GLOBAL general_log=OFF' ;;
    history)
      sql "UPDATE performance_schema.setup_consumers SET enabled='NO' WHERE name LIKE 'events_statements_history%';
        SELECT sql_text FROM performance_schema.events_statements_history_long" >"$record"
      ;;
  esac
  [[ -n $peer_pid ]] || return 0
  sleep 0.5
  kill -INT "$peer_pid" 2>/dev/null || true
  for ((tries = 0; tries < 150; ++tries)); do
    kill -0 "$peer_pid" 2>/dev/null || break
    sleep 0.1
  done
  kill -KILL "$peer_pid" 2>/dev/null || true
  wait "$peer_pid" 2>/dev/null || true
  peer_pid=
}

# How many of the load's queries it has recorded.
#   recorded WAY
recorded() {
  case $1 in
    nothing) echo 0 ;;
    histogram) awk '/"span":"total"/ && match($0, /"count":[0-9]+/) { n = substr($0, RSTART + 8, RLENGTH - 8) }
      END { print n + 0 }' "$record" ;;
    funclatency) awk '/->/ { n += $5 } END { print n + 0 }' "$record" ;;
    *) { grep -ao '/\*m[0-9]*\.[0-9]*\*/' "$record" || true; } | sort -u | wc -l ;;
  esac
}
