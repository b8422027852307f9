unit_test(profiles
  profiles/data_files_test.cpp
  profiles/mysql_test.cpp
  profiles/postgres_catalog_test.cpp
  profiles/postgres_names_test.cpp
  profiles/postgres_test.cpp
  profiles/user_profile_test.cpp
)
