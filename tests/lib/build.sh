# shellcheck shell=bash
# Configures and builds into build/ of the repository.
# Needs: progress.sh

#   build REPOSITORY [-DOPTION=VALUE…] -- [TARGET…]
build() {
  local repository=$1 options=()
  shift
  while (($#)) && [[ $1 != -- ]]; do
    options+=("$1")
    shift
  done
  shift
  command -v ccache >/dev/null &&
    options+=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  say "configuring"
  quietly cmake -S "$repository" -B "$repository/build" -G Ninja "${options[@]}" ||
    die "cmake could not configure $repository/build"
  say "building"
  # Ninja's own progress goes to stdout.
  cmake --build "$repository/build" ${1:+--target "$@"} >&2 || die "the build failed"
}
