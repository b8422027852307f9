# shellcheck shell=bash
# Where this machine gets its Debian packages. New sources are derived from the
# ones it has, so that mirrors and private keyrings keep working.
# Needs: progress.sh

lib_dir=$(dirname "${BASH_SOURCE[0]}")

# bookworm, trixie, …
debian_codename() {
  # shellcheck source=/dev/null
  (. /etc/os-release && printf '%s\n' "${VERSION_CODENAME:?}")
}

# Prints "URI KEYRING" of the source for a suite, KEYRING "-" if none is named;
# fails where no source offers the suite.
apt_source_of() {
  local files=() file
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
    [[ -r $file ]] && files+=("$file")
  done
  ((${#files[@]})) || return 1
  awk -v suite="$1" -f "$lib_dir/apt_sources.awk" "${files[@]}" | grep .
}

# Prints a one-line apt source for a suite that this machine does not use,
# from the mirror it uses.
#   apt_source_line SUITE
apt_source_line() {
  local source uri keyring
  source=$(apt_source_of "$(debian_codename)") ||
    die "no apt source for Debian $(debian_codename) in /etc/apt; add one and run this again"
  read -r uri keyring <<<"$source"
  if [[ $keyring == - ]]; then
    printf 'deb %s %s main\n' "$uri" "$1"
  else
    printf 'deb [signed-by=%s] %s %s main\n' "$keyring" "$uri" "$1"
  fi
}
