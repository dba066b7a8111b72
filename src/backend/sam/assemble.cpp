// SPDX-License-Identifier: MIT
#include "backend/sam/assemble.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

namespace cyclotron::sam {
namespace {

// Coordinates of one dimension for every entry, from the outermost level down.
struct Path {
  int mode = 0;
  std::vector<std::int64_t> coordinates;
};

class Assembly {
public:
  Assembly(const stream::Graph& graph, const Machine& machine, const std::vector<std::int64_t>& dims)
      : graph_(graph), machine_(machine), dims_(dims) {}

  // Empty where all went well.
  std::string gather() {
    for (const auto& [node, written] : machine_.written()) {
      const stream::Node& writer = graph_.nodes[static_cast<std::size_t>(node)];
      if (writer.block == stream::Block::pointwrite) return gather_points(node, written);
      if (writer.mode < 0) {
        if (values_) return "more than one block writes its values";
        values_ = &written;
        type_ = machine_.written_type(node);
      } else levels_.push_back({&writer, &written});
    }
    if (!values_) return "no block writes its values";
    if (levels_.size() != dims_.size())
      return fmt::format("it has {} dimensions, but {} levels are written", dims_.size(), levels_.size());
    // The last stop of a stream says how many levels are above it.
    std::ranges::stable_sort(levels_, {}, [](const LevelWriter& w) { return w.written->level; });
    return "";
  }

  // Where its format is just what was written, level by level, there is nothing to sort or to leave out.
  std::optional<tensor::Tensor> as_written(const tensor::Format& format) const {
    if (levels_.empty() || format.levels.size() != levels_.size()) return std::nullopt;
    std::size_t parents = 1;
    for (std::size_t l = 0; l < levels_.size(); ++l) {
      const Written& w = *levels_[l].written;
      const bool same = tensor::properties_of(format.levels[l]).listed() && format.order[l] == levels_[l].node->mode;
      if (!same || w.ends.size() != parents ||
          !has_increasing_fibers(w, dims_[static_cast<std::size_t>(format.order[l])]))
        return std::nullopt;
      parents = w.coordinates.size();
    }
    if (values_->values.size() != parents) return std::nullopt;
    tensor::Tensor made;
    made.dims = dims_;
    made.format = format;
    for (const LevelWriter& writer : levels_) {
      tensor::Level& level = made.levels.emplace_back();
      level.kind = format.levels[made.levels.size() - 1];
      level.size = dims_[static_cast<std::size_t>(writer.node->mode)];
      level.coordinates = writer.written->coordinates;
      level.positions.reserve(writer.written->ends.size() + 1);
      level.positions.push_back(0);
      level.positions.insert(level.positions.end(), writer.written->ends.begin(), writer.written->ends.end());
    }
    made.values = values_of(parents, [](std::size_t i) { return i; });
    return made;
  }

  // Paths to all entries. Empty where all went well.
  std::string follow() {
    if (levels_.size() < dims_.size()) return ""; // points
    count_ = 1;                                   // the parent of the outermost level
    for (const LevelWriter& writer : levels_)
      if (std::string problem = descend(writer); !problem.empty()) return problem;
    return check();
  }

  tensor::Entries entries() const {
    tensor::Entries made;
    made.dims = dims_;
    made.coordinates.resize(dims_.size());
    const std::vector<std::size_t> kept = present();
    for (const Path& path : paths_)
      for (const std::size_t e : kept)
        made.coordinates[static_cast<std::size_t>(path.mode)].push_back(path.coordinates[e]);
    made.values = values_of(kept.size(), [&](std::size_t i) { return kept[i]; });
    return made;
  }

private:
  struct LevelWriter {
    const stream::Node* node;
    const Written* written;
  };

  // Without empty fibers, and without `N`.
  static bool has_increasing_fibers(const Written& w, std::int64_t size) {
    std::int64_t begin = 0;
    for (const std::int64_t end : w.ends) {
      if (end <= begin) return false;
      std::int64_t last = -1;
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t c = w.coordinates[static_cast<std::size_t>(i)];
        if (c <= last) return false;
        last = c;
      }
      if (last >= size) return false;
      begin = end;
    }
    return begin == static_cast<std::int64_t>(w.coordinates.size());
  }

  template <class Place> tensor::Values values_of(std::size_t count, Place place) const {
    tensor::Values made = tensor::make_values(type_, count);
    std::visit(
        [&](auto& array) {
          using Number = typename std::remove_reference_t<decltype(array)>::value_type;
          for (std::size_t i = 0; i < count; ++i) {
            const Word word = values_->values[place(i)];
            array[i] = tensor::is_float(type_) ? static_cast<Number>(word.real) : static_cast<Number>(word.whole);
          }
        },
        made);
    return made;
  }

