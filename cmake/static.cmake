# make_static(TARGET): the program becomes one stripped file that needs no library, not even libc. It
# is made of the same objects as its dynamic sister, but for symbols/no_library.cpp and capstone_decoders.c.
#
# Debian has no archive of fmt. Its headers hold everything; a compiler that is told to keep what is
# inline makes the archive of them.
add_library(fmt_archive STATIC EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/fmt_archive.cpp)
target_compile_options(fmt_archive PRIVATE -fkeep-inline-functions)
set_target_properties(fmt_archive PROPERTIES OUTPUT_NAME fmt)

function(make_static target)
  set_target_properties(${target} PROPERTIES IS_STATIC ON
    SKIP_BUILD_RPATH ON)  # with one, glibc refuses to start a static program
  target_sources(${target} PRIVATE
    ${CMAKE_SOURCE_DIR}/symbols/no_library.cpp ${CMAKE_SOURCE_DIR}/cmake/capstone_decoders.c)
  add_dependencies(${target} fmt_archive)
  target_link_directories(${target} PRIVATE $<TARGET_FILE_DIR:fmt_archive>)
  target_link_options(${target} PRIVATE -static-pie -s
    -Wl,--gc-sections,-z,pack-relative-relocs)  # relocations: 2 MB, else
endfunction()
