// SPDX-License-Identifier: MIT
// The bridge to isl: affine conditions as isl text, sets from them, and witnesses back as named numbers.
#pragma once

#include "recurrence/affine.hpp"

#include <isl/cpp.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cyclotron::recurrence {

// Owns the isl context; must outlive every isl object made in it. Its work is bounded, so that no program makes us
// hang: past the bound isl's functions throw isl::exception.
class IslContext {
public:
  IslContext();
  ~IslContext();
  IslContext(const IslContext&) = delete;
  IslContext& operator=(const IslContext&) = delete;
  isl::ctx get() const { return isl::ctx(context_); }

  // Runs f with a tighter bound; nothing where that was hit or isl found no answer.
  template <class F> auto bounded(F f) -> std::optional<decltype(f())> {
    start_bounded();
    std::optional<decltype(f())> result;
    try {
      result = f();
    } catch (const isl::exception&) {
      result.reset();
    }
    end_bounded();
    return result;
  }

private:
  void start_bounded();
  void end_bounded();
  isl_ctx* context_;
};

// One condition on indices and sizes.
struct Condition {
  enum class Kind { nonnegative, zero, nonzero };
  Affine affine;
  Kind kind = Kind::nonnegative;
};

// `a < b <= c` as conditions that must all hold.
std::vector<Condition> conditions_of(const Constraint& constraint, const Program& program);
Condition condition_of(const Affine& lhs, Relation relation, const Affine& rhs);
void add_index_inside(const std::string& index, const Affine& size, std::vector<Condition>& to); // 0 <= index < size
Condition negated(const Condition& condition);
bool holds(const Condition& condition, const std::function<std::int64_t(const std::string&)>& value_of);

// Names and formulas in isl's syntax. A user's name that is a word of isl gets an underscore.
std::string isl_name(const std::string& name);
std::string isl_text(const Affine& affine);
std::string isl_text(const Condition& condition);

// `{ [variables] : all texts hold }` with every size of the program as a parameter and, unless left out, what is
// known of the sizes: that they are not negative, and the assumptions.
isl::set make_set(const IslContext& context, const Program& program, const std::vector<std::string>& variables,
                  const std::vector<std::string>& texts, bool with_sizes = true);

// The same from conditions alone, without isl's parser: most sets are made so.
isl::set set_where(const IslContext& context, const Program& program, const std::vector<std::string>& variables,
                   const std::vector<Condition>& conditions, bool with_sizes = true);

// The text of a set or map, as isl prints it.
std::string to_string(const isl::set& set);
std::string to_string(const isl::map& map);
std::string to_string(const isl::union_map& map);

// One point of a set, as name and value, sizes first; the sizes are the smallest for which there is a point.
struct Witness {
  std::vector<std::pair<std::string, std::int64_t>> sizes;
  std::vector<std::pair<std::string, std::int64_t>> indices;
  std::int64_t value_of(const std::string& name) const;
  std::string describe() const; // "n = 3, i = 0"
};
std::optional<Witness> find_witness(const isl::set& set, const Program& program,
                                    const std::vector<std::string>& variables);

} // namespace cyclotron::recurrence
