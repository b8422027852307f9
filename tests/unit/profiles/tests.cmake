unit_test(profiles
  profiles/canary_test.cpp
  profiles/data_files_test.cpp
  profiles/mysql_test.cpp
  profiles/postgres_test.cpp
  profiles/user_profile_test.cpp
)
