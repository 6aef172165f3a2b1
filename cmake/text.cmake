# Writes files as C arrays of their bytes: PREFIXname, for each of FILES.  cmake -DPREFIX= -DOUT= -DFILES= -P text.cmake
file(WRITE ${OUT}.new "/* made by cmake/text.cmake */\n")
foreach(name ${FILES})
  get_filename_component(word ${name} NAME_WE)
  file(READ ${name} bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes
                       "${bytes}")
  file(APPEND ${OUT}.new "extern const char ${PREFIX}${word}[];\nconst char ${PREFIX}${word}[] = {\n${bytes}0};\n")
endforeach()
file(RENAME ${OUT}.new ${OUT})
