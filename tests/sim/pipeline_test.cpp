#include "sim/pipeline.h"

#include "sim/engine.h"
#include "tests/catch.h"
#include "tests/sim/from_text.h"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace fa3prof::tests {
namespace {

core::AttentionProblem problem(std::int64_t head_dim, bool is_causal) {
  return {.seqlen_q = 1024, .seqlen_kv = 1024, .head_dim = head_dim, .is_causal = is_causal};
}

std::string flaw_of(const std::string& barriers, const std::string& roles) {
  return error_of([&] { (void)pipeline_from(pipeline_text(barriers, roles)); });
}

}  // namespace

TEST_CASE("every built-in pipeline loads", "[sim]") {
  const auto names = sim::builtin_pipelines();
  CHECK(names == std::vector<std::string>{
                     "fa1", "fa2", "fa3_fp16", "fa3_fp8", "fa3_overlap", "fa3_pingpong",
                     "fa3_serial", "fa3_ws", "guide_fa2", "guide_fa3", "published_fa2_fp16",
                     "published_fa3_fp16", "published_fa3_fp16_d256",
                     "published_fa3_fp16_no_overlap", "published_fa3_fp16_no_ws"});
  for (const std::string& name : names) CHECK(sim::load_pipeline(name).name == name);
}

TEST_CASE("the example of docs/model.md is a pipeline that runs", "[sim]") {
  std::ifstream file(std::string(FA3PROF_SOURCE_DIR) + "/docs/model.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  const std::size_t begin = page.find("```json\n") + 8;
  const sim::Pipeline mine = pipeline_from(page.substr(begin, page.find("```", begin) - begin));
  CHECK(mine.name == "mine");
  const auto result = sim::simulate(sim::Engine::kClosedForm, sim::load_machine("h200_sxm"), mine,
                                    problem(128, false));
  CHECK(*result.cycles > 0.0);
}

TEST_CASE("the tile follows from the problem", "[sim]") {
  const sim::Pipeline fa3 = sim::load_pipeline("fa3_fp16");
  CHECK(sim::tile_sizes(fa3, problem(128, false)).tile == core::Tile{128, 128});
  CHECK(sim::tile_sizes(fa3, problem(128, true)).tile == core::Tile{128, 128});

  sim::Pipeline by_mask = fa3;
  by_mask.tiles.insert(by_mask.tiles.begin(), by_mask.tiles.front());
  by_mask.tiles.front().head_dim = 128;
  by_mask.tiles.front().is_causal = false;
  by_mask.tiles.front().stages = 4;
  CHECK(sim::tile_sizes(by_mask, problem(128, false)).stages == 4);
  CHECK(sim::tile_sizes(by_mask, problem(128, true)).stages == 3);
  CHECK_THAT(error_of([&] { (void)sim::tile_sizes(fa3, problem(96, false)); }),
             contains("fa3_fp16 has no tile for fp16 b1 h1 sq1024 skv1024 d96; it has: "
                      "head_dim 64; head_dim 128; head_dim 256"));
  const sim::Pipeline guide = sim::load_pipeline("guide_fa2");
  CHECK(sim::tile_sizes(guide, problem(128, false)).tile == core::Tile{1024, 128});
}

TEST_CASE("a tile shapes the roles that it names", "[sim]") {
  const sim::Pipeline fa3 = sim::load_pipeline("fa3_fp16");
  CHECK(sim::shaped_for(fa3, problem(64, false)).threads() == 512);
  CHECK(sim::shaped_for(fa3, problem(128, false)).threads() == 384);

  std::string text = pipeline_text(
      "{}", R"([{"name": "all", "warps": 4, "loop": [)" + delay("d", 5, "alu") + "]}]");
  text.replace(text.find(R"("stages": 2)"), 11, R"("stages": 2, "roles": {"al": {}})");
  CHECK_THAT(error_of([&] { (void)pipeline_from(text); }),
             contains("tiles/0: there is no role 'al'"));
  text.replace(text.find(R"("al": {})"), 8, R"("all": {"instances": 3})");
  CHECK(sim::shaped_for(pipeline_from(text), problem(128, false)).threads() == 384);
  CHECK(pipeline_from(text).threads() == 128);
}

TEST_CASE("a tile may state its CTAs and is told of the warpgroups that it has", "[sim]") {
  const sim::Pipeline fa2 = sim::load_pipeline("fa2");
  CHECK(sim::shaped_for(fa2, problem(128, false)).ctas_per_sm == 2);
  CHECK(sim::shaped_for(fa2, problem(256, false)).ctas_per_sm == 1);
  const auto warpgroups = [&fa2](std::int64_t head_dim) {
    return sim::tile_sizes(fa2, problem(head_dim, false)).scope[sim::SizeName::kWarpgroups];
  };
  CHECK(warpgroups(128) == 1.0);
  CHECK(warpgroups(256) == 2.0);
  // Both warpgroups together bring a block once.
  const sim::SizeScope scope = sim::tile_sizes(fa2, problem(256, false)).scope;
  CHECK(2.0 * fa2.buffers[1].bytes.value(scope) == 64.0 * 256.0 * 2.0);
}

TEST_CASE("a step with or without a trait is done for the tiles that have it or do not", "[sim]") {
  const auto text = [](const std::string& condition) {
    std::string whole = pipeline_text(
        "{}", R"([{"name": "all", "warps": 4, "loop": [)" + delay("d", 5, "alu") + "]}]");
    whole.replace(whole.find(R"({"delay")"), 1, "{" + condition);
    return whole;
  };
  const auto steps = [&text](const std::string& condition, const std::string& traits) {
    std::string whole = text(condition);
    whole.replace(whole.find(R"("stages": 2)"), 11, R"("stages": 2, "traits": [)" + traits + "]");
    const auto pipeline = sim::shaped_for(pipeline_from(whole), problem(128, false));
    return pipeline.roles.front().steps(sim::Section::kLoop).size();
  };
  CHECK(steps("", R"("x")") == 1);
  CHECK(steps(R"("with": "x", )", R"("x")") == 1);
  CHECK(steps(R"("without": "x", )", R"("x")") == 0);
  CHECK(steps(R"("with": "x", )", R"("y", "x")") == 1);
  CHECK_THAT(error_of([&] { (void)pipeline_from(text(R"("with": "x", )")); }),
             contains("no tile has the trait 'x'"));
}

TEST_CASE("a flaw that only some tiles have is found, and says which", "[sim]") {
  std::string text =
      pipeline_text(R"({"full": {"kind": "mbarrier"}})",
                    R"([{"name": "a", "warps": 1, "loop": [{"with": "x", "arrive": "full"}]},
          {"name": "b", "warps": 4, "loop": [{"wait": "full"}]}])");
  const std::string tile = R"("tiles": [)";
  text.insert(text.find(tile) + tile.size(),
              R"({"head_dim": 64, "tile_m": 128, "tile_n": 128, "stages": 2, "traits": ["x"]}, )");
  CHECK_THAT(error_of([&] { (void)pipeline_from(text); }),
             contains("role b, loop step 1 (full): nothing ever arrives") &&
                 contains("(tiles without traits)"));
}

