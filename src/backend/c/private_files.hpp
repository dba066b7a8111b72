// SPDX-License-Identifier: MIT
// Files and folders that nobody but this user can have written: what we load from there becomes code of this process.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cyclotron::backend::c {

// The bytes of a plain file that belongs to us and that no other user may write; nothing otherwise.
std::optional<std::string> read_private_file(const std::string& path);

// Writes a new file that only we may read or write. Returns why that failed, "" where it did not.
std::string write_private_file(const std::string& path, std::string_view bytes);

// True for a real folder (no link) that belongs to us and that no other user may write.
bool is_private_folder(const std::string& path);

// Makes the folder, and those above it, for us alone. Returns why it cannot be used, "" where it can.
std::string prepare_private_folder(const std::string& path);

// A fresh folder inside another for half-made things, removed with all that is in it.
class WorkFolder {
public:
  static constexpr std::string_view prefix = "work-";

  explicit WorkFolder(const std::string& parent);
  ~WorkFolder();
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;

  const std::string& path() const { return path_; }       // "" where it could not be made
  const std::string& problem() const { return problem_; } // why not

private:
  std::string path_;
  std::string problem_;
};

// $TMPDIR, or /tmp.
std::string temporary_folder();

// A private folder in the temporary folder that lives as long as this process; "" where there can be none.
// Removes what killed processes have left of the kind.
std::string folder_of_this_run();

} // namespace cyclotron::backend::c
