#include "src/profile/plugin.h"

#include "src/core/attention_kernel.h"
#include "src/core/error.h"
#include "src/profile/crash_note.h"
#include "src/profile/shared_object.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <exception>
#include <string_view>
#include <utility>

namespace fa3prof::profile {
namespace {

/// A table as of version 1; later members come after it.
constexpr std::size_t kSmallestTable = offsetof(fa3prof_plugin, launch) + sizeof(void*);
constexpr std::size_t kTableWithProducts =
    offsetof(fa3prof_plugin, products) + sizeof(fa3prof_plugin::products);
constexpr double kLargestWorkspaceBytes = 1e12;
constexpr const char* kFillTable = "see fa3prof_plugin.h for what the table must hold";

using TextBuffer = std::array<char, 512>;

bool is_printable(char c) { return c >= ' ' && c <= '~'; }

bool is_name_character(char c) {
  const bool is_letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  return is_letter || (c >= '0' && c <= '9') ||
         std::string_view("._+-").find(c) != std::string_view::npos;
}

/// What a plugin wrote, cut at the buffer's end, safe for a terminal and for JSON.
std::string text_of(const TextBuffer& buffer, const char* without) {
  std::string text(buffer.data(), strnlen(buffer.data(), buffer.size()));
  std::ranges::replace_if(
      text, [](char c) { return !is_printable(c); }, ' ');
  return text.empty() ? without : text;
}

/// Runs `call`; what it throws becomes a text, since nothing may pass through a C function.
std::optional<std::string> text_of_exception(const auto& call) {
  try {
    call();
    return std::nullopt;
  } catch (const std::exception& error) {
    return fmt::format("threw an exception: {}", error.what());
  } catch (...) {
    return "threw an exception";
  }
}

fa3prof_problem to_c(const core::AttentionProblem& problem) {
  fa3prof_problem c{};
  c.struct_size = sizeof c;
  c.dtype = problem.dtype == core::DataType::kBFloat16 ? FA3PROF_DTYPE_BF16 : FA3PROF_DTYPE_FP16;
  c.batch = problem.batch;
  c.num_heads = problem.num_heads;
  c.num_heads_kv = problem.num_heads_kv;
  c.seqlen_q = problem.seqlen_q;
  c.seqlen_kv = problem.seqlen_kv;
  c.head_dim = problem.head_dim;
  c.is_causal = problem.is_causal ? 1 : 0;
  c.softmax_scale = static_cast<float>(core::softmax_scale(problem));
  return c;
}

std::int32_t products_of(const fa3prof_plugin& table) {
  return table.struct_size < kTableWithProducts ? FA3PROF_PRODUCTS_OF_DTYPE : table.products;
}

/// What is wrong with a text of the table, or nothing.
std::optional<std::string> find_fault(const char* text, std::size_t max_length, auto is_allowed) {
  if (text == nullptr) return "is null";
  const std::size_t length = strnlen(text, max_length + 1);
  if (length == 0) return "is empty";
  if (length > max_length) return fmt::format("is longer than {} characters", max_length);
  const std::string_view view(text, length);
  const auto bad = std::ranges::find_if_not(view, is_allowed);
  if (bad == view.end()) return std::nullopt;
  const auto code = static_cast<unsigned char>(*bad);
  return is_printable(*bad) ? fmt::format("holds '{}'", *bad)
                            : fmt::format("holds the byte 0x{:02X}", code);
}

}  // namespace

Plugin::Plugin(std::string path, DynamicLibrary library)
    : path_(std::move(path)), library_(std::move(library)) {
  auto* const entry = library_.find<const fa3prof_plugin*()>(FA3PROF_PLUGIN_ENTRY);
  if (entry == nullptr) {
    fail("exports no " FA3PROF_PLUGIN_ENTRY,
         "define that function as fa3prof_plugin.h declares it, with C linkage and default "
         "visibility");
  }
  const CrashNote note("plugin " + path_, FA3PROF_PLUGIN_ENTRY);
  if (const auto text = text_of_exception([this, entry] { table_ = entry(); })) {
    fail(FA3PROF_PLUGIN_ENTRY " " + *text, "return the table instead");
  }
  check_table();
}

Plugin Plugin::load(const std::string& path) {
  if (const auto fault = find_shared_object_fault(path)) {
    throw core::UsageError(fmt::format("--plugin '{}' {}; {}", path, fault->what, fault->cure));
  }
  std::string reason;
  const auto open = [&path, &reason] {
    const CrashNote note("plugin " + path, "its initialisation");
    return DynamicLibrary::open_file(path, reason);
  };
  auto library = open();
  if (!library) {
    throw core::UsageError(
        fmt::format("--plugin '{}' cannot be loaded: {}; link what it needs, or name the folder of "
                    "its libraries in LD_LIBRARY_PATH",
                    path, reason));
  }
  return {path, std::move(*library)};
}

void Plugin::fail(const std::string& what, const std::string& cure) const {
  throw core::UsageError(fmt::format("--plugin '{}' {}; {}", path_, what, cure));
}

void Plugin::check_table() const {
  if (table_ == nullptr) fail("returns no table (null)", kFillTable);
  if (table_->abi_version != FA3PROF_PLUGIN_ABI_VERSION) {
    fail(fmt::format("has plugin interface version {}, this fa3prof has {}", table_->abi_version,
                     FA3PROF_PLUGIN_ABI_VERSION),
         "build it against this fa3prof's fa3prof_plugin.h");
  }
  if (table_->struct_size < kSmallestTable) {
    fail(fmt::format("has a table of {} bytes, at least {} are needed", table_->struct_size,
                     kSmallestTable),
         "set struct_size to sizeof(fa3prof_plugin)");
  }
  if (const auto fault = find_fault(table_->name, FA3PROF_PLUGIN_MAX_NAME, is_name_character)) {
    fail("has a bad name: it " + *fault,
         fmt::format("use 1 to {} of A-Z a-z 0-9 . _ + -", FA3PROF_PLUGIN_MAX_NAME));
  }
  if (const auto fault = find_fault(table_->version, FA3PROF_PLUGIN_MAX_TEXT, is_printable)) {
    fail("has a bad version: it " + *fault, "use one line of printable ASCII");
  }
  if (table_->description != nullptr && *table_->description != '\0') {
    const auto fault = find_fault(table_->description, FA3PROF_PLUGIN_MAX_TEXT, is_printable);
    if (fault) fail("has a bad description: it " + *fault, "use one line of printable ASCII");
  }
  if (table_->supports == nullptr) fail("has no function supports (null)", kFillTable);
  if (table_->workspace_bytes == nullptr)
    fail("has no function workspace_bytes (null)", kFillTable);
  if (table_->launch == nullptr) fail("has no function launch (null)", kFillTable);
  const std::int32_t products = products_of(*table_);
  if (products != FA3PROF_PRODUCTS_OF_DTYPE && products != FA3PROF_PRODUCTS_E4M3) {
    fail(fmt::format("has unknown products ({})", products), kFillTable);
  }
  const auto kernels = core::attention_kernels();
  if (name() == core::kCudnn ||
      std::ranges::find(kernels, name(), &core::AttentionKernel::name) != kernels.end()) {
    fail(fmt::format("calls itself {}, which is a kernel of fa3prof", name()),
         "give it another name");
  }
}

std::optional<std::string> Plugin::why_unsupported(const core::AttentionProblem& problem) const {
  if (problem.dtype != core::DataType::kFloat16 && problem.dtype != core::DataType::kBFloat16) {
    return fmt::format("plugins have no dtype {}; they have fp16, bf16",
                       core::name_of(problem.dtype));
  }
  const fa3prof_problem c = to_c(problem);
  TextBuffer reason{};
  bool is_supported = false;
  double bytes = 0.0;
  const CrashNote note("plugin " + name(), "supports or workspace_bytes");
  const auto thrown = text_of_exception([&] {
    is_supported = table_->supports(&c, reason.data(), reason.size() - 1) != 0;
    if (is_supported) bytes = static_cast<double>(table_->workspace_bytes(&c));
  });
  if (thrown) return fmt::format("{} {}", name(), *thrown);
  if (!is_supported) {
    return fmt::format("{}: {}", name(), text_of(reason, "the plugin gives no reason"));
  }
  if (bytes <= kLargestWorkspaceBytes) return std::nullopt;
  return fmt::format("{} asks for {:.3g} bytes of workspace, more than any GPU has", name(), bytes);
}

core::DataType Plugin::multiplied_type(const core::AttentionProblem& problem) const {
  return products_of(*table_) == FA3PROF_PRODUCTS_E4M3 ? core::DataType::kFloat8E4M3
                                                       : problem.dtype;
}

std::uint64_t Plugin::workspace_bytes(const core::AttentionProblem& problem) const {
  const fa3prof_problem c = to_c(problem);
  const CrashNote note("plugin " + name(), "workspace_bytes");
  return table_->workspace_bytes(&c);
}

std::optional<std::string> Plugin::launch(const core::AttentionProblem& problem,
                                          fa3prof_tensors tensors) const {
  const fa3prof_problem c = to_c(problem);
  tensors.struct_size = sizeof tensors;
  TextBuffer error{};
  std::int32_t status = 0;
  const CrashNote note("plugin " + name(), "launch");
  const auto thrown = text_of_exception(
      [&] { status = table_->launch(&c, &tensors, error.data(), error.size() - 1); });
  if (thrown) return "its launch " + *thrown;
  if (status == 0) return std::nullopt;
  return fmt::format("its launch returned {}: {}", status,
                     text_of(error, "the plugin gives no reason"));
}

std::vector<Plugin> load_plugins(std::span<const std::string> paths) {
  std::vector<Plugin> plugins;
  for (const std::string& path : paths) {
    Plugin plugin = Plugin::load(path);
    const auto twin = std::ranges::find(plugins, plugin.name(), &Plugin::name);
    if (twin != plugins.end()) {
      throw core::UsageError(
          fmt::format("--plugin '{}' calls itself {}, as '{}' does; load it once, or build one of "
                      "them with another name",
                      path, plugin.name(), twin->path()));
    }
    plugins.push_back(std::move(plugin));
  }
  return plugins;
}

}  // namespace fa3prof::profile
