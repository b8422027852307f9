// Arrows are where one query only can have been the blocker, and nowhere else.
#include "src/output/perfetto/flows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dbtrace::output::perfetto {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr uint32_t kPid = 42;

model::Query query_of(uint64_t connection, uint64_t begin_ns, uint64_t end_ns,
                      const std::string& text) {
  model::Query query;
  query.pid = kPid;
  query.connection_id = connection;
  query.start_ns = begin_ns;
  query.duration_ns = end_ns - begin_ns;
  query.text_state = model::TextState::Present;
  query.text = text;
  query.text_length = text.size();
  return query;
}

// Of connection 2, from 1000 to 2000: the wait of 800 ns ended between 1800 and 2000.
model::Query blocked_by(uint64_t connection, const std::string& text) {
  model::Query query = query_of(2, 1000, 2000, "update t set a = 2");
  query.blocker.emplace();
  query.blocker->waited_ns = 800;
  query.blocker->pid = kPid;
  query.blocker->connection_id = connection;
  query.blocker->query = text;
  return query;
}

Flows flows_of(const std::vector<model::Query>& queries) {
  Flows flows;
  for (const model::Query& query : queries) flows.add(query);
  flows.connect();
  return flows;
}

TEST(Flows, LeadFromTheBlockerThatEndedFirst) {
  const Flows flows = flows_of({query_of(1, 100, 900, "update t set a = 1"),
                                query_of(1, 1500, 1850, "commit"), blocked_by(1, "commit")});
  EXPECT_THAT(flows.from(1), ElementsAre(2));
  EXPECT_THAT(flows.from(0), IsEmpty());
  EXPECT_TRUE(flows.leads_to(2));
  EXPECT_FALSE(flows.leads_to(1));
}

TEST(Flows, LeadFromTheBlockerThatEndedLast) {
  const Flows flows = flows_of({blocked_by(1, "commit"), query_of(1, 1950, 2100, "commit")});
  EXPECT_THAT(flows.from(1), ElementsAre(0));
  EXPECT_TRUE(flows.leads_to(0));
}

TEST(Flows, LeadToEachThatWaited) {
  const Flows flows = flows_of(
      {blocked_by(1, "commit"), blocked_by(1, "commit"), query_of(1, 1850, 2100, "commit")});
  EXPECT_THAT(flows.from(2), ElementsAre(0, 1));
}

TEST(Flows, AreNotWhereTwoMayBeMeant) {
  const Flows flows = flows_of({query_of(1, 1700, 1850, "commit"),
                                query_of(1, 1900, 1950, "commit"), blocked_by(1, "commit")});
  EXPECT_FALSE(flows.leads_to(2));
}

TEST(Flows, AreNotWhereTheBlockerIsNotThere) {
  for (const model::Query& other :
       {query_of(1, 1800, 1900, "rollback"), query_of(3, 1800, 1900, "commit"),
        query_of(1, 1000, 1799, "commit"), query_of(1, 2001, 2002, "commit")}) {
    const Flows flows = flows_of({other, blocked_by(1, "commit")});
    EXPECT_FALSE(flows.leads_to(1)) << other.text << ' ' << other.start_ns;
  }
  model::Query background = blocked_by(1, "commit");
  background.blocker->connection_id.reset();
  EXPECT_FALSE(flows_of({query_of(1, 1800, 1900, "commit"), background}).leads_to(1));
}

TEST(Flows, LeadFromTheLastQueryOfWhoIsIdle) {
  model::Query blocked = blocked_by(1, "update t set a = 1");
  blocked.blocker->idle = true;
  const model::Query last = query_of(1, 200, 300, "update t set a = 1");
  EXPECT_THAT(flows_of({query_of(1, 100, 150, "begin"), last, blocked}).from(1), ElementsAre(2));
  // Not where it did something else since.
  EXPECT_FALSE(flows_of({last, query_of(1, 400, 500, "select 1"), blocked}).leads_to(2));
  EXPECT_FALSE(flows_of({last, query_of(1, 1800, 1900, "commit"), blocked}).leads_to(2));
}

// A look at each query for each wait would be 40,000,000,000 looks.
TEST(Flows, AreFoundAmongManyThatOverlap) {
  constexpr size_t kMany = 200'000;
  std::vector<model::Query> queries(kMany, query_of(1, 1700, 1850, "other"));
  queries.push_back(query_of(1, 1600, 1900, "commit"));
  queries.insert(queries.end(), kMany, blocked_by(1, "commit"));
  const Flows flows = flows_of(queries);
  EXPECT_EQ(flows.from(kMany).size(), kMany);
  EXPECT_EQ(flows.from(kMany).front(), kMany + 1);
}

TEST(Flows, DoNotComeFromStatements) {
  model::Query statement = query_of(1, 1800, 1900, "commit");
  statement.depth = 1;
  EXPECT_FALSE(flows_of({statement, blocked_by(1, "commit")}).leads_to(1));
}

}  // namespace
}  // namespace dbtrace::output::perfetto
