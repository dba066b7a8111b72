// SPDX-License-Identifier: MIT
#include "lower/stream/recurrence_to_stream.hpp"

#include "lower/stream/order.hpp"
#include "lower/stream/phases.hpp"
#include "lower/stream/places.hpp"
#include "lower/stream/ranges.hpp"
#include "lower/stream/schedule.hpp"
#include "recurrence/isl_limit.hpp"
#include "support/progress.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::lower {

using namespace recurrence;

namespace {

class RecurrenceToStream {
public:
  RecurrenceToStream(const frontend::Checked& checked, const schedule::Schedule* schedule,
                     const std::map<std::string, std::int64_t>& sizes, Diagnostics& diagnostics)
      : checked_(checked), program_(checked.program()), schedule_(schedule), sizes_(sizes), diagnostics_(diagnostics) {}

  std::optional<LoweredStream> run() {
    auto commands = read_stream_schedule(schedule_, diagnostics_);
    if (!commands) return std::nullopt;
    commands_ = std::move(*commands);
    const auto piece_name = [this](const std::string& tensor) { return new_name(tensor); };
    std::vector<std::pair<StreamPhase, StreamEquation>> phases;
    for (const StreamPhase& phase : stream_phases(checked_, piece_name, diagnostics_)) {
      if (phase.name != phase.tensor) made_.whole[phase.name] = phase.tensor;
      std::optional<StreamEquation> equation = phase.equation ? read(phase) : united(phase);
      if (equation) phases.emplace_back(phase, std::move(*equation));
    }
    if (diagnostics_.failed()) return std::nullopt;
    for (auto& [phase, equation] : phases)
      if (!lower_tiled(equation, phase)) return std::nullopt;
    for (const StreamCommands::Effect& e : commands_.effects)
      if (!effects_.count(e.words)) diagnostics_.warning(e.span, fmt::format("this has no effect: {}", e.without));
    return std::move(made_);
  }

private:
  std::optional<StreamEquation> read(const StreamPhase& phase) {
    auto equation = stream_equation(*phase.equation, checked_, sizes_, phase.reads, diagnostics_);
    if (equation) equation->result.tensor = equation->result.name = phase.name;
    return equation;
  }

  // X(i,j) = X_part1(i,j) + X_part2(i,j): no element is in two of them.
  StreamEquation united(const StreamPhase& phase) {
    const TensorDecl& decl = *program_.tensor(phase.tensor);
    const bool logical = decl.type == tensor::ValueType::boolean;
    StreamEquation whole;
    whole.type = decl.type;
    whole.span = decl.span;
    whole.result = {phase.name, phase.name, index_names(phase.tensor), walked_format(decl.format)};
    whole.outputs = whole.result.indices;
    for (std::size_t d = 0; d < decl.dims.size(); ++d)
      whole.extents[whole.outputs[d]] = accepted_affine(decl.dims[d], program_);
    for (const std::string& piece : phase.pieces) {
      StreamOperand operand;
      operand.at = {piece, piece, whole.outputs, walked_format(decl.format)};
      operand.type = decl.type;
      operand.span = decl.span;
      const StreamTerm term = operand_term(whole, operand);
      if (whole.operands.size() == 1) whole.value = term;
      else whole.value = applied(logical ? stream::Operation::logical_or : stream::Operation::add, {whole.value, term});
    }
    whole.title = fmt::format("{} = {}", access_text(phase.name, whole.outputs), fmt::join(phase.pieces, " + "));
    return whole;
  }

  // As some equation calls the dimensions of a tensor, or made up.
  std::vector<std::string> index_names(const std::string& tensor) const {
    const std::size_t rank = program_.tensor(tensor)->dims.size();
    std::vector<std::string> names;
    for (const Equation& e : program_.equations) {
      if (e.access().tensor != tensor) continue;
      names.clear();
      for (const Expr& index : e.access().indices)
        if (const Name* name = as<Name>(index);
            name && name->kind == NameKind::index && !std::ranges::count(names, name->id))
          names.push_back(name->id);
      if (names.size() == rank) return names;
    }
    names.clear();
    for (std::size_t d = 0; d < rank; ++d) names.push_back(fmt::format("{}_{}", tensor, d));
    return names;
  }

