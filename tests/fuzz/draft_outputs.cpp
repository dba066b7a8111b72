// SPDX-License-Identifier: MIT
// The patterns in which outputs are defined. Each recurrence reads itself only along a direction in which it can be
// computed: rising, falling, along wavefronts, triangles, intervals or steps.
#include "program_draft.hpp"

namespace cyclotron::fuzz {

namespace {

using Texts = std::vector<std::string>;
const Texts index_names{"i", "j", "c"};

std::string element(const std::string& name, const Texts& indices) {
  std::string out;
  for (const std::string& i : indices) out += (out.empty() ? "" : ",") + i;
  return out.empty() ? name : name + "(" + out + ")";
}

Variable over(std::size_t d, const Dim& dim) { return {index_names[d], dim.size, 0, dim.add, false}; }

// An output whose first dimensions are given, up to `most` more behind them.
class Pattern {
public:
  Pattern(ProgramDraft& d, std::vector<Dim> dims, int most) : draft(d), choices(d.choices) {
    for (int more = choices.below(most + 1); more > 0; --more) dims.push_back(draft.some_dim());
    x = draft.some_output(dims);
    for (std::size_t i = 0; i < dims.size(); ++i) {
      scope.variables.push_back(over(i, dims[i]));
      all.push_back(index_names[i]);
    }
  }

  // The element with one index replaced.
  std::string at(std::size_t d, const std::string& index) const {
    Texts indices = all;
    indices[d] = index;
    return element(x.name, indices);
  }
  // As before, and the later indices anything that is inside.
  std::string at_any(std::size_t d, const std::string& index, const Scope& where) {
    Texts indices = all;
    indices[d] = index;
    for (std::size_t e = d + 1; e < indices.size(); ++e)
      if (choices.chance(40)) indices[e] = choices.pick(draft.index_texts(x.dims[e], where));
    return element(x.name, indices);
  }
  Scope without(std::size_t d) const {
    Scope s = scope;
    s.variables.erase(s.variables.begin() + static_cast<std::ptrdiff_t>(d));
    return s;
  }
  void own(Scope& s, const std::string& text) const { s.own.emplace_back(text, x.kind()); }
  void write(const std::string& target, const Scope& s, Texts constraints, int depth = 2) {
    draft.equation(target, x, s, std::move(constraints), depth);
  }
  std::string whole() const { return element(x.name, all); }
  void done() { draft.finish(x); }

