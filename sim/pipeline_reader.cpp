// read_pipeline: from JSON to a Pipeline. The steps are read in step_reader.cpp.
#include "sim/pipeline.h"
#include "sim/program_check.h"
#include "sim/step_reader.h"
#include "src/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace fa3prof::sim {
namespace {

constexpr std::int64_t kMostInstances = 32;
constexpr std::int64_t kMostWarps = 32;
constexpr std::int64_t kMostRegisters = 256;
constexpr std::int64_t kMostStages = 64;
constexpr std::int64_t kMostChannels = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kMostCtas = 32;

int read_ctas(const core::JsonReader& reader) {
  return static_cast<int>(reader.integer({.min = 1, .max = kMostCtas}));
}

core::DataType read_dtype(const core::JsonReader& reader) {
  try {
    return core::parse_data_type(reader.string());
  } catch (const core::UsageError& error) {
    reader.fail(error.what());
  }
}

/// What roles and what tiles may say of a role.
void read_shape(core::JsonReader& reader, int& instances, int& registers_per_thread) {
  if (auto count = reader.find("instances")) {
    instances = static_cast<int>(count->integer({.min = 1, .max = kMostInstances}));
  }
  if (auto count = reader.find("registers_per_thread")) {
    registers_per_thread = static_cast<int>(count->integer({.min = 1, .max = kMostRegisters}));
  }
}

TileChoice read_tile(core::JsonReader reader) {
  TileChoice choice;
  if (auto value = reader.find("head_dim")) choice.head_dim = value->integer({.min = 1});
  if (auto value = reader.find("causal")) choice.is_causal = value->boolean();
  if (auto value = reader.find("dtype")) choice.dtype = read_dtype(*value);
  choice.tile_m = Size::read(reader.at("tile_m"));
  choice.tile_n = Size::read(reader.at("tile_n"));
  if (auto value = reader.find("value_channels"))
    choice.value_channels = value->integer({.min = 1, .max = kMostChannels});
  choice.stages = reader.at("stages").integer({.min = 1, .max = kMostStages});
  if (auto ctas = reader.find("ctas_per_sm")) choice.ctas_per_sm = read_ctas(*ctas);
  if (auto traits = reader.find("traits")) {
    for (const auto& trait : traits->items()) choice.traits.push_back(trait.string());
  }
  if (auto roles = reader.find("roles")) {
    for (const std::string& name : roles->keys()) {
      core::JsonReader shape = roles->at(name);
      RoleShape& role = choice.roles.emplace_back(RoleShape{.role = name});
      read_shape(shape, role.instances, role.registers_per_thread);
      shape.finish();
    }
  }
  reader.finish();
  return choice;
}

Buffer read_buffer(const std::string& name, core::JsonReader reader) {
  Buffer buffer{.name = name, .bytes = Size::read(reader.at("bytes")), .copies = Size(1.0)};
  if (auto copies = reader.find("copies")) buffer.copies = Size::read(*copies);
  if (auto place = reader.find("in")) {
    buffer.is_in_registers = place->string() == "registers";
    if (!buffer.is_in_registers && place->string() != "shared") {
      place->fail("must be shared or registers");
    }
  }
  reader.finish();
  return buffer;
}

Barrier read_barrier(const std::string& name, core::JsonReader reader) {
  Barrier barrier{.name = name};
  const core::JsonReader kind = reader.at("kind");
  const std::string word = kind.string();
  if (word == "named") {
    barrier.kind = BarrierKind::kNamed;
  } else if (word == "turn") {
    barrier.kind = BarrierKind::kTurn;
  } else if (word != "mbarrier") {
    kind.fail(fmt::format("'{}' must be one of mbarrier, named, turn", word));
  }
  if (barrier.kind == BarrierKind::kMbarrier) {
    if (auto free = reader.find("initially_free")) barrier.initially_free = Size::read(*free);
    if (auto role = reader.find("of")) barrier.of = role->string();
  }
  reader.finish();
  return barrier;
}

Role read_role(core::JsonReader reader, Pipeline& pipeline) {
  Role role;
  role.name = reader.at("name").string();
  role.warps = static_cast<int>(reader.at("warps").integer({.min = 0, .max = kMostWarps}));
  read_shape(reader, role.instances, role.registers_per_thread);
  if (auto rows = reader.find("rows")) role.rows = Size::read(*rows);
  for (std::size_t i = 0; i < kSectionNames.size(); ++i) {
    const auto steps = reader.find(kSectionNames[i]);
    if (!steps) continue;
    for (const core::JsonReader& step : steps->items()) {
      role.sections[i].push_back(read_step(step, pipeline, role));
    }
  }
  reader.finish();
  return role;
}

/// A tile can only shape a role that there is.
void check_shapes(const core::JsonReader& reader, const Pipeline& pipeline) {
  for (std::size_t i = 0; i < pipeline.tiles.size(); ++i) {
    for (const RoleShape& shape : pipeline.tiles[i].roles) {
      if (std::ranges::find(pipeline.roles, shape.role, &Role::name) != pipeline.roles.end()) {
        continue;
      }
      reader.fail(fmt::format("tiles/{}: there is no role '{}'", i, shape.role));
    }
  }
}

/// A step can only depend on what some tile has.
void check_trait(const core::JsonReader& reader, const Pipeline& pipeline,
                 const std::string& trait) {
  const bool is_known = std::ranges::any_of(
      pipeline.tiles, [&trait](const TileChoice& choice) { return choice.has(trait); });
  if (!trait.empty() && !is_known) reader.fail(fmt::format("no tile has the trait '{}'", trait));
}

void check_traits(const core::JsonReader& reader, const Pipeline& pipeline) {
  for (const Role& role : pipeline.roles) {
    for (const std::vector<Step>& steps : role.sections) {
      for (const Step& step : steps) {
        check_trait(reader, pipeline, step.with);
        check_trait(reader, pipeline, step.without);
      }
    }
  }
}

/// Barriers can only be of a role that there is.
void check_owners(const core::JsonReader& reader, const Pipeline& pipeline) {
  for (const Barrier& barrier : pipeline.barriers) {
    if (barrier.of.empty()) continue;
    if (std::ranges::find(pipeline.roles, barrier.of, &Role::name) != pipeline.roles.end())
      continue;
    reader.fail(fmt::format("barriers/{}: there is no role '{}'", barrier.name, barrier.of));
  }
}

void read_grid(core::JsonReader& reader, Pipeline& pipeline) {
  pipeline.ctas_per_sm = read_ctas(reader.at("ctas_per_sm"));
  pipeline.is_persistent = reader.at("is_persistent").boolean();
  const core::JsonReader order = reader.at("order");
  pipeline.is_longest_first = order.string() == "longest_first";
  if (!pipeline.is_longest_first && order.string() != "grid") {
    order.fail("must be grid (row blocks in ascending order) or longest_first");
  }
  if (auto bytes = reader.find("section_bytes")) {
    if (!pipeline.is_longest_first) bytes->fail("sections need the order longest_first");
    pipeline.section_bytes = bytes->number(core::kPositive);
  }
  if (auto taken = reader.find("tiles_taken")) {
    pipeline.takes_strided_tiles = taken->string() == "strided";
    if (!pipeline.takes_strided_tiles && taken->string() != "when_free") {
      taken->fail("must be when_free or strided");
    }
    if (pipeline.takes_strided_tiles && !pipeline.is_persistent) {
      taken->fail("only persistent CTAs can take strided tiles");
    }
  }
  if (auto over = reader.find("loop_over")) {
    pipeline.loops_over_rows = over->string() == "rows";
    if (!pipeline.loops_over_rows && over->string() != "keys") over->fail("must be keys or rows");
    if (pipeline.loops_over_rows && (pipeline.is_persistent || pipeline.is_longest_first)) {
      over->fail("a loop over rows needs CTAs that are not persistent, in the order grid");
    }
  }
  if (auto blocks = reader.find("peeled_blocks")) {
    if (pipeline.loops_over_rows) blocks->fail("a loop over rows has no key blocks to peel");
    pipeline.peeled_blocks = static_cast<int>(blocks->integer({.min = 0, .max = kMostStages}));
  }
  if (auto ramp = reader.find("ramp_iterations")) {
    pipeline.stated_ramp_iterations = ramp->sourced_number(core::kNotNegative).value;
  }
}

}  // namespace

