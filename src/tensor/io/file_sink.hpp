// SPDX-License-Identifier: MIT
// A file that appears whole or not at all: written beside its target, gzipped where the name says so, and renamed.
#pragma once

#include "support/diagnostics.hpp"
#include "support/progress.hpp"
#include "support/unfinished.hpp"

#include <fmt/format.h>

#include <memory>
#include <string>

struct gzFile_s;

namespace cyclotron::tensor {

class FileSink {
public:
  static std::unique_ptr<FileSink> open(const std::string& path, Diagnostics& diagnostics);
  // Removes the temporary file unless it was committed.
  ~FileSink();
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;

  // Format straight into this, then `flush_if_full`.
  fmt::memory_buffer& buffer() { return buffer_; }
  void flush_if_full() {
    if (buffer_.size() >= (std::size_t{1} << 18)) flush();
  }
  void write(const void* bytes, std::size_t size);

  // Puts the file in its place. False, with an error, where anything since `open` went wrong.
  bool commit();

private:
  FileSink(std::string path, std::string target, Diagnostics& diagnostics)
      : path_(std::move(path)), target_(std::move(target)), diagnostics_(diagnostics),
        progress_("writing " + path_, {0, "MB"}) {}

  bool create();
  void flush();
  void write_bytes(const char* bytes, std::size_t size);
  void fail(const std::string& reason);
  bool close();

  Unfinished work_;    // first, so that it ends behind the rest
  std::string path_;   // as the user wrote it
  std::string target_; // where links lead to
  std::string temporary_;
  Diagnostics& diagnostics_;
  int descriptor_ = -1;
  gzFile_s* gzip_ = nullptr;
  bool failed_ = false;
  fmt::memory_buffer buffer_;
  Progress progress_;
  std::int64_t written_ = 0; // bytes, before they are gzipped
};

} // namespace cyclotron::tensor
