// SPDX-License-Identifier: MIT
// Gives the lines of the text form their meaning: names, domains, values.
#include "dataflow/check_types.hpp"
#include "dataflow/domain_of_text.hpp"
#include "dataflow/ir.hpp"
#include "dataflow/parse_tokens.hpp"
#include "dataflow/text_parser.hpp"
#include "dataflow/timing.hpp"
#include "frontend/resolve.hpp"
#include "recurrence/isl_limit.hpp"
#include "support/nearest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace cyclotron::dataflow {

using namespace recurrence;

namespace {

struct LineAbandoned {}; // after the error has been reported

class Reader {
public:
  Reader(TextProgram text, std::shared_ptr<const recurrence::Program> source, Diagnostics& diagnostics)
      : text_(std::move(text)), source_(std::move(source)), diagnostics_(diagnostics) {}

  Program run() {
    program_.context = std::make_shared<IslContext>();
    program_.source = source_;
    for (const Binder& axis : text_.axes) program_.axes.push_back(axis.name);
    program_.passes = static_cast<int>(text_.passes);
    for (const TextSpace& s : text_.spaces) attempt([&] { add_space(s); });
    if (diagnostics_.failed()) return std::move(program_);
    check_times();
    attempt([&] { add_timing(); });
    for (const TextLine& line : text_.lines)
      if (is_value(line)) attempt([&] { add_value(line); });
    for (const TextLine& line : text_.lines) attempt([&] { add_line(line); });
    return std::move(program_);
  }

private:
  template <class F> void attempt(F f) {
    try {
      f();
    } catch (const LineAbandoned&) {}
    isl_ctx_reset_operations(program_.context->get().get());
  }

  [[noreturn]] void fail(Span span, std::string message, std::string hint = "") {
    diagnostics_.error(span, std::move(message)).with_hint(std::move(hint));
    throw LineAbandoned{};
  }

  // --- spaces ---

  void add_space(const TextSpace& s) {
    scope_.clear();
    for (const Binder& c : s.coordinates) {
      if (source_->is_size(c.name) || source_->let(c.name) || source_->tensor(c.name) || in_scope(c.name))
        fail(c.span, fmt::format("`{}` cannot be a coordinate: the name is taken", c.name),
             "sizes, constants, tensors and the coordinates of one space all differ");
      scope_.push_back(c.name);
    }
    Space space{s.name.name, scope_, domain(s.domain, nullptr), {}, {}, {}};
    space.place = s.place ? point(*s.place) : default_place(s);
    space.time = s.time ? point(*s.time) : default_time();
    if (space.place.size() != program_.axes.size())
      fail(s.place_span, fmt::format("a place has a formula per axis of the array, {} here; found {}",
                                     program_.axes.size(), space.place.size()));
    program_.spaces.push_back(std::move(space));
    for (const TextValue& v : s.values)
      program_.values.push_back({static_cast<int>(program_.spaces.size()) - 1, v.name.name, v.type, point(v.tile)});
  }

  // Coordinates named as the axes are the place; the others are the time.
  Point default_place(const TextSpace& s) {
    Point result;
    for (const std::string& axis : program_.axes) {
      if (!in_scope(axis))
        fail(s.name.span, fmt::format("space `{}` has no `place`", s.name.name),
             fmt::format(
                 "write where its points are computed, a formula per axis: `place ({})`",
                 fmt::join(scope_.begin(),
                           scope_.begin() + static_cast<std::ptrdiff_t>(std::min(scope_.size(), program_.axes.size())),
                           ", ")));
      result.push_back(Affine{{{axis, 1}}, 0});
    }
    return result;
  }

  Point default_time() const {
    Point result;
    for (const std::string& c : scope_)
      if (std::find(program_.axes.begin(), program_.axes.end(), c) == program_.axes.end())
        result.push_back(Affine{{{c, 1}}, 0});
    return result;
  }

  // The names of the formula are coordinates of the spaces; a space that lacks one says its own step.
  void add_timing() {
    for (const TextSpace& s : text_.spaces)
      if (!text_.timing && s.step_span.known())
        fail(s.step_span, "a step is a part of a timing, and there is none",
             "write the formula that all steps have in common above the first space: `timing t = i + j + k`");
    if (!text_.timing) return;
    scope_ = names_in(*text_.timing);
    program_.timing = Timing{affine(*text_.timing), {}};
    for (std::size_t s = 0; s < text_.spaces.size(); ++s) program_.timing->steps.push_back(step(s));
    program_.timing_span = text_.timing_span;
  }

