# What nearly every file includes is compiled once. The sources of dbtrace itself use it only with
# DBTRACE_QUICK: an ordinary build notices when a file forgets an include of its own.

#   precompile(TARGET HEADER…): TARGET, which holds nothing else, for use_precompiled()
function(precompile target)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/${target}.cpp CONTENT "")
  add_library(${target} OBJECT ${CMAKE_BINARY_DIR}/${target}.cpp)
  target_link_libraries(${target} PRIVATE dbtrace_options)
  target_precompile_headers(${target} PRIVATE ${ARGN})
  target_compile_options(${target} PUBLIC -Winvalid-pch)
endfunction()

function(use_precompiled headers)
  foreach(target ${ARGN})
    target_precompile_headers(${target} REUSE_FROM ${headers})
    target_compile_options(${target} PRIVATE -fpch-preprocess)  # ccache needs it
  endforeach()
endfunction()

if(DBTRACE_QUICK)
  set(common
    <algorithm> <fmt/format.h> <functional> <map> <memory> <optional> <span> <string> <string_view>
    <tl/expected.hpp> <unordered_map> <utility> <variant> <vector>)
  precompile(room_headers ${common})
  target_link_libraries(room_headers PRIVATE PkgConfig::FMT)
  use_precompiled(room_headers dbtrace_attach dbtrace_client dbtrace_code dbtrace_commands dbtrace_output
    dbtrace_profiles dbtrace_sandbox dbtrace_stack_output dbtrace_stacks dbtrace_target dbtrace_tracer)
  target_precompile_headers(dbtrace_symbols PRIVATE ${common})  # RE2 has it compiled with other flags
endif()

if(DBTRACE_TESTS)
  find_package(GTest REQUIRED)  # libgtest-dev libgmock-dev
  precompile(test_headers <algorithm> <gmock/gmock.h> <gtest/gtest.h> <map> <optional> <string> <vector>)
  target_compile_options(test_headers PRIVATE -O0 -g1)
  target_link_libraries(test_headers PRIVATE GTest::gtest GTest::gmock)
endif()
