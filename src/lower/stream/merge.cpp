// SPDX-License-Identifier: MIT
// Iteration and merging: the streams of coordinates and references of one loop.
#include "lower/stream/builder.hpp"
#include "lower/stream/operations.hpp"

#include <algorithm>

namespace cyclotron::lower {

using recurrence::Reducer;
using stream::Block;
using stream::Node;
using stream::Operation;
using tensor::LevelKind;

namespace {

// Nothing is lost where it is left out for coordinates at which there is nothing to reduce.
bool vanishes_when_empty(Reducer reducer) { return reducer == Reducer::sum || reducer == Reducer::any; }

bool is_product(const StreamTerm& t) { return t.is(Operation::mul) || t.is(Operation::logical_and); }
bool is_sum(const StreamTerm& t) { return t.is(Operation::add) || t.is(Operation::sub); }

// `a * (b * c)` is a, b, c: one intersecter for all of them.
template <class Same> void flatten(const StreamTerm& term, const Same& same, std::vector<const StreamTerm*>& list) {
  for (const StreamTerm& child : term.children)
    if (same(child)) flatten(child, same, list);
    else list.push_back(&child);
}

// Whether the operation gives zero where all the present operands are zero, whatever the others are.
bool vanishes(const StreamTerm& term, const std::vector<bool>& present) {
  std::vector<double> values;
  bool known = true;
  for (std::size_t i = 0; i < term.children.size(); ++i) {
    const bool constant = term.children[i].kind == StreamTerm::Kind::constant;
    known &= present[i] || constant || (i == 0 && term.is(Operation::select));
    values.push_back(present[i] ? 0 : term.children[i].value);
  }
  if (!known) return false;
  if (!term.is(Operation::select)) return evaluate(term.operation, values) == 0;
  return values[1] == 0 && values[2] == 0;
}

} // namespace

void StreamBuilder::open_level(int scope, const std::string& variable) {
  const Scope& own = scopes_[static_cast<std::size_t>(scope)];
  std::optional<Merged> merged = merge(*own.body, variable, scope);
  const bool needs_all = !vanishes_when_empty(own.reducer) && (!is_output(variable) || own.may_be_empty);
  if (!merged) merged = all_coordinates(variable, scope);
  else if (needs_all && !merged->all)
    merged = join(Block::unite, {*merged, all_coordinates(variable, scope)}, variable);
  // Here a fiber that no operand has is empty; further in it told the joins that it is absent.
  Node& last = graph_.nodes[static_cast<std::size_t>(merged->crd.node)];
  if (last.block == Block::unite || (last.block == Block::intersect && scope == 0)) last.keeps_empty = false;
  *merged = with_conditions(*merged, variable, scope);
  repeat_others(*merged, variable, scope);
  scopes_[static_cast<std::size_t>(scope)].levels.push_back({variable, merged->crd, merged->may_be_empty});
  const int loop = static_cast<int>(std::ranges::find(order_, variable) - order_.begin());
  for (const int operand : operands_in(*own.body)) look_up(operand, scope, loop);
}

std::optional<StreamBuilder::Merged> StreamBuilder::merge(const StreamTerm& term, const std::string& variable,
                                                          int scope) {
  switch (term.kind) {
  case StreamTerm::Kind::constant: return std::nullopt;
  case StreamTerm::Kind::operand:
    if (!equation_.operands[static_cast<std::size_t>(term.operand)].has(variable)) return std::nullopt;
    return scan(term.operand, variable);
  case StreamTerm::Kind::reduce: return merge_reduction(term, variable, scope);
  case StreamTerm::Kind::apply: break;
  }
  if (is_product(term)) return merge_product(term, variable, scope);
  if (term.is(Operation::div)) return merge_quotient(term, variable, scope);
  return merge_sum(term, variable, scope);
}

std::optional<StreamBuilder::Merged> StreamBuilder::merge_product(const StreamTerm& term, const std::string& variable,
                                                                  int scope) {
  std::vector<const StreamTerm*> factors;
  flatten(
      term, [&](const StreamTerm& t) { return t.is(term.operation); }, factors);
  std::vector<Merged> sides;
  std::vector<int> located;
  for (const StreamTerm* f : factors) {
    if (is_located(*f, variable)) located.push_back(f->operand);
    else if (auto side = merge(*f, variable, scope)) sides.push_back(*side);
  }
  // Somebody has to walk.
  if (sides.empty() && !located.empty()) {
    sides.push_back(scan(located.front(), variable));
    located.erase(located.begin());
  }
  if (sides.empty()) return std::nullopt;
  Merged merged = sides.size() == 1 ? sides[0] : join(Block::intersect, sides, variable);
  for (const int operand : located) {
    effects_.insert("locate " + equation_.operands[static_cast<std::size_t>(operand)].at.tensor + " " + variable);
    merged = locate(merged, operand, variable);
  }
  return merged;
}

std::optional<StreamBuilder::Merged> StreamBuilder::merge_sum(const StreamTerm& term, const std::string& variable,
                                                              int scope) {
  // `a + (b - c)` is one union of three; of other operations, each has its own.
  std::vector<const StreamTerm*> terms;
  if (is_sum(term)) flatten(term, is_sum, terms);
  else
    for (const StreamTerm& child : term.children) terms.push_back(&child);
  std::vector<Merged> sides;
  std::vector<bool> present;
  for (const StreamTerm* t : terms) {
    auto side = merge(*t, variable, scope);
    present.push_back(side.has_value());
    if (side) sides.push_back(*side);
  }
  if (sides.empty()) return std::nullopt;
  bool zero_elsewhere = true;
  if (is_sum(term)) {
    for (std::size_t i = 0; i < terms.size(); ++i)
      zero_elsewhere &= present[i] || (terms[i]->kind == StreamTerm::Kind::constant && terms[i]->value == 0);
  } else {
    zero_elsewhere = vanishes(term, present);
  }
  const bool all = std::ranges::any_of(sides, [](const Merged& m) { return m.all; });
  if (!zero_elsewhere && !all) sides.push_back(all_coordinates(variable, scope));
  return sides.size() == 1 ? sides[0] : join(Block::unite, sides, variable);
}

std::optional<StreamBuilder::Merged> StreamBuilder::merge_quotient(const StreamTerm& term, const std::string& variable,
                                                                   int scope) {
  const auto above = merge(term.children[0], variable, scope);
  const auto below = merge(term.children[1], variable, scope);
  if (!below && !depends(term.children[1], variable)) return above;
  if (below && below->all) return above ? join(Block::intersect, {*above, *below}, variable) : *below;
  std::vector<Merged> sides;
  if (above) sides.push_back(*above);
  if (below) sides.push_back(*below);
  // What is divided by a zero that is not stored is an error; in a sparse result, zero by zero is zero.
  const bool nothing_elsewhere = !tensor::is_dense(equation_.result.format) && above;
  if (!nothing_elsewhere && !(above && above->all)) sides.push_back(all_coordinates(variable, scope));
  return sides.size() == 1 ? sides[0] : join(Block::unite, sides, variable);
}

std::optional<StreamBuilder::Merged> StreamBuilder::merge_reduction(const StreamTerm& term, const std::string& variable,
                                                                    int scope) {
  const auto merged = merge(term.children[0], variable, scope);
  if (!merged || merged->all || vanishes_when_empty(term.reducer)) return merged;
  return join(Block::unite, {*merged, all_coordinates(variable, scope)}, variable);
}

StreamBuilder::Merged StreamBuilder::scan(int operand, const std::string& variable) {
  const StreamOperand& o = equation_.operands[static_cast<std::size_t>(operand)];
  const auto dimension = o.dimension_of(variable);
  const auto level = std::ranges::find(o.at.format.order, static_cast<int>(dimension)) - o.at.format.order.begin();
  Node node;
  node.block = Block::fiberlookup;
  node.index = variable;
  node.operand = o.at.name;
  node.tensor = o.at.tensor;
  node.mode = static_cast<int>(dimension);
  node.format = o.at.format.levels[static_cast<std::size_t>(level)];
  Source& ref = ref_[static_cast<std::size_t>(operand)];
  node.root = ref.node < 0;
  const bool dense = is_full(node.format);
  // A fiber under a stored coordinate has something in it; one under a dense level, or a whole vector, need not.
  bool may_be_empty =
      !dense && (level > 0 ? is_full(o.at.format.levels[static_cast<std::size_t>(level - 1)]) : !node.root);
  // Under an element that was looked up there may be none; it is no other operand that says so.
  const bool below_place = !o.places.empty() && may_be_absent_[static_cast<std::size_t>(operand)];
  node.keeps_empty = !below_place;
  may_be_empty |= below_place;
  int made = add(node);
  connect(ref, made, 0);
  if (properties_of(node.format).bits) made = expanded({made, 0}, {made, 1}, variable);
  ref = {made, 1};
  return {{made, 0}, {operand}, may_be_empty, dense && !may_be_absent_[static_cast<std::size_t>(operand)], dense};
}

// Words of bits to coordinates.
int StreamBuilder::expanded(Source bits, Source ref, const std::string& variable) {
  Node node;
  node.block = Block::bvexpand;
  node.index = variable;
  node.width = 64;
  const int made = add(node);
  connect(bits, made, 0);
  connect(ref, made, 1);
  return made;
}

StreamBuilder::Source StreamBuilder::feed_of(int node, int port) const {
  for (const stream::Edge& e : graph_.edges)
    if (e.to == node && e.to_port == port) return {e.from, e.from_port};
  return {};
}

// Two levels of words are joined word by word, before they become coordinates.
std::optional<StreamBuilder::Merged> StreamBuilder::join_words(Block block, const std::vector<Merged>& sides,
                                                               const std::string& variable) {
  const auto is_words = [&](const Merged& side) {
    return graph_.nodes[static_cast<std::size_t>(side.crd.node)].block == Block::bvexpand && side.carried.size() == 1 &&
           !may_be_absent_[static_cast<std::size_t>(side.carried[0])] &&
           ref_[static_cast<std::size_t>(side.carried[0])] == Source{side.crd.node, 1};
  };
  if (sides.size() != 2 || !std::ranges::all_of(sides, is_words)) return std::nullopt;
  Node node;
  node.block = block == Block::intersect ? Block::bvintersect : Block::bvunion;
  node.index = variable;
  const int made = add(node);
  for (int side = 0; side < 2; ++side)
    for (int port = 0; port < 2; ++port)
      connect(feed_of(sides[static_cast<std::size_t>(side)].crd.node, port), made, 2 * side + port);
  const int first = sides[0].carried[0], second = sides[1].carried[0];
  const int expand = expanded({made, 0}, {made, 1}, variable);
  ref_[static_cast<std::size_t>(first)] = {expand, 1};
  ref_[static_cast<std::size_t>(second)] = {made, 2};
  const bool all = block == Block::intersect;
  if (!all) may_be_absent_[static_cast<std::size_t>(first)] = may_be_absent_[static_cast<std::size_t>(second)] = true;
  return Merged{{expand, 0}, {first, second}, all || sides[0].may_be_empty || sides[1].may_be_empty, false, false};
}

StreamBuilder::Merged StreamBuilder::all_coordinates(const std::string& variable, int scope) {
  Source ref;
  for (const Level& level : levels_around(scope)) ref = repeated(ref, level.crd, "", level.variable);
  Node node;
  node.block = Block::fiberlookup;
  node.index = variable;
  node.format = LevelKind::dense;
  node.root = ref.node < 0;
  const int made = add(node);
  connect(ref, made, 0);
  return {{made, 0}, {}, false, true, true};
}

// Each side may be absent, and no union further out says that one of them is there.
bool StreamBuilder::may_all_be_absent(const std::vector<Merged>& sides) const {
  const auto absent = [&](int operand) { return may_be_absent_[static_cast<std::size_t>(operand)]; };
  for (const Merged& side : sides)
    if (std::ranges::none_of(side.carried, absent)) return false;
  const auto has_all = [&](const std::vector<int>& operands) {
    return !operands.empty() && std::ranges::any_of(sides, [&](const Merged& side) {
      return std::ranges::all_of(operands, [&](int o) { return std::ranges::count(side.carried, o) > 0; });
    });
  };
  // Of the unions that an operand went through, only the last says something about it.
  const auto is_last = [&](std::size_t at, const std::vector<int>& operands) {
    return std::ranges::all_of(operands, [&](int o) { return last_union_.at(o) == at; });
  };
  for (std::size_t at = 0; at < unions_.size(); ++at)
    if (std::ranges::all_of(unions_[at], [&](const auto& side) { return has_all(side) && is_last(at, side); }))
      return false;
  return true;
}

StreamBuilder::Merged StreamBuilder::join(Block block, const std::vector<Merged>& sides, const std::string& variable) {
  if (const auto words = join_words(block, sides, variable)) return *words;
  Node node;
  node.block = block;
  node.index = variable;
  for (const Merged& side : sides) node.widths.push_back(static_cast<int>(side.carried.size()));
  const auto scans = [&](const Merged& side) {
    const Node& n = graph_.nodes[static_cast<std::size_t>(side.crd.node)];
    return n.block == Block::fiberlookup && properties_of(n.format).listed() && n.keeps_empty;
  };
  node.skips = block == Block::intersect && choices_.skips.count(variable) && sides.size() == 2 &&
               std::ranges::all_of(sides, scans);
  const int made = add(node);
  const bool all_sides = block == Block::intersect;
  Merged merged{{made, 0}, {}, all_sides, all_sides, all_sides};
  int port = 0, out = 1;
  for (const Merged& side : sides) {
    connect(side.crd, made, port++);
    for (const int operand : side.carried) {
      connect(ref_[static_cast<std::size_t>(operand)], made, port++);
      ref_[static_cast<std::size_t>(operand)] = {made, out++};
      merged.carried.push_back(operand);
    }
    if (block == Block::unite) {
      merged.may_be_empty |= side.may_be_empty;
      merged.all |= side.all;
      merged.counts |= side.counts;
    } else {
      merged.all &= side.all;
      merged.counts &= side.counts;
    }
  }
  if (block == Block::unite) {
    merged.may_be_empty |= may_all_be_absent(sides);
    merged.may_be_empty &= !merged.all;
    auto& united = unions_.emplace_back();
    for (const Merged& side : sides) {
      united.push_back(side.carried);
      for (const int operand : side.carried) last_union_[operand] = unions_.size() - 1;
      if (!side.all)
        for (const int operand : side.carried) may_be_absent_[static_cast<std::size_t>(operand)] = true;
    }
  }
  if (node.skips) effects_.insert("skip " + variable);
  if (node.skips)
    for (std::size_t side = 0; side < sides.size(); ++side) {
      graph_.nodes[static_cast<std::size_t>(sides[side].crd.node)].skips = true;
      connect({made, out + static_cast<int>(side)}, sides[side].crd.node, 1);
    }
  return merged;
}

bool StreamBuilder::is_located(const StreamTerm& term, const std::string& variable) const {
  if (term.kind != StreamTerm::Kind::operand) return false;
  const StreamOperand& o = equation_.operands[static_cast<std::size_t>(term.operand)];
  return o.has(variable) && choices_.locates.count({o.at.tensor, variable});
}

StreamBuilder::Merged StreamBuilder::locate(Merged others, int operand, const std::string& variable) {
  const StreamOperand& o = equation_.operands[static_cast<std::size_t>(operand)];
  const auto dimension = o.dimension_of(variable);
  const auto level = std::ranges::find(o.at.format.order, static_cast<int>(dimension)) - o.at.format.order.begin();
  const LevelKind kind = o.at.format.levels[static_cast<std::size_t>(level)];
  Source& ref = ref_[static_cast<std::size_t>(operand)];
  // In the outermost level, where all coordinates are stored, a coordinate is its own reference.
  if (level == 0 && is_full(kind)) {
    ref = others.crd;
    others.carried.push_back(operand);
    return others;
  }
  Node node;
  node.block = Block::locate;
  node.index = variable;
  node.operand = o.at.name;
  node.tensor = o.at.tensor;
  node.mode = static_cast<int>(dimension);
  node.format = kind;
  node.widths = {static_cast<int>(others.carried.size())};
  const Source parent = repeated(ref, others.crd, o.at.name, variable);
  const int made = add(node);
  connect(others.crd, made, 0);
  int port = 1;
  for (const int other : others.carried) {
    connect(ref_[static_cast<std::size_t>(other)], made, port);
    ref_[static_cast<std::size_t>(other)] = {made, port++};
  }
  connect(parent, made, port);
  ref = {made, port};
  others.crd = {made, 0};
  others.carried.push_back(operand);
  others.may_be_empty |= !is_full(kind);
  others.all = false;
  return others;
}

void StreamBuilder::repeat_others(const Merged& merged, const std::string& variable, int scope) {
  for (const int operand : operands_in(*scopes_[static_cast<std::size_t>(scope)].body)) {
    const StreamOperand& o = equation_.operands[static_cast<std::size_t>(operand)];
    if (o.has(variable)) continue;
    Source& ref = ref_[static_cast<std::size_t>(operand)];
    const bool is_value = o.kind == StreamOperand::Kind::index && o.at.tensor == variable;
    ref = is_value ? merged.crd : repeated(ref, merged.crd, o.at.name, variable);
  }
}

std::vector<StreamBuilder::Level> StreamBuilder::levels_around(int scope) const {
  const Scope& own = scopes_[static_cast<std::size_t>(scope)];
  std::vector<Level> levels = own.parent < 0 ? std::vector<Level>{} : levels_around(own.parent);
  levels.insert(levels.end(), own.levels.begin(), own.levels.end());
  return levels;
}

StreamBuilder::Source StreamBuilder::repeated(Source ref, Source over, const std::string& operand,
                                              const std::string& variable) {
  auto [signals, is_new] = repeat_signals_.try_emplace(over, 0);
  if (is_new) {
    Node node;
    node.block = Block::repsiggen;
    node.index = variable;
    signals->second = add(node);
    connect(over, signals->second, 0);
  }
  Node node;
  node.block = Block::repeat;
  node.index = variable;
  node.operand = operand;
  node.root = ref.node < 0;
  const int made = add(node);
  connect(ref, made, 0);
  connect({signals->second, 0}, made, 1);
  return {made, 0};
}

} // namespace cyclotron::lower
