// A tensor of the user's as numpy writes it.
#include "src/numerics/tensor_file.h"
#include "tests/fuzz/file_of_bytes.h"
#include "tests/fuzz/targets.h"

namespace fa3prof::fuzz {

void take_npy(std::string_view bytes) {
  using numerics::TensorLayout;
  const FileOfBytes file(bytes);
  const numerics::FileTensor tensor = numerics::load_npy(file.path());
  for (const TensorLayout layout : {TensorLayout::kSeqlenHeads, TensorLayout::kHeadsSeqlen}) {
    static_cast<void>(numerics::inputs_of(tensor, tensor, tensor, layout));
  }
}

}  // namespace fa3prof::fuzz
