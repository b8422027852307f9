# shellcheck shell=bash
# Private database servers: a folder and a socket of their own, no network, root
# without a password. Starting one sets
#   server_pid     its process
#   server_socket  where to connect
# and stop_server ends it. Removing the folder is up to the caller.
# Needs: progress.sh, for MySQL server_cache.sh and mysql9.sh

# So that a small machine can run several at once.
readonly small_server=(--user=root --skip-networking --innodb-buffer-pool-size=64M)

# Runs the server in a session of its own, so that a Ctrl-C meant for the script
# leaves the end of the server to the script, and waits until it answers.
#   launch_server FOLDER COMMAND ARGUMENT…
launch_server() {
  local folder=$1 tries
  shift
  setsid "$@" >"$folder/log" 2>&1 </dev/null &
  server_pid=$!
  server_socket=$folder/socket
  for ((tries = 0; tries < 600; ++tries)); do
    mariadb --no-defaults --socket="$server_socket" --user=root --execute='DO 0' >/dev/null 2>&1 && return
    kill -0 "$server_pid" 2>/dev/null || break
    sleep 0.1
  done
  tail -n 20 "$folder/log" >&2
  stop_server "$server_pid"
  die "the server did not start: $*"
}

#   start_mariadb FOLDER [SERVER-ARGUMENT…]
start_mariadb() {
  local folder=$1
  shift
  # --force: it would refuse a machine that cannot look up its own name.
  quietly mariadb-install-db --no-defaults --datadir="$folder/data" --user=root \
    --auth-root-authentication-method=normal --skip-test-db --force || die "mariadb-install-db failed"
  launch_server "$folder" mariadbd --no-defaults --datadir="$folder/data" \
    --socket="$folder/socket" --pid-file="$folder/pid" "${small_server[@]}" "$@"
}

# Makes the server's folder inside its root and leaves it in server_folder.
#   start_mysql9 [SERVER-ARGUMENT…]
start_mysql9() {
  server_folder=$(mktemp -d "$mysql9_root/data-$$-XXXXXX")
  local inside=/${server_folder##*/}
  quietly chroot "$mysql9_root" /usr/sbin/mysqld --no-defaults --initialize-insecure \
    --datadir="$inside/data" --user=root || die "mysqld --initialize-insecure failed"
  launch_server "$server_folder" chroot "$mysql9_root" /usr/sbin/mysqld --no-defaults \
    --datadir="$inside/data" --socket="$inside/socket" --pid-file="$inside/pid" \
    --mysqlx=OFF --secure-file-priv= "${small_server[@]}" "$@"
}

# Ends a server started here, and waits until it is gone.
#   stop_server PID
stop_server() {
  local tries
  kill "$1" 2>/dev/null || return 0
  for ((tries = 0; tries < 300; ++tries)); do
    kill -0 "$1" 2>/dev/null || break
    sleep 0.1
  done
  kill -KILL "$1" 2>/dev/null || true
  wait "$1" 2>/dev/null || true
}