  std::optional<Affine> step(std::size_t s) {
    const TextSpace& text = text_.spaces[s];
    if (text.no_step) return std::nullopt;
    scope_ = program_.spaces[s].coordinates;
    if (text.step) return affine(*text.step);
    const auto result = step_by_names(*program_.timing, program_.spaces[s], *source_);
    if (!result)
      fail(
          text.name.span,
          fmt::format("space `{}` has no `step`, and its coordinates are not all those of the timing `{}`",
                      text.name.name, recurrence::print(program_.timing->formula)),
          "write when its points are computed, such as `step i + k`, or `step none` where they come before all others");
    return result;
  }

  // Those that mean nothing else.
  std::vector<std::string> names_in(const Expr& expr) const {
    std::vector<std::string> names;
    ir::walk<ExprNode>(expr, [&](const Expr& e) {
      const Name* n = as<Name>(e);
      if (n && !std::count(names.begin(), names.end(), n->id) && !source_->is_size(n->id) && !source_->let(n->id) &&
          !source_->tensor(n->id))
        names.push_back(n->id);
    });
    return names;
  }

  void check_times() {
    for (std::size_t s = 1; s < program_.spaces.size(); ++s)
      if (program_.spaces[s].time.size() != program_.spaces[0].time.size())
        diagnostics_
            .error(text_.spaces[s].time_span.known() ? text_.spaces[s].time_span : text_.spaces[s].name.span,
                   fmt::format("the time of space `{}` has {} components, that of `{}` has {}", program_.spaces[s].name,
                               program_.spaces[s].time.size(), program_.spaces[0].name, program_.spaces[0].time.size()))
            .with_hint("times of all spaces are compared, so they are of one length: fill up with 0");
    const std::size_t length = program_.spaces.empty() ? 0 : program_.spaces[0].time.size();
    if (text_.passes < 0 || static_cast<std::size_t>(text_.passes) > length)
      diagnostics_.error(
          text_.passes_span,
          fmt::format("`passes` counts leading components of `time`, which has {}; found {}", length, text_.passes));
  }

  // --- rules, exports, constants ---

  static bool is_value(const TextLine& line) {
    return std::get<Access>(line.target->kind).tensor.find('.') != std::string::npos;
  }

  int space_of(const std::string& key, Span span) {
    const std::string name = key.substr(0, key.find('.'));
    const int space = program_.space_named(name);
    if (space >= 0) return space;
    std::vector<std::string> known;
    for (const Space& s : program_.spaces) known.push_back(s.name);
    fail(span, name.empty() ? "a value at a point belongs to a space" : fmt::format("there is no space `{}`", name),
         name.empty() ? "constants are made of numbers, sizes and index variables" : did_you_mean(name, known));
  }

  bool has_value(int space, const std::string& name) const {
    return std::any_of(program_.values.begin(), program_.values.end(),
                       [&](const Value& v) { return v.space == space && v.name == name; });
  }

  void add_value(const TextLine& line) {
    const std::string& key = std::get<Access>(line.target->kind).tensor;
    const int space = space_of(key, line.target->span);
    const std::string name = key.substr(key.find('.') + 1);
    if (!has_value(space, name)) program_.values.push_back({space, name, ValueType::f64, {}});
  }

  void add_line(const TextLine& line) {
    if (line.space < 0) return add_constant(line);
    const Space& space = program_.spaces[static_cast<std::size_t>(line.space)];
    scope_ = space.coordinates;
    if (!is_value(line)) return add_export(line);
    const Access& target = std::get<Access>(line.target->kind);
    if (space_of(target.tensor, line.target->span) != line.space)
      fail(line.target->span, fmt::format("this rule is of another space than `{}`", space.name),
           "write a rule in the block of its own space");
    Rule rule{line.space, target.tensor.substr(target.tensor.find('.') + 1), space.domain, {}, line.supply, line.span};
    rule.domain = domain_of(line, target, space);
    rule.expr = resolved(line.expr);
    const Access* read = as<Access>(rule.expr);
    if (rule.supply == Supply::none && read && !reference_of(*read, program_)) rule.supply = Supply::direct;
    if (rule.supply != Supply::none) check_supplied(rule);
    program_.rules.push_back(std::move(rule));
  }

  void check_supplied(const Rule& rule) {
    bool reads = false;
    ir::walk<ExprNode>(rule.expr, [&](const Expr& e) {
      const Access* a = as<Access>(e);
      reads |= a && !reference_of(*a, program_);
    });
    if (!reads)
      fail(rule.expr->span, fmt::format("`{}` is how a tensor enters, and this rule reads none",
                                        rule.supply == Supply::boundary ? "boundary" : "broadcast"));
  }

