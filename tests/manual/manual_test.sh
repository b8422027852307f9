#!/bin/bash
# What `dbtrace --help` lists is in the manual pages and in each shell's completion, and nothing else.
#   manual_test.sh pages|bash|zsh|fish|install DBTRACE BUILD     (exit status 77: no such program here)
set -euo pipefail
what=$1 dbtrace=$2 build=$3
folder=$build/manual
export LC_ALL=C.UTF-8

fail() {
  printf 'FAILED: %s\n' "$*" >&2
  exit 1
}

wants() {
  command -v "$1" >/dev/null && return
  printf 'skipped: %s is not installed\n' "$1" >&2
  exit 77
}

# One a line, sorted.
commands() { "$dbtrace" --help | sed -n '/^Subcommands:/,$s/^  \([a-z][a-z]*\) .*/\1/p' | sort; }

#   options [COMMAND]
options() { "$dbtrace" "$@" --help | grep -oP '^  \K-[-a-z,]+' | tr , '\n' | sort; }

#   words COMMAND OPTION: what the program itself says it takes there; nothing for any other option.
# Another mistake keeps a command that takes any word from beginning to trace.
words() {
  { "$dbtrace" "$1" "$2" no-such-word --no-such-option 2>&1 || true; } | sed -n 's/.* is none of //p' | tr -d ' ' | tr , '\n' | sort
}

#   same WHAT WANTED GOT
same() { [[ $2 == "$3" ]] || fail "$1: $(diff <(printf '%s\n' "$2") <(printf '%s\n' "$3") || true)"; }

# Takes what a reader sees, without bold and underline.
rendered() {
  groff -man -Tutf8 -Kutf8 -ww -P-cbou "$1" 2>"$warnings" || fail "$1"
  [[ ! -s $warnings ]] || fail "$1: $(cat "$warnings")"
}

listed_in_page() { rendered "$1" | grep -oP '^ {7}\K-[^ ,]+(, -[^ ,]+)*' | sed 's/, /\n/g' | sort; }

check_pages() {
  wants groff
  warnings=$(mktemp)
  trap 'rm -f "$warnings"' EXIT
  local page pages=("$folder"/man1/*.1) command warned
  same "options of dbtrace.1" "$(options)" "$(listed_in_page "$folder/man1/dbtrace.1")"
  same "pages" "$(printf 'dbtrace\n' && commands | sed 's/^/dbtrace-/')" \
    "$(for page in "${pages[@]}"; do basename "$page" .1; done | sort)"
  for command in $(commands); do
    page=$folder/man1/dbtrace-$command.1
    same "options of dbtrace-$command.1" "$(options "$command")" "$(listed_in_page "$page")"
    [[ $(rendered "$page") == *$'\nEXIT STATUS\n'* ]] || fail "$page says no exit status"
  done
  # Without a date, so that the same sources make the same pages.
  if command -v mandoc >/dev/null; then
    warned=$(mandoc -T lint -W warning "$folder"/man1/*.1 | grep -v 'missing date' || true)
    [[ -z $warned ]] || fail "$warned"
  fi
}

# What a shell offers behind WORD…, the last of which is to be completed.
offered() {
  case $what in
    bash)
      bash -c 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _dbtrace; printf "%s\n" "${COMPREPLY[@]}"' \
        bash "$folder/bash/dbtrace" "$@"
      ;;
    fish)
      fish --no-config -c 'source $argv[1]; complete -C "$argv[2..]"' "$folder/fish/dbtrace.fish" "$@" | cut -f 1
      ;;
  esac | sort
}

# fish offers short names only behind a single dash, and not with long ones.
long_only() { grep -- '^--'; }

check_offers() {
  local command option wanted values=0
  same "commands" "$(commands)" "$(offered dbtrace '' | grep -v '^-')"
  for command in $(commands); do
    same "options of $command" "$(options "$command" | long_only)" "$(offered dbtrace "$command" -- | long_only)"
    for option in $(options "$command" | long_only); do
      wanted=$(words "$command" "$option")
      [[ -n $wanted ]] || continue
      same "$command $option" "$wanted" "$(offered dbtrace "$command" "$option" '')"
      values=$((values + 1))
    done
  done
  ((values > 10)) || fail "only $values options take words"
}

check_bash() {
  local folder_of_files
  check_offers
  same "a beginning" "--format" "$(offered dbtrace queries --form)"
  same "a short name" "-p" "$(offered dbtrace queries -p)"
  same "a value behind =" $'slowlog' "$(offered dbtrace queries --format = sl)"
  same "a process" "$$" "$(offered dbtrace queries -p "$$" | grep -x "$$")"
  folder_of_files=$(mktemp -d)
  touch "$folder_of_files/a file"
  same "a file" "$folder_of_files/a file" "$(offered dbtrace queries -o "$folder_of_files/a")"
  same "a positional" "$folder_of_files/a file" "$(offered dbtrace symbols "$folder_of_files/a")"
  rm -r "$folder_of_files"
}

check_fish() {
  wants fish
  check_offers
}

# Its completions cannot be asked for without a terminal: what they say is read instead.
check_zsh() {
  wants zsh
  local file=$folder/zsh/_dbtrace command option specs
  zsh -n "$file" || fail "zsh does not understand $file"
  for command in $(commands); do
    grep -q "'$command:" "$file" || fail "no command $command"
    specs=$(sed -n "/^    $command)/,/;;/p" "$file")
    for option in $(options "$command"); do
      grep -qE -- "^ *'(\([^)]*\))?\*?$option=?\[" <<<"$specs" || fail "no $command $option"
    done
  done
}

check_install() {
  local prefix file
  prefix=$(mktemp -d)
  cmake --install "$build" --strip --prefix "$prefix" >/dev/null || fail "cmake --install"
  same "the version" "$("$dbtrace" --version)" "$("$prefix/bin/dbtrace" --version)"
  for file in man/man1/dbtrace{,-queries}.1 bash-completion/completions/dbtrace zsh/site-functions/_dbtrace \
    fish/vendor_completions.d/dbtrace.fish doc/dbtrace/{LICENSE,README.md,docs/queries.md}; do
    [[ -s $prefix/share/$file ]] || fail "share/$file is not there"
  done
  rm -r "$prefix"
}

"check_$what"
