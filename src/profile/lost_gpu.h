// Whether a failed device call is the kernel's doing, or the GPU itself is gone or broken.
#pragma once

#include "src/profile/nvml.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fa3prof::profile {

/// What there is to judge by after a device call has failed.
struct DeviceSymptoms {
  std::string_view cuda_error =
      {};  ///< that all calls return since: "cudaErrorUnknown"; may be empty
  NvmlDevice::Health health = NvmlDevice::Health::kNoComplaint;
  std::vector<unsigned> xids = {};
};

/// Why the GPU is lost to this run, in words. Nothing where the error may be a kernel's: an illegal
/// address or a trap takes the context and leaves the GPU.
[[nodiscard]] std::optional<std::string> why_lost(const DeviceSymptoms& symptoms);

/// ", Xid 13, 43" for the end of a message; empty without any.
[[nodiscard]] std::string xid_text(const std::vector<unsigned>& xids);

}  // namespace fa3prof::profile
