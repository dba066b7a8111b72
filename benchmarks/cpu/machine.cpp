// SPDX-License-Identifier: MIT
#include "machine.hpp"

#include "backend/c/build.hpp"

#include <fmt/format.h>

#include <sys/utsname.h>

#include <cstdlib>
#include <fstream>
#include <thread>

namespace cyclotron::bench {

namespace {

std::string processor() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown";
}

std::string load() {
  std::ifstream in("/proc/loadavg");
  std::string first;
  in >> first;
  return first;
}

} // namespace

std::vector<std::pair<std::string, std::string>> machine() {
  utsname system{};
  uname(&system);
  std::string flags;
  for (const std::string& f : backend::c::default_flags()) flags += (flags.empty() ? "" : " ") + f;
  if (const char* more = std::getenv("CYCLOTRON_CFLAGS")) flags += std::string(" ") + more;
  return {{"processor", processor()},
          {"cores", std::to_string(std::thread::hardware_concurrency())},
          {"system", fmt::format("{} {}", system.sysname, system.release)},
          {"load", load()},
          {"kernels compiled by", backend::c::describe_compiler({})},
          {"kernel flags", flags},
          {"rivals in C++ compiled by", "gcc " __VERSION__},
          {"rival flags", CYCLOTRON_BENCH_FLAGS}};
}

std::string machine_text() {
  std::string out;
  for (const auto& [key, value] : machine()) out += fmt::format("- {}: {}\n", key, value);
  return out;
}

} // namespace cyclotron::bench
