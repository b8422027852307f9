unit_test(otlp
  otlp/backoff_test.cpp
  otlp/metrics_message_test.cpp
  otlp/outcome_test.cpp
  otlp/sender_test.cpp
  otlp/spans_test.cpp
)
target_include_directories(unit_otlp SYSTEM PRIVATE ${PROTOZERO_INCLUDE_DIR})
target_link_libraries(unit_otlp PRIVATE test_collector)
