// SPDX-License-Identifier: MIT
#include "pe/code.hpp"

#include "pe/code_builder.hpp"
#include "pe/walk.hpp"
#include "support/diagnostics.hpp"

#include <algorithm>
#include <utility>

namespace cyclotron::pe {

namespace {

Linear operator+(Linear a, const Linear& b) {
  a.constant += b.constant;
  for (const auto& [slot, c] : b.terms) {
    const auto at = std::find_if(a.terms.begin(), a.terms.end(), [s = slot](const auto& t) { return t.first == s; });
    if (at == a.terms.end()) a.terms.emplace_back(slot, c);
    else if ((at->second += c) == 0) a.terms.erase(at);
  }
  return a;
}

Linear operator*(std::int64_t factor, Linear a) {
  if (factor == 0) return {};
  a.constant *= factor;
  for (auto& term : a.terms) term.second *= factor;
  return a;
}

// Whether a computation of the step before its action `end`, from `begin` on, may write the slot.
bool is_computed(const Slot& slot, const Step& step, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i)
    if (const Compute* c = std::get_if<Compute>(&step.actions[i]))
      if (may_meet(c->to, slot)) return true;
  return false;
}

StepWork work_of(const Step& step) {
  bool kernels = false, operations = false;
  const auto visit = [&](const Expr& e) {
    kernels |= ir::as<recurrence::KernelCall>(e) != nullptr;
    operations |= ir::as<recurrence::Binary>(e) || ir::as<recurrence::Unary>(e) || ir::as<recurrence::Call>(e) ||
                  ir::as<recurrence::Select>(e);
  };
  for (const Action& a : step.actions)
    if (const Compute* c = std::get_if<Compute>(&a)) ir::walk<recurrence::ExprNode>(c->value, visit);
  return kernels ? StepWork::calls_kernels : operations ? StepWork::computes_numbers : StepWork::moves_values;
}

bool is_free(const Action& action) {
  const Load* load = std::get_if<Load>(&action);
  return load && load->supply == Supply::direct;
}

std::string describe(const Slot& slot, const Program& program) {
  std::string axes, table;
  for (const Axis& a : program.axes) axes += (axes.empty() ? "" : ",") + a.name;
  for (const Affine& a : slot.at) table += (table.empty() ? "" : ",") + recurrence::print(a);
  return "[" + axes + "]_" + slot.name + (table.empty() ? "" : "(" + table + ")");
}

} // namespace

CodeBuilder::CodeBuilder(const Program& program, std::vector<std::string>& spaces)
    : program_(program), spaces_(spaces) {
  for (const Axis& a : program.axes) variables_[a.name] = code_.frame_size++;
}

Code CodeBuilder::run(const std::vector<Statement>& body) {
  statements(body);
  emit(Opcode::end);
  return std::move(code_);
}

// --- instructions, places ---

int CodeBuilder::emit(Opcode op, int a, int b, int c) {
  code_.instructions.push_back({op, a, b, c});
  code_.spans.push_back(span_);
  return static_cast<int>(code_.instructions.size()) - 1;
}

int CodeBuilder::here() { return last_target_ = static_cast<int>(code_.instructions.size()); }

int CodeBuilder::temporary(bool tile) {
  std::vector<int>& free = tile ? free_tiles_ : free_words_;
  if (free.empty()) free.push_back(tile ? code_.tiles++ : code_.words++);
  (tile ? used_tiles_ : used_words_).push_back(free.back());
  free.pop_back();
  return (tile ? used_tiles_ : used_words_).back();
}

int CodeBuilder::constant(Word value) {
  const auto [at, is_new] = constants_.emplace(value.whole, code_.words);
  if (is_new) code_.constants.emplace_back(code_.words++, value);
  return at->second;
}