  void add_export(const TextLine& line) {
    const Expr target = resolved(line.target);
    const Access* value = as<Access>(line.expr);
    if (!value || value->tensor.find('.') == std::string::npos)
      fail(line.expr->span, "an export writes a value as it is: `C(i,j) <- (i, j, p-1)_C`",
           "compute it in a rule of its own, or under `constants` where it needs no value of the array");
    const Space& space = program_.spaces[static_cast<std::size_t>(line.space)];
    if (space_of(value->tensor, line.expr->span) != line.space)
      fail(line.expr->span, fmt::format("this value is of another space than `{}`", space.name),
           "write an export in the block of the space whose value it is");
    Export result{line.space, value->tensor.substr(value->tensor.find('.') + 1), space.domain, {}, {}, line.span};
    check_value(line.space, result.value, line.expr->span);
    result.domain = domain_of(line, *value, space);
    result.tensor = std::get<Access>(target->kind).tensor;
    result.indices = accepted_point(std::get<Access>(target->kind));
    program_.exports.push_back(std::move(result));
  }

  // The index variables of a constant are the names that mean nothing else.
  void add_constant(const TextLine& line) {
    scope_ = names_in(line.target);
    for (const std::string& n : names_in(line.expr))
      if (!in_scope(n)) scope_.push_back(n);
    const Expr target = resolved(line.target);
    Constant result{{}, scope_, domain(line.domain, nullptr), {}, resolved(line.expr), line.span};
    ir::walk<ExprNode>(result.expr, [&](const Expr& e) {
      const Access* a = as<Access>(e);
      if (a && reference_of(*a, program_))
        fail(e->span, "a constant needs no value of the array", "write an export in the block of the value's space");
    });
    result.tensor = std::get<Access>(target->kind).tensor;
    result.indices = accepted_point(std::get<Access>(target->kind));
    program_.constants.push_back(std::move(result));
  }

  // The domain of a rule whose left-hand side may fix coordinates: `(i, 0, k)_A`.
  isl::set domain_of(const TextLine& line, const Access& at, const Space& space) {
    if (at.indices.size() != space.coordinates.size())
      fail(line.target->span, fmt::format("space `{}` has {} coordinates, found {}", space.name,
                                          space.coordinates.size(), at.indices.size()));
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < at.indices.size(); ++i) {
      const Affine own{{{space.coordinates[i], 1}}, 0}, given = affine(at.indices[i]);
      if (given.coefficient(space.coordinates[i]) != 0 && !(given == own))
        fail(at.indices[i]->span,
             fmt::format("a rule is for the point `({})`, found `{}`", fmt::join(space.coordinates, ", "),
                         recurrence::print(at.indices[i])),
             "shift the coordinates on the right-hand side instead");
      texts.push_back(isl_text(condition_of(own, Relation::equal, given)));
    }
    return domain(line.domain, &space).intersect(make_set(*program_.context, *source_, scope_, texts));
  }

  // --- domains ---

  isl::set domain(const TextDomain& text, const Space* inside) {
    const std::string conditions = isl_text_of(
        text, [&](const Expr& e) { return affine(e); },
        [&](Span span, std::string what) { fail(span, std::move(what)); });
    isl::set result = make_set(*program_.context, *source_, scope_, {conditions});
    return inside ? result.intersect(inside->domain) : result;
  }

  // --- names ---

  bool in_scope(const std::string& name) const { return std::find(scope_.begin(), scope_.end(), name) != scope_.end(); }

  Point point(const std::vector<Expr>& list) {
    Point result;
    for (const Expr& e : list) result.push_back(affine(e));
    return result;
  }

  Point accepted_point(const Access& access) const {
    Point result;
    for (const Expr& e : access.indices) result.push_back(accepted_affine(e, *source_));
    return result;
  }

  Affine affine(const Expr& expr) {
    const auto result = affine_of(resolved(expr), *source_);
    if (const Affine* a = std::get_if<Affine>(&result)) return *a;
    const NotAffine& why = std::get<NotAffine>(result);
    fail(why.span, fmt::format("this must be affine in coordinates and sizes: {}", why.reason));
  }

  Expr resolved(const Expr& expr) {
    if (const Name* n = as<Name>(expr)) return resolved_name(*n, expr);
    if (as<Reduce>(expr))
      fail(expr->span, "a rule has no reductions", "add up from point to point: `(i, k)_s <- (i, k-1)_s + …`");
    const Expr result = ir::map_children<ExprNode>(expr, [&](const Expr& e) { return resolved(e); });
    if (const Access* a = as<Access>(result)) check_access(*a, expr->span);
    return result;
  }

