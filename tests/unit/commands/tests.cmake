unit_test(commands
  commands/explain_test.cpp
  commands/func_arguments_test.cpp
  commands/func_report_test.cpp
  commands/running_test.cpp
  commands/summary_test.cpp
  commands/symbols_test.cpp
  commands/units_test.cpp
  commands/visible_lines_test.cpp
)
add_dependencies(unit_commands stub_servers)
target_compile_definitions(unit_commands PRIVATE STUB_SERVERS="${STUB_SERVERS}")
