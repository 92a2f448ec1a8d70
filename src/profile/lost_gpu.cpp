#include "src/profile/lost_gpu.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace fa3prof::profile {
namespace {

/// Errors of the CUDA runtime that no kernel of ours or anybody's can bring about.
constexpr std::array<std::string_view, 5> kLostErrors{
    "cudaErrorDevicesUnavailable", "cudaErrorNoDevice", "cudaErrorECCUncorrectable",
    "cudaErrorNvlinkUncorrectable", "cudaErrorSystemNotReady"};

struct Xid {
  unsigned number;
  const char* meaning;
};

/// Those of the hardware or the driver that end all work on the GPU. Source: NVIDIA, "XID Errors",
/// docs.nvidia.com/deploy/xid-errors; 13, 31, 43 and 45 are an application's and leave the GPU.
constexpr std::array<Xid, 6> kLostXids{{{48, "double-bit ECC error"},
                                        {62, "internal micro-controller halt"},
                                        {79, "GPU has fallen off the bus"},
                                        {95, "uncontained ECC error"},
                                        {119, "GSP RPC timeout"},
                                        {120, "GSP error"}}};

}  // namespace

std::optional<std::string> why_lost(const DeviceSymptoms& symptoms) {
  if (symptoms.health == NvmlDevice::Health::kLost) return "NVML says that the GPU is lost";
  if (symptoms.health == NvmlDevice::Health::kNeedsReset) {
    return "NVML says that the GPU needs a reset";
  }
  for (const Xid& xid : kLostXids) {
    if (std::ranges::find(symptoms.xids, xid.number) != symptoms.xids.end()) {
      return fmt::format("Xid {}, {}", xid.number, xid.meaning);
    }
  }
  if (std::ranges::find(kLostErrors, symptoms.cuda_error) != kLostErrors.end()) {
    return std::string(symptoms.cuda_error);
  }
  return std::nullopt;
}

std::string xid_text(const std::vector<unsigned>& xids) {
  return xids.empty() ? "" : fmt::format(", Xid {}", fmt::join(xids, ", "));
}

}  // namespace fa3prof::profile
