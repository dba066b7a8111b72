// SPDX-License-Identifier: MIT
#include "lower/loops/recurrence_to_loops.hpp"

#include "lower/contains.hpp"
#include "lower/loops/carriers.hpp"
#include "lower/loops/cost.hpp"
#include "lower/loops/place.hpp"
#include "lower/loops/tile_loops.hpp"
#include "recurrence/isl_limit.hpp"
#include "support/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::lower {

using namespace recurrence;
using loops::Loop;
using loops::Node;

namespace {

using Strings = std::vector<std::string>;

std::string joined(const Strings& names) { return fmt::format("{}", fmt::join(names, ", ")); }

std::size_t step_count(const Domains& domains);

class RecurrenceToLoops {
public:
  RecurrenceToLoops(const frontend::Checked& checked, const schedule::Schedule* schedule,
                    const std::set<std::string>& internal, const std::vector<Workspace>& workspaces,
                    Diagnostics& diagnostics)
      : checked_(checked), program_(checked.program()), schedule_(schedule), internal_(internal),
        workspaces_(workspaces), diagnostics_(diagnostics) {
    for (const Workspace& w : workspaces) together_.apart.insert(w.name);
  }

  std::optional<LoweredLoops> run() {
    return within_isl_limit(asked_, diagnostics_, [&] { return lowered(); }).value_or(std::nullopt);
  }

private:
  std::optional<LoweredLoops> lowered() {
    if (!program_.equations.empty()) asked_.span = program_.equations[0].span;
    each_command("tile", [&](const schedule::Command& c) { ask_about(c); });
    each_command("tile", [&](const schedule::Command& c) { tiles_.add(c, diagnostics_); });
    read_parts();
    result_.nest.temporaries = parts_.temporaries;
    read_order();
    if (diagnostics_.failed()) return std::nullopt;
    const bool done = order_command_ ? place_as_given() : place_best();
    if (!done) return std::nullopt;
    each_command("wavefront", [&](const schedule::Command& c) {
      ask_about(c);
      place_fronts(c);
    });
    if (diagnostics_.failed()) return std::nullopt;
    place_together();
    mark_loops();
    if (diagnostics_.failed()) return std::nullopt;
    return std::move(result_);
  }

  // --- commands ---

  // What cannot be worked out from here on is to do with this command.
  void ask_about(const schedule::Command& c) {
    asked_ = {c.span, fmt::format("the bounds of the loops of `{}`", schedule::print(c)),
              "leave this command out, or tile fewer indices or at fewer sizes: each size is a loop more whose bounds "
              "depend on all others"};
  }

  template <class F> void each_command(std::string_view name, F f) const {
    if (!schedule_) return;
    for (const schedule::Command& c : schedule_->commands)
      if (c.name == name) f(c);
  }

  void read_order() {
    each_command("order", [&](const schedule::Command& c) {
      if (order_command_) {
        diagnostics_.error(c.span, "the order of the loops is given twice").note(order_command_->span, "first here");
        return;
      }
      order_command_ = &c;
      for (const std::string& name : c.names("indices")) {
        const std::string& own = tiles_.variable(name);
        if (!contains(result_.order, own)) result_.order.push_back(own);
      }
    });
    if (order_command_) tiles_.add_outside(result_.order);
  }

  // --- placing ---

  void read_parts(std::vector<Carrier> carriers = {}) {
    carriers.insert(carriers.end(), along_fronts_.begin(), along_fronts_.end());
    parts_ = make_parts(program_, checked_.types, checked_.domains, tiles_.splits(), fronts_, carriers, stand_ins_);
    memory_.emplace(parts_, program_, *checked_.domains.context);
  }

  PlaceResult try_order(const Strings& order, Types& types) {
    return place(parts_, order, program_, *memory_, may_share(), types, together_);
  }

  // Blocks of one index may have to hold what is computed along others, too. They do from here on if `placed` says so.
  template <class F> void with_stand_ins(F placed) {
    if (tiles_.splits().empty()) return;
    stand_ins_ = true;
    read_parts();
    if (placed()) return;
    stand_ins_ = false;
    read_parts();
  }

  // Loops that walk different sparse structures are better apart.
  MayShare may_share() {
    return [this](const std::map<std::size_t, std::string>& a, const std::map<std::size_t, std::string>& b) {
      return share_structure(parts_, program_, a, b);
    };
  }

