// SPDX-License-Identifier: MIT
// The invariants of a program that need no run. Whether all that is sent is received is another question: predict.hpp.
#include "pe/verify.hpp"
#include "frontend/lex.hpp"
#include "pe/place.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace cyclotron::pe {

using namespace recurrence;

namespace {

// Beyond these no program is meant, and sums and products of what is inside stay inside 64 bits.
constexpr std::int64_t most_elements = std::int64_t{1} << 22;
constexpr std::int64_t largest_number = std::int64_t{1} << 40;
constexpr std::int64_t largest_coefficient = std::int64_t{1} << 20;
constexpr std::int64_t most_placements = 2'000'000; // roles tried on PEs; a larger grid is not looked through

bool is_identifier(const std::string& name) {
  if (name == "and" || name == "or" || name == "not") return false; // a line that ends in one goes on
  return frontend::is_identifier(name);
}

// What can stand in quotes on one line.
bool is_line(const std::string& text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

bool small(std::int64_t value) { return value >= -largest_number && value <= largest_number; }

class Verifier {
public:
  explicit Verifier(const Program& program) : program_(program) {}

  std::string run() {
    check_grid();
    check_memory();
    if (problem_.empty()) check_host();
    if (problem_.empty()) check_roles();
    if (problem_.empty()) check_placement();
    return problem_;
  }

private:
  // Only the first problem is kept: the others often follow from it.
  void report(std::string problem) {
    if (problem_.empty()) problem_ = std::move(problem);
  }

  // --- declarations ---

  template <class List> void check_names(const List& list, const char* what) {
    std::set<std::string> seen;
    for (const auto& item : list) {
      if (!is_identifier(item.name)) report(fmt::format("the {} `{}` has a name that is no word", what, item.name));
      if (!seen.insert(item.name).second) report(fmt::format("the {} `{}` is declared twice", what, item.name));
    }
  }

  void check_grid() {
    check_names(program_.axes, "axis");
    if (program_.torus.size() != program_.axes.size()) report("it is not said of every axis whether it is a torus");
    std::int64_t elements = 1;
    for (const Axis& a : program_.axes) {
      if (!small(a.first) || !small(a.last) || a.last < a.first - 1)
        return report(fmt::format("the axis `{}` goes from {} to {}", a.name, a.first, a.last));
      check_variable(a.name);
      const std::int64_t extent = a.last - a.first + 1;
      if (extent > most_elements || elements * extent > most_elements)
        return report(fmt::format("the grid has more than {} PEs", most_elements));
      elements *= extent;
    }
  }

  void check_variable(const std::string& name) {
    if (!is_identifier(name) || name == "inf" || name == "true" || name == "false")
      report(fmt::format("`{}` cannot be the name of a variable", name));
  }

  void check_memory() {
    if (!is_line(program_.name) || !is_line(program_.closed_form)) report("the name of the program is not one line");
    for (const auto& [name, value] : program_.sizes)
      if (!is_identifier(name) || !small(value)) report(fmt::format("the size `{}` is {}", name, value));
    check_names(program_.tensors, "tensor");
    check_names(program_.registers, "register");
    check_names(program_.channels, "channel");
    for (const Memory& m : program_.tensors) {
      if (m.block.size() != m.dims.size())
        report(fmt::format("`{}` has {} dimensions, but {} extents of tiles", m.name, m.dims.size(), m.block.size()));
      check_extents(m.dims, m.name);
      check_extents(m.block, m.name);
    }
    for (const Register& r : program_.registers) {
      std::vector<std::int64_t> extents = r.tile;
      for (const Register::Extent& e : r.table) {
        extents.push_back(e.count);
        if (!small(e.first)) report(fmt::format("the least index of `{}` is {}", r.name, e.first));
      }
      check_extents(extents, r.name);
    }
    for (const Channel& c : program_.channels) check_channel(c);
  }

  void check_channel(const Channel& c) {
    if (!is_identifier(c.value))
      report(fmt::format("the channel `{}` carries `{}`, which is no name", c.name, c.value));
    if (c.offset.size() != program_.axes.size())
      report(fmt::format("the channel `{}` has {} offsets for {} axes", c.name, c.offset.size(), program_.axes.size()));
    for (const std::int64_t o : c.offset)
      if (!small(o)) report(fmt::format("the channel `{}` has an offset of {}", c.name, o));
    check_extents(c.tile, c.name);
  }

  void check_extents(const std::vector<std::int64_t>& extents, const std::string& name) {
    double volume = 1;
    for (const std::int64_t e : extents) {
      if (e < 0 || !small(e)) return report(fmt::format("`{}` has an extent of {}", name, e));
      volume *= static_cast<double>(std::max<std::int64_t>(e, 1));
    }
    if (volume > static_cast<double>(largest_number))
      report(fmt::format("`{}` has more than {} elements", name, largest_number));
  }

  // --- roles and the host ---

  void check_roles() {
    std::set<std::string> names;
    for (const Role& r : program_.roles) {
      where_ = fmt::format("the role `{}`", r.name);
      if (r.name.empty() || !is_line(r.name)) report("a role has no name");
      if (!names.insert(r.name).second) report(fmt::format("the role `{}` is declared twice", r.name));
      scope_.clear();
      for (const Axis& a : program_.axes) scope_.push_back(a.name);
      check_tests(r.where);
      check_body(r.body, 0);
    }
  }

  void check_host() {
    in_host_ = true;
    where_ = "the host";
    check_body(program_.host, 0);
    in_host_ = false;
  }

  // Every PE plays at most one role.
  void check_placement() {
    const std::int64_t tries = program_.elements() * static_cast<std::int64_t>(program_.roles.size());
    if (tries > most_placements) return;
    const Grid grid(program_);
    for (const Element& e : grid.elements()) {
      if (e.role < 0) continue;
      const Values value_of = [&](const std::string& name) {
        std::size_t a = 0;
        while (program_.axes[a].name != name) ++a;
        return e.at[a];
      };
      for (std::size_t r = static_cast<std::size_t>(e.role) + 1; r < program_.roles.size(); ++r)
        if (holds(program_.roles[r].where, value_of))
          return report(fmt::format("the PE [{}] plays the roles `{}` and `{}`", fmt::join(e.at, ","),
                                    program_.roles[static_cast<std::size_t>(e.role)].name, program_.roles[r].name));
    }
  }

  // --- statements ---

  void check_body(const std::vector<Statement>& body, int depth) {
    if (depth > deepest_body) return report(fmt::format("{} is more than {} levels deep", where_, deepest_body));
    for (const Statement& s : body)
      std::visit(ir::overload{[&](const Loop& l) { check(l, depth); }, [&](const If& i) { check(i, depth); },
                              [&](const Pass& p) { check(p); }, [&](const Step& step) { check(step); }},
                 s.kind);
  }

  void check(const Loop& loop, int depth) {
    check_variable(loop.variable);
    if (in_scope(loop.variable))
      report(fmt::format("the loop over `{}` in {} has the name of an axis or of a loop around it", loop.variable,
                         where_));
    if (loop.step == 0 || !small(loop.step))
      report(fmt::format("the loop over `{}` in {} has a step of {}", loop.variable, where_, loop.step));
    check_index(loop.first);
    check_index(loop.last);
    scope_.push_back(loop.variable);
    check_body(loop.body, depth + 1);
    scope_.pop_back();
  }

  void check(const If& branch, int depth) {
    check_tests(branch.any);
    check_body(branch.body, depth + 1);
  }

  void check(const Pass& pass) {
    if (in_host_) report("the host has a pass");
    if (pass.cycles < 0 || !small(pass.cycles)) report(fmt::format("a pass in {} has {} cycles", where_, pass.cycles));
    if (passes_ && *passes_ != pass.at.size()) report("some passes have more numbers than others");
    passes_ = pass.at.size();
    for (const Index& i : pass.at) check_index(i);
  }

  void check(const Step& step) {
    if (step.space.empty() || !is_line(step.space)) report(fmt::format("a step in {} has no name", where_));
    step_ = &step;
    std::set<std::string> names;
    for (const auto& [name, value] : step.coordinates) {
      check_variable(name);
      if (!names.insert(name).second)
        report(fmt::format("the step `{}` in {} has two coordinates `{}`", step.space, where_, name));
      check_index(value);
    }
    for (const Action& a : step.actions) std::visit([&](const auto& action) { check(action); }, a);
  }

  bool in_scope(const std::string& name) const { return std::find(scope_.begin(), scope_.end(), name) != scope_.end(); }

  void check_tests(const std::vector<Tests>& any) {
    for (const Tests& all : any)
      for (const Test& t : all) {
        check_index(t.lhs);
        check_index(t.rhs);
      }
  }

  void check_index(const Index& index, int depth = 0) {
    if (!index) return report(fmt::format("a number is missing in {}", where_));
    if (depth > deepest_body) return report(fmt::format("a number in {} has too many operators", where_));
    match(
        index,
        [&](const Whole& w) {
          if (!small(w.value)) report(fmt::format("the number {} in {} is too large", w.value, where_));
        },
        [&](const Variable& v) {
          if (!in_scope(v.name)) report(fmt::format("`{}` in {} is not in scope", v.name, where_));
        },
        [&](const Operation& o) {
          check_index(o.lhs, depth + 1);
          check_index(o.rhs, depth + 1);
          const bool divides = o.op == IndexOp::floor_div || o.op == IndexOp::mod;
          const Whole* divisor = divides && o.rhs ? as<Whole>(o.rhs) : nullptr;
          if (divides && (!divisor || divisor->value < 1))
            report(fmt::format("`{}` in {} divides by what is not a positive number", print(index), where_));
        });
  }

  // --- actions ---

  std::string here() const { return fmt::format("the step `{}` of {}", step_->space, where_); }

  void check_affine(const std::vector<Affine>& point) {
    for (const Affine& a : point) {
      if (!small(a.constant)) report(fmt::format("an index in {} is too large", here()));
      for (const auto& [name, c] : a.terms) {
        if (std::none_of(step_->coordinates.begin(), step_->coordinates.end(),
                         [&](const auto& pair) { return pair.first == name; }))
          report(fmt::format("`{}` is no coordinate of {}", name, here()));
        if (c == 0 || c > largest_coefficient || c < -largest_coefficient)
          report(fmt::format("an index in {} has a factor of {}", here(), c));
      }
    }
  }

  const Register* check_slot(const Slot& slot) {
    check_affine(slot.at);
    const Register* r = program_.find_register(slot.name);
    if (!r) report(fmt::format("no register `{}` is declared, which {} uses", slot.name, here()));
    else if (r->table.size() != slot.at.size())
      report(fmt::format("`{}` has {} indices in {}, expected {}", slot.name, slot.at.size(), here(), r->table.size()));
    return r;
  }

  // A tensor's element or tile against a register.
  void check_element(const std::string& tensor, const std::vector<Affine>& indices, const Register* r) {
    check_affine(indices);
    const Memory* m = program_.tensor(tensor);
    if (!m) return report(fmt::format("no tensor `{}` is declared, which {} uses", tensor, here()));
    if (indices.size() > m->dims.size())
      report(fmt::format("`{}` has {} indices in {}, expected {}", tensor, indices.size(), here(), m->dims.size()));
    const auto tile = m->block.size() - static_cast<std::size_t>(std::count(m->block.begin(), m->block.end(), 0));
    if (r && r->tile.size() != tile)
      report(fmt::format("`{}` has tiles of {} dimensions, but the register `{}` of {}", tensor, tile, r->name,
                         r->tile.size()));
  }

  void check(const Load& load) {
    if (in_host_ && load.supply != Supply::direct) report("the host loads from the boundary of an array");
    check_element(load.tensor, load.indices, check_slot(load.to));
  }

  void check(const Store& store) {
    check_element(store.tensor, store.indices, check_slot(store.from));
    const Memory* m = program_.tensor(store.tensor);
    if (m && !m->is_output) report(fmt::format("{} stores into `{}`, which is an input", here(), store.tensor));
  }

  void check_end(const Slot& slot, int index) {
    if (in_host_) return report("the host sends or receives");
    const Register* r = check_slot(slot);
    if (index < 0 || static_cast<std::size_t>(index) >= program_.channels.size())
      return report(fmt::format("{} uses a channel that is not declared", here()));
    const Channel& c = program_.channels[static_cast<std::size_t>(index)];
    if (r && (r->type != c.type || r->tile.size() != c.tile.size()))
      report(fmt::format("the register `{}` and the channel `{}` have different types in {}", r->name, c.name, here()));
  }

  void check(const Receive& receive) { check_end(receive.to, receive.channel); }
  void check(const Send& send) { check_end(send.from, send.channel); }

  void check(const Compute& compute) {
    check_slot(compute.to);
    if (!problem_.empty()) return;
    if (const std::string problem = problem_of_value(compute, *step_, program_); !problem.empty())
      report(fmt::format("{}, in {}", problem, here()));
  }

  const Program& program_;
  std::vector<std::string> scope_;
  std::optional<std::size_t> passes_; // how many numbers a pass has
  std::string where_;                 // what is being looked at
  const Step* step_ = nullptr;
  bool in_host_ = false;
  std::string problem_;
};

} // namespace

std::string problem_of(const Program& program) { return Verifier(program).run(); }

} // namespace cyclotron::pe
