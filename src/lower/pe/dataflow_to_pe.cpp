// SPDX-License-Identifier: MIT
#include "lower/pe/dataflow_to_pe.hpp"

#include "lower/dataflow/fixed_sizes.hpp"
#include "lower/pe/fold_places.hpp"
#include "lower/pe/host_statements.hpp"
#include "lower/pe/places.hpp"
#include "lower/pe/roles.hpp"
#include "recurrence/isl_limit.hpp"
#include "support/progress.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::lower {

using namespace recurrence;

namespace {

class DataflowToPe {
public:
  DataflowToPe(const ArraySizes& array, Diagnostics& diagnostics) : array_(array), diagnostics_(diagnostics) {}

  std::optional<pe::Program> run(const dataflow::Program& program) {
    result_.sizes = array_.sizes;
    if (!add_tensors(program)) return std::nullopt;
    const auto folded = fold_places(program, array_.folds, diagnostics_);
    if (!folded) return std::nullopt;
    add_axes(folded->program, folded->wraps);
    return lowered(folded->program);
  }

private:
  std::optional<pe::Program> lowered(const dataflow::Program& program) {
    const std::vector<Order> orders = orders_of(program);
    const auto reads = reads_of(program, orders, wrap(), diagnostics_);
    if (!reads) return std::nullopt;
    const auto links = links_of(program, orders, *reads, diagnostics_);
    if (!links) return std::nullopt;
    const auto stores = stores_of(program, orders, *reads, *links, diagnostics_);
    if (!stores) return std::nullopt;
    const std::vector<Cell> cells = cells_of(program, *reads, *links, *stores, result_);
    result_.roles = roles_of(program, orders, cells);
    result_.host = host_statements(program, result_);
    return std::move(result_);
  }

  // The box of all places.
  void add_axes(const dataflow::Program& program, const std::vector<bool>& wraps) {
    for (std::size_t a = 0; a < program.axes.size(); ++a) {
      const auto [first, last] = range_of_places(program, a);
      result_.axes.push_back({program.axes[a], first, last});
      result_.torus.push_back(wraps[a] || (a < array_.torus.size() && array_.torus[a]));
    }
  }

  Wrap wrap() const {
    Wrap result;
    for (std::size_t a = 0; a < result_.axes.size(); ++a)
      result.push_back(result_.torus[a] ? result_.axes[a].last - result_.axes[a].first + 1 : 0);
    return result;
  }

  // Tensors that something reads or writes. Those read with fewer indices than they have are read by tiles.
  bool add_tensors(const dataflow::Program& program) {
    for (const TensorDecl& decl : program.source->tensors) {
      pe::Memory memory{decl.name.name, decl.type, {}, {}, false};
      std::optional<std::size_t> indices;
      bool agree = true;
      const auto use = [&](const std::string& tensor, std::size_t count) {
        if (tensor != decl.name.name) return;
        agree &= !indices || *indices == count;
        indices = count;
      };
      const auto use_in = [&](const Expr& expr) {
        ir::walk<ExprNode>(expr, [&](const Expr& e) {
          if (const Access* a = as<Access>(e)) use(a->tensor, a->indices.size());
        });
      };
      for (const dataflow::Rule& r : program.rules) use_in(r.expr);
      for (const dataflow::Export& e : program.exports) {
        use(e.tensor, e.indices.size());
        memory.is_output |= e.tensor == decl.name.name;
      }
      for (const dataflow::Constant& c : program.constants) {
        use(c.tensor, c.indices.size());
        use_in(c.expr);
        memory.is_output |= c.tensor == decl.name.name;
      }
      if (!indices) continue;
      if (!agree) {
        diagnostics_.unsupported(decl.span, fmt::format("`{}` is used both by elements and by tiles", decl.name.name));
        return false;
      }
      shape(memory, decl, *indices, *program.source);
      if (std::count(memory.dims.begin() + static_cast<std::ptrdiff_t>(*indices), memory.dims.end(), 0)) {
        diagnostics_.unsupported(decl.span, fmt::format("the tiles of `{}` have no elements", decl.name.name));
        return false;
      }
      result_.tensors.push_back(std::move(memory));
    }
    return true;
  }

  void shape(pe::Memory& memory, const TensorDecl& decl, std::size_t indices, const recurrence::Program& source) const {
    if (const auto given = array_.memory.find(memory.name); given != array_.memory.end()) {
      memory.dims = given->second.dims;
      memory.block = given->second.block;
      return;
    }
    for (std::size_t d = 0; d < decl.dims.size(); ++d) {
      memory.dims.push_back(accepted_affine(decl.dims[d], source).constant);
      memory.block.push_back(d < indices ? 0 : memory.dims.back());
    }
  }

  const ArraySizes& array_;
  Diagnostics& diagnostics_;
  pe::Program result_;
};

} // namespace

std::optional<pe::Program> dataflow_to_pe(const dataflow::Program& program, const ArraySizes& array,
                                          Diagnostics& diagnostics) {
  const Progress progress("making programs of the processing elements");
  for (const Binder& size : program.source->sizes)
    if (!array.sizes.count(size.name)) {
      diagnostics.error(size.span, fmt::format("the size `{}` is not known", size.name))
          .with_hint("a program per PE is made for fixed sizes");
      return std::nullopt;
    }
  // isl's work has a limit, which starts afresh with each part of the lowering.
  auto result = program.context->bounded(
      [&] { return DataflowToPe(array, diagnostics).run(with_fixed_sizes(program, array.sizes)); });
  if (result) return std::move(*result);
  const Span span = program.rules.empty() ? Span{} : program.rules.front().span;
  report_too_hard({span, "the programs of the processing elements for these spaces",
                   "choose other axes or fewer tiles; spaces with many cases multiply the work"},
                  diagnostics);
  return std::nullopt;
}

} // namespace cyclotron::lower
