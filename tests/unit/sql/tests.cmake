add_library(statement_generator STATIC sql/statement_generator.cpp)
target_include_directories(statement_generator PUBLIC ${CMAKE_SOURCE_DIR})

unit_test(sql
  sql/coarse_text_test.cpp
  sql/digest_text_test.cpp
  sql/lexer_test.cpp
  sql/pmm_text_test.cpp
  sql/postgres_text_test.cpp
  sql/pt_text_test.cpp
  sql/pt_tools_test.cpp
  sql/table_names_test.cpp
  sql/trace_parent_test.cpp
)
target_link_libraries(unit_sql PRIVATE statement_generator)

# MB/s of every mode: a figure to look at, not a test.
add_executable(fingerprint_bench EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/tests/bench/fingerprint_bench.cpp)
target_link_libraries(fingerprint_bench PRIVATE dbtrace_sql)
target_compile_options(fingerprint_bench PRIVATE -O2)
