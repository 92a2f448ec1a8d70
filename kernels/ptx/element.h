// 16-bit element types as kernels are instantiated for them. Plain C++.
#pragma once

namespace fa3prof::kernels::ptx {

enum class Element { kF16, kBf16 };

}  // namespace fa3prof::kernels::ptx
