// SPDX-License-Identifier: MIT
// What the printers of expressions and statements share: names, types, and lines.
#pragma once

#include "code/scope.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace cyclotron::backend::cuda {

// Names of the text for names of the kernel: the same but where C++, CUDA or our own functions have them.
class Names {
public:
  explicit Names(const code::Kernel& kernel);
  const std::string& operator()(const std::string& name) const { return names_.at(name); }

private:
  void add(const std::string& name);
  std::map<std::string, std::string> names_;
};

// Lines with two spaces per level.
class Lines {
public:
  void add(const std::string& line) { text_ += std::string(2 * depth_, ' ') + line + "\n"; }
  void open(const std::string& line) {
    add(line + " {");
    ++depth_;
  }
  void close() {
    --depth_;
    add("}");
  }
  void raw(const std::string& text) { text_ += text; }
  const std::string& text() const { return text_; }
  bool ends_with(const std::string& line) const { return text_.ends_with(" " + line + "\n"); }

private:
  std::string text_;
  std::size_t depth_ = 1;
};

// What of the head of a kernel its body mentions.
struct Uses {
  bool lane = false, mask = false;
  bool group = false, groups = false, group_in_block = false;
};

// Which variables are assigned after they were declared, and which whole numbers cannot grow beyond i64 because they
// are sums and products of sizes, of loops' variables and of numbers. (The memories that they count fit an address
// space, so there plain `+` does as well as a function that wraps around.)
struct Facts {
  explicit Facts(const code::Kernel& kernel);
  void note_stores(const code::Body& body, bool in_loop);
  std::set<std::string> assigned;
  std::set<std::string> bounded;
  std::set<std::string> loaded, stored; // memories
  std::set<std::string> stored_again;   // memories that one worker may store to more than once
};

// `print` gives the text of an expression. Exchanges between lanes inside of it become statements first.
class ExpressionPrinter {
public:
  ExpressionPrinter(const code::Kernel& kernel, const Names& names, const Facts& facts, const code::Scope& scope,
                    Lines& lines, Uses& uses)
      : kernel_(kernel), names_(names), facts_(facts), scope_(scope), lines_(lines), uses_(uses) {}

  std::string print(const code::Expr& expr); // of its own type
  std::string loose(const code::Expr& expr); // where an `int` does as well: a whole number is written without its type
  std::string operand(const code::Expr& expr);                          // in brackets where it is more than a name
  std::string place(const code::Expr& index, const code::Expr& stride); // of this lane

private:
  struct Text {
    std::string text;
    int level;
  };
  Text text(const code::Expr& expr);
  std::string at(const code::Expr& expr, int level, bool loosely = false);
  Text number(const code::Number& n);
  Text load(const code::Load& l);
  Text unary(const code::Unary& u);
  Text binary(const code::Binary& b);
  Text whole_binary(const code::Binary& b, code::Scalar scalar);
  Text function(const std::string& name, const code::Binary& b);
  Text convert(const code::Convert& c);
  Text exchange(const code::Expr& expr, const std::string& call);
  Text shift(const code::Expr& expr, const code::Shift& s);
  std::string lane();
  bool is_bounded(const code::Expr& expr) const;
  code::Type type(const code::Expr& expr) const { return code::type_of(expr, scope_); }

  const code::Kernel& kernel_;
  const Names& names_;
  const Facts& facts_;
  const code::Scope& scope_;
  Lines& lines_;
  Uses& uses_;
  int exchanges_ = 0; // so far, each of which has a name
};

std::string zero_of(code::Scalar scalar);

// Whether a whole number is computed from sizes, loops' variables and numbers by `+`, `-` and `*` only.
bool is_bounded(const code::Expr& expr, const std::set<std::string>& bounded);

} // namespace cyclotron::backend::cuda
