# The fixtures, see fixtures/symbols/README.md.
set(SYMBOLS_FIXTURES ${CMAKE_CURRENT_BINARY_DIR}/fixtures/symbols)
file(MAKE_DIRECTORY ${SYMBOLS_FIXTURES})
set(_source ${CMAKE_SOURCE_DIR}/fixtures/symbols/server.cpp)
string(REPEAT "long" 425 _long_name)
set(_compile ${CMAKE_CXX_COMPILER} -std=c++17 -O1 -DLONG_NAME=${_long_name} -Wl,--unique=.text.hot)

# A program made of server.cpp with these options.
function(symbols_program name)
  add_custom_command(OUTPUT ${SYMBOLS_FIXTURES}/${name}
    COMMAND ${_compile} ${ARGN} ${_source} -o ${SYMBOLS_FIXTURES}/${name}
    DEPENDS ${_source} VERBATIM COMMENT "Fixture symbols/${name}")
endfunction()

# Takes program `name` apart into `stripped` and `debug`.
function(symbols_split name stripped debug)
  add_custom_command(OUTPUT ${SYMBOLS_FIXTURES}/${stripped} ${SYMBOLS_FIXTURES}/${debug}
    COMMAND ${CMAKE_OBJCOPY} --only-keep-debug ${name} ${debug}
    COMMAND ${CMAKE_OBJCOPY} --strip-all --add-gnu-debuglink=${debug} ${name} ${stripped}
    WORKING_DIRECTORY ${SYMBOLS_FIXTURES}
    DEPENDS ${SYMBOLS_FIXTURES}/${name} VERBATIM COMMENT "Fixture symbols/${stripped}")
endfunction()

symbols_program(pie -fPIE -pie -rdynamic -Wl,--build-id=sha1)
symbols_program(whole -fPIE -pie -Wl,--build-id=sha1)
symbols_program(no-id.whole -fPIE -pie -Wl,--build-id=none)
symbols_program(exec -fno-pie -no-pie -Wl,-Ttext-segment=0x10000000 -Wl,--build-id=sha1)
symbols_split(whole stripped server.debug)
symbols_split(no-id.whole no-id.stripped no-id.debug)
add_custom_command(OUTPUT ${SYMBOLS_FIXTURES}/pie.exported
  COMMAND ${CMAKE_OBJCOPY} --strip-all pie pie.exported
  WORKING_DIRECTORY ${SYMBOLS_FIXTURES}
  DEPENDS ${SYMBOLS_FIXTURES}/pie VERBATIM COMMENT "Fixture symbols/pie.exported")

# A program to be looked at while it runs, and libraries that it loads.
set(_tracee ${CMAKE_SOURCE_DIR}/fixtures/symbols/tracee.cpp)
set(_library ${CMAKE_SOURCE_DIR}/fixtures/symbols/library.cpp)
function(symbols_tracee name)
  add_custom_command(OUTPUT ${SYMBOLS_FIXTURES}/${name}
    COMMAND ${CMAKE_CXX_COMPILER} -std=c++17 -O1 -Wl,--build-id=sha1 ${_tracee} ${ARGN} -o ${SYMBOLS_FIXTURES}/${name}
    DEPENDS ${_tracee} VERBATIM COMMENT "Fixture symbols/${name}")
endfunction()
symbols_tracee(tracee -fPIE -pie)
symbols_tracee(tracee.static -fno-pie -no-pie -static -DSTATIC)
symbols_split(tracee tracee.stripped tracee.debug)
foreach(_name first second)
  add_custom_command(OUTPUT ${SYMBOLS_FIXTURES}/library.${_name}
    COMMAND ${CMAKE_CXX_COMPILER} -O1 -fPIC -shared -DNAME=${_name}
      ${_library} -o ${SYMBOLS_FIXTURES}/library.${_name}
    DEPENDS ${_library} VERBATIM COMMENT "Fixture symbols/library.${_name}")
endforeach()

