unit_test(target
  target/debug_package_test.cpp
  target/fake_proc.cpp
  target/process_test.cpp
  target/server_test.cpp
  target/succession_test.cpp
)
add_dependencies(unit_target stub_servers)
target_compile_definitions(unit_target PRIVATE STUB_SERVERS="${STUB_SERVERS}")
