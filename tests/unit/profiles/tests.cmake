unit_test(profiles profiles/mysql_test.cpp)
