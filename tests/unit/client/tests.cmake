unit_test(client
  client/hostile_servers_test.cpp
  ${CMAKE_SOURCE_DIR}/tests/runtime/hostile_server.cpp
)
target_include_directories(unit_client SYSTEM PRIVATE ${LIBPQ_INCLUDE_DIRS})