  static std::string access_text(const std::string& tensor, const std::vector<std::string>& indices) {
    return indices.empty() ? tensor : fmt::format("{}({})", tensor, fmt::join(indices, ","));
  }

  static StreamTerm operand_term(StreamEquation& equation, const StreamOperand& operand) {
    StreamTerm term;
    term.type = operand.type;
    term.span = operand.span;
    term.operand = static_cast<int>(equation.operands.size());
    equation.operands.push_back(operand);
    return term;
  }

  static StreamTerm applied(stream::Operation operation, std::vector<StreamTerm> children) {
    StreamTerm term;
    term.kind = StreamTerm::Kind::apply;
    term.operation = operation;
    term.type = children[0].type;
    term.span = children[0].span;
    term.children = std::move(children);
    return term;
  }

  bool lower_tiled(StreamEquation& equation, const StreamPhase& phase) {
    const std::vector<StreamTile> tiles = commands_.tiles;
    for (const auto& [name, variable] : equation.written_as)
      for (const StreamTile& t : tiles)
        if (t.index == variable)
          commands_.tiles.push_back({name, t.sizes, schedule::tile_parts(name, t.sizes.size()), t.span});
    made_.tiles.insert(made_.tiles.end(), commands_.tiles.begin(), commands_.tiles.end());
    splits_ = split_levels(equation, commands_.tiles);
    extents_ = equation.extents;
    StreamOrder wanted = commands_.order;
    // The pieces of a tensor are stored as it is, whatever the order in which they were computed.
    if (!phase.equation) wanted.given.clear();
    const bool done = lower(equation, wanted);
    commands_.tiles = tiles;
    return done;
  }

  std::string whole_of(const std::string& tensor) const {
    const auto found = made_.whole.find(tensor);
    return found == made_.whole.end() ? tensor : found->second;
  }

  // Where a sum cannot be gathered beside the terms around it, it is computed first.
  bool lower(StreamEquation equation, StreamOrder wanted) {
    const std::string tensor = whole_of(equation.result.tensor);
    wanted.scatters = commands_.scatters.count(tensor) > 0;
    const auto order = tiled_order(equation, wanted);
    if (!order) return false;
    while (StreamTerm* misplaced = misplaced_reduction(equation, *order)) {
      if (misplaced == &equation.value) return lower_turned(equation, *order, wanted);
      if (!lower(factor_out(equation, *misplaced, *order), wanted)) return false;
    }
    if (wanted.scatters && !check_scatter(equation)) return false;
    StreamChoices choices = commands_.choices;
    choices.keeps_empty = commands_.explicit_zeros.count(tensor) > 0;
    choices.scatters = wanted.scatters;
    std::vector<std::string> own;
    const std::vector<std::string> left = equation.variables();
    std::ranges::copy_if(*order, std::back_inserter(own),
                         [&](const std::string& v) { return std::ranges::count(left, v) > 0; });
    settle_places(equation, own);
    StreamBuilder builder(equation, own, choices, sizes_);
    made_.phases.push_back(builder.build());
    for (const StreamBuffer& b : commands_.buffers)
      if (add_buffer(made_.phases.back(), b) > 0) effects_.insert("buffer " + b.tensor + " " + b.index);
    effects_.insert("write " + equation.result.tensor);
    effects_.insert(builder.effects().begin(), builder.effects().end());
    made_.extents.push_back(extents_);
    made_.splits.push_back(splits_);
    return true;
  }