bool CodeBuilder::moved_result(int from, int to, bool tile) {
  auto& list = code_.instructions;
  if (list.empty() || last_target_ == static_cast<int>(list.size())) return false;
  Instruction& last = list.back();
  const bool computes = tile ? last.op > Opcode::move_tile : last.op >= Opcode::index && last.op < Opcode::move_tile;
  if (!computes || last.a != from) return false;
  last.a = to;
  // A sum that adds a product to where it goes is one instruction.
  if (last.op == Opcode::add_real && list.size() >= 2 && last_target_ < static_cast<int>(list.size()) - 1) {
    const Instruction product = list[list.size() - 2];
    const int other = last.b == product.a ? last.c : last.b;
    const bool adds = (last.b == product.a) != (last.c == product.a) &&
                      std::find(used_words_.begin(), used_words_.end(), product.a) != used_words_.end();
    if (product.op == Opcode::mul_real && adds && other == to && product.a != to) {
      list.pop_back();
      code_.spans.pop_back();
      list.back() = {Opcode::mul_add_real, to, product.b, product.c};
    }
  }
  return true;
}

int CodeBuilder::form(Linear linear) {
  code_.forms.push_back(std::move(linear));
  return static_cast<int>(code_.forms.size()) - 1;
}

int CodeBuilder::space(const std::string& wanted) {
  const auto at = std::find(spaces_.begin(), spaces_.end(), wanted);
  if (at != spaces_.end()) return static_cast<int>(at - spaces_.begin());
  spaces_.push_back(wanted);
  return static_cast<int>(spaces_.size()) - 1;
}

int CodeBuilder::port(std::vector<Port>& ports, int channel) {
  for (std::size_t i = 0; i < ports.size(); ++i)
    if (ports[i].channel == channel) return static_cast<int>(i);
  ports.push_back({channel, !program_.channels[static_cast<std::size_t>(channel)].tile.empty()});
  return static_cast<int>(ports.size()) - 1;
}

const CodeBuilder::Home& CodeBuilder::home(const std::string& wanted) {
  if (const auto at = homes_.find(wanted); at != homes_.end()) return at->second;
  for (std::size_t i = 0; i < program_.registers.size(); ++i) {
    const Register& r = program_.registers[i];
    if (r.name != wanted) continue;
    std::int64_t count = 1, elements = 1;
    for (const Register::Extent& e : r.table) count *= e.count;
    for (std::int64_t d : r.tile) elements *= d;
    int& used = r.tile.empty() ? code_.words : code_.tiles;
    const Home made{&r, static_cast<int>(i), used};
    used += static_cast<int>(count);
    code_.register_bytes += count * elements * tensor::size_of(r.type);
    code_.registers.push_back(wanted);
    return homes_.emplace(wanted, made).first->second;
  }
  bug("`" + wanted + "` is no register");
}

std::optional<int> CodeBuilder::fixed(const Home& home, const std::vector<Linear>& at) const {
  std::int64_t offset = 0;
  for (std::size_t d = 0; d < at.size(); ++d) {
    const Register::Extent& e = home.reg->table[d];
    std::int64_t index = at[d].constant - e.first;
    if (e.ring) index = (index % e.count + e.count) % e.count;
    if (!at[d].terms.empty() || index < 0 || index >= e.count) return std::nullopt;
    offset = offset * e.count + index;
  }
  return home.base + static_cast<int>(offset);
}

int CodeBuilder::place(const Home& home, std::vector<Linear> at) {
  Place made{home.number, home.base, {}};
  for (std::size_t d = 0; d < at.size(); ++d) made.indices.push_back({std::move(at[d]), home.reg->table[d]});
  code_.places.push_back(std::move(made));
  return static_cast<int>(code_.places.size()) - 1;
}

int CodeBuilder::read(const Home& home, const std::vector<Linear>& at) {
  if (at.size() != home.reg->table.size()) bug("a slot of `" + home.reg->name + "` has another number of indices");
  if (const auto direct = fixed(home, at)) return *direct;
  const bool tile = !home.reg->tile.empty();
  const int to = temporary(tile);
  emit(tile ? Opcode::read_tile_place : Opcode::read_place, to, place(home, at));
  return to;
}

int CodeBuilder::read(const Slot& slot) { return read(home(slot.name), linear(slot.at)); }

