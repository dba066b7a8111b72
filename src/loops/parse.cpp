// SPDX-License-Identifier: MIT
// Reads the text form of a nest. A body is what is indented deeper than its header, as in Python; expressions are
// those of the language.
#include "frontend/parser.hpp"
#include "loops/link.hpp"
#include "support/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace cyclotron::loops {

using namespace recurrence;
using frontend::Token;
using frontend::TokenKind;

namespace {

// Keeps every recursive walk over a nest shallow; no program has as many variables.
constexpr int deepest_loops = 100;

class NestParser : frontend::Parser {
public:
  NestParser(std::int32_t file, const Program& program, const Types& types, Diagnostics& diagnostics, std::size_t begin)
      : Parser(tokens_from(file, begin, diagnostics), diagnostics), program_(program), types_(types),
        text_(diagnostics.sources().text(file)) {}

  std::optional<Nest> run() {
    find_temporaries();
    try {
      skip_line_ends();
      if (peek().kind != TokenKind::file_end) nest_.body = block(-1, 0);
      if (peek().kind != TokenKind::file_end) fail_indentation();
    } catch (const frontend::StatementAbandoned&) {
      return std::nullopt;
    }
    if (!link(nest_, written_, program_, types_, diagnostics_)) return std::nullopt;
    return std::move(nest_);
  }

private:
  static std::vector<Token> tokens_from(std::int32_t file, std::size_t begin, Diagnostics& diagnostics) {
    std::vector<Token> tokens = frontend::lex(file, diagnostics.sources(), diagnostics);
    std::erase_if(tokens, [&](const Token& t) { return t.kind != TokenKind::file_end && t.span.begin < begin; });
    return tokens;
  }

  // --- lines ---

  void skip_line_ends() {
    while (peek().kind == TokenKind::line_end) take();
  }

  int column(const Token& token) const {
    const std::size_t at = token.span.begin;
    const std::size_t line = at == 0 ? std::string::npos : text_.rfind('\n', at - 1);
    return static_cast<int>(line == std::string::npos ? at : at - line - 1);
  }

  [[noreturn]] void fail_indentation() {
    fail(peek(), "the indentation of this line fits none of the lines above it",
         "lines of one body start in the same column, two blanks further in than their loop");
  }

  std::vector<Node> block(int outside, int depth) {
    const int own = column(peek());
    if (peek().kind == TokenKind::file_end || own <= outside)
      fail(peek(), "expected a body here, indented deeper than the line above", "indent it by two blanks");
    if (depth > deepest_loops) fail(peek(), fmt::format("this nest is more than {} levels deep", deepest_loops));
    std::vector<Node> body;
    while (peek().kind != TokenKind::file_end && column(peek()) == own) {
      start_statement();
      for (Node& node : nodes(own, depth)) body.push_back(std::move(node));
    }
    if (peek().kind != TokenKind::file_end && column(peek()) > own) fail_indentation();
    return body;
  }

  void end_of_line(std::string_view what) {
    end_statement(what);
    skip_line_ends();
  }

  // A word is one of ours unless it is a tensor that is assigned here: `if(i) = 3`.
  bool at_word(std::string_view word) const {
    if (!at(word)) return false;
    const Token& next = peek(1);
    if (next.kind == TokenKind::name) return !(reducer_named(next.text) && peek(2).text == "=");
    return next.kind == TokenKind::number || next.text == "-" || next.kind == TokenKind::line_end;
  }

  // One loop or statement; the nodes under an `if` each take its conditions.
  std::vector<Node> nodes(int own, int depth) {
    if (at_word("if")) {
      take();
      const std::vector<Condition> guard = conditions();
      end_of_line("the conditions");
      std::vector<Node> body = block(own, depth + 1);
      for (Node& node : body)
        std::visit([&](auto& n) { n.guard.insert(n.guard.begin(), guard.begin(), guard.end()); }, node.kind);
      return body;
    }
    std::vector<Node> one;
    if (at_word("for") || at_word("forall")) one.push_back({loop(own, depth)});
    else one.push_back({statement()});
    return one;
  }

  // --- loops ---

  Loop loop(int own, int depth) {
    Loop result;
    result.forall = take().text == "forall";
    const Token first = peek();
    do result.ranges.push_back(range(result.variable));
    while (accept("or"));
    result.rising = !accept("falling");
    result.parallel = accept("parallel");
    if (accept("vector")) result.vector_width = peek().kind == TokenKind::number ? positive("a width") : -1;
    if (accept("unroll")) result.unroll = positive("a factor");
    end_of_line("the loop");
    scope_.push_back(result.variable);
    result.body = block(own, depth + 1);
    scope_.pop_back();
    const std::optional<Affine> size = implied_size(result, program_);
    for (Range& r : result.ranges) {
      if (r.lower.empty()) r.lower.push_back({});
      if (!r.upper.empty()) continue;
      if (!size)
        fail(first, fmt::format("the loop over `{}` has no upper bound", result.variable),
             "only a variable that indexes dimensions of one size by itself can go without");
      r.upper.push_back({*size - Affine{{}, 1}, 1});
    }
    return result;
  }

