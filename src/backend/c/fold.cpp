// SPDX-License-Identifier: MIT
#include "backend/c/fold.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::backend::c {

using namespace recurrence;
using loops::Loop;

namespace {

constexpr std::int64_t most_slots = 8;

bool is_single(const Loop& loop) {
  return loop.ranges.size() == 1 && loop.ranges[0].lower.size() == 1 && loop.ranges[0].lower == loop.ranges[0].upper &&
         loop.ranges[0].lower[0].divisor == 1;
}

// With the variables of loops over one value replaced by that value.
Affine resolved(Affine affine, const std::vector<const Loop*>& around) {
  for (std::size_t l = around.size(); l-- > 0;) {
    if (!is_single(*around[l])) continue;
    const std::int64_t c = affine.coefficient(around[l]->variable);
    affine = affine - Affine{{{around[l]->variable, c}}, 0} + c * around[l]->ranges[0].lower[0].value;
  }
  return affine;
}

Condition is_negative(const Affine& a) { return {-1 * a - Affine{{}, 1}}; }

class Folding {
public:
  Folding(const TensorDecl& decl, const std::vector<Placed>& statements, const Program& program, const Domains& domains)
      : decl_(decl), name_(decl.name.name), statements_(statements), program_(program), domains_(domains) {}

  std::optional<Fold> run() {
    if (!collect() || !reads_are_defined()) return std::nullopt;
    for (std::size_t depth = 0; fold_along(depth);)
      if (++depth; fold_.loop) break;
    if (!fold_.loop && fold_.outside.empty()) return std::nullopt;
    for (std::size_t d = 0; d < decl_.dims.size(); ++d)
      if (!dropped_.count(d)) fold_.kept.push_back(d);
    return std::move(fold_);
  }

private:
  struct Use {
    std::size_t statement;
    std::string key; // the access as it is printed
    std::vector<Affine> coordinates;
  };

  bool collect() {
    if (decl_.dims.empty()) return false;
    bool whole = true;
    const auto use = [&](std::size_t s, const Access& a) {
      whole &= !a.step && a.indices.size() == decl_.dims.size();
      return Use{s, print(Expr(a)), coordinates_of(a, program_)};
    };
    for (std::size_t s = 0; s < statements_.size(); ++s) {
      const loops::Statement& own = *statements_[s].statement;
      if (own.access().tensor == name_) writes_.push_back(use(s, own.access()));
      ir::walk<ExprNode>(own.value, [&](const Expr& e) {
        if (const Access* a = as<Access>(e); a && a->tensor == name_) reads_.push_back(use(s, *a));
      });
    }
    return whole && !writes_.empty();
  }

  // Memory that is used again holds old values where an element is not defined.
  bool reads_are_defined() const {
    std::optional<isl::set> defined;
    for (const EquationDomain& e : domains_.equations) {
      if (e.equation->access().tensor != name_) continue;
      const isl::set own = e.defines.range();
      defined = defined ? defined->unite(own) : own;
    }
    for (const EquationDomain& e : domains_.equations)
      for (const ReadDomain& r : e.reads) {
        if (as<Access>(r.expr)->tensor != name_) continue;
        const auto inside = domains_.context->bounded(
            [&] { return r.elements.intersect_domain(r.domain).range().is_subset(*defined); });
        if (!inside.value_or(false)) return false;
      }
    return true;
  }

  const std::vector<const Loop*>& loops_of(const Use& use) const { return statements_[use.statement].loops; }

  // The loop at this depth where it is around all that writes the tensor and has loops inside: the iterations of an
  // innermost one may run side by side.
  const Loop* loop_at(std::size_t depth) const {
    const Loop* loop = nullptr;
    bool nested = false;
    for (const Use& w : writes_) {
      const auto& around = loops_of(w);
      if (around.size() <= depth || (loop && around[depth] != loop)) return nullptr;
      loop = around[depth];
      for (std::size_t l = depth + 1; l < around.size(); ++l) nested |= !is_single(*around[l]);
    }
    return nested && loop->vector_width == 0 ? loop : nullptr;
  }

  struct Line {
    std::vector<std::int64_t> coefficients;
    std::int64_t constant = 0;
    std::size_t drop = 0; // the dimension that follows from the others

    Affine at(const std::vector<Affine>& coordinates) const {
      Affine sum{{}, constant};
      for (std::size_t d = 0; d < coordinates.size(); ++d) sum = sum + coefficients[d] * coordinates[d];
      return sum;
    }
  };

