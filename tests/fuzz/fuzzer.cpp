// One fuzzer: FA3PROF_FUZZ_TAKE names its entry. libFuzzer brings main().
#include "tests/fuzz/targets.h"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fa3prof::fuzz;
  take_or_refuse(FA3PROF_FUZZ_TAKE, {reinterpret_cast<const char*>(data), size});
  return 0;
}
