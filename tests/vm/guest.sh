#!/bin/bash
# What is tried on another kernel, in the virtual machine that run.sh boots: that every
# BPF program loads, that each command tells the truth, and that all ways to see file
# operations tell the same. Leaves GoogleTest's reports in /run/results.
#
#   tests/vm/guest.sh [BUILD-FOLDER]
set -uo pipefail
build=${1:-build}
status=0
# Clocks in here may stand still for a while at any moment.
export DBTRACE_TEST_EMULATED=1
# A system call that src/sandbox has forgotten must not go unnoticed.
export DBTRACE_SANDBOX=strict

#   try PROGRAM GTEST-FILTER…
try() {
  local program=$1 report=/run/results/linux-$DBTRACE_TEST_KERNEL.$1.xml IFS=:
  shift
  # Patterns that match nothing would go unnoticed: GoogleTest is content then.
  local filter
  for filter; do
    [[ -n $("$build/tests/runtime/$program" --gtest_list_tests --gtest_filter="$filter" | grep '^  ') ]] || {
      echo "$program has no tests $filter"
      status=1
    }
  done
  GTEST_OUTPUT=xml:$report GTEST_COLOR=no "$build/tests/runtime/$program" --gtest_filter="$*$without" || status=1
  # Here all is possible that the tests ask for.
  if grep -q '<skipped' "$report"; then
    echo "$program skipped tests"
    status=1
  fi
}

# --file-io auto is one of the others. uprobe_multi came with Linux 6.6.
without='-*/auto'
[[ $DBTRACE_TEST_KERNEL != 6.1 ]] || without+=':*multi'

try sandbox_tests '*/Budget' '*/Stacks' '*/Following_*'
try lifecycle_tests 'Each/Loads.*' 'Every/Stub.*ComDataBy*' 'Every/Stub.*SuspendingBy*' 'Nesting.*' \
  'By/Ends.InOrderAndLeavesNothing/Interrupt_*'
try func_tests 'By/Counting.IsExactWhateverTheFunctionsDo/*' 'By/Latency.PairsEveryEndWithItsBegin/*' \
  'Args.OfADispatcher'
try budget_tests 'By/BudgetIo.CountsEvery*' 'By/BudgetIo.TellsReads*' 'By/BudgetIo.WritesThatSync*' \
  'By/BudgetIo.OfAMachine*' 'BudgetNesting.*' 'BudgetWithoutFiles.*' \
  'Each/BudgetServerIo.IsTheSame*/mariadb' \
  'Each/BudgetServerLocks.RowIsGivenUpByWhoeverCommits/mariadb'
try io_tests 'IoTable.RowsAreWhatWasDone' 'Each/IoServer.WhatIsReadAhead*/mariadb'
try stacks_tests 'Each/Stacks.ASleep*/mariadb' 'Each/Stacks.AComputation*/mariadb' \
  'Each/Stacks.OfWhatRuns*/mariadb'
try truth_tests 'Each/Commands.AreOfWhom*/mariadb' 'Each/Prepared.AreFollowed*/mariadb' \
  'Each/Running.ShowsWhatBegan*/mariadb' 'Each/Statements.AreThoseThat*/mariadb'
# The last: it cannot be undone.
mount -t securityfs securityfs /sys/kernel/security
echo confidentiality >/sys/kernel/security/lockdown
try doctor_tests 'LockedDown.*'
exit "$status"