  // Coordinate d of a point is that of dimension d.
  std::string gather_points(int node, const Written& written) {
    if (machine_.written().size() > 1) return "other blocks write it besides one that writes points";
    values_ = &written;
    type_ = machine_.written_type(node);
    const std::size_t points = written.values.size();
    if (written.coordinates.size() != points * dims_.size())
      return fmt::format("it has {} dimensions, but its points have others", dims_.size());
    for (std::size_t d = 0; d < dims_.size(); ++d) {
      Path path = {static_cast<int>(d), std::vector<std::int64_t>(points)};
      for (std::size_t p = 0; p < points; ++p) path.coordinates[p] = written.coordinates[p * dims_.size() + d];
      for (const std::int64_t c : path.coordinates)
        if (c >= dims_[d]) return fmt::format("coordinate {} of dimension {} is out of range", c, d);
      paths_.push_back(std::move(path));
    }
    count_ = points;
    return check();
  }

  // Fiber i of a level belongs to entry i so far.
  std::string descend(const LevelWriter& writer) {
    const Written& w = *writer.written;
    const auto mode = static_cast<std::size_t>(writer.node->mode);
    if (mode >= dims_.size()) return fmt::format("it has no dimension {}", mode);
    const auto fibers = w.ends.size();
    const bool nothing = w.coordinates.empty() && (count_ == 1 || fibers == 0);
    if (fibers != count_ && !nothing)
      return fmt::format("there are {} fibers of `{}` for {} coordinates above", fibers, writer.node->index, count_);
    if (static_cast<std::int64_t>(w.coordinates.size()) != (fibers == 0 ? 0 : w.ends.back()))
      return fmt::format("the last fiber of `{}` has no end", writer.node->index);
    for (const std::int64_t c : w.coordinates)
      if (c >= dims_[mode])
        return fmt::format("coordinate {} of `{}` is out of range: its size is {}", c, writer.node->index, dims_[mode]);
    for (Path& path : paths_) {
      std::vector<std::int64_t> longer;
      longer.reserve(w.coordinates.size());
      for (std::size_t f = 0; f < fibers && f < path.coordinates.size(); ++f)
        longer.resize(static_cast<std::size_t>(w.ends[f]), path.coordinates[f]);
      path.coordinates = std::move(longer);
    }
    paths_.push_back({writer.node->mode, w.coordinates});
    count_ = w.coordinates.size();
    return "";
  }

  std::string check() const {
    std::vector<bool> seen(dims_.size());
    for (const Path& path : paths_) {
      if (seen[static_cast<std::size_t>(path.mode)]) return fmt::format("dimension {} is written twice", path.mode);
      seen[static_cast<std::size_t>(path.mode)] = true;
      if (path.coordinates.size() != count_) return "an outer level has more fibers than the level below it";
    }
    const std::size_t values = values_->values.size();
    if (dims_.empty() ? values > 1 : values != count_)
      return fmt::format("there are {} values for {} coordinates", values, dims_.empty() ? 1 : count_);
    return "";
  }

  // Entries whose path has no `N`.
  std::vector<std::size_t> present() const {
    std::vector<std::size_t> kept;
    for (std::size_t e = 0; e < values_->values.size(); ++e)
      if (std::ranges::all_of(paths_, [&](const Path& path) { return path.coordinates[e] >= 0; })) kept.push_back(e);
    return kept;
  }

  const stream::Graph& graph_;
  const Machine& machine_;
  const std::vector<std::int64_t>& dims_;
  const Written* values_ = nullptr;
  ValueType type_ = ValueType::f64;
  std::vector<LevelWriter> levels_;
  std::vector<Path> paths_;
  std::size_t count_ = 0;
};

} // namespace

std::optional<tensor::Tensor> assemble(const stream::Graph& graph, const Machine& machine,
                                       const std::vector<std::int64_t>& dims, Diagnostics& diagnostics) {
  Assembly assembly(graph, machine, dims);
  std::string problem = assembly.gather();
  if (problem.empty())
    if (auto made = assembly.as_written(graph.result.format)) return made;
  if (problem.empty()) problem = assembly.follow();
  if (!problem.empty()) {
    diagnostics.error(fmt::format("the graph's streams do not agree on `{}`: {}", graph.result.tensor, problem));
    return std::nullopt;
  }
  return tensor::pack(assembly.entries(), graph.result.format, diagnostics);
}

} // namespace cyclotron::sam
