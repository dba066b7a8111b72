// SPDX-License-Identifier: MIT
// Elimination by Fourier and Motzkin. Each step keeps all integer solutions, and makes none where the eliminated name
// has a coefficient of 1 in one of each two rows that are combined; a system that becomes empty was empty in any case.
#include "recurrence/integer_points.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace cyclotron::recurrence {

namespace {

constexpr std::size_t most_rows = 200;
constexpr int most_splits = 4; // of `!=` into `<` and `>`
// Sums of two products of coefficients cannot overflow.
constexpr std::int64_t most_coefficient = std::int64_t{1} << 30, most_sum = std::int64_t{1} << 61;

// The coefficients of all names, then the constant; it is at least 0, or exactly 0.
using Row = std::vector<std::int64_t>;

class System {
public:
  enum class State { open, empty, unknown };

  explicit System(std::size_t names) : names_(names) {}

  void add(Row row, bool equation) {
    if (state_ != State::open || !within(row, most_sum)) return;
    std::int64_t divisor = 0;
    for (std::size_t i = 0; i < names_; ++i) divisor = std::gcd(divisor, row[i]);
    if (divisor == 0) {
      if (equation ? row[names_] != 0 : row[names_] < 0) state_ = State::empty;
      return;
    }
    if (equation && row[names_] % divisor != 0) {
      state_ = State::empty;
      return;
    }
    for (std::size_t i = 0; i < names_; ++i) row[i] /= divisor;
    std::int64_t& constant = row[names_];
    constant = constant / divisor - (constant % divisor < 0 ? 1 : 0); // rounded down: no integer lies between
    if (!within(row, most_coefficient)) return;
    if (equation) {
      equations_.push_back(std::move(row));
      return;
    }
    // Of two rows that differ only in the constant, the one with the smaller says more.
    for (Row& other : rows_)
      if (std::equal(row.begin(), row.end() - 1, other.begin())) {
        other[names_] = std::min(other[names_], constant);
        return;
      }
    rows_.push_back(std::move(row));
    if (rows_.size() > most_rows) state_ = State::unknown;
  }

  std::optional<bool> has_point() {
    substitute();
    while (state_ == State::open && !rows_.empty()) eliminate();
    if (state_ == State::empty) return false;
    if (state_ == State::unknown || !exact_) return std::nullopt;
    return true;
  }

private:
  bool within(const Row& row, std::int64_t limit) {
    const bool inside = std::all_of(row.begin(), row.end(), [&](std::int64_t c) { return c <= limit && c >= -limit; });
    if (!inside) state_ = State::unknown;
    return inside;
  }

  // With each equation that gives a name by the others, the name goes.
  void substitute() {
    while (state_ == State::open && !equations_.empty()) {
      const Row own = std::move(equations_.back());
      equations_.pop_back();
      std::size_t name = 0;
      while (name < names_ && own[name] != 1 && own[name] != -1) ++name;
      if (name == names_) {
        state_ = State::unknown;
        return;
      }
      std::vector<Row> rows = std::move(rows_), equations = std::move(equations_);
      rows_.clear();
      equations_.clear();
      const auto without_name = [&](const Row& row) {
        Row result = row;
        const std::int64_t factor = row[name] * own[name]; // own[name] is its own inverse
        for (std::size_t i = 0; i <= names_; ++i) result[i] -= factor * own[i];
        return result;
      };
      for (const Row& row : rows) add(without_name(row), false);
      for (const Row& row : equations) add(without_name(row), true);
    }
  }

  // Takes the name that makes the fewest new rows.
  void eliminate() {
    std::size_t best = 0, best_count = most_rows * most_rows;
    for (std::size_t name = 0; name < names_; ++name) {
      std::size_t below = 0, above = 0;
      for (const Row& row : rows_) (row[name] > 0 ? below : above) += row[name] != 0 ? 1 : 0;
      if (below + above == 0 || below * above >= best_count) continue;
      best = name;
      best_count = below * above;
    }
    std::vector<Row> below, above, rows = std::move(rows_);
    rows_.clear();
    for (Row& row : rows) {
      if (row[best] == 0) rows_.push_back(std::move(row));
      else (row[best] > 0 ? below : above).push_back(std::move(row));
    }
    for (const Row& low : below)
      for (const Row& high : above) {
        const std::int64_t a = low[best], b = -high[best];
        exact_ &= a == 1 || b == 1;
        Row sum(names_ + 1);
        for (std::size_t i = 0; i <= names_; ++i) sum[i] = b * low[i] + a * high[i];
        add(std::move(sum), false);
      }
  }

  std::size_t names_;
  std::vector<Row> rows_, equations_;
  State state_ = State::open;
  bool exact_ = true;
};

std::optional<bool> has_point(const std::vector<Condition>& conditions, int splits) {
  std::map<std::string, std::size_t> names;
  for (const Condition& c : conditions)
    for (const auto& [name, k] : c.affine.terms) names.try_emplace(name, names.size());
  System system(names.size());
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    const Condition& c = conditions[i];
    if (c.kind == Condition::Kind::nonzero) {
      if (splits == most_splits) return std::nullopt;
      const Affine one{{}, 1};
      std::optional<bool> either = false;
      for (const Affine& side : {c.affine - one, -1 * c.affine - one}) {
        std::vector<Condition> half = conditions;
        half[i] = {side, Condition::Kind::nonnegative};
        const std::optional<bool> found = has_point(half, splits + 1);
        if (found && *found) return true;
        if (!found) either = std::nullopt;
      }
      return either;
    }
    Row row(names.size() + 1, 0);
    for (const auto& [name, k] : c.affine.terms) row[names.at(name)] = k;
    row[names.size()] = c.affine.constant;
    system.add(std::move(row), c.kind == Condition::Kind::zero);
  }
  return system.has_point();
}

} // namespace

std::optional<bool> has_integer_point(const std::vector<Condition>& conditions) { return has_point(conditions, 0); }

} // namespace cyclotron::recurrence