  std::int64_t positive(std::string_view what) {
    const Token token = peek();
    const std::int64_t value = integer(what);
    if (value < 1) fail(token, fmt::format("expected {} from 1 up", what));
    return value;
  }

  // `0 < i < n, i < j`. The variable is the one name that is new here.
  Range range(std::string& variable) {
    const Token first = peek();
    std::vector<Constraint> chains;
    do {
      Constraint c;
      c.operands.push_back(sum());
      while (const auto relation = accept_relation()) {
        c.relations.push_back(*relation);
        c.operands.push_back(sum());
      }
      chains.push_back(std::move(c));
    } while (accept(","));
    find_variable(chains, first, variable);
    Range result;
    for (const Constraint& c : chains)
      for (std::size_t i = 0; i < c.relations.size(); ++i)
        add_bound(c.operands[i], c.relations[i], c.operands[i + 1], variable, result);
    return result;
  }

  void find_variable(const std::vector<Constraint>& chains, const Token& first, std::string& variable) {
    for (const Constraint& c : chains)
      for (const Expr& operand : c.operands) {
        const Name* n = as<Name>(operand);
        if (!n || known(n->id)) continue;
        if (variable.empty()) variable = n->id;
        if (variable != n->id)
          fail({TokenKind::name, {}, operand->span},
               fmt::format("this loop has two new names, `{}` and `{}`", variable, n->id),
               "bounds are made of sizes and of the variables of loops further out");
      }
    if (!variable.empty()) return;
    fail(first, "this loop names no variable of its own",
         is_name(chains) ? "the name is taken: loops one inside the other, sizes, constants and tensors all differ"
                         : "write `for i`, `for j < i` or `for 1 <= i < n`");
  }

  static bool is_name(const std::vector<Constraint>& chains) {
    return chains.size() == 1 && chains[0].operands.size() == 1 && as<Name>(chains[0].operands[0]);
  }

  bool known(const std::string& name) const {
    return std::find(scope_.begin(), scope_.end(), name) != scope_.end() || program_.is_size(name) ||
           program_.let(name) || program_.tensor(name) || temporaries_.count(name);
  }

  static bool is_variable(const Expr& e, const std::string& variable) {
    const Name* n = as<Name>(e);
    return n && n->id == variable;
  }

  // `a < b` where one of both is the variable.
  void add_bound(const Expr& a, Relation relation, const Expr& b, const std::string& variable, Range& range) {
    const bool left = is_variable(a, variable);
    if (left == is_variable(b, variable) || relation == Relation::equal || relation == Relation::not_equal)
      fail({TokenKind::name, {}, cover(a->span, b->span)},
           fmt::format("expected a bound of `{}`, such as `{} < n`", variable, variable));
    const bool less = relation == Relation::less || relation == Relation::less_equal;
    const bool upper = left == less;
    Bound bound = this->bound(left ? b : a, upper);
    if (relation == Relation::less || relation == Relation::greater) {
      if (bound.divisor != 1)
        fail({TokenKind::name, {}, (left ? b : a)->span}, "a rounded bound is compared with `<=`");
      bound.value.constant += upper ? -1 : 1;
    }
    (upper ? range.upper : range.lower).push_back(bound);
  }

  // `i+1`; `ceil((i-3) / 4)` below and `floor(i / 4)` above.
  Bound bound(const Expr& expr, bool upper) {
    const std::string_view rounding = upper ? "floor" : "ceil";
    const Access* call = as<Access>(expr);
    if (!call) return {affine(expr), 1};
    const Binary* b = call->tensor == rounding && call->indices.size() == 1 ? as<Binary>(call->indices[0]) : nullptr;
    const Number* divisor = b && b->op == BinaryOp::div ? as<Number>(b->rhs) : nullptr;
    if (!divisor || !divisor->integer || *divisor->integer < 1)
      fail({TokenKind::name, {}, expr->span},
           fmt::format("expected {} bound, found `{}`", upper ? "an upper" : "a lower", print(expr)),
           fmt::format("write it as `i+1`, or rounded as `{}((i-3) / 4)`", rounding));
    return {affine(b->lhs), *divisor->integer};
  }

  std::vector<Condition> conditions() {
    std::vector<Condition> list;
    do {
      const Expr lhs = sum();
      const auto relation = accept_relation();
      if (!relation) fail_expected("a comparison in the condition");
      const Expr rhs = sum();
      list.push_back(condition_of(affine(lhs), *relation, affine(rhs)));
    } while (accept("and"));
    return list;
  }

  Affine affine(const Expr& expr) {
    const auto result = affine_of(resolved(expr), program_);
    if (const Affine* a = std::get_if<Affine>(&result)) return *a;
    const NotAffine& why = std::get<NotAffine>(result);
    fail({TokenKind::name, {}, why.span}, fmt::format("this must be affine in variables and sizes: {}", why.reason));
  }

  // --- statements ---

