// SPDX-License-Identifier: MIT
#include "backend/c/kernel_memory.hpp"

#include "backend/c/cache.hpp"
#include "support/build_id.hpp"

#include <fmt/format.h>

#include <isl/version.h>

#include <filesystem>
#include <sstream>

namespace cyclotron::backend::c {

std::string memory_key(const recurrence::Program& program, const schedule::Schedule* schedule,
                       const KernelOptions& options) {
  if (build_id().empty() || !options.build.use_cache) return "";
  std::string text;
  const auto add = [&](const std::string& part) { text += fmt::format("{}:{},", part.size(), part); };
  const auto add_all = [&](const auto& names) {
    add(std::to_string(names.size()));
    for (const std::string& name : names) add(name);
  };
  for (const std::string& part : {build_id(), std::string(isl_version()), recurrence::print(program)}) add(part);
  for (const std::string& part : {schedule ? schedule::print(*schedule) : "", options.name, options.title}) add(part);
  add_all(options.all_steps);
  add_all(options.unwanted);
  add(options.wide ? "wide" : "");
  return lasting_key(text, options.build);
}

std::optional<KernelMemory> recall(const std::string& key, const BuildOptions& options) {
  const auto text = key.empty() ? std::nullopt : read_memory(lasting_folder(options), key);
  if (!text) return std::nullopt;
  // The seal says that we have written it, and the key that this very code has.
  std::istringstream words(*text);
  KernelMemory memory;
  std::string built;
  std::size_t variables = 0, arguments = 0;
  words >> built >> memory.narrows >> variables >> arguments;
  memory.library = find_built(built, options);
  if (!memory.library) return std::nullopt;
  memory.order.resize(variables);
  for (std::string& variable : memory.order) words >> variable;
  Argument a;
  for (int kind = 0; words >> kind >> a.level >> a.mask >> a.name;) {
    a.kind = static_cast<Argument::Kind>(kind);
    memory.arguments.push_back(a);
  }
  if (memory.arguments.size() != arguments) return std::nullopt;
  return memory;
}

void remember(const std::string& key, const KernelMemory& memory, const BuildOptions& options) {
  const std::filesystem::path file = memory.library->path();
  const std::string folder = lasting_folder(options);
  if (key.empty() || file.parent_path() != folder) return;
  std::string text =
      fmt::format("{} {:d} {} {}", file.stem().string(), memory.narrows, memory.order.size(), memory.arguments.size());
  for (const std::string& variable : memory.order) text += " " + variable;
  for (const Argument& a : memory.arguments)
    text += fmt::format("\n{} {} {} {}", static_cast<int>(a.kind), a.level, a.mask, a.name);
  write_memory(folder, options.limits, key, text);
}

} // namespace cyclotron::backend::c
