unit_test(kinds
  kinds/clusters_test.cpp
  kinds/compare_test.cpp
  kinds/kinds_test.cpp
  kinds/kind_table_test.cpp
  kinds/order_test.cpp
  kinds/slices_test.cpp
  kinds/statistics_test.cpp
)
target_link_libraries(unit_kinds PRIVATE dbtrace_output)
