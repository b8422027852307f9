# Traces as others read them.
find_program(PROTOC protoc REQUIRED)  # protobuf-compiler
add_library(decoded_trace STATIC output/perfetto/decoded.cpp)
target_include_directories(decoded_trace PUBLIC ${CMAKE_SOURCE_DIR})
target_link_libraries(decoded_trace PUBLIC nlohmann_json::nlohmann_json)
target_compile_definitions(decoded_trace PRIVATE
  PROTOC="${PROTOC}" TRACE_PROTO_FOLDER="${CMAKE_CURRENT_SOURCE_DIR}/output/perfetto")

unit_test(perfetto
  output/perfetto/flows_test.cpp
  output/perfetto/lane_test.cpp
  output/perfetto/trace_test.cpp
)
target_link_libraries(unit_perfetto PRIVATE decoded_trace)
