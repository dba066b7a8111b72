// SPDX-License-Identifier: MIT
#include "lanes/copies.hpp"

#include <isl/map.h>

namespace cyclotron::lanes {

using namespace recurrence;
using dataflow::Rule;

namespace {

class CopyFinder {
public:
  explicit CopyFinder(const dataflow::Program& program) : program_(program) {}

  // First everything that could be a copy is taken for one; then what contradicts that goes, until nothing does.
  std::vector<std::optional<Copy>> run() {
    found_.resize(program_.values.size());
    for (std::size_t round = 0; round <= program_.values.size(); ++round)
      for (const Rule& r : program_.rules)
        if (auto& of = found_[number(r)]; !of) of = source_of(r);
    for (bool changed = true; changed;) {
      changed = false;
      for (const Rule& r : program_.rules) {
        auto& of = found_[number(r)];
        if (!of || agrees(r, *of)) continue;
        of.reset();
        changed = true;
      }
    }
    return std::move(found_);
  }

private:
  std::size_t number(const Rule& rule) const { return number_of_value(program_, rule.space, rule.value); }

  // What the rule copies; nothing where it computes.
  std::optional<Copy> source_of(const Rule& rule) const {
    const Access* a = as<Access>(rule.expr);
    if (!a || a->step) return std::nullopt;
    if (const auto ref = dataflow::reference_of(*a, program_)) {
      const auto& there = found_[number_of_value(program_, ref->space, ref->value)];
      if (!there) return std::nullopt;
      const auto& names = program_.spaces[static_cast<std::size_t>(ref->space)].coordinates;
      std::map<std::string, Affine> by;
      for (std::size_t c = 0; c < names.size(); ++c) by[names[c]] = ref->point[c];
      Copy copy{there->tensor, {}};
      for (const Affine& e : there->element) copy.element.push_back(substitute(e, by));
      return copy;
    }
    Copy copy{a->tensor, {}};
    for (const Expr& e : a->indices) copy.element.push_back(accepted_affine(e, *program_.source));
    return copy;
  }

  bool agrees(const Rule& rule, const Copy& with) const {
    const auto own = source_of(rule);
    if (!own || own->tensor != with.tensor) return false;
    if (own->element == with.element) return true;
    const auto& names = program_.spaces[static_cast<std::size_t>(rule.space)].coordinates;
    const auto elements = [&](const Point& point) {
      return map_to(*program_.context, *program_.source, names, point).intersect_domain(rule.domain);
    };
    return elements(own->element).is_equal(elements(with.element));
  }

  const dataflow::Program& program_;
  std::vector<std::optional<Copy>> found_;
};

} // namespace

std::size_t number_of_value(const dataflow::Program& program, int space, const std::string& name) {
  for (std::size_t v = 0; v < program.values.size(); ++v)
    if (program.values[v].space == space && program.values[v].name == name) return v;
  bug("a value that is not declared");
}

Point element_again(const Program& program, const Copy& copy, const dataflow::Reference& what) {
  const auto& names = program.flow.spaces[static_cast<std::size_t>(what.space)].coordinates;
  std::map<std::string, Affine> by;
  for (std::size_t c = 0; c < names.size(); ++c) by[names[c]] = what.point[c];
  Point element;
  for (const Affine& index : copy.element) element.push_back(substitute(index, by));
  return element;
}

std::vector<std::optional<Copy>> copies_of(const dataflow::Program& program) { return CopyFinder(program).run(); }

} // namespace cyclotron::lanes
