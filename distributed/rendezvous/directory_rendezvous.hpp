// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "meeting_files.hpp"
#include "meeting_folder.hpp"
#include "rendezvous.hpp"

namespace mlp::distributed {

/// A rendezvous through a folder that all processes can reach.
///
/// The folder must exist, so that a name with a mistake is an error and not a
/// long wait. Rank 0 makes a sub-folder in it that only its user can access; the
/// other ranks wait for it. All files are there: see MeetingFolder.
///
/// Each rank writes a unique name into `rank-R.hello`. Rank 0 writes a unique
/// word for this group and the names of all ranks into `group`. A rank takes
/// part once it reads its own name there, and uses that word in the names of
/// all later files. Files of an earlier group, even one that crashed in the
/// same folder, have other names and are ignored; rank 0 removes them. If a
/// hello changes while the group is forming, because a process was restarted,
/// rank 0 begins another group. The last rank to leave removes the sub-folder.
///
/// Two groups need two folders while they form. On a network file system a
/// file may take some seconds to be seen elsewhere.
class DirectoryRendezvous final : public Rendezvous {
 public:
  /// \param path  of the folder, which must exist
  /// \param timeout_seconds  > 0: the longest wait for the other ranks in each
  ///                         call of all_gather()
  /// \throws ParamError for an invalid rank, size or timeout
  DirectoryRendezvous(std::string path, int rank, int world_size,
                      double timeout_seconds)
      : path_(std::move(path)),
        rank_(rank),
        world_size_(world_size),
        timeout_seconds_(timeout_seconds),
        folder_(path_),
        name_(fresh_name()),
        start_(Clock::now()) {
    check_place(rank, world_size, timeout_seconds);
  }

  DirectoryRendezvous(const DirectoryRendezvous&) = delete;
  DirectoryRendezvous& operator=(const DirectoryRendezvous&) = delete;

  /// Removes this rank's files; rank 0 first gives the others a second to read
  /// the last of them. Remaining files do not disturb later groups.
  ~DirectoryRendezvous() override {
    try {
      leave();
    } catch (const std::exception&) {
      // A file that cannot be removed does no harm.
    }
  }

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int world_size() const override { return world_size_; }

  /// \throws CommunicationError naming the missing ranks, the seconds and the
  ///         folder, or that two processes have this rank
  /// \throws ParamError if the folder does not exist
  /// \throws ResourceError if the folder cannot be read or written, or others
  ///         can access the sub-folder
  [[nodiscard]] std::vector<std::string> all_gather(
      const std::string& text) override {
    if (world_size_ == 1) return {text};
    start_ = Clock::now();
    std::vector<std::string> texts;
    for (Pause pause; !try_gather(text, texts); pause.take()) {
      if (folder_.is_open()) check_rank_is_ours();
      if (Clock::now() - start_ >
          std::chrono::duration<double>(timeout_seconds_)) {
        throw_missing();
      }
    }
    write(file_of_call("read", rank_), "");
    // All have written this call's text, so all have read the one before.
    if (num_calls_ > 0) folder_.remove(own_text_);
    own_text_ = file_of_call("text", rank_);
    ++num_calls_;
    return texts;
  }

 private:
  using Clock = std::chrono::steady_clock;

  static constexpr const char* kGroup = "group";

  /// Sleeps longer each time, up to 20 ms.
  class Pause {
   public:
    void take() {
      std::this_thread::sleep_for(length_);
      length_ = std::min(2 * length_, std::chrono::milliseconds(20));
    }

   private:
    std::chrono::milliseconds length_{1};
  };

  static std::string hello_of(int rank) {
    return "rank-" + std::to_string(rank) + ".hello";
  }
  static std::string clash_of(int rank) {
    return "rank-" + std::to_string(rank) + ".clash";
  }
  [[nodiscard]] std::string start_of_calls() const { return group_ + ".call-"; }
  [[nodiscard]] std::string file_of_call(const std::string& kind,
                                         int rank) const {
    return start_of_calls() + std::to_string(num_calls_) + ".rank-" +
           std::to_string(rank) + '.' + kind;
  }

  /// Writes a file. If the folder was removed, the wait ends at its time.
  void write(const std::string& name, const std::string& text) const {
    static_cast<void>(folder_.write(name, text));
  }

  /// True if a file contains just this text.
  [[nodiscard]] bool contains(const std::string& name,
                              const std::string& text) const {
    return folder_.read(name) == text;
  }

  /// Opens the sub-folder and writes this rank's hello; again if an earlier
  /// group has removed the sub-folder when it left.
  ///
  /// \return false if rank 0 has not made it yet
  bool say_hello() {
    if (folder_.open(rank_ == 0)) {
      group_.clear();
      names_.clear();
      written_call_.clear();
      write(hello_of(rank_), name_);
    }
    return folder_.is_open();
  }

