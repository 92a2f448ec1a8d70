// Tensors of the user's in a safetensors file, by the names that numerics looks for.
#include "src/numerics/tensor_file.h"
#include "tests/fuzz/file_of_bytes.h"
#include "tests/fuzz/targets.h"

namespace fa3prof::fuzz {

void take_safetensors(std::string_view bytes) {
  using numerics::load_safetensors;
  const FileOfBytes file(bytes);
  const std::string path = file.path();
  static_cast<void>(numerics::inputs_of(load_safetensors(path, "q"), load_safetensors(path, "k"),
                                        load_safetensors(path, "v"),
                                        numerics::TensorLayout::kHeadsSeqlen));
}

}  // namespace fa3prof::fuzz
