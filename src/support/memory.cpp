// SPDX-License-Identifier: MIT
#include "support/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>

#include <sys/mman.h>
#include <unistd.h>

namespace cyclotron {

namespace {

std::optional<std::int64_t> limit_from_environment() {
  const char* text = std::getenv("CYCLOTRON_MEMORY_LIMIT");
  if (!text || !*text) return std::nullopt;
  char* rest = nullptr;
  const double number = std::strtod(text, &rest);
  if (rest == text || !(number >= 0)) return std::nullopt;
  double scale = 1;
  if (*rest == 'K') scale = 1024.0;
  if (*rest == 'M') scale = 1024.0 * 1024;
  if (*rest == 'G') scale = 1024.0 * 1024 * 1024;
  return static_cast<std::int64_t>(std::min(number * scale, 9e18));
}

// What a container's limit leaves; the largest number where there is none.
std::int64_t left_in_container() {
  std::int64_t limit = 0, used = 0;
  if (!(std::ifstream("/sys/fs/cgroup/memory.max") >> limit) ||
      !(std::ifstream("/sys/fs/cgroup/memory.current") >> used))
    return std::numeric_limits<std::int64_t>::max();
  return std::max<std::int64_t>(0, limit - used);
}

} // namespace

std::int64_t available_memory() {
  if (auto limit = limit_from_environment()) return *limit;
  const std::int64_t container = left_in_container();
  std::ifstream meminfo("/proc/meminfo");
  std::string key;
  std::int64_t kib = 0;
  std::string unit;
  while (meminfo >> key >> kib) {
    std::getline(meminfo, unit);
    if (key == "MemAvailable:") return std::min(kib * 1024, container);
  }
  return container;
}

void prefer_large_pages(void* memory, std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  constexpr std::size_t enough = std::size_t{4} << 20; // two pages
  if (bytes < enough) return;
  static const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto first = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t begin = (first + page - 1) / page * page, end = (first + bytes) / page * page;
  ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#else
  (void)memory;
  (void)bytes;
#endif
}

std::string describe_bytes(double bytes) {
  const char* units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes >= uncounted_bytes) return "more than 1024 EiB";
  int unit = 0;
  while (bytes >= 1024 && unit < 6) {
    bytes /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f} bytes", bytes) : fmt::format("{:.1f} {}", bytes, units[unit]);
}

std::optional<std::int64_t> checked_product(const std::vector<std::int64_t>& extents) {
  if (std::count(extents.begin(), extents.end(), 0)) return 0;
  std::int64_t product = 1;
  for (std::int64_t e : extents)
    if (__builtin_mul_overflow(product, e, &product)) return std::nullopt;
  return product;
}

} // namespace cyclotron