TEST_CASE("shared memory is the buffers times their stages", "[sim]") {
  const sim::Pipeline fa3 = sim::load_pipeline("fa3_fp16");
  const auto bytes = [&](bool is_causal) {
    return sim::shared_memory_bytes(fa3, sim::tile_sizes(fa3, problem(128, is_causal)).scope);
  };
  CHECK(bytes(false) == 229376.0);
  CHECK(bytes(true) == 229376.0);
}

TEST_CASE("a wait that nothing signals is refused by role, step and barrier", "[sim]") {
  const std::string text =
      flaw_of(R"({"full": {"kind": "mbarrier"}})",
              R"([{"name": "consumer", "warps": 4, "loop": [{"wait": "full"}]}])");
  CHECK_THAT(text, contains("pipeline.json: role consumer, loop step 1 (full): nothing ever"));
}

TEST_CASE("a count of free waits that is none is refused by its barrier", "[sim]") {
  for (const char* free : {"1e308", "\"1e308 * 1e308\"", "1000001"}) {
    const std::string text =
        flaw_of(R"({"empty": {"kind": "mbarrier", "initially_free": )" + std::string(free) + "}}",
                R"([{"name": "consumer", "warps": 4, "loop": [{"arrive": "empty"}]}])");
    CHECK_THAT(text, contains("barrier empty: initially_free is ") &&
                         contains("must be between 0 and 1000000"));
  }
}