  ProgramDraft& draft;
  Choices& choices;
  TensorSketch x;
  Scope scope;
  Texts all;
};

// --- without recurrence: the whole tensor at once, or in disjoint parts ---

void write_square_parts(Pattern& p) {
  Scope diagonal = p.without(1);
  if (p.choices.chance(70)) p.write(p.at(1, "i"), diagonal, {}); // X(i,i)
  if (p.choices.chance(50)) p.write(p.whole(), p.scope, {p.choices.pick({"i < j", "j >= i+1", "i != j, i < j"})});
  if (p.choices.chance(70)) p.write(p.whole(), p.scope, {p.choices.pick({"0 <= j < i", "j - i < 0"})});
  else p.write(p.whole(), p.scope, {"j+1 < i"});
}

void write_parts(Pattern& p) {
  Scope& s = p.scope;
  const Variable first = s.variables[0];
  Scope rest = s;
  switch (p.choices.below(6)) {
  case 0:
    rest.variables[0].low = 1;
    p.write(p.at(0, "0"), p.without(0), {});
    p.write(p.whole(), rest, {"i >= 1"});
    break;
  case 1:                                          // both halves, or one of them: the rest is zero
    s.variables[0].high = std::max(0, first.high); // 2*i is inside, so i is
    p.write(p.at(0, "2*i"), s, {});
    if (p.choices.chance(60)) p.write(p.at(0, "2*i+1"), s, {});
    break;
  case 2:
    p.write(p.whole(), s, {"i == 0"});
    p.write(p.whole(), s, {"i != 0"});
    break;
  case 3: p.write(p.at(0, plus(first.size, first.high - 1) + "-i"), s, {}); break;
  case 4:
    rest.variables[0].low = 1;
    rest.variables[0].high -= 1;
    p.write(p.whole(), rest, {"0 < i < " + plus(first.size, first.high - 1)});
    break;
  default: p.write(p.whole(), s, {"2*i < " + plus(p.choices.pick(p.draft.sizes), 1)});
  }
}

void write_plain(ProgramDraft& draft) {
  const bool square = draft.choices.chance(20);
  const Dim dim = draft.some_dim();
  Pattern p(draft, square ? std::vector<Dim>{dim, dim} : std::vector<Dim>{}, square ? 1 : 3);
  if (square) write_square_parts(p);
  else if (p.all.empty() || !draft.choices.chance(55)) p.write(p.whole(), p.scope, {}, 3);
  else write_parts(p);
  p.done();
}

// --- recurrences ---

// X(i,..) from X(i-1,..) and X(i-2,..), or from X(i+1,..).
void write_line(ProgramDraft& draft) {
  Pattern p(draft, {draft.some_dim()}, 2);
  const bool falling = draft.choices.chance(40);
  const int reach = draft.choices.between(1, 2);
  const Variable i = p.scope.variables[0];
  const std::string last = plus(i.size, i.high - 1);
  Scope inside = p.scope;
  Scope read_from = p.scope;
  (falling ? inside.variables[0].high : inside.variables[0].low) += falling ? -reach : reach;
  for (int r = 1; r <= reach; ++r) p.own(inside, p.at_any(0, plus("i", falling ? r : -r), read_from));
  if (reach == 1 && draft.choices.chance(25)) { // one equation that looks back where it can
    const std::string condition = falling ? "i < " + last : "i > 0";
    draft.equation(p.whole(), {}, [&] {
      return "select(" + condition + ", " + p.draft.clamped(p.x, inside, 2) + ", " +
             p.draft.value(p.x.kind(), p.scope, 1) + ")";
    });
    return p.done();
  }
  const bool bases = draft.choices.chance(80); // elements that nothing defines are zero
  for (int r = 0; bases && r < reach; ++r)
    p.write(p.at(0, falling ? plus(i.size, i.high - 1 - r) : std::to_string(r)), p.without(0),
            falling && r > 0 ? Texts{plus(i.size, i.high) + " > " + std::to_string(r)} : Texts{}, 1);
  p.write(p.whole(), inside, {falling ? "i < " + plus(i.size, i.high - reach) : "i >= " + std::to_string(reach)}, 3);
  p.done();
}

void write_wavefront(ProgramDraft& draft) {
  Pattern p(draft, {draft.some_dim(), draft.some_dim()}, 1);
  Scope inside = p.scope;
  inside.variables[0].low = inside.variables[1].low = 1;
  Texts corner = p.all;
  corner[0] = "i-1";
  p.own(inside, element(p.x.name, corner));
  corner[1] = "j-1";
  p.own(inside, element(p.x.name, corner));
  corner[0] = "i";
  p.own(inside, element(p.x.name, corner));
  Scope top = p.without(0);
  top.variables[0].low = 1;
  if (draft.choices.chance(80)) p.write(p.at(1, "0"), p.without(1), {}, 1);
  if (draft.choices.chance(80)) p.write(p.at(0, "0"), top, {"j >= 1"}, 1);
  p.write(p.whole(), inside, {"i >= 1", "j >= 1"}, 3);
  p.done();
}

// X(i,..) from all earlier (or later) X(k,..).
void write_triangle(ProgramDraft& draft) {
  Pattern p(draft, {{draft.choices.pick(draft.sizes), 0}}, 1);
  const bool falling = draft.choices.chance(35);
  const Kind kind = p.x.kind();
  draft.equation(p.whole(), {}, [&] {
    const std::string k = draft.fresh_variable();
    draft.constrain(falling ? (draft.choices.chance(50) ? "k > i" : "i < k < " + p.x.dims[0].size) : "k < i");
    Scope reduced = p.scope;
    reduced.variables.push_back({k, p.x.dims[0].size, 0, 0, true});
    const std::string factor = draft.input_read({{p.scope.variables[0], reduced.variables.back()}, {}}, kind);
    const std::string read = p.at(0, k), first = draft.value(kind, p.scope, 1);
    if (kind == Kind::truth) return first + " or any[" + k + "](" + factor + " and " + read + ")";
    if (kind == Kind::whole)
      return "max(min(" + first + " + sum[" + k + "](" + factor + " * " + read + "), 999), -999)";
    const std::string sum =
        draft.choices.pick({"sum", "sum", "min", "max"}) + "[" + k + "](" + factor + " * " + read + ")";
    return "(" + first + " - " + sum + ") / 4";
  });
  p.done();
}

// M(i,j) from the parts of i..j.
void write_interval(ProgramDraft& draft) {
  const Dim n{draft.choices.pick(draft.sizes), 0};
  Pattern p(draft, {n, n}, 0);
  const Kind kind = p.x.kind();
  const std::string parts = p.x.name + "(i,k)", others = p.x.name + "(k+1,j)";
  p.write(p.at(1, "i"), p.without(1), {}, 1);
  draft.equation(p.whole(), {"i <= k", "k < j", "i < j"}, [&] {
    draft.fresh_variable();
    Scope reduced = p.scope;
    reduced.variables.push_back({"k", n.size, 0, 0, true});
    if (kind == Kind::truth) return "any[k](" + parts + " and " + others + ")";
    const std::string op = draft.choices.pick({"min", "max", "sum"});
    const std::string body =
        op + "[k](" + parts + " + " + others + " - " + draft.input_read({{reduced.variables.back()}, {}}, kind) + ")";
    return kind == Kind::whole ? "min(max(" + body + ", -99), 99)" : body + " / 2";
  });
  p.done();
}

// Two tensors that need each other.
void write_mutual(ProgramDraft& draft) {
  const Dim dim = draft.some_dim();
  Pattern x(draft, {dim}, 1);
  Pattern y(draft, x.x.dims, 0);
  Scope rising = x.scope, level = y.scope;
  rising.variables[0].low = 1;
  x.own(rising, x.at_any(0, "i-1", x.scope));
  y.own(rising, y.at_any(0, "i-1", y.scope));
  x.own(level, x.whole());
  if (draft.choices.chance(85)) x.write(x.at(0, "0"), x.without(0), {}, 1);
  x.write(x.whole(), rising, {"i >= 1"});
  y.write(y.whole(), level, {});
  x.done();
  y.done();
}

// L(i,j) below the diagonal and on it, as in factorizations.
void write_factor(ProgramDraft& draft) {
  const Dim n{draft.choices.pick(draft.sizes), 0};
  const TensorSketch l = draft.some_output({n, n}, "f64");
  const Scope both{{over(0, n), over(1, n)}, {}}, one{{over(0, n)}, {}};
  const std::string a = l.name + "(i,k)", b = l.name + "(j,k)", d = l.name + "(j,j)";
  draft.equation(l.name + "(i,j)", {"k < j", "j < i"}, [&] {
    return "(" + draft.read(Kind::real, both) + " - sum[k](" + a + " * " + b + ")) / (abs(" + d + ") + 2)";
  });
  draft.equation(l.name + "(i,i)", {"k < i"},
                 [&] { return "sqrt(abs(" + draft.read(Kind::real, one) + " - sum[k](" + a + " * " + a + ")))"; });
  draft.finish(l);
}

// X^t from X^(t-1); within a step also from X^t(i-1).
void write_steps(ProgramDraft& draft) {
  Pattern p(draft, {}, 2);
  const std::string name = p.x.name, last = draft.choices.pick({"3", "T", "n", "1"});
  const std::string range = draft.choices.pick({"1 <= t <= ", "0 < t, t <= "}) + last;
  Scope inside = p.scope;
  const auto at_step = [&](const std::string& step, Texts indices) { return element(name + "^" + step, indices); };
  Texts before = p.all;
  for (std::size_t d = 0; d < before.size(); ++d)
    if (draft.choices.chance(50)) before[d] = draft.choices.pick(draft.index_texts(p.x.dims[d], p.scope));
  p.own(inside, at_step("(t-1)", p.all));
  p.own(inside, at_step("(t-1)", before));
  p.write(at_step("0", p.all), p.scope, {}, 1);
  if (!p.all.empty() && draft.choices.chance(50)) { // sweeps
    Texts zero = p.all, left = p.all;
    zero[0] = "0";
    left[0] = "i-1";
    Scope border = p.without(0);
    p.own(border, at_step("(t-1)", zero));
    p.write(at_step("t", zero), border, {range}, 1);
    inside.variables[0].low = 1;
    p.own(inside, at_step("t", left));
    p.write(at_step("t", p.all), inside, {range, "i > 0"});
  } else {
    p.write(at_step("t", p.all), inside, {range});
  }
  p.done();
}

// z(i) = sum of x(i+q) w(q) over a window of constant or variable length.
void write_window(ProgramDraft& draft) {
  const std::string n = draft.choices.pick(draft.sizes);
  const TensorSketch z = draft.some_output({{n, 0}}, "f64");
  TensorSketch x = z, w = z;
  x.name = z.name + "x";
  w.name = z.name + "w";
  const bool constant = draft.choices.chance(50);
  x.dims = {{n, 2}};
  w.dims = {constant ? Dim{"", 3} : Dim{n, 0}};
  for (TensorSketch* t : {&x, &w}) {
    draft.declare(*t);
    draft.finish(*t);
  }
  draft.equation(z.name + "(i)", constant ? Texts{} : Texts{"q <= 2"},
                 [&] { return x.name + "(i+q) * " + w.name + "(q)"; });
  draft.finish(z);
}

} // namespace

void write_outputs(ProgramDraft& draft) {
  using Writer = void (*)(ProgramDraft&);
  const std::vector<Writer> writers{write_plain,    write_line,   write_wavefront, write_triangle,
                                    write_steps,    write_plain,  write_line,      write_mutual,
                                    write_interval, write_factor, write_window};
  for (int count = draft.choices.between(1, 3); count > 0; --count) draft.choices.pick(writers)(draft);
}

} // namespace cyclotron::fuzz
