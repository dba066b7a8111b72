// SPDX-License-Identifier: MIT
#include "lower/pattern/order.hpp"

#include "lower/pattern/operands.hpp"

#include <algorithm>

namespace cyclotron::lower {

namespace {

using Before = std::set<std::pair<std::string, std::string>>; // the first is outside of the second

void add_levels(const recurrence::Expr& access, const recurrence::Program& program, Before& before) {
  const auto& a = *recurrence::as<recurrence::Access>(access);
  const recurrence::TensorDecl* tensor = program.tensor(a.tensor);
  if (!tensor || a.indices.size() != tensor->dims.size()) return;
  const Operand operand = operand_of(access, stored_format(tensor->format), program, {});
  for (std::size_t l = 0; l < operand.rank(); ++l)
    for (std::size_t outer = 0; operand.compressed(l) && outer < l; ++outer)
      for (const std::string& inside : indices_in(operand.index[l], program))
        for (const std::string& outside : indices_in(operand.index[outer], program))
          if (inside != outside) before.emplace(outside, inside);
}

} // namespace

std::vector<std::string> order_by_formats(const recurrence::Program& program,
                                          const std::vector<std::string>& variables) {
  Before before;
  for (const recurrence::Equation& e : program.equations)
    for (const recurrence::Expr& side : {e.target, e.value})
      ir::walk<recurrence::ExprNode>(side, [&](const recurrence::Expr& x) {
        if (recurrence::as<recurrence::Access>(x)) add_levels(x, program, before);
      });
  std::vector<std::string> order, left = variables;
  while (!left.empty()) {
    const auto free = std::find_if(left.begin(), left.end(), [&](const std::string& v) {
      return std::none_of(left.begin(), left.end(), [&](const std::string& other) { return before.count({other, v}); });
    });
    const auto next = free == left.end() ? left.begin() : free; // formats that contradict each other
    order.push_back(*next);
    left.erase(next);
  }
  return order;
}

} // namespace cyclotron::lower
