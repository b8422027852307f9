unit_test(commands commands/units_test.cpp commands/summary_test.cpp)
