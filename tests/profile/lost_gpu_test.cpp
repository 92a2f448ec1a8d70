#include "src/profile/lost_gpu.h"

#include "tests/catch.h"

namespace fa3prof::tests {
namespace {

using profile::NvmlDevice;
using profile::why_lost;

TEST_CASE("an error that a kernel can bring about loses no GPU", "[profile]") {
  CHECK_FALSE(why_lost({}).has_value());
  CHECK_FALSE(why_lost({.cuda_error = "cudaErrorIllegalAddress", .xids = {31}}).has_value());
  CHECK_FALSE(why_lost({.cuda_error = "cudaErrorLaunchFailure", .xids = {13, 43}}).has_value());
}

TEST_CASE("a GPU that the driver has given up is lost, whatever CUDA calls it", "[profile]") {
  CHECK(why_lost({.health = NvmlDevice::Health::kLost}) == "NVML says that the GPU is lost");
  CHECK(why_lost({.cuda_error = "cudaErrorUnknown", .health = NvmlDevice::Health::kNeedsReset}) ==
        "NVML says that the GPU needs a reset");
}

TEST_CASE("an Xid of the hardware loses the GPU and says what it means", "[profile]") {
  CHECK(why_lost({.cuda_error = "cudaErrorUnknown", .xids = {13, 79}}) ==
        "Xid 79, GPU has fallen off the bus");
}

TEST_CASE("an error that no kernel can bring about loses the GPU", "[profile]") {
  CHECK(why_lost({.cuda_error = "cudaErrorECCUncorrectable"}) == "cudaErrorECCUncorrectable");
}

TEST_CASE("Xids end a message", "[profile]") {
  CHECK(profile::xid_text({}).empty());
  CHECK(profile::xid_text({13, 43}) == ", Xid 13, 43");
}

}  // namespace
}  // namespace fa3prof::tests
