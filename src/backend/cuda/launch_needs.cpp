// SPDX-License-Identifier: MIT
// What is known of a kernel without its text: whether a GPU can run it, and what a launch must give.
#include "backend/cuda/print_cuda.hpp"
#include "code/build.hpp"
#include "code/scope.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace cyclotron::backend::cuda {

using code::For, code::Memory, code::Role, code::Run, code::Statement;

namespace {

bool can_fail(const code::Kernel& kernel) {
  return code::any_statement(kernel.body,
                             [](const Statement& s) { return std::holds_alternative<code::Fail>(s.kind); });
}

// How many turns a loop has, where that is known before the sizes are.
std::optional<std::int64_t> known_turns(const For& f) {
  const auto first = code::build::known(f.first), end = code::build::known(f.end);
  if (!first || !end) return std::nullopt;
  const std::int64_t distance = f.step > 0 ? *end - *first : *first - *end, step = std::abs(f.step);
  return distance <= 0 ? 0 : (distance + step - 1) / step;
}

// The most `workers` that there are in a block at once; 0 where that is not known before the sizes are.
std::int64_t known_workers(const code::Kernel& kernel) {
  std::int64_t most = 0;
  bool known = true;
  code::any_statement(kernel.body, [&](const Statement& s) {
    const For* f = std::get_if<For>(&s.kind);
    if (!f || f->run != Run::workers) return false;
    const auto turns = known_turns(*f);
    known &= turns.has_value();
    most = std::max(most, turns.value_or(0));
    return false;
  });
  return known ? most : 0;
}

} // namespace

bool check_printable(const std::vector<code::Kernel>& kernels, Diagnostics& diagnostics) {
  std::set<std::string> names;
  for (const code::Kernel& k : kernels) {
    if (k.lanes > most_lanes)
      diagnostics
          .unsupported({}, fmt::format("kernel `{}` has {} lanes, and on a GPU there are at most {}: each is a thread, "
                                       "and those of a vector are in one warp",
                                       k.name, k.lanes, most_lanes))
          .with_hint(fmt::format("ask for {} lanes or less, or use `--target=simd`", most_lanes));
    if (!names.insert(k.name).second) diagnostics.error(fmt::format("there are two kernels `{}`", k.name));
    if (const std::string problem = code::problem_of(k); !problem.empty())
      diagnostics.error(fmt::format("kernel `{}`: {}", k.name, problem));
  }
  return !diagnostics.failed();
}

std::string function_name(const code::Kernel& kernel) { return kernel.name + "_kernel"; }

std::int64_t shared_bytes(const code::Kernel& kernel) {
  std::int64_t bytes = 0;
  for (const Memory& m : kernel.memories)
    if (m.role == Role::shared)
      bytes += (ir::as<code::Number>(m.elements)->whole * code::bytes_of(m.scalar) + 63) / 64 * 64;
  return bytes;
}

std::int64_t block_threads(const code::Kernel& kernel, const PrintOptions& options) {
  std::int64_t wanted = options.threads;
  const bool has_blocks = code::any_statement(kernel.body, [](const Statement& s) {
    const For* f = std::get_if<For>(&s.kind);
    return f && f->run == Run::blocks;
  });
  if (const std::int64_t workers = known_workers(kernel); has_blocks && workers > 0) wanted = workers * kernel.lanes;
  const std::int64_t warps =
      std::clamp<std::int64_t>((wanted + warp_threads - 1) / warp_threads, 1, most_threads / warp_threads);
  return warps * warp_threads;
}

std::vector<Argument> arguments_of(const code::Kernel& kernel) {
  std::vector<Argument> list;
  for (const std::string& size : kernel.sizes) list.push_back({Argument::Kind::size, size});
  bool scratch = false;
  for (const Memory& m : kernel.memories) {
    scratch |= m.role == Role::scratch;
    if (m.role == Role::in || m.role == Role::out) list.push_back({Argument::Kind::memory, m.name});
  }
  if (can_fail(kernel)) list.push_back({Argument::Kind::failed, ""});
  if (scratch) list.insert(list.end(), {{Argument::Kind::scratch, ""}, {Argument::Kind::scratch_bytes, ""}});
  return list;
}

} // namespace cyclotron::backend::cuda
