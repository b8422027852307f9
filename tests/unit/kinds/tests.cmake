unit_test(kinds
  kinds/kinds_test.cpp
  kinds/kind_table_test.cpp
  kinds/order_test.cpp
)
target_link_libraries(unit_kinds PRIVATE dbtrace_output)
