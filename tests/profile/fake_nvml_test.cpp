// What is made of NVML's answers, by a library that gives any (tests/plugins/fake_nvml.cpp).
#include "src/profile/findings.h"
#include "src/profile/lost_gpu.h"
#include "src/profile/neighbours.h"
#include "src/profile/nvml.h"
#include "tests/catch.h"
#include "tests/cli/temporary_directory.h"

#include <cstdlib>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

namespace fa3prof::tests {
namespace {

using profile::NvmlDevice;
using Pids = std::vector<unsigned>;
using Sentences = std::vector<std::string>;

constexpr std::chrono::milliseconds kNoPause{0};

const unsigned kOwn = static_cast<unsigned>(getpid());

/// The only GPU, in a state that can change.
class FakeGpu {
 public:
  explicit FakeGpu(const std::string& state) {
    setenv(profile::kNvmlVariable, FA3PROF_PLUGIN_DIR "/fake_nvml.so", 1);
    setenv("FAKE_NVML_STATE", directory_.path("state").c_str(), 1);
    set(state);
  }

  void set(const std::string& state) const { directory_.write("state", state); }

  [[nodiscard]] static NvmlDevice device() { return NvmlDevice::open("GPU-any").value(); }

 private:
  TemporaryDirectory directory_;
};

TEST_CASE("processes on a GPU are listed with those under MPS, each once", "[profile]") {
  const FakeGpu gpu("pids 30 10\nmps 20 10\n");
  CHECK(FakeGpu::device().compute_pids() == Pids{10, 20, 30});
}

TEST_CASE("a second process that comes and goes while timing is warned of", "[profile]") {
  const FakeGpu gpu("pids self 1\n");
  const NvmlDevice device = FakeGpu::device();
  profile::NeighbourWatch watch([&device] { return device.compute_pids(); }, kOwn);
  gpu.set("pids self 1 2\n");
  watch.look(kNoPause);
  gpu.set("pids self\n");
  watch.look(kNoPause);
  CHECK(watch.warnings() == Sentences{"1 other process on the GPU before timing began: pid 1",
                                      "1 other process came to the GPU while timing: pid 2",
                                      "1 other process left the GPU while timing: pid 1"});
}

TEST_CASE("a process that a container hides shows by what it does", "[profile]") {
  const FakeGpu gpu("pids self\nbusy 87\n");
  const NvmlDevice device = FakeGpu::device();
  CHECK_THAT(profile::process_finding(device.compute_pids(), kOwn).detail, contains("none"));
  const auto busy_ratio =
      profile::lowest_busy_ratio([&device] { return device.busy_ratio(); }, kNoPause);
  CHECK_THAT(profile::busy_warning(busy_ratio).value(), contains("87 % busy"));
}

TEST_CASE("a GPU that NVML calls lost is lost", "[profile]") {
  const FakeGpu gpu("");
  const NvmlDevice device = FakeGpu::device();
  CHECK(device.health() == NvmlDevice::Health::kNoComplaint);
  gpu.set("status 15\n");
  CHECK(device.health() == NvmlDevice::Health::kLost);
  gpu.set("status 16\n");
  CHECK(device.health() == NvmlDevice::Health::kNeedsReset);
}

TEST_CASE("Xids are told in the order in which they came", "[profile]") {
  const FakeGpu gpu("");
  profile::XidWatch watch(FakeGpu::device());
  CHECK(watch.seen().empty());
  gpu.set("xids 13 79\n");
  CHECK(watch.seen() == Pids{13, 79});
  CHECK(profile::why_lost({.xids = watch.seen()}) == "Xid 79, GPU has fallen off the bus");
}

}  // namespace
}  // namespace fa3prof::tests
