# Traces as others read them.
add_library(decoded_trace STATIC output/perfetto/decoded.cpp)
target_link_libraries(decoded_trace PUBLIC protoc_decoder)
target_compile_definitions(decoded_trace PRIVATE
  TRACE_PROTO="${CMAKE_CURRENT_SOURCE_DIR}/output/perfetto/trace.proto")

unit_test(perfetto
  output/perfetto/flows_test.cpp
  output/perfetto/lane_test.cpp
  output/perfetto/trace_test.cpp
)
target_link_libraries(unit_perfetto PRIVATE decoded_trace)
