unit_test(model
  model/filter_test.cpp
  model/histogram_test.cpp
  model/sums_test.cpp)
