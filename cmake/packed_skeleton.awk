# A skeleton whose object is packed: bpftool puts it as it is into `NAME__elf_bytes`.
# Input: `od -v -An -tu1` of the packed object, then bpftool's skeleton. Needs: -v name=NAME
BEGIN { print "#include \"src/attach/packed_object.h\"" }
NR == FNR { gsub(/[0-9]+/, "&,"); bytes = bytes $0 "\n"; next }
index($0, "const void *" name "__elf_bytes(size_t *sz)") && !/;$/ {
  printf "%s\n{\n\tstatic const unsigned char packed[] = {\n%s};\n", $0, bytes
  printf "\tstatic const auto object = dbtrace::attach::unpack_object(packed);\n"
  printf "\t*sz = object.size();\n\treturn object.data();\n}\n"
  replaced = 1
}
!replaced || unpacked { print }
replaced && /^}/ { unpacked = 1 }
