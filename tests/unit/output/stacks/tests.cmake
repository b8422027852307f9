unit_test(stack_output
  output/stacks/folded_test.cpp
  output/stacks/json_test.cpp
  output/stacks/tree_text_test.cpp
)
