# Tests that what `dbtrace queries` prints is true, on the real servers.
add_executable(truth_tests
  child_process.cpp
  client.cpp
  dbtrace_process.cpp
  servers.cpp
  truth.cpp
  truth_commands_test.cpp
  truth_durations_test.cpp
  truth_filters_test.cpp
  truth_load_test.cpp
  truth_pool_test.cpp
  truth_prepared_test.cpp
  truth_sessions_test.cpp
  truth_slowlog_test.cpp
  truth_text_test.cpp)
target_include_directories(truth_tests PRIVATE ${CMAKE_SOURCE_DIR})
target_link_libraries(truth_tests PRIVATE dbtrace_options PkgConfig::LIBMARIADB
                      nlohmann_json::nlohmann_json GTest::gtest GTest::gmock GTest::gtest_main)
target_compile_definitions(truth_tests PRIVATE DBTRACE_BINARY="${CMAKE_BINARY_DIR}/src/dbtrace")
add_dependencies(truth_tests dbtrace)
add_test(NAME truth_tests COMMAND truth_tests)
set_tests_properties(truth_tests PROPERTIES LABELS runtime TIMEOUT 900 RUN_SERIAL TRUE)
