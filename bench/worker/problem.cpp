// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "problem.hpp"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>
#include <system_error>

#include "../../core/error.hpp"
#include "../../datasets/label_index.hpp"
#include "../../datasets/load/load.hpp"
#include "../../mlp/instances/block_weights.hpp"
#include "../../mlp/network/initial_weights.hpp"

namespace mlp::bench {
namespace {

constexpr Index kBlockSize = 128;
constexpr std::int64_t kSeed = 1;

/// A 64-bit generator of two lines: the standard library's distributions differ
/// between implementations.
///
/// \source Steele, Lea and Flood 2014, SplitMix
class Stream {
 public:
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  /// Uniform in [0, 1).
  double next_double() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_ = 42;
};

/// Writes an array as numpy.save() does: a magic, the header's size, a header
/// that ends at a multiple of 64 bytes, the numbers.
///
/// \param shape  as Python writes a tuple
template <typename T>
void write_npy(const std::string& path, const char* type,
               const std::string& shape, std::span<const T> values) {
  std::string header = "{'descr': '" + std::string(type) +
                       "', 'fortran_order': False, 'shape': " + shape + ", }";
  constexpr std::size_t kBefore = 10;
  header.append(63 - (kBefore + header.size()) % 64, ' ').append("\n");
  std::ofstream file(path, std::ios::binary);
  file.write("\x93NUMPY\x01\x00", 8);
  file.put(static_cast<char>(header.size() % 256));
  file.put(static_cast<char>(header.size() / 256));
  file << header;
  file.write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(values.size_bytes()));
  if (!file) throw DataError(path, "could not be written");
}

std::span<const double> numbers(const double* data, Index size) {
  return {data, static_cast<std::size_t>(size)};
}

std::string vector_shape(Index size) {
  std::ostringstream text;
  text << '(' << size << ",)";
  return text.str();
}

std::string matrix_shape(Index rows, Index columns) {
  std::ostringstream text;
  text << '(' << rows << ", " << columns << ')';
  return text.str();
}

std::string stored_file(const char* name) {
  return (std::filesystem::path(MLP_DATA_DIR) / name).string();
}

datasets::Dataset iris() {
  datasets::Dataset data = datasets::load(stored_file("iris.csv")).dataset;
  data.labels = datasets::LabelIndex::fit(data.label_texts).apply(data);
  return data;
}

datasets::Dataset mnist() {
  datasets::LoadOptions options;
  options.labels_file = stored_file("t10k-labels-idx1-ubyte.gz");
  options.scale = 255.0;
  datasets::Dataset data =
      datasets::load(stored_file("t10k-images-idx3-ubyte.gz"), options).dataset;
  data.partition_sizes = {5000, 5000};
  return data;
}

std::vector<std::int32_t> to_classes(const Vector& labels) {
  std::vector<std::int32_t> classes;
  for (const double label : labels) {
    classes.push_back(static_cast<std::int32_t>(label));
  }
  return classes;
}

}  // namespace

InstanceRange Problem::instances() const {
  InstanceRange range;
  range.size = features.cols();
  range.features = features.data();
  range.weights = instance_weights.data();
  range.labels = labels.data();
  return range;
}

datasets::Dataset Problem::dataset() const {
  datasets::Dataset data;
  data.features = features;
  data.labels.resize(features.cols());
  for (Index i = 0; i < features.cols(); ++i) {
    data.labels[i] = labels[static_cast<std::size_t>(i)];
  }
  return data;
}

Problem random_problem(const std::vector<Index>& layers, Index num_instances) {
  Problem problem{Topology(layers),
                  Matrix(layers.front(), num_instances),
                  {},
                  block_weights({num_instances}, kBlockSize),
                  Vector()};
  Stream stream;
  for (Index i = 0; i < problem.features.size(); ++i) {
    problem.features.data()[i] = stream.next_double();
  }
  const auto num_classes = static_cast<std::uint64_t>(layers.back());
  for (Index i = 0; i < num_instances; ++i) {
    problem.labels.push_back(
        static_cast<std::int32_t>(stream.next() % num_classes));
  }
  problem.weights = draw_initial_weights(problem.topology, kSeed);
  return problem;
}

datasets::Dataset stored_dataset(const std::string& name) {
  if (name == "iris") return iris();
  if (name == "mnist") return mnist();
  throw ParamError("stored data must be iris or mnist; got " + name);
}

Problem stored_problem(const std::string& name) {
  datasets::Dataset data = stored_dataset(name);
  const std::vector<Index> layers = name == "iris"
                                        ? std::vector<Index>{4, 5, 4, 3}
                                        : std::vector<Index>{784, 100, 10};
  const std::vector<Index> partitions =
      data.partition_sizes.empty() ? std::vector<Index>{data.num_instances()}
                                   : data.partition_sizes;
  Problem problem{Topology(layers), std::move(data.features),
                  to_classes(data.labels),
                  block_weights(partitions, kBlockSize), Vector()};
  problem.weights = draw_initial_weights(problem.topology, kSeed);
  return problem;
}

std::vector<Index> parse_layers(const std::string& text) {
  std::vector<Index> layers;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    Index size = 0;
    const char* end = word.data() + word.size();
    const auto result = std::from_chars(word.data(), end, size);
    if (result.ec != std::errc() || result.ptr != end) {
      throw ParamError("layers must be integers such as 784,100,10; got " +
                       text);
    }
    layers.push_back(size);
  }
  Topology::check_sizes(layers);
  return layers;
}

Precision parse_precision(const std::string& word) {
  if (word == "f64") return Precision::kFloat64;
  if (word == "f32") return Precision::kFloat32;
  throw ParamError("PRECISION must be f64 or f32; got " + word);
}

void write_problem(const Problem& problem, const std::string& folder) {
  const Index num_instances = problem.features.cols();
  write_npy(folder + "/features.npy", "<f8",
            matrix_shape(num_instances, problem.features.rows()),
            numbers(problem.features.data(), problem.features.size()));
  write_npy(folder + "/labels.npy", "<i4", vector_shape(num_instances),
            std::span<const std::int32_t>(problem.labels));
  write_npy(folder + "/instance_weights.npy", "<f8",
            vector_shape(num_instances),
            numbers(problem.instance_weights.data(), num_instances));
  write_npy(folder + "/weights.npy", "<f8",
            vector_shape(problem.weights.size()),
            numbers(problem.weights.data(), problem.weights.size()));
}

void write_problem(const Arguments& arguments) {
  const std::string layers = word_argument(arguments, 0, "LAYERS");
  const long num_instances = count_argument(arguments, 1, "INSTANCES");
  write_problem(random_problem(parse_layers(layers), num_instances),
                word_argument(arguments, 2, "FOLDER"));
}

}  // namespace mlp::bench