TEST_CASE("rows of a role that no tile has are refused when a problem sizes them", "[sim]") {
  const sim::Pipeline pipeline = pipeline_from(pipeline_text(
      "{}", R"([{"name": "consumer", "warps": 4, "rows": "tile_m / 3", "loop": []}])"));
  CHECK_THAT(error_of([&] { (void)sim::tile_sizes(pipeline, problem(64, false)); }),
             contains("rows of role consumer is 128 / 3") && contains("a whole number"));
}

TEST_CASE("a deadlock is refused by role, step and barrier", "[sim]") {
  // Nobody sets a buffer free, so the third load waits for ever.
  const std::string starved = flaw_of(
      R"({"full": {"kind": "mbarrier"}, "empty": {"kind": "mbarrier", "initially_free": "stages"}})",
      R"([{"name": "producer", "warps": 1, "loop": [
             {"wait": "empty"}, {"load": "k", "by": "tma", "signals": "full"}]},
          {"name": "consumer", "warps": 4, "loop": [{"wait": "full"}],
             "epilogue": [{"arrive": "empty"}]}])");
  CHECK_THAT(starved,
             contains("deadlock: role producer (instance 1 of 1), loop step 1, waits on empty"));

  const std::string crossed =
      flaw_of(R"({"a": {"kind": "mbarrier"}, "b": {"kind": "mbarrier"}})",
              R"([{"name": "left", "warps": 1, "loop": [{"wait": "a"}, {"arrive": "b"}]},
          {"name": "right", "warps": 1, "loop": [{"wait": "b"}, {"arrive": "a"}]}])");
  CHECK_THAT(crossed, contains("deadlock: role left (instance 1 of 1), loop step 1, waits on a"));

  // The second instance never passes the turn on.
  const std::string kept = flaw_of(R"({"turn": {"kind": "turn"}})",
                                   R"([{"name": "consumer", "instances": 2, "warps": 4,
           "prologue": [{"arrive": "turn"}], "loop": [{"sync": "turn"}]}])");
  CHECK_THAT(kept, contains("deadlock: role consumer"));
}

TEST_CASE("a step that does not fit the declarations is refused with file and pointer", "[sim]") {
  struct Case {
    std::string step;
    std::string says;
  };

  const auto wrong = GENERATE(
      Case{R"({"wait": "fool"})", "/roles/0/loop/0/wait: 'fool' is no barrier of this pipeline"},
      Case{R"({"load": "x", "by": "tma"})", "/roles/0/loop/0/load: 'x' is no buffer"},
      Case{R"({"load": "k", "by": "ldg"})", "/roles/0/loop/0/by: 'ldg' must be one of tma"},
      Case{R"({"sync": "full"})", "/roles/0/loop/0/sync: this is an mbarrier"},
      Case{R"({"wait": "named"})", "/roles/0/loop/0/wait: this is a named barrier"},
      Case{R"({"wait_group": "k"})", "loop step 1 (wait_k): this role issues no background"},
      Case{R"({"wait": "full", "arrive": "full"})", "one verb"},
      Case{R"({"nap": 5})", "/roles/0/loop/0: this step has no verb"},
      Case{R"({"barrier": "b", "cycles": 1})", "/roles/0/loop/0/cycles: unknown key"},
      Case{R"({"store": "o", "bytes": "tile_x * 2"})", "/bytes: 'tile_x' is neither"},
      Case{R"({"store": "o", "bytes": "tile_m + 2"})", "/bytes: expected * or /"},
      Case{R"({"elementwise": "e", "elements": 1, "per_element": {"sine": 1}})",
           "/per_element/sine: unknown key"},
      Case{R"({"delay": "d", "unit": "alu", "cycles": 5})", "/cycles: must be"});
  const std::string text = flaw_of(
      R"({"full": {"kind": "mbarrier"}, "named": {"kind": "named"}})",
      R"([{"name": "r", "warps": 1, "loop": [)" + wrong.step + R"(, {"arrive": "full"}]}])");
  CHECK_THAT(text, contains("pipeline.json"));
  CHECK_THAT(text, contains(wrong.says));
}

