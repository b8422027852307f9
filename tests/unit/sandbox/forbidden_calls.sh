#!/bin/bash
# That no source of dbtrace asks for a shell, another program, or the right to change another
# process, and that the program does not get such a function from a library either.
#
#   forbidden_calls.sh SOURCE-FOLDER PROGRAM
set -uo pipefail
source=$1 program=$2
functions='system|popen|execv?[lpe]*|execveat|posix_spawnp?|v?fork|ptrace|process_vm_writev'
# Output, the new file that takes an old one's place, recordings, the terminal, and the list of what is refused.
# src/manual is of the build only.
may_write='src/commands/top/screen.cpp src/main.cpp src/output/whole_file.cpp src/output/writer.cpp src/recording/database.cpp src/sandbox/calls.cpp'
status=0
# `fork` with arguments is a function of ours.
if grep -rnE --include='*.cpp' --include='*.h' --exclude='trace.cpp' "(^|[^A-Za-z_.>])($functions) *\(" \
  "$source/src" "$source/profiles" "$source/symbols"; then
  echo "the sources call what they may not"
  status=1
fi
# Where files are opened for writing is to be seen at a glance: none of them is a process's memory.
writers=$(cd "$source" && grep -rlE --include='*.cpp' --include='*.h' \
  'O_WRONLY|O_RDWR|O_CREAT|ofstream|fopen|mkstemp' --exclude-dir=manual src profiles symbols | sort | xargs)
if [[ $writers != "$may_write" ]]; then
  echo "these open files for writing: $writers"
  status=1
fi
if nm --dynamic --undefined-only "$program" | grep -E " ($functions)(@|$)"; then
  echo "the program is linked with what it may not call"
  status=1
fi
[[ -n $(nm --dynamic --undefined-only "$program") ]] || echo "a static program: its functions are not looked at"
exit "$status"