Pipeline read_pipeline(core::JsonReader reader) {
  Pipeline pipeline;
  pipeline.document = std::make_shared<const core::Json>(reader.value());
  pipeline.name = reader.at("name").string();
  pipeline.kernel = pipeline.name;
  if (auto kernel = reader.find("kernel")) pipeline.kernel = kernel->string();
  if (auto text = reader.find("description")) pipeline.description = text->string();
  for (const auto& dtype : reader.at("dtypes").items()) {
    pipeline.dtypes.push_back(read_dtype(dtype));
  }
  for (const auto& tile : reader.at("tiles").items()) pipeline.tiles.push_back(read_tile(tile));
  read_grid(reader, pipeline);
  if (auto buffers = reader.find("buffers")) {
    for (const std::string& name : buffers->keys()) {
      pipeline.buffers.push_back(read_buffer(name, buffers->at(name)));
    }
  }
  if (auto barriers = reader.find("barriers")) {
    for (const std::string& name : barriers->keys()) {
      pipeline.barriers.push_back(read_barrier(name, barriers->at(name)));
    }
  }
  for (const auto& role : reader.at("roles").items()) {
    pipeline.roles.push_back(read_role(role, pipeline));
  }
  reader.finish();
  check_shapes(reader, pipeline);
  check_owners(reader, pipeline);
  check_traits(reader, pipeline);
  if (const auto flaw = find_flaw(pipeline)) reader.fail(*flaw);
  return pipeline;
}

}  // namespace fa3prof::sim
