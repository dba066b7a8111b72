// SPDX-License-Identifier: MIT
// The bytes of a file through zlib, which passes plain files through as they are.
#include "tensor/io/byte_source.hpp"

#include "support/nearest.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace cyclotron::tensor {

namespace {

namespace fs = std::filesystem;

// A mistyped name is the usual reason for a missing file: suggest the nearest one in that folder.
std::string nearest_file(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  std::vector<std::string> names;
  std::error_code error;
  fs::directory_iterator entry(folder.empty() ? fs::path(".") : folder, error);
  for (; !error && entry != fs::directory_iterator() && names.size() < 10000; entry.increment(error))
    names.push_back(entry->path().filename().string());
  std::sort(names.begin(), names.end()); // folders list in any order
  const std::string best = nearest(fs::path(path).filename().string(), names);
  return best.empty() ? "" : "did you mean `" + (folder / best).string() + "`?";
}

void report_missing(const std::string& path, Diagnostics& diagnostics) {
  const fs::path folder = fs::path(path).parent_path();
  std::error_code error;
  Diagnostic& diagnostic = diagnostics.error(fmt::format("no such file `{}`", path));
  if (!folder.empty() && !fs::exists(folder, error)) {
    diagnostic.with_hint(fmt::format("there is no folder `{}` either", folder.string()));
  } else {
    diagnostic.with_hint(nearest_file(path));
  }
}

} // namespace

std::unique_ptr<ByteSource> ByteSource::open(const std::string& path, Diagnostics& diagnostics) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    const int reason = errno;
    if (reason == ENOENT || reason == ENOTDIR) report_missing(path, diagnostics);
    else diagnostics.error(fmt::format("cannot read `{}`: {}", path, std::strerror(reason)));
    return nullptr;
  }
  struct stat status {};
  if (::fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode)) {
    ::close(descriptor);
    diagnostics.error(fmt::format("expected a file, found the folder `{}`", path))
        .with_hint("name a file in that folder");
    return nullptr;
  }
  gzFile file = ::gzdopen(descriptor, "rb");
  if (!file) {
    ::close(descriptor);
    diagnostics.error(fmt::format("cannot read `{}`: out of memory", path));
    return nullptr;
  }
  ::gzbuffer(file, 1u << 18);
  return std::unique_ptr<ByteSource>(new ByteSource(path, status.st_size, file, diagnostics));
}

ByteSource::~ByteSource() { ::gzclose_r(file_); }

std::size_t ByteSource::read(char* buffer, std::size_t size) {
  std::size_t done = 0;
  while (done < size && !failed_) {
    const auto block = static_cast<unsigned>(std::min<std::size_t>(size - done, std::size_t{1} << 30));
    const int got = ::gzread(file_, buffer + done, block);
    if (got > 0) done += static_cast<std::size_t>(got);
    if (got == static_cast<int>(block)) continue;
    int code = Z_OK;
    const char* message = ::gzerror(file_, &code);
    if (code == Z_OK || code == Z_STREAM_END) break;
    failed_ = true;
    const bool cut = code == Z_BUF_ERROR;
    std::string reason = code == Z_ERRNO ? std::strerror(errno) : message;
    if (reason.starts_with("<fd:")) reason.erase(0, reason.find(": ") + 2); // zlib's name for the file
    diagnostics_
        .error(Place{path_, 0, 0, ""}, cut ? std::string("the gzipped file ends too early")
                                           : fmt::format("the file cannot be read: {}", reason))
        .with_hint(code == Z_ERRNO ? "" : "the file is damaged or was not copied whole: fetch or write it again");
  }
  return done;
}

void ByteSource::seek(std::int64_t offset) {
  if (failed_ || ::gzseek(file_, offset, SEEK_SET) >= 0) return;
  failed_ = true;
  diagnostics_.error(Place{path_, 0, 0, ""}, fmt::format("the file cannot be read at byte {}", offset));
}

std::int64_t ByteSource::consumed() const { return ::gzoffset(file_); }

bool ByteSource::plain() const { return ::gzdirect(file_) != 0; }

} // namespace cyclotron::tensor
