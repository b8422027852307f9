unit_test(recording
  recording/archive_test.cpp
  recording/foreign_files_test.cpp
  recording/hostile_folder_test.cpp
  recording/limits_test.cpp
  recording/old_version_test.cpp
  recording/past_test.cpp
  recording/queries.cpp
  recording/round_trip_test.cpp
  recording/seconds_test.cpp
  recording/single_io_test.cpp
  recording/views_test.cpp
)
target_compile_definitions(unit_recording PRIVATE
  RECORDING_FIXTURES="${CMAKE_CURRENT_SOURCE_DIR}/recording/fixtures"
  RECORDINGS_PAGE="${CMAKE_SOURCE_DIR}/docs/recordings.md")

# Bytes and CPU time per query: figures to look at, not a test.
add_executable(record_bench EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/tests/bench/record_bench.cpp)
target_compile_options(record_bench PRIVATE -O2)
target_link_libraries(record_bench PRIVATE dbtrace_recording)