  // A reduction of which nothing is not zero must run inside all other loops. Where it does not, what it reduces is
  // computed first, and stored so that it does: T(i,j) = A(i,j), in the order j, i, and then max[j](T(i,j)).
  bool lower_turned(StreamEquation equation, const std::vector<std::string>& order, StreamOrder wanted) {
    StreamTerm& reduce = equation.value;
    StreamOrder inside = wanted;
    inside.given.clear();
    for (const std::string& v : order)
      if (std::ranges::count(equation.outputs, v)) inside.given.push_back(v);
    for (const std::string& v : order)
      if (std::ranges::count(reduce.variables, v)) inside.given.push_back(v);
    StreamEquation body = equation;
    body.value = reduce.children[0];
    body.type = body.value.type;
    body.span = reduce.span;
    body.outputs = body.result.indices = inside.given;
    body.result_places.clear(); // its points come in another order than they are stored
    for (const std::string& v : inside.given) body.result_places.push_back(Affine{{{v, 1}}, 0});
    body.result.tensor = body.result.name = new_name(whole_of(equation.result.tensor));
    body.result.format = *tensor::format_named("csf", static_cast<int>(inside.given.size()));
    body.title = fmt::format("{} = part of {}", access_text(body.result.tensor, body.outputs), equation.title);
    StreamOperand operand;
    operand.at = body.result;
    operand.type = body.type;
    operand.span = reduce.span;
    equation.operands.clear();
    reduce.children[0] = operand_term(equation, operand);
    std::erase_if(equation.conditions, [&](const StreamCondition& c) {
      return std::ranges::any_of(order, [&](const std::string& v) {
        return c.left.coefficient(v) != 0 && !std::ranges::count(inside.given, v);
      });
    });
    return lower(std::move(body), wanted) && lower(std::move(equation), inside);
  }

  bool check_scatter(const StreamEquation& equation) {
    const std::vector<const StreamTerm*> spine = spine_of(equation.value);
    if (spine.empty() || spine[0] == &equation.value) return true;
    diagnostics_
        .unsupported(equation.value.span,
                     fmt::format("the points of `{}` are summed in memory, so nothing can be done to the sum",
                                 equation.result.tensor))
        .with_hint("leave `scatter` out, or give the sum a tensor of its own");
    return false;
  }

  // Tensors that are split are stored as the loops want them.
  std::optional<std::vector<std::string>> tiled_order(StreamEquation& equation, StreamOrder wanted) {
    if (std::ranges::none_of(commands_.tiles, [&](const StreamTile& t) { return extents_.count(t.index) > 0; }))
      return stream_order(equation, wanted, diagnostics_);
    std::vector<std::string> given;
    std::vector<std::string> names = wanted.given.empty() ? equation.variables() : wanted.given;
    for (const auto& [name, variable] : equation.written_as) {
      const auto place = std::ranges::find(names, variable);
      if (place != names.end() && !std::ranges::count(names, name)) names.insert(place + 1, name);
    }
    for (const std::string& v : names) {
      const auto tile = std::ranges::find(commands_.tiles, v, &StreamTile::index);
      const bool expands = tile != commands_.tiles.end() && !std::ranges::count(names, tile->parts.front());
      if (expands) given.insert(given.end(), tile->parts.begin(), tile->parts.end());
      else given.push_back(v);
    }
    wanted.given = given;
    order_levels(equation, splits_, given);
    return stream_order(equation, wanted, diagnostics_);
  }

  // T(i) = sum[j](…), and T(i) in its place.
  StreamEquation factor_out(StreamEquation& equation, StreamTerm& misplaced, const std::vector<std::string>& order) {
    StreamEquation own;
    const std::vector<int> inside = operands_in(misplaced);
    std::map<int, int> places;
    for (const int o : inside) {
      places[o] = static_cast<int>(own.operands.size());
      own.operands.push_back(equation.operands[static_cast<std::size_t>(o)]);
    }
    own.value = misplaced;
    own.written_as = equation.written_as;
    own.type = misplaced.type;
    own.span = misplaced.span;
    renumber(own.value, places);
    std::vector<std::string> bound;
    collect_bound(misplaced, bound);
    const auto used = [&](const auto& term) {
      return std::ranges::count(bound, term.first) ||
             std::ranges::any_of(own.operands, [&](const StreamOperand& o) { return o.uses(term.first); });
    };
    for (const StreamCondition& c : equation.conditions) {
      const bool binds = std::ranges::any_of(bound, [&](const std::string& v) { return c.left.coefficient(v) != 0; });
      if (binds || (c.at_end && std::ranges::any_of(c.left.terms, used))) own.conditions.push_back(c);
    }
    std::erase_if(equation.conditions, [&](const StreamCondition& c) {
      return std::ranges::any_of(bound, [&](const std::string& v) { return c.left.coefficient(v) != 0; });
    });
    for (const std::string& v : order) {
      if (std::ranges::count(bound, v)) continue;
      const bool needed =
          std::ranges::any_of(own.operands, [&](const StreamOperand& o) { return o.uses(v); }) ||
          std::ranges::any_of(own.conditions, [&](const StreamCondition& c) { return c.left.coefficient(v) != 0; });
      if (needed) own.result.indices.push_back(v);
    }
    own.outputs = own.result.indices;
    const int rank = static_cast<int>(own.result.indices.size());
    own.result.tensor = own.result.name = new_name(equation.result.tensor);
    own.result.format = rank == 0 ? tensor::dense_format(0) : *tensor::format_named("csf", rank);
    own.title = fmt::format("{} = part of {}", access_text(own.result.tensor, own.outputs), equation.title);
    replace(equation, misplaced, own);
    return own;
  }

