// SPDX-License-Identifier: MIT
#include "pe/rank_status.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <fstream>
#include <optional>
#include <sys/mman.h>
#include <unistd.h>

namespace cyclotron::pe {

StatusFile::StatusFile(const std::string& path, int rank) {
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t begin = static_cast<std::size_t>(rank) * page; // ranks do not share a page
  size_ = page;
  if (lseek(file, 0, SEEK_END) >= static_cast<off_t>(begin + page) ||
      pwrite(file, "", 1, static_cast<off_t>(begin + page - 1)) == 1) {
    mapping_ = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, file, static_cast<off_t>(begin));
    if (mapping_ == MAP_FAILED) mapping_ = nullptr;
    else record_ = new (mapping_) RankStatus();
  }
  close(file);
}

StatusFile::~StatusFile() {
  if (mapping_) munmap(mapping_, size_);
}

namespace {

// Nothing where the rank has written nothing yet.
std::optional<RankStatus> read_status(std::ifstream& file, int rank) {
  RankStatus status;
  file.clear();
  file.seekg(static_cast<std::streamoff>(rank) * sysconf(_SC_PAGESIZE));
  if (!file.read(reinterpret_cast<char*>(&status), sizeof status)) return std::nullopt;
  return status;
}

} // namespace

std::int64_t steps_done(const std::string& path, int ranks) {
  std::ifstream file(path, std::ios::binary);
  std::int64_t steps = 0;
  for (int rank = 0; rank < ranks; ++rank)
    if (const auto status = read_status(file, rank)) steps += status->steps;
  return steps;
}

std::string where_it_was(const std::string& path, int rank, const Executable& executable) {
  std::ifstream file(path, std::ios::binary);
  const RankStatus status = read_status(file, rank).value_or(RankStatus());
  if (status.element < 0 || status.element >= executable.elements()) return "it was not running a PE";
  return fmt::format("it was running PE {}, instruction {}, after {} steps", executable.name(status.element),
                     status.instruction, status.steps);
}

} // namespace cyclotron::pe
