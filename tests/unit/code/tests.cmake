unit_test(code
  code/aarch64_test.cpp
  code/exits_test.cpp
  code/hostile_bytes_test.cpp
  code/members_test.cpp
  code/placement_test.cpp
  code/x86_64_test.cpp
)
