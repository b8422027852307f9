unit_test(stream stream/decoder_test.cpp)