  /// \return true if the texts of all ranks are there
  bool try_gather(const std::string& text, std::vector<std::string>& texts) {
    if (num_calls_ == 0 &&
        (!say_hello() || !(rank_ == 0 ? form_group() : join_group()))) {
      return false;
    }
    if (written_call_ != file_of_call("text", rank_)) {
      written_call_ = file_of_call("text", rank_);
      write(written_call_, text);
    }
    texts.assign(static_cast<std::size_t>(world_size_), "");
    for (int r = 0; r < world_size_; ++r) {
      const auto found = folder_.read(file_of_call("text", r));
      if (!found) return false;
      texts[static_cast<std::size_t>(r)] = *found;
    }
    return true;
  }

  /// Rank 0 writes the group as soon as the hellos of all ranks are there, and
  /// again if one of them changes.
  bool form_group() {
    std::vector<std::string> names;
    for (int r = 0; r < world_size_; ++r) {
      const std::optional<std::string> name = folder_.read(hello_of(r));
      // A rank that has all the texts removes its hello.
      if (!name || !is_fresh_name(*name)) return !group_.empty();
      names.push_back(*name);
    }
    if (names == names_) return true;
    names_ = names;
    group_ = fresh_name();
    remove_messages(false);
    write(kGroup, format_group({group_, names}));
    return true;
  }

  bool join_group() {
    const std::optional<std::string> text = folder_.read(kGroup);
    if (!text) return false;
    const std::optional<AnnouncedGroup> group = parse_group(*text, world_size_);
    if (!group || group->names[static_cast<std::size_t>(rank_)] != name_) {
      return false;
    }
    group_ = group->word;
    return true;
  }

  /// Checks that no other process has the same rank. The first of two finds its
  /// hello overwritten, and writes a file that tells the second.
  void check_rank_is_ours() const {
    const std::optional<std::string> name = folder_.read(hello_of(rank_));
    const bool is_overwritten = name && *name != name_;
    if (is_overwritten) write(clash_of(rank_), *name);
    if (is_overwritten || contains(clash_of(rank_), name_)) {
      throw CommunicationError(
          rank_, "each rank must be one process; two processes joined " +
                     path_ +
                     " with this rank; give each process its own rank, and "
                     "each group its own folder");
    }
  }

  [[noreturn]] void throw_missing() const {
    std::vector<int> missing;
    for (int r = 0; r < world_size_ && folder_.is_open(); ++r) {
      const std::string sign =
          group_.empty() ? hello_of(r) : file_of_call("text", r);
      if (!folder_.has(sign)) missing.push_back(r);
    }
    // Rank 0 makes the sub-folder. Hellos of processes that have ended may hide
    // which rank is missing; rank 0 has not seen all.
    if (missing.empty()) missing.push_back(0);
    const std::string sentence =
        std::string("nothing received from ")
            .append(list_ranks(missing) + " of " + std::to_string(world_size_) +
                    " within ")
            .append(seconds_text(timeout_seconds_) + " s in " + path_)
            .append(
                "; check that all ranks were started with this folder and this "
                "world size");
    if (missing.size() > 1) throw CommunicationError(sentence);
    throw CommunicationError(missing.front(), sentence);
  }

  /// Removes the texts of this group, or of all others.
  void remove_messages(bool of_this_group) const {
    for (const std::string& name : folder_.names()) {
      const bool is_message =
          (name.ends_with(".text") || name.ends_with(".read")) &&
          name.find(".call-") != std::string::npos;
      if (is_message && name.starts_with(start_of_calls()) == of_this_group) {
        folder_.remove(name);
      }
    }
  }

  void remove_own_group() const {
    const auto text = folder_.read(kGroup);
    if (text && text->starts_with(group_)) folder_.remove(kGroup);
    remove_messages(true);
    folder_.remove_temporaries();
  }

  void leave() {
    if (!folder_.is_open()) return;
    for (const std::string& name : {hello_of(rank_), clash_of(rank_)}) {
      if (contains(name, name_)) folder_.remove(name);
    }
    if (rank_ == 0 && num_calls_ > 0) {
      --num_calls_;  // the last one that was complete
      wait_for_readers();
    }
    if (rank_ == 0 && !group_.empty()) remove_own_group();
    folder_.remove_folder();
  }

  /// Waits until all ranks have read the last texts: rank 0 may be connected before
  /// others have. After an exception, it waits for a second at most.
  void wait_for_readers() const {
    constexpr double kAfterException = 1.0;
    const double seconds = std::uncaught_exceptions() > 0
                               ? std::min(kAfterException, timeout_seconds_)
                               : timeout_seconds_;
    const Clock::time_point end =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(
                           std::chrono::duration<double>(seconds));
    for (Pause pause; !is_read_by_all(); pause.take()) {
      if (Clock::now() > end) return;
    }
  }

  [[nodiscard]] bool is_read_by_all() const {
    for (int r = 0; r < world_size_; ++r) {
      if (!folder_.has(file_of_call("read", r))) return false;
    }
    return true;
  }

  std::string path_;
  int rank_;
  int world_size_;
  double timeout_seconds_;
  MeetingFolder folder_;
  std::string name_;                ///< of this process
  std::vector<std::string> names_;  ///< of all ranks, as rank 0 has read them
  std::string group_;  ///< the word of the group; empty until it is known
  std::string own_text_;
  std::string written_call_;
  Clock::time_point start_;
  std::size_t num_calls_ = 0;
};

}  // namespace mlp::distributed
