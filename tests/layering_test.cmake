# cmake -DWORK=<scratch folder> -P layering_test.cmake: layering.cmake accepts a sound tree and names each
# fault of a bad one. Without this, a check that has gone blind would look like a clean tree.
cmake_minimum_required(VERSION 3.25)

function(check_tree expected_result)
  execute_process(COMMAND "${CMAKE_COMMAND}" "-DROOT=${WORK}" -P "${CMAKE_CURRENT_LIST_DIR}/layering.cmake"
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL expected_result)
    message(FATAL_ERROR "expected exit ${expected_result}, got ${result}:\n${output}")
  endif()
  # CMake folds long messages; compare without the line breaks.
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  foreach(fault IN LISTS ARGN)
    string(FIND "${output}" "${fault}" at)
    if(at EQUAL -1)
      message(FATAL_ERROR "not reported: ${fault}\n${output}")
    endif()
  endforeach()
endfunction()

file(REMOVE_RECURSE "${WORK}")
file(WRITE "${WORK}/src/core/a.h" "#include <vector>\nnamespace fa3prof::core {}\n")
file(WRITE "${WORK}/src/profile/b.cpp" "#include \"kernels/attention.h\"\n#include <cuda_runtime.h>\n")
file(WRITE "${WORK}/src/profile/handles.cpp" "#include \"kernels/runtime/handles.h\"\n")
file(WRITE "${WORK}/src/commands/c.cpp" "#include \"sim/engine.h\"\n#include <fmt/format.h>\n")
file(WRITE "${WORK}/src/main.cpp" "#include \"src/commands/run.h\"\n")
file(WRITE "${WORK}/kernels/tile/softmax.cuh" "#include \"kernels/ptx/mma.cuh\"\n#include \"src/core/a.h\"\n")
string(REPEAT "\n" 400 longest_kernel)
file(WRITE "${WORK}/kernels/fa2/kernel.cu" "${longest_kernel}")
check_tree(0)

string(REPEAT "\n" 301 too_long)
file(WRITE "${WORK}/sim/reaches.cpp" "#include \"src/report/json.h\"\n")
file(WRITE "${WORK}/src/core/up.h" "  #  include \"sim/engine.h\"\n#include \"error.h\"\n")
file(WRITE "${WORK}/src/commands/door.cpp" "#include \"kernels/attention.h\"\n")
file(WRITE "${WORK}/src/profile/inner.cpp" "#include \"kernels/ptx/mma.cuh\"\n")
file(WRITE "${WORK}/src/profile/types.h" "#include <cuda_runtime_api.h>\n")
file(WRITE "${WORK}/kernels/fa2/slow.cu" "#include <fmt/format.h>\n#include <nlohmann/json.hpp>\n")
file(WRITE "${WORK}/sim/long.cpp" "${too_long}")
file(WRITE "${WORK}/kernels/fa2/kernel.cu" "${longest_kernel}\n")
file(WRITE "${WORK}/sim/string_utils.h" "")
file(WRITE "${WORK}/src/core/spaces.h" "namespace fa3prof::core::helper {\n")
check_tree(1
  "sim/reaches.cpp includes \"src/report/json.h\": sim may not reach src/report"
  "src/core/up.h includes \"sim/engine.h\": src/core may not reach sim"
  "src/core/up.h includes \"error.h\": write own headers from the repository root"
  "src/commands/door.cpp includes \"kernels/attention.h\": src/commands may not reach kernels"
  "src/profile/inner.cpp includes \"kernels/ptx/mma.cuh\": reach kernels by the headers at its top"
  "src/profile/types.h includes <cuda_runtime_api.h>"
  "kernels/fa2/slow.cu includes <fmt/format.h>"
  "kernels/fa2/slow.cu includes <nlohmann/json.hpp>"
  "sim/long.cpp has 301 lines, the cap is 300"
  "kernels/fa2/kernel.cu has 401 lines, the cap is 400"
  "sim/string_utils.h: the name 'string_utils' says nothing"
  "src/core/spaces.h: the name 'helper' says nothing")
