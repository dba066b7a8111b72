// SPDX-License-Identifier: MIT
#include "backend/c/private_files.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <mutex>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cyclotron::backend::c {

namespace {

namespace fs = std::filesystem;

class Descriptor {
public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }
  bool close() {
    const int closing = number_;
    number_ = -1;
    return ::close(closing) == 0;
  }

private:
  int number_;
};

bool only_ours(const struct stat& info) { return info.st_uid == ::geteuid() && (info.st_mode & 022) == 0; }

std::string make_folders(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return "";
  if (path.has_relative_path() && path.has_parent_path())
    if (std::string problem = make_folders(path.parent_path()); !problem.empty()) return problem;
  if (::mkdir(path.c_str(), 0700) == 0 || (errno == EEXIST && fs::is_directory(path, ignored))) return "";
  return fmt::format("cannot make the folder `{}`: {}", path.string(), std::strerror(errno));
}

} // namespace

std::optional<std::string> read_private_file(const std::string& path) {
  // O_NONBLOCK: a FIFO under that name must not hold us up.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat info;
  if (file.number() < 0 || ::fstat(file.number(), &info) != 0) return std::nullopt;
  if (!S_ISREG(info.st_mode) || !only_ours(info)) return std::nullopt;
  std::string bytes(static_cast<std::size_t>(info.st_size), '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = ::read(file.number(), bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return std::nullopt;
    done += static_cast<std::size_t>(count);
  }
  return bytes;
}

std::string write_private_file(const std::string& path, std::string_view bytes) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  bool fine = file.number() >= 0;
  while (fine && !bytes.empty()) {
    const ssize_t count = ::write(file.number(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    fine = count > 0;
    if (fine) bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  if (fine && file.close()) return "";
  return fmt::format("cannot write `{}`: {}", path, std::strerror(errno));
}

bool is_private_folder(const std::string& path) {
  struct stat info;
  return ::lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && only_ours(info);
}

std::string prepare_private_folder(const std::string& path) {
  if (std::string problem = make_folders(path); !problem.empty()) return problem;
  if (is_private_folder(path)) return "";
  return fmt::format("other users can write to the folder `{}`, or own it", path);
}

WorkFolder::WorkFolder(const std::string& parent) : path_(fmt::format("{}/{}XXXXXX", parent, prefix)) {
  if (::mkdtemp(path_.data())) return;
  problem_ = fmt::format("cannot write to the folder `{}`: {}", parent, std::strerror(errno));
  path_.clear();
}

WorkFolder::~WorkFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

std::string temporary_folder() {
  const char* chosen = std::getenv("TMPDIR");
  return chosen && chosen[0] == '/' ? chosen : "/tmp";
}

namespace {

constexpr std::string_view run_prefix = "cyclotron-";

// Folders `cyclotron-PID-XXXXXX` of ours whose process is gone. Those of the last hour are left alone: a process of
// another container may share the folder with us, but not the numbers of processes.
void remove_left_over(const std::string& parent) {
  std::error_code ignored;
  for (fs::directory_iterator at(parent, ignored), end; !ignored && at != end; at.increment(ignored)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with(run_prefix)) continue;
    pid_t owner = 0;
    const char* digits = name.data() + run_prefix.size();
    const auto [rest, failure] = std::from_chars(digits, name.data() + name.size(), owner);
    if (failure != std::errc() || *rest != '-' || owner <= 0) continue;
    struct stat info;
    const std::string path = at->path().string();
    if (!is_private_folder(path) || ::lstat(path.c_str(), &info) != 0) continue;
    if (info.st_mtime > std::time(nullptr) - 3600 || ::kill(owner, 0) == 0 || errno != ESRCH) continue;
    std::error_code failed;
    fs::remove_all(path, failed);
  }
}

struct RunFolder {
  std::mutex mutex;
  std::string path;
  pid_t owner = 0;

  ~RunFolder() { // not in a forked child: the folder is its parent's
    std::error_code ignored;
    if (owner == ::getpid()) fs::remove_all(path, ignored);
  }
};

} // namespace

std::string folder_of_this_run() {
  static RunFolder folder;
  const std::lock_guard lock(folder.mutex);
  if (folder.owner == ::getpid() && is_private_folder(folder.path)) return folder.path;
  const std::string parent = temporary_folder();
  remove_left_over(parent);
  std::string path = fmt::format("{}/{}{}-XXXXXX", parent, run_prefix, ::getpid());
  if (!::mkdtemp(path.data())) return "";
  folder.path = path;
  folder.owner = ::getpid();
  return path;
}

} // namespace cyclotron::backend::c
