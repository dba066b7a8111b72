// SPDX-License-Identifier: MIT
// Random expressions. Values stay tame: what is being defined is only added, scaled and compared, never multiplied by
// itself, and functions get arguments for which they are defined.
#include "program_draft.hpp"

#include <algorithm>

namespace cyclotron::fuzz {

namespace {

std::string call(const std::string& function, const std::string& a, const std::string& b) {
  return function + "(" + a + ", " + b + ")";
}

std::string between(const std::string& a, const std::string& op, const std::string& b) {
  return "(" + a + " " + op + " " + b + ")";
}

} // namespace

std::string ProgramDraft::value(Kind kind, const Scope& scope, int depth) {
  if (kind == Kind::real) return real(scope, depth);
  return kind == Kind::whole ? whole(scope, depth) : truth(scope, depth);
}

// A value that depends on itself: several of the reads that are allowed, and integers kept small.
std::string ProgramDraft::clamped(const TensorSketch& tensor, const Scope& scope, int depth) {
  const Kind kind = tensor.kind();
  std::string text = value(kind, scope, depth);
  std::vector<std::string> own;
  for (const auto& [read, its] : scope.own)
    if (its == kind) own.push_back(read);
  if (own.size() > 1 && choices.chance(40)) {
    const std::string &first = own.front(),
                      &second = own[1 + static_cast<std::size_t>(choices.below(static_cast<int>(own.size()) - 1))];
    if (kind == Kind::truth) text = "(" + first + " and " + second + ") or " + text;
    else text = text + " + " + (kind == Kind::real ? "(" + first + " - " + second + ") / 4" : first + " - " + second);
  }
  return kind != Kind::whole || scope.own.empty() ? text : "max(min(" + text + ", 999), -999)";
}

std::string ProgramDraft::atom(Kind kind, const Scope& scope) {
  std::vector<std::string> own;
  for (const auto& [text, its] : scope.own)
    if (its == kind || (its == Kind::whole && kind == Kind::real)) own.push_back(text);
  const int way = choices.below(10);
  if (!own.empty() && way < 5) return choices.pick(own);
  if (kind == Kind::truth) return way < 8 ? read(kind, scope) : choices.pick({"true", "false"});
  if (way == 8 && !scope.variables.empty()) return choices.pick(scope.variables).name;
  if (way == 9 && choices.chance(30)) return choices.pick(sizes);
  if (way == 9)
    return kind == Kind::whole ? choices.pick({"1", "0", "two", "3"}) : choices.pick({"1", "0.25", "half", "2.5"});
  return read(kind, scope);
}

std::string ProgramDraft::function_of(const std::string& argument) {
  switch (choices.below(6)) {
  case 0: return "abs(" + argument + ")";
  case 1: return "sqrt(abs(" + argument + "))";
  case 2: return "exp(-abs(" + argument + "))";
  case 3: return "log(abs(" + argument + ") + 1)";
  case 4: return "pow(abs(" + argument + ") + 0.5, 0.75)";
  default: return "-" + argument;
  }
}

std::string ProgramDraft::real(const Scope& scope, int depth) {
  if (depth <= 0) return atom(Kind::real, scope);
  const auto next = [&] { return real(scope, depth - 1); };
  switch (choices.below(12)) {
  case 0: return atom(Kind::real, scope);
  case 1: return between(next(), "+", next());
  case 2: return between(next(), "-", next());
  case 3: return between(choices.pick({"0.5", "2", "half", "1.5"}), "*", next());
  case 4: return between(next(), "/", choices.pick({"4", "3", "two", "2.5"}));
  case 5: return between(read(Kind::real, {scope.variables, {}}), "*", next());
  case 6: return call(choices.pick({"min", "max"}), next(), choices.chance(30) ? next() + ", " + next() : next());
  case 7: return function_of(next());
  case 8: return choose(Kind::real, scope, depth);
  case 9:
  case 10: return reduction(Kind::real, scope, depth);
  default: return between(whole({scope.variables, {}}, depth - 1), "+", next());
  }
}

std::string ProgramDraft::whole(const Scope& scope, int depth) {
  if (depth <= 0) return atom(Kind::whole, scope);
  const auto next = [&] { return whole(scope, depth - 1); };
  switch (choices.below(9)) {
  case 0: return atom(Kind::whole, scope);
  case 1: return between(next(), "+", next());
  case 2: return between(next(), "-", next());
  case 3: return between(choices.pick({"2", "3", "two"}), "*", next());
  case 4: return call(choices.pick({"min", "max"}), next(), next());
  case 5: return choices.chance(50) ? "abs(" + next() + ")" : "(-" + next() + ")";
  case 6: return choose(Kind::whole, scope, depth);
  default: return reduction(Kind::whole, scope, depth);
  }
}

std::string ProgramDraft::truth(const Scope& scope, int depth) {
  if (depth <= 0) return choices.chance(50) ? atom(Kind::truth, scope) : comparison(scope, 0);
  const auto next = [&] { return truth(scope, depth - 1); };
  switch (choices.below(8)) {
  case 0: return atom(Kind::truth, scope);
  case 1: return comparison(scope, depth - 1);
  case 2: return affine_condition(scope);
  case 3: return between(next(), "and", next());
  case 4: return between(next(), "or", next());
  case 5: return "(not " + next() + ")";
  case 6: return choose(Kind::truth, scope, depth);
  default: return reduction(Kind::truth, scope, depth);
  }
}

std::string ProgramDraft::comparison(const Scope& scope, int depth) {
  const Kind left = choices.chance(50) ? Kind::whole : Kind::real,
             right = choices.chance(50) ? Kind::whole : Kind::real;
  const std::string lhs = value(left, scope, depth), relation = choices.pick({"<", "<=", ">", ">=", "==", "!="});
  return between(lhs, relation, value(right, scope, depth));
}

std::string ProgramDraft::affine_condition(const Scope& scope) {
  if (scope.variables.empty()) return between(choices.pick(sizes), choices.pick({">", "==", "<="}), "1");
  const std::string a = choices.pick(scope.variables).name;
  const std::string relation = choices.pick({"<", "<=", ">", ">=", "==", "!="});
  switch (choices.below(4)) {
  case 0: return between(a, relation, std::to_string(choices.between(0, 2)));
  case 1: return between(a, relation, choices.pick(scope.variables).name);
  case 2: return between("2*" + a, relation, choices.pick(sizes));
  default: return between(a + " + " + choices.pick(scope.variables).name, relation, choices.pick(sizes) + " - 1");
  }
}

// `select` by data, by indices, or by a condition on an index that makes reads legal which would not be elsewhere.
std::string ProgramDraft::choose(Kind kind, const Scope& scope, int depth) {
  const int way = choices.below(4);
  if (way == 0 || scope.variables.empty())
    return "select(" + truth(scope, depth - 1) + ", " + value(kind, scope, depth - 1) + ", " +
           value(kind, scope, depth - 1) + ")";
  if (way == 1)
    return "select(" + affine_condition(scope) + ", " + value(kind, scope, depth - 1) + ", " +
           value(kind, scope, depth - 1) + ")";
  Scope inside = scope;
  Variable& v = inside.variables[static_cast<std::size_t>(choices.below(static_cast<int>(inside.variables.size())))];
  const bool from_below = way == 2;
  const std::string condition =
      from_below ? v.name + " >= " + std::to_string(v.low + 1) : v.name + " < " + plus(v.size, v.high - 1);
  (from_below ? v.low : v.high) += from_below ? 1 : -1;
  const std::string then_value = value(kind, inside, depth - 1);
  if (kind == Kind::truth && choices.chance(50)) return between(condition, "and", then_value);
  const std::string else_value = value(kind, scope, depth - 1);
  if (choices.chance(30)) return "select(not (" + condition + "), " + else_value + ", " + then_value + ")";
  return "select(" + condition + ", " + then_value + ", " + else_value + ")";
}

// --- reductions ---

// A constraint that ties a reduction variable to the variables around it.
std::string ProgramDraft::relation_to(const Variable& own, const Scope& outer) {
  std::vector<std::string> near;
  for (const Variable& v : outer.variables)
    if (v.size == own.size) near.push_back(v.name);
  if (near.empty()) return own.name + choices.pick({" >= 1", " != 1", " != 0", " == 0"});
  const std::string other = choices.pick(near);
  const std::string bound = plus(own.size, own.high);
  switch (choices.below(7)) {
  case 0: return own.name + " < " + other;
  case 1: return own.name + " <= " + other;
  case 2: return other + " < " + own.name;
  case 3: return own.name + " != " + other;
  case 4: return own.name + " + " + other + " < " + bound;
  case 5: return other + " <= " + own.name + " < " + bound;
  default: return own.name + " == " + other;
  }
}

std::string ProgramDraft::reduction(Kind kind, const Scope& scope, int depth) {
  Scope inside = scope;
  std::string names;
  const int count = choices.chance(25) ? 2 : 1;
  for (int i = 0; i < count; ++i) {
    Variable v{fresh_variable(), choices.pick(sizes), 0, 0, true};
    v.exact = choices.chance(60);
    if (!v.exact) {
      if (choices.chance(25)) v.low = choices.between(-2, 1);
      if (choices.chance(25)) v.high = choices.between(-2, 1);
      const std::string from = std::to_string(v.low) + " <= " + v.name, to = plus(v.size, v.high);
      constrain(choices.chance(50) ? from + " < " + to : from + ", " + to + " > " + v.name);
    }
    if (choices.chance(45)) constrain(relation_to(v, scope));
    inside.variables.push_back(v);
    names += (names.empty() ? "" : ", ") + v.name;
  }
  const std::string first = input_read({inside.variables, {}}, kind); // gives each exact variable its range
  const auto over = [&](const std::string& reducer, const std::string& op) {
    return reducer + "[" + names + "](" + first + (op.empty() ? "" : op + value(kind, inside, depth - 1)) + ")";
  };
  if (kind == Kind::truth) return over(choices.pick({"any", "all"}), choices.pick({" and ", " or "}));
  if (choices.chance(12)) return over("prod", kind == Kind::real ? " / 2 + 0 * " : "");
  if (kind == Kind::real) return over(choices.pick({"sum", "sum", "min", "max"}), choices.pick({" * ", " - ", " + "}));
  const std::string op = choices.pick({"", " - ", " + "});
  switch (choices.below(3)) {
  case 0: return over("sum", op);
  case 1: return "min(" + over("min", op) + ", 50)"; // an empty one is the largest integer
  default: return "max(" + over("max", op) + ", -50)";
  }
}

// A product whose new index stands only on the right: summed over its term.
std::string ProgramDraft::implied_sum(const Scope& scope, Kind kind) {
  Scope inside = scope;
  const Variable v{fresh_variable(), choices.pick(sizes), 0, 0, true};
  inside.variables.push_back(v);
  if (choices.chance(30)) constrain(relation_to(v, scope));
  const std::string matrix = input_read({inside.variables, {}}, kind);
  return matrix + " * " + input_read({{v}, {}}, kind);
}

} // namespace cyclotron::fuzz
