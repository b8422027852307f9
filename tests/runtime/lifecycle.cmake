# Tests of the life of `dbtrace queries` (mostly on the stub servers of
# fixtures/servers), and of what it prints where.
add_executable(lifecycle_tests
  account.cpp
  child_process.cpp
  client.cpp
  dbtrace_process.cpp
  lifecycle_dispatch_test.cpp
  lifecycle_end_test.cpp
  lifecycle_loss_test.cpp
  lifecycle_target_test.cpp
  lifecycle_usage_test.cpp
  output_file_test.cpp
  output_terminal_test.cpp
  probe_traces.cpp
  servers.cpp
  stub_server.cpp
  terminal.cpp)
target_include_directories(lifecycle_tests PRIVATE ${CMAKE_SOURCE_DIR})
target_link_libraries(lifecycle_tests PRIVATE dbtrace_options PkgConfig::LIBMARIADB PkgConfig::LIBBPF
                      nlohmann_json::nlohmann_json GTest::gtest GTest::gmock GTest::gtest_main)
target_compile_definitions(lifecycle_tests PRIVATE
  DBTRACE_BINARY="${CMAKE_BINARY_DIR}/src/dbtrace" STUB_SERVERS="${STUB_SERVERS}")
add_dependencies(lifecycle_tests dbtrace stub_servers)
add_test(NAME lifecycle_tests COMMAND lifecycle_tests)
set_tests_properties(lifecycle_tests PROPERTIES LABELS runtime TIMEOUT 900 RUN_SERIAL TRUE)
