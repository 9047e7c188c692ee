// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../../../core/error.hpp"
#include "../../../datasets/stored/feature_file.hpp"
#include "../../../datasets/stored/sparse_features.hpp"
#include "../../../datasets/stored/stored_features.hpp"
#include "../bindings.hpp"
#include "arrays.hpp"

namespace mlp::python {

namespace {

using datasets::FeatureFile;
using datasets::SparseFeatures;
using datasets::StoredFeatures;

/// Rows of float64 that lie one after another   [instances x features]
using RowsInOrder =
    nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// Positions of instances   [size]
using Places =
    nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// Makes a file on a disk. How many instances follow is not known.
std::shared_ptr<FeatureFile> make_file(const std::string& folder,
                                       Index num_features) {
  return FeatureFile::make(folder, num_features,
                           datasets::StoredNumber::kFloat64, 0.0);
}

void append_rows(FeatureFile& file, const RowsInOrder& rows) {
  if (static_cast<Index>(rows.shape(1)) != file.num_features()) {
    throw ShapeError("rows must have " + std::to_string(file.num_features()) +
                     " features; got " + std::to_string(rows.shape(1)));
  }
  const nb::gil_scoped_release release;
  file.append(rows.data(), static_cast<Index>(rows.shape(0)));
}

/// \throws ShapeError for a place that there is not
std::vector<Index> check_places(const Places& places, Index num_instances) {
  std::vector<Index> instances(places.data(), places.data() + places.size());
  for (const Index instance : instances) {
    if (instance < 0 || instance >= num_instances) {
      throw ShapeError("places must be 0.." +
                       std::to_string(num_instances - 1) + "; got " +
                       std::to_string(instance));
    }
  }
  return instances;
}

/// Returns instances in an order, which are read fast: those of a file are copied to
/// another.
StoredFeatures select_rows(const StoredFeatures& stored, const Places& places) {
  std::vector<Index> instances = check_places(places, stored.num_instances());
  const nb::gil_scoped_release release;
  return stored.select(std::move(instances)).in_order();
}

template <typename Number>
using Numbers1d =
    nb::ndarray<const Number, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <typename Number>
std::vector<Number> copied(const Numbers1d<Number>& numbers) {
  return {numbers.data(), numbers.data() + numbers.size()};
}

/// Makes features of a sparse matrix in compressed rows.
StoredFeatures take_sparse(const Numbers1d<std::int64_t>& ends,
                           const Numbers1d<std::int32_t>& columns,
                           const Numbers1d<double>& numbers,
                           Index num_features) {
  const nb::gil_scoped_release release;
  return StoredFeatures(std::make_shared<const SparseFeatures>(
      datasets::SparseRows{copied(ends), copied(columns), copied(numbers)},
      num_features));
}

/// Copies instances to an array   [count x features]
nb::object read_rows(const StoredFeatures& stored, Index first, Index count) {
  if (first < 0 || count < 0 || first > stored.num_instances() - count) {
    throw ShapeError("there are " + std::to_string(stored.num_instances()) +
                     " instances; got " + std::to_string(first) + " and " +
                     std::to_string(count) + " more");
  }
  Matrix features(stored.num_features(), count);
  {
    const nb::gil_scoped_release release;
    stored.read(first, count, features.data());
  }
  return to_array(std::move(features));
}

}  // namespace

void bind_stored(nb::module_& module) {
  nb::class_<FeatureFile>(module, "FeatureFile",
                          "Features in a file without a name.")
      .def(nb::new_(&make_file), nb::arg("folder"), nb::arg("num_features"))
      .def("append", &append_rows, nb::arg("rows").noconvert())
      .def(
          "all",
          [](const std::shared_ptr<FeatureFile>& file) {
            return StoredFeatures(file);
          },
          "Returns the instances in the order in which they were written.")
      .def(
          "select",
          [](const std::shared_ptr<FeatureFile>& file, const Places& places) {
            return select_rows(StoredFeatures(file), places);
          },
          nb::arg("places").noconvert(), "Returns instances in another order.")
      .def_prop_ro("folder", &FeatureFile::folder)
      .def_prop_ro("num_instances", &FeatureFile::num_instances);
  nb::class_<StoredFeatures>(
      module, "StoredFeatures",
      "Instances whose features are read as a training needs them.")
      .def_static("of_sparse", &take_sparse, nb::arg("ends").noconvert(),
                  nb::arg("columns").noconvert(),
                  nb::arg("numbers").noconvert(), nb::arg("num_features"),
                  "Copies the numbers of a sparse matrix in compressed rows.")
      .def("__len__", &StoredFeatures::num_instances)
      .def("select", &select_rows, nb::arg("places").noconvert(),
           "Returns some of the instances in an order.")
      .def("read", &read_rows, nb::arg("first"), nb::arg("count"))
      .def_prop_ro("shape", [](const StoredFeatures& stored) {
        return nb::make_tuple(stored.num_instances(), stored.num_features());
      });
}

}  // namespace mlp::python
