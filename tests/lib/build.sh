# shellcheck shell=bash
# Configures and builds.
# Needs: progress.sh

#   build REPOSITORY FOLDER [-DOPTION=VALUE…] -- [TARGET…]
build() {
  local repository=$1 folder=$2 options=()
  shift 2
  while (($#)) && [[ $1 != -- ]]; do
    options+=("$1")
    shift
  done
  shift
  command -v ccache >/dev/null && export CCACHE_SLOPPINESS=pch_defines,time_macros &&
    options+=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  say "configuring"
  quietly cmake -S "$repository" -B "$folder" -G Ninja "${options[@]}" ||
    die "cmake could not configure $folder"
  say "building"
  # Ninja's own progress goes to stdout.
  cmake --build "$folder" ${1:+--target "$@"} >&2 || die "the build failed"
}