add_custom_command(OUTPUT ${SYMBOLS_FIXTURES}/probes
  COMMAND ${CMAKE_CXX_COMPILER} -O1 -fPIE -pie ${CMAKE_SOURCE_DIR}/fixtures/symbols/probes.cpp
    -o ${SYMBOLS_FIXTURES}/probes
  DEPENDS ${CMAKE_SOURCE_DIR}/fixtures/symbols/probes.cpp VERBATIM COMMENT "Fixture symbols/probes")

# Programs with lines of source, by different compilers and tools.
set(LINES_FIXTURES)
function(symbols_lines name compiler)
  add_custom_command(OUTPUT ${SYMBOLS_FIXTURES}/${name}
    COMMAND ${compiler} -std=c++17 -O2 -g ${ARGN} ${CMAKE_SOURCE_DIR}/fixtures/symbols/lines.cpp -o ${SYMBOLS_FIXTURES}/${name}
    DEPENDS ${CMAKE_SOURCE_DIR}/fixtures/symbols/lines.cpp VERBATIM COMMENT "Fixture symbols/${name}")
  set(LINES_FIXTURES ${LINES_FIXTURES} ${name} PARENT_SCOPE)
endfunction()
symbols_lines(lines ${CMAKE_CXX_COMPILER})
symbols_lines(lines.dwarf4 ${CMAKE_CXX_COMPILER} -gdwarf-4)
symbols_lines(lines.compressed ${CMAKE_CXX_COMPILER} -gz=zlib)
symbols_tracee(tracee.lines -fPIE -pie -g)
symbols_split(tracee.lines tracee.lines.stripped tracee.lines.debug)

include(${CMAKE_SOURCE_DIR}/tests/unit/symbols/rules.cmake)

# After rules.cmake, which looks for the tools.
find_program(CLANGXX_FOR_LINES NAMES clang++ clang++-19 clang++-16 clang++-14)
if(CLANGXX_FOR_LINES)
  symbols_lines(lines.clang ${CLANGXX_FOR_LINES})
endif()
if(AARCH64_CXX)
  symbols_lines(aarch64.lines ${AARCH64_CXX})
endif()
if(DWZ)
  rules_fixture(lines.dwz ${SYMBOLS_FIXTURES}/lines ${DWZ} --output=lines.dwz lines)
endif()

set(_files ${RULES_FIXTURES} ${LINES_FIXTURES} pie pie.exported exec stripped server.debug no-id.stripped no-id.debug
  tracee tracee.static tracee.stripped tracee.debug tracee.lines.stripped tracee.lines.debug library.first library.second probes)
list(TRANSFORM _files PREPEND ${SYMBOLS_FIXTURES}/)
add_custom_target(symbols_fixtures DEPENDS ${_files})

set(_tests ${CMAKE_SOURCE_DIR}/tests/unit/symbols)
unit_test(symbols
  ${_tests}/fixture.cpp
  ${_tests}/demangle_test.cpp
  ${_tests}/elf_file_test.cpp
  ${_tests}/finder_test.cpp
  ${_tests}/debug_file_test.cpp
  ${_tests}/hostile_test.cpp
  ${_tests}/oracle_test.cpp
  ${_tests}/compression_test.cpp
  ${_tests}/debuginfod_test.cpp
  ${_tests}/match_test.cpp
  ${_tests}/pattern_test.cpp
  ${_tests}/similar_test.cpp
  ${_tests}/small_elf.cpp
  ${_tests}/function_ranges_test.cpp
  ${_tests}/tracee.cpp
  ${_tests}/source_lines_test.cpp
  ${_tests}/symbolizer_test.cpp
  ${_tests}/process_maps_test.cpp
  ${_tests}/perf_map_test.cpp
  ${_tests}/kernel_symbols_test.cpp
  ${_tests}/unwind_rows_test.cpp
  ${_tests}/usdt_notes_test.cpp)
add_dependencies(unit_symbols symbols_fixtures)
target_link_libraries(unit_symbols PRIVATE PkgConfig::LZMA PkgConfig::ZSTD)
target_compile_definitions(unit_symbols PRIVATE SYMBOLS_FIXTURES="${SYMBOLS_FIXTURES}")
