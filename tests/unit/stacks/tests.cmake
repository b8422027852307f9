# Threads that are stopped and copied, for the tests here, on real servers, and benchmarks.
add_library(stack_capture STATIC stacks/capture.cpp)
target_link_libraries(stack_capture PUBLIC dbtrace_stacks)

# The fixtures, see fixtures/stacks/README.md.
set(STACKS_FIXTURES ${CMAKE_CURRENT_BINARY_DIR}/fixtures/stacks)
file(MAKE_DIRECTORY ${STACKS_FIXTURES})
set(_stacks ${CMAKE_SOURCE_DIR}/fixtures/stacks)
set(_stacks_made)

set(_stacks_compiler ${CMAKE_CXX_COMPILER})
#   stacks_fixture(NAME SOURCE DEPENDS OPTION…)
function(stacks_fixture name source depends)
  add_custom_command(OUTPUT ${STACKS_FIXTURES}/${name}
    COMMAND ${_stacks_compiler} -std=c++17 -pthread ${ARGN} ${_stacks}/${source} -o ${STACKS_FIXTURES}/${name}
    WORKING_DIRECTORY ${STACKS_FIXTURES}
    DEPENDS ${_stacks}/${source} ${_stacks}/chains.h ${depends} VERBATIM COMMENT "Fixture stacks/${name}")
  set(_stacks_made ${_stacks_made} ${STACKS_FIXTURES}/${name} PARENT_SCOPE)
endfunction()

set(_omit -O2 -fomit-frame-pointer)
stacks_fixture(liblinked.so library.cpp "" ${_omit} -fPIC -shared -DNAME=linked)
# Has no .eh_frame for its functions, only the .debug_frame of debug information.
stacks_fixture(libloaded.so library.cpp "" ${_omit} -fPIC -shared -DNAME=loaded
  -g -fno-exceptions -fno-asynchronous-unwind-tables -fno-unwind-tables)
#   chains(NAME OPTION…): the program, with the library that is linked
function(chains name)
  stacks_fixture(${name} chains.cpp ${STACKS_FIXTURES}/liblinked.so ${ARGN}
    -L${STACKS_FIXTURES} -Wl,-rpath,${STACKS_FIXTURES} -Wl,--no-as-needed -llinked)
  set(_stacks_made ${_stacks_made} PARENT_SCOPE)
endfunction()
chains(chains ${_omit} -Wl,-z,lazy)
chains(chains.unoptimized -O0)
stacks_fixture(chains.static chains.cpp "" ${_omit} -static -DSTATIC)
chains(chains.frame_pointers -O2 -fno-omit-frame-pointer)
find_program(AARCH64_CXX aarch64-linux-gnu-g++)
if(AARCH64_CXX)
  # For its tables: nobody runs it. With return addresses that are signed.
  set(_stacks_compiler ${AARCH64_CXX})
  stacks_fixture(aarch64.chains chains.cpp "" -O2 -mbranch-protection=standard -DSTATIC -fPIE -pie)
  set(_stacks_compiler ${CMAKE_CXX_COMPILER})
endif()
add_custom_target(stacks_fixtures DEPENDS ${_stacks_made})

unit_test(stacks
  stacks/beginning_test.cpp
  stacks/blocked_test.cpp
  stacks/call_frame_info_test.cpp
  stacks/chain.cpp
  stacks/chains_test.cpp
  stacks/collector_test.cpp
  stacks/stack_tree_test.cpp
  stacks/steps_test.cpp
  stacks/unwinder_test.cpp
  symbols/fixture.cpp
  symbols/small_elf.cpp
)
add_dependencies(unit_stacks stacks_fixtures)
target_link_libraries(unit_stacks PRIVATE stack_capture PkgConfig::LIBELF PkgConfig::LIBDW)
target_compile_definitions(unit_stacks PRIVATE STACKS_FIXTURES="${STACKS_FIXTURES}"
  SYMBOLS_FIXTURES="${STACKS_FIXTURES}")
