// SPDX-License-Identifier: MIT
// What everything is called in C, and the arguments of the kernel.
#include "backend/c/emitter.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::backend::c {

using namespace recurrence;

void Emitter::name_everything() {
  function_ = names_.function(identifier(options_.name));
  for (const Binder& s : program_.sizes) {
    c_names_[s.name] = names_.fresh(s.name);
    arguments_.push_back({Argument::Kind::size, s.name, 0, -1, c_names_[s.name], false});
  }
  for (const LetDecl& l : program_.lets) c_names_[l.name.name] = names_.fresh(l.name.name);
  for (const Placed& p : plan_.statements)
    for (const Loop* l : p.loops)
      if (!c_names_.count(l->variable)) c_names_[l->variable] = names_.fresh(l->variable);
  std::vector<const TensorDecl*> ordered = program_.inputs();
  for (const TensorDecl* t : program_.outputs()) ordered.push_back(t);
  for (const TensorDecl* decl : ordered) {
    const std::string& own = decl->name.name;
    TensorNames& t = tensors_[own];
    t.decl = decl;
    if (options_.all_steps.count(own)) { // all steps of a tensor are dense, whatever its format
      mask_decls_.push_back(std::make_unique<TensorDecl>(*decl));
      mask_decls_.back()->format = tensor::dense_format(static_cast<int>(decl->dims.size()));
      t.decl = mask_decls_.back().get();
    }
    if (const auto fold = plan_.folds.find(own); fold != plan_.folds.end()) {
      t.fold = &fold->second;
      mask_decls_.push_back(std::make_unique<TensorDecl>(*decl));
      mask_decls_.back()->dims.clear();
      for (std::size_t d : t.fold->kept) mask_decls_.back()->dims.push_back(decl->dims[d]);
      mask_decls_.back()->format = tensor::dense_format(static_cast<int>(t.fold->kept.size()));
      t.decl = mask_decls_.back().get();
    }
    t.output = program_.is_output(own);
    t.name = names_.fresh(own);
    t.values = names_.fresh(t.name + "_vals");
    t.count = names_.fresh(t.name + "_count");
    t.stepped = t.output && program_.is_stepped(own);
    if (t.stepped) {
      t.first = names_.fresh(t.name + "_first");
      t.last = names_.fresh(t.name + "_last");
      t.steps = names_.fresh(t.name + "_steps");
      arguments_.push_back({Argument::Kind::first_step, own, 0, -1, t.first, false});
      arguments_.push_back({Argument::Kind::last_step, own, 0, -1, t.last, false});
    }
    name_levels(t, -1);
    if (t.fold && t.fold->drift != 0)
      t.sizes.back() = fmt::format("({} + {})", text(accepted_affine(t.decl->dims.back(), program_)),
                                   drift_text(*t.fold, t.fold->last));
    for (std::size_t m = 0; m < options_.masks.size(); ++m) {
      if (options_.masks[m].tensor != own || t.decl != decl) continue;
      mask_decls_.push_back(std::make_unique<TensorDecl>(*decl));
      mask_decls_.back()->format = options_.masks[m].format;
      TensorNames mask = t;
      mask.decl = mask_decls_.back().get();
      mask.name = names_.fresh(t.name + "_mask");
      mask.sizes.clear();
      name_levels(mask, static_cast<int>(m));
      mask.entries = names_.fresh(mask.name + "_entry");
      arguments_.push_back({Argument::Kind::entries, own, 0, static_cast<int>(m), mask.entries, false});
      masks_[own].push_back(std::move(mask));
    }
    if (!options_.internal.count(own)) arguments_.push_back({Argument::Kind::values, own, 0, -1, t.values, t.output});
  }
  for (const loops::Temporary& t : nest_.temporaries) {
    const Access& target = program_.equations[static_cast<std::size_t>(t.equation)].access();
    const std::string stem = identifier(t.name + (target.indices.empty() ? "" : "_"));
    std::string letters;
    for (const Expr& e : target.indices) letters += identifier(print_index(e));
    temporaries_[{t.name, t.equation}] = names_.fresh(stem + letters);
  }
}

// The arrays of a tensor's levels, or of a mask's.
void Emitter::name_levels(TensorNames& t, int mask) {
  const TensorDecl& decl = *t.decl;
  const std::string& own = decl.name.name;
  const std::size_t rank = decl.format.levels.size();
  t.positions.assign(rank, "");
  t.coordinates.assign(rank, "");
  t.bits.assign(rank, "");
  for (std::size_t l = 0; l < rank; ++l) {
    t.sizes.push_back(text(accepted_affine(decl.dims[static_cast<std::size_t>(decl.format.order[l])], program_)));
    if (t.sizes.back().find(' ') != std::string::npos) t.sizes.back() = "(" + t.sizes.back() + ")";
    const tensor::LevelProperties& has = properties_of(decl.format.levels[l]);
    const std::string stem = fmt::format("{}{}", t.name, l + 1);
    const int level = static_cast<int>(l);
    if (has.positions) {
      t.positions[l] = names_.fresh(stem + "_pos");
      arguments_.push_back({Argument::Kind::positions, own, level, mask, t.positions[l], false});
    }
    if (has.coordinates) {
      t.coordinates[l] = names_.fresh(stem + "_crd");
      arguments_.push_back({Argument::Kind::coordinates, own, level, mask, t.coordinates[l], false});
    }
    if (has.bits) {
      t.bits[l] = names_.fresh(stem + "_bits");
      arguments_.push_back({Argument::Kind::bits, own, level, mask, t.bits[l], false});
    }
  }
}

} // namespace cyclotron::backend::c
