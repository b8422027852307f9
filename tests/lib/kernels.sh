# shellcheck shell=bash
# Kernels to try dbtrace on: those of Debian 12 and 13, unpacked (100 MB each, of
# which 20 are kept). A kernel's folder holds `vmlinuz` and `modules`: what a virtual
# machine needs to reach its files, in the order in which it is loaded.
# Needs: progress.sh apt_sources.sh server_cache.sh

# Modules that a kernel does not have are built into it, or of later ones.
readonly kernel_modules=(
  virtio virtio_ring virtio_pci_legacy_dev virtio_pci_modern_dev virtio_pci
  netfs fscache 9pnet 9pnet_virtio 9p overlay
  crc16 crc32c_generic libcrc32c mbcache jbd2 ext4 virtio_blk
)

# Makes $server_cache/linux-VERSION; fails (and says why) where it cannot.
#   kernel_fetch VERSION
kernel_fetch() {
  case $1 in
    6.1) kernel_suite=bookworm ;;
    6.12) kernel_suite=trixie ;;
    *) die "no Linux $1 here: 6.1 or 6.12" ;;
  esac
  cached_server "linux-$1" kernel_unpack
}

#   kernel_unpack FOLDER
kernel_unpack() {
  local folder=$1 package=$1/package name file module number=10
  say "downloading the kernel of Debian $kernel_suite into ${folder%.new}"
  mkdir -p "$folder/modules"
  if ! unpack_suite "$package" "$kernel_suite" linux-image-amd64; then
    say "the kernel of Debian $kernel_suite could not be downloaded"
    return 1
  fi
  mv "$package"/boot/vmlinuz-* "$folder/vmlinuz"
  for name in "${kernel_modules[@]}"; do
    file=$(find "$package" -path '*/lib/modules/*' -name "$name.ko*" -print -quit)
    [[ -n $file ]] || continue
    module=$folder/modules/$((number++))-$name.ko
    case $file in
      *.xz) xz --decompress --stdout "$file" >"$module" ;;
      *) mv "$file" "$module" ;;
    esac
  done
  rm -rf --one-file-system "$package"
}
