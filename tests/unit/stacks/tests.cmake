unit_test(stacks
  stacks/beginning_test.cpp
  stacks/stack_tree_test.cpp
)
