unit_test(sql
  sql/digest_text_test.cpp
)

# MB/s of every mode: a figure to look at, not a test.
add_executable(fingerprint_bench EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/tests/bench/fingerprint_bench.cpp)
target_link_libraries(fingerprint_bench PRIVATE dbtrace_sql)
target_compile_options(fingerprint_bench PRIVATE -O2)