  bool place_as_given() {
    result_.order_given = true;
    PlaceResult placed = try_order(result_.order, result_.nest.types);
    if (!placed.body)
      with_stand_ins([&] {
        Types types;
        PlaceResult again = try_order(result_.order, types);
        if (!again.body) return false;
        placed = std::move(again);
        result_.nest.types = std::move(types);
        return true;
      });
    if (placed.body) {
      result_.nest.body = std::move(*placed.body);
      return true;
    }
    Diagnostic& d = diagnostics_.error(order_command_->span,
                                       fmt::format("the loops cannot run in the order {}", joined(result_.order)));
    if (placed.obstacle.known) describe(placed.obstacle, d);
    d.with_hint(orders_that_work());
    return false;
  }

  void describe(const Obstacle& obstacle, Diagnostic& d) const {
    const Dependence& dep = parts_.dependences[obstacle.dependence];
    const Equation& needs = program_.equations[static_cast<std::size_t>(parts_.parts[dep.to].equation)];
    const Equation& made = program_.equations[static_cast<std::size_t>(parts_.parts[dep.from].equation)];
    d.note(dep.read->span,
           fmt::format("`{}` needs `{}`, which would be computed only later", print(needs.target), print(dep.read)));
    if (&needs != &made) d.note(made.target->span, "it is computed here");
  }

  std::string orders_that_work() {
    Strings order = result_.order;
    if (order.size() > 5) return "leave `order` out: an order that works is chosen";
    std::sort(order.begin(), order.end());
    const auto blocks_outside = [&] { // else each is one iteration
      const auto place = [&](const std::string& name) { return std::find(order.begin(), order.end(), name); };
      return std::all_of(tiles_.splits().begin(), tiles_.splits().end(),
                         [&](const Split& s) { return place(s.outer) < place(s.variable); });
    };
    Strings working;
    do {
      Types scratch;
      if (blocks_outside() && try_order(order, scratch).body) working.push_back("`" + joined(order) + "`");
    } while (std::next_permutation(order.begin(), order.end()) && working.size() < 6);
    if (working.empty()) return "no order of these loops works; leave `order` out";
    return fmt::format("{} would work", join_names(working));
  }

  // Without a wanted order: tries the orders of the variables, as far as there are not too many, and takes the nest
  // that walks the data best.
  bool place_best() {
    const Strings variables = all_variables(checked_.domains);
    std::vector<Strings> candidates{variables};
    // Steps stay outside: then only those still needed are stored.
    const auto steps = static_cast<std::ptrdiff_t>(step_count(checked_.domains));
    if (variables.size() <= static_cast<std::size_t>(4 + steps)) {
      Strings sorted = variables;
      std::sort(sorted.begin() + steps, sorted.end());
      do
        if (sorted != variables) candidates.push_back(sorted);
      while (std::next_permutation(sorted.begin() + steps, sorted.end()));
    }
    // What a workspace is computed over stands inside its other variables.
    const auto fits = [&](const Strings& order) {
      const auto place = [&](const std::string& v) { return std::find(order.begin(), order.end(), v); };
      return std::all_of(workspaces_.begin(), workspaces_.end(), [&](const Workspace& w) {
        const Strings others = w.others();
        return std::all_of(others.begin(), others.end(), [&](const std::string& o) {
          return std::all_of(w.over.begin(), w.over.end(), [&](const std::string& v) { return place(o) < place(v); });
        });
      });
    };
    double best = 0;
    Obstacle obstacle;
    bool found = false;
    const auto take_best = [&](const auto& add_blocks) {
      std::vector<Strings> orders = candidates;
      for (Strings& order : orders) add_blocks(order);
      std::stable_partition(orders.begin(), orders.end(), fits);
      for (const Strings& order : orders) {
        if (found && !fits(order)) break;
        Types types;
        PlaceResult placed = try_order(order, types);
        if (!obstacle.known) obstacle = placed.obstacle;
        if (!placed.body) continue;
        loops::Nest nest{std::move(*placed.body), parts_.temporaries, std::move(types)};
        const double cost = cost_of(nest, program_);
        if (found && cost >= best) continue;
        best = cost;
        found = true;
        result_.nest = std::move(nest);
        result_.order = order;
      }
      return found;
    };
    const auto blocks_outside = [&] { return take_best([&](Strings& order) { tiles_.add_outside(order); }); };
    const auto blocks_beside = [&] { return take_best([&](Strings& order) { tiles_.add_beside(order); }); };
    if (!blocks_outside()) with_stand_ins(blocks_outside);
    if (!found && !tiles_.names().empty() && !blocks_beside()) with_stand_ins(blocks_beside);
    if (!found) { // the variables' own orders do not work: any per part
      Types types;
      PlaceResult placed = try_order({}, types);
      if (placed.body) {
        result_.nest = {std::move(*placed.body), parts_.temporaries, std::move(types)};
        found = true;
      }
    }
    if (!found) {
      Diagnostic& d = diagnostics_.unsupported(program_.equations.empty() ? Span{} : program_.equations[0].span,
                                               "no loop nest over these variables computes this program in order");
      if (obstacle.known) describe(obstacle, d);
      d.with_hint("`--target=interpret` computes each element when it is needed");
    }
    return found;
  }

