unit_test(commands
  commands/tracing/explain_test.cpp
  commands/func/arguments_test.cpp
  commands/func/report_test.cpp
  commands/doctor/canary_checks_test.cpp
  commands/doctor/machine_checks_test.cpp
  commands/doctor/report_test.cpp
  commands/doctor/server_checks_test.cpp
  commands/help_test.cpp
  commands/io/filter_test.cpp
  commands/io/query_join_test.cpp
  commands/io/report_test.cpp
  commands/io/subject_test.cpp
  commands/io/table_test.cpp
  commands/diff/diff_test.cpp
  commands/histogram/report_test.cpp
  commands/queries/running_test.cpp
  commands/record/conditions_test.cpp
  commands/report/gather_test.cpp
  commands/tracing/query_choice_test.cpp
  commands/tracing/shedding_test.cpp
  commands/tracing/summary_test.cpp
  commands/stacks/recorded_test.cpp
  commands/symbols/symbols_test.cpp
  commands/top/controls_test.cpp
  commands/top/figures_test.cpp
  commands/top/keys_test.cpp
  commands/top/top_state_test.cpp
  commands/top/view_test.cpp
  commands/units_test.cpp
  commands/visible_lines_test.cpp
  commands/waits/report_test.cpp
)
add_dependencies(unit_commands stub_servers dbtrace)
target_compile_definitions(unit_commands PRIVATE
  STUB_SERVERS="${STUB_SERVERS}" DBTRACE_BINARY="$<TARGET_FILE:dbtrace>")
