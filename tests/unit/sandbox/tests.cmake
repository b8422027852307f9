unit_test(sandbox
  sandbox/capabilities_test.cpp
  sandbox/sandbox_test.cpp
)