  // --- anti-diagonals ---

  const Loop* loop_over(const std::string& variable, const Loop* within) const {
    const Loop* found = nullptr;
    loops::each_statement(within ? within->body : result_.nest.body, [&](const loops::Statement&, const auto& around) {
      for (const Loop* l : around)
        if (!found && l->variable == variable) found = l;
    });
    return found;
  }

  // The loops as placed say in which direction each runs; the front moves along with both. Then everything is placed
  // again with the front outside: it must carry all dependences, so that the loop inside it carries none.
  void place_fronts(const schedule::Command& c) {
    const Strings pair = c.names("indices");
    if (pair.size() != 2) {
      diagnostics_.error(c.span, fmt::format("a wavefront runs along two loops, not {}", pair.size()));
      return;
    }
    const std::string &one = tiles_.variable(pair[0]), &other = tiles_.variable(pair[1]);
    const Loop *outer = nullptr, *inner = nullptr;
    for (const bool as_given : {true, false})
      loops::each_statement(result_.nest.body, [&](const loops::Statement&, const auto& around) {
        for (const Loop* inside : around)
          for (const Loop* around_it : around) {
            if (around_it == inside) break;
            if (inner || around_it->variable != (as_given ? one : other) ||
                inside->variable != (as_given ? other : one))
              continue;
            outer = around_it;
            inner = inside;
          }
      });
    if (!outer || !inner) {
      diagnostics_.error(c.span, fmt::format("no loop over `{}` stands inside one over `{}`", pair[1], pair[0]))
          .with_hint("`cyclotron compile --emit=loops` shows the loops there are");
      return;
    }
    Front front{outer->variable, inner->variable, front_name(), outer->rising ? 1 : -1, inner->rising ? 1 : -1};
    const std::string first = outer->variable;
    fronts_.push_back(front);
    Strings order;
    for (const std::string& v : result_.order) {
      if (v == front.second) continue;
      if (v == first) order.push_back(front.name);
      order.push_back(v);
      if (v == first) order.push_back(front.second);
    }
    read_parts();
    Types types;
    PlaceResult placed = try_order(order, types);
    if (!placed.body) { // what has only one of the variables, as L(i,i), may have to run along the front, too
      const std::vector<Carrier> before = along_fronts_;
      const std::vector<Carrier> more = carriers_along(front);
      along_fronts_.insert(along_fronts_.end(), more.begin(), more.end());
      read_parts();
      Types others;
      PlaceResult again = try_order(order, others);
      if (again.body) {
        placed = std::move(again);
        types = std::move(others);
      } else {
        along_fronts_ = before;
        read_parts();
      }
    }
    const auto refuse = [&] {
      Diagnostic& d = diagnostics_.error(
          c.span, fmt::format("`{}` and `{}` cannot run along anti-diagonals", front.first, front.second));
      if (placed.obstacle.known) describe(placed.obstacle, d);
      else d.note("an element needs another one of the same anti-diagonal");
    };
    if (!placed.body) return refuse();
    result_.nest = {std::move(*placed.body), parts_.temporaries, std::move(types)};
    result_.order = order;
    const Loop* diagonal = loop_over(front.name, nullptr);
    const Loop* along = diagonal ? loop_over(first, diagonal) : nullptr;
    if (!along || !along->forall) refuse();
  }

