unit_test(attach
  attach/function_exits_test.cpp
  attach/function_plan_test.cpp
  attach/plan_test.cpp
  attach/run_cost_test.cpp
  attach/running/running_records_test.cpp
)
add_dependencies(unit_attach stub_servers symbols_fixtures)
target_compile_definitions(unit_attach PRIVATE
  STUB_SERVERS="${STUB_SERVERS}" SYMBOLS_FIXTURES="${SYMBOLS_FIXTURES}")
