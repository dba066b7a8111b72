// SPDX-License-Identifier: MIT
#include "recurrence/structure_walk.hpp"

namespace cyclotron::recurrence::structure {

namespace {

using tensor::LevelKind;
using tensor::Tensor;

// The variable that a coordinate is, or -1.
int lone_variable_of(const LinearForm& form) {
  const bool plain = form.constant == 0 && form.terms.size() == 1 && form.terms[0].second == 1;
  return plain ? form.terms[0].first : -1;
}

// Finds the order of a rule's variables, or that there is none.
class Ordering {
public:
  Ordering(const SparseTensor& head, const Rule& rule, const std::vector<const Tensor*>& operands)
      : head_(head), rule_(rule), operands_(operands) {}

  std::optional<Order> run() {
    if (!rule_.conditions.empty() || rule_.body.empty() || !read_head() || !read_atoms()) return std::nullopt;
    for (std::size_t l = 0; l + 1 < row_.size(); ++l)
      if (!place(row_[l])) return std::nullopt;
    while (!place(row_.back()))
      if (!place_any([&](int v) { return is_needed_for(v, row_.back()); })) return std::nullopt;
    order_.last = order_.steps.size() - 1;
    while (place_any([](int) { return true; })) continue;
    if (order_.steps.size() != places_.size()) return std::nullopt;
    for (std::size_t s = 0; s < order_.steps.size(); ++s)
      if (!is_cheap(s)) return std::nullopt;
    return std::move(order_);
  }

private:
  bool read_head() {
    for (int d : head_.decl->format.order) {
      const int v = lone_variable_of(rule_.head.at[as_size(d)]);
      if (v < 0 || std::find(row_.begin(), row_.end(), v) != row_.end()) return false;
      row_.push_back(v);
    }
    return true;
  }

  bool read_atoms() {
    for (std::size_t a = 0; a < rule_.body.size(); ++a) {
      const std::vector<int>& dimensions = operands_[a]->format.order;
      int above = -1;
      for (std::size_t l = 0; l < dimensions.size(); ++l) {
        const int v = lone_variable_of(rule_.body[a].at[as_size(dimensions[l])]);
        if (v < 0) return false;
        std::vector<Place>& places = places_[v];
        if (!places.empty() && places.back().atom == a) return false; // a diagonal
        places.push_back({a, l});
        if (above >= 0) after_[v].push_back(above);
        above = v;
      }
    }
    return std::all_of(row_.begin(), row_.end(), [&](int v) { return places_.count(v) != 0; });
  }

  bool is_placed(int v) const {
    return std::any_of(order_.steps.begin(), order_.steps.end(), [&](const Step& s) { return s.variable == v; });
  }

  // As the next, where all operands that have it are entered down to it.
  bool place(int v) {
    const std::vector<int>& above = after_[v];
    if (!std::all_of(above.begin(), above.end(), [&](int u) { return is_placed(u); })) return false;
    order_.steps.push_back({v, places_[v]});
    return true;
  }

  template <class F> bool place_any(F&& wanted) {
    for (const auto& [v, places] : places_)
      if (!is_placed(v) && wanted(v) && place(v)) return true;
    return false;
  }

  bool is_needed_for(int v, int later) {
    std::vector<int> list{later};
    for (std::size_t i = 0; i < list.size(); ++i)
      for (int u : after_[list[i]]) {
        if (u == v) return true;
        if (std::find(list.begin(), list.end(), u) == list.end()) list.push_back(u);
      }
    return false;
  }

  // Whether the values of a step's variable are few: those that are stored under what is known already. To go through
  // all rows of an operand for each row of another is worth it only where every pair of them is in the result.
  bool is_cheap(std::size_t s) const {
    if (s == 0) return true;
    const bool summed = order_.steps.size() > row_.size();
    for (const Place& p : order_.steps[s].places) {
      const bool dense = is_full(operands_[p.atom]->format.levels[p.level]);
      if (!dense && (p.level > 0 || !summed)) return true;
      if (s < row_.size() - 1 && dense && p.level == s) return true; // its positions are as many
    }
    const std::vector<LevelKind>& levels = head_.decl->format.levels;
    return s < row_.size() - 1 && is_full(levels[s]);
  }

  const SparseTensor& head_;
  const Rule& rule_;
  const std::vector<const Tensor*>& operands_;
  std::vector<int> row_; // the variables of the head, in storage order
  std::map<int, std::vector<Place>> places_;
  std::map<int, std::vector<int>> after_; // each variable only after these
  Order order_;
};

} // namespace

bool is_nested(const tensor::Format& format) {
  const auto first = std::find_if_not(format.levels.begin(), format.levels.end(), tensor::is_full);
  return first != format.levels.end() &&
         std::all_of(first, format.levels.end(), [](LevelKind k) { return properties_of(k).listed(); });
}

bool is_list(const tensor::Format& format) {
  return format.levels.size() > 1 && properties_of(format.levels[0]).listed() &&
         std::all_of(format.levels.begin() + 1, format.levels.end(),
                     [](LevelKind k) { return properties_of(k).branchless; });
}

std::optional<Order> order_of(const SparseTensor& head, const Rule& rule, const std::vector<const Tensor*>& operands) {
  return Ordering(head, rule, operands).run();
}

} // namespace cyclotron::recurrence::structure