  Expr resolved_name(const Name& n, const Expr& expr) {
    if (in_scope(n.id)) return Expr(Name{n.id, NameKind::index}, expr->span);
    if (source_->tensor(n.id)) return Expr(Access{n.id, {}, {}}, expr->span);
    if (source_->let(n.id)) return Expr(Name{n.id, NameKind::constant}, expr->span);
    if (source_->is_size(n.id)) return Expr(Name{n.id, NameKind::size}, expr->span);
    std::vector<std::string> known = scope_;
    for (const Binder& s : source_->sizes) known.push_back(s.name);
    const std::string hint = did_you_mean(n.id, known);
    fail(expr->span, fmt::format("`{}` is not declared", n.id),
         hint.empty() ? fmt::format("the coordinates here are {}; a size stands in a `tensor` or an `assume`",
                                    scope_.empty() ? "none" : fmt::format("{}", fmt::join(scope_, ", ")))
                      : hint);
  }

  void check_access(const Access& a, Span span) {
    for (const Expr& index : a.indices) affine(index);
    if (a.tensor.find('.') != std::string::npos) {
      const int space = space_of(a.tensor, span);
      const Space& own = program_.spaces[static_cast<std::size_t>(space)];
      check_value(space, a.tensor.substr(a.tensor.find('.') + 1), span);
      if (a.indices.size() != own.coordinates.size())
        fail(span, fmt::format("a point of space `{}` has {} coordinate{}, found {}", own.name, own.coordinates.size(),
                               own.coordinates.size() == 1 ? "" : "s", a.indices.size()));
      return;
    }
    const TensorDecl* decl = source_->tensor(a.tensor);
    if (!decl) {
      std::vector<std::string> known;
      for (const TensorDecl& t : source_->tensors) known.push_back(t.name.name);
      fail(span, fmt::format("`{}` is not declared", a.tensor), did_you_mean(a.tensor, known));
    }
    if (a.indices.size() > decl->dims.size())
      fail(span, fmt::format("`{}` has {} dimension{}, found {} indices", a.tensor, decl->dims.size(),
                             decl->dims.size() == 1 ? "" : "s", a.indices.size()));
  }

  void check_value(int space, const std::string& name, Span span) {
    if (has_value(space, name)) return;
    std::vector<std::string> known;
    for (const Value& v : program_.values)
      if (v.space == space) known.push_back(v.name);
    const std::string hint = did_you_mean(name, known);
    fail(span, fmt::format("space `{}` has no value `{}`", program_.spaces[static_cast<std::size_t>(space)].name, name),
         hint.empty() ? "some rule must say what it is" : hint);
  }

  TextProgram text_;
  std::shared_ptr<const recurrence::Program> source_;
  Diagnostics& diagnostics_;
  Program program_;
  std::vector<std::string> scope_; // the coordinates at hand
};

} // namespace

std::optional<Program> parse(std::int32_t file, Diagnostics& diagnostics) {
  const int before = diagnostics.errors();
  const std::vector<frontend::Token> tokens = frontend::lex(file, diagnostics.sources(), diagnostics);
  auto program = parse_tokens(tokens, diagnostics);
  return diagnostics.errors() == before ? std::move(program) : std::nullopt;
}

std::optional<Program> parse_tokens(const std::vector<frontend::Token>& all, Diagnostics& diagnostics) {
  const int before = diagnostics.errors(); // those of others
  const TextTokens tokens = tokens_of(all);
  frontend::Unit unit =
      frontend::resolve_declarations(frontend::Parser(tokens.declarations, diagnostics).run(), diagnostics);
  infer_types(unit.program, diagnostics);
  TextProgram text = TextParser(tokens.rest, diagnostics).run();
  if (diagnostics.errors() != before) return std::nullopt;
  const auto source = std::make_shared<const recurrence::Program>(std::move(unit.program));
  const Question asked{
      {}, "whether the domains of this program fit together", "split spaces or simplify their conditions"};
  const auto read = [&]() -> std::optional<Program> {
    Program program = Reader(std::move(text), source, diagnostics).run();
    if (diagnostics.errors() == before) check_types(program, diagnostics);
    if (diagnostics.errors() != before) return std::nullopt;
    if (const auto problem = find_problem(program)) {
      diagnostics.error(problem->span, problem->message).with_hint(problem->hint);
      return std::nullopt;
    }
    return program;
  };
  return within_isl_limit(asked, diagnostics, read).value_or(std::nullopt);
}

} // namespace cyclotron::dataflow
