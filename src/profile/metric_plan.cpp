#include "src/profile/metric_plan.h"

#include "src/profile/counter_error.h"
#include "src/profile/cupti_library.h"

#include <cupti_profiler_host.h>

#include <limits>
#include <utility>

namespace fa3prof::profile {
namespace {

/// CUPTI's object that knows the metrics of one chip.
class HostObject {
 public:
  HostObject(const std::string& chip, const std::vector<std::uint8_t>& availability) {
    CUpti_Profiler_Host_Initialize_Params params{};
    params.structSize = CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE;
    params.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
    params.pChipName = chip.c_str();
    params.pCounterAvailabilityImage = availability.empty() ? nullptr : availability.data();
    cupti_call<decltype(cuptiProfilerHostInitialize)>("cuptiProfilerHostInitialize", params);
    object_ = params.pHostObject;
  }

  HostObject(const HostObject&) = delete;
  HostObject& operator=(const HostObject&) = delete;

  ~HostObject() {
    CUpti_Profiler_Host_Deinitialize_Params params{};
    params.structSize = CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE;
    params.pHostObject = object_;
    static_cast<void>(cupti_status<decltype(cuptiProfilerHostDeinitialize)>(
        "cuptiProfilerHostDeinitialize", params));
  }

  [[nodiscard]] CUpti_Profiler_Host_Object* get() const { return object_; }

  /// One call for all: CUPTI packs passes only within a call (one by one they triple), and after a
  /// refused name the object is of no more use.
  [[nodiscard]] int add(std::span<const std::string> names) const {
    auto c_names = c_strings(names);
    CUpti_Profiler_Host_ConfigAddMetrics_Params params{};
    params.structSize = CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE;
    params.pHostObject = object_;
    params.ppMetricNames = c_names.data();
    params.numMetrics = c_names.size();
    return cupti_status<decltype(cuptiProfilerHostConfigAddMetrics)>(
        "cuptiProfilerHostConfigAddMetrics", params);
  }

 private:
  CUpti_Profiler_Host_Object* object_ = nullptr;
};

std::vector<std::uint8_t> make_config_image(const HostObject& host) {
  CUpti_Profiler_Host_GetConfigImageSize_Params size{};
  size.structSize = CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE;
  size.pHostObject = host.get();
  cupti_call<decltype(cuptiProfilerHostGetConfigImageSize)>("cuptiProfilerHostGetConfigImageSize",
                                                            size);
  std::vector<std::uint8_t> image(size.configImageSize);
  CUpti_Profiler_Host_GetConfigImage_Params params{};
  params.structSize = CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE;
  params.pHostObject = host.get();
  params.configImageSize = image.size();
  params.pConfigImage = image.data();
  cupti_call<decltype(cuptiProfilerHostGetConfigImage)>("cuptiProfilerHostGetConfigImage", params);
  return image;
}

int count_passes(std::vector<std::uint8_t>& config_image) {
  CUpti_Profiler_Host_GetNumOfPasses_Params params{};
  params.structSize = CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE;
  params.configImageSize = config_image.size();
  params.pConfigImage = config_image.data();
  cupti_call<decltype(cuptiProfilerHostGetNumOfPasses)>("cuptiProfilerHostGetNumOfPasses", params);
  return static_cast<int>(params.numOfPasses);
}

}  // namespace

struct MetricPlan::State {
  std::vector<std::uint8_t> availability;
  std::unique_ptr<HostObject> host;
  std::vector<std::string> names;
  std::vector<std::uint8_t> config_image;
  int passes = 0;

  State(const std::string& chip, std::span<const std::string> wanted,
        std::vector<std::uint8_t> image)
      : availability(std::move(image)),
        host(std::make_unique<HostObject>(chip, availability)),
        names(wanted.begin(), wanted.end()) {
    if (host->add(names) == CUPTI_SUCCESS) return;
    std::erase_if(names, [&](const std::string& name) {
      return HostObject(chip, availability).add(std::span(&name, 1)) != CUPTI_SUCCESS;
    });
    if (names.empty()) {
      throw CounterError("CUPTI has none of the counters for chip " + chip,
                         "install a CUPTI that knows this GPU");
    }
    host = std::make_unique<HostObject>(chip, availability);
    cupti_check(host->add(names), "cuptiProfilerHostConfigAddMetrics");
  }
};

std::vector<const char*> c_strings(std::span<const std::string> names) {
  std::vector<const char*> pointers;
  for (const std::string& name : names) pointers.push_back(name.c_str());
  return pointers;
}

MetricPlan::MetricPlan(const std::string& chip, std::span<const std::string> names,
                       std::vector<std::uint8_t> availability)
    : state_(std::make_unique<State>(chip, names, std::move(availability))) {
  state_->config_image = make_config_image(*state_->host);
  state_->passes = count_passes(state_->config_image);
}

MetricPlan::MetricPlan(MetricPlan&&) noexcept = default;
MetricPlan& MetricPlan::operator=(MetricPlan&&) noexcept = default;
MetricPlan::~MetricPlan() = default;

const std::vector<std::string>& MetricPlan::names() const { return state_->names; }

int MetricPlan::passes() const { return state_->passes; }

std::span<const std::uint8_t> MetricPlan::config_image() const { return state_->config_image; }

std::vector<double> MetricPlan::evaluate(std::span<const std::uint8_t> counter_data) const {
  auto c_names = c_strings(names());
  std::vector<double> values(c_names.size(), std::numeric_limits<double>::quiet_NaN());
  CUpti_Profiler_Host_EvaluateToGpuValues_Params params{};
  params.structSize = CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE;
  params.pHostObject = state_->host->get();
  params.pCounterDataImage = counter_data.data();
  params.counterDataImageSize = counter_data.size();
  params.rangeIndex = 0;
  params.ppMetricNames = c_names.data();
  params.numMetrics = c_names.size();
  params.pMetricValues = values.data();
  cupti_call<decltype(cuptiProfilerHostEvaluateToGpuValues)>("cuptiProfilerHostEvaluateToGpuValues",
                                                             params);
  return values;
}

}  // namespace fa3prof::profile
