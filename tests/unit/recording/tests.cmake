unit_test(recording
  recording/archive_test.cpp
  recording/foreign_files_test.cpp
  recording/limits_test.cpp
  recording/queries.cpp
  recording/round_trip_test.cpp
)
target_compile_definitions(unit_recording PRIVATE
  RECORDING_FIXTURES="${CMAKE_CURRENT_SOURCE_DIR}/recording/fixtures"
  RECORDINGS_PAGE="${CMAKE_SOURCE_DIR}/docs/recordings.md")
