// SPDX-License-Identifier: MIT
#include "recurrence/polyhedra.hpp"

#include "support/diagnostics.hpp"

#include <fmt/format.h>
#include <isl/options.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <map>

namespace cyclotron::recurrence {

namespace {

// Enough for every program of the field by a wide margin, and a few seconds at the worst.
constexpr unsigned long most_operations_in_one_question = 5'000'000;
constexpr unsigned long most_operations = 2'000'000;

std::string join(const std::vector<std::string>& parts, const char* between) {
  std::string out;
  for (const std::string& p : parts) out += (out.empty() ? "" : between) + p;
  return out;
}

} // namespace

IslContext::IslContext() : context_(isl_ctx_alloc()) {
  isl_options_set_on_error(context_, ISL_ON_ERROR_CONTINUE);
  isl_ctx_set_max_operations(context_, most_operations);
}
IslContext::~IslContext() { isl_ctx_free(context_); }

void IslContext::start_bounded() {
  isl_ctx_reset_operations(context_);
  isl_ctx_set_max_operations(context_, most_operations_in_one_question);
}

void IslContext::end_bounded() {
  isl_ctx_set_max_operations(context_, most_operations);
  isl_ctx_reset_operations(context_);
  isl_ctx_reset_error(context_);
}

Condition condition_of(const Affine& lhs, Relation relation, const Affine& rhs) {
  const Affine one{{}, 1};
  switch (relation) {
  case Relation::less: return {rhs - lhs - one, Condition::Kind::nonnegative};
  case Relation::less_equal: return {rhs - lhs, Condition::Kind::nonnegative};
  case Relation::greater: return {lhs - rhs - one, Condition::Kind::nonnegative};
  case Relation::greater_equal: return {lhs - rhs, Condition::Kind::nonnegative};
  case Relation::equal: return {lhs - rhs, Condition::Kind::zero};
  case Relation::not_equal: return {lhs - rhs, Condition::Kind::nonzero};
  }
  bug("unknown relation");
}

std::vector<Condition> conditions_of(const Constraint& constraint, const Program& program) {
  std::vector<Condition> list;
  for (std::size_t i = 0; i < constraint.relations.size(); ++i)
    list.push_back(condition_of(accepted_affine(constraint.operands[i], program), constraint.relations[i],
                                accepted_affine(constraint.operands[i + 1], program)));
  return list;
}

void add_index_inside(const std::string& index, const Affine& size, std::vector<Condition>& to) {
  const Affine own{{{index, 1}}, 0};
  to.push_back({own, Condition::Kind::nonnegative});
  to.push_back(condition_of(own, Relation::less, size));
}

Condition negated(const Condition& c) {
  switch (c.kind) {
  case Condition::Kind::nonnegative: return {-1 * c.affine - Affine{{}, 1}, Condition::Kind::nonnegative};
  case Condition::Kind::zero: return {c.affine, Condition::Kind::nonzero};
  case Condition::Kind::nonzero: return {c.affine, Condition::Kind::zero};
  }
  bug("unknown condition");
}

bool holds(const Condition& condition, const std::function<std::int64_t(const std::string&)>& value_of) {
  const std::int64_t value = condition.affine.evaluate(value_of);
  switch (condition.kind) {
  case Condition::Kind::nonnegative: return value >= 0;
  case Condition::Kind::zero: return value == 0;
  case Condition::Kind::nonzero: return value != 0;
  }
  bug("unknown condition");
}

std::string isl_name(const std::string& name) {
  static const std::array<std::string_view, 18> words{"exists",   "and",   "or",     "implies", "not",  "infty",
                                                      "infinity", "nan",   "min",    "max",     "rat",  "true",
                                                      "false",    "ceild", "floord", "mod",     "ceil", "floor"};
  std::string lower = name; // isl's words may be written in any case
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const bool taken = std::find(words.begin(), words.end(), lower) != words.end() || name.back() == '_';
  return taken ? name + "_" : name;
}

std::string isl_text(const Affine& affine) {
  std::string out = std::to_string(affine.constant);
  for (const auto& [name, c] : affine.terms) out += fmt::format(" + {}*{}", c, isl_name(name));
  return out;
}

std::string isl_text(const Condition& condition) {
  switch (condition.kind) {
  case Condition::Kind::nonnegative: return isl_text(condition.affine) + " >= 0";
  case Condition::Kind::zero: return isl_text(condition.affine) + " = 0";
  case Condition::Kind::nonzero:
    return "(" + isl_text(condition.affine) + " > 0 or " + isl_text(condition.affine) + " < 0)";
  }
  bug("unknown condition");
}

isl::set make_set(const IslContext& context, const Program& program, const std::vector<std::string>& variables,
                  const std::vector<std::string>& texts, bool with_sizes) {
  std::vector<std::string> sizes, names, conditions;
  for (const Binder& s : program.sizes) {
    sizes.push_back(isl_name(s.name));
    if (with_sizes) conditions.push_back(isl_name(s.name) + " >= 0");
  }
  if (with_sizes)
    for (const Assumption& a : program.assumptions)
      for (const Condition& c : conditions_of(a.constraint, program)) conditions.push_back(isl_text(c));
  for (const std::string& v : variables) names.push_back(isl_name(v));
  for (const std::string& t : texts)
    if (!t.empty()) conditions.push_back(t);
  const std::string where = conditions.empty() ? "" : " : " + join(conditions, " and ");
  return isl::set(context.get(), fmt::format("[{}] -> {{ [{}]{} }}", join(sizes, ", "), join(names, ", "), where));
}

namespace {

// Conditions as constraints of isl, over sizes as parameters and these variables.
class Constraints {
public:
  Constraints(const IslContext& context, const Program& program, const std::vector<std::string>& variables)
      : context_(context.get().get()) {
    space_ = isl_space_set_alloc(context_, static_cast<unsigned>(program.sizes.size()),
                                 static_cast<unsigned>(variables.size()));
    const auto name = [&](isl_dim_type type, const std::string& own, std::size_t place) {
      places_[own] = columns_++;
      space_ = isl_space_set_dim_name(space_, type, static_cast<unsigned>(place), isl_name(own).c_str());
    };
    for (std::size_t i = 0; i < program.sizes.size(); ++i) name(isl_dim_param, program.sizes[i].name, i);
    for (std::size_t i = 0; i < variables.size(); ++i) name(isl_dim_set, variables[i], i);
  }
  ~Constraints() { isl_space_free(space_); }
  Constraints(const Constraints&) = delete;
  Constraints& operator=(const Constraints&) = delete;