  Statement statement() {
    if (peek().kind != TokenKind::name)
      fail_expected("a loop or a statement", "a line is `for …`, `forall …`, `if …` or `x(i) = …`");
    const Token name = take();
    Statement s;
    Expr target = access(name);
    if (as<Name>(target)) target = Expr(Access{std::string(name.text), {}, {}}, name.span);
    s.target = resolved(target);
    std::optional<tensor::ValueType> type;
    if (accept(":")) {
      const Token word = expect_name("a type");
      type = tensor::value_type_named(word.text);
      if (!type) fail(word, fmt::format("`{}` is no type", word.text), "types are f64, f32, i32, i64, bool");
    }
    written_.types.push_back(type);
    if (accept("+")) s.reducer = Reducer::sum;
    else if (accept("*")) s.reducer = Reducer::prod;
    else if (peek().kind == TokenKind::name && (s.reducer = reducer_named(peek().text))) take();
    expect("=", "after what is assigned");
    s.value = resolved(expression());
    if (s.reducer == Reducer::max) s.value = with_least(s.value);
    end_of_line("the statement");
    return s;
  }

  // `-inf` in a branch, what a `max` of nothing is, is a number like `inf`, and no minus before one.
  static Expr with_least(const Expr& expr) {
    if (const Select* s = as<Select>(expr))
      return Expr(Select{s->condition, with_least(s->then_value), with_least(s->else_value)}, expr->span);
    const Unary* minus = as<Unary>(expr);
    const Number* n = minus && minus->op == UnaryOp::negate ? as<Number>(minus->operand) : nullptr;
    if (!n) return expr;
    return Expr(Number{-n->value, n->integer ? std::optional(-*n->integer) : std::nullopt}, expr->span);
  }

  // Gives names their meaning.
  Expr resolved(const Expr& expr) {
    if (const Name* n = as<Name>(expr)) return resolved_name(*n, expr);
    if (as<Reduce>(expr))
      fail({TokenKind::name, {}, expr->span}, "a loop nest has no reductions", "gather it in a temporary: `t(i) += …`");
    const Expr result = ir::map_children<ExprNode>(expr, [&](const Expr& e) { return resolved(e); });
    if (const Access* a = as<Access>(result)) check_access(*a, expr->span);
    return result;
  }

  Expr resolved_name(const Name& n, const Expr& expr) {
    if (program_.tensor(n.id) || temporaries_.count(n.id)) return Expr(Access{n.id, {}, {}}, expr->span);
    if (std::find(scope_.begin(), scope_.end(), n.id) != scope_.end())
      return Expr(Name{n.id, NameKind::index}, expr->span);
    if (program_.let(n.id)) return Expr(Name{n.id, NameKind::constant}, expr->span);
    if (program_.is_size(n.id)) return Expr(Name{n.id, NameKind::size}, expr->span);
    fail({TokenKind::name, {}, expr->span}, fmt::format("`{}` is not in scope here", n.id), did_you_mean(n.id, scope_));
  }

  void check_access(const Access& a, Span span) {
    const TensorDecl* decl = program_.tensor(a.tensor);
    if (!decl && !temporaries_.count(a.tensor))
      fail({TokenKind::name, {}, span},
           fmt::format("`{}` is no tensor of the program and nothing is added to it", a.tensor));
    if (decl && a.indices.size() > decl->dims.size())
      fail({TokenKind::name, {}, span},
           fmt::format("`{}` has {} dimension{}, found {} indices", a.tensor, decl->dims.size(),
                       decl->dims.size() == 1 ? "" : "s", a.indices.size()));
    for (const Expr& index : a.indices) affine(index);
    if (a.step) affine(*a.step);
  }

  // What some line adds to, `tL(i,j) += …`, is a temporary wherever it stands.
  void find_temporaries() {
    for (std::size_t line = 0; line < tokens_.size();) {
      std::size_t end = line;
      while (end < tokens_.size() && tokens_[end].kind != TokenKind::line_end && tokens_[end].text != "=") ++end;
      if (end < tokens_.size() && end > line + 1 && tokens_[end].text == "=") {
        const std::string_view before = tokens_[end - 1].text;
        if (before == "+" || before == "*" || reducer_named(before))
          temporaries_.insert(std::string(tokens_[line].text));
      }
      while (end < tokens_.size() && tokens_[end].kind != TokenKind::line_end) ++end;
      line = end + 1;
    }
  }

  const Program& program_;
  const Types& types_;
  std::string_view text_;
  std::vector<std::string> scope_; // the variables of the loops around
  std::set<std::string, std::less<>> temporaries_;
  Written written_; // besides the nest
  Nest nest_;
};

} // namespace

std::optional<Nest> parse(std::int32_t file, const Program& program, const Types& types, Diagnostics& diagnostics,
                          std::size_t begin) {
  const int before = diagnostics.errors(); // those of others, and not those of the lexer
  auto nest = NestParser(file, program, types, diagnostics, begin).run();
  return diagnostics.errors() == before ? std::move(nest) : std::nullopt;
}

} // namespace cyclotron::loops
