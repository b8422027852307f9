unit_test(report
  report/collector_test.cpp
  report/page_test.cpp
  report/samples.cpp
  report/text_test.cpp
)
