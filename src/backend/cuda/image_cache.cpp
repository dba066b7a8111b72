// SPDX-License-Identifier: MIT
#include "backend/cuda/image_cache.hpp"

#include "backend/c/cache.hpp"
#include "backend/c/private_files.hpp"
#include "support/sha256.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace cyclotron::backend::cuda {

namespace {

// Part of every key: raise it where the same parts come to mean something else.
constexpr const char* format_version = "cuda 1";

} // namespace

ImageCache::ImageCache(const c::BuildOptions& options) : limits_(options.limits) {
  const std::filesystem::path c_folder = options.use_cache ? c::lasting_folder(options) : "";
  if (!c_folder.empty()) folder_ = (c_folder.parent_path() / "cuda").string();
}

std::string ImageCache::key_of(const std::vector<std::string>& parts) const {
  std::string text = format_version;
  for (const std::string& part : parts) text += fmt::format("{}:{},", part.size(), part);
  return sha256(text);
}

std::optional<std::string> ImageCache::read(const std::string& key) const {
  return folder_.empty() ? std::nullopt : c::read_memory(folder_, key);
}

void ImageCache::write(const std::string& key, const std::string& image) const {
  if (folder_.empty() || !c::prepare_private_folder(folder_).empty()) return;
  c::write_memory(folder_, limits_, key, image);
}

} // namespace cyclotron::backend::cuda
