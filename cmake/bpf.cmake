# bpf_skeleton(NAME SOURCE): compiles SOURCE for BPF and makes the target NAME,
# whose users can include "bpf/NAME.skel.h" (struct NAME).
#
# The object is packed in it: it is a fourteenth of the static dbtrace otherwise, and a hundredth so.
#
# DEPFILE makes shared headers such as event.h a dependency of the BPF side too.
set(bpf_arch_x86_64 x86)
set(bpf_arch_aarch64 arm64)
if(NOT bpf_arch_${CMAKE_SYSTEM_PROCESSOR})
  message(FATAL_ERROR "no BPF register names for ${CMAKE_SYSTEM_PROCESSOR}")
endif()
# Where <asm/…> lies on Debian's multiarch layout; empty and harmless elsewhere.
execute_process(COMMAND ${CMAKE_C_COMPILER} -print-multiarch
  OUTPUT_VARIABLE bpf_multiarch OUTPUT_STRIP_TRAILING_WHITESPACE)

set(packed_skeleton ${CMAKE_CURRENT_LIST_DIR}/packed_skeleton.awk)

function(bpf_skeleton name source)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.o)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${name}.include)
  set(skeleton ${folder}/bpf/${name}.skel.h)
  file(MAKE_DIRECTORY ${folder}/bpf)
  add_custom_command(OUTPUT ${object}
    COMMAND ${CLANG} -g -O2 -Wall -Wextra -Werror -std=gnu11 --target=bpf -mcpu=v3
            -D__TARGET_ARCH_${bpf_arch_${CMAKE_SYSTEM_PROCESSOR}} -I${CMAKE_SOURCE_DIR}
            -idirafter /usr/include/${bpf_multiarch}
            -MMD -MF ${object}.d -MT ${object} -c ${CMAKE_CURRENT_SOURCE_DIR}/${source} -o ${object}.full
    # Without what debuggers read, which is as much as the rest.
    COMMAND ${BPFTOOL} gen object ${object} ${object}.full
    DEPENDS ${source} DEPFILE ${object}.d
    COMMENT "BPF ${source}" VERBATIM)
  add_custom_command(OUTPUT ${skeleton}
    COMMAND ${ZSTD_PROGRAM} -q -f -19 ${object} -o ${object}.zst
    COMMAND od -v -An -tu1 ${object}.zst > ${object}.bytes
    COMMAND ${BPFTOOL} gen skeleton ${object} name ${name} > ${object}.skeleton
    COMMAND awk -v name=${name} -f ${packed_skeleton} ${object}.bytes ${object}.skeleton > ${skeleton}
    DEPENDS ${object} ${packed_skeleton} COMMENT "BPF skeleton ${name}")
  add_custom_target(${name}_skeleton DEPENDS ${skeleton})
  add_library(${name} INTERFACE)
  target_include_directories(${name} SYSTEM INTERFACE ${folder})
  target_link_libraries(${name} INTERFACE PkgConfig::LIBBPF)
  add_dependencies(${name} ${name}_skeleton)
endfunction()
