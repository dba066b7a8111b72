// SPDX-License-Identifier: MIT
#include "program_draft.hpp"

#include <algorithm>
#include <climits>
#include <numeric>

namespace cyclotron::fuzz {

std::string plus(const std::string& name, int constant) {
  if (name.empty()) return std::to_string(constant);
  if (constant == 0) return name;
  return name + (constant > 0 ? "+" : "-") + std::to_string(std::abs(constant));
}

std::string extent(const Dim& dim) { return plus(dim.size, dim.add); }

ProgramDraft::ProgramDraft(Choices& c) : choices(c) {
  const std::vector<std::string> names{"n", "m", "p"};
  sizes.assign(names.begin(), names.begin() + choices.between(1, 3));
  for (const std::string& size : sizes)
    if (choices.chance(20)) least[size] = choices.between(1, 2);
  backwards_ = choices.chance(30);
}

std::string ProgramDraft::fresh_name() {
  static const std::string letters = "ABCDEFGHLMPQRSUVWXYZ";
  const std::size_t n = static_cast<std::size_t>(names_++);
  const std::string letter(1, letters[n % letters.size()]);
  return n < letters.size() ? letter : letter + std::to_string(n / letters.size());
}

std::string ProgramDraft::fresh_variable() {
  static const std::vector<std::string> pool{"k", "l", "q", "r", "s", "u", "v", "w"};
  const std::size_t n = static_cast<std::size_t>(variables_++);
  return n < pool.size() ? pool[n] : "k" + std::to_string(n);
}

Dim ProgramDraft::some_dim() {
  if (choices.chance(8)) return {"", choices.between(3, 5)};
  return {choices.pick(sizes), choices.chance(25) ? choices.between(1, 2) : 0};
}

std::string ProgramDraft::some_format(std::size_t rank) {
  if (rank == 0 || !choices.chance(45)) return "";
  const std::string region = choices.chance(10) ? choices.pick({" onchip", " offchip"}) : "";
  if (rank == 1) return choices.pick({"coo", "{compressed}", "{bitvector}", "dense"}) + region;
  if (rank == 3)
    return choices.pick({"csf", "coo", "{dense, compressed, compressed}", "{dense, compressed, dense} order (2,0,1)",
                         "{bitvector, dense, compressed} order (1,2,0)"}) +
           region;
  return choices.pick({"csr", "csc", "dcsr", "coo", "{dense, bitvector}", "{dense, dense} order (1,0)",
                       "{compressed, singleton} order (1,0)", "{compressed, dense}"}) +
         region;
}

TensorSketch ProgramDraft::some_output(const std::vector<Dim>& dims, std::string type) {
  if (type.empty()) type = choices.pick({"f64", "f64", "f64", "i32", "f32", "i64", "bool"});
  TensorSketch t{fresh_name(), dims, type, ""};
  t.format = some_format(dims.size());
  declare(t);
  return t;
}

// --- reads ---

// All index expressions that are inside `dim` at every point of the scope.
std::vector<std::string> ProgramDraft::index_texts(const Dim& dim, const Scope& scope) const {
  std::vector<std::string> list;
  int smallest = dim.size.empty() ? 0 : least.count(dim.size) ? least.at(dim.size) : 0;
  for (const Variable& v : scope.variables) {
    if (v.size != dim.size) continue;
    for (int c : {0, -1, 1, -2, 2}) {
      const bool inside = c >= -v.low && c <= dim.add - v.high;
      if (inside && !(c == 0 && v.exact && dim.add != 0)) list.push_back(plus(v.name, c));
    }
    if (v.high - 1 - v.low < dim.add) list.push_back(plus(v.size, v.high - 1) + "-" + v.name); // counted from the end
    if (!v.size.empty()) smallest = std::max(smallest, v.low + 1 - v.high); // or v would have no value
  }
  for (int c = 0; c < std::min(2, smallest + dim.add); ++c) list.push_back(std::to_string(c));
  if (smallest + dim.add > 0) list.push_back(plus(dim.size, dim.add - 1));
  return list;
}

std::string ProgramDraft::input_read(const Scope& scope, Kind kind) {
  TensorSketch t;
  std::string indices;
  std::vector<Variable> used = scope.variables;
  if (used.size() > 3) used.erase(used.begin(), used.end() - 3);
  if (used.size() > 1 && choices.chance(30)) std::swap(used.front(), used.back());
  for (const Variable& v : used) {
    const int shift = std::max(0, -v.low); // where it begins below zero
    const int add = std::max(0, v.high) + shift + (!v.exact && choices.chance(15) ? 1 : 0);
    t.dims.push_back({v.size, v.size.empty() ? v.high + shift : add});
    indices += (indices.empty() ? "" : ",") + plus(v.name, shift);
  }
  t.name = fresh_name();
  t.type = kind == Kind::truth   ? "bool"
           : kind == Kind::whole ? choices.pick({"i32", "i64", "i32"})
                                 : choices.pick({"f64", "f64", "f32", "i32", "i64", "bool"});
  t.format = some_format(t.dims.size());
  tensors_.push_back(t);
  readable_.push_back(t);
  return t.dims.empty() ? t.name : t.name + "(" + indices + ")";
}

std::string ProgramDraft::read(Kind kind, const Scope& scope) {
  std::vector<std::string> found;
  for (const TensorSketch& t : readable_) {
    const bool fits = kind == Kind::truth ? t.kind() == Kind::truth : kind == Kind::real || t.kind() != Kind::real;
    std::string indices;
    bool legal = fits;
    for (const Dim& d : t.dims) {
      const std::vector<std::string> texts = legal ? index_texts(d, scope) : std::vector<std::string>{};
      legal = !texts.empty();
      if (!legal) break;
      indices += (indices.empty() ? "" : ",") + choices.pick(texts);
    }
    if (legal) found.push_back(t.dims.empty() ? t.name : t.name + "(" + indices + ")");
  }
  if (found.empty() || (found.size() < 4 && choices.chance(40))) return input_read(scope, kind);
  return choices.pick(found);
}

// --- equations and the whole text ---

void ProgramDraft::equation(const std::string& target, std::vector<std::string> constraints,
                            const std::function<std::string()>& value_text) {
  constraints_ = std::move(constraints);
  variables_ = 0;
  std::string text = target + " = " + value_text();
  for (std::size_t c = 0; c < constraints_.size(); ++c) text += (c == 0 ? " : " : ", ") + constraints_[c];
  equations_.push_back(text);
}

void ProgramDraft::equation(const std::string& target, const TensorSketch& tensor, const Scope& scope,
                            std::vector<std::string> constraints, int depth) {
  equation(target, std::move(constraints), [&] {
    std::string text = clamped(tensor, scope, depth);
    if (tensor.kind() != Kind::truth && choices.chance(15)) text += " + " + implied_sum(scope, tensor.kind());
    return text;
  });
}

std::string ProgramDraft::text() const {
  std::string out;
  for (const std::string& size : sizes) { // an assumption also makes a size known that no dimension mentions
    const auto uses = [&](const TensorSketch& t) {
      return std::any_of(t.dims.begin(), t.dims.end(), [&](const Dim& d) { return d.size == size; });
    };
    const bool assumed = least.count(size) > 0;
    if (assumed || std::none_of(tensors_.begin(), tensors_.end(), uses))
      out += "assume " + std::to_string(assumed ? least.at(size) : 0) + " <= " + size + "\n";
  }
  for (const TensorSketch& t : tensors_) {
    out += "tensor " + t.name;
    for (std::size_t d = 0; d < t.dims.size(); ++d) out += (d == 0 ? "(" : ", ") + extent(t.dims[d]);
    out += (t.dims.empty() ? ": " : "): ") + t.type + (t.format.empty() ? "" : " " + t.format) + "\n";
  }
  out += "let half = 0.5\nlet two = 2\n\n";
  std::vector<std::string> lines = equations_;
  if (backwards_) std::reverse(lines.begin(), lines.end());
  for (const std::string& e : lines) out += e + "\n";
  return out;
}

} // namespace cyclotron::fuzz
