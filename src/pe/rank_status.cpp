// SPDX-License-Identifier: MIT
#include "pe/rank_status.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <fstream>
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

std::string where_it_was(const std::string& path, int rank, const Executable& executable) {
  std::ifstream file(path, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(rank) * sysconf(_SC_PAGESIZE));
  RankStatus status;
  file.read(reinterpret_cast<char*>(&status), sizeof status);
  if (!file || status.element < 0 || status.element >= executable.elements()) return "it was not running a PE";
  return fmt::format("it was running PE {}, instruction {}, after {} steps", executable.name(status.element),
                     status.instruction, status.steps);
}

} // namespace cyclotron::pe
