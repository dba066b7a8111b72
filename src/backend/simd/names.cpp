// SPDX-License-Identifier: MIT
#include "backend/simd/names.hpp"

#include <cctype>

namespace cyclotron::backend::simd {

namespace {

// `f32x16`, `i64_min`: types and functions in front of the kernels begin like this.
bool is_like_ours(const std::string& name) {
  return name.size() > 1 && (name[0] == 'f' || name[0] == 'i') && std::isdigit(static_cast<unsigned char>(name[1]));
}

std::string apart(const std::string& name) { return is_like_ours(name) ? "v_" + name : name; }

} // namespace

const std::string& CNames::declare(const std::string& name, const std::string& wanted) {
  declared_.push_back(name);
  return names_[name] = table_.fresh(apart(wanted));
}

std::string CNames::function(const std::string& kernel) { return table_.function(apart(kernel)); }

void CNames::close() {
  for (; declared_.size() > marks_.back(); declared_.pop_back()) {
    table_.release(names_.at(declared_.back()));
    names_.erase(declared_.back());
  }
  marks_.pop_back();
}

} // namespace cyclotron::backend::simd
