# fa3prof_library(name SOURCES ... LINKS ...): a static library of one layer. Its links are the edges of
# the layer table; tests/layering.cmake checks that the includes go no further.
add_library(fa3prof_warnings INTERFACE)
target_compile_options(fa3prof_warnings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
    -Wold-style-cast -Wnon-virtual-dtor>
  # GCC 12 sees an overlap in every "literal" + std::string (its bug 105651).
  $<$<AND:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${FA3PROF_WERROR}>>:-Werror>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>
  $<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<BOOL:${FA3PROF_WERROR}>>:-Werror=all-warnings>)

# What every target of ours is compiled with, executables and tests included.
add_library(fa3prof_build INTERFACE)
target_link_libraries(fa3prof_build INTERFACE fa3prof_warnings)
target_include_directories(fa3prof_build INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_features(fa3prof_build INTERFACE cxx_std_20)
# CMake 3.25 does not know CUDA's C++20.
target_compile_options(fa3prof_build INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>)

function(fa3prof_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINKS")
  add_library(${name} STATIC ${arg_SOURCES})
  target_link_libraries(${name} PUBLIC fa3prof_build ${arg_LINKS})
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF)
endfunction()
