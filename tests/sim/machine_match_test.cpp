#include "sim/machine_match.h"

#include "sim/machine.h"
#include "tests/catch.h"

#include <map>

namespace fa3prof::tests {
namespace {

/// What a driver would state of the boards, from datasheets, whitepapers and cudaDeviceProp as
/// published; deliberately not read from the machine files.
const std::map<std::string, core::Gpu>& published_gpus() {
  constexpr std::int64_t kMiB = 1 << 20;
  const auto gpu = [](int sms, double clock_mhz, double memory_mhz, int bus_bits, int pci) {
    core::Gpu result;
    result.name = "any name";
    result.capability = {9, 0};
    result.sm_count = sms;
    result.max_sm_clock_mhz = clock_mhz;
    result.max_memory_clock_mhz = memory_mhz;
    result.memory_bus_width_bits = bus_bits;
    result.pci_device_id = pci;
    return result;
  };
  const auto with_memory = [](core::Gpu result, std::int64_t memory, std::int64_t l2) {
    result.memory_bytes = memory;
    result.l2_bytes = l2;
    return result;
  };
  static const std::map<std::string, core::Gpu> gpus = [&] {
    std::map<std::string, core::Gpu> all{
        {"h100_sxm", with_memory(gpu(132, 1980, 2619, 5120, 0x2330), 81'559 * kMiB, 50 * kMiB)},
        {"h800_sxm", with_memory(gpu(132, 1980, 2619, 5120, 0x2324), 81'559 * kMiB, 50 * kMiB)},
        {"h100_pcie", with_memory(gpu(114, 1755, 1593, 5120, 0x2331), 81'559 * kMiB, 50 * kMiB)},
        {"h100_nvl", with_memory(gpu(132, 1785, 2619, 6016, 0x2321), 95'830 * kMiB, 60 * kMiB)},
        {"h200_sxm", with_memory(gpu(132, 1980, 3201, 6144, 0x2335), 143'771 * kMiB, 60 * kMiB)},
        {"gh200", with_memory(gpu(132, 1980, 2619, 6144, 0x2342), 97'871 * kMiB, 60 * kMiB)},
        {"h20", with_memory(gpu(78, 1980, 2619, 6144, 0x2329), 97'382 * kMiB, 60 * kMiB)},
        {"a100_sxm", with_memory(gpu(108, 1410, 1593, 5120, 0x20b2), 81'920 * kMiB, 40 * kMiB)},
        {"b200", with_memory(gpu(148, 1965, 3996, 7680, 0x2901), 182'630 * kMiB, 129'536 * 1024)}};
    all.at("a100_sxm").capability = {8, 0};
    all.at("b200").capability = {10, 0};
    return all;
  }();
  return gpus;
}

core::Gpu published(const std::string& machine) { return published_gpus().at(machine); }

}  // namespace

TEST_CASE("Each machine file describes its own GPU and no other", "[sim]") {
  const auto names = sim::builtin_machines();
  CHECK(names.size() == published_gpus().size());
  for (const std::string& name : names) {
    CHECK(sim::machines_for(published(name)) == std::vector<std::string>{name});
  }
}

TEST_CASE("The name of a GPU plays no part", "[sim]") {
  core::Gpu gpu = published("h200_sxm");
  gpu.name = "NVIDIA H100 80GB HBM3";
  CHECK(sim::machine_for(gpu) == "h200_sxm");
}

TEST_CASE("Drivers may report 60 MB of an H100's L2 and 8192 bits of a B200's bus", "[sim]") {
  core::Gpu h100 = published("h100_sxm");
  h100.l2_bytes = 60 << 20;
  CHECK(sim::machine_for(h100) == "h100_sxm");
  core::Gpu b200 = published("b200");
  b200.memory_bus_width_bits = 8192;
  CHECK(sim::machine_for(b200) == "b200");
}

TEST_CASE("Without a PCI device number an H100 may be an H800, and the message says so", "[sim]") {
  core::Gpu gpu = published("h100_sxm");
  gpu.pci_device_id = 0;
  CHECK(sim::machines_for(gpu) == std::vector<std::string>{"h100_sxm", "h800_sxm"});
  CHECK_FALSE(sim::machine_for(gpu).has_value());
  CHECK_THAT(sim::why_no_machine(gpu), contains("h100_sxm, h800_sxm all describe any name") &&
                                           contains("fa3prof calibrate") && contains("--machine"));
}

TEST_CASE("What an older report does not state of its GPU contradicts nothing", "[sim]") {
  core::Gpu gpu = published("h200_sxm");
  gpu.memory_bus_width_bits = 0;
  gpu.pci_device_id = 0;
  CHECK(sim::machine_for(gpu) == "h200_sxm");
}

TEST_CASE("An unknown GPU is told the nearest file, what differs and the cure", "[sim]") {
  core::Gpu slice = published("h200_sxm");
  slice.sm_count = 16;  // of a MIG slice
  CHECK_FALSE(sim::machine_for(slice).has_value());
  CHECK_THAT(sim::why_no_machine(slice),
             contains("no machine file describes any name (compute capability 9.0, 16 SMs") &&
                 contains("h200_sxm comes nearest, but has sm_count 132, not 16;") &&
                 contains("fa3prof calibrate --output mine.json"));
  core::Gpu turing = published("a100_sxm");
  turing.capability = {7, 5};
  CHECK_THAT(sim::why_no_machine(turing), contains("none has its compute capability"));
}

}  // namespace fa3prof::tests
