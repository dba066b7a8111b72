// SPDX-License-Identifier: MIT
#include "lower/code/lanes_to_code.hpp"

#include "code/build.hpp"
#include "code/scope.hpp"
#include "lanes/copies.hpp"
#include "lanes/reads.hpp"
#include "lanes/slots.hpp"
#include "lanes/strips.hpp"
#include "lower/code/constants.hpp"
#include "lower/code/strip_statements.hpp"
#include "lower/code/worker_loops.hpp"
#include "lower/code/worker_shares.hpp"
#include "recurrence/isl_limit.hpp"

#include <isl/ctx.h>
#include <isl/set.h>

#include <algorithm>

#include <fmt/format.h>

namespace cyclotron::lower {

namespace build = code::build;
using code::Expr;
using recurrence::Affine;

namespace {

class LanesToCode {
public:
  LanesToCode(const lanes::Program& program, const Arithmetic& arithmetic, CodeFor code_for)
      : program_(program), flow_(program.flow), arithmetic_(arithmetic), code_for_(code_for) {}

  LanesCode run() {
    declare();
    LanesCode result{{}, called_.memories, called_.sizes, arithmetic_.narrow};
    if (auto constants = constants_kernel(flow_, called_, kernel_, names_))
      result.kernels.push_back(std::move(*constants));
    if (!flow_.rules.empty()) result.kernels.push_back(main_kernel());
    for (code::Kernel& kernel : result.kernels) mark_stored_once(kernel);
    return result;
  }

private:
  void declare() {
    kernel_.name = names_(program_.name.empty() ? "lanes" : program_.name);
    kernel_.lanes = program_.shape.lanes;
    const recurrence::Program& source = *flow_.source;
    for (const recurrence::Binder& size : source.sizes) {
      const std::string name = names_(size.name);
      kernel_.sizes.push_back(name);
      called_.sizes[size.name] = name;
      called_.meanings[recurrence::isl_name(size.name)] = {build::variable(name), false};
    }
    for (const recurrence::TensorDecl& t : source.tensors) {
      const bool written = is_written(t.name.name);
      if (!written && !is_input(t)) continue; // nobody wants it
      const std::string name = names_(t.name.name);
      called_.memories[t.name.name] = name;
      const code::Scalar scalar = (written ? Arithmetic{} : arithmetic_).scalar_of(t.type);
      called_.scalars[t.name.name] = scalar;
      kernel_.memories.push_back({name, scalar, written ? code::Role::out : code::Role::in, {}});
      std::vector<Expr>& extents = called_.extents[t.name.name]; // a single number has none
      for (const recurrence::Expr& d : t.dims) extents.push_back(in_sizes(accepted_affine(d, source)));
    }
  }

  bool is_written(const std::string& tensor) const {
    const auto writes = [&](const auto& x) { return x.tensor == tensor; };
    return std::any_of(flow_.exports.begin(), flow_.exports.end(), writes) ||
           std::any_of(flow_.constants.begin(), flow_.constants.end(), writes);
  }

  bool is_input(const recurrence::TensorDecl& tensor) const {
    const auto inputs = flow_.source->inputs();
    return std::find(inputs.begin(), inputs.end(), &tensor) != inputs.end();
  }

  Expr in_sizes(const Affine& formula) const {
    Expr sum = build::number(formula.constant);
    for (const auto& [name, c] : formula.terms)
      sum = build::add(build::mul(build::variable(called_.sizes.at(name)), build::number(c)), sum);
    return sum;
  }

  // --- the kernel of the array ---

  code::Kernel main_kernel() {
    const lanes::Reads reads = lanes::reads_of(program_);
    Visits visits(program_);
    const std::vector<Happening> rules = rule_happenings(reads);
    std::vector<Happening> all = rules;
    for (std::size_t x = 0; x < flow_.exports.size(); ++x) {
      const dataflow::Export& e = flow_.exports[x];
      all.push_back({fmt::format("export{}", x), e.space, e.domain, static_cast<std::int64_t>(rules.size() + x)});
    }
    const isl::set known =
        isl::manage(isl_set_params(set_where(*flow_.context, *flow_.source, {}, {}, true).release()));
    const Surroundings surroundings{program_, reads, visits, rules, known, called_.meanings, arithmetic_, code_for_};
    StripStatements statements(surroundings, called_, names_);
    code::Kernel kernel = kernel_;
    for (const code::Memory& m : statements.memories()) kernel.memories.push_back(m);
    const Work work{known, visits, rules, reads, statements};
    kernel.body = worker_loops(visits.workers(rules), work, visits.of(all));
    statements.held().declare(kernel.body);
    return kernel;
  }

