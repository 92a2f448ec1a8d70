// Finds writes outside of a tensor: bytes before and after it that nobody may touch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fa3prof::profile {

/// Of each zone. A multiple of 256, so that what follows the first one keeps its alignment.
inline constexpr std::size_t kGuardBytes = std::size_t{64} << 10U;

/// What fills the zones; not kPoisonByte, which a copy of unwritten output would be.
inline constexpr std::uint8_t kGuardByte = 0xA5;

/// Both zones after a launch, as downloaded.
struct GuardZones {
  std::span<const std::uint8_t> before;  ///< ends where the tensor begins
  std::span<const std::uint8_t> after;   ///< begins where the tensor ends
};

/// "O was written out of bounds, 4 bytes before its beginning" or "..., 0 bytes past its end", the
/// place nearest to the tensor; nothing when both zones are whole.
[[nodiscard]] std::optional<std::string> find_overwrite(std::string_view tensor,
                                                        const GuardZones& zones);

}  // namespace fa3prof::profile
