unit_test(http
  http/address_test.cpp
)
