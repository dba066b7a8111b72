// SPDX-License-Identifier: MIT
// From a program's text to a loaded kernel, with an empty cache and with a full one.
#include "backend/c/kernel.hpp"
#include "driver/compile_kernel.hpp"
#include "driver/pipelines.hpp"
#include "suites.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace cyclotron::bench {

namespace {

namespace files = std::filesystem;

// Seconds on the wall. Throws Unavailable with the first message where there is no kernel.
double load(const std::string& text, const std::string& path, const std::string& cache) {
  const auto start = std::chrono::steady_clock::now();
  Sources sources;
  Diagnostics diagnostics(sources);
  const auto front_end = driver::run_front_end(sources.add(path, text), {}, diagnostics);
  backend::c::KernelOptions options;
  options.title = path;
  options.build.cache_folder = cache;
  const auto kernel =
      front_end.checked ? driver::make_kernel({&*front_end.checked, nullptr, options}, diagnostics) : nullptr;
  if (!kernel) throw Unavailable(diagnostics.all().empty() ? "no kernel" : diagnostics.all()[0].main.message);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Cached: the library must be loaded from its file again, so the kernel before it must be gone; it is, after `load`.
void measure_example(Bench& bench, const std::string& path, const std::string& cache) {
  const std::string name = files::path(path).stem().string();
  const Row cold{"text to kernel, no cache", name, "a limit of 1 s", 1},
      warm{"text to kernel, cached", name, "a limit of 20 ms", 1};
  if (!bench.wants(cold.group, name) && !bench.wants(warm.group, name)) return;
  bench.attempt(cold, [&] {
    std::ifstream in(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    const auto row_of = [](Row row, double seconds, double limit) {
      row.times = {seconds, limit, limit / seconds, 1};
      return row;
    };
    bench.add(row_of(cold, load(text, path, cache), 1.0));
    std::vector<double> times;
    for (int round = 0; round < 7; ++round) times.push_back(load(text, path, cache));
    std::sort(times.begin(), times.end());
    bench.add(row_of(warm, times[3], 0.02));
  });
}

} // namespace

void compile_times(Bench& bench) {
  if (!bench.wants("text to kernel, no cache") && !bench.wants("text to kernel, cached")) return;
  std::vector<std::string> examples;
  for (const auto& entry : files::directory_iterator(bench.options().examples))
    if (entry.path().extension() == ".cyc" && !entry.path().stem().string().starts_with("mistake_"))
      examples.push_back(entry.path().string());
  std::sort(examples.begin(), examples.end());
  std::string folder = (files::temp_directory_path() / "cyclotron-bench-XXXXXX").string();
  if (!mkdtemp(folder.data())) return;
  for (const std::string& path : examples) measure_example(bench, path, folder);
  files::remove_all(folder);
}

} // namespace cyclotron::bench
