#!/bin/bash
# Boots another kernel under emulation and runs a command there. `--help` says more.
set -euo pipefail
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
for part in progress apt_sources packages server_cache kernels; do
  # shellcheck source=/dev/null
  source "$repository/tests/lib/$part.sh"
done

usage() {
  cat <<'END_OF_USAGE'
Usage: tests/vm/run.sh [--results FOLDER] [--seconds N] KERNEL [COMMAND…]

Boots the kernel of Debian 12 (KERNEL: 6.1) or 13 (6.12) in a virtual machine that
QEMU emulates, with one core and this machine's files, which it can change for itself
only. There, as root, runs COMMAND (default: tests/vm/guest.sh) in the repository, and
exits with its exit status.

  --results FOLDER  files that COMMAND leaves in /run/results are moved there
  --seconds N       gives up, failing, after that long (default 1500)
  --help            this text
END_OF_USAGE
}

results=
seconds=1500
while (($#)); do
  case $1 in
    --results) results=${2:?a folder}; shift ;;
    --seconds) seconds=${2:?a number}; shift ;;
    -h | --help) usage; exit 0 ;;
    -*) usage >&2; exit 2 ;;
    *) break ;;
  esac
  shift
done
(($#)) || { usage >&2; exit 2; }
kernel=$1
shift
(($#)) || set -- tests/vm/guest.sh
((EUID == 0)) || die "the virtual machine sees root's files, which needs root"
install_packages "${vm_packages[@]}"
kernel_fetch "$kernel" || die "no kernel to try"

folder=$(mktemp -d)
trap 'rm -rf --one-file-system "$folder"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
mkdir -p "$folder/initial/bin" "$folder/results"
cp -r "$server_cache/linux-$kernel/modules" "$repository/tests/vm/init" "$folder/initial"
cp /bin/busybox "$folder/initial/bin"
{
  printf 'export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TMPDIR=/run/disk LC_ALL=C.UTF-8 DBTRACE_TEST_KERNEL=%q\n' "$kernel"
  printf 'cd %q && exec' "$repository"
  printf ' %q' "$@"
  printf '\n'
} >"$folder/initial/command"
(cd "$folder/initial" && find . | busybox cpio -o -H newc >"$folder/initrd") 2>/dev/null
# Temporary files lie on a disk, so that reading them can block: at more than 200 a
# second, reads have to wait.
truncate --size 1G "$folder/disk"
quietly mke2fs -q -t ext4 -m 0 "$folder/disk" || die "no disk for the virtual machine"

say "Linux $kernel, emulated: $*"
# Without "-cpu …,la57=off" each page fault walks one more level.
timeout --kill-after=10 "$seconds" qemu-system-x86_64 -accel tcg -cpu max,la57=off -smp 1 -m 2G \
  -display none -serial stdio -monitor none -no-reboot -nodefaults \
  -kernel "$server_cache/linux-$kernel/vmlinuz" -initrd "$folder/initrd" \
  -append "console=ttyS0 quiet panic=-1 cryptomgr.notests mitigations=off" \
  -drive "file=$folder/disk,format=raw,if=virtio,cache=unsafe,throttling.iops-read=200" \
  -virtfs "local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap" \
  -virtfs "local,path=$folder/results,mount_tag=results,security_model=none" </dev/null ||
  say "the virtual machine failed, or took longer than $seconds s"

status=$(cat "$folder/results/status" 2>/dev/null) || die "the command did not come to its end"
rm "$folder/results/status"
if [[ -n $results ]]; then
  mkdir -p "$results"
  find "$folder/results" -mindepth 1 -maxdepth 1 -exec mv -t "$results" {} +
fi
exit "$status"
