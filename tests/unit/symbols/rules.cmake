# Fixtures for the rules by which symbols are told apart, for this machine's
# processor and for AArch64; see fixtures/symbols/README.md. Sets RULES_FIXTURES.
set(_sources ${CMAKE_SOURCE_DIR}/fixtures/symbols)
set(RULES_FIXTURES)
find_program(AARCH64_CXX aarch64-linux-gnu-g++)
find_program(LLD ld.lld)
find_program(ELFCOMPRESS eu-elfcompress)
find_program(DWZ dwz)

# A file made by one command.
function(rules_fixture name depends)
  add_custom_command(OUTPUT ${SYMBOLS_FIXTURES}/${name} COMMAND ${ARGN}
    WORKING_DIRECTORY ${SYMBOLS_FIXTURES} DEPENDS ${depends} VERBATIM
    COMMENT "Fixture symbols/${name}")
  set(RULES_FIXTURES ${RULES_FIXTURES} ${name} PARENT_SCOPE)
endfunction()

# rules.cpp and its library with one compiler; `prefix` is "" or "aarch64.".
function(rules_programs prefix compiler)
  set(library ${prefix}versioned.so)
  set(compile ${compiler} -std=c++17 -O1)
  rules_fixture(${library} "${_sources}/versioned_library.cpp;${_sources}/versions.map"
    ${compile} -fPIC -shared -Wl,--version-script=${_sources}/versions.map
    -Wl,-soname,libversioned.so.1 ${_sources}/versioned_library.cpp -o ${library})
  set(depends ${_sources}/rules.cpp ${SYMBOLS_FIXTURES}/${library})
  rules_fixture(${prefix}rules.pie "${depends}"
    ${compile} -fPIE -pie -rdynamic ${_sources}/rules.cpp ${library} -o ${prefix}rules.pie)
  rules_fixture(${prefix}rules.exec "${depends}"
    ${compile} -g -fno-pie -no-pie ${_sources}/rules.cpp ${library} -o ${prefix}rules.exec)
  set(RULES_FIXTURES ${RULES_FIXTURES} PARENT_SCOPE)
endfunction()

rules_programs("" ${CMAKE_CXX_COMPILER})
if(AARCH64_CXX)
  rules_programs(aarch64. ${AARCH64_CXX})
  string(REPEAT "long" 425 _long_name)
  rules_fixture(aarch64.pie ${_sources}/server.cpp
    ${AARCH64_CXX} -std=c++17 -O1 -DLONG_NAME=${_long_name} -Wl,--unique=.text.hot -fPIE -pie -rdynamic
    ${_sources}/server.cpp -o aarch64.pie)
endif()
if(LLD)
  rules_fixture(rules.icf "${_sources}/rules.cpp;${SYMBOLS_FIXTURES}/versioned.so"
    ${CMAKE_CXX_COMPILER} -std=c++17 -O1 -fPIE -pie -rdynamic -ffunction-sections -fuse-ld=lld
    -Wl,--icf=all ${_sources}/rules.cpp versioned.so -o rules.icf)
endif()
if(ELFCOMPRESS)
  rules_fixture(exec.zlib ${SYMBOLS_FIXTURES}/exec
    ${ELFCOMPRESS} --force --type=zlib --name=.symtab --name=.strtab --output=exec.zlib exec)
endif()
if(DWZ)
  rules_fixture(rules.dwz ${SYMBOLS_FIXTURES}/rules.exec ${DWZ} --output=rules.dwz rules.exec)
endif()
rules_fixture(mini "${SYMBOLS_FIXTURES}/pie;${SYMBOLS_FIXTURES}/pie.exported;${_sources}/mini_debug_info.sh"
  ${CMAKE_COMMAND} -E env OBJCOPY=${CMAKE_OBJCOPY} NM=${CMAKE_NM}
  ${_sources}/mini_debug_info.sh pie pie.exported mini)
