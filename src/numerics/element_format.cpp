#include "src/numerics/element_format.h"

#include "src/numerics/float_conversion.h"
#include "src/numerics/fp8.h"

namespace fa3prof::numerics {

std::string_view name_of(ElementFormat format) {
  switch (format) {
    case ElementFormat::kFloat16:
      return "fp16";
    case ElementFormat::kBFloat16:
      return "bf16";
    case ElementFormat::kE4M3:
      return "e4m3";
    case ElementFormat::kE5M2:
      break;
  }
  return "e5m2";
}

bool is_fp8(ElementFormat format) {
  return format == ElementFormat::kE4M3 || format == ElementFormat::kE5M2;
}

float scaled_largest(ElementFormat format) {
  if (!is_fp8(format)) return 1.0F;
  return largest(format == ElementFormat::kE4M3 ? Fp8Format::kE4M3 : Fp8Format::kE5M2);
}

int min_exponent(ElementFormat format) {
  if (format == ElementFormat::kBFloat16) return -126;
  return format == ElementFormat::kE4M3 ? -6 : -14;
}

float round_to(float value, ElementFormat format) {
  switch (format) {
    case ElementFormat::kFloat16:
      return decode_float16(encode_float16(value));
    case ElementFormat::kBFloat16:
      return decode_bfloat16(encode_bfloat16(value));
    case ElementFormat::kE4M3:
      return decode_fp8(encode_fp8(value, Fp8Format::kE4M3), Fp8Format::kE4M3);
    case ElementFormat::kE5M2:
      break;
  }
  return decode_fp8(encode_fp8(value, Fp8Format::kE5M2), Fp8Format::kE5M2);
}

}  // namespace fa3prof::numerics
