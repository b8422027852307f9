unit_test(sandbox
  sandbox/capabilities_test.cpp
  sandbox/sandbox_test.cpp
)
add_test(NAME forbidden_calls
  COMMAND ${CMAKE_CURRENT_LIST_DIR}/forbidden_calls.sh ${CMAKE_SOURCE_DIR} $<TARGET_FILE:dbtrace>)
