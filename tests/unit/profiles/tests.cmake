unit_test(profiles
  profiles/mysql_test.cpp
  profiles/user_profile_test.cpp
)
