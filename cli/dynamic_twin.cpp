// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "dynamic_twin.hpp"

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "../core/error.hpp"

namespace mlp::cli {

namespace {

constexpr const char* kThisProgram = "/proc/self/exe";

/// The folder of this program; empty where the system does not tell.
std::string own_folder() {
  std::array<char, PATH_MAX> path{};
  const ssize_t size = ::readlink(kThisProgram, path.data(), path.size());
  if (size <= 0) return "";
  const std::string text(path.data(), static_cast<std::size_t>(size));
  return text.substr(0, text.rfind('/'));
}

/// True for a program that is another one than this: becoming oneself would
/// never end.
bool is_other_program(const std::string& path) {
  struct stat self {};
  struct stat other {};
  if (::stat(kThisProgram, &self) != 0) return false;
  if (::stat(path.c_str(), &other) != 0 || !S_ISREG(other.st_mode)) {
    return false;
  }
  const bool is_self =
      self.st_dev == other.st_dev && self.st_ino == other.st_ino;
  return !is_self && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::string find_dynamic_twin() {
  const std::string folder = own_folder();
  for (const char* const place :
       {"/mlp-dynamic", "/../libexec/mlp/mlp-dynamic"}) {
    const std::string path = folder + place;
    if (!folder.empty() && is_other_program(path)) return path;
  }
  return "";
}

void become_dynamic_twin(std::vector<std::string> words) {
#ifndef MLP_HAS_OPENBLAS
  throw NotCompiled(
      "what is loaded while the program runs (the backend "
      "openblas, ranks over Gloo or MPI)",
      "MLP_BUILD_OPENBLAS");
#endif
  const std::string twin = find_dynamic_twin();
  if (twin.empty()) {
    throw ResourceError(
        "the backend openblas and ranks over Gloo or MPI need the program "
        "mlp-dynamic, which is neither beside this one nor in ../libexec/mlp; "
        "install it there, or choose another backend or transport");
  }
  words.insert(words.begin(), "mlp");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execv(twin.c_str(), arguments.data());
  throw ResourceError(
      twin, std::string("cannot be started: ") + std::strerror(errno));
}

}  // namespace mlp::cli
