// SPDX-License-Identifier: MIT
// Kernels on tiles as calls of C functions (tile_prelude.cpp).
#include "backend/c/emitter.hpp"

#include "recurrence/kernels.hpp"
#include "support/diagnostics.hpp"

#include <fmt/format.h>

namespace cyclotron::backend::c {

using namespace recurrence;

namespace {

// What a kernel's C function is given: the sizes of its letters, the operands that it only reads, its result, which
// holds the last operand on entry or is added to, room to work in, and where it notes a failure.
struct TileKernel {
  std::string_view name;
  const char* function;
  std::string_view sizes;
  enum class Result { added_to, from_last, overwritten } result;
  std::string_view work = ""; // letters; empty: none
  bool fails = false;
  bool twice = false; // its operand is both of the function's
};

const TileKernel& tile_kernel(const std::string& name) {
  using enum TileKernel::Result;
  static const std::vector<TileKernel> table = {
      {"GEMM", "cyc_gemm", "mkn", added_to},
      {"GEMM_NT", "cyc_gemm_nt", "mkn", added_to, "nk"},
      {"GEMM_TN", "cyc_gemm_tn", "kmn", added_to, "km"},
      {"GEMV", "cyc_gemv", "mk", added_to},
      {"GEMV_T", "cyc_gemv_t", "km", added_to},
      {"GER", "cyc_ger", "mn", added_to},
      {"SYRK", "cyc_gemm_nt", "mkm", added_to, "mk", false, true},
      {"TRSM", "cyc_trsm", "mn", from_last, "", true},
      {"TRSM_LLU", "cyc_trsm_llu", "mn", from_last},
      {"TRSM_LLT", "cyc_trsm_llt", "mn", from_last, "", true},
      {"TRSM_LUN", "cyc_trsm_lun", "mn", from_last, "", true},
      {"TRSM_RLN", "cyc_trsm_rln", "nm", from_last, "", true},
      {"TRSM_RLT", "cyc_trsm_rlt", "nm", from_last, "nn", true},
      {"TRSM_RUN", "cyc_trsm_run", "nm", from_last, "", true},
      {"TRSV", "cyc_trsv", "m", from_last, "", true},
      {"TRSV_LU", "cyc_trsv_lu", "m", from_last},
      {"TRSV_UN", "cyc_trsv_un", "m", from_last, "", true},
      {"POTRF", "cyc_potrf", "m", from_last, "m", true},
      {"GETRF", "cyc_getrf", "m", from_last, "", true},
      {"GETRF_L", "cyc_getrf_l", "m", from_last, "", true},
      {"GETRF_U", "cyc_getrf_u", "m", from_last, "", true},
      {"TRANSPOSE", "cyc_transpose", "mn", overwritten},
  };
  for (const TileKernel& k : table)
    if (k.name == name) return k;
  bug("the C target has no kernel " + name);
}

} // namespace

void Emitter::tile_kernel_into(const KernelCall& call, const std::vector<Affine>& shape, const TilePlace& place,
                               bool add) {
  const TileKernel& kernel = tile_kernel(call.kernel);
  const std::vector<std::string_view>& letters = kernel_named(call.kernel)->arguments;
  std::map<char, Affine> bound;
  for (std::size_t i = 0; i < letters.size(); ++i)
    for (std::size_t d = 0; d < letters[i].size(); ++d)
      bound.emplace(letters[i][d], nest_.types.of(call.arguments[i]).shape[d]);
  if (add && kernel.result != TileKernel::Result::added_to) {
    const std::string size = tile_size(shape);
    const TilePlace own = scratch(size);
    tile_kernel_into(call, shape, own, false);
    tile_loop(size, [&](const std::string& e) { return fmt::format("{} += {};", place.at(e), own.at(e)); });
    return;
  }
  std::vector<std::string> list;
  for (char letter : kernel.sizes) list.push_back(text(bound.at(letter)));
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const bool last = i + 1 == call.arguments.size();
    if (last && kernel.result == TileKernel::Result::from_last) tile_into(call.arguments[i], place, false);
    else list.push_back(tile_operand(call.arguments[i]).pointer());
  }
  if (kernel.twice) list.push_back(list.back());
  if (!add && kernel.result == TileKernel::Result::added_to) clear_tile(place, tile_size(shape));
  list.push_back(place.pointer());
  if (!kernel.work.empty()) {
    std::vector<Affine> room;
    for (char letter : kernel.work) room.push_back(bound.at(letter));
    list.push_back(scratch(tile_size(room)).pointer());
  }
  if (kernel.fails) {
    failing_ = true;
    list.push_back("&failed");
  }
  line(fmt::format("{}({});", use(kernel.function), fmt::join(list, ", ")));
}

} // namespace cyclotron::backend::c