  // The loop's variable in terms of the coordinates of what is written: one of them, or a diagonal through two.
  std::optional<Line> line_of(const Loop& loop) const {
    for (const Use& w : writes_)
      if (auto found = line_by(w, loop)) return found;
    return std::nullopt;
  }

  std::optional<Line> line_by(const Use& lead, const Loop& loop) const {
    const std::size_t rank = decl_.dims.size();
    const auto fits = [&](Line line) -> std::optional<Line> {
      const Affine rest = Affine{{{loop.variable, 1}}, 0} - resolved(line.at(lead.coordinates), loops_of(lead));
      if (!rest.is_constant()) return std::nullopt;
      line.constant = rest.constant;
      const bool everywhere = std::all_of(writes_.begin(), writes_.end(), [&](const Use& w) {
        const Affine apart = Affine{{{loop.variable, 1}}, 0} - line.at(w.coordinates);
        return is_empty(w, {apart, Condition::Kind::nonzero});
      });
      return everywhere ? std::optional(line) : std::nullopt;
    };
    for (std::size_t d = 0; d < rank; ++d) {
      if (dropped_.count(d)) continue;
      Line line{std::vector<std::int64_t>(rank), 0, d};
      line.coefficients[d] = 1;
      if (auto found = fits(line)) return found;
    }
    // Of a diagonal's two dimensions, the one along which the innermost loop steps stays.
    std::string innermost;
    for (const Loop* l : loops_of(lead))
      if (!is_single(*l)) innermost = l->variable;
    for (std::size_t a = 0; a < rank; ++a)
      for (std::size_t b = 0; b < rank; ++b)
        for (const int sign_a : {1, -1})
          for (const int sign_b : {1, -1}) {
            if (a == b || dropped_.count(a) || dropped_.count(b)) continue;
            if (resolved(lead.coordinates[a], loops_of(lead)).coefficient(innermost) != 1) continue;
            Line line{std::vector<std::int64_t>(rank), 0, b};
            line.coefficients[a] = sign_a;
            line.coefficients[b] = sign_b;
            if (auto found = fits(line)) return found;
          }
    return std::nullopt;
  }

  // Whether nothing that the statement does fulfils the condition, for all sizes.
  bool is_empty(const Use& use, const Condition& condition) const {
    const loops::Statement& statement = *statements_[use.statement].statement;
    const auto nothing = [&] {
      return loops::domain_of(statement, loops_of(use), *domains_.context, program_, {condition}).is_empty();
    };
    return domains_.context->bounded(nothing).value_or(false);
  }

  // Tries to do without the memory of all but a few iterations of the loop at this depth.
  bool fold_along(std::size_t depth) {
    const Loop* loop = loop_at(depth);
    const std::optional<Line> line = loop ? line_of(*loop) : std::nullopt;
    if (!line) return false;
    std::map<std::string, Affine> steps;
    const auto note = [&](const std::string& key, const Affine& step) {
      const auto [at, is_new] = steps.try_emplace(key, step);
      return is_new || at->second == step;
    };
    const Affine now{{{loop->variable, 1}}, 0};
    bool fits = true;
    std::int64_t farthest = 0;
    std::vector<Affine> later; // what is read when the loop is done
    std::size_t last = 0;
    for (const Use& w : writes_) {
      fits &= note(w.key, now);
      last = std::max(last, w.statement);
    }
    for (const Use& r : reads_) {
      const Affine written = resolved(line->at(r.coordinates), loops_of(r));
      if (loops_of(r).size() > depth && loops_of(r)[depth] == loop) {
        const Affine apart = now - written;
        fits &= apart.is_constant() && (loop->rising ? apart.constant >= 0 : apart.constant <= 0);
        farthest = std::max(farthest, std::abs(apart.constant));
      } else {
        fits &= loops_of(r).empty() && r.statement > last && loop->rising && !loop->forall;
        later.push_back(written);
      }
      fits &= note(r.key, written);
    }
    std::int64_t slots = farthest + 1;
    const auto overwritten = [&] {
      return std::any_of(later.begin(), later.end(), [&](const Affine& v) {
        return std::any_of(writes_.begin(), writes_.end(), [&](const Use& w) {
          return !is_empty(w, {now - v - Affine{{}, slots}});
        });
      });
    };
    while (fits && slots <= most_slots && overwritten()) ++slots;
    if (!fits || slots > most_slots) return false;
    dropped_.insert(line->drop);
    if (slots == 1 && later.empty()) {
      fold_.outside.push_back(loop);
      return true;
    }
    fold_.loop = loop;
    fold_.slots = slots;
    fold_.steps = std::move(steps);
    if (const auto drift = overwritten_by(steps_apart(*line, *loop), farthest)) {
      slots = farthest;
      if (const auto range = range_of(*loop); (*drift == 0 || range) && !overwritten()) {
        fold_.slots = slots;
        fold_.drift = *drift;
        if (*drift != 0) std::tie(fold_.first, fold_.last) = *range;
      }
    }
    return true;
  }