  // The tensors whose elements a front comes by, and when.
  std::vector<Carrier> carriers_along(const Front& front) const {
    std::vector<Carrier> list;
    for (const Equation& e : program_.equations) {
      const Access& target = e.access();
      Carrier carrier{target.tensor, front.name, std::vector<std::int64_t>(target.indices.size()), 0};
      bool first = false, second = false;
      for (std::size_t d = 0; d < target.indices.size(); ++d) {
        const Name* n = as<Name>(target.indices[d]);
        if (n && n->id == front.first) carrier.coefficients[d] = front.first_sign, first = true;
        if (n && n->id == front.second) carrier.coefficients[d] = front.second_sign, second = true;
      }
      const bool known =
          std::any_of(list.begin(), list.end(), [&](const Carrier& c) { return c.tensor == target.tensor; });
      if (first && second && !target.step && !known) list.push_back(std::move(carrier));
    }
    return list;
  }

  // What writes and what reads an internal tensor share loops, where that can be done: then little of it need be kept.
  void place_together() {
    if (internal_.empty()) return;
    std::vector<Carrier> carriers = find_carriers(result_.nest, program_, internal_, fronts_);
    for (const Workspace& w : workspaces_) // whose own variables are not carried
      std::erase_if(carriers, [&](const Carrier& c) { return c.tensor == w.name && contains(w.over, c.name); });
    if (carriers.empty()) return;
    together_.tensors = internal_;
    for (const Carrier& c : carriers) together_.variables.insert(c.name);
    read_parts(carriers);
    Types types;
    PlaceResult placed = try_order(result_.order, types);
    if (placed.body) result_.nest = {std::move(*placed.body), parts_.temporaries, std::move(types)};
  }

  std::string front_name() const {
    std::string name = "front";
    const auto taken = [&] {
      return program_.is_size(name) || program_.tensor(name) || program_.let(name) ||
             contains(all_variables(checked_.domains), name) || contains(tiles_.names(), name) ||
             std::any_of(fronts_.begin(), fronts_.end(), [&](const Front& f) { return f.name == name; });
    };
    for (int i = 2; taken(); ++i) name = "front" + std::to_string(i);
    return name;
  }

  // --- how loops run ---

  void mark_loops() {
    each_command("parallel", [&](const schedule::Command& c) {
      if (const schedule::Argument* copies = c.find("copies"))
        diagnostics_
            .unsupported(copies->span,
                         "how many cores there are is known when the program runs; only streams have copies of a loop")
            .with_hint("write `parallel` without `by`");
      for (const std::string& v : c.names("indices"))
        mark(c, v, [&](Loop& loop) {
          if (!loop.forall || loop.reduces) return false;
          loop.parallel = true;
          return true;
        });
    });
    each_command("vectorize", [&](const schedule::Command& c) {
      const schedule::Argument* width = c.find("width");
      for (const std::string& v : c.names("index"))
        mark(c, v, [&](Loop& loop) {
          // A vector keeps sums side by side only where there is nothing but that sum.
          const bool innermost = std::none_of(loop.body.begin(), loop.body.end(),
                                              [](const Node& n) { return std::holds_alternative<Loop>(n.kind); });
          if (!loop.forall || (loop.reduces && !innermost)) return false;
          loop.vector_width = width ? std::get<std::vector<std::int64_t>>(width->value)[0] : -1;
          return true;
        });
    });
    each_command("unroll", [&](const schedule::Command& c) {
      const schedule::Argument* factor = c.find("factor");
      for (const std::string& v : c.names("index"))
        mark(c, v, [&](Loop& loop) {
          loop.unroll = factor ? std::get<std::vector<std::int64_t>>(factor->value)[0] : 4;
          return true;
        });
    });
  }

  // A loop runs in one way; blocks of it and what is in them may run in two.
  bool is_first_of(const schedule::Command& c, const std::string& name) {
    const auto [at, first] = ways_.try_emplace(tiles_.variable(name), &c);
    if (first) return true;
    const schedule::Command& before = *at->second;
    const bool outside = c.name < before.name; // from the outside in: parallel, unroll, vectorize
    diagnostics_
        .error(c.span, before.name == c.name ? fmt::format("`{}` is given twice for the loop over `{}`", c.name, name)
                                             : fmt::format("the loop over `{}` cannot have both `{}` and `{}`", name,
                                                           before.name, c.name))
        .note(before.span, "first here")
        .with_hint(before.name == c.name
                       ? "leave one of them out"
                       : fmt::format("give it blocks, and one command to each part: `tile {0} by 64 -> {0}_outer, "
                                     "{0}_inner`, then `{1} {0}_{2}` and `{3} {0}_{4}`",
                                     name, before.name, outside ? "inner" : "outer", c.name,
                                     outside ? "outer" : "inner"));
    return false;
  }

