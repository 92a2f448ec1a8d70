// Unrolling that clang-format leaves at its indentation.
#pragma once

#define FA3PROF_UNROLL _Pragma("unroll")
