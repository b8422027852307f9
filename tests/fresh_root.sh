#!/bin/bash
# Tries an entry script where nothing is installed: in a minimal Debian of its
# own. What the scripts forget to install fails here. `--help` says more.
set -euo pipefail
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
for part in progress apt_sources packages; do
  # shellcheck source=/dev/null
  source "$repository/tests/lib/$part.sh"
done

usage() {
  cat <<'END'
Usage: tests/fresh_root.sh [--suite NAME] [--keep] [COMMAND…]

Makes a minimal Debian root in a temporary folder, clones this repository's
last commit into it, and runs COMMAND there (default: ./test.sh --quick) with
/proc, /sys and /dev of this machine. Then removes it.

  --suite NAME   bookworm (default), trixie
  --keep         leave the folder for a look around; its mounts still go
  --help         this text
END
}

suite=bookworm
keep=no
while (($#)); do
  case $1 in
    --suite) suite=${2:?a suite}; shift ;;
    --keep) keep=yes ;;
    -h | --help) usage; exit 0 ;;
    -*) usage >&2; exit 2 ;;
    *) break ;;
  esac
  shift
done
(($#)) || set -- ./test.sh --quick
((EUID == 0)) || die "a root of its own needs root"
install_packages mmdebstrap git

folder=$(mktemp -d)
root=$folder/root

clean_up() {
  trap '' INT TERM
  if grep -q " $folder/" /proc/mounts; then
    # Removing a folder with /dev or /sys in it would remove this machine's.
    say "something is mounted in $folder: left alone"
  elif [[ $keep == yes ]]; then
    say "left for you: $root"
  else
    rm -rf --one-file-system "$folder"
  fi
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

say "making a minimal Debian $suite in $root"
# What this machine tells apt about fetching (proxies, certificates, clocks) holds there, too.
mapfile -t fetching < <(apt-config dump --no-empty --format '%f "%v";%n' Acquire |
  grep -E '^Acquire::(https?::|Check-)')
quietly mmdebstrap --variant=minbase "${fetching[@]/#/--aptopt=}" "$suite" "$root" \
  "$(apt_source_line "$suite")" || die "mmdebstrap failed"
quietly git clone --no-hardlinks "$repository" "$root/dbtrace"

# Runs in a mount namespace of its own: the mounts go with the last process in it
# and are never seen where clean_up removes files.
enter() {
  local root=$1 file_system
  shift
  for file_system in proc sys dev; do
    mount --rbind "/$file_system" "$root/$file_system"
  done
  exec chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
    TERM="${TERM:-dumb}" /bin/bash -c 'cd /dbtrace && exec "$@"' bash "$@"
}
export -f enter

say "in the fresh root: $*"
unshare --mount --propagation slave bash -euc 'enter "$@"' bash "$root" "$@"
