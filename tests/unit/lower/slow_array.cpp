// SPDX-License-Identifier: MIT
#include "unit/lower/slow_array.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <deque>
#include <functional>
#include <set>

namespace cyclotron::lower {

using namespace pe;
using recurrence::Access;
using recurrence::Binary;
using recurrence::BinaryOp;
using recurrence::Call;
using recurrence::Name;
using recurrence::Number;
using recurrence::Relation;
using recurrence::Select;
using recurrence::Unary;

namespace {

using Names = std::map<std::string, std::int64_t>;
using Place = std::vector<std::int64_t>;

std::int64_t value_of(const Index& index, const Names& names) {
  return ir::match(
      index, [](const Whole& w) { return w.value; }, [&](const Variable& v) { return names.at(v.name); },
      [&](const Operation& o) -> std::int64_t {
        const std::int64_t a = value_of(o.lhs, names), b = value_of(o.rhs, names);
        const std::int64_t quotient = b > 0 ? (a - ((a % b) + b) % b) / b : 0;
        switch (o.op) {
        case IndexOp::add: return a + b;
        case IndexOp::sub: return a - b;
        case IndexOp::mul: return a * b;
        case IndexOp::floor_div: return quotient;
        case IndexOp::mod: return a - quotient * b;
        case IndexOp::min: return std::min(a, b);
        case IndexOp::max: return std::max(a, b);
        }
        return 0;
      });
}

bool holds(const std::vector<Tests>& any, const Names& names) {
  for (const Tests& all : any) {
    bool every = true;
    for (const Test& t : all) {
      const std::int64_t a = value_of(t.lhs, names), b = value_of(t.rhs, names);
      every &= t.relation == Relation::less            ? a < b
               : t.relation == Relation::less_equal    ? a <= b
               : t.relation == Relation::greater       ? a > b
               : t.relation == Relation::greater_equal ? a >= b
               : t.relation == Relation::equal         ? a == b
                                                       : a != b;
    }
    if (every) return true;
  }
  return false;
}

// A step or a pass, unrolled.
struct Event {
  const Step* step = nullptr;
  Names names;
  std::vector<std::int64_t> pass;
};

void unroll(const std::vector<Statement>& body, Names& names, std::vector<Event>& to) {
  for (const Statement& s : body) {
    if (const Loop* loop = std::get_if<Loop>(&s.kind)) {
      const std::int64_t first = value_of(loop->first, names), last = value_of(loop->last, names);
      for (std::int64_t i = first; loop->step > 0 ? i <= last : i >= last; i += loop->step) {
        names[loop->variable] = i;
        unroll(loop->body, names, to);
      }
      names.erase(loop->variable);
    } else if (const If* one = std::get_if<If>(&s.kind)) {
      if (holds(one->any, names)) unroll(one->body, names, to);
    } else if (const Step* step = std::get_if<Step>(&s.kind)) {
      Event event{step, {}, {}};
      for (const auto& [name, index] : step->coordinates) event.names[name] = value_of(index, names);
      to.push_back(std::move(event));
    } else {
      Event event;
      for (const Index& i : std::get<Pass>(s.kind).at) event.pass.push_back(value_of(i, names));
      to.push_back(std::move(event));
    }
  }
}

class SlowArray {
public:
  SlowArray(const Program& program, Memories memory) : program_(program), run_{std::move(memory), "", 0} {}

  SlowRun run() {
    for (const Memory& m : program_.tensors) {
      std::int64_t size = 1;
      for (const std::int64_t d : m.dims) size *= d;
      run_.memory[m.name].resize(static_cast<std::size_t>(size));
    }
    run_host();
    find_elements({});
    for (bool moved = true; moved && run_.problem.empty();) {
      moved = false;
      for (Element& e : elements_)
        while (e.next < e.events.size() && advance(e)) moved = true;
    }
    check_end();
    return std::move(run_);
  }

private:
  struct Element {
    Place at;
    std::vector<Event> events;
    std::size_t next = 0;
    std::map<std::pair<std::string, Place>, double> registers;
  };