// `movable`: nothing else reads `from`, so that it may be computed in its place at once.
void CodeBuilder::write(const Slot& slot, int from, bool movable) {
  const Home& to = home(slot.name);
  const bool tile = !to.reg->tile.empty();
  const std::vector<Linear> at = linear(slot.at);
  if (at.size() != to.reg->table.size()) bug("a slot of `" + slot.name + "` has another number of indices");
  if (const auto direct = fixed(to, at)) {
    if (*direct == from || (movable && moved_result(from, *direct, tile))) return;
    emit(tile ? Opcode::move_tile : Opcode::move, *direct, from);
    return;
  }
  emit(tile ? Opcode::write_tile_place : Opcode::write_place, from, place(to, at));
}

// --- whole numbers ---

Linear CodeBuilder::linear(const Affine& affine) const {
  Linear sum{affine.constant, {}};
  for (const auto& [id, c] : affine.terms) {
    if (const auto at = coordinates_.find(id); at != coordinates_.end()) sum = sum + c * at->second;
    else if (const auto variable = variables_.find(id); variable != variables_.end())
      sum = sum + Linear{0, {{variable->second, c}}};
    else if (const auto size = program_.sizes.find(id); size != program_.sizes.end()) sum.constant += c * size->second;
    else bug("`" + id + "` is not known here");
  }
  return sum;
}

std::vector<Linear> CodeBuilder::linear(const std::vector<Affine>& list) const {
  std::vector<Linear> result;
  for (const Affine& a : list) result.push_back(linear(a));
  return result;
}

Linear CodeBuilder::index_form(const Index& index) {
  return ir::match(
      index,
      [](const Whole& w) {
        return Linear{w.value, {}};
      },
      [&](const Variable& v) {
        const auto at = variables_.find(v.name);
        if (at == variables_.end()) bug("`" + v.name + "` is not known here");
        return Linear{0, {{at->second, 1}}};
      },
      [&](const Operation& o) { return index_form(o); });
}

// What is not a sum is computed into a place of the frame.
Linear CodeBuilder::index_form(const Operation& o) {
  const Linear a = index_form(o.lhs), b = index_form(o.rhs);
  const auto computed = [&](Opcode op) {
    const int to = code_.frame_size++;
    emit(op, to, form(a), form(b));
    return Linear{0, {{to, 1}}};
  };
  switch (o.op) {
  case IndexOp::add: return a + b;
  case IndexOp::sub: return a + -1 * b;
  case IndexOp::mul:
    if (a.terms.empty()) return a.constant * b;
    return b.terms.empty() ? b.constant * a : computed(Opcode::whole_multiply);
  case IndexOp::floor_div: return computed(Opcode::whole_floor_div);
  case IndexOp::mod: return computed(Opcode::whole_mod);
  case IndexOp::min: return computed(Opcode::whole_min);
  case IndexOp::max: return computed(Opcode::whole_max);
  }
  bug("unknown operation");
}

// --- statements ---

void CodeBuilder::statements(const std::vector<Statement>& list) {
  for (const Statement& s : list)
    std::visit(ir::overload{[&](const Loop& l) { loop(l); }, [&](const If& i) { guard(i); },
                            [&](const Pass& p) { pass(p); }, [&](const Step& t) { step(t); }},
               s.kind);
}

void CodeBuilder::loop(const Loop& loop) {
  const int variable = code_.frame_size;
  code_.frame_size += 2; // and its last value
  emit(Opcode::whole_set, variable, form(index_form(loop.first)));
  emit(Opcode::whole_set, variable + 1, form(index_form(loop.last)));
  const auto outer = variables_.find(loop.variable);
  const std::optional<int> hidden = outer == variables_.end() ? std::nullopt : std::optional(outer->second);
  variables_[loop.variable] = variable;
  const int step = static_cast<int>(loop.step);
  const int begin = emit(Opcode::loop_begin, variable, step);
  const int body = here();
  statements(loop.body);
  emit(Opcode::loop_next, variable, step, body);
  lead_here(begin);
  if (hidden) variables_[loop.variable] = *hidden;
  else variables_.erase(loop.variable);
}

