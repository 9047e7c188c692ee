// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi_allreduce.hpp"

#include <dlfcn.h>

#include <array>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/number_text.hpp"
#include "mpi_plugin.hpp"

namespace mlp::distributed {

namespace {

/// Where a plugin writes a sentence.
class Sentence {
 public:
  MpiText out() { return {text_.data(), text_.size()}; }
  [[nodiscard]] std::string text() const { return text_.data(); }

 private:
  std::array<char, 4096> text_{};
};

/// Returns the plugin's absolute path, as dlopen looks for bare names elsewhere.
std::string find_plugin(const std::string& given) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  std::vector<fs::path> places{fs::absolute(given, ignored)};
  if (given.empty()) {
    const fs::path folder =
        fs::read_symlink("/proc/self/exe", ignored).parent_path();
    places = {folder / "libmlp_mpi.so",
              folder.parent_path() / "libexec/mlp/libmlp_mpi.so"};
  }
  std::string missing;
  for (const fs::path& place : places) {
    if (fs::exists(place, ignored)) return place.string();
    missing += (missing.empty() ? "" : " nor ") + place.string();
  }
  throw NotCompiled("MPI, for there is no " + missing + ",", "MLP_WITH_MPI");
}

/// Loads the plugin, which stays loaded, as MPI does not survive less.
///
/// RTLD_GLOBAL, because MPI loads parts of its own that look for its symbols
/// there. Open MPI before 3.0 does not start without it (open-mpi/ompi#3705);
/// Debian 12's 4.1.4 still has 25 parts that name no library, pml_ob1 and
/// btl_tcp among them, and they find theirs by the order of loading alone.
const MpiPlugin& load(const std::string& given) {
  const std::string file = find_plugin(given);
  void* handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (handle == nullptr) {
    const char* reason = ::dlerror();
    throw ResourceError(
        std::string("MPI cannot be loaded: ")
            .append(reason ? reason : file)
            .append("; install the MPI library that the plugin was built with, "
                    "or build the plugin with the one installed here"));
  }
  const auto get =
      reinterpret_cast<GetMpiPlugin>(::dlsym(handle, kMpiPluginSymbol));
  if (get == nullptr) {
    ::dlclose(handle);
    throw ResourceError(file, std::string("must be a plugin of mlp; it lacks ")
                                  .append(kMpiPluginSymbol)
                                  .append("; name libmlp_mpi.so"));
  }
  const MpiPlugin& plugin = *get();
  if (plugin.version != kMpiPluginVersion) {
    const std::string version = std::to_string(plugin.version);
    ::dlclose(handle);
    throw ResourceError(file, "must have version " +
                                  std::to_string(kMpiPluginVersion) +
                                  " of the plugin's interface; it has " +
                                  version + "; build it with this program");
  }
  return plugin;
}

class MpiAllreduce final : public Allreduce {
 public:
  MpiAllreduce(const MpiPlugin& plugin, const MpiOptions& options)
      : plugin_(plugin), on_lost_(options.on_lost) {
    const MpiHost host{options.deadline_seconds, this, tell};
    Sentence error;
    if (plugin_.open(&host, &group_, error.out()) != 0) {
      throw CommunicationError(error.text());
    }
  }

  MpiAllreduce(const MpiAllreduce&) = delete;
  MpiAllreduce& operator=(const MpiAllreduce&) = delete;

  ~MpiAllreduce() override { plugin_.close(group_); }

  [[nodiscard]] int rank() const override { return plugin_.rank(group_); }

  [[nodiscard]] int world_size() const override {
    return plugin_.world_size(group_);
  }

  void sum(std::span<double> numbers) override {
    add(MpiNumber::kDouble, numbers);
  }
  void sum(std::span<float> numbers) override {
    add(MpiNumber::kFloat, numbers);
  }
  void sum(std::span<Float16> numbers) override {
    add(MpiNumber::kFloat16, numbers);
  }
  void sum(std::span<Bfloat16> numbers) override {
    add(MpiNumber::kBfloat16, numbers);
  }

  [[nodiscard]] std::vector<std::string> all_gather(
      const std::string& text) override {
    const MpiPiece* pieces = nullptr;
    Sentence error;
    if (plugin_.all_gather(group_, text.data(), text.size(), &pieces,
                           error.out()) != 0) {
      throw CommunicationError(error.text());
    }
    std::vector<std::string> texts;
    for (int r = 0; r < world_size(); ++r) {
      texts.emplace_back(pieces[r].text, pieces[r].size);
    }
    return texts;
  }

  void cancel(const std::string& sentence) noexcept override {
    plugin_.cancel(group_, sentence.c_str());
  }

 private:
  /// Passes a sentence on; what the callback throws must not reach the plugin.
  static void tell(void* self, const char* sentence) {
    const auto& on_lost = static_cast<MpiAllreduce*>(self)->on_lost_;
    try {
      if (on_lost) on_lost(sentence);
    } catch (...) {
    }
  }

  template <typename Number>
  void add(MpiNumber kind, std::span<Number> numbers) {
    plugin_.sum(group_, kind, numbers.data(), numbers.size());
  }

  const MpiPlugin& plugin_;
  std::function<void(const std::string&)> on_lost_;
  MpiGroup* group_ = nullptr;
};

}  // namespace

std::unique_ptr<Allreduce> make_mpi_allreduce(const MpiOptions& options) {
  if (!(options.deadline_seconds > 0)) {
    throw ParamError("the deadline must be above 0 s; got " +
                     format_double(options.deadline_seconds) +
                     " s; give the longest time that ranks may differ by");
  }
  return std::make_unique<MpiAllreduce>(load(options.plugin_file), options);
}

MpiProbe probe_mpi(const std::string& plugin_file) {
  try {
    Sentence version;
    load(plugin_file).describe(version.out());
    return {"", version.text()};
  } catch (const Error& error) {
    return {error.what(), ""};
  }
}

}  // namespace mlp::distributed
