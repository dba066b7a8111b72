// SPDX-License-Identifier: MIT
#include "lower/stream/term.hpp"

#include "lower/stream/operations.hpp"
#include "lower/stream/ranges.hpp"
#include "recurrence/affine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace cyclotron::lower {

using namespace recurrence;
using stream::Operation;

const char* const other_targets = "`--target=c` and `--target=interpret` run it";

std::size_t StreamOperand::dimension_of(const std::string& variable) const {
  std::size_t dimension = 0;
  while (dimension < at.indices.size() &&
         (at.indices[dimension] != variable || (!walked.empty() && !walked[dimension])))
    ++dimension;
  return dimension;
}

tensor::Format walked_format(tensor::Format format) {
  const auto branchless = [](tensor::LevelKind kind) { return tensor::properties_of(kind).branchless; };
  std::ranges::replace_if(format.levels, branchless, tensor::LevelKind::compressed);
  return format;
}

bool StreamOperand::has(const std::string& variable) const {
  return kind == Kind::access && dimension_of(variable) < at.indices.size();
}

bool StreamOperand::uses(const std::string& variable) const {
  if (kind == Kind::index) return at.tensor == variable;
  return has(variable) ||
         std::ranges::any_of(places, [&](const Affine& place) { return place.coefficient(variable) != 0; });
}