  struct Work {
    const isl::set& known; // of the sizes
    const Visits& visits;
    const std::vector<Happening>& rules;
    const lanes::Reads& reads;
    StripStatements& statements;
    std::optional<isl::set> share = std::nullopt; // of sizes and workers: those that it is about

    Work at(const isl::set& parameters) const { return {known, visits, rules, reads, statements, parameters}; }
  };

  // Each question has all that isl may do.
  template <class F> auto unless_too_hard(F question) const {
    isl_ctx* const isl = flow_.context->get().get();
    isl_ctx_reset_operations(isl);
    auto answer = recurrence::unless_too_hard(question);
    isl_ctx_reset_operations(isl);
    return answer;
  }

  // A loop over the workers. On a core, strips have loops of their own: for those that are whole, and for others.
  code::Body worker_loops(const std::vector<Worker>& workers, const Work& work, const std::vector<StripVisit>& parts) {
    if (work.statements.shared().any()) return block_loops(workers, work, parts);
    const bool apart = code_for_ == CodeFor::core && work.visits.strips_are_workers();
    const auto shares =
        apart ? unless_too_hard([&] { return shares_of(workers.back(), parts); }).value_or(std::nullopt) : std::nullopt;
    if (!shares)
      return worker_loop(code::Run::workers, workers, work.known,
                         [&](const Moment& fixed, code::Body& to) { what_a_worker_does(fixed, work, parts, to); });
    const std::vector<Worker> outer(workers.begin(), workers.end() - 1);
    isl::set inside = work.known;
    for (const Worker& w : outer) inside = inside.intersect(as_parameters(w, with_gaps_filled(w.values)));
    const Work own{inside, work.visits, work.rules, work.reads, work.statements};
    const auto strips = [&](const Moment& outside, code::Body& to) {
      for (const isl::set& share : *shares) add_share({workers.back().name, share}, outside, own, parts, to);
    };
    if (!outer.empty()) return worker_loop(code::Run::blocks, outer, work.known, strips);
    code::Body body;
    strips({}, body);
    return body;
  }

  void add_share(const Worker& strip, const Moment& outside, const Work& work, const std::vector<StripVisit>& parts,
                 code::Body& to) {
    const isl::set here = as_parameters(strip, strip.values);
    const std::vector<StripVisit> own = at_parameters(parts, here);
    code::Body loop = worker_loop(
        code::Run::workers, {strip}, work.known,
        [&](const Moment& fixed, code::Body& body) { what_a_worker_does(fixed, work.at(here), own, body); }, outside);
    std::move(loop.begin(), loop.end(), std::back_inserter(to));
  }

  std::vector<Happening> rule_happenings(const lanes::Reads& reads) const {
    std::vector<Happening> rules;
    for (std::size_t r = 0; r < flow_.rules.size(); ++r) {
      const auto at = std::find(reads.rule_order.begin(), reads.rule_order.end(), r);
      rules.push_back(
          {fmt::format("rule{}", r), flow_.rules[r].space, flow_.rules[r].domain, at - reads.rule_order.begin()});
    }
    return rules;
  }

  using Inside = std::function<void(const Moment& fixed, code::Body&)>;

  // What is `inside` of a loop over workers. `fixed`: what is known of workers around this loop.
  code::Body worker_loop(code::Run run, const std::vector<Worker>& workers, const isl::set& known, const Inside& inside,
                         Moment fixed = {}) {
    const Meanings around = meanings_with(fixed);
    WorkerNumbers numbers = numbers_of(workers, known, around);
    fixed.insert(numbers.moment.begin(), numbers.moment.end());
    if (program_.strips == lanes::Strips::one) fixed[strip_name] = build::number(0);
    code::Body body;
    inside(fixed, body);
    return unless_empty(std::move(numbers).loop(run, std::move(body)), workers, known, around);
  }

