#include "src/profile/cupti_range.h"

#include "src/profile/counter_error.h"
#include "src/profile/cupti_library.h"

#include <fmt/format.h>

#include <cuda.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include <array>
#include <cstddef>

namespace fa3prof::profile {
namespace {

/// A second range is where a second kernel shows; with room for one it would be passed over.
constexpr std::size_t kRanges = 2;

/// The runtime's context. libcuda is open already: the runtime opened it.
CUcontext current_context() {
  const std::array<std::string, 1> name{"libcuda.so.1"};
  const auto driver = DynamicLibrary::open(name);
  auto* get = driver ? driver->find<CUresult(CUcontext*)>("cuCtxGetCurrent") : nullptr;
  CUcontext context = nullptr;
  if (get == nullptr || get(&context) != CUDA_SUCCESS || context == nullptr) {
    throw CounterError("no CUDA context is current", "check the driver with `fa3prof doctor`");
  }
  return context;
}

}  // namespace

CuptiProfiling::CuptiProfiling() {
  CUpti_Profiler_Initialize_Params params{};
  params.structSize = CUpti_Profiler_Initialize_Params_STRUCT_SIZE;
  cupti_call<decltype(cuptiProfilerInitialize)>("cuptiProfilerInitialize", params);
}

CuptiProfiling::~CuptiProfiling() {
  CUpti_Profiler_DeInitialize_Params params{};
  params.structSize = CUpti_Profiler_DeInitialize_Params_STRUCT_SIZE;
  static_cast<void>(
      cupti_status<decltype(cuptiProfilerDeInitialize)>("cuptiProfilerDeInitialize", params));
}

void require_profiling_supported(int device) {
  CUpti_Profiler_DeviceSupported_Params params{};
  params.structSize = CUpti_Profiler_DeviceSupported_Params_STRUCT_SIZE;
  params.cuDevice = device;
  params.api = CUPTI_PROFILER_RANGE_PROFILING;
  cupti_call<decltype(cuptiProfilerDeviceSupported)>("cuptiProfilerDeviceSupported", params);
  if (params.isSupported == CUPTI_PROFILER_CONFIGURATION_SUPPORTED) return;
  const auto lacks = [](CUpti_Profiler_Support_Level level) {
    return level != CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
  };
  const char* reason = lacks(params.architecture)          ? "its architecture is too old"
                       : lacks(params.vGpu)                ? "it is a virtual GPU"
                       : lacks(params.confidentialCompute) ? "confidential computing is on"
                       : lacks(params.wsl)                 ? "it runs under WSL"
                                                           : "its configuration";
  throw CounterError(fmt::format("CUPTI does not profile this GPU: {}", reason),
                     "measure on another machine");
}

std::string chip_name(int device) {
  CUpti_Device_GetChipName_Params params{};
  params.structSize = CUpti_Device_GetChipName_Params_STRUCT_SIZE;
  params.deviceIndex = static_cast<std::size_t>(device);
  cupti_call<decltype(cuptiDeviceGetChipName)>("cuptiDeviceGetChipName", params);
  return params.pChipName;
}

std::vector<std::uint8_t> availability_image() {
  CUpti_Profiler_GetCounterAvailability_Params params{};
  params.structSize = CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE;
  params.ctx = current_context();
  cupti_call<decltype(cuptiProfilerGetCounterAvailability)>("cuptiProfilerGetCounterAvailability",
                                                            params);
  std::vector<std::uint8_t> image(params.counterAvailabilityImageSize);
  params.pCounterAvailabilityImage = image.data();
  cupti_call<decltype(cuptiProfilerGetCounterAvailability)>("cuptiProfilerGetCounterAvailability",
                                                            params);
  return image;
}

CuptiRange::CuptiRange() {
  CUpti_RangeProfiler_Enable_Params params{};
  params.structSize = CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE;
  params.ctx = current_context();
  cupti_call<decltype(cuptiRangeProfilerEnable)>("cuptiRangeProfilerEnable", params);
  object_ = params.pRangeProfilerObject;
}

CuptiRange::~CuptiRange() {
  CUpti_RangeProfiler_Disable_Params params{};
  params.structSize = CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE;
  params.pRangeProfilerObject = object_;
  static_cast<void>(
      cupti_status<decltype(cuptiRangeProfilerDisable)>("cuptiRangeProfilerDisable", params));
}

std::vector<std::uint8_t> CuptiRange::make_counter_data(const MetricPlan& plan) const {
  auto names = c_strings(plan.names());
  CUpti_RangeProfiler_GetCounterDataSize_Params size{};
  size.structSize = CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE;
  size.pRangeProfilerObject = object_;
  size.pMetricNames = names.data();
  size.numMetrics = names.size();
  size.maxNumOfRanges = kRanges;
  size.maxNumRangeTreeNodes = kRanges;
  cupti_call<decltype(cuptiRangeProfilerGetCounterDataSize)>("cuptiRangeProfilerGetCounterDataSize",
                                                             size);
  std::vector<std::uint8_t> image(size.counterDataSize);
  CUpti_RangeProfiler_CounterDataImage_Initialize_Params params{};
  params.structSize = CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE;
  params.pRangeProfilerObject = object_;
  params.counterDataSize = image.size();
  params.pCounterData = image.data();
  cupti_call<decltype(cuptiRangeProfilerCounterDataImageInitialize)>(
      "cuptiRangeProfilerCounterDataImageInitialize", params);
  return image;
}

// A range around each kernel by itself: tighter than one of ours, which would count the launch's
// way to the GPU too. Passes are repeated by us, since CUPTI's own replay saves and restores all
// memory, which an idempotent launch has no need of.
void CuptiRange::configure(const MetricPlan& plan, std::vector<std::uint8_t>& counter_data) const {
  CUpti_RangeProfiler_SetConfig_Params params{};
  params.structSize = CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE;
  params.pRangeProfilerObject = object_;
  params.configSize = plan.config_image().size();
  params.pConfig = plan.config_image().data();
  params.counterDataImageSize = counter_data.size();
  params.pCounterDataImage = counter_data.data();
  params.range = CUPTI_AutoRange;
  params.replayMode = CUPTI_UserReplay;
  params.maxRangesPerPass = kRanges;
  params.numNestingLevels = 1;
  params.minNestingLevel = 1;
  params.passIndex = 0;
  params.targetNestingLevel = 1;
  cupti_call<decltype(cuptiRangeProfilerSetConfig)>("cuptiRangeProfilerSetConfig", params);
}

void CuptiRange::start() const {
  CUpti_RangeProfiler_Start_Params params{};
  params.structSize = CUpti_RangeProfiler_Start_Params_STRUCT_SIZE;
  params.pRangeProfilerObject = object_;
  cupti_call<decltype(cuptiRangeProfilerStart)>("cuptiRangeProfilerStart", params);
}

bool CuptiRange::stop() const {
  CUpti_RangeProfiler_Stop_Params params{};
  params.structSize = CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE;
  params.pRangeProfilerObject = object_;
  cupti_call<decltype(cuptiRangeProfilerStop)>("cuptiRangeProfilerStop", params);
  return params.isAllPassSubmitted != 0;
}

void CuptiRange::decode(std::span<const std::uint8_t> counter_data) const {
  CUpti_RangeProfiler_DecodeData_Params params{};
  params.structSize = CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE;
  params.pRangeProfilerObject = object_;
  cupti_call<decltype(cuptiRangeProfilerDecodeData)>("cuptiRangeProfilerDecodeData", params);
  CUpti_RangeProfiler_GetCounterDataInfo_Params info{};
  info.structSize = CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE;
  info.pCounterDataImage = counter_data.data();
  info.counterDataImageSize = counter_data.size();
  cupti_call<decltype(cuptiRangeProfilerGetCounterDataInfo)>("cuptiRangeProfilerGetCounterDataInfo",
                                                             info);
  if (info.numTotalRanges == 1 && params.numOfRangeDropped == 0) return;
  if (info.numTotalRanges == 0) {
    throw CounterError("the launch enqueued no kernel that CUPTI saw",
                       "counters are read of a launch of exactly one kernel");
  }
  throw CounterError("the launch enqueues several kernels",
                     "counters are read of a launch of exactly one kernel; count the parts one by "
                     "one with Nsight Compute (ncu)");
}

}  // namespace fa3prof::profile
