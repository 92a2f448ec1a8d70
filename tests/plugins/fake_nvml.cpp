// A management library for a GPU that is only claimed. It reads what it says anew at every call,
// from the file that FAKE_NVML_STATE names, a fact a line:
//   pids self 4711   those with a compute context; self is the caller
//   mps 4712         those under MPS
//   busy 87          per cent
//   status 15        what nvmlDeviceGetTemperature returns: 15 the GPU is lost, 16 it needs a reset
//   xids 13 79       critical errors to come
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

constexpr int kSuccess = 0;
constexpr int kTimeout = 10;
constexpr unsigned long long kXidEvent = 0x8;

struct ProcessInfo {
  unsigned pid;
  unsigned long long used_memory_bytes;
  unsigned gpu_instance_id;
  unsigned compute_instance_id;
};

struct Utilization {
  unsigned gpu;
  unsigned memory;
};

struct EventData {
  void* device;
  unsigned long long type;
  unsigned long long number;
  unsigned gpu_instance_id;
  unsigned compute_instance_id;
};

/// The numbers of the line that begins with `fact`.
std::vector<unsigned> numbers(const std::string& fact) {
  std::vector<unsigned> values;
  const char* path = std::getenv("FAKE_NVML_STATE");
  std::ifstream file(path == nullptr ? "" : path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word != fact) continue;
    while (words >> word) {
      values.push_back(word == "self" ? static_cast<unsigned>(getpid())
                                      : static_cast<unsigned>(std::stoul(word)));
    }
  }
  return values;
}

unsigned first_number(const std::string& fact) {
  const std::vector<unsigned> values = numbers(fact);
  return values.empty() ? 0 : values.front();
}

int list(const std::string& fact, unsigned* count, ProcessInfo* infos) {
  const std::vector<unsigned> pids = numbers(fact);
  for (std::size_t i = 0; i < pids.size(); ++i) infos[i] = {pids[i], 0, 0, 0};
  *count = static_cast<unsigned>(pids.size());
  return kSuccess;
}

int the_gpu = 0;
std::size_t xids_told = 0;

}  // namespace

extern "C" {

int nvmlInit_v2() { return kSuccess; }

int nvmlSystemGetDriverVersion(char* text, unsigned size) {
  std::strncpy(text, "1.2.3", size);
  return kSuccess;
}

int nvmlDeviceGetHandleByUUID(const char* /*uuid*/, void** device) {
  *device = &the_gpu;
  return kSuccess;
}

int nvmlDeviceGetTemperature(void* /*device*/, int /*sensor*/, unsigned* celsius) {
  *celsius = 42;
  return static_cast<int>(first_number("status"));
}

int nvmlDeviceGetComputeRunningProcesses_v3(void* /*device*/, unsigned* count, ProcessInfo* infos) {
  return list("pids", count, infos);
}

int nvmlDeviceGetMPSComputeRunningProcesses_v3(void* /*device*/, unsigned* count,
                                               ProcessInfo* infos) {
  return list("mps", count, infos);
}

int nvmlDeviceGetUtilizationRates(void* /*device*/, Utilization* utilization) {
  *utilization = {first_number("busy"), 0};
  return kSuccess;
}

int nvmlEventSetCreate(void** set) {
  *set = &the_gpu;
  return kSuccess;
}

int nvmlDeviceRegisterEvents(void* /*device*/, unsigned long long /*types*/, void* /*set*/) {
  return kSuccess;
}

int nvmlEventSetWait_v2(void* /*set*/, EventData* event, unsigned /*limit_ms*/) {
  const std::vector<unsigned> xids = numbers("xids");
  if (xids_told >= xids.size()) return kTimeout;
  *event = {&the_gpu, kXidEvent, xids[xids_told++], 0, 0};
  return kSuccess;
}
}