TEST_CASE("a turn that two roles share is refused", "[sim]") {
  const std::string role = R"("warps": 4, "loop": [{"sync": "turn"}, {"arrive": "turn"}]})";
  CHECK_THAT(flaw_of(R"({"turn": {"kind": "turn"}})",
                     R"([{"name": "a", )" + role + R"(, {"name": "b", )" + role + "]"),
             contains("role b, loop step 1 (turn): this turn already goes round role a"));
}

TEST_CASE("a size is a product from left to right", "[sim]") {
  sim::SizeScope scope;
  scope[sim::SizeName::kTileM] = 128;
  scope[sim::SizeName::kHeadDim] = 64;
  const core::Json json = core::parse_json(R"(["tile_m / 2 * head_dim", 7])", "a.json");
  const auto items = core::JsonReader(json, "a.json").items();
  const sim::Size product = sim::Size::read(items[0]);
  CHECK(product.value(scope) == 4096.0);
  CHECK(product.formula(scope) == "128 / 2 * 64");
  CHECK(product.names(sim::SizeName::kTileM));
  CHECK_FALSE(product.names(sim::SizeName::kTileN));
  CHECK(sim::Size::read(items[1]).value(scope) == 7.0);
}

TEST_CASE("a buffer that is overwritten while in use is told by role, step and barrier", "[sim]") {
  const auto says = [](const std::string& free, const std::string& producer) {
    return error_of([&] {
      (void)pipeline_from(pipeline_text(
          R"({"full": {"kind": "mbarrier"}, "empty": {"kind": "mbarrier", "initially_free": )" +
              free + "}}",
          R"([{"name": "producer", "warps": 1, "loop": [)" + producer +
              R"({"load": "k", "by": "tma", "signals": "full"}]},
              {"name": "consumer", "warps": 4, "loop": [{"wait": "full"}, {"arrive": "empty"}]}])"));
    });
  };
  CHECK(says(R"("stages")", R"({"wait": "empty"}, )").empty());
  CHECK_THAT(says(R"("stages")", ""),
             contains("role producer, loop step 1 (k): it loads buffer k again"));
  CHECK_THAT(
      says("3", R"({"wait": "empty"}, )"),
      contains("role producer, loop step 2 (k): barrier empty lets 3 loads pass before anyone "
               "has read, but buffer k has 2 copies"));
}

TEST_CASE("every instance of a role has its own of a barrier that is of it", "[sim]") {
  const auto fa3 = sim::load_pipeline("fa3_fp16");
  const auto three = sim::shaped_for(fa3, {.head_dim = 64});
  CHECK(three.barriers.size() == fa3.barriers.size() + 2 * 2);
  const auto& cross = three.roles[0].steps(sim::Section::kCross);
  const auto loads = std::ranges::count(cross, "q", &sim::Step::name);
  CHECK(loads == 3);
  CHECK_THAT(error_of([] {
               (void)pipeline_from(
                   pipeline_text(R"({"full": {"kind": "mbarrier", "of": "nobody"}})",
                                 R"([{"name": "a", "warps": 1, "loop": [{"arrive": "full"}]}])"));
             }),
             contains("there is no role 'nobody'"));
}

}  // namespace fa3prof::tests
