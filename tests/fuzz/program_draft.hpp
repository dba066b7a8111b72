// SPDX-License-Identifier: MIT
// A random program while it is written: its tensors with their shapes, and what each index variable is known to range
// over, so that every read written down is inside its tensor for all sizes.
#pragma once

#include "choices.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace cyclotron::fuzz {

// An extent of `size + add` elements; of `add` elements where `size` is empty.
struct Dim {
  std::string size;
  int add = 0;
};

// An index variable with low <= v < size + high.
struct Variable {
  std::string name;
  std::string size;
  int low = 0;
  int high = 0;
  bool exact = false; // ranges over the dimensions that it indexes by itself: those must be `size` exactly
};

enum class Kind { real, whole, truth };

struct TensorSketch {
  std::string name;
  std::vector<Dim> dims;
  std::string type;
  std::string format;
  Kind kind() const { return type == "bool" ? Kind::truth : type[0] == 'i' ? Kind::whole : Kind::real; }
};

// What one equation may use: its index variables, and reads of tensors that are being defined.
struct Scope {
  std::vector<Variable> variables;
  std::vector<std::pair<std::string, Kind>> own; // reads that the dependences allow, as text
};

class ProgramDraft {
public:
  explicit ProgramDraft(Choices& choices);

  Choices& choices;
  std::vector<std::string> sizes;
  std::map<std::string, int> least; // smallest value that an `assume` allows

  Dim some_dim();
  TensorSketch some_output(const std::vector<Dim>& dims,
                           std::string type = ""); // declared; of any type where none is given
  void declare(const TensorSketch& tensor) { tensors_.push_back(tensor); }
  void finish(const TensorSketch& tensor) { readable_.push_back(tensor); } // from now on any equation may read it

  // Adds `target = value : constraints`. Reductions inside the value may add constraints of their own.
  void equation(const std::string& target, const TensorSketch& tensor, const Scope& scope,
                std::vector<std::string> constraints, int depth = 2);
  void equation(const std::string& target, std::vector<std::string> constraints,
                const std::function<std::string()>& value);

  // Expressions, at most `depth` operators deep.
  std::string value(Kind kind, const Scope& scope, int depth);
  std::string clamped(const TensorSketch& tensor, const Scope& scope, int depth);
  std::string read(Kind kind, const Scope& scope);       // of an input or a finished output
  std::string input_read(const Scope& scope, Kind kind); // of a new input that all variables of the scope index
  std::vector<std::string> index_texts(const Dim& dim, const Scope& scope) const;
  std::string fresh_variable();
  void constrain(const std::string& text) { constraints_.push_back(text); }

  std::string text() const;

private:
  std::string real(const Scope& scope, int depth);
  std::string whole(const Scope& scope, int depth);
  std::string truth(const Scope& scope, int depth);
  std::string comparison(const Scope& scope, int depth);
  std::string affine_condition(const Scope& scope);
  std::string atom(Kind kind, const Scope& scope);
  std::string choose(Kind kind, const Scope& scope, int depth);
  std::string function_of(const std::string& argument);
  std::string reduction(Kind kind, const Scope& scope, int depth);
  std::string relation_to(const Variable& own, const Scope& outer);
  std::string implied_sum(const Scope& scope, Kind kind);
  std::string some_format(std::size_t rank);
  std::string fresh_name();

  std::vector<TensorSketch> tensors_;  // as declared
  std::vector<TensorSketch> readable_; // inputs and finished outputs
  std::vector<std::string> equations_;
  std::vector<std::string> constraints_; // of the equation being written
  int variables_ = 0;                    // reduction variables of the equation being written
  int names_ = 0;
  bool backwards_ = false; // equations are written last first
};

// Text of an affine index: `i`, `i-1`, `n+1`, `3`.
std::string plus(const std::string& name, int constant);
std::string extent(const Dim& dim);

// Writes the equations of one to three outputs in one of the usual patterns of recurrences.
void write_outputs(ProgramDraft& draft);

} // namespace cyclotron::fuzz
