# shellcheck shell=bash
# PostgreSQL for overhead.sh: a private server of Debian's package, and pgbench as the load.
# Needs: ../lib/progress.sh

postgres_programs=$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1)

# An array: in the background a function would be a shell around the server.
as_postgres=(setpriv --reuid=postgres --regid=postgres --clear-groups --)

#   start_postgres FOLDER: sets server_pid and server_socket (the socket's folder)
start_postgres() {
  local folder=$1 i
  install -d -o postgres -g postgres "$folder"
  chmod a+x "$(dirname "$folder")"
  quietly "${as_postgres[@]}" "$postgres_programs/initdb" -D "$folder/data" -A trust -N
  "${as_postgres[@]}" "$postgres_programs/postgres" -D "$folder/data" -c listen_addresses= \
    -c unix_socket_directories="$folder" -c shared_buffers=128MB 2>"$folder/log" &
  server_pid=$! server_socket=$folder
  for ((i = 0; i < 200; ++i)); do
    ! pg_isready -q -h "$folder" || break
    sleep 0.1
  done
  quietly pgbench -i -q -s 5 -h "$folder" -U postgres postgres || die "pgbench -i failed: $(cat "$folder/log")"
}

# CPU time of the server's processes that have ended, in ns: sessions, after a run.
postgres_cpu_ns() { awk -v tick="$(getconf CLK_TCK)" '{ printf "%.0f\n", ($16 + $17) / tick * 1e9 }' "/proc/$1/stat"; }

# What measure_slice does.
#   measure_postgres_slice FOLDER SECONDS SERVER_PID [TRACER_PID…]
measure_postgres_slice() {
  local folder=$1 seconds=$2 server=$3 before tracer_before=0 tracer_after=0 report after
  shift 3
  before=$(postgres_cpu_ns "$server") || return
  (($# == 0)) || tracer_before=$(cpu_ns "$@") || return
  report=$(pgbench -n -S -M "$([[ $prepare_mode == auto ]] && echo prepared || echo simple)" -c 4 -j 2 -T "$seconds" \
    -h "$folder" -U postgres postgres 2>/dev/null) || return
  sleep 0.3 # the sessions end
  after=$(postgres_cpu_ns "$server") || return
  (($# == 0)) || tracer_after=$(cpu_ns "$@") || return
  awk -v server=$((after - before)) -v tracer=$((tracer_after - tracer_before)) -v seconds="$seconds" '
    /number of transactions actually processed/ { queries = $NF; sub(/\/.*/, "", queries) }
    END { if (!queries) exit 1; print queries, seconds, server, tracer }' <<<"$report"
}

# What people write: text and latency of each statement, by the functions that the stripped
# server exports.
#   postgres_bpftrace_script PID
postgres_bpftrace_script() {
  cat <<END
uprobe:/proc/$1/exe:pgstat_report_activity /arg1 != 0/ { @begin[tid] = nsecs; @text[tid] = str(arg1); }
uprobe:/proc/$1/exe:pgstat_report_activity /arg1 == 0 && @begin[tid]/ {
  printf("%d %s\n", (nsecs - @begin[tid]) / 1000, @text[tid]);
  delete(@begin[tid]); delete(@text[tid]);
}
END
}