  WorkerNumbers numbers_of(const std::vector<Worker>& workers, const isl::set& known, const Meanings& around) {
    return deal_out(
        workers, known, around, [this](const std::string& name) { return wish_for(name); }, names_);
  }

  static code::Body unless_empty(code::Statement loop, const std::vector<Worker>& workers, const isl::set& known,
                                 const Meanings& around) {
    const Expr condition = workers.empty() ? Expr() : not_empty(workers, known, around);
    if (!condition || build::is_true(condition)) return {std::move(loop)};
    return {build::when(condition, {std::move(loop)})};
  }

  // Where blocks share memory: loops over blocks, and over the workers of each.
  code::Body block_loops(const std::vector<Worker>& workers, const Work& work, const std::vector<StripVisit>& parts) {
    std::vector<Worker> blocks, others;
    for (const Worker& w : workers) (is_block(w) ? blocks : others).push_back(of_block(w));
    std::optional<WorkerNumbers> block;
    if (!blocks.empty()) block = numbers_of(blocks, work.known, called_.meanings);
    WorkerNumbers worker = numbers_of(others, work.known, called_.meanings);
    Moment fixed = worker.moment; // what a worker is
    if (block) fixed.insert(block->moment.begin(), block->moment.end());
    if (program_.strips == lanes::Strips::one) fixed[strip_name] = build::number(0);
    const auto in_block = worker.count();
    code::Body body;
    what_a_worker_does(fixed, work, parts, body);
    code::Statement loop = std::move(worker).loop(code::Run::workers, std::move(body));
    if (block) {
      code::Body shared;
      work.statements.shared().copy(block->moment, in_block, shared);
      shared.push_back(std::move(loop));
      loop = std::move(*block).loop(code::Run::blocks, std::move(shared));
    }
    return unless_empty(std::move(loop), workers, work.known, called_.meanings);
  }

  // Every element of a result leaves the array once.
  static void mark_stored_once(code::Kernel& kernel) {
    const std::set<std::string> loaded = code::loaded_memories(kernel.body);
    for (code::Memory& m : kernel.memories) m.once = m.role == code::Role::out && !loaded.count(m.name);
  }

  Meanings meanings_with(const Moment& fixed) const {
    Meanings meanings = called_.meanings;
    for (const auto& [name, expr] : fixed) meanings[name] = {expr, false};
    return meanings;
  }

  // The component of time whose iterations they are; nothing for strips.
  std::optional<std::size_t> component_of(const Worker& worker) const {
    const auto names = lanes::time_names(program_);
    const auto at = static_cast<std::size_t>(std::find(names.begin(), names.end(), worker.name) - names.begin());
    return at < names.size() ? std::optional(at) : std::nullopt;
  }

  bool is_block(const Worker& worker) const {
    const auto c = component_of(worker);
    return c && program_.time[*c].workers == lanes::Workers::blocks;
  }

  // A block has as many workers at all sizes, where there is such a number: that many threads are then launched. What
  // has nothing to do at the edges does nothing.
  Worker of_block(const Worker& worker) const {
    const auto c = component_of(worker);
    const auto extent = c && !is_block(worker) ? lanes::extent_of(program_, *c) : std::nullopt;
    if (!extent) return worker;
    return {worker.name, lanes::place_between(flow_, extent->first, extent->first + extent->count - 1)};
  }

  std::string wish_for(const std::string& parameter) const {
    if (parameter == strip_name) return "strip";
    const auto names = lanes::time_names(program_);
    const auto at = std::find(names.begin(), names.end(), parameter) - names.begin();
    return program_.time[static_cast<std::size_t>(at)].name;
  }

  // The sizes at which there is something to do.
  static Expr not_empty(const std::vector<Worker>& workers, const isl::set& known, const Meanings& meanings) {
    const isl::set sizes = isl::manage(isl_set_params(workers[0].values.copy()));
    return test_of(isl::manage(isl_set_gist(isl_set_coalesce(sizes.copy()), known.copy())), meanings).expr;
  }