std::vector<int> operands_in(const StreamTerm& term) {
  if (term.kind == StreamTerm::Kind::operand) return {term.operand};
  std::vector<int> all;
  for (const StreamTerm& child : term.children) {
    const std::vector<int> more = operands_in(child);
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

namespace {

void collect_variables(const StreamTerm& term, std::vector<std::string>& list) {
  for (const std::string& v : term.variables)
    if (!std::ranges::count(list, v)) list.push_back(v);
  for (const StreamTerm& child : term.children) collect_variables(child, list);
}

class TermReader {
public:
  TermReader(const Equation& equation, const frontend::Checked& checked,
             const std::map<std::string, std::int64_t>& sizes, const StreamReads& reads, Diagnostics& diagnostics)
      : equation_(equation), checked_(checked), program_(checked.program()), ranges_(equation, checked, sizes),
        reads_(reads), diagnostics_(diagnostics) {}

  std::optional<StreamEquation> read() {
    if (!check_access(equation_.target)) return std::nullopt;
    bind_outputs();
    const StreamOperand result = placed(equation_.access());
    made_.title = print(equation_);
    made_.result = result.at;
    made_.result.name = result.at.tensor;
    made_.result_places = result.places;
    for (std::size_t d = 0; d < result.places.size(); ++d) add_place(d);
    made_.type = result.type;
    made_.span = equation_.span;
    made_.value = holds_at_sizes() ? term_of(equation_.value) : constant_term(0, 0, equation_.value->span);
    if (made_.value.kind == StreamTerm::Kind::constant) made_.value = standing_alone(made_.value, made_.type);
    add_conditions(made_.outputs);
    if (failed_) return std::nullopt;
    return made_;
  }

private:
  void refuse(Span span, const std::string& reason) {
    diagnostics_.unsupported(span, reason).with_hint(other_targets);
    failed_ = true;
  }

  bool check_access(const Expr& expr) {
    const Access& access = *as<Access>(expr);
    const TensorDecl& decl = *program_.tensor(access.tensor);
    if (access.step) {
      refuse(expr->span, fmt::format("streams cannot compute `{}` step by step", access.tensor));
      return false;
    }
    if (access.indices.size() < decl.dims.size()) {
      refuse(expr->span, fmt::format("`{}` is a tile, and streams carry single values", print(expr)));
      return false;
    }
    return true;
  }

  // A level is walked through along an index that has it to itself and runs as far as it does; of A(i,i), one is.
  StreamOperand placed(const Access& access) {
    const TensorDecl& decl = *program_.tensor(access.tensor);
    StreamOperand operand;
    operand.at = {"", access.tensor, {}, walked_format(decl.format)};
    operand.type = decl.type;
    for (std::size_t d = 0; d < access.indices.size(); ++d) {
      const Affine place = ranges_.at_sizes(substitute(accepted_affine(access.indices[d], program_), here_));
      const bool bare = place.constant == 0 && place.terms.size() == 1 && place.terms.begin()->second == 1;
      const std::string name = bare ? place.terms.begin()->first : "";
      const bool walks =
          bare && !operand.has(name) && ranges_.equal(made_.extents.at(name), accepted_affine(decl.dims[d], program_));
      operand.at.indices.push_back(walks ? name : place_text(place));
      operand.places.push_back(place);
      operand.walked.push_back(walks);
    }
    if (std::ranges::count(operand.walked, false) > 0) return operand;
    operand.places.clear();
    operand.walked.clear();
    return operand;
  }

  // No name of an index.
  static std::string place_text(const Affine& place) {
    std::string text = print(place);
    std::erase(text, ' ');
    return place.terms.size() == 1 && text == place.terms.begin()->first ? text + "+0" : text;
  }

  // The left-hand side is inside its tensor.
  void add_place(std::size_t dimension) {
    const Affine size =
        ranges_.at_sizes(accepted_affine(program_.tensor(made_.result.tensor)->dims[dimension], program_));
    const Affine& place = made_.result_places[dimension];
    made_.extents.try_emplace(made_.result.indices[dimension], size);
    std::int64_t least = place.constant, most = place.constant;
    for (const auto& [index, factor] : place.terms) {
      const std::int64_t last = ranges_.at_sizes(made_.extents.at(index)).constant - 1;
      (factor > 0 ? most : least) += factor * last;
    }
    if (least < 0) made_.conditions.push_back({place, Relation::greater_equal, equation_.span, false});
    if (most >= size.constant) made_.conditions.push_back({place - size, Relation::less, equation_.span, false});
  }

  // A constraint on sizes alone leaves the equation as it is, or without a point.
  bool holds_at_sizes() const {
    for (const Constraint& c : equation_.constraints)
      for (const Condition& condition : conditions_of(c, program_)) {
        const Affine value = ranges_.at_sizes(condition.affine);
        if (value.is_constant() && !holds({value, condition.kind}, [](const std::string&) { return 0; })) return false;
      }
    return true;
  }

  void bind_outputs() {
    for (const Expr& index : equation_.access().indices)
      for (const auto& [name, factor] : accepted_affine(index, program_).terms)
        if (!program_.is_size(name) && bound_.insert(name).second) {
          made_.outputs.push_back(name);
          take_range(name, name, ranges_.of_output(name), equation_.target->span);
        }
  }

  void take_range(const std::string& variable, const std::string& name, const std::optional<StreamRange>& range,
                  Span span) {
    if (!range) refuse(span, fmt::format("how far `{}` runs is too complicated to be found", variable));
    made_.extents[name] = range ? range->extent : Affine{};
    here_[variable] = Affine{{{name, 1}}, range ? range->first : 0};
  }

  StreamTerm operand_term(StreamOperand operand, const std::string& base) {
    std::string name = base;
    for (int n = 1; !names_.insert(name).second; ++n) name = fmt::format("{}_{}", base, n);
    operand.at.name = name;
    StreamTerm term;
    term.type = operand.type;
    term.span = operand.span;
    term.operand = static_cast<int>(made_.operands.size());
    made_.operands.push_back(std::move(operand));
    return term;
  }

  // A number that nothing is combined with becomes an array of one value.
  StreamTerm standing_alone(const StreamTerm& constant, tensor::ValueType type) {
    StreamOperand operand;
    operand.kind = StreamOperand::Kind::constant;
    operand.value = constant.value;
    operand.integer = constant.integer;
    operand.type = type;
    operand.span = constant.span;
    return operand_term(operand, fmt::format("{}", constant.value));
  }

  StreamTerm constant_term(double value, std::int64_t integer, Span span) {
    StreamTerm term;
    term.kind = StreamTerm::Kind::constant;
    term.value = value;
    term.integer = integer;
    term.span = span;
    return term;
  }

  StreamTerm name_term(const Expr& expr, const Name& name) {
    if (name.kind == NameKind::constant) return term_of(program_.let(name.id)->value);
    StreamOperand operand;
    operand.kind = name.kind == NameKind::size ? StreamOperand::Kind::size : StreamOperand::Kind::index;
    operand.at.tensor = name.kind == NameKind::index ? here_.at(name.id).terms.begin()->first : name.id;
    operand.type = tensor::ValueType::i64;
    operand.span = expr->span;
    const StreamTerm coordinate = operand_term(operand, name.id);
    const std::int64_t first = name.kind == NameKind::index ? here_.at(name.id).constant : 0;
    if (first == 0) return coordinate;
    StreamTerm index;
    index.kind = StreamTerm::Kind::apply;
    index.operation = Operation::add;
    index.type = operand.type;
    index.span = expr->span;
    index.children = {coordinate, constant_term(static_cast<double>(first), first, expr->span)};
    return index;
  }

  StreamTerm access_term(const Expr& expr, const Access& access) {
    if (!check_access(expr)) return {};
    const auto piece = reads_.find(expr.get());
    if (piece != reads_.end() && piece->second.empty()) return constant_term(0, 0, expr->span);
    StreamOperand operand = placed(access);
    if (piece != reads_.end()) operand.at.tensor = piece->second;
    operand.span = expr->span;
    return operand_term(operand, access.tensor);
  }

  StreamTerm apply(const Expr& expr, Operation operation, const std::vector<Expr>& arguments) {
    StreamTerm term;
    term.kind = StreamTerm::Kind::apply;
    term.operation = operation;
    term.span = expr->span;
    for (const Expr& a : arguments) term.children.push_back(term_of(a));
    term.type = type_in(expr, arguments);
    const auto fixed = [](const StreamTerm& t) { return t.kind == StreamTerm::Kind::constant; };
    if (!std::ranges::all_of(term.children, fixed)) return term;
    std::vector<double> values;
    for (const StreamTerm& child : term.children) values.push_back(child.value);
    const double value = evaluate(operation, values);
    return constant_term(value, std::llround(value), expr->span);
  }

  // A comparison computes in the type in which its sides meet, everything else in that of its result.
  tensor::ValueType type_in(const Expr& expr, const std::vector<Expr>& arguments) {
    const ExprType* own = checked_.types.find(expr);
    if (const Binary* b = as<Binary>(expr); b && is_comparison(b->op)) {
      const ExprType *l = checked_.types.find(arguments[0]), *r = checked_.types.find(arguments[1]);
      if (l && r) return promote(*l, *r).type;
    }
    return own ? own->type : made_.type;
  }

  // A name of its own for every loop.
  std::string bind(const Expr& reduce, const std::string& variable) {
    std::string name = variable;
    for (int n = 1; !bound_.insert(name).second; ++n) name = fmt::format("{}_{}", variable, n);
    if (name != variable) made_.written_as[name] = variable;
    take_range(variable, name, ranges_.of_reduced(reduce, variable), reduce->span);
    return name;
  }

  StreamTerm reduce_term(const Expr& expr, const Reduce& reduce) {
    StreamTerm term;
    term.kind = StreamTerm::Kind::reduce;
    term.reducer = reduce.reducer;
    const std::map<std::string, Affine> outside = here_;
    std::vector<std::string> written;
    for (const Binder& b : reduce.variables) term.variables.push_back(bind(expr, written.emplace_back(b.name)));
    const std::size_t conditions = made_.conditions.size();
    add_conditions(written);
    term.may_be_empty =
        made_.conditions.size() > conditions || std::ranges::any_of(term.variables, [&](const std::string& v) {
          return ranges_.at_sizes(made_.extents.at(v)) == Affine{};
        });
    term.children.push_back(term_of(reduce.body));
    here_ = outside;
    term.type = checked_.types.of(expr).type;
    if (term.children[0].kind == StreamTerm::Kind::constant)
      term.children[0] = standing_alone(term.children[0], term.type);
    term.span = expr->span;
    return term;
  }

  StreamTerm call_term(const Expr& expr, const Call& call) {
    // min(a, b, c) is min(min(a, b), c).
    std::vector<Expr> first = call.arguments;
    if (first.size() > 2) first.resize(2);
    StreamTerm term = apply(expr, operation_of(call.function), first);
    for (std::size_t i = 2; i < call.arguments.size(); ++i) {
      StreamTerm more;
      more.kind = StreamTerm::Kind::apply;
      more.operation = operation_of(call.function);
      more.type = term.type;
      more.span = expr->span;
      more.children = {term, term_of(call.arguments[i])};
      term = std::move(more);
    }
    return term;
  }

  StreamTerm term_of(const Expr& expr) {
    return match(
        expr,
        [&](const Number& n) { return constant_term(n.value, n.integer.value_or(std::llround(n.value)), expr->span); },
        [&](const Boolean& b) { return constant_term(b.value, b.value, expr->span); },
        [&](const Name& name) { return name_term(expr, name); },
        [&](const Access& access) { return access_term(expr, access); },
        [&](const Unary& u) {
          return apply(expr, u.op == UnaryOp::negate ? Operation::negate : Operation::logical_not, {u.operand});
        },
        [&](const Binary& b) {
          return apply(expr, operation_of(b.op), {b.lhs, b.rhs});
        },
        [&](const Call& call) { return call_term(expr, call); },
        [&](const Select& s) {
          return apply(expr, Operation::select, {s.condition, s.then_value, s.else_value});
        },
        [&](const Reduce& reduce) { return reduce_term(expr, reduce); },
        [&](const KernelCall& call) {
          refuse(expr->span, fmt::format("`{}` works on tiles, and streams carry single values", call.kernel));
          return StreamTerm{};
        });
  }

  // Constraints on these variables, as far as everything they name is bound here.
  void add_conditions(const std::vector<std::string>& variables) {
    for (const Constraint& c : equation_.constraints)
      for (std::size_t i = 0; i < c.relations.size(); ++i) {
        const Affine left = accepted_affine(c.operands[i], program_) - accepted_affine(c.operands[i + 1], program_);
        const bool own = std::ranges::any_of(variables, [&](const std::string& v) { return left.coefficient(v) != 0; });
        const bool seen = std::ranges::all_of(
            left.terms, [&](const auto& t) { return program_.is_size(t.first) || here_.count(t.first); });
        if (own && seen) made_.conditions.push_back({substitute(left, here_), c.relations[i], c.span, false});
      }
  }

  const Equation& equation_;
  const frontend::Checked& checked_;
  const Program& program_;
  StreamRanges ranges_;
  const StreamReads& reads_;
  Diagnostics& diagnostics_;
  StreamEquation made_;
  std::set<std::string> names_;
  std::set<std::string> bound_;
  std::map<std::string, Affine> here_; // indices of the program as those of the loops
  bool failed_ = false;
};

} // namespace

std::vector<std::string> StreamEquation::variables() const {
  std::vector<std::string> list = outputs;
  collect_variables(value, list);
  return list;
}

std::optional<StreamEquation> stream_equation(const Equation& equation, const frontend::Checked& checked,
                                              const std::map<std::string, std::int64_t>& sizes,
                                              const StreamReads& reads, Diagnostics& diagnostics) {
  return TermReader(equation, checked, sizes, reads, diagnostics).read();
}

} // namespace cyclotron::lower
