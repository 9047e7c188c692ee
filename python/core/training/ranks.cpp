// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "ranks.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "../../../core/byte_stream.hpp"
#include "../../../core/error.hpp"
#include "../../../distributed/gloo/gloo_allreduce.hpp"
#include "../bindings.hpp"

namespace mlp::python {

namespace {

namespace nb = nanobind;

/// Numbers that are summed in place.
using Sums = nb::ndarray<double, nb::c_contig, nb::device::cpu>;

/// A rendezvous that is a function of Python.
class PythonRendezvous final : public distributed::Rendezvous {
 public:
  explicit PythonRendezvous(const RankOptions& options) : options_(options) {}

  [[nodiscard]] int rank() const override { return options_.rank; }
  [[nodiscard]] int world_size() const override { return options_.size; }

  [[nodiscard]] std::vector<std::string> all_gather(
      const std::string& text) override {
    const nb::gil_scoped_acquire acquire;
    const nb::object answer =
        options_.exchange(nb::bytes(text.data(), text.size()));
    std::vector<std::string> texts;
    for (const nb::handle item : answer) {
      const auto bytes = nb::cast<nb::bytes>(item);
      texts.emplace_back(bytes.c_str(), bytes.size());
    }
    if (texts.size() == static_cast<std::size_t>(options_.size)) return texts;
    throw CommunicationError("the exchange must return the bytes of " +
                             std::to_string(options_.size) + " ranks; got " +
                             std::to_string(texts.size()));
  }

 private:
  const RankOptions& options_;
};

std::unique_ptr<distributed::Allreduce> connect(const RankOptions& options) {
  distributed::check_place(options.rank, options.size, options.timeout);
  distributed::GlooOptions gloo;
  gloo.deadline_seconds = options.timeout;
  gloo.connect_seconds =
      std::min(distributed::meeting_seconds(options.size), options.timeout);
  gloo.address = options.address;
  gloo.secret = options.secret;
  gloo.plugin_file = options.plugin_file;
  PythonRendezvous rendezvous(options);
  const nb::gil_scoped_release release;
  return distributed::make_gloo_allreduce(rendezvous, gloo);
}

void sum(const Ranks& ranks, const Sums& numbers) {
  const auto group = ranks.group();
  const nb::gil_scoped_release release;
  group->sum(std::span<double>(numbers.data(), numbers.size()));
}

/// Returns the bytes of all ranks, in the order of the ranks.
std::vector<nb::bytes> all_gather(const Ranks& ranks, const nb::bytes& own) {
  const auto group = ranks.group();
  const std::string text(own.c_str(), own.size());
  std::vector<std::string> texts;
  {
    const nb::gil_scoped_release release;
    texts = group->all_gather(text);
  }
  std::vector<nb::bytes> all;
  for (const std::string& each : texts) {
    all.emplace_back(each.data(), each.size());
  }
  return all;
}

void bind_options(nb::module_& module) {
  nb::class_<RankOptions>(module, "RankOptions")
      .def(nb::init<>())
      .def_rw("rank", &RankOptions::rank)
      .def_rw("size", &RankOptions::size)
      .def_rw("exchange", &RankOptions::exchange)
      .def_rw("address", &RankOptions::address)
      .def_prop_rw(
          "secret",
          [](const RankOptions& options) {
            return nb::bytes(options.secret.data(), options.secret.size());
          },
          [](RankOptions& options, const nb::bytes& secret) {
            options.secret.assign(secret.c_str(), secret.size());
          })
      .def_rw("plugin_file", &RankOptions::plugin_file)
      .def_rw("timeout", &RankOptions::timeout);
}

}  // namespace

Ranks::Ranks(RankOptions options)
    : rank_(options.rank), size_(options.size), group_(connect(options)) {}

std::shared_ptr<distributed::Allreduce> Ranks::group() const {
  if (group_) return group_;
  throw CommunicationError("rank " + std::to_string(rank_) +
                           " has closed its group; connect again");
}

std::vector<Index> gather_partition_sizes(const std::vector<Index>& own,
                                          Index num_instances,
                                          distributed::Allreduce& group) {
  std::vector<Index> sizes = own;
  if (sizes.empty() && num_instances > 0) sizes = {num_instances};
  ByteWriter writer;
  writer.write(static_cast<std::int64_t>(sizes.size()));
  for (const Index size : sizes) writer.write(std::int64_t{size});
  std::vector<Index> all;
  for (const std::string& bytes : group.all_gather(writer.bytes())) {
    ByteReader reader(bytes, "the partitions of a rank");
    for (auto left = reader.read<std::int64_t>(); left > 0; --left) {
      all.push_back(static_cast<Index>(reader.read<std::int64_t>()));
    }
  }
  return all;
}

void bind_ranks(nb::module_& module) {
  bind_options(module);
  nb::class_<Ranks>(module, "Ranks", "A rank of a group of processes.")
      .def(nb::init<RankOptions>(), nb::arg("options"))
      .def_prop_ro("rank", &Ranks::rank)
      .def_prop_ro("size", &Ranks::size)
      .def("allreduce", &sum, nb::arg("numbers").noconvert(),
           "Adds each number over all ranks, in place.")
      .def("all_gather", &all_gather, nb::arg("own"),
           "Returns the bytes of all ranks, in the order of the ranks.")
      .def(
          "leave",
          [](const Ranks& ranks, const std::string& reason) {
            ranks.group()->cancel(reason);
          },
          nb::arg("reason"),
          "Ends the group: the calls of all ranks raise an error with the "
          "reason.")
      .def("close", &Ranks::close, "Leaves the group.");
}

}  // namespace mlp::python