  std::string new_name(const std::string& base) {
    std::string name;
    do name = fmt::format("{}_part{}", base, ++parts_);
    while (program_.tensor(name));
    return name;
  }

  static void renumber(StreamTerm& term, const std::map<int, int>& places) {
    if (term.kind == StreamTerm::Kind::operand) term.operand = places.at(term.operand);
    for (StreamTerm& child : term.children) renumber(child, places);
  }

  static void collect_bound(const StreamTerm& term, std::vector<std::string>& list) {
    list.insert(list.end(), term.variables.begin(), term.variables.end());
    for (const StreamTerm& child : term.children) collect_bound(child, list);
  }

  static void replace(StreamEquation& equation, StreamTerm& old, const StreamEquation& by) {
    StreamOperand operand;
    operand.at = by.result;
    operand.type = by.type;
    operand.span = old.span;
    std::vector<bool> used(equation.operands.size(), false);
    StreamTerm term;
    term.type = by.type;
    term.span = old.span;
    term.operand = static_cast<int>(equation.operands.size());
    old = term;
    equation.operands.push_back(operand);
    for (const int o : operands_in(equation.value))
      if (o < static_cast<int>(used.size())) used[static_cast<std::size_t>(o)] = true;
    std::map<int, int> places;
    std::vector<StreamOperand> kept;
    for (std::size_t o = 0; o < equation.operands.size(); ++o) {
      if (o < used.size() && !used[o]) continue;
      places[static_cast<int>(o)] = static_cast<int>(kept.size());
      kept.push_back(equation.operands[o]);
    }
    equation.operands = std::move(kept);
    renumber(equation.value, places);
  }

  const frontend::Checked& checked_;
  const Program& program_;
  const schedule::Schedule* schedule_;
  const std::map<std::string, std::int64_t>& sizes_;
  Diagnostics& diagnostics_;
  StreamCommands commands_;
  LoweredStream made_;
  std::map<std::string, Affine> extents_; // of the indices of the equation at hand
  StreamSplits splits_;
  std::set<std::string> effects_;
  int parts_ = 0;
};

} // namespace

std::optional<LoweredStream> recurrence_to_stream(const frontend::Checked& checked, const schedule::Schedule* schedule,
                                                  const std::map<std::string, std::int64_t>& sizes,
                                                  Diagnostics& diagnostics) {
  const Progress progress("making graphs of streams");
  const recurrence::Question asked{schedule && !schedule->commands.empty() ? schedule->commands.front().span : Span{},
                                   "the streams of this program",
                                   "simplify its constraints, or leave commands of the schedule out"};
  return within_isl_limit(asked, diagnostics,
                          [&] { return RecurrenceToStream(checked, schedule, sizes, diagnostics).run(); })
      .value_or(std::nullopt);
}

bool stream_needs_sizes(const frontend::Checked& checked, const schedule::Schedule* schedule) {
  const Program& program = checked.program();
  if (schedule && std::ranges::count(schedule->commands, "tile", &schedule::Command::name)) return true;
  return std::ranges::any_of(program.equations,
                             [&](const Equation& e) { return StreamRanges::need_sizes(e, program); });
}

} // namespace cyclotron::lower
