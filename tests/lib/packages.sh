# shellcheck shell=bash
# Installs the Debian packages that are missing, and nothing when none is.
# Needs: progress.sh apt_sources.sh
# shellcheck disable=SC2034  # the lists are for those who source this

# What builds dbtrace.
build_packages=(
  g++ cmake ninja-build pkg-config clang bpftool zstd
  libbpf-dev libelf-dev libdw-dev zlib1g-dev liblzma-dev libzstd-dev libdebuginfod-dev libcapstone-dev llvm-dev
  libfmt-dev libcli11-dev nlohmann-json3-dev libexpected-dev libre2-dev libxxhash-dev libmd-dev
  libmariadb-dev libpq-dev libbz2-dev libseccomp-dev libsqlite3-dev libprotozero-dev libmicrohttpd-dev
)
# Fetches the library of `dbtrace report --html`. Who has npm from elsewhere keeps it: the two are in each
# other's way.
command -v npm >/dev/null || build_packages+=(npm)
# What its tests need to be built.
test_build_packages=(
  libgtest-dev libgmock-dev
  libclang-rt-dev g++-aarch64-linux-gnu lld elfutils dwz xz-utils debuginfod protobuf-compiler
)
# MariaDB's server and client without the service around them: nothing starts
# by itself, nothing is configured.
mariadb_packages=(mariadb-server-core mariadb-client-core)
load_packages=(sysbench)
# The server, pgbench and pg_stat_statements. Where it is installed for the tests alone, no
# cluster is made (postgres_without_cluster).
postgres_packages=(postgresql postgresql-contrib)
# Virtual machines with other kernels.
vm_packages=(qemu-system-x86 busybox-static e2fsprogs mmdebstrap xz-utils)
# A browser without a window, and letters for it: flame graphs are pages.
browser_packages=(chromium fonts-dejavu-core)
# Real servers, load, and the programs that read our output.
runtime_test_packages=(
  "${mariadb_packages[@]}" "${load_packages[@]}" "${postgres_packages[@]}" pgbadger
  "${vm_packages[@]}" "${browser_packages[@]}" mariadb-client percona-toolkit bpftrace gdb linux-perf tmux
  mandoc groff-base zsh fish prometheus
)

# uprobe_multi came with libbpf 1.3, its fixes with 1.4.
readonly libbpf_wanted=1:1.4

missing_packages() {
  dpkg-query --show --showformat '${binary:Package} ${db:Status-Status}\n' 2>/dev/null |
    awk -v wanted="$*" '
      $2 == "installed" { sub(/:.*/, "", $1); there[$1] = 1 }
      END {
        count = split(wanted, names, " ")
        for (i = 1; i <= count; ++i) if (!(names[i] in there)) print names[i]
      }'
}

libbpf_is_recent() {
  local version
  version=$(dpkg-query --show --showformat '${Version}' libbpf-dev 2>/dev/null) &&
    dpkg --compare-versions "${version:-0}" ge "$libbpf_wanted"
}

apt_update() {
  say "apt-get update"
  quietly apt-get -o DPkg::Lock::Timeout=300 -qq update ||
    die "apt-get update failed: see above; is a package mirror reachable?"
}

# Prints each package's name as it is set up: a sign of life on slow machines.
apt_install() {
  local log
  log=$(mktemp)
  if ! DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 apt-get -o DPkg::Lock::Timeout=300 \
    -qq -y --no-install-recommends install "$@" </dev/null 2>&1 | tee "$log" |
    sed -u -n 's/^Setting up \([^ ]*\) .*/    \1/p' >&2; then
    tail -n 20 "$log" >&2
    rm -f "$log"
    die "apt-get could not install: $*"
  fi
  rm -f "$log"
}

# Debian 12's own libbpf is too old, its backport is not.
install_recent_libbpf() {
  local backports
  backports=$(debian_codename)-backports
  if ! apt_source_of "$backports" >/dev/null; then
    say "adding $backports to apt's sources, for libbpf"
    apt_source_line "$backports" >"/etc/apt/sources.list.d/$backports.list"
  fi
  apt_update
  say "installing libbpf-dev from $backports"
  apt_install "libbpf-dev/$backports"
  libbpf_is_recent || die "libbpf-dev in $backports is older than ${libbpf_wanted#*:}"
}

# Debian's server package makes a cluster and starts it, unless its settings say otherwise.
postgres_without_cluster() {
  local settings=/etc/postgresql-common/createcluster.conf
  [[ -e $settings ]] && return # somebody else's decision
  say "installing postgresql-common, to make no cluster"
  apt_install postgresql-common
  sed -i 's/^#\?create_main_cluster .*/create_main_cluster = false/' "$settings"
}

# Debian's package starts a server that scrapes itself.
prometheus_without_service() {
  local unit=/etc/systemd/system/prometheus.service
  [[ -e $unit || -L $unit ]] && return # somebody else's decision
  mkdir -p "${unit%/*}"
  ln -s /dev/null "$unit"
}

#   install_packages NAME…
install_packages() {
  command -v apt-get >/dev/null || die "this script installs packages with apt, on Debian 12 or 13"
  local missing
  mapfile -t missing < <(missing_packages "$@")
  if ((${#missing[@]})); then
    ((EUID == 0)) || die "not root, and these packages are missing: ${missing[*]}"
    apt_update
    [[ " ${missing[*]} " != *" postgresql "* ]] || postgres_without_cluster
    [[ " ${missing[*]} " != *" prometheus "* ]] || prometheus_without_service
    say "installing ${missing[*]}"
    apt_install "${missing[@]}"
  fi
  if [[ " $* " == *" libbpf-dev "* ]] && ! libbpf_is_recent; then
    ((EUID == 0)) || die "not root, and libbpf-dev is older than ${libbpf_wanted#*:}"
    install_recent_libbpf
  fi
}
