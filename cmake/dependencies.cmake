# Every library the project stands on. A missing one is named together with its
# Debian package.
find_package(PkgConfig REQUIRED)

# system_library(PREFIX MODULE): the target PkgConfig::PREFIX. It is linked by its name, not by its
# file's, so that the same objects make a dynamic program and a static one (static.cmake); only the
# latter needs to name what the library needs itself.
function(system_library prefix module)
  pkg_check_modules(${prefix} REQUIRED IMPORTED_TARGET GLOBAL ${module})
  set(others ${${prefix}_STATIC_LIBRARIES})
  list(REMOVE_ITEM others ${${prefix}_LIBRARIES})
  set_target_properties(PkgConfig::${prefix} PROPERTIES
    INTERFACE_LINK_DIRECTORIES "${${prefix}_LIBRARY_DIRS}"
    INTERFACE_LINK_LIBRARIES "${${prefix}_LIBRARIES};$<$<BOOL:$<TARGET_PROPERTY:IS_STATIC>>:${others}>")
endfunction()

system_library(LIBBPF libbpf>=1.4)                              # libbpf-dev (bookworm: from backports)
system_library(LIBDW libdw)                                     # libdw-dev
system_library(LIBELF libelf)                                   # libelf-dev
system_library(ZLIB zlib)                                       # zlib1g-dev
system_library(ZSTD libzstd)                                    # libzstd-dev
system_library(LZMA liblzma)                                    # liblzma-dev
system_library(RE2 re2)                                         # libre2-dev
system_library(CAPSTONE capstone)                               # libcapstone-dev
system_library(LIBSECCOMP libseccomp)                           # libseccomp-dev
system_library(LIBMD libmd)                                     # libmd-dev
system_library(SQLITE3 sqlite3)                                 # libsqlite3-dev
system_library(FMT fmt)                                         # libfmt-dev
target_compile_definitions(PkgConfig::FMT INTERFACE FMT_SHARED)  # as its own CMake package has it
find_package(Threads REQUIRED)
find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)                 # libxxhash-dev; used as a header
find_package(nlohmann_json REQUIRED)                            # nlohmann-json3-dev
find_package(CLI11 REQUIRED)                                    # libcli11-dev
find_path(EXPECTED_INCLUDE_DIR tl/expected.hpp REQUIRED)        # libexpected-dev
find_path(PROTOZERO_INCLUDE_DIR protozero/pbf_writer.hpp REQUIRED)  # libprotozero-dev; used as a header
find_path(DEBUGINFOD_INCLUDE_DIR elfutils/debuginfod.h REQUIRED)  # libdebuginfod-dev; loaded when asked for
# Clients of servers, loaded when asked for: headers only, and without them no such client.
pkg_check_modules(LIBMARIADB IMPORTED_TARGET libmariadb)        # libmariadb-dev
pkg_check_modules(LIBPQ IMPORTED_TARGET libpq)                  # libpq-dev

find_path(MICROHTTPD_INCLUDE_DIR microhttpd.h REQUIRED)         # libmicrohttpd-dev
find_library(MICROHTTPD_ARCHIVE libmicrohttpd.a REQUIRED)       # libmicrohttpd-dev

# LLVMDemangle: a static library of its own, of whichever LLVM is installed.
find_library(LLVM_DEMANGLE_LIBRARY LLVMDemangle REQUIRED
  PATHS /usr/lib/llvm-14/lib /usr/lib/llvm-16/lib /usr/lib/llvm-19/lib)  # llvm-dev
get_filename_component(LLVM_DEMANGLE_ROOT "${LLVM_DEMANGLE_LIBRARY}" DIRECTORY)
find_path(LLVM_DEMANGLE_INCLUDE_DIR llvm/Demangle/Demangle.h REQUIRED
  HINTS ${LLVM_DEMANGLE_ROOT}/../include
  PATHS /usr/include/llvm-14 /usr/include/llvm-16 /usr/include/llvm-19)

add_library(llvm_demangle INTERFACE)
target_include_directories(llvm_demangle SYSTEM INTERFACE ${LLVM_DEMANGLE_INCLUDE_DIR})
target_link_libraries(llvm_demangle INTERFACE ${LLVM_DEMANGLE_LIBRARY})

# The BPF programs.
find_program(CLANG NAMES clang clang-19 clang-16 clang-14 REQUIRED)    # clang
find_program(BPFTOOL NAMES bpftool PATHS /usr/sbin /sbin REQUIRED)     # bpftool
find_program(ZSTD_PROGRAM NAMES zstd REQUIRED)                         # zstd
