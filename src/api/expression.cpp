// SPDX-License-Identifier: MIT
#include "cyclotron/expression.hpp"

#include "api/node.hpp"
#include "api/raise.hpp"
#include "cyclotron/tensor.hpp"
#include "frontend/lex.hpp"
#include "frontend/parse.hpp"
#include "recurrence/kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <limits>

namespace cyclotron {

namespace detail {

void merge(Uses& into, const Uses& more) {
  for (const Use& use : more)
    if (std::none_of(into.begin(), into.end(), [&](const Use& known) {
          return known.kind == use.kind && known.name == use.name && known.declaration == use.declaration;
        }))
      into.push_back(use);
}

std::shared_ptr<const Declaration> declare(const std::string& name, const std::string& text, Uses uses) {
  static std::atomic<std::uint64_t> count = 0;
  return std::make_shared<const Declaration>(Declaration{name, text, ++count, std::move(uses)});
}

const std::string& checked_name(const std::string& name, const char* what) {
  if (!frontend::is_identifier(name))
    api::raise(fmt::format("`{}` cannot be the name of {}", name, what),
               "a name is a letter or `_`, then letters, digits and `_`");
  if (frontend::is_reserved(name))
    api::raise(fmt::format("`{}` cannot be the name of {}: it is a word of the language", name, what),
               "choose another name");
  return name;
}

namespace {

std::string bracketed(const Expression& e, Binding place) {
  return e.node().binding < place ? "(" + e.text() + ")" : e.text();
}

Expression make(std::string text, Binding binding, Uses uses, std::vector<std::string> constraints = {}) {
  return Expression(
      std::make_shared<const Node>(Node{std::move(text), binding, std::move(uses), std::move(constraints)}));
}

Uses uses_of(const std::vector<Expression>& list) {
  Uses uses;
  for (const Expression& e : list) merge(uses, e.node().uses);
  return uses;
}

// As indices are written: `i-1`.
std::string without_blanks(const std::string& text) {
  constexpr std::string_view operators = "+-*/";
  const auto is_operator = [&](std::size_t at) {
    return at < text.size() && operators.find(text[at]) != std::string_view::npos;
  };
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at)
    if (text[at] != ' ' || !(is_operator(at + 1) || (at > 0 && is_operator(at - 1)))) out += text[at];
  return out;
}

Binding tighter(Binding b) { return static_cast<Binding>(static_cast<int>(b) + 1); }

Expression binary(const Expression& a, const char* op, const Expression& b, Binding own) {
  return make(fmt::format("{} {} {}", bracketed(a, own), op, bracketed(b, tighter(own))), own, uses_of({a, b}));
}

// As a constraint, `a < b < c` is a chain: the left operand is then itself a comparison.
Expression comparison(const Expression& a, const char* op, const Expression& b) {
  constexpr Binding operand = Binding::sum;
  const std::string left = bracketed(a, operand), right = bracketed(b, operand);
  const std::vector<std::string>& before = a.node().constraints;
  const bool chain = a.node().binding == Binding::comparison && before.size() == 1;
  return make(fmt::format("{} {} {}", left, op, right), Binding::comparison, uses_of({a, b}),
              {fmt::format("{} {} {}", chain ? before[0] : left, op, right)});
}

} // namespace

Expression call(const std::string& function, const std::vector<Expression>& arguments) {
  std::string list;
  for (const Expression& e : arguments) list += (list.empty() ? "" : ", ") + e.text();
  return make(fmt::format("{}({})", function, list), Binding::atom, uses_of(arguments));
}

Expression call_kernel(const std::string& kernel, const std::vector<Expression>& tiles) {
  if (!recurrence::kernel_named(kernel))
    api::raise(fmt::format("`{}` is no kernel", kernel), "`cyclotron list kernels` shows them all");
  return call(kernel, tiles);
}

} // namespace detail

using detail::Binding;
using detail::Kind;

const detail::Node& Expression::node() const { return *api::held(node_, "expression"); }
const std::string& Expression::text() const { return node().text; }

Expression Expression::whole(std::int64_t value) {
  // The language has a minus and the numbers behind it, which end one sooner.
  if (value == std::numeric_limits<std::int64_t>::min())
    return detail::make(std::to_string(value + 1) + " - 1", Binding::sum, {});
  return detail::make(std::to_string(value), value < 0 ? Binding::unary : Binding::atom, {});
}

Expression Expression::real(double value) {
  if (std::isnan(value)) api::raise("a constant of a program cannot be NaN");
  std::string text = "inf";
  if (!std::isinf(value)) {
    char buffer[64]; // enough for the shortest text that gives the same number again
    text.assign(buffer, std::to_chars(buffer, buffer + sizeof buffer, std::abs(value)).ptr);
    if (text.find_first_of(".e") == std::string::npos) text += ".0"; // or it would come back as a whole number
  }
  const bool negative = std::signbit(value);
  return detail::make((negative ? "-" : "") + text, negative ? Binding::unary : Binding::atom, {});
}

Expression Expression::truth(bool value) { return detail::make(value ? "true" : "false", Binding::atom, {}); }

Index::Index(const std::string& name)
    : Expression(detail::make(detail::checked_name(name, "an index"), Binding::atom, {{Kind::index, name, nullptr}})) {}

