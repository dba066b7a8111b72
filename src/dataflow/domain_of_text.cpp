// SPDX-License-Identifier: MIT
#include "dataflow/domain_of_text.hpp"

#include <fmt/format.h>

namespace cyclotron::dataflow {

using namespace recurrence;

namespace {

class Writer {
public:
  Writer(const std::function<Affine(const Expr&)>& affine, const std::function<void(Span, std::string)>& fail)
      : affine_(affine), fail_(fail) {}

  std::string run(const TextDomain& text) const {
    std::string any;
    for (const std::vector<TextChain>& list : text) {
      std::string all;
      for (const TextChain& c : list)
        for (std::size_t i = 0; i < c.relations.size(); ++i)
          all += fmt::format("{}{}", all.empty() ? "" : " and ",
                             comparison(isl_operand(c.operands[i]), c.relations[i], isl_operand(c.operands[i + 1])));
      any += fmt::format("{}({})", any.empty() ? "" : " or ", all);
    }
    return any.empty() ? any : "(" + any + ")";
  }

private:
  static std::string comparison(const std::string& a, Relation relation, const std::string& b) {
    if (relation == Relation::not_equal) return fmt::format("({} < {} or {} > {})", a, b, a, b);
    return fmt::format("{} {} {}", a, relation == Relation::equal ? "=" : name_of(relation), b);
  }

  std::string isl_operand(const std::pair<Expr, std::int64_t>& operand) const {
    // isl takes a bracket at the beginning for one around conditions.
    const std::string text = "0 + " + isl_formula(operand.first);
    return operand.second == 0 ? text : fmt::format("{0} - {1}*floor(({0})/{1})", text, operand.second);
  }

  // Affine, but for `floor(x/2)` somewhere inside.
  std::string isl_formula(const Expr& expr) const {
    if (const Access* a = as<Access>(expr); a && a->tensor == "floor") {
      const Binary* b = a->indices.size() == 1 ? as<Binary>(a->indices[0]) : nullptr;
      const Number* divisor = b && b->op == BinaryOp::div ? as<Number>(b->rhs) : nullptr;
      if (!divisor || !divisor->integer || *divisor->integer < 1)
        fail_(expr->span, "expected a formula rounded down, such as `floor((i+1)/2)`");
      return fmt::format("floor(({})/{})", isl_formula(b->lhs), *divisor->integer);
    }
    const Binary* b = as<Binary>(expr);
    if (b && (b->op == BinaryOp::add || b->op == BinaryOp::sub))
      return fmt::format("({} {} {})", isl_formula(b->lhs), b->op == BinaryOp::add ? '+' : '-', isl_formula(b->rhs));
    if (b && b->op == BinaryOp::mul && as<Number>(b->lhs))
      return fmt::format("{}*{}", affine_(b->lhs).constant, isl_formula(b->rhs));
    return "(" + isl_text(affine_(expr)) + ")";
  }

  const std::function<Affine(const Expr&)>& affine_;
  const std::function<void(Span, std::string)>& fail_;
};

} // namespace

std::string isl_text_of(const TextDomain& domain, const std::function<Affine(const Expr&)>& affine,
                        const std::function<void(Span, std::string)>& fail) {
  return Writer(affine, fail).run(domain);
}

} // namespace cyclotron::dataflow
