unit_test(output
  output/budget_json_test.cpp
  output/budget_text_test.cpp
  output/byte_size_test.cpp
  output/character_class_test.cpp
  output/counted_test.cpp
  output/csv_sink_test.cpp
  output/duration_test.cpp
  output/escape_test.cpp
  output/histogram_text_test.cpp
  output/hostile_input_test.cpp
  output/json_sink_test.cpp
  output/metrics_text_test.cpp
  output/pglog_sink_test.cpp
  output/redact_test.cpp
  output/short_number_test.cpp
  output/slowlog_sink_test.cpp
  output/slowlog_tools_test.cpp
  output/text_sink_test.cpp
  output/utf8_test.cpp
  output/whole_file_test.cpp
)

# ns per query of every format: a figure to look at, not a test.
add_executable(output_bench EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/tests/bench/output_bench.cpp)
target_link_libraries(output_bench PRIVATE dbtrace_output)
