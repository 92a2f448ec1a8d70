# Run at build time (cmake -P): writes version.cpp anew only when the commit or the tree's state changed.
execute_process(COMMAND git describe --always --dirty --abbrev=10 --exclude=*
  WORKING_DIRECTORY "${SOURCE_DIR}" OUTPUT_VARIABLE FA3PROF_COMMIT
  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status)
if(NOT status EQUAL 0 OR FA3PROF_COMMIT STREQUAL "")
  # A source archive or a copy without .git: whoever builds it may say what it is.
  set(FA3PROF_COMMIT "$ENV{FA3PROF_COMMIT}")
endif()
if(FA3PROF_COMMIT STREQUAL "")
  set(FA3PROF_COMMIT unknown)
endif()
configure_file("${SOURCE_DIR}/src/core/version.cpp.in" "${OUTPUT}" @ONLY)
