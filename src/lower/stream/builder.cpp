// SPDX-License-Identifier: MIT
// Computation and construction: values, reductions, what is dropped, what is written.
#include "lower/stream/builder.hpp"
#include "lower/stream/operations.hpp"

#include <algorithm>

namespace cyclotron::lower {

using recurrence::Reducer;
using stream::Block;
using stream::Node;
using stream::Operation;

namespace {

bool leaves_zero_alone(const StreamTerm& term) {
  int places = 0;
  std::vector<double> values;
  for (const StreamTerm& child : term.children) {
    const bool constant = child.kind == StreamTerm::Kind::constant;
    places += !constant;
    values.push_back(constant ? child.value : 0);
  }
  return places == 1 && !term.is(Operation::select) && evaluate(term.operation, values) == 0;
}

const StreamTerm& only_operand(const StreamTerm& term) {
  return *std::ranges::find_if(term.children, [](const StreamTerm& c) { return c.kind != StreamTerm::Kind::constant; });
}

// The reductions of a term that does not stand under the spine, with the variables bound around each.
StreamTerm* first_misplaced(StreamTerm& term, std::vector<std::string> around, const std::vector<std::string>& order) {
  const auto place = [&](const std::string& v) { return std::ranges::find(order, v) - order.begin(); };
  if (term.kind == StreamTerm::Kind::reduce) {
    for (const std::string& own : term.variables)
      for (const std::string& other : around)
        if (place(own) < place(other)) return &term;
    around.insert(around.end(), term.variables.begin(), term.variables.end());
  }
  for (StreamTerm& child : term.children)
    if (StreamTerm* found = first_misplaced(child, around, order)) return found;
  return nullptr;
}

} // namespace

std::vector<const StreamTerm*> spine_of(const StreamTerm& value) {
  const StreamTerm* at = &value;
  while (at->kind == StreamTerm::Kind::apply && leaves_zero_alone(*at)) at = &only_operand(*at);
  std::vector<const StreamTerm*> spine;
  while (at->kind == StreamTerm::Kind::reduce && (spine.empty() || spine[0]->reducer == at->reducer)) {
    spine.push_back(at);
    at = &at->children[0];
  }
  return spine;
}

StreamTerm* misplaced_reduction(StreamEquation& equation, const std::vector<std::string>& order) {
  std::vector<const StreamTerm*> spine = spine_of(equation.value);
  const bool sums = !spine.empty() && (spine[0]->reducer == Reducer::sum || spine[0]->reducer == Reducer::any);
  if (!sums) return first_misplaced(equation.value, equation.outputs, order);
  std::vector<std::string> around = equation.outputs;
  for (const StreamTerm* t : spine) around.insert(around.end(), t->variables.begin(), t->variables.end());
  StreamTerm* body = &equation.value;
  while (body != spine.back())
    body = &*std::ranges::find_if(body->children,
                                  [](const StreamTerm& c) { return c.kind != StreamTerm::Kind::constant; });
  return first_misplaced(body->children[0], around, order);
}

StreamBuilder::StreamBuilder(const StreamEquation& equation, std::vector<std::string> order, StreamChoices choices,
                             const std::map<std::string, std::int64_t>& sizes)
    : equation_(equation), order_(std::move(order)), choices_(std::move(choices)), sizes_(sizes),
      ref_(equation.operands.size()), may_be_absent_(equation.operands.size(), false) {
  graph_.title = equation.title;
  graph_.order = order_;
  graph_.result = equation.result;
  for (const StreamOperand& o : equation.operands)
    if (o.kind != StreamOperand::Kind::index) graph_.operands.push_back(o.at);
}

bool StreamBuilder::is_output(const std::string& variable) const {
  return std::ranges::count(equation_.outputs, variable) > 0;
}

int StreamBuilder::add(Node node) {
  node.vector = vector_;
  return graph_.add(std::move(node));
}

void StreamBuilder::connect(Source from, int to, int port) {
  if (from.node >= 0) graph_.connect(from.node, from.port, to, port);
}

stream::Graph StreamBuilder::build() {
  find_spine();
  for (const int operand : operands_in(equation_.value)) look_up(operand, 0, -1);
  write(spine_value(open_loops(0)));
  prune();
  return std::move(graph_);
}

// From this place of the order on; then the values of the spine's body.
StreamBuilder::Source StreamBuilder::open_loops(std::size_t first) {
  for (std::size_t place = first; place < order_.size(); ++place) {
    const std::string& variable = order_[place];
    if (variable == choices_.vectorized) {
      vector_ = choices_.vector;
      effects_.insert("vectorize " + variable);
    }
    for (std::size_t s = 0; s < scopes_.size(); ++s)
      if (std::ranges::count(scopes_[s].variables, variable)) open_level(static_cast<int>(s), variable);
    const bool spreads = variable == choices_.parallel && std::ranges::count(scopes_[0].variables, variable);
    if (spreads) return fork(variable, place);
  }
  return value_of(*spine_body_);
}

void StreamBuilder::find_spine() {
  const StreamTerm* at = &equation_.value;
  spine_ = spine_of(*at);
  for (; !spine_.empty() && at != spine_[0]; at = &only_operand(*at)) spine_operations_.push_back(at);
  spine_body_ = spine_.empty() ? &equation_.value : &spine_.back()->children[0];
  Scope whole;
  whole.body = spine_body_;
  whole.variables = equation_.outputs;
  if (!spine_.empty()) whole.reducer = spine_[0]->reducer;
  for (const StreamTerm* t : spine_) {
    whole.variables.insert(whole.variables.end(), t->variables.begin(), t->variables.end());
    whole.may_be_empty |= t->may_be_empty;
  }
  scopes_.push_back(whole);
  find_scopes(*spine_body_, 0);
  const bool sums = whole.reducer == Reducer::sum || whole.reducer == Reducer::any;
  drops_ = sums && !choices_.keeps_empty && !tensor::is_dense(equation_.result.format);
}

void StreamBuilder::find_scopes(const StreamTerm& term, int parent) {
  if (term.kind == StreamTerm::Kind::reduce) {
    scopes_.push_back({&term.children[0], parent, term.variables, term.reducer, term.may_be_empty, {}});
    parent = static_cast<int>(scopes_.size()) - 1;
  }
  for (const StreamTerm& child : term.children) find_scopes(child, parent);
}

StreamBuilder::Source StreamBuilder::value_of(const StreamTerm& term) {
  if (term.kind == StreamTerm::Kind::operand) return operand_value(term);
  if (term.kind == StreamTerm::Kind::reduce) {
    Source value = value_of(term.children[0]);
    std::vector<std::string> inner_first;
    for (const std::string& v : order_)
      if (std::ranges::count(term.variables, v)) inner_first.insert(inner_first.begin(), v);
    for (const std::string& v : inner_first) value = reduced(value, term, v, true);
    return value;
  }
  std::vector<Source> values;
  for (const StreamTerm& child : term.children)
    if (child.kind != StreamTerm::Kind::constant) values.push_back(value_of(child));
  return applied(term, values);
}

StreamBuilder::Source StreamBuilder::operand_value(const StreamTerm& term) {
  const StreamOperand& o = equation_.operands[static_cast<std::size_t>(term.operand)];
  Node node;
  node.operand = o.at.name;
  node.type = o.type;
  const Source ref = ref_[static_cast<std::size_t>(term.operand)];
  if (o.kind == StreamOperand::Kind::index) {
    node.block = Block::crdvals;
    node.index = o.at.tensor;
  } else {
    node.block = Block::arrayvals;
    node.tensor = o.at.tensor;
    node.root = ref.node < 0;
    if (o.kind == StreamOperand::Kind::constant) node.constants = {{0, o.value, o.integer}};
  }
  const int made = add(node);
  connect(ref, made, 0);
  return {made, 0};
}

StreamBuilder::Source StreamBuilder::applied(const StreamTerm& term, const std::vector<Source>& values) {
  Node node;
  node.block = Block::alu;
  node.operation = term.operation;
  node.type = term.type;
  for (std::size_t i = 0; i < term.children.size(); ++i)
    if (const StreamTerm& child = term.children[i]; child.kind == StreamTerm::Kind::constant)
      node.constants.push_back({static_cast<int>(i), child.value, child.integer});
  const int made = add(node);
  for (std::size_t port = 0; port < values.size(); ++port) connect(values[port], made, static_cast<int>(port));
  return {made, 0};
}

StreamBuilder::Source StreamBuilder::reduced(Source value, const StreamTerm& term, const std::string& variable,
                                             bool keeps_empty) {
  Node node;
  node.block = Block::reduce;
  node.index = variable;
  node.reducer = term.reducer;
  node.keeps_empty = keeps_empty;
  node.type = term.type;
  const int made = add(node);
  connect(value, made, 0);
  return {made, 0};
}

// The values of the body, reduced over what stands inside all output indices; what stands outside some of them is
// gathered in a reducer that holds these.
StreamBuilder::Source StreamBuilder::spine_value(Source value) {
  const std::vector<Level>& levels = scopes_[0].levels;
  std::size_t outputs_end = 0; // behind the innermost output index
  std::size_t first_reduced = levels.size();
  for (std::size_t p = 0; p < levels.size(); ++p) {
    if (is_output(levels[p].variable)) outputs_end = p + 1;
    else first_reduced = std::min(first_reduced, p);
  }
  const bool gathers = first_reduced < outputs_end;
  const bool points = gathers || choices_.scatters || !equation_.result_places.empty();
  std::size_t cleaned = 0; // coordinates above these levels are dropped where they have nothing
  if (drops_ && outputs_end > 0) cleaned = drop_empty(points ? outputs_end - 1 : 0);
  for (std::size_t p = levels.size(); p > outputs_end; --p)
    value = reduced(value, *spine_.back(), levels[p - 1].variable, p > cleaned);
  if (gathers && !choices_.scatters) gather(value, outputs_end - 1);
  for (auto term = spine_operations_.rbegin(); term != spine_operations_.rend(); ++term)
    value = applied(**term, {value});
  return value;
}

// Coordinates whose fiber below is empty are dropped, from the innermost level up. The number of levels, from the
// outermost in, that have been cleaned so.
std::size_t StreamBuilder::drop_empty(std::size_t outermost) {
  std::vector<Level>& levels = scopes_[0].levels;
  std::size_t cleaned = 0;
  for (std::size_t inner = levels.size() - 1; inner > outermost; --inner) {
    if (levels[inner].may_be_empty && cleaned == 0) cleaned = inner + 1;
    if (cleaned == 0) continue;
    Node node;
    node.block = Block::crddrop;
    node.outer_index = levels[inner - 1].variable;
    node.inner_index = levels[inner].variable;
    const int made = add(node);
    connect(levels[inner - 1].crd, made, 0);
    connect(levels[inner].crd, made, 1);
    levels[inner - 1].crd = {made, 0};
    levels[inner].crd = {made, 1};
  }
  return cleaned;
}

// The coordinates of these levels, once per coordinate of the innermost one.
std::vector<StreamBuilder::Source>
StreamBuilder::held_down(std::vector<Level> levels, const std::vector<std::size_t>& places, std::size_t innermost) {
  std::vector<Source> streams;
  for (const std::size_t p : places) {
    Source crd = levels[p].crd;
    for (std::size_t inner = p + 1; inner <= innermost; ++inner) {
      Node node;
      node.block = Block::crdhold;
      node.outer_index = levels[p].variable;
      node.inner_index = levels[inner].variable;
      const int made = add(node);
      connect(crd, made, 0);
      connect(levels[inner].crd, made, 1);
      crd = {made, 0};
      if (inner == innermost) levels[inner].crd = {made, 1};
    }
    streams.push_back(crd);
  }
  return streams;
}

void StreamBuilder::gather(Source& value, std::size_t innermost) {
  std::vector<Level>& levels = scopes_[0].levels;
  std::vector<std::size_t> places;
  Node node;
  node.block = Block::spaccumulator;
  node.reducer = spine_[0]->reducer;
  node.type = spine_[0]->type;
  bool inside = false;
  for (std::size_t p = 0; p <= innermost; ++p) {
    if (!is_output(levels[p].variable)) {
      inside = true;
      continue;
    }
    places.push_back(p);
    ++(inside ? node.order : node.outer);
  }
  const std::vector<Source> streams = held_down(levels, places, innermost);
  const int made = add(node);
  for (std::size_t i = 0; i < streams.size(); ++i) connect(streams[i], made, static_cast<int>(i));
  connect(value, made, static_cast<int>(streams.size()));
  for (std::size_t i = 0; i < places.size(); ++i) levels[places[i]].crd = {made, static_cast<int>(i)};
  value = {made, static_cast<int>(streams.size())};
}

// Coordinates that have just been words of bits, or are made such.
StreamBuilder::Source StreamBuilder::words_of(Source crd, const std::string& variable) {
  if (graph_.nodes[static_cast<std::size_t>(crd.node)].block == Block::bvexpand) return feed_of(crd.node, 0);
  Node node;
  node.block = Block::bvconvert;
  node.index = variable;
  node.width = 64;
  const int made = add(node);
  connect(crd, made, 0);
  return {made, 0};
}

// Points in any order; those with the same coordinates are summed in memory.
void StreamBuilder::write_points(Source value) {
  // What has been reduced already is no level any more.
  std::vector<Level> levels = scopes_[0].levels;
  if (!choices_.scatters) std::erase_if(levels, [&](const Level& level) { return !is_output(level.variable); });
  std::vector<std::size_t> places;
  std::size_t innermost = 0;
  for (const std::string& index : equation_.outputs) {
    const auto place = std::ranges::find(levels, index, &Level::variable) - levels.begin();
    places.push_back(static_cast<std::size_t>(place));
    innermost = std::max(innermost, places.back());
  }
  std::vector<Source> streams = held_down(levels, places, innermost);
  if (!equation_.result_places.empty()) streams = placed(streams);
  Node node;
  node.block = Block::pointwrite;
  node.tensor = equation_.result.tensor;
  node.order = static_cast<int>(streams.size());
  node.type = equation_.type;
  const int made = add(node);
  for (std::size_t i = 0; i < streams.size(); ++i) connect(streams[i], made, static_cast<int>(i));
  connect(value, made, static_cast<int>(streams.size()));
}

void StreamBuilder::write(Source value) {
  const stream::Operand& result = equation_.result;
  const bool points = choices_.scatters || !equation_.result_places.empty();
  if (points && !result.indices.empty()) return write_points(value);
  for (const Level& level : scopes_[0].levels) {
    const auto dimension = std::ranges::find(result.indices, level.variable);
    if (dimension == result.indices.end()) continue;
    Node node;
    node.block = Block::fiberwrite;
    node.index = level.variable;
    node.tensor = result.tensor;
    node.mode = static_cast<int>(dimension - result.indices.begin());
    const auto place = std::ranges::find(result.format.order, node.mode) - result.format.order.begin();
    node.format = result.format.levels[static_cast<std::size_t>(place)];
    Source crd = level.crd;
    if (tensor::properties_of(node.format).bits) {
      if (graph_.nodes[static_cast<std::size_t>(crd.node)].block == Block::fiberlookup)
        node.format = tensor::LevelKind::compressed;
      else crd = words_of(crd, level.variable); // a scanner may put out `N`, for which there is no bit
    }
    connect(crd, add(node), 0);
  }
  Node node;
  node.block = Block::fiberwrite;
  node.tensor = result.tensor;
  node.type = equation_.type;
  connect(value, add(node), 0);
}

// What nobody reads goes.
void StreamBuilder::prune() {
  std::vector<bool> needed(graph_.nodes.size(), false);
  std::vector<int> open;
  for (std::size_t n = 0; n < graph_.nodes.size(); ++n)
    if (graph_.nodes[n].block == Block::fiberwrite || graph_.nodes[n].block == Block::pointwrite)
      open.push_back(static_cast<int>(n));
  while (!open.empty()) {
    const int n = open.back();
    open.pop_back();
    if (needed[static_cast<std::size_t>(n)]) continue;
    needed[static_cast<std::size_t>(n)] = true;
    for (const stream::Edge& e : graph_.edges)
      if (e.to == n) open.push_back(e.from);
  }
  std::vector<int> place(graph_.nodes.size(), -1);
  std::vector<Node> kept;
  for (std::size_t n = 0; n < graph_.nodes.size(); ++n)
    if (needed[n]) {
      place[n] = static_cast<int>(kept.size());
      kept.push_back(graph_.nodes[n]);
    }
  graph_.nodes = std::move(kept);
  std::erase_if(graph_.edges, [&](const stream::Edge& e) { return place[static_cast<std::size_t>(e.to)] < 0; });
  for (stream::Edge& e : graph_.edges) {
    e.from = place[static_cast<std::size_t>(e.from)];
    e.to = place[static_cast<std::size_t>(e.to)];
  }
}

} // namespace cyclotron::lower
