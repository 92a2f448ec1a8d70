#include "src/profile/gpu_run.h"

#include "src/core/error.h"
#include "src/profile/device.h"
#include "src/profile/memory.h"
#include "src/profile/request_check.h"
#include "src/profile/verification.h"

#include <fmt/format.h>

namespace fa3prof::profile {
namespace {

/// What modules, local memory and counters may take besides the tensors.
constexpr double kReservedBytes = 256e6;
constexpr double kGb = 1e9;

}  // namespace

void name_device_errors(const std::string& what, const std::function<void()>& step) {
  try {
    step();
  } catch (const core::DeviceError& error) {
    throw core::DeviceError(error.what(), "while " + what);
  }
}

GpuRun::GpuRun(const RunRequest& request, const Progress& progress)
    : request_(request), progress_(progress) {
  check_request(request);
  gpu_ = describe_gpu(request.device);
  require_capability(request, gpu_);
  use_gpu(request.device);
  if (request.cache == CacheMode::kCold) {
    flush_bytes_ = flush_bytes(static_cast<std::size_t>(gpu_.l2_bytes));
  }
  for (Candidate& candidate : make_candidates(request)) {
    const bool is_shut_out = !candidate.unsupported_reason.empty();
    entrants_.push_back({.candidate = std::move(candidate), .is_shut_out = is_shut_out});
  }
  shut_out_what_does_not_fit();
  nvml_ = NvmlDevice::open(gpu_.uuid);
}

/// The tensors must fit; of the workspaces those that come first.
void GpuRun::shut_out_what_does_not_fit() {
  const double free_bytes = free_memory_bytes();
  double needed_bytes =
      tensor_bytes(request_.problem) + static_cast<double>(flush_bytes_) + kReservedBytes;
  require_memory(request_.problem, needed_bytes, free_bytes);
  for (Entrant& entrant : entrants_) {
    const auto workspace_bytes =
        static_cast<double>(entrant.candidate.workspace_bytes + entrant.candidate.quantized_bytes);
    if (entrant.is_shut_out) continue;
    if (needed_bytes + workspace_bytes <= free_bytes) {
      needed_bytes += workspace_bytes;
      continue;
    }
    entrant.is_shut_out = true;
    entrant.candidate.unsupported_reason = fmt::format(
        "{} asks for a workspace of {:.2f} GB, and beside the tensors {:.2f} GB are free",
        entrant.candidate.name, workspace_bytes / kGb, (free_bytes - needed_bytes) / kGb);
  }
}

void GpuRun::report(const std::string& step) const {
  if (request_.check_stop) request_.check_stop();
  if (progress_) progress_(step);
}

void GpuRun::measure() {
  stream_ = kernels::make_stream();
  done_ = kernels::make_event();
  prepare_inputs();
  for (Entrant& entrant : entrants_) {
    const std::string step = fmt::format("verifying {}", entrant.candidate.name);
    report(step);
    name_device_errors(step, [this, &entrant] { begin(entrant); });
    use_gpu(request_.device);  // a plugin may have chosen another
  }
  time_in_turn(passed());
  trace();
  count();
}

void GpuRun::prepare_inputs() {
  report("generating inputs");
  inputs_ = make_inputs(request_.problem, request_.seed);
  buffers_.emplace(request_.problem, inputs_);
  report("computing the FP64 reference");
  reference_.rows = choose_rows(request_.problem, request_.verify);
  reference_.values =
      numerics::reference_rows(request_.problem, inputs_.tensors(), reference_.rows);
}

void GpuRun::begin(Entrant& entrant) {
  const Candidate& candidate = entrant.candidate;
  Measurement& measurement = entrant.measurement.emplace();
  measurement.kernel = candidate.name;
  measurement.kernel_version = candidate.version;
  measurement.problem = request_.problem;
  measurement.multiplies = candidate.multiplies;
  measurement.cache = request_.cache == CacheMode::kCold ? "cold" : "warm";
  if (!entrant.is_shut_out) allocate_workspace(entrant);
  measurement.unsupported_reason = candidate.unsupported_reason;
  if (entrant.is_shut_out) return;
  if (candidate.describe) {
    const auto description = candidate.describe();
    measurement.launch = to_launch(description);
    measurement.local_memory_bytes = description.local_memory_bytes;
  }
  try {
    verify(entrant);
  } catch (const core::DeviceError& error) {
    if (!is_stuck_) fail(entrant, error.what());
    throw;
  }
}

/// What is free may have changed, or be in pieces.
void GpuRun::allocate_workspace(Entrant& entrant) {
  try {
    entrant.workspace.emplace(entrant.candidate.workspace_bytes);
    if (entrant.candidate.quantize) entrant.quantized.emplace(entrant.candidate.quantized_bytes);
  } catch (const core::DeviceError& error) {
    if (cudaGetLastError() != cudaErrorMemoryAllocation) throw;
    entrant.is_shut_out = true;
    entrant.candidate.unsupported_reason = fmt::format(
        "{} asks for a workspace of {:.2f} GB: {}", entrant.candidate.name,
        static_cast<double>(entrant.candidate.workspace_bytes + entrant.candidate.quantized_bytes) /
            kGb,
        error.what());
  }
}

/// A launch that fails takes its kernel out of the run, and every later one does nothing.
Launch GpuRun::launcher(Entrant& entrant, const std::string& when) {
  return [this, &entrant, when] {
    if (!entrant.measurement->verification.passed) return;
    kernels::AttentionTensors tensors = buffers_->tensors();
    tensors.workspace = entrant.workspace->get();
    tensors.quantized = entrant.quantized_inputs;
    const auto failure = entrant.candidate.launch(tensors, stream_.get());
    if (failure) fail(entrant, *failure + when);
  };
}

/// What a kernel that quantizes multiplies, made of Q, K and V.
void GpuRun::quantize(Entrant& entrant) {
  if (!entrant.candidate.quantize) return;
  entrant.quantized_inputs =
      entrant.candidate.quantize(buffers_->tensors(), entrant.quantized->get(), stream_.get());
}

void GpuRun::launch_and_wait(Entrant& entrant, const std::string& when) {
  launcher(entrant, when)();
  kernels::cuda_check(cudaEventRecord(done_.get(), stream_.get()));
  if (!wait_for(done_.get(), request_.launch_limit)) fail_stuck(entrant, when);
}

/// A failed kernel has no speed.
void GpuRun::fail(Entrant& entrant, const std::string& reason) const {
  Measurement& measurement = *entrant.measurement;
  measurement.verification = failed_verification(request_.problem, measurement.multiplies, reason);
  measurement.samples_us.clear();
  measurement.quantization.reset();
  measurement.samples_clock_mhz.clear();
  measurement.clocks.reset();
  measurement.counters = {};
}

void GpuRun::fail_stuck(Entrant& entrant, const std::string& when) {
  is_stuck_ = true;
  const std::string reason =
      fmt::format("its launch did not end within {} s{}", request_.launch_limit.count(), when);
  fail(entrant, reason);
  throw core::DeviceError(entrant.candidate.name + ": " + reason,
                          "give it longer with --launch-limit");
}

void GpuRun::verify(Entrant& entrant) {
  core::Verification& verdict = entrant.measurement->verification;
  buffers_->poison_outputs(stream_.get());
  entrant.workspace->restore_guards(stream_.get());
  if (entrant.quantized) entrant.quantized->restore_guards(stream_.get());
  verdict.passed = true;  // until shown otherwise
  quantize(entrant);
  launch_and_wait(entrant, "");
  const Output output = buffers_->download(stream_.get());
  if (verdict.passed) {
    verdict = profile::verify(request_.problem, entrant.candidate.multiplies, reference_, output);
  }
  if (const Damage damage = find_damage(entrant)) {
    verdict.passed = false;
    verdict.failure = *damage;
  }
}

/// What was written and must not have been: around O, LSE and this kernel's own memory, or an
/// input.
GpuRun::Damage GpuRun::find_damage(const Entrant& entrant) const {
  Damage damage = buffers_->find_damage(stream_.get());
  return damage ? damage : find_own_damage(entrant);
}

GpuRun::Damage GpuRun::find_own_damage(const Entrant& entrant) const {
  Damage damage = entrant.workspace->find_overwrite("the workspace", stream_.get());
  if (!damage && entrant.quantized) {
    damage = entrant.quantized->find_overwrite("quantised Q, K and V", stream_.get());
  }
  return damage;
}

std::vector<core::Result> GpuRun::results() const {
  std::vector<core::Result> results;
  for (const Entrant& entrant : entrants_) {
    if (entrant.measurement) results.push_back(make_result(*entrant.measurement, gpu_));
  }
  return results;
}

}  // namespace fa3prof::profile