  isl::set all_of(const std::vector<Condition>& conditions) const {
    std::vector<Condition> convex;
    for (const Condition& c : conditions)
      if (c.kind != Condition::Kind::nonzero) convex.push_back(c);
    isl_set* set = isl_set_from_basic_set(convex_of(convex));
    for (const Condition& c : conditions) {
      if (c.kind != Condition::Kind::nonzero) continue;
      const Affine one{{}, 1};
      isl_set* sides = isl_set_empty(isl_space_copy(space_));
      for (const Affine& side : {c.affine - one, -1 * c.affine - one})
        sides = isl_set_union(sides, isl_set_from_basic_set(convex_of({{side, Condition::Kind::nonnegative}})));
      set = isl_set_intersect(set, sides);
    }
    return isl::manage(set);
  }

private:
  // All at once, as rows of matrices: isl simplifies after each constraint that is added by itself.
  isl_basic_set* convex_of(const std::vector<Condition>& conditions) const {
    const auto count = [&](bool zero) {
      return static_cast<unsigned>(std::count_if(conditions.begin(), conditions.end(), [&](const Condition& c) {
        return (c.kind == Condition::Kind::zero) == zero;
      }));
    };
    const unsigned columns = static_cast<unsigned>(columns_);
    isl_mat* zero = isl_mat_alloc(context_, count(true), columns);
    isl_mat* nonnegative = isl_mat_alloc(context_, count(false), columns);
    int zeros = 0, others = 0;
    for (const Condition& c : conditions) {
      if (c.kind == Condition::Kind::zero) zero = with_row(zero, zeros++, c.affine);
      else nonnegative = with_row(nonnegative, others++, c.affine);
    }
    return isl_basic_set_from_constraint_matrices(isl_space_copy(space_), zero, nonnegative, isl_dim_cst, isl_dim_param,
                                                  isl_dim_set, isl_dim_div);
  }

