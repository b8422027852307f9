#include "src/commands/tracing/query_choice.h"

#include <gtest/gtest.h>

namespace dbtrace::commands {
namespace {

template <typename Set>
QueryChoice chosen(const Set& set) {
  QueryChoice choice;
  set(choice.filter);
  return choice;
}

using Filter = model::FilterOptions;

TEST(QueryChoice, TheKernelKnowsDurationsCommandsAndOneConnection) {
  EXPECT_TRUE(kernel_chooses(QueryChoice()));
  EXPECT_TRUE(kernel_chooses(chosen([](Filter& filter) { filter.slower_than_ns = 5; })));
  EXPECT_TRUE(kernel_chooses(chosen([](Filter& filter) { filter.commands = {"query"}; })));
  EXPECT_TRUE(kernel_chooses(chosen([](Filter& filter) { filter.connections = {7}; })));
  EXPECT_FALSE(kernel_chooses(chosen([](Filter& filter) { filter.connections = {7, 8}; })));
  EXPECT_FALSE(kernel_chooses(chosen([](Filter& filter) { filter.connections = {0}; })));
  EXPECT_FALSE(kernel_chooses(chosen([](Filter& filter) { filter.users = {"anna"}; })));
  EXPECT_FALSE(kernel_chooses(chosen([](Filter& filter) { filter.hosts = {"web1"}; })));
  EXPECT_FALSE(kernel_chooses(chosen([](Filter& filter) { filter.databases = {"shop"}; })));
  EXPECT_FALSE(kernel_chooses(chosen([](Filter& filter) { filter.match = "x"; })));
  EXPECT_FALSE(kernel_chooses(chosen([](Filter& filter) { filter.errors_only = true; })));
}

TEST(QueryChoice, TellsTheKernelWhatItCanLeaveOut) {
  attach::TracerOptions options;
  choose_in_kernel(chosen([](Filter& filter) {
                     filter.slower_than_ns = 5;
                     filter.connections = {7};
                   }),
                   options);
  EXPECT_EQ(options.slower_than_ns, 5U);
  EXPECT_EQ(options.only_connection, 7U);
  options = {};
  choose_in_kernel(chosen([](Filter& filter) { filter.connections = {7, 8}; }), options);
  EXPECT_EQ(options.slower_than_ns, 0U);
  EXPECT_EQ(options.only_connection, 0U);
}

}  // namespace
}  // namespace dbtrace::commands
