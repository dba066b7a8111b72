// SPDX-License-Identifier: MIT
#include "backend/mpi/data/shared_file.hpp"

#include "backend/mpi/data/agree.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <filesystem>

namespace cyclotron::mpi {

namespace fs = std::filesystem;

SharedFile::SharedFile(const std::string& path, Diagnostics& mine, MPI_Comm comm)
    : path_(path), mine_(mine), comm_(comm) {
  std::error_code error;
  fs::path target = path;
  if (fs::is_symlink(target, error)) target = fs::weakly_canonical(target, error);
  target_ = error ? path : target.string();
}

SharedFile::~SharedFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (aside_.empty()) return;
  if (rank_of(comm_) == 0) ::unlink(aside_.c_str());
  // Nobody goes on before it is gone; but a rank that is thrown out of its work must not wait for the others.
  if (std::uncaught_exceptions() == 0) MPI_Barrier(comm_);
}

void SharedFile::fail(int reason) {
  if (mine_.failed()) return;
  const int rank = rank_of(comm_);
  Diagnostic& error = mine_.error(fmt::format("rank {} cannot write `{}`: {}", rank, path_, std::strerror(reason)));
  if (reason == ENOENT && rank != 0)
    error.with_hint("rank 0 has made the file: all ranks must see the same folder, on a file system that nodes share");
}

void SharedFile::create() {
  const fs::path target = target_;
  const std::string start = target.filename().string().substr(0, 200); // names may have 255 bytes
  for (int attempt = 0; descriptor_ < 0 && attempt < 100; ++attempt) {
    const std::string name = fmt::format("{}.part-{}-{}", start, ::getpid(), attempt);
    aside_ = (target.parent_path() / name).string();
    descriptor_ = ::open(aside_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && errno != EEXIST) break;
  }
  if (descriptor_ < 0) {
    const int reason = errno;
    aside_.clear();
    return fail(reason);
  }
  struct stat old {};
  if (::stat(target_.c_str(), &old) == 0 && ::fchmod(descriptor_, old.st_mode & 0777) != 0) {
    // Keeping the old file's permissions is a courtesy: a file system that has none is no reason to fail.
  }
}

bool SharedFile::open(Diagnostics& agreed) {
  if (rank_of(comm_) == 0) create();
  broadcast(aside_, 0, comm_);
  if (rank_of(comm_) != 0 && !aside_.empty()) {
    descriptor_ = ::open(aside_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail(errno);
  }
  return agree(mine_, agreed, comm_);
}

void SharedFile::set_size(std::int64_t bytes) {
  // A full disk is better known now than when all have written for an hour; not every file system can tell.
  int status = 0;
  do status = bytes > 0 ? ::fallocate(descriptor_, 0, 0, bytes) : 0;
  while (status != 0 && errno == EINTR);
  if (status != 0 && errno != EOPNOTSUPP && errno != ENOSYS) fail(errno);
  else if (::ftruncate(descriptor_, bytes) != 0) fail(errno);
}

bool SharedFile::write(const void* bytes, std::int64_t size, std::int64_t offset) {
  const char* from = static_cast<const char*>(bytes);
  while (size > 0 && !mine_.failed()) {
    const auto block = static_cast<std::size_t>(std::min<std::int64_t>(size, std::int64_t{1} << 30));
    const ssize_t done = ::pwrite(descriptor_, from, block, offset);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) fail(done < 0 ? errno : ENOSPC);
    else {
      from += done;
      size -= done;
      offset += done;
    }
  }
  return !mine_.failed();
}

bool SharedFile::commit(Diagnostics& agreed) {
  // Some file systems tell only now that there was no room.
  if (!mine_.failed() && ::fsync(descriptor_) != 0 && errno != EINVAL && errno != EROFS) fail(errno);
  const bool closed = ::close(descriptor_) == 0;
  descriptor_ = -1;
  if (!closed) fail(errno);
  if (!agree(mine_, agreed, comm_)) return false;
  if (rank_of(comm_) == 0 && ::rename(aside_.c_str(), target_.c_str()) != 0) fail(errno);
  if (!agree(mine_, agreed, comm_)) return false;
  aside_.clear();
  return true;
}

} // namespace cyclotron::mpi
