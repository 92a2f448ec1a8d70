#include "src/profile/nvml.h"

#include "src/profile/dynamic_library.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace fa3prof::profile {
namespace {

// From NVIDIA's NVML API reference: return code 0 is success, a device is an opaque pointer.
using Device = void*;
constexpr int kSuccess = 0;
constexpr int kGpuIsLost = 15;
constexpr int kResetRequired = 16;
constexpr unsigned long long kXidEvent = 0x8;  // nvmlEventTypeXidCriticalError
constexpr int kSmClock = 1;
constexpr int kGpuTemperature = 0;

/// nvmlProcessInfo_t, as _v2 and _v3 of the process call fill it.
struct ProcessInfo {
  unsigned pid;
  unsigned long long used_memory_bytes;
  unsigned gpu_instance_id;
  unsigned compute_instance_id;
};

/// nvmlUtilization_t, in percent of the last sampling period.
struct Utilization {
  unsigned gpu;
  unsigned memory;
};

/// nvmlEventData_t.
struct EventData {
  Device device;
  unsigned long long type;
  unsigned long long number;  // of an Xid
  unsigned gpu_instance_id;
  unsigned compute_instance_id;
};

/// nvmlPciInfo_t, as _v3 of the call fills it.
struct PciInfo {
  char legacy_bus_id[16];
  unsigned domain;
  unsigned bus;
  unsigned slot;
  unsigned device_and_vendor;
  unsigned subsystem;
  char bus_id[32];
};

struct Functions {
  int (*init)() = nullptr;
  int (*driver_version)(char*, unsigned) = nullptr;
  int (*handle_by_uuid)(const char*, Device*) = nullptr;
  int (*clock)(Device, int, unsigned*) = nullptr;
  int (*power)(Device, unsigned*) = nullptr;
  int (*power_limit)(Device, unsigned*) = nullptr;
  int (*pci_info)(Device, PciInfo*) = nullptr;
  int (*temperature)(Device, int, unsigned*) = nullptr;
  int (*event_reasons)(Device, unsigned long long*) = nullptr;
  int (*processes)(Device, unsigned*, ProcessInfo*) = nullptr;
  int (*mps_processes)(Device, unsigned*, ProcessInfo*) = nullptr;
  int (*utilization)(Device, Utilization*) = nullptr;
  int (*create_events)(void**) = nullptr;
  int (*register_events)(Device, unsigned long long, void*) = nullptr;
  int (*wait_event)(void*, EventData*, unsigned) = nullptr;
  int (*mig_mode)(Device, unsigned*, unsigned*) = nullptr;
};

std::optional<DynamicLibrary> open_library() {
  const std::array<std::string, 2> names{"libnvidia-ml.so.1", "libnvidia-ml.so"};
  std::string reason;
  const char* chosen = std::getenv(kNvmlVariable);
  return chosen == nullptr ? DynamicLibrary::open(names)
                           : DynamicLibrary::open_file(chosen, reason);
}

Functions load() {
  const auto library = open_library();
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
  bind(f.pci_info, "nvmlDeviceGetPciInfo_v3");
  bind(f.temperature, "nvmlDeviceGetTemperature");
  bind(f.event_reasons, "nvmlDeviceGetCurrentClocksEventReasons");
  bind(f.event_reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");  // before driver 535
  bind(f.processes, "nvmlDeviceGetComputeRunningProcesses_v3");
  bind(f.processes, "nvmlDeviceGetComputeRunningProcesses_v2");
  bind(f.mps_processes, "nvmlDeviceGetMPSComputeRunningProcesses_v3");
  bind(f.mps_processes, "nvmlDeviceGetMPSComputeRunningProcesses_v2");
  bind(f.utilization, "nvmlDeviceGetUtilizationRates");
  bind(f.create_events, "nvmlEventSetCreate");
  bind(f.register_events, "nvmlDeviceRegisterEvents");
  bind(f.wait_event, "nvmlEventSetWait_v2");
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

/// Fewer than there are where more than 256 share the GPU.
std::optional<std::vector<unsigned>> pids_by(int (*call)(Device, unsigned*, ProcessInfo*),
                                             Device device) {
  std::array<ProcessInfo, 256> infos{};
  auto count = static_cast<unsigned>(infos.size());
  if (call == nullptr || call(device, &count, infos.data()) != kSuccess) return std::nullopt;
  std::vector<unsigned> pids;
  for (unsigned i = 0; i < count && i < infos.size(); ++i) pids.push_back(infos[i].pid);
  return pids;
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

std::optional<int> NvmlDevice::pci_device_id() const {
  constexpr unsigned kVendorBits = 16;
  const auto info = ask<PciInfo>(nvml().pci_info, handle_);
  if (!info) return std::nullopt;
  return static_cast<int>(info->device_and_vendor >> kVendorBits);
}

std::optional<std::vector<unsigned>> NvmlDevice::compute_pids() const {
  auto pids = pids_by(nvml().processes, handle_);
  if (!pids) return std::nullopt;
  const auto under_mps = pids_by(nvml().mps_processes, handle_);
  if (under_mps) pids->insert(pids->end(), under_mps->begin(), under_mps->end());
  std::ranges::sort(*pids);
  pids->erase(std::unique(pids->begin(), pids->end()), pids->end());
  return pids;
}

std::optional<double> NvmlDevice::busy_ratio() const {
  constexpr double kPerPercent = 1e-2;
  const auto rates = ask<Utilization>(nvml().utilization, handle_);
  if (!rates) return std::nullopt;
  return rates->gpu * kPerPercent;
}

NvmlDevice::Health NvmlDevice::health() const {
  unsigned celsius = 0;
  const auto call = nvml().temperature;
  const int status = call == nullptr ? kSuccess : call(handle_, kGpuTemperature, &celsius);
  if (status == kGpuIsLost) return Health::kLost;
  return status == kResetRequired ? Health::kNeedsReset : Health::kNoComplaint;
}

std::optional<bool> NvmlDevice::is_mig_enabled() const {
  unsigned current = 0;
  unsigned pending = 0;
  const auto call = nvml().mig_mode;
  if (call == nullptr || call(handle_, &current, &pending) != kSuccess) return std::nullopt;
  return current != 0;
}

XidWatch::XidWatch(const NvmlDevice& device) {
  const Functions& f = nvml();
  if (f.create_events == nullptr || f.register_events == nullptr || f.wait_event == nullptr) return;
  if (f.create_events(&events_) != kSuccess) return;
  if (f.register_events(device.handle_, kXidEvent, events_) != kSuccess) events_ = nullptr;
}

std::vector<unsigned> XidWatch::seen() {
  constexpr std::size_t kMostXids = 16;
  const auto wait_ms = static_cast<unsigned>(kXidDelay.count());
  EventData event{};
  while (events_ != nullptr && seen_.size() < kMostXids &&
         nvml().wait_event(events_, &event, wait_ms) == kSuccess) {
    if ((event.type & kXidEvent) != 0) seen_.push_back(static_cast<unsigned>(event.number));
  }
  return seen_;
}

}  // namespace fa3prof::profile
