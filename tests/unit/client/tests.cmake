unit_test(client
  client/hostile_servers_test.cpp
  ${CMAKE_SOURCE_DIR}/tests/runtime/hostile_server.cpp
)
