#include "src/numerics/tensor_file.h"

#include "src/core/error.h"
#include "tests/catch.h"
#include "tests/cli/temporary_directory.h"

#include <cstring>
#include <random>
#include <sys/stat.h>

namespace fa3prof::tests {
namespace {

using numerics::load_npy;
using numerics::load_safetensors;
using numerics::load_tensor;

std::string bytes_of(const std::vector<float>& values) {
  std::string bytes(values.size() * sizeof(float), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// As numpy.save writes it, format 1.0.
std::string npy(const std::string& header, const std::string& data) {
  std::string padded = header;
  while ((10 + padded.size() + 1) % 64 != 0) padded += ' ';
  padded += '\n';
  const char length[] = {static_cast<char>(padded.size() & 0xFFU),
                         static_cast<char>(padded.size() >> 8U)};
  return std::string("\x93NUMPY\x01\x00", 8) + std::string(length, 2) + padded + data;
}

std::string npy_of(const std::string& shape, const std::string& data,
                   const std::string& descr = "<f4", const std::string& order = "False") {
  return npy("{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }",
             data);
}

std::string safetensors(const std::string& header, const std::string& data) {
  std::string length(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) {
    length[i] = static_cast<char>((header.size() >> (8 * i)) & 0xFFU);
  }
  return length + header + data;
}

TEST_CASE("a .npy file gives its shape and values, in each of its types", "[numerics]") {
  const TemporaryDirectory folder;
  const auto floats =
      load_npy(folder.write("a.npy", npy_of("(2, 3)", bytes_of({1, 2, 3, 4, 5, -6.5F}))));
  CHECK(floats.shape == std::vector<std::int64_t>{2, 3});
  CHECK(floats.values == std::vector<float>{1, 2, 3, 4, 5, -6.5F});
  const std::string halves("\x00\x3C\x00\xC0", 4);
  CHECK(load_npy(folder.write("b.npy", npy_of("(2,)", halves, "<f2"))).values ==
        std::vector<float>{1.0F, -2.0F});
  const std::string one("\x00\x00\x00\x00\x00\x00\xF0\x3F", 8);
  CHECK(load_npy(folder.write("c.npy", npy_of("(1,)", one, "<f8"))).values ==
        std::vector<float>{1.0F});
}

TEST_CASE("a safetensors file gives the named tensor", "[numerics]") {
  const TemporaryDirectory folder;
  const std::string bf16("\x80\x3F\x00\x40", 4);
  const std::string path =
      folder.write("t.safetensors",
                   safetensors(R"({"__metadata__": {"format": "pt"},)"
                               R"( "k": {"dtype": "F32", "shape": [1, 1], "data_offsets": [4, 8]},)"
                               R"( "q": {"dtype": "BF16", "shape": [2], "data_offsets": [0, 4]}})",
                               bf16 + bytes_of({7.0F})));
  CHECK(load_tensor(path, "q").values == std::vector<float>{1.0F, 2.0F});
  CHECK(load_tensor(path + ":k", "q").values == std::vector<float>{7.0F});
  CHECK(load_tensor(path + ":k", "q").shape == std::vector<std::int64_t>{1, 1});
  CHECK_THROWS_WITH(load_tensor(path, "v"), contains("no tensor 'v'") && contains("k, q"));
  CHECK_THROWS_AS(load_tensor(path + ":__metadata__", "q"), core::ConfigError);
}

TEST_CASE("what a .npy file claims is checked against what it holds", "[numerics]") {
  const TemporaryDirectory folder;
  const std::string data = bytes_of({1, 2});
  for (const std::string& text :
       {npy_of("(3,)", data), npy_of("(1,)", data), npy_of("(0,)", ""), npy_of("(-2,)", data),
        npy_of("(4294967296, 4294967296)", data), npy_of("(99999999999999999999,)", data),
        npy_of("(2,)", data, ">f4"), npy_of("(1,)", data, "<i8"),
        npy_of("(2,)", data, "<f4", "True"), npy_of("(2,)", data, "<f4", "Maybe"),
        npy_of("(2", data), npy("{'descr': '<f4', 'shape': (2,)}", data),
        npy("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", data),
        npy("[1]", data), std::string("\x93NUMPY\x01\x00\xFF\xFF{", 11),
        std::string("\x93NUMPY\x02\x00\xFF\xFF\xFF\xFF{", 13),
        std::string("\x93NUMPY\x09\x00\x01\x00{", 11), std::string("\x93NUM"), std::string()}) {
    CHECK_THROWS_AS(load_npy(folder.write("bad.npy", text)), core::ConfigError);
  }
  CHECK_THROWS_AS(load_npy(folder.path("absent.npy")), core::ConfigError);
  CHECK_THROWS_AS(load_npy(folder.path("")), core::ConfigError);
}

TEST_CASE("what a safetensors file claims is checked against what it holds", "[numerics]") {
  const TemporaryDirectory folder;
  const auto with = [](const std::string& tensor) {
    return safetensors(R"({"q": {)" + tensor + "}}", bytes_of({1, 2}));
  };
  for (const std::string& text :
       {with(R"("dtype": "F32", "shape": [3], "data_offsets": [0, 8])"),
        with(R"("dtype": "F32", "shape": [2], "data_offsets": [0, 9])"),
        with(R"("dtype": "F32", "shape": [2], "data_offsets": [8, 0])"),
        with(R"("dtype": "F32", "shape": [2], "data_offsets": [-1, 7])"),
        with(R"("dtype": "F32", "shape": [2], "data_offsets": [0])"),
        with(R"("dtype": "F32", "shape": [4294967296, 4294967296], "data_offsets": [0, 8])"),
        with(R"("dtype": "I64", "shape": [1], "data_offsets": [0, 8])"),
        with(R"("dtype": "F32", "data_offsets": [0, 8])"), safetensors("[]", ""),
        safetensors(R"({"q": 3})", ""), safetensors("{", ""),
        std::string("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F{}", 10),
        std::string("\x20\0\0\0\0\0\0\0{}", 10), std::string("abc")}) {
    CHECK_THROWS_AS(load_safetensors(folder.write("bad.safetensors", text), "q"), core::Error);
  }
}

TEST_CASE("a tensor is read from nothing but a regular file, without waiting", "[numerics]") {
  const TemporaryDirectory folder;
  const std::string pipe = folder.path("pipe.npy");
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  for (const std::string& path : {pipe, folder.path("."), folder.path("missing.npy")}) {
    CHECK_THROWS_WITH(load_npy(path), contains("give a regular file"));
  }
}

TEST_CASE("no damage to a tensor file does more than an error", "[numerics]") {
  const TemporaryDirectory folder;
  const std::string data = bytes_of({1, 2, 3, 4});
  const std::string npy_text = npy_of("(2, 2)", data);
  const std::string safetensors_text =
      safetensors(R"({"q": {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]}})", data);
  std::mt19937 random(1);
  int refused = 0;
  for (int i = 0; i < 150; ++i) {
    const bool is_npy = i % 2 == 0;
    std::string text = is_npy ? npy_text : safetensors_text;
    text[random() % text.size()] = static_cast<char>(random());
    if (i % 3 == 0) text.resize(random() % text.size());
    const std::string path = folder.write(is_npy ? "f.npy" : "f.safetensors", text);
    try {
      const numerics::FileTensor tensor = load_tensor(path, "q");
      CHECK(tensor.values.size() <= 8);
    } catch (const core::Error&) {
      ++refused;
    }
  }
  CHECK(refused > 40);
}

numerics::FileTensor tensor(const std::vector<std::int64_t>& shape) {
  std::int64_t size = 1;
  for (const std::int64_t dimension : shape) size *= dimension;
  numerics::FileTensor result{.source = "t", .shape = shape, .values = {}};
  for (std::int64_t i = 0; i < size; ++i) result.values.push_back(static_cast<float>(i));
  return result;
}

TEST_CASE("two to four dimensions make a problem, in either layout", "[numerics]") {
  using numerics::TensorLayout;
  const auto plain =
      inputs_of(tensor({5, 8}), tensor({7, 8}), tensor({7, 8}), TensorLayout::kSeqlenHeads);
  CHECK(plain.problem == core::AttentionProblem{.seqlen_q = 5, .seqlen_kv = 7, .head_dim = 8});
  const auto grouped = inputs_of(tensor({2, 4, 5, 8}), tensor({2, 1, 7, 8}), tensor({2, 1, 7, 8}),
                                 TensorLayout::kHeadsSeqlen);
  CHECK(grouped.problem == core::AttentionProblem{.batch = 2,
                                                  .num_heads = 4,
                                                  .num_heads_kv = 1,
                                                  .seqlen_q = 5,
                                                  .seqlen_kv = 7,
                                                  .head_dim = 8});
  // Head 1, position 0 of the file is the second head of the first position here.
  CHECK(grouped.q[8] == 40.0F);
  const auto three = inputs_of(tensor({5, 4, 8}), tensor({7, 2, 8}), tensor({7, 2, 8}),
                               TensorLayout::kSeqlenHeads);
  CHECK(three.problem.num_heads_kv == 2);
}

TEST_CASE("tensors that fit no attention are refused", "[numerics]") {
  using numerics::TensorLayout;
  const auto refuse = [](const auto& q, const auto& k, const auto& v) {
    CHECK_THROWS_AS(inputs_of(tensor(q), tensor(k), tensor(v), TensorLayout::kSeqlenHeads),
                    core::UsageError);
  };
  using Shape = std::vector<std::int64_t>;
  refuse(Shape{5, 8}, Shape{7, 4}, Shape{7, 4});
  refuse(Shape{5, 8}, Shape{7, 8}, Shape{6, 8});
  refuse(Shape{5, 3, 8}, Shape{7, 2, 8}, Shape{7, 2, 8});
  refuse(Shape{8}, Shape{8}, Shape{8});
  CHECK_THROWS_WITH(load_tensor("q.bin", "q"), contains("q.bin") && contains("FILE.npy"));
}

}  // namespace
}  // namespace fa3prof::tests
