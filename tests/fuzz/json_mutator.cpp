// How libFuzzer changes JSON: a value, a member or an element at a time, so that most inputs pass
// the parser and reach what lies behind it. Every fourth change is one of bytes, libFuzzer's own.
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <vector>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

using Json = nlohmann::ordered_json;

class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  [[nodiscard]] std::size_t below(std::size_t limit) { return random_() % limit; }

  void change(Json& document) {
    const std::vector<Json*> values = all_values(document);
    Json& value = *values[below(values.size())];
    const Json other = *values[below(values.size())];
    switch (below(4)) {
      case 0:
        value = other;
        break;
      case 1:
        shrink(value);
        break;
      case 2:
        grow(value, other);
        break;
      default:
        change_in_kind(value);
        break;
    }
  }

 private:
  static std::vector<Json*> all_values(Json& document) {
    std::vector<Json*> values{&document};
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!values[i]->is_structured()) continue;
      for (Json& child : *values[i]) values.push_back(&child);
    }
    return values;
  }

  void shrink(Json& value) {
    if (!value.is_structured() || value.empty()) return change_in_kind(value);
    value.erase(std::next(value.begin(), static_cast<std::ptrdiff_t>(below(value.size()))));
  }

  void grow(Json& value, const Json& other) {
    if (value.is_array()) {
      value.insert(value.begin() + static_cast<std::ptrdiff_t>(below(value.size() + 1)), other);
    } else if (value.is_object() && other.is_object() && !other.empty()) {
      const auto member =
          std::next(other.begin(), static_cast<std::ptrdiff_t>(below(other.size())));
      value[member.key()] = member.value();
    } else {
      change_in_kind(value);
    }
  }

  void change_in_kind(Json& value) {
    if (value.is_boolean()) {
      value = !value.get<bool>();
    } else if (value.is_number()) {
      value = number_like(value);
    } else if (value.is_string()) {
      change_text(value.get_ref<std::string&>());
    }
  }

  [[nodiscard]] Json number_like(const Json& old) {
    static const std::array<Json, 19> kNumbers{0,
                                               -1,
                                               1,
                                               2,
                                               3,
                                               7,
                                               8,
                                               64,
                                               128,
                                               1000000,
                                               0.5,
                                               1e-308,
                                               1e308,
                                               -1e308,
                                               1e18,
                                               std::numeric_limits<std::int32_t>::max(),
                                               std::numeric_limits<std::int64_t>::max(),
                                               std::numeric_limits<std::int64_t>::min(),
                                               std::numeric_limits<std::uint64_t>::max()};
    constexpr std::size_t kNear = 3;
    const std::size_t choice = below(kNumbers.size() + kNear);
    if (choice < kNumbers.size()) return kNumbers.at(choice);
    const double factors[kNear] = {0.5, 2.0, -1.0};
    return old.get<double>() * factors[choice - kNumbers.size()];
  }

  void change_text(std::string& text) {
    constexpr std::size_t kRoom = 8;
    std::string bytes = text + std::string(kRoom, ' ');
    bytes.resize(
        LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(bytes.data()), text.size(), bytes.size()));
    text = bytes;
  }

  std::minstd_rand random_;
};

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  Mutator mutator(seed);
  constexpr std::size_t kBytesEvery = 4;
  if (mutator.below(kBytesEvery) == 0) return LLVMFuzzerMutate(data, size, max_size);
  Json document = Json::parse(data, data + size, nullptr, false);
  if (document.is_discarded()) return LLVMFuzzerMutate(data, size, max_size);
  mutator.change(document);
  const std::string text = document.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::ranges::copy(text, data);
  return text.size();
}
