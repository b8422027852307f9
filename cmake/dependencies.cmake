# Every library the project stands on. A missing one is named together with its
# Debian package.
find_package(PkgConfig REQUIRED)
if(DBTRACE_STATIC)  # the archives, with what they need themselves
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
  set(PKG_CONFIG_ARGN --static)
endif()

pkg_check_modules(LIBBPF REQUIRED IMPORTED_TARGET libbpf>=1.4)  # libbpf-dev (bookworm: from backports)
pkg_check_modules(LIBELF REQUIRED IMPORTED_TARGET libelf)       # libelf-dev
pkg_check_modules(LIBDW REQUIRED IMPORTED_TARGET libdw)         # libdw-dev
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)           # zlib1g-dev
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)        # libzstd-dev
pkg_check_modules(LZMA REQUIRED IMPORTED_TARGET liblzma)        # liblzma-dev
pkg_check_modules(RE2 REQUIRED IMPORTED_TARGET re2)             # libre2-dev
pkg_check_modules(CAPSTONE REQUIRED IMPORTED_TARGET capstone)   # libcapstone-dev
pkg_check_modules(LIBMD REQUIRED IMPORTED_TARGET libmd)         # libmd-dev
find_package(Threads REQUIRED)
find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)                 # libxxhash-dev; used as a header
find_package(fmt REQUIRED)                                      # libfmt-dev: no archive, but headers that do without
add_library(fmt_library INTERFACE)
target_link_libraries(fmt_library INTERFACE $<IF:$<BOOL:${DBTRACE_STATIC}>,fmt::fmt-header-only,fmt::fmt>)
find_package(nlohmann_json REQUIRED)                            # nlohmann-json3-dev
find_package(CLI11 REQUIRED)                                    # libcli11-dev
find_path(EXPECTED_INCLUDE_DIR tl/expected.hpp REQUIRED)        # libexpected-dev
find_path(DEBUGINFOD_INCLUDE_DIR elfutils/debuginfod.h REQUIRED)  # libdebuginfod-dev; loaded when asked for
# Clients of servers, loaded when asked for: headers only, and without them no such client.
pkg_check_modules(LIBMARIADB IMPORTED_TARGET libmariadb)        # libmariadb-dev
pkg_check_modules(LIBPQ IMPORTED_TARGET libpq)                  # libpq-dev

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
