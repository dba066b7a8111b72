// SPDX-License-Identifier: MIT
// The bytes of a file in large blocks, gunzipped on the way where the file is gzipped.
#pragma once

#include "support/diagnostics.hpp"

#include <cstdint>
#include <memory>
#include <string>

struct gzFile_s;

namespace cyclotron::tensor {

class ByteSource {
public:
  // Nothing, with an error, where there is no such file, or it cannot be read.
  static std::unique_ptr<ByteSource> open(const std::string& path, Diagnostics& diagnostics);
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  // Fills the buffer; fewer bytes only at the end of the file or after an error, which `failed` tells apart.
  std::size_t read(char* buffer, std::size_t size);
  bool failed() const { return failed_; }
  // The next byte read is that one; quick in a plain file only.
  void seek(std::int64_t offset);

  const std::string& path() const { return path_; }
  Diagnostics& diagnostics() const { return diagnostics_; }
  // Of the file on disk, and how much of it has been consumed.
  std::int64_t file_size() const { return file_size_; }
  std::int64_t consumed() const;
  // Not gzipped: the file on disk holds the bytes themselves.
  bool plain() const;

private:
  ByteSource(std::string path, std::int64_t size, gzFile_s* file, Diagnostics& diagnostics)
      : path_(std::move(path)), file_size_(size), file_(file), diagnostics_(diagnostics) {}

  std::string path_;
  std::int64_t file_size_;
  gzFile_s* file_;
  Diagnostics& diagnostics_;
  bool failed_ = false;
};

} // namespace cyclotron::tensor
