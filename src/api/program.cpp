// SPDX-License-Identifier: MIT
#include "cyclotron/program.hpp"

#include "api/compile.hpp"
#include "api/load.hpp"
#include "api/node.hpp"
#include "api/raise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

namespace cyclotron {

namespace {

using detail::Declaration;
using detail::Kind;
using detail::Use;
using detail::Uses;

const char* word_for(Kind kind) {
  switch (kind) {
  case Kind::index: return "an index";
  case Kind::size: return "a size";
  case Kind::constant: return "a constant";
  case Kind::tensor: return "a tensor";
  }
  bug("unknown kind of name");
}

// Every name that a program mentions, each with one meaning.
class Names {
public:
  void add(const Uses& uses) {
    for (const Use& use : uses) {
      const auto [at, is_new] = known_.emplace(use.name, use);
      if (is_new) {
        if (use.declaration) {
          declared_.push_back(use.declaration.get());
          add(use.declaration->uses);
        }
        continue;
      }
      if (at->second.kind != use.kind)
        api::raise(fmt::format("`{}` is both {} and {}", use.name, word_for(at->second.kind), word_for(use.kind)),
                   "give one of them another name");
      if (at->second.declaration != use.declaration)
        api::raise(fmt::format("two {}s are called `{}`", use.kind == Kind::tensor ? "tensor" : "constant", use.name),
                   "make it once and copy it: copies are the same");
    }
  }

  // In the order in which they were made: a constant stands before those that are made of it.
  std::vector<const Declaration*> declarations(Kind kind) const {
    std::vector<const Declaration*> list;
    for (const Declaration* d : declared_)
      if (known_.at(d->name).kind == kind) list.push_back(d);
    std::sort(list.begin(), list.end(), [](const auto* a, const auto* b) { return a->number < b->number; });
    return list;
  }

  // Sizes that the parser would not take for one: those that no declaration, assumption or constraint mentions.
  std::vector<std::string> hidden_sizes(const Uses& shown) const {
    std::set<std::string> seen;
    for (const Use& use : shown) seen.insert(use.name);
    for (const Declaration* d : declared_)
      for (const Use& use : d->uses) seen.insert(use.name);
    std::vector<std::string> list;
    for (const auto& [name, use] : known_)
      if (use.kind == Kind::size && !seen.count(name)) list.push_back(name);
    return list;
  }

private:
  std::map<std::string, Use> known_;
  std::vector<const Declaration*> declared_;
};

} // namespace

Program &Program::operator,(const Where&where) {
  if (equations_.empty()) api::raise("`where` stands behind an equation", "write `program += x(i) = …, where(…)`");
  for (const Expression& c : where.conditions) equations_.back() = equations_.back().where(c);
  return *this;
}

std::string Program::text() const {
  Names names;
  Uses shown;
  std::string assumptions, equations;
  for (const Expression& a : assumptions_) {
    names.add(a.node().uses);
    detail::merge(shown, a.node().uses);
    if (a.node().constraints.empty())
      api::raise(fmt::format("`{}` cannot be assumed", a.text()), "assumptions are comparisons, joined by `&&`");
    for (const std::string& one : a.node().constraints) assumptions += fmt::format("assume {}\n", one);
  }
  for (const Equation& e : equations_) {
    names.add(e.target().node().uses);
    names.add(e.value().node().uses);
    for (const Expression& c : e.conditions()) {
      names.add(c.node().uses);
      detail::merge(shown, c.node().uses);
    }
    equations += e.text() + "\n";
  }
  for (const std::string& size : names.hidden_sizes(shown)) assumptions += fmt::format("assume 0 <= {}\n", size);
  std::string text = start_;
  if (!text.empty() && text.back() != '\n' && !equations.empty()) text += "\n";
  for (const Kind kind : {Kind::constant, Kind::tensor})
    for (const Declaration* d : names.declarations(kind)) text += d->text + "\n";
  return text + assumptions + equations;
}

Program Program::from_text(const std::string& text, const std::string& name) {
  Program program(name);
  program.start_ = text;
  program.check();
  return program;
}

Program Program::from_file(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) api::raise(fmt::format("cannot read `{}`: it is a folder", path));
  std::ifstream in(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (!in) api::raise(fmt::format("cannot read `{}`: {}", path, std::strerror(errno)));
  return from_text(text, path);
}

void Program::check() const { api::load(text(), name_); }

std::string Program::warnings() const { return api::load(text(), name_)->warnings; }

// Each kernel checks the program anew: isl's objects must not be shared between threads.
Kernel Program::compile(const Options& options) const { return api::compile(api::load(text(), name_), options, name_); }

} // namespace cyclotron