  void problem(std::string text) {
    if (run_.problem.empty()) run_.problem = std::move(text);
  }

  void run_host() {
    Element host;
    Names names;
    unroll(program_.host, names, host.events);
    for (const Event& e : host.events) perform(host, e);
  }

  // Every PE of the grid, with all its steps.
  void find_elements(Place at) {
    if (at.size() < program_.axes.size()) {
      const Axis& axis = program_.axes[at.size()];
      for (std::int64_t i = axis.first; i <= axis.last; ++i) {
        at.push_back(i);
        find_elements(at);
        at.pop_back();
      }
      return;
    }
    Names names;
    for (std::size_t a = 0; a < at.size(); ++a) names[program_.axes[a].name] = at[a];
    int roles = 0;
    for (const Role& role : program_.roles) {
      if (!holds(role.where, names)) continue;
      if (++roles > 1) problem(fmt::format("PE ({}) has two roles", fmt::join(at, ", ")));
      Element e{at, {}, 0, {}};
      unroll(role.body, names, e.events);
      elements_.push_back(std::move(e));
    }
  }

  bool advance(Element& e) {
    const Event& event = e.events[e.next];
    if (event.step) {
      std::map<int, std::size_t> wanted;
      for (const Action& a : event.step->actions)
        if (const Receive* r = std::get_if<Receive>(&a)) ++wanted[r->channel];
      for (const auto& [channel, count] : wanted)
        if (queues_[{channel, e.at}].size() < count) return false;
      perform(e, event);
    } else {
      for (const Element& other : elements_)
        if (other.next < other.events.size() && pass_of(other) < event.pass) return false;
    }
    ++e.next;
    return true;
  }

  // The last pass that the PE has come to.
  static std::vector<std::int64_t> pass_of(const Element& e) {
    for (std::size_t i = e.next + 1; i-- > 0;)
      if (!e.events[i].step) return e.events[i].pass;
    return {};
  }

  Place neighbour(const Place& at, const Channel& channel) const {
    Place result = at;
    for (std::size_t a = 0; a < at.size(); ++a) {
      result[a] += channel.offset[a];
      const Axis& axis = program_.axes[a];
      const std::int64_t extent = axis.last - axis.first + 1;
      if (program_.torus[a]) result[a] = axis.first + ((result[a] - axis.first) % extent + extent) % extent;
    }
    return result;
  }

  std::int64_t number(const Affine& affine, const Names& names) const {
    return affine.evaluate([&](const std::string& n) { return names.at(n); });
  }

  std::pair<std::string, Place> key(const std::string& name, Place at) {
    const Register* own = program_.find_register(name);
    if (!own || own->table.size() != at.size()) {
      problem("a slot that does not fit its register: " + name);
      return {name, at};
    }
    for (std::size_t i = 0; i < at.size(); ++i) {
      const Register::Extent& e = own->table[i];
      if (e.ring) at[i] = ((at[i] % e.count) + e.count) % e.count;
      else if (at[i] < e.first || at[i] >= e.first + e.count) problem("a slot outside the table of " + name);
    }
    return {name, at};
  }

  std::pair<std::string, Place> key(const Slot& slot, const Names& names) {
    Place at;
    for (const Affine& a : slot.at) at.push_back(number(a, names));
    return key(slot.name, at);
  }

  double& element(const std::string& tensor, const std::vector<Affine>& indices, const Names& names) {
    const Memory& m = *program_.tensor(tensor);
    std::size_t offset = 0;
    for (std::size_t d = 0; d < m.dims.size(); ++d) {
      const std::int64_t i = number(indices[d], names);
      if (i < 0 || i >= m.dims[d]) problem("an element outside " + tensor);
      offset = offset * static_cast<std::size_t>(m.dims[d]) + static_cast<std::size_t>(i);
    }
    static double nowhere = 0;
    return offset < run_.memory[tensor].size() ? run_.memory[tensor][offset] : nowhere;
  }

