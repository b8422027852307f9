#!/bin/bash
# Shows dbtrace at work: installs what is missing, builds, traces a server for a
# few seconds and leaves nothing behind; or installs dbtrace. `--help` says more.
set -euo pipefail
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
for part in progress apt_sources packages build servers demo_load; do
  # shellcheck source=/dev/null
  source "$repository/tests/lib/$part.sh"
done
dbtrace=$repository/build/src/dbtrace

usage() {
  cat <<'END'
Usage: ./demo.sh [--seconds N]
       ./demo.sh --install [PREFIX]

Installs what is missing with apt (Debian 12 or 13, as root), builds into build/
and shows `dbtrace queries` for N seconds (default 10): of the mysqld or mariadbd
that runs on this machine, or, where none does, of a private MariaDB with some
load, which is gone afterwards.

  --install   only builds and installs dbtrace, its manual pages and the completions
              for bash, zsh and fish, below PREFIX (default: /usr/local)
END
}

seconds=10
prefix=
while (($#)); do
  case $1 in
    --seconds) seconds=${2-}; shift ;;
    --seconds=*) seconds=${1#*=} ;;
    --install)
      prefix=/usr/local
      if [[ ${2:--} != -* ]]; then
        prefix=$2
        shift
      fi
      ;;
    --install=*) prefix=${1#*=} ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
  shift || true
done
if [[ ! $seconds =~ ^[1-9][0-9]{0,4}$ ]]; then
  usage >&2
  exit 2
fi
if [[ -n $prefix ]]; then
  install_packages "${build_packages[@]}"
  build "$repository" "$repository/build" -DDBTRACE_TESTS=OFF -- dbtrace manual
  quietly cmake --install "$repository/build" --strip --prefix "$prefix" || die "could not install to $prefix"
  say "installed: $prefix/bin/dbtrace; \`man dbtrace\` tells of it"
  exit 0
fi
((EUID == 0)) || die "tracing needs root: run this as root"

# The pids of the database servers that run here.
running_servers() {
  local link program
  for link in /proc/[0-9]*/exe; do
    # A server that was upgraded under its feet: "/usr/sbin/mariadbd (deleted)".
    program=$(readlink "$link" 2>/dev/null) || continue
    program=${program% (deleted)}
    case ${program##*/} in
      mysqld | mariadbd) link=${link#/proc/} && printf '%s\n' "${link%/exe}" ;;
    esac
  done
}

folder=
server_pid=
dbtrace_pid=
clean_up() {
  trap '' INT TERM
  if [[ -n $dbtrace_pid ]] && kill -TERM "$dbtrace_pid" 2>/dev/null; then
    wait "$dbtrace_pid" || true
  fi
  # Without a server the load ends, too.
  [[ -z $server_pid ]] || stop_server "$server_pid"
  stop_load
  [[ -z $folder ]] || rm -rf "$folder"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

install_packages "${build_packages[@]}"
build "$repository" "$repository/build" -DDBTRACE_TESTS=OFF -- dbtrace

# Only now: servers come and go while the build takes its minutes.
mapfile -t servers < <(running_servers)
if ((${#servers[@]})); then
  target=${servers[0]}
  if ((${#servers[@]} > 1)); then
    say "${#servers[@]} servers run here; this shows the first, \`dbtrace queries -p PID\` any other: ${servers[*]}"
  fi
  say "the queries of process $target ($(tr '\0' ' ' 2>/dev/null <"/proc/$target/cmdline")), as they finish; an idle server shows none"
else
  install_packages "${mariadb_packages[@]}" "${load_packages[@]}"
  folder=$(mktemp -d)
  say "no server runs here: starting a private MariaDB in $folder"
  start_mariadb "$folder"
  target=$server_pid
  prepare_load
  start_load
fi

say "dbtrace queries -p $target --duration ${seconds}s"
# In the background, as bash would put off a signal until the foreground ends.
"$dbtrace" queries -p "$target" --duration "${seconds}s" &
dbtrace_pid=$!
status=0
wait "$dbtrace_pid" || status=$?
dbtrace_pid=
exit "$status"
