// SPDX-License-Identifier: MIT
// What was found out for a GPU and holds until something changes: compiled kernels, and how fast memory is copied. It
// lies beside the kernels of the C backend, in the same kind of files: whole or not there.
#pragma once

#include "backend/c/build.hpp"

#include <optional>
#include <string>
#include <vector>

namespace cyclotron::backend::cuda {

class ImageCache {
public:
  explicit ImageCache(const c::BuildOptions& options);

  // Of all that decides what the image is.
  std::string key_of(const std::vector<std::string>& parts) const;
  std::optional<std::string> read(const std::string& key) const;
  void write(const std::string& key, const std::string& image) const; // not being able to is no trouble

private:
  std::string folder_; // "" where nothing lasts
  c::CacheLimits limits_;
};

} // namespace cyclotron::backend::cuda
