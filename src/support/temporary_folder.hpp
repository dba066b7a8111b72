// SPDX-License-Identifier: MIT
// A folder of its own for files that another program reads or writes; it goes with all that is in it.
#pragma once

#include <string>

namespace cyclotron {

class TemporaryFolder {
public:
  explicit TemporaryFolder(const std::string& what); // part of its name: cyclotron-WHAT-…
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  bool exists() const { return !path_.empty(); } // false where none could be made
  std::string file(const std::string& name) const { return path_ + "/" + name; }

private:
  std::string path_;
};

} // namespace cyclotron