  double read(Element& e, const std::pair<std::string, Place>& at) {
    const auto found = e.registers.find(at);
    if (found != e.registers.end()) return found->second;
    problem(fmt::format("PE ({}) reads {} before it has a value", fmt::join(e.at, ", "), at.first));
    return 0;
  }

  void perform(Element& e, const Event& event) {
    const Names& names = event.names;
    for (const Action& action : event.step->actions)
      std::visit(
          ir::overload{[&](const Load& l) { e.registers[key(l.to, names)] = element(l.tensor, l.indices, names); },
                       [&](const Receive& r) {
                         std::deque<double>& queue = queues_[{r.channel, e.at}];
                         e.registers[key(r.to, names)] = queue.front();
                         queue.pop_front();
                       },
                       [&](const Send& s) {
                         ++run_.messages;
                         const Channel& channel = program_.channels[static_cast<std::size_t>(s.channel)];
                         queues_[{s.channel, neighbour(e.at, channel)}].push_back(read(e, key(s.from, names)));
                       },
                       [&](const Compute& c) {
                         const double value = evaluate(e, c.value, names);
                         e.registers[key(c.to, names)] = value;
                       },
                       [&](const Store& s) { element(s.tensor, s.indices, names) = read(e, key(s.from, names)); }},
          action);
  }

  double evaluate(Element& e, const Expr& expr, const Names& names) {
    const auto go = [&](const Expr& x) { return evaluate(e, x, names); };
    if (const Number* n = ir::as<Number>(expr)) return n->value;
    if (const Name* n = ir::as<Name>(expr)) return static_cast<double>(names.at(n->id));
    if (const Unary* u = ir::as<Unary>(expr))
      return u->op == recurrence::UnaryOp::negate ? -go(u->operand) : !go(u->operand);
    if (const Select* s = ir::as<Select>(expr)) return go(s->condition) != 0 ? go(s->then_value) : go(s->else_value);
    if (const Access* a = ir::as<Access>(expr)) {
      Place at;
      for (const Expr& i : a->indices) at.push_back(static_cast<std::int64_t>(go(i)));
      return read(e, key(a->tensor, at));
    }
    if (const Call* c = ir::as<Call>(expr)) {
      double result = go(c->arguments[0]);
      if (c->function == recurrence::Function::sqrt) return std::sqrt(result);
      for (std::size_t i = 1; i < c->arguments.size(); ++i)
        result = c->function == recurrence::Function::max ? std::max(result, go(c->arguments[i]))
                                                          : std::min(result, go(c->arguments[i]));
      return result;
    }
    const Binary& b = *ir::as<Binary>(expr);
    const double x = go(b.lhs), y = go(b.rhs);
    switch (b.op) {
    case BinaryOp::add: return x + y;
    case BinaryOp::sub: return x - y;
    case BinaryOp::mul: return x * y;
    case BinaryOp::div: return x / y;
    case BinaryOp::equal: return x == y;
    case BinaryOp::less: return x < y;
    default: problem("an operator that the slow array does not know"); return 0;
    }
  }

  void check_end() {
    for (const Element& e : elements_)
      if (e.next < e.events.size())
        problem(
            fmt::format("PE ({}) waits for ever in its step {} of {}", fmt::join(e.at, ", "), e.next, e.events.size()));
    for (const auto& [key, queue] : queues_)
      if (!queue.empty())
        problem(fmt::format("PE ({}) leaves {} values of channel {}", fmt::join(key.second, ", "), queue.size(),
                            key.first));
  }

  const Program& program_;
  SlowRun run_;
  std::vector<Element> elements_;
  std::map<std::pair<int, Place>, std::deque<double>> queues_;
};

} // namespace

SlowRun run_slowly(const Program& program, Memories memory) { return SlowArray(program, std::move(memory)).run(); }

} // namespace cyclotron::lower
