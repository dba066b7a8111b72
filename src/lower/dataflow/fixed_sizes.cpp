// SPDX-License-Identifier: MIT
#include "lower/dataflow/fixed_sizes.hpp"

namespace cyclotron::lower {

using namespace recurrence;

namespace {

class Fixer {
public:
  Fixer(const dataflow::Program& program, const std::map<std::string, std::int64_t>& sizes)
      : source_(*program.source), sizes_(sizes), result_(program) {
    for (const auto& [name, value] : sizes) by_[name] = Affine{{}, value};
  }

  dataflow::Program run() {
    auto source = std::make_shared<recurrence::Program>();
    source->tensors = source_.tensors;
    for (TensorDecl& t : source->tensors)
      for (Expr& d : t.dims) d = fixed_affine(d);
    for (const Binder& size : source_.sizes)
      if (!sizes_.count(size.name)) source->sizes.push_back(size);
    if (!source->sizes.empty()) source->assumptions = fixed_assumptions();
    for (dataflow::Space& s : result_.spaces) {
      s.domain = fixed(s.domain);
      fix(s.place);
      fix(s.time);
      s.as.clear();
    }
    for (dataflow::Value& v : result_.values) fix(v.tile);
    for (dataflow::Rule& r : result_.rules) {
      r.domain = fixed(r.domain);
      r.expr = fixed(r.expr);
    }
    for (dataflow::Export& e : result_.exports) {
      e.domain = fixed(e.domain);
      fix(e.indices);
    }
    for (dataflow::Constant& c : result_.constants) {
      c.domain = fixed(c.domain);
      fix(c.indices);
      c.expr = fixed(c.expr);
    }
    result_.source = source;
    fix_timing();
    return std::move(result_);
  }

private:
  static Expr number(std::int64_t value) {
    const std::int64_t size = value < 0 ? -value : value;
    const Expr result(Number{static_cast<double>(size), size});
    return value < 0 ? Expr(Unary{UnaryOp::negate, result}) : result;
  }

  Expr fixed_affine(const Expr& expr) const {
    const Affine a = substitute(accepted_affine(expr, source_), by_);
    return a.is_constant() ? number(a.constant) : expression_of(a, source_);
  }

  std::vector<Assumption> fixed_assumptions() const {
    std::vector<Assumption> result = source_.assumptions;
    for (Assumption& a : result)
      for (Expr& e : a.constraint.operands) e = fixed_affine(e);
    return result;
  }

  // Where no size is left, places and times are all that follows from the timing.
  void fix_timing() {
    if (result_.source->sizes.empty()) result_.timing.reset();
    if (!result_.timing) return;
    result_.timing->formula = substitute(result_.timing->formula, by_);
    for (auto& step : result_.timing->steps)
      if (step) step = substitute(*step, by_);
  }

  void fix(Point& point) const {
    for (Affine& a : point) a = substitute(a, by_);
  }

  isl::set fixed(const isl::set& set) const {
    isl_ctx_reset_operations(result_.context->get().get());
    isl_set* result = set.copy();
    for (const auto& [name, value] : sizes_) {
      const int at = isl_set_find_dim_by_name(result, isl_dim_param, isl_name(name).c_str());
      if (at >= 0) result = isl_set_fix_si(result, isl_dim_param, static_cast<unsigned>(at), static_cast<int>(value));
    }
    for (const auto& [name, value] : sizes_) {
      const int at = isl_set_find_dim_by_name(result, isl_dim_param, isl_name(name).c_str());
      if (at >= 0) result = isl_set_project_out(result, isl_dim_param, static_cast<unsigned>(at), 1);
    }
    return isl::manage(isl_set_coalesce(result));
  }

  Expr fixed(const Expr& expr) const {
    if (const Name* n = as<Name>(expr)) {
      if (const LetDecl* let = n->kind == NameKind::constant ? source_.let(n->id) : nullptr) return fixed(let->value);
      if (n->kind == NameKind::size && sizes_.count(n->id)) return number(sizes_.at(n->id));
      return expr;
    }
    return ir::map_children<ExprNode>(expr, [&](const Expr& e) { return fixed(e); });
  }

  const recurrence::Program& source_;
  const std::map<std::string, std::int64_t>& sizes_;
  std::map<std::string, Affine> by_;
  dataflow::Program result_;
};

} // namespace

dataflow::Program with_fixed_sizes(const dataflow::Program& program, const std::map<std::string, std::int64_t>& sizes) {
  return Fixer(program, sizes).run();
}

} // namespace cyclotron::lower
