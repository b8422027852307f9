#include "src/otlp/backoff.h"

#include <gtest/gtest.h>

namespace dbtrace::otlp {
namespace {

using std::chrono::seconds;
using Time = Backoff::Time;

TEST(Backoff, DoublesUpToItsLongest) {
  Backoff backoff;
  EXPECT_EQ(backoff.next({}, 1), Time(1'000));
  EXPECT_EQ(backoff.next({}, 1), Time(2'000));
  EXPECT_EQ(backoff.next({}, 0), Time(2'000));  // half of 4 s
  for (int i = 0; i < 1000; ++i) (void)backoff.next({}, 1);
  EXPECT_EQ(backoff.next({}, 1), Backoff::kLongest);
  EXPECT_EQ(backoff.next({}, 0), Backoff::kLongest / 2);
  backoff.reset();
  EXPECT_EQ(backoff.next({}, 1), Backoff::kFirst);
}

TEST(Backoff, IsNoShorterThanAskedFor) {
  Backoff backoff;
  EXPECT_EQ(backoff.next(seconds(30), 1), Time(30'000));
  EXPECT_EQ(backoff.next(seconds(0), 1), Time(2'000));
  EXPECT_EQ(backoff.next(seconds(UINT32_MAX), 1), Backoff::kMostAskedFor);
}

}  // namespace
}  // namespace dbtrace::otlp