  isl_mat* with_row(isl_mat* matrix, int row, const Affine& affine) const {
    for (int column = 0; column < columns_; ++column) matrix = isl_mat_set_element_si(matrix, row, column, 0);
    const auto set = [&](int column, std::int64_t value) {
      matrix = isl_mat_set_element_val(matrix, row, column, isl_val_int_from_si(context_, value));
    };
    set(0, affine.constant);
    for (const auto& [name, k] : affine.terms) {
      const auto at = places_.find(name);
      if (at == places_.end()) bug("a condition on `" + name + "`, which has no place in the set");
      set(at->second, k);
    }
    return matrix;
  }

  isl_ctx* context_;
  isl_space* space_;
  int columns_ = 1; // the constant, sizes, variables
  std::map<std::string, int> places_;
};

} // namespace

isl::set set_where(const IslContext& context, const Program& program, const std::vector<std::string>& variables,
                   const std::vector<Condition>& conditions, bool with_sizes) {
  std::vector<Condition> all;
  if (with_sizes) {
    for (const Binder& s : program.sizes) all.push_back({Affine{{{s.name, 1}}, 0}, Condition::Kind::nonnegative});
    for (const Assumption& a : program.assumptions)
      for (Condition& c : conditions_of(a.constraint, program)) all.push_back(std::move(c));
  }
  all.insert(all.end(), conditions.begin(), conditions.end());
  return Constraints(context, program, variables).all_of(all);
}

namespace {

std::string take(char* text) {
  const std::string out = text ? text : "";
  free(text);
  return out;
}

} // namespace

std::string to_string(const isl::set& set) { return take(isl_set_to_str(set.get())); }
std::string to_string(const isl::map& map) { return take(isl_map_to_str(map.get())); }
std::string to_string(const isl::union_map& map) { return take(isl_union_map_to_str(map.get())); }

std::int64_t Witness::value_of(const std::string& name) const {
  for (const auto& list : {sizes, indices})
    for (const auto& [n, v] : list)
      if (n == name) return v;
  bug("a witness has no value for " + name);
}

std::string Witness::describe() const {
  std::string out;
  for (const auto& list : {sizes, indices})
    for (const auto& [name, value] : list) out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", name, value);
  return out;
}

std::optional<Witness> find_witness(const isl::set& set, const Program& program,
                                    const std::vector<std::string>& variables) {
  if (set.is_empty()) return std::nullopt;
  const unsigned count = static_cast<unsigned>(program.sizes.size());
  isl::set flat = isl::manage(isl_set_move_dims(set.copy(), isl_dim_set, 0, isl_dim_param, 0, count));
  isl::set smallest = flat;
  try {
    smallest = flat.lexmin();
  } catch (const isl::exception&) {
    smallest = flat; // some index is unbounded below; any point will do
  }
  if (smallest.is_empty()) return std::nullopt;
  const isl::point point = smallest.sample_point();
  const auto value = [&](std::size_t i) {
    return isl::manage(isl_point_get_coordinate_val(point.get(), isl_dim_set, static_cast<int>(i))).get_num_si();
  };
  Witness result;
  for (std::size_t i = 0; i < count; ++i) result.sizes.emplace_back(program.sizes[i].name, value(i));
  for (std::size_t i = 0; i < variables.size(); ++i) result.indices.emplace_back(variables[i], value(count + i));
  return result;
}

} // namespace cyclotron::recurrence