void CodeBuilder::jump_unless(const Test& test, std::vector<int>& jumps) {
  using recurrence::Relation;
  const Linear a = index_form(test.lhs), b = index_form(test.rhs), one{1, {}};
  const auto jump = [&](Opcode op, Linear difference) { jumps.push_back(emit(op, form(std::move(difference)))); };
  switch (test.relation) {
  case Relation::less: return jump(Opcode::jump_unless_nonnegative, b + -1 * a + -1 * one);
  case Relation::less_equal: return jump(Opcode::jump_unless_nonnegative, b + -1 * a);
  case Relation::greater: return jump(Opcode::jump_unless_nonnegative, a + -1 * b + -1 * one);
  case Relation::greater_equal: return jump(Opcode::jump_unless_nonnegative, a + -1 * b);
  case Relation::equal: return jump(Opcode::jump_unless_zero, a + -1 * b);
  case Relation::not_equal: return jump(Opcode::jump_if_zero, a + -1 * b);
  }
}

void CodeBuilder::guard(const If& guard) {
  std::vector<int> into, past;
  for (const Tests& tests : guard.any) {
    for (int jump : past) lead_here(jump);
    past.clear();
    for (const Test& t : tests) jump_unless(t, past);
    into.push_back(emit(Opcode::jump));
  }
  if (guard.any.empty()) past.push_back(emit(Opcode::jump));
  for (int jump : into) lead_here(jump);
  statements(guard.body);
  for (int jump : past) lead_here(jump);
}

void CodeBuilder::pass(const Pass& pass) {
  PassCode made{{}, pass.cycles};
  for (const Index& i : pass.at) made.at.push_back(index_form(i));
  code_.passes.push_back(std::move(made));
  emit(Opcode::pass, static_cast<int>(code_.passes.size()) - 1);
}

// --- steps ---

void CodeBuilder::step(const Step& step) {
  const int number = static_cast<int>(code_.steps.size());
  code_.steps.push_back({static_cast<int>(code_.instructions.size()), 0, space(step.space), {}, {}});
  for (const auto& [id, index] : step.coordinates)
    code_.steps[static_cast<std::size_t>(number)].coordinates.emplace_back(id, index_form(index));
  coordinates_.clear();
  for (const auto& [id, at] : code_.steps[static_cast<std::size_t>(number)].coordinates) coordinates_[id] = at;
  aside_.clear();
  arrive(step);
  forward(step);
  compute_and_store(step);
  send_computed(step);
  const bool is_free_step = std::all_of(step.actions.begin(), step.actions.end(), is_free);
  const int last = emit(Opcode::end_step, is_free_step ? 0 : 1, static_cast<int>(work_of(step)), number);
  code_.steps[static_cast<std::size_t>(number)].last = last;
  free_words_.insert(free_words_.end(), used_words_.begin(), used_words_.end());
  free_tiles_.insert(free_tiles_.end(), used_tiles_.begin(), used_tiles_.end());
  used_words_.clear();
  used_tiles_.clear();
  coordinates_.clear();
}

void CodeBuilder::arrive(const Step& step) {
  for (const Action& a : step.actions) {
    if (const Load* l = std::get_if<Load>(&a)) load(*l);
    const Receive* r = std::get_if<Receive>(&a);
    if (!r) continue;
    const Home& to = home(r->to.name);
    const bool tile = !to.reg->tile.empty();
    const auto direct = fixed(to, linear(r->to.at));
    const ValueType type = program_.channels[static_cast<std::size_t>(r->channel)].type;
    const int at = direct && type == to.reg->type ? *direct : temporary(tile);
    emit(tile ? Opcode::receive_tile : Opcode::receive, port(code_.inputs, r->channel), at);
    write(r->to, tile ? at : converted(at, type, to.reg->type), false);
  }
}

void CodeBuilder::load(const Load& load) {
  const Home& to = home(load.to.name);
  const bool tile = !to.reg->tile.empty();
  int tensor = 0;
  while (program_.tensors[static_cast<std::size_t>(tensor)].name != load.tensor) ++tensor;
  const ValueType type = program_.tensors[static_cast<std::size_t>(tensor)].type;
  const auto direct = fixed(to, linear(load.to.at));
  const int at = direct && type == to.reg->type ? *direct : temporary(tile);
  code_.accesses.push_back({tensor, linear(load.indices), load.supply});
  code_.loads_broadcasts |= load.supply == Supply::broadcast;
  emit(tile ? Opcode::load_tile : Opcode::load, static_cast<int>(code_.accesses.size()) - 1, at);
  write(load.to, tile ? at : converted(at, type, to.reg->type), false);
}

