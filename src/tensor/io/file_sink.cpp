// SPDX-License-Identifier: MIT
// A file that appears whole or not at all.
#include "tensor/io/file_sink.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace cyclotron::tensor {

namespace fs = std::filesystem;

std::unique_ptr<FileSink> FileSink::open(const std::string& path, Diagnostics& diagnostics) {
  std::error_code error;
  fs::path target = path;
  if (fs::is_symlink(target, error)) target = fs::weakly_canonical(target, error);
  if (error) target = path;
  std::unique_ptr<FileSink> sink(new FileSink(path, target.string(), diagnostics));
  if (!sink->create()) return nullptr;
  return sink;
}

bool FileSink::create() {
  const fs::path target = target_;
  for (int attempt = 0; descriptor_ < 0 && attempt < 100; ++attempt) {
    const std::string start = target.filename().string().substr(0, 200); // names may have 255 bytes
    const std::string name = fmt::format(".{}.{}.{}", start, ::getpid(), attempt);
    temporary_ = (target.parent_path() / name).string();
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && errno != EEXIST) break;
  }
  if (descriptor_ < 0) {
    temporary_.clear();
    fail(std::strerror(errno));
    return false;
  }
  struct stat old {};
  if (::stat(target_.c_str(), &old) == 0 && ::fchmod(descriptor_, old.st_mode & 0777) != 0) {
    // Keeping the old file's permissions is a courtesy: a file system that has none is no reason to fail.
  }
  if (path_.ends_with(".gz")) {
    gzip_ = ::gzdopen(descriptor_, "wb3");
    if (!gzip_) {
      fail("out of memory");
      return false;
    }
  }
  return true;
}

FileSink::~FileSink() {
  close();
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void FileSink::fail(const std::string& reason) {
  if (!failed_) diagnostics_.error(fmt::format("cannot write `{}`: {}", path_, reason));
  failed_ = true;
}

void FileSink::flush() {
  write_bytes(buffer_.data(), buffer_.size());
  buffer_.clear();
}

void FileSink::write(const void* bytes, std::size_t size) {
  flush();
  write_bytes(static_cast<const char*>(bytes), size);
}

void FileSink::write_bytes(const char* bytes, std::size_t size) {
  if (is_interrupted()) fail("interrupted");
  while (size > 0 && !failed_) {
    const std::size_t block = std::min<std::size_t>(size, std::size_t{1} << 24);
    const ssize_t done =
        gzip_ ? ::gzwrite(gzip_, bytes, static_cast<unsigned>(block)) : ::write(descriptor_, bytes, block);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) {
      fail(std::strerror(errno));
      return;
    }
    bytes += done;
    size -= static_cast<std::size_t>(done);
    written_ += done;
    progress_.advance_to(written_ / 1'000'000);
  }
}

bool FileSink::close() {
  bool fine = true;
  if (gzip_) fine = ::gzclose_w(gzip_) == Z_OK;
  else if (descriptor_ >= 0) fine = ::close(descriptor_) == 0;
  gzip_ = nullptr;
  descriptor_ = -1;
  return fine;
}

bool FileSink::commit() {
  flush();
  if (!close()) fail(std::strerror(errno));
  if (!failed_ && ::rename(temporary_.c_str(), target_.c_str()) != 0) fail(std::strerror(errno));
  if (!failed_) temporary_.clear();
  return !failed_;
}

} // namespace cyclotron::tensor
