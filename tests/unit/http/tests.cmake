unit_test(http
  http/address_test.cpp
  http/answer_test.cpp
  http/post_test.cpp
  http/url_test.cpp
)
target_link_libraries(unit_http PRIVATE test_collector)
