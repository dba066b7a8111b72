// SPDX-License-Identifier: MIT
// Lines of the text form as they stand, before names have a meaning: spaces may be used above their own line.
#pragma once

#include "dataflow/ir.hpp"
#include "dataflow/text_tokens.hpp"
#include "frontend/parser.hpp"

#include <optional>
#include <string>
#include <vector>

namespace cyclotron::dataflow {

// `a <= b mod 2 < c`: a modulus of 0 is none.
struct TextChain {
  std::vector<std::pair<Expr, std::int64_t>> operands;
  std::vector<recurrence::Relation> relations;
};
using TextDomain = std::vector<std::vector<TextChain>>; // one of the lists holds; empty: everywhere

struct TextValue {
  recurrence::Binder name;
  ValueType type = ValueType::f64;
  std::vector<Expr> tile;
};

struct TextSpace {
  recurrence::Binder name;
  std::vector<recurrence::Binder> coordinates;
  TextDomain domain;
  std::optional<std::vector<Expr>> place, time;
  Span place_span, time_span;
  std::optional<Expr> step; // of the timing
  bool no_step = false;     // `step none`
  Span step_span;
  std::vector<TextValue> values;
};

// `target <- supply expr : domain`; in the block of a space, or of constants (-1).
struct TextLine {
  int space = -1;
  Expr target; // an Access
  Supply supply = Supply::none;
  Expr expr;
  TextDomain domain;
  Span span;
};

struct TextProgram {
  std::vector<recurrence::Binder> axes;
  std::int64_t passes = 0;
  Span passes_span;
  std::optional<Expr> timing;
  Span timing_span;
  std::vector<TextSpace> spaces;
  std::vector<TextLine> lines;
};

// Reports every line that does not parse and goes on with the next.
class TextParser : frontend::Parser {
public:
  TextParser(std::vector<frontend::Token> tokens, Diagnostics& diagnostics) : Parser(std::move(tokens), diagnostics) {}
  TextProgram run();

private:
  void line();
  bool at_word(std::string_view word) const;
  bool has_arrow() const;
  TextSpace& in_space();
  void axes();
  void passes();
  void timing();
  void step_line();
  void space();
  void value();
  void arrow_line();
  TextDomain domain();
  TextChain chain();
  std::pair<Expr, std::int64_t> operand();

  TextProgram program_;
  bool in_constants_ = false;
};

} // namespace cyclotron::dataflow