  // How many iterations before it is read each element was written.
  std::vector<std::int64_t> steps_apart(const Line& line, const Loop& loop) const {
    std::vector<std::int64_t> list;
    for (const Use& r : reads_) {
      const Affine apart = Affine{{{loop.variable, 1}}, 0} - resolved(line.at(r.coordinates), loops_of(r));
      list.push_back(apart.is_constant() ? apart.constant : 0);
    }
    return list;
  }

  // Where the oldest elements that an iteration reads are each read only to compute one element, all of them by the
  // same statement and equally far from it: how far, along the last dimension.
  std::optional<std::int64_t> overwritten_by(const std::vector<std::int64_t>& apart, std::int64_t farthest) const {
    std::optional<std::int64_t> drift;
    std::set<std::size_t> statements;
    if (farthest == 0 || !fold_.loop->rising) return std::nullopt;
    for (std::size_t r = 0; r < reads_.size(); ++r) {
      if (loops_of(reads_[r]).empty() || apart[r] != farthest) continue;
      statements.insert(reads_[r].statement);
      const auto write = std::find_if(writes_.begin(), writes_.end(),
                                      [&](const Use& w) { return w.statement == reads_[r].statement; });
      if (write == writes_.end() || statements.size() > 1) return std::nullopt;
      std::optional<std::int64_t> last; // of the dimensions kept
      for (std::size_t d = 0; d < decl_.dims.size(); ++d) {
        if (dropped_.count(d)) continue;
        const Affine distance = write->coordinates[d] - reads_[r].coordinates[d];
        if (!distance.is_constant() || (last && *last != 0)) return std::nullopt;
        last = distance.constant;
      }
      if (!last || *last < 0 || (drift && *drift != *last)) return std::nullopt;
      drift = last;
    }
    return drift;
  }

  // At least 0, for all sizes.
  bool size_is_known(const Affine& a) const {
    const auto never = [&] { return set_where(*domains_.context, program_, {}, {is_negative(a)}).is_empty(); };
    return domains_.context->bounded(never).value_or(false);
  }

  // The first and the last iteration in which something is written, as far as one of the loop's bounds says so.
  std::optional<std::pair<Affine, Affine>> range_of(const Loop& loop) const {
    if (!fold_.outside.empty()) return std::nullopt; // the memory is one for all iterations of these
    const Affine now{{{loop.variable, 1}}, 0};
    std::optional<Affine> first, last;
    const auto always = [&](const Affine& a) { // at least 0 wherever something is written
      return std::all_of(writes_.begin(), writes_.end(), [&](const Use& w) { return is_empty(w, is_negative(a)); });
    };
    for (const loops::Range& r : loop.ranges) {
      if (r.lower.size() == 1 && r.lower[0].divisor == 1 && always(now - r.lower[0].value)) first = r.lower[0].value;
      if (r.upper.size() == 1 && r.upper[0].divisor == 1 && always(r.upper[0].value - now)) last = r.upper[0].value;
    }
    if (!first || !last || !size_is_known(*last - *first)) return std::nullopt;
    return std::pair(*first, *last);
  }

  const TensorDecl& decl_;
  const std::string& name_;
  const std::vector<Placed>& statements_;
  const Program& program_;
  const Domains& domains_;
  std::vector<Use> writes_, reads_;
  std::set<std::size_t> dropped_;
  Fold fold_;
};

} // namespace

std::map<std::string, Fold> find_folds(const std::vector<Placed>& statements, const Program& program,
                                       const Domains& domains, const std::set<std::string>& internal) {
  std::map<std::string, Fold> folds;
  for (const std::string& name : internal)
    if (auto fold = Folding(*program.tensor(name), statements, program, domains).run())
      folds.emplace(name, std::move(*fold));
  return folds;
}

} // namespace cyclotron::backend::c
