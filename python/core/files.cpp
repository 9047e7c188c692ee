// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "files.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "../../core/error.hpp"
#include "../../core/files/atomic_file.hpp"
#include "../../core/files/folder_replacement.hpp"
#include "../../core/files/output_files.hpp"
#include "bindings.hpp"

namespace mlp::python {

namespace {

namespace nb = nanobind;

/// A file or a folder with the name that messages have for it.
using NamedPath = std::pair<std::string, std::filesystem::path>;

/// Returns a path that OutputFiles does not take for a standard stream.
std::string file_path(const std::string& path) {
  return path == "-" ? "./-" : path;
}

OutputKind kind_of(bool is_folder) {
  return is_folder ? OutputKind::kFolder : OutputKind::kAny;
}

void check_outputs(const NamedPath& input, const NamedPath& output,
                   bool is_folder) {
  const nb::gil_scoped_release release;
  OutputFiles files;
  files.add_input(input.first, file_path(input.second.string()));
  files.add_output(output.first, file_path(output.second.string()),
                   kind_of(is_folder));
  files.check_distinct();
  files.check_writable();
}

void check_writable(const std::string& path, bool is_folder) {
  OutputFiles files;
  files.add_output("path", file_path(path), kind_of(is_folder));
  files.check_writable();
}

void write_file(const std::filesystem::path& file, const nb::bytes& content) {
  const std::string path = file.string();
  const std::string_view bytes(content.c_str(), content.size());
  const nb::gil_scoped_release release;
  check_writable(path, /*is_folder=*/false);
  write_atomically<ResourceError>(path, bytes);
}

/// A folder that replaces another one when it is complete.
class NewFolder {
 public:
  NewFolder(const std::filesystem::path& folder, bool may_exist,
            const std::string& marker) {
    const std::string path = folder.string();
    const nb::gil_scoped_release release;
    check_writable(path, /*is_folder=*/true);
    replacement_.emplace(path, ReplacedFolder{may_exist, marker});
  }

  void write(const std::string& file, const nb::bytes& content) {
    const std::string_view bytes(content.c_str(), content.size());
    const nb::gil_scoped_release release;
    replacement_.value().write(file, bytes);
  }

  void take_place() {
    const nb::gil_scoped_release release;
    replacement_.value().take_place();
  }

  /// Deletes the temporary folder. Nothing can be written after it.
  void close() {
    const nb::gil_scoped_release release;
    replacement_.reset();
  }

 private:
  std::optional<FolderReplacement<ModelError>> replacement_;
};

}  // namespace

void check_writable_file(const std::string& path) {
  check_writable(path, /*is_folder=*/false);
}

void bind_files(nb::module_& module) {
  module.def("check_outputs", &check_outputs, nb::arg("input"),
             nb::arg("output"), nb::arg("is_folder"),
             "Refuses an output that is the input or cannot be written.");
  module.def("write_file", &write_file, nb::arg("path"), nb::arg("content"),
             "Replaces a file as a whole, or writes to a device or a pipe.");
  nb::class_<NewFolder>(module, "NewFolder")
      .def(nb::init<const std::filesystem::path&, bool, const std::string&>(),
           nb::arg("path"), nb::arg("may_exist"), nb::arg("marker"))
      .def("write", &NewFolder::write, nb::arg("file"), nb::arg("content"))
      .def("take_place", &NewFolder::take_place)
      .def("close", &NewFolder::close);
}

}  // namespace mlp::python