  // The times at which all that is computed is computed by all elements: most of them. Their loops have no tests.
  std::optional<isl::set> whole_strips(const std::vector<StripVisit>& parts) const {
    std::optional<isl::set> whole, some;
    for (const StripVisit& p : parts) {
      if (p.happening >= flow_.rules.size()) continue;
      std::optional<isl::set>& all = p.all ? whole : some;
      all = all ? all->unite(p.visit.points) : p.visit.points;
    }
    if (!whole || !some) return std::nullopt;
    const isl::set rest = isl::manage(isl_set_coalesce(whole->subtract(*some).release()));
    return rest.is_empty() ? std::nullopt : std::optional(rest);
  }

  void what_a_worker_does(const Moment& fixed, const Work& work, const std::vector<StripVisit>& parts, code::Body& to) {
    const Visits& visits = work.visits;
    StripStatements& statements = work.statements;
    std::vector<Visit> list;
    for (const StripVisit& p : parts) list.push_back(p.visit);
    if (statements.registers().rotate() && work.reads.innermost)
      if (auto step = visits.each_step(work.rules, *work.reads.innermost)) {
        if (work.share) step->points = step->points.intersect_params(*work.share);
        list.push_back(std::move(*step));
      }
    if (list.empty()) return;
    const Meanings meanings = meanings_with(fixed);
    const Visited visited = [&](const std::string& name, const std::vector<Expr>& at, code::Body& body) {
      isl_ctx_reset_operations(flow_.context->get().get()); // every visit has all that isl may do
      if (name == "step") return statements.registers().step(body);
      Moment now = fixed;
      for (std::size_t c = 0; c < at.size(); ++c) now[visits.coordinates()[c]] = at[c];
      const auto part = std::find_if(parts.begin(), parts.end(), [&](const auto& p) { return p.visit.name == name; });
      if (part->happening < flow_.rules.size()) statements.compute(*part, part->happening, now, body);
      else statements.leave(*part, part->happening - flow_.rules.size(), now, body);
    };
    code::Body inside;
    const isl::set known = work.share ? work.known.intersect(*work.share) : work.known;
    if (const auto whole = whole_workers(parts)) {
      for (const isl::set& workers : {*whole, workers_of(list).subtract(*whole)}) {
        code::Body body;
        add_visits(of_workers(list, workers), known.intersect(workers), std::nullopt, work, meanings, visited, body);
        const isl::set which = isl::manage(isl_set_coalesce(workers.gist(known).release()));
        inside.push_back(build::when(test_of(which, meanings).expr, std::move(body)));
      }
    } else {
      add_visits(list, known, whole_strips(parts), work, meanings, visited, inside);
    }
    statements.registers().declare(to);
    statements.operations().declare_flags(to);
    std::move(inside.begin(), inside.end(), std::back_inserter(to));
    statements.operations().fail_by_flags(to);
  }

  static isl::set workers_of(const std::vector<Visit>& list) {
    isl::set all = isl::manage(isl_set_params(list[0].points.copy()));
    for (const Visit& v : list) all = all.unite(isl::manage(isl_set_params(v.points.copy())));
    return isl::manage(isl_set_coalesce(all.release()));
  }

  static std::vector<Visit> of_workers(const std::vector<Visit>& list, const isl::set& workers) {
    std::vector<Visit> result;
    for (const Visit& v : list) {
      Visit there = v;
      there.points = there.points.intersect_params(workers);
      if (!there.points.is_empty()) result.push_back(std::move(there));
    }
    return result;
  }

  // Workers all of whose elements compute whatever is computed: their code has no tests and no masks. Nothing where no
  // worker is of that kind, or all are; and where there are loops, which are cut instead.
  std::optional<isl::set> whole_workers(const std::vector<StripVisit>& parts) const {
    for (const lanes::Component& c : program_.time)
      if (!c.constant && !c.worker && !c.unrolled) return std::nullopt;
    std::vector<Visit> whole, some;
    for (const StripVisit& p : parts)
      if (p.happening < flow_.rules.size()) (p.all ? whole : some).push_back(p.visit);
    if (whole.empty() || some.empty()) return std::nullopt;
    const isl::set workers = isl::manage(isl_set_coalesce(workers_of(whole).subtract(workers_of(some)).release()));
    return workers.is_empty() ? std::nullopt : std::optional(workers);
  }

