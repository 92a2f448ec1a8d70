#include "src/profile/nvml.h"

#include "src/profile/dynamic_library.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace fa3prof::profile {
namespace {

// From NVIDIA's NVML API reference: return code 0 is success, a device is an opaque pointer.
using Device = void*;
constexpr int kSuccess = 0;
constexpr int kSmClock = 1;
constexpr int kGpuTemperature = 0;

/// nvmlProcessInfo_t, as _v2 and _v3 of the process call fill it.
struct ProcessInfo {
  unsigned pid;
  unsigned long long used_memory_bytes;
  unsigned gpu_instance_id;
  unsigned compute_instance_id;
};

struct Functions {
  int (*init)() = nullptr;
  int (*driver_version)(char*, unsigned) = nullptr;
  int (*handle_by_uuid)(const char*, Device*) = nullptr;
  int (*clock)(Device, int, unsigned*) = nullptr;
  int (*power)(Device, unsigned*) = nullptr;
  int (*power_limit)(Device, unsigned*) = nullptr;
  int (*temperature)(Device, int, unsigned*) = nullptr;
  int (*event_reasons)(Device, unsigned long long*) = nullptr;
  int (*processes)(Device, unsigned*, ProcessInfo*) = nullptr;
  int (*mig_mode)(Device, unsigned*, unsigned*) = nullptr;
};

Functions load() {
  const std::array<std::string, 2> names{"libnvidia-ml.so.1", "libnvidia-ml.so"};
  const auto library = DynamicLibrary::open(names);
  Functions f;
  if (!library) return f;
  const auto bind = [&library]<typename F>(F*& target, const char* name) {
    if (target == nullptr) target = library->find<F>(name);
  };
  bind(f.init, "nvmlInit_v2");
  if (f.init == nullptr || f.init() != kSuccess) return {};
  bind(f.driver_version, "nvmlSystemGetDriverVersion");
  bind(f.handle_by_uuid, "nvmlDeviceGetHandleByUUID");
  bind(f.clock, "nvmlDeviceGetClockInfo");
  bind(f.power, "nvmlDeviceGetPowerUsage");
  bind(f.power_limit, "nvmlDeviceGetEnforcedPowerLimit");
  bind(f.temperature, "nvmlDeviceGetTemperature");
  bind(f.event_reasons, "nvmlDeviceGetCurrentClocksEventReasons");
  bind(f.event_reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");  // before driver 535
  bind(f.processes, "nvmlDeviceGetComputeRunningProcesses_v3");
  bind(f.processes, "nvmlDeviceGetComputeRunningProcesses_v2");
  bind(f.mig_mode, "nvmlDeviceGetMigMode");
  return f;
}

const Functions& nvml() {
  static const Functions functions = load();
  return functions;
}

/// The value that `call` writes, unless the function is missing or fails.
template <typename Value, typename Function, typename... Arguments>
std::optional<Value> ask(Function* call, Arguments... arguments) {
  Value value{};
  if (call == nullptr || call(arguments..., &value) != kSuccess) return std::nullopt;
  return value;
}

constexpr double kWattsPerMilliwatt = 1e-3;

struct Reason {
  std::uint64_t bit;
  const char* words;
};

// nvmlClocksEventReasons of the NVML API reference; bit 0, an idle GPU, is no throttling.
constexpr std::uint64_t kIdle = 0x1;
constexpr std::array<Reason, 8> kReasons{{{0x2, "application clocks setting"},
                                          {0x4, "power cap"},
                                          {0x8, "hardware slowdown"},
                                          {0x10, "sync boost"},
                                          {0x20, "software thermal slowdown"},
                                          {0x40, "hardware thermal slowdown"},
                                          {0x80, "hardware power brake"},
                                          {0x100, "display clock setting"}}};

}  // namespace

std::vector<std::string> throttle_reasons(std::uint64_t bits) {
  std::vector<std::string> words;
  bits &= ~kIdle;
  for (const Reason& reason : kReasons) {
    if ((bits & reason.bit) != 0) words.emplace_back(reason.words);
    bits &= ~reason.bit;
  }
  if (bits != 0) words.push_back(fmt::format("unknown reason {:#x}", bits));
  return words;
}

int count_other_processes(const std::vector<unsigned>& pids, unsigned own_pid) {
  const auto all = static_cast<int>(pids.size());
  const auto own = static_cast<int>(std::ranges::count(pids, own_pid));
  return std::max(0, all - std::max(own, 1));
}

std::string nvml_driver_version() {
  std::array<char, 96> text{};
  const auto call = nvml().driver_version;
  if (call == nullptr || call(text.data(), text.size() - 1) != kSuccess) return {};
  return text.data();
}

std::optional<NvmlDevice> NvmlDevice::open(const std::string& uuid) {
  const auto handle = ask<Device>(nvml().handle_by_uuid, uuid.c_str());
  if (!handle) return std::nullopt;
  return NvmlDevice(*handle);
}

std::optional<ClockSample> NvmlDevice::sample() const {
  const auto clock_mhz = ask<unsigned>(nvml().clock, handle_, kSmClock);
  const auto milliwatts = ask<unsigned>(nvml().power, handle_);
  const auto celsius = ask<unsigned>(nvml().temperature, handle_, kGpuTemperature);
  const auto reasons = ask<unsigned long long>(nvml().event_reasons, handle_);
  if (!clock_mhz || !milliwatts || !celsius || !reasons) return std::nullopt;
  return ClockSample{.sm_clock_mhz = static_cast<double>(*clock_mhz),
                     .power_watts = *milliwatts * kWattsPerMilliwatt,
                     .temperature_celsius = static_cast<double>(*celsius),
                     .event_reasons = *reasons};
}

std::optional<double> NvmlDevice::power_limit_watts() const {
  const auto milliwatts = ask<unsigned>(nvml().power_limit, handle_);
  if (!milliwatts) return std::nullopt;
  return *milliwatts * kWattsPerMilliwatt;
}

std::optional<std::vector<unsigned>> NvmlDevice::compute_pids() const {
  std::array<ProcessInfo, 256> infos{};
  auto count = static_cast<unsigned>(infos.size());
  const auto call = nvml().processes;
  if (call == nullptr || call(handle_, &count, infos.data()) != kSuccess) return std::nullopt;
  std::vector<unsigned> pids;
  for (unsigned i = 0; i < count && i < infos.size(); ++i) pids.push_back(infos[i].pid);
  return pids;
}

std::optional<bool> NvmlDevice::is_mig_enabled() const {
  unsigned current = 0;
  unsigned pending = 0;
  const auto call = nvml().mig_mode;
  if (call == nullptr || call(handle_, &current, &pending) != kSuccess) return std::nullopt;
  return current != 0;
}

}  // namespace fa3prof::profile
