// SPDX-License-Identifier: MIT
// Prints a nest as the paper does.
#include "loops/ir.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::loops {

using namespace recurrence;

namespace {

// `2*i+n-1` without blanks, names with positive sign first.
std::string text_of(const Affine& a) {
  std::string out;
  const auto term = [&](std::int64_t c, const std::string& name) {
    const std::int64_t size = c < 0 ? -c : c;
    out += c < 0 ? "-" : out.empty() ? "" : "+";
    out += name.empty() ? std::to_string(size) : size == 1 ? name : fmt::format("{}*{}", size, name);
  };
  for (const bool positive : {true, false})
    for (const auto& [name, c] : a.terms)
      if ((c > 0) == positive) term(c, name);
  if (a.constant != 0 || out.empty()) term(a.constant, "");
  return out;
}

std::string text_of(const Bound& b, const char* rounding) {
  if (b.divisor == 1) return text_of(b.value);
  const bool one_term = b.value.terms.size() + (b.value.constant != 0) <= 1;
  return fmt::format("{}({} / {})", rounding, one_term ? text_of(b.value) : "(" + text_of(b.value) + ")", b.divisor);
}

std::string upper_text(const Bound& b) {
  if (b.divisor != 1) return " <= " + text_of(b, "floor");
  return " < " + text_of(b.value + Affine{{}, 1});
}

// `0 < i < n`, or `i` where all bounds are implied. A bound that is implied is left out only where it is the only one
// of its side, so that what is left out can be put back.
std::string range_text(const std::string& variable, const Range& range, const std::optional<Affine>& size) {
  std::vector<std::string> lower, upper;
  for (const Bound& b : range.lower) {
    if (b == Bound{} && range.lower.size() == 1) continue;
    // `k < i` reads better than `k+1 <= i`.
    const bool strict = b.divisor == 1 && !b.value.terms.empty() && b.value.constant == 1;
    lower.push_back(strict ? text_of(b.value - Affine{{}, 1}) + " < " : text_of(b, "ceil") + " <= ");
  }
  for (const Bound& b : range.upper) {
    if (size && b == Bound{*size - Affine{{}, 1}, 1} && range.upper.size() == 1) continue;
    upper.push_back(upper_text(b));
  }
  if (lower.size() == 1 && upper.empty() && lower[0].ends_with(" < "))
    return fmt::format("{} > {}", variable, lower[0].substr(0, lower[0].size() - 3));
  std::string out = fmt::format("{}{}{}", lower.empty() ? "" : lower[0], variable, upper.empty() ? "" : upper[0]);
  for (std::size_t i = 1; i < lower.size(); ++i) out += fmt::format(", {}{}", lower[i], variable);
  for (std::size_t i = 1; i < upper.size(); ++i) out += fmt::format(", {}{}", variable, upper[i]);
  return out;
}

std::string condition_text(const Condition& c) {
  // Terms with a minus go to the other side.
  Affine left, right;
  for (const auto& [name, k] : c.affine.terms) (k > 0 ? left : right).terms[name] = k > 0 ? k : -k;
  (c.affine.constant > 0 ? left : right).constant = c.affine.constant > 0 ? c.affine.constant : -c.affine.constant;
  const char* relation = c.kind == Condition::Kind::nonnegative ? ">=" : c.kind == Condition::Kind::zero ? "==" : "!=";
  return fmt::format("{} {} {}", text_of(left), relation, text_of(right));
}

std::string guard_text(const std::vector<Condition>& guard) {
  std::string out;
  for (const Condition& c : guard) out += (out.empty() ? "if " : " and ") + condition_text(c);
  return out;
}

std::string print(const Statement& s, std::string_view type);

// `: i64`, for a temporary that is no f64.
std::string type_text(const Statement& s, const Nest& nest) {
  const Temporary* t = s.reducer ? nest.temporary(s.access().tensor, s.equation) : nullptr;
  return !t || t->type == tensor::ValueType::f64 ? "" : fmt::format(": {}", name_of(t->type));
}

void print_body(const std::vector<Node>& body, int depth, const Nest& nest, const Program& program,
                const Remarks& remarks, std::string& out) {
  const auto line = [&](int indent, const std::string& text) { out += fmt::format("{:{}}{}\n", "", 2 * indent, text); };
  for (const Node& node : body) {
    if (remarks.shown && !remarks.shown(node)) continue;
    int inner = depth;
    const auto& guard = std::visit([](const auto& n) -> const std::vector<Condition>& { return n.guard; }, node.kind);
    if (!guard.empty()) line(inner++, guard_text(guard));
    if (const Loop* loop = std::get_if<Loop>(&node.kind)) {
      line(inner, header(*loop, program));
      if (remarks.at_top)
        for (const std::string& remark : remarks.at_top(*loop)) line(inner + 1, remark);
      print_body(loop->body, inner + 1, nest, program, remarks, out);
    } else {
      const Statement& s = std::get<Statement>(node.kind);
      line(inner, print(s, type_text(s, nest)));
    }
    if (remarks.behind)
      for (const std::string& remark : remarks.behind(node)) line(inner, remark);
  }
}

} // namespace

std::string header(const Loop& loop, const Program& program) {
  const std::optional<Affine> size = implied_size(loop, program);
  std::string out = loop.forall ? "forall " : "for ";
  for (std::size_t i = 0; i < loop.ranges.size(); ++i)
    out += (i == 0 ? "" : " or ") + range_text(loop.variable, loop.ranges[i], size);
  if (!loop.rising) out += " falling";
  if (loop.parallel) out += " parallel";
  if (loop.vector_width != 0) out += loop.vector_width < 0 ? " vector" : fmt::format(" vector {}", loop.vector_width);
  if (loop.unroll != 0) out += fmt::format(" unroll {}", loop.unroll);
  return out;
}

namespace {

std::string print(const Statement& s, std::string_view type) {
  const std::string target = fmt::format("{}{}", recurrence::print(s.target), type), value = recurrence::print(s.value);
  if (!s.reducer) return fmt::format("{} = {}", target, value);
  switch (*s.reducer) {
  case Reducer::sum: return fmt::format("{} += {}", target, value);
  case Reducer::prod: return fmt::format("{} *= {}", target, value);
  default: return fmt::format("{} {}= {}", target, name_of(*s.reducer), value);
  }
}

} // namespace

std::string print(const Statement& s) { return print(s, ""); }

std::string print(const Nest& nest, const Program& program, const Remarks& remarks) {
  std::string out;
  print_body(nest.body, 0, nest, program, remarks, out);
  return out;
}

} // namespace cyclotron::loops
