unit_test(model model/filter_test.cpp)