  // Loops that isl has cut so that little is tested inside; where that takes too long, loops around all of it, in which
  // every visit is tested.
  void add_visits(const std::vector<Visit>& list, const isl::set& known, const std::optional<isl::set>& apart,
                  const Work& work, const Meanings& meanings, const Visited& visited, code::Body& to) {
    const auto loops = [&](const std::vector<Visit>& which, const std::optional<isl::set>& own) {
      int levels = all_levels;
      return visit_loops(*flow_.context, *flow_.source, which, known, levels, own, work.visits.unrolled());
    };
    if (const auto node = recurrence::unless_too_hard([&] { return loops(list, apart); }))
      return add_loops(*node, meanings, names_, visited, to);
    add_loops(
        loops({around_all(list)}, std::nullopt), meanings, names_,
        [&](const std::string&, const std::vector<Expr>& at, code::Body& body) {
          Meanings here = meanings;
          for (std::size_t c = 0; c < at.size(); ++c) here[list[0].coordinates[c]] = {at[c], false};
          for (const Visit* v : in_order(list)) test_and_visit(*v, at, here, visited, body);
        },
        to);
  }

  static Visit around_all(const std::vector<Visit>& list) {
    isl::set all = list[0].points;
    for (const Visit& v : list) all = all.unite(v.points);
    Visit around{
        "all", list[0].coordinates, {}, isl::manage(isl_set_from_basic_set(isl_set_simple_hull(all.release())))};
    // The order of the loops is that of the times. A component that is a number in every visit is a loop here, too: the
    // coordinates that no visit orders by name are these numbers, in their order.
    std::vector<std::string> numbers;
    for (const std::string& c : around.coordinates) {
      const auto orders = [&](const Visit& v) {
        return std::any_of(v.time.begin(), v.time.end(), [&](const Affine& t) { return t.coefficient(c) != 0; });
      };
      if (std::none_of(list.begin(), list.end(), orders)) numbers.push_back(c);
    }
    auto number = numbers.begin();
    for (std::size_t c = 0; c + 1 < list[0].time.size(); ++c) {
      const auto shows = [&](const Visit& v) { return !v.time[c].is_constant(); };
      const auto one = std::find_if(list.begin(), list.end(), shows);
      if (one != list.end()) around.time.push_back(one->time[c]);
      else if (number != numbers.end()) around.time.push_back(Affine{{{*number++, 1}}, 0});
    }
    for (; number != numbers.end(); ++number) around.time.push_back(Affine{{{*number, 1}}, 0});
    return around;
  }

  // At one time, by rank.
  static std::vector<const Visit*> in_order(const std::vector<Visit>& list) {
    std::vector<const Visit*> order;
    for (const Visit& v : list) order.push_back(&v);
    std::stable_sort(order.begin(), order.end(),
                     [](const Visit* a, const Visit* b) { return a->time.back().constant < b->time.back().constant; });
    return order;
  }

  static void test_and_visit(const Visit& visit, const std::vector<Expr>& at, const Meanings& here,
                             const Visited& visited, code::Body& to) {
    isl_set* points = visit.points.copy();
    for (std::size_t c = visit.coordinates.size(); c-- > 0;) {
      const auto end = static_cast<unsigned>(isl_set_dim(points, isl_dim_param));
      points = isl_set_move_dims(points, isl_dim_param, end, isl_dim_set, static_cast<unsigned>(c), 1);
      points = isl_set_set_dim_name(points, isl_dim_param, end, visit.coordinates[c].c_str());
    }
    code::Body inside;
    visited(visit.name, at, inside);
    const Expr test = test_of(isl::manage(isl_set_params(points)), here).expr;
    if (build::is_true(test)) std::move(inside.begin(), inside.end(), std::back_inserter(to));
    else to.push_back(build::when(test, std::move(inside)));
  }

  const lanes::Program& program_;
  const dataflow::Program& flow_;
  Arithmetic arithmetic_;
  CodeFor code_for_;
  FreshNames names_;
  KernelNames called_;
  code::Kernel kernel_; // without a body
};

} // namespace

LanesCode lanes_to_code(const lanes::Program& program, const Arithmetic& arithmetic, CodeFor code_for) {
  return LanesToCode(program, arithmetic, code_for).run();
}

} // namespace cyclotron::lower
