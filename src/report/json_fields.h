// The layout of a report document, stated once: writing and reading walk these same lists, so that
// what is written can be read back. A walker offers
//   required(key, value)   must be there
//   optional(key, value)   absent when it holds nothing: nullopt, empty text or list, counters that
//                          nobody asked for; a number 0, which then means "unknown"
//   finite(key, value)     absent when infinite or NaN: the error of a kernel that wrote NaN
//   derived(key, compute)  for the reader's convenience; ignored when read, being computed anew;
//   derived_text           the same for text
// for numbers, text, booleans, named enumerations, lists of these, and the structs below.
#pragma once

#include "src/core/error.h"
#include "src/core/report.h"

#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>

namespace fa3prof::report {

/// T is U or const U: writing walks constant structs, reading fills them.
template <typename T, typename U>
concept Is = std::same_as<std::remove_const_t<T>, U>;

[[nodiscard]] inline std::string_view status_name(core::Counters::Status status) {
  switch (status) {
    case core::Counters::Status::kNotRequested:
      return "not_requested";
    case core::Counters::Status::kCollected:
      return "collected";
    case core::Counters::Status::kUnavailable:
      return "unavailable";
  }
  throw core::UsageError("unknown status of counters");
}

[[nodiscard]] inline core::Counters::Status parse_status(std::string_view text) {
  using enum core::Counters::Status;
  for (const auto status : {kNotRequested, kCollected, kUnavailable}) {
    if (status_name(status) == text) return status;
  }
  throw core::UsageError("unknown status '" + std::string(text) +
                         "': choose not_requested, collected or unavailable");
}

template <Is<core::AttentionProblem> T>
void walk(auto& walker, T& problem) {
  walker.required("batch", problem.batch);
  walker.required("num_heads", problem.num_heads);
  walker.required("num_heads_kv", problem.num_heads_kv);
  walker.required("seqlen_q", problem.seqlen_q);
  walker.required("seqlen_kv", problem.seqlen_kv);
  walker.required("head_dim", problem.head_dim);
  walker.required("is_causal", problem.is_causal);
  walker.required("dtype", problem.dtype);
}

template <Is<core::Interval> T>
void walk(auto& walker, T& interval) {
  walker.required("lower", interval.lower);
  walker.required("upper", interval.upper);
}

template <Is<core::Method> T>
void walk(auto& walker, T& method) {
  walker.derived_text("fingerprint", [&] { return core::fingerprint(method); });
  walker.required("timer", method.timer);
  walker.required("mode", method.mode);
  walker.required("inputs", method.inputs);
  walker.required("settle_ms", method.settle_ms);
  walker.required("warmup_rounds", method.warmup_rounds);
  walker.required("includes_quantization", method.includes_quantization);
  walker.optional("steady_clock_ratio", method.steady_clock_ratio);
  walker.optional("pause_ms", method.pause_ms);
}

template <Is<core::WarmUp> T>
void walk(auto& walker, T& warm_up) {
  walker.required("launches", warm_up.launches);
  walker.required("duration_ms", warm_up.duration_ms);
  walker.optional("clock_mhz", warm_up.clock_mhz);
  walker.optional("is_steady", warm_up.is_steady);
}

template <Is<core::Timing> T>
void walk(auto& walker, T& timing) {
  walker.required("samples_us", timing.samples_us);
  walker.optional("samples_clock_mhz", timing.samples_clock_mhz);
  walker.optional("samples_power_watts", timing.samples_power_watts);
  walker.optional("samples_throttle_reasons", timing.samples_throttle_reasons);
  walker.optional("samples_temperature_celsius", timing.samples_temperature_celsius);
  walker.required("median_us", timing.median_us);
  walker.required("median_ci95_us", timing.median_ci95_us);
  walker.required("cache", timing.cache);
  walker.optional("stopped_by", timing.stopped_by);
  walker.optional("target_ci95_ratio", timing.target_ci95_ratio);
  walker.optional("method", timing.method);
  walker.optional("warm_up", timing.warm_up);
  walker.optional("in_turn", timing.in_turn);
}

template <Is<core::ClockRecord> T>
void walk(auto& walker, T& clocks) {
  walker.required("clock_source", clocks.clock_source);
  walker.required("sm_clock_mhz", clocks.sm_clock_mhz);
  walker.required("sm_clock_min_mhz", clocks.sm_clock_min_mhz);
  walker.required("sm_clock_max_mhz", clocks.sm_clock_max_mhz);
  walker.required("power_watts", clocks.power_watts);
  walker.required("temperature_celsius", clocks.temperature_celsius);
  walker.required("throttle_reasons", clocks.throttle_reasons);
}

template <Is<core::Quantization> T>
void walk(auto& walker, T& quantization) {
  walker.required("time_us", quantization.time_us);
  walker.required("is_included", quantization.is_included);
}

template <Is<core::Verification> T>
void walk(auto& walker, T& verification) {
  walker.required("passed", verification.passed);
  walker.finite("relative_error", verification.relative_error);
  walker.required("tolerance", verification.tolerance);
  walker.finite("max_abs_error", verification.max_abs_error);
  walker.finite("lse_max_abs_error", verification.lse_max_abs_error);
  walker.required("rows_checked", verification.rows_checked);
  walker.required("rows_total", verification.rows_total);
  walker.optional("failure", verification.failure);
}

template <Is<core::Tile> T>
void walk(auto& walker, T& tile) {
  walker.required("m", tile.m);
  walker.required("n", tile.n);
  walker.optional("slab_m", tile.slab_m);
  walker.optional("value_channels", tile.value_channels);
}

template <Is<core::Launch> T>
void walk(auto& walker, T& launch) {
  walker.required("tile", launch.tile);
  walker.required("stages", launch.stages);
  walker.required("threads", launch.threads);
  walker.required("ctas_per_sm", launch.ctas_per_sm);
  walker.required("registers_per_thread", launch.registers_per_thread);
  walker.required("shared_memory_bytes", launch.shared_memory_bytes);
  walker.required("grid", launch.grid);
  walker.required("is_persistent", launch.is_persistent);
}

template <Is<core::Counters> T>
void walk(auto& walker, T& counters) {
  walker.required("status", counters.status);
  walker.optional("reason", counters.reason);
  walker.optional("cure", counters.cure);
  walker.optional("passes", counters.passes);
  walker.optional("values", counters.values);
}

template <Is<core::TraceSummary> T>
void walk(auto& walker, T& trace) {
  walker.required("ctas", trace.ctas);
  walker.required("dropped_records", trace.dropped_records);
  walker.required("traced_us", trace.traced_us);
  walker.required("timed_us", trace.timed_us);
  walker.required("clock_mhz", trace.clock_mhz);
  walker.optional("cta_loss_ratio", trace.cta_loss_ratio);
}

template <Is<core::BreakdownPart> T>
void walk(auto& walker, T& part) {
  walker.required("category", part.category);
  walker.required("cycles", part.cycles);
}

template <Is<core::Term> T>
void walk(auto& walker, T& term) {
  walker.required("name", term.name);
  walker.required("formula", term.formula);
  walker.required("cycles", term.cycles);
}

template <Is<core::PackedTrack> T>
void walk(auto& walker, T& track) {
  walker.required("name", track.name);
  walker.required("overlaps", track.overlaps);
  walker.required("names", track.names);
  walker.required("kinds", track.kinds);
  walker.required("begins", track.begins);
  walker.required("lengths", track.lengths);
}

template <Is<core::TimelineExcerpt> T>
void walk(auto& walker, T& timeline) {
  walker.required("name", timeline.name);
  walker.required("clock_mhz", timeline.clock_mhz);
  walker.required("is_whole", timeline.is_whole);
  walker.required("tracks", timeline.tracks);
}

template <Is<core::Device> T>
void walk(auto& walker, T& device) {
  walker.required("index", device.index);
  walker.required("uuid", device.uuid);
  walker.optional("power_limit_watts", device.power_limit_watts);
}

template <Is<core::Result> T>
void walk(auto& walker, T& result) {
  walker.required("source", result.source);
  walker.required("kernel", result.kernel);
  walker.optional("kernel_version", result.kernel_version);
  walker.optional("pipeline", result.pipeline);
  walker.optional("machine", result.machine);
  walker.optional("device", result.device);
  walker.required("problem", result.problem);
  walker.derived("flops_algorithmic", [&] { return core::flops_algorithmic(result.problem); });
  walker.derived("flops_convention", [&] { return core::flops_convention(result.problem); });
  walker.optional("flops_tile_padded", result.executed_flops);
  walker.derived("flops_counted", [&] { return result.counters.find(core::kTensorFlops); });
  walker.derived("min_bytes", [&] { return core::min_bytes(result.problem); });
  walker.optional("unsupported_reason", result.unsupported_reason);
  walker.optional("time_us", result.time_us);
  walker.optional("cycles", result.cycles);
  walker.optional("clock_mhz", result.clock_mhz);
  walker.optional("clock_basis", result.clock_basis);
  walker.optional("tflops", result.tflops);
  walker.optional("peak_tflops", result.peak_tflops);
  walker.optional("peak_basis", result.peak_basis);
  walker.optional("timing", result.timing);
  walker.optional("quantization", result.quantization);
  walker.optional("clocks", result.clocks);
  walker.optional("verification", result.verification);
  walker.optional("launch", result.launch);
  walker.optional("counters", result.counters);
  walker.optional("limiter", result.limiter);
  walker.optional("breakdown", result.breakdown);
  walker.optional("trace", result.trace);
  walker.optional("timeline", result.timeline);
  walker.optional("terms", result.terms);
  walker.optional("sensitivities", result.sensitivities);
  walker.required("warnings", result.warnings);
}

template <Is<core::Shard> T>
void walk(auto& walker, T& shard) {
  walker.required("index", shard.index);
  walker.required("count", shard.count);
}

template <Is<core::ComputeCapability> T>
void walk(auto& walker, T& capability) {
  walker.required("major", capability.major);
  walker.required("minor", capability.minor);
}

template <Is<core::Gpu> T>
void walk(auto& walker, T& gpu) {
  walker.required("name", gpu.name);
  walker.optional("uuid", gpu.uuid);
  walker.required("capability", gpu.capability);
  walker.required("sm_count", gpu.sm_count);
  walker.optional("max_sm_clock_mhz", gpu.max_sm_clock_mhz);
  walker.optional("max_memory_clock_mhz", gpu.max_memory_clock_mhz);
  walker.optional("memory_bus_width_bits", gpu.memory_bus_width_bits);
  walker.optional("pci_device_id", gpu.pci_device_id);
  walker.optional("power_limit_watts", gpu.power_limit_watts);
  walker.required("memory_bytes", gpu.memory_bytes);
  walker.required("l2_bytes", gpu.l2_bytes);
  walker.required("shared_memory_per_sm_bytes", gpu.shared_memory_per_sm_bytes);
}

/// The root's "tool" is a part of core::Environment.
struct Tool {
  std::string name = "fa3prof";
  std::string version;
  std::string commit;
  std::string compiler;
  std::string cuda_toolkit;
};

template <Is<Tool> T>
void walk(auto& walker, T& tool) {
  walker.required("name", tool.name);
  walker.required("version", tool.version);
  walker.required("commit", tool.commit);
  walker.required("compiler", tool.compiler);
  walker.optional("cuda_toolkit", tool.cuda_toolkit);
}

template <Is<core::Environment> T>
void walk(auto& walker, T& environment) {
  walker.required("host", environment.host);
  walker.required("os", environment.os);
  walker.optional("driver", environment.driver);
  walker.optional("gpu", environment.gpu);
}

}  // namespace fa3prof::report
