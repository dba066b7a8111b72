// SPDX-License-Identifier: MIT
// Why the check is a proof that no element needs itself: suppose that elements need each other in a circle. The step
// never rises from an element to one that it needs, and at the end of the circle it is where it began. So it is the
// same all along the circle, and the tensors need each other in a circle within one step, which the check rules out.
#include "frontend/step_order.hpp"

#include "recurrence/affine.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace cyclotron::frontend {

using namespace recurrence;

namespace {

struct Need {
  std::string tensor, needed;
  std::optional<std::int64_t> steps_back; // where that is the same for all elements
};

std::optional<std::int64_t> steps_back(const Access& target, const Access& read, const Program& program) {
  if (!target.step || !read.step) return std::nullopt;
  const Affine back = accepted_affine(*target.step, program) - accepted_affine(*read.step, program);
  return back.is_constant() ? std::optional(back.constant) : std::nullopt;
}

std::vector<Need> needs_of(const Program& program) {
  std::vector<Need> needs;
  for (const Equation& e : program.equations)
    ir::walk<ExprNode>(e.value, [&](const Expr& expr) {
      if (const Access* read = as<Access>(expr))
        needs.push_back({e.access().tensor, read->tensor, steps_back(e.access(), *read, program)});
    });
  return needs;
}

// What each tensor needs, through others, too.
std::map<std::string, std::set<std::string>> all_needed(const std::vector<Need>& needs) {
  std::map<std::string, std::set<std::string>> needed;
  for (const Need& n : needs) needed[n.tensor].insert(n.needed);
  for (const auto& [through, further] : needed)
    for (auto& [tensor, own] : needed)
      if (own.count(through)) own.insert(further.begin(), further.end());
  return needed;
}

} // namespace

bool ordered_by_steps(const Program& program) {
  std::vector<Need> needs = needs_of(program);
  auto needed = all_needed(needs);
  std::erase_if(needs, [&](const Need& n) { return !needed[n.needed].count(n.tensor); }); // on no circle
  if (std::any_of(needs.begin(), needs.end(), [](const Need& n) { return n.steps_back.value_or(-1) < 0; }))
    return false;
  std::erase_if(needs, [](const Need& n) { return *n.steps_back > 0; });
  needed = all_needed(needs);
  return std::none_of(needed.begin(), needed.end(), [](const auto& entry) { return entry.second.count(entry.first); });
}

} // namespace cyclotron::frontend