void CodeBuilder::forward(const Step& step) {
  for (std::size_t i = 0; i < step.actions.size(); ++i)
    if (const Send* s = std::get_if<Send>(&step.actions[i]))
      if (!is_computed(s->from, step, 0, i)) send(*s, read(s->from));
}

void CodeBuilder::compute_and_store(const Step& step) {
  for (std::size_t i = 0; i < step.actions.size(); ++i) {
    const Action& a = step.actions[i];
    if (const Compute* c = std::get_if<Compute>(&a)) compute(*c, step);
    if (const Store* s = std::get_if<Store>(&a)) store(*s);
    if (const Send* s = std::get_if<Send>(&a))
      if (is_computed(s->from, step, 0, i) && is_computed(s->from, step, i, step.actions.size()))
        aside_[s] = kept_aside(s->from);
  }
}

int CodeBuilder::kept_aside(const Slot& slot) {
  const bool tile = is_tile(slot.name);
  const int from = read(slot), to = temporary(tile);
  emit(tile ? Opcode::move_tile : Opcode::move, to, from);
  return to;
}

void CodeBuilder::send_computed(const Step& step) {
  bool finishes = work_of(step) == StepWork::calls_kernels;
  for (std::size_t i = 0; i < step.actions.size(); ++i) {
    const Send* s = std::get_if<Send>(&step.actions[i]);
    if (!s || !is_computed(s->from, step, 0, i)) continue;
    if (std::exchange(finishes, false)) emit(Opcode::finish);
    send(*s, aside_.count(s) ? aside_.at(s) : read(s->from));
  }
}

void CodeBuilder::send(const Send& send, int from) {
  const Register& r = *home(send.from.name).reg;
  const bool tile = !r.tile.empty();
  const ValueType type = program_.channels[static_cast<std::size_t>(send.channel)].type;
  emit(tile ? Opcode::send_tile : Opcode::send, port(code_.outputs, send.channel),
       tile ? from : converted(from, r.type, type));
}

void CodeBuilder::store(const Store& store) {
  const Register& r = *home(store.from.name).reg;
  const bool tile = !r.tile.empty();
  int tensor = 0;
  while (program_.tensors[static_cast<std::size_t>(tensor)].name != store.tensor) ++tensor;
  const int from = read(store.from);
  const ValueType type = program_.tensors[static_cast<std::size_t>(tensor)].type;
  code_.accesses.push_back({tensor, linear(store.indices), Supply::direct});
  emit(tile ? Opcode::store_tile : Opcode::store, static_cast<int>(code_.accesses.size()) - 1,
       tile ? from : converted(from, r.type, type));
}

void CodeBuilder::compute(const Compute& compute, const Step& step) {
  const Register& r = *home(compute.to.name).reg;
  ComputeCode made;
  made.first = static_cast<int>(code_.instructions.size());
  made.target = describe(compute.to, program_);
  for (const Action& a : step.actions)
    if (const Store* s = std::get_if<Store>(&a); s && s->from == compute.to) {
      made.tensor = s->tensor;
      made.indices = linear(s->indices);
    }
  span_ = compute.value->span;
  Value result = converted(value(compute.value), r.type);
  if (!r.tile.empty() && !result.is_tile) {
    const int filled = temporary(true);
    emit(Opcode::fill_tile, filled, converted(result, ValueType::f64).at);
    result = {filled, result.type, true, true, {}, {}};
  }
  if (result.is_tile && r.tile.empty()) bug("a tile was accepted for a number");
  if (result.is_tile && r.type == ValueType::f32) {
    const int rounded = temporary(true);
    emit(Opcode::round_tile, rounded, result.at);
    result.at = rounded;
  }
  write(compute.to, result.at, result.is_temporary);
  span_ = {};
  made.last = static_cast<int>(code_.instructions.size()) - 1;
  code_.computes.push_back(std::move(made));
}

Code compile(const std::vector<Statement>& body, const Program& program, std::vector<std::string>& spaces) {
  Code code = CodeBuilder(program, spaces).run(body);
  find_lifetimes(code);
  return code;
}

} // namespace cyclotron::pe