Size::Size(const std::string& name)
    : Expression(detail::make(detail::checked_name(name, "a size"), Binding::atom, {{Kind::size, name, nullptr}})) {}

Constant::Constant(const std::string& name, const Expression& value)
    : Expression(
          detail::make(detail::checked_name(name, "a constant"), Binding::atom,
                       {{Kind::constant, name,
                         detail::declare(name, fmt::format("let {} = {}", name, value.text()), value.node().uses)}})) {}

Expression operator+(const Expression& a, const Expression& b) { return detail::binary(a, "+", b, Binding::sum); }
Expression operator-(const Expression& a, const Expression& b) { return detail::binary(a, "-", b, Binding::sum); }
Expression operator*(const Expression& a, const Expression& b) { return detail::binary(a, "*", b, Binding::product); }
Expression operator/(const Expression& a, const Expression& b) { return detail::binary(a, "/", b, Binding::product); }
Expression operator-(const Expression& a) {
  return detail::make("-" + detail::bracketed(a, Binding::unary), Binding::unary, a.node().uses);
}

Expression operator<(const Expression& a, const Expression& b) { return detail::comparison(a, "<", b); }
Expression operator<=(const Expression& a, const Expression& b) { return detail::comparison(a, "<=", b); }
Expression operator>(const Expression& a, const Expression& b) { return detail::comparison(a, ">", b); }
Expression operator>=(const Expression& a, const Expression& b) { return detail::comparison(a, ">=", b); }
Expression operator==(const Expression& a, const Expression& b) { return detail::comparison(a, "==", b); }
Expression operator!=(const Expression& a, const Expression& b) { return detail::comparison(a, "!=", b); }

Expression operator&&(const Expression& a, const Expression& b) {
  std::vector<std::string> constraints = a.node().constraints;
  constraints.insert(constraints.end(), b.node().constraints.begin(), b.node().constraints.end());
  if (a.node().constraints.empty() || b.node().constraints.empty()) constraints.clear();
  const Expression both = detail::binary(a, "and", b, Binding::logical_and);
  return detail::make(both.text(), Binding::logical_and, both.node().uses, std::move(constraints));
}
Expression operator||(const Expression& a, const Expression& b) {
  return detail::binary(a, "or", b, Binding::logical_or);
}
Expression operator!(const Expression& a) {
  return detail::make("not " + detail::bracketed(a, Binding::logical_not), Binding::logical_not, a.node().uses);
}

Expression sqrt(const Expression& x) { return detail::call("sqrt", {x}); }
Expression abs(const Expression& x) { return detail::call("abs", {x}); }
Expression exp(const Expression& x) { return detail::call("exp", {x}); }
Expression log(const Expression& x) { return detail::call("log", {x}); }
Expression pow(const Expression& x, const Expression& y) { return detail::call("pow", {x, y}); }
Expression select(const Expression& condition, const Expression& x, const Expression& y) {
  return detail::call("select", {condition, x, y});
}

Expression Reduction::operator()(const Expression& body) const {
  std::string names;
  detail::Uses uses;
  for (const Index& v : variables_) {
    names += (names.empty() ? "" : ", ") + v.text();
    detail::merge(uses, v.node().uses);
  }
  detail::merge(uses, body.node().uses);
  return detail::make(fmt::format("{}[{}]({})", word_, names, body.text()), Binding::atom, std::move(uses));
}

std::string Equation::text() const {
  std::string constraints;
  for (const Expression& c : conditions_) {
    if (c.node().constraints.empty())
      api::raise(fmt::format("`{}` is no constraint", c.text()),
                 "constraints are comparisons, joined by `&&`; for other conditions use `select`");
    for (const std::string& one : c.node().constraints) constraints += (constraints.empty() ? "" : ", ") + one;
  }
  return fmt::format("{} = {}{}{}", target_.text(), value_.text(), constraints.empty() ? "" : " : ", constraints);
}

// --- tensors ---

Tensor::Tensor(const std::string& name, const std::vector<Expression>& dims, Type type, const Format& format) {
  std::string text = "tensor " + detail::checked_name(name, "a tensor"), list;
  for (const Expression& d : dims) list += (list.empty() ? "" : ",") + detail::without_blanks(d.text());
  if (!dims.empty()) text += "(" + list + ")";
  std::string traits;
  if (type != f64) traits += fmt::format(" {}", name_of(type));
  if (const std::string layout = format.text(); layout != "dense") traits += " " + layout;
  declaration_ = detail::declare(name, text + (traits.empty() ? "" : ":" + traits), detail::uses_of(dims));
}

const std::string& Tensor::name() const { return declaration_->name; }

Access Tensor::access(const Expression* step, const std::vector<Expression>& indices) const {
  detail::Uses uses{{Kind::tensor, name(), declaration_}};
  std::string text = name(), list;
  if (step) {
    text +=
        step->node().binding == Binding::atom ? "^" + step->text() : "^(" + detail::without_blanks(step->text()) + ")";
    detail::merge(uses, step->node().uses);
  }
  for (const Expression& i : indices) list += (list.empty() ? "" : ",") + detail::without_blanks(i.text());
  if (!indices.empty()) text += "(" + list + ")";
  detail::merge(uses, detail::uses_of(indices));
  return Access(std::make_shared<const detail::Node>(detail::Node{text, Binding::atom, std::move(uses), {}}));
}

} // namespace cyclotron
