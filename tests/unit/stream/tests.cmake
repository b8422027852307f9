unit_test(stream stream/budget_test.cpp stream/decoder_test.cpp stream/stack_events_test.cpp)
