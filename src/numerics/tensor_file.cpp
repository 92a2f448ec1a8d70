#include "src/numerics/tensor_file.h"

#include "src/core/error.h"

#include <algorithm>

namespace fa3prof::numerics {
namespace {

constexpr std::string_view kSafetensors = ".safetensors";

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const std::int64_t size : shape) {
    text += (text.empty() ? "[" : ", ") + std::to_string(size);
  }
  return (text.empty() ? "[" : text) + "]";
}

TensorShape attention_shape(const FileTensor& tensor, TensorLayout layout) {
  std::vector<std::int64_t> shape = tensor.shape;
  if (shape.size() < 2 || shape.size() > 4) {
    throw core::UsageError(tensor.source + " has shape " + shape_text(shape) +
                           "; 2 to 4 dimensions are expected, head_dim the last");
  }
  if (shape.size() == 2)
    shape.insert(layout == TensorLayout::kSeqlenHeads ? shape.begin() + 1 : shape.begin(), 1);
  if (shape.size() == 3) shape.insert(shape.begin(), 1);
  if (layout == TensorLayout::kHeadsSeqlen) std::swap(shape[1], shape[2]);
  return {.batch = shape[0], .seqlen = shape[1], .heads = shape[2], .head_dim = shape[3]};
}

/// The values as [batch, seqlen, heads, head_dim].
std::vector<float> ordered(const FileTensor& tensor, const TensorShape& shape,
                           TensorLayout layout) {
  if (layout == TensorLayout::kSeqlenHeads) return tensor.values;
  std::vector<float> values(tensor.values.size());
  auto from = tensor.values.begin();
  for (std::int64_t b = 0; b < shape.batch; ++b) {
    for (std::int64_t head = 0; head < shape.heads; ++head) {
      for (std::int64_t position = 0; position < shape.seqlen; ++position) {
        std::copy_n(from, shape.head_dim, values.begin() + shape.offset(b, head, position));
        from += shape.head_dim;
      }
    }
  }
  return values;
}

}  // namespace

FileTensor load_tensor(const std::string& place, const std::string& default_name) {
  if (place.ends_with(".npy")) return load_npy(place);
  if (place.ends_with(kSafetensors)) return load_safetensors(place, default_name);
  const std::size_t at = place.rfind(std::string(kSafetensors) + ":");
  if (at != std::string::npos) {
    const std::size_t end = at + kSafetensors.size();
    return load_safetensors(place.substr(0, end), place.substr(end + 1));
  }
  throw core::UsageError("'" + place +
                         "' is no tensor file; name FILE.npy, FILE.safetensors or "
                         "FILE.safetensors:NAME");
}

AttentionInputs inputs_of(const FileTensor& q, const FileTensor& k, const FileTensor& v,
                          TensorLayout layout) {
  const TensorShape of_q = attention_shape(q, layout);
  const TensorShape of_k = attention_shape(k, layout);
  if (k.shape != v.shape || of_q.batch != of_k.batch || of_q.head_dim != of_k.head_dim ||
      of_q.heads % of_k.heads != 0) {
    throw core::UsageError(
        "Q " + shape_text(q.shape) + ", K " + shape_text(k.shape) + " and V " +
        shape_text(v.shape) +
        " are of no one attention: batch and head_dim must be equal, K and V alike, and the heads "
        "of K must divide those of Q; check --layout");
  }
  AttentionInputs inputs{.problem = {.batch = of_q.batch,
                                     .num_heads = of_q.heads,
                                     .num_heads_kv = of_k.heads,
                                     .seqlen_q = of_q.seqlen,
                                     .seqlen_kv = of_k.seqlen,
                                     .head_dim = of_q.head_dim},
                         .q = ordered(q, of_q, layout),
                         .k = ordered(k, of_k, layout),
                         .v = ordered(v, of_k, layout)};
  validate(inputs.problem);
  return inputs;
}

}  // namespace fa3prof::numerics