  // Applies `f` to all loops of that name; where it refuses all of them, that is an error.
  template <class F> void mark(const schedule::Command& c, const std::string& name, F f) {
    if (!is_first_of(c, name)) return;
    const std::string& variable = tiles_.variable(name);
    int met = 0, taken = 0;
    const Loop* refused = nullptr;
    const std::function<void(std::vector<Node>&)> visit = [&](std::vector<Node>& body) {
      for (Node& node : body) {
        Loop* loop = std::get_if<Loop>(&node.kind);
        if (!loop) continue;
        if (loop->variable == variable) {
          ++met;
          if (f(*loop)) ++taken;
          else refused = loop;
        }
        visit(loop->body);
      }
    };
    visit(result_.nest.body);
    if (met == 0) {
      diagnostics_.error(c.span, fmt::format("there is no loop over `{}` in this order", name))
          .with_hint("`cyclotron compile --emit=loops` shows the loops there are");
      return;
    }
    if (!refused) return;
    Diagnostic& d = taken > 0
                        ? diagnostics_.warning(c.span, fmt::format("one of the loops over `{}` cannot run in this "
                                                                   "way, and runs as if nothing were said",
                                                                   name))
                        : diagnostics_.error(c.span, fmt::format("the loop over `{}` cannot run in this way", name));
    if (refused->forall && refused->reduces)
      d.note(fmt::format("all iterations of `{}` add to the same value", loops::header(*refused, program_)));
    else
      d.note(fmt::format("an iteration of `{}` needs what an earlier one computed", loops::header(*refused, program_)));
    d.with_hint("`forall` in `cyclotron compile --emit=loops` marks the loops whose iterations are independent");
  }

  const frontend::Checked& checked_;
  const Program& program_;
  const schedule::Schedule* schedule_;
  const std::set<std::string>& internal_;
  const std::vector<Workspace>& workspaces_;
  Diagnostics& diagnostics_;
  Together together_;
  TileLoops tiles_;
  std::vector<Front> fronts_;
  std::vector<Carrier> along_fronts_;
  const schedule::Command* order_command_ = nullptr;
  std::map<std::string, const schedule::Command*> ways_; // how a loop runs, by its variable
  bool stand_ins_ = false;
  Parts parts_;
  std::optional<PlaceMemory> memory_; // of these parts
  Question asked_{
      {}, "the bounds of the loops of this program", "simplify its constraints, or give the order of loops"};
  LoweredLoops result_;
};

} // namespace

namespace {

// The variables of superscripts, and the others.
std::pair<Strings, Strings> steps_and_others(const Domains& domains) {
  Strings steps, others;
  for (const EquationDomain& e : domains.equations) {
    Strings own = e.indices;
    for (const ReductionDomain& r : e.reductions) own.insert(own.end(), r.variables.begin(), r.variables.end());
    for (const std::string& v : own) {
      bool is_step = false;
      if (const auto& step = e.equation->access().step)
        ir::walk<ExprNode>(*step, [&](const Expr& x) {
          if (const Name* n = as<Name>(x)) is_step |= n->id == v;
        });
      Strings& list = is_step ? steps : others;
      if (!contains(list, v)) list.push_back(v);
    }
  }
  std::erase_if(others, [&](const std::string& v) { return contains(steps, v); });
  return {steps, others};
}

std::size_t step_count(const Domains& domains) { return steps_and_others(domains).first.size(); }

} // namespace

std::vector<std::string> all_variables(const Domains& domains) {
  auto [all, others] = steps_and_others(domains);
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

std::optional<LoweredLoops> recurrence_to_loops(const frontend::Checked& checked, const schedule::Schedule* schedule,
                                                Diagnostics& diagnostics, const std::set<std::string>& internal,
                                                const std::vector<Workspace>& workspaces) {
  auto lowered = RecurrenceToLoops(checked, schedule, internal, workspaces, diagnostics).run();
  if (lowered)
    if (const std::string problem = loops::problem_of(lowered->nest, checked.program()); !problem.empty())
      bug("the loops are not right: " + problem);
  return lowered;
}

} // namespace cyclotron::lower
