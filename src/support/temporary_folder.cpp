// SPDX-License-Identifier: MIT
#include "support/temporary_folder.hpp"

#include <filesystem>
#include <stdlib.h>

namespace cyclotron {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder(const std::string& what) {
  std::error_code error;
  std::string name = fs::temp_directory_path(error) / ("cyclotron-" + what + "-XXXXXX");
  if (!error && ::mkdtemp(name.data())) path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (exists()) fs::remove_all(path_, ignored);
}

} // namespace cyclotron
