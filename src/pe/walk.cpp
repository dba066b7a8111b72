// SPDX-License-Identifier: MIT
#include "pe/walk.hpp"

#include <algorithm>

namespace cyclotron::pe {

using recurrence::ExprNode;
using recurrence::KernelCall;

bool may_meet(const Slot& a, const Slot& b) {
  if (a.name != b.name) return false;
  for (std::size_t d = 0; d < a.at.size() && d < b.at.size(); ++d) {
    const Affine difference = a.at[d] - b.at[d];
    if (difference.is_constant() && difference.constant != 0) return false;
  }
  return true;
}

namespace {

StepShape shape_of(const Step& step) {
  StepShape shape;
  std::vector<const Slot*> computed;
  for (const Action& action : step.actions) {
    if (const Load* load = std::get_if<Load>(&action)) {
      ++shape.loads;
      shape.broadcasts += load->supply == Supply::broadcast;
      if (load->supply == Supply::direct) shape.direct_loads.push_back(load->tensor);
      shape.takes_time |= load->supply != Supply::direct;
      continue;
    }
    shape.takes_time = true;
    if (const Receive* receive = std::get_if<Receive>(&action)) shape.receives.push_back(receive->channel);
    if (std::get_if<Store>(&action)) ++shape.stores;
    if (const Send* send = std::get_if<Send>(&action)) {
      const bool is_new =
          std::any_of(computed.begin(), computed.end(), [&](const Slot* s) { return may_meet(*s, send->from); });
      (is_new ? shape.sends : shape.forwards).push_back(send->channel);
    }
    if (const Compute* compute = std::get_if<Compute>(&action)) {
      computed.push_back(&compute->to);
      ir::walk<ExprNode>(compute->value, [&](const Expr& e) {
        if (const KernelCall* k = ir::as<KernelCall>(e)) shape.kernels.push_back(k->kernel);
      });
    }
  }
  return shape;
}

} // namespace

Walk::Walk(const Role& role, const Program& program) {
  Names names;
  for (const Axis& a : program.axes) names.push_back(a.name);
  values_ = names.size();
  add(role.body, names);
  instructions_.push_back({});
}

void Walk::add(const std::vector<Statement>& body, Names& names) {
  for (const Statement& s : body)
    std::visit(ir::overload{[&](const Loop& l) { add(l, names); }, [&](const If& i) { add(i, names); },
                            [&](const Pass& p) {
                              PassForms forms{{}, p.cycles};
                              for (const Index& i : p.at) forms.at.push_back(form(i, names));
                              instructions_.push_back({Instruction::pass, static_cast<int>(passes_.size())});
                              passes_.push_back(std::move(forms));
                            },
                            [&](const Step& step) {
                              instructions_.push_back({Instruction::step, static_cast<int>(steps_.size())});
                              steps_.push_back(shape_of(step));
                            }},
               s.kind);
}

void Walk::add(const Loop& loop, Names& names) {
  const int own = static_cast<int>(names.size()), begin = here();
  const int first = form(loop.first, names), last = form(loop.last, names);
  instructions_.push_back({Instruction::loop, own, 0, first, last, loop.step});
  names.push_back(loop.variable);
  names.push_back(""); // its last value
  values_ = std::max(values_, names.size());
  add(loop.body, names);
  names.resize(names.size() - 2);
  instructions_.push_back({Instruction::next, own, begin + 1, 0, 0, loop.step});
  instructions_[static_cast<std::size_t>(begin)].target = here();
}

void Walk::add(const If& branch, Names& names) {
  const int begin = here();
  instructions_.push_back({Instruction::branch, static_cast<int>(branches_.size())});
  std::vector<std::vector<Comparison>> any;
  for (const Tests& all : branch.any) {
    any.emplace_back();
    for (const Test& t : all) any.back().push_back({form(t.lhs, names), form(t.rhs, names), t.relation});
  }
  branches_.push_back(std::move(any));
  add(branch.body, names);
  instructions_[static_cast<std::size_t>(begin)].target = here();
}

int Walk::form(const Index& index, const Names& names) {
  const Form made = match(
      index,
      [](const Whole& w) {
        return Form{Form::whole, w.value};
      },
      [&](const Variable& v) {
        const auto at = std::find(names.begin(), names.end(), v.name);
        if (at == names.end()) bug("a name is not in scope: " + v.name);
        return Form{Form::value, at - names.begin()};
      },
      [&](const Operation& o) {
        const int lhs = form(o.lhs, names), rhs = form(o.rhs, names);
        return Form{Form::operation, 0, o.op, lhs, rhs};
      });
  forms_.push_back(made);
  return static_cast<int>(forms_.size()) - 1;
}

std::int64_t Walk::evaluate(int index, const std::vector<std::int64_t>& values) const {
  const Form& f = forms_[static_cast<std::size_t>(index)];
  if (f.kind == Form::whole) return f.number;
  if (f.kind == Form::value) return values[static_cast<std::size_t>(f.number)];
  return apply(f.op, evaluate(f.lhs, values), evaluate(f.rhs, values));
}

bool Walk::holds(int branch, const std::vector<std::int64_t>& values) const {
  const auto& any = branches_[static_cast<std::size_t>(branch)];
  return std::any_of(any.begin(), any.end(), [&](const std::vector<Comparison>& all) {
    return std::all_of(all.begin(), all.end(), [&](const Comparison& c) {
      return related(evaluate(c.lhs, values), c.relation, evaluate(c.rhs, values));
    });
  });
}

Walk::Cursor Walk::begin(const Element& element) const {
  Cursor cursor;
  cursor.values = element.at;
  cursor.values.resize(values_);
  return cursor;
}

Walk::Stop Walk::advance(Cursor& cursor, std::int64_t& work) const {
  while (work-- > 0) {
    const Instruction& i = instructions_[static_cast<std::size_t>(cursor.next)];
    const auto own = static_cast<std::size_t>(i.operand);
    const auto beyond = [&] {
      const std::int64_t now = cursor.values[own], last = cursor.values[own + 1];
      return i.by > 0 ? now > last : now < last;
    };
    ++cursor.next;
    switch (i.kind) {
    case Instruction::loop:
      cursor.values[own] = evaluate(i.first, cursor.values);
      cursor.values[own + 1] = evaluate(i.last, cursor.values);
      if (beyond()) cursor.next = i.target;
      break;
    case Instruction::next:
      if (!__builtin_add_overflow(cursor.values[own], i.by, &cursor.values[own]) && !beyond()) cursor.next = i.target;
      break;
    case Instruction::branch:
      if (!holds(i.operand, cursor.values)) cursor.next = i.target;
      break;
    case Instruction::step: cursor.reached = i.operand; return Stop::step;
    case Instruction::pass: cursor.reached = i.operand; return Stop::pass;
    case Instruction::end: --cursor.next; return Stop::end;
    }
  }
  return Stop::tired;
}

PassNumber Walk::pass(const Cursor& cursor) const {
  const PassForms& forms = passes_[static_cast<std::size_t>(cursor.reached)];
  PassNumber number{{}, forms.cycles};
  for (const int f : forms.at) number.at.push_back(evaluate(f, cursor.values));
  return number;
}

} // namespace cyclotron::pe
