// SPDX-License-Identifier: MIT
// The kernels, and the function that calls one after the other and finds memory for their workspaces.
#include "backend/c/names.hpp"
#include "backend/simd/folder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace cyclotron::backend::simd {

namespace {

// `bytes`: of workspaces, for each thread.
constexpr const char* call_text = R"(
typedef int64_t cyc_kernel(const int64_t *sizes, void *const *memories, void *room, int64_t room_bytes, int threads);

/* Calls a kernel, with workspaces of so many bytes for each thread. */
static int64_t cyc_call(cyc_kernel *kernel, const int64_t *sizes, void *const *memories, int64_t bytes) {{
  const int threads = {};
  int64_t all = 0;
  if (__builtin_mul_overflow(bytes, (int64_t)threads, &all)) return -1;
  void *const room = all > 0 ? aligned_alloc({}, (size_t)all) : NULL;
  if (all > 0 && !room) return -1;
  const int64_t answer = kernel(sizes, memories, room, bytes, threads);
  free(room);
  return answer;
}}
)";

std::size_t place_of(const std::vector<std::string>& list, const std::string& name) {
  return static_cast<std::size_t>(std::find(list.begin(), list.end(), name) - list.begin());
}

// One kernel, with its own sizes and memories among the parameters.
std::string call_of(const code::Kernel& kernel, const std::string& function, const std::string& room,
                    const FolderNames& names) {
  const c::Parameters& parameters = names.parameters();
  std::vector<std::string> sizes, memories;
  for (const std::string& size : kernel.sizes) sizes.push_back(names.of_size(place_of(parameters.sizes, size)));
  for (const code::Memory& m : kernel.memories) {
    if (m.role != code::Role::in && m.role != code::Role::out) continue;
    std::size_t at = 0;
    while (parameters.memories[at].name != m.name) ++at;
    memories.push_back("(void *)" + names.of_memory(at));
  }
  if (sizes.empty()) sizes.push_back("0"); // there are no empty arrays
  if (memories.empty()) memories.push_back("NULL");
  return fmt::format(
      "  if (answer >= 0) {{\n    const int64_t sizes[] = {{{}}};\n    void *const memories[] = {{{}}};\n"
      "    const int64_t found = cyc_call({}, sizes, memories, {});\n"
      "    if (found != 0 && (answer == 0 || found < answer)) answer = found;\n  }}\n",
      fmt::join(sizes, ", "), fmt::join(memories, ", "), function, room.empty() ? "0" : room + "(sizes)");
}

} // namespace

std::string kernels_text(const FolderSource& source, const CFile& file, const FolderNames& names) {
  std::string text =
      fmt::format("// {}: {}.\n//\n{}#include \"{}.h\"\n\n#include <stdlib.h>\n\n", c::harmless(source.title),
                  c::made_by, c::indented(source.comment, "//   "), source.name);
  text += file.text + fmt::format(call_text, source.threads ? "omp_get_max_threads()" : "1", code::scratch_alignment);
  text += fmt::format("\n{} {{\n  int64_t answer = 0; /* the smallest of a failure */\n", names.prototype());
  for (std::size_t k = 0; k < source.kernels.size(); ++k)
    text += call_of(source.kernels[k], file.functions[k], file.rooms[k], names);
  return text + "  return answer;\n}\n";
}

} // namespace cyclotron::backend::simd
