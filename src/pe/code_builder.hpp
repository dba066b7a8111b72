// SPDX-License-Identifier: MIT
// Builds the code of one role: statements in code.cpp, expressions in code_expression.cpp.
#pragma once

#include "pe/code.hpp"
#include "recurrence/types.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cyclotron::pe {

class CodeBuilder {
public:
  CodeBuilder(const Program& program, std::vector<std::string>& spaces);
  Code run(const std::vector<Statement>& body);

private:
  // A value that has been computed: a word or a tile.
  struct Value {
    int at = 0;
    recurrence::ExprType type; // its shape is not used: `is_tile` says whether there is one
    bool is_tile = false;
    bool is_temporary = false;
    std::optional<Word> constant;
    std::vector<std::int64_t> largest; // extents of a tile, at most, where they are known
  };

  // Where a register begins, and what it is.
  struct Home {
    const Register* reg = nullptr;
    int number = 0; // into Program::registers
    int base = 0;
  };

  // --- code.cpp ---
  void statements(const std::vector<Statement>& list);
  void loop(const Loop& loop);
  void guard(const If& guard);
  void jump_unless(const Test& test, std::vector<int>& jumps);
  void pass(const Pass& pass);
  void step(const Step& step);
  void arrive(const Step& step);
  void forward(const Step& step);
  void compute_and_store(const Step& step);
  void send_computed(const Step& step);
  void compute(const Compute& compute, const Step& step);
  void load(const Load& load);
  void store(const Store& store);
  void send(const Send& send, int from);
  int kept_aside(const Slot& slot);

  Linear index_form(const Index& index);
  Linear index_form(const Operation& operation);
  Linear linear(const Affine& affine) const;
  std::vector<Linear> linear(const std::vector<Affine>& list) const;
  int form(Linear linear);
  int space(const std::string& name);
  int port(std::vector<Port>& ports, int channel);
  const Home& home(const std::string& name);
  bool is_tile(const std::string& name) { return !home(name).reg->tile.empty(); }
  // The word or tile of a slot, where it is always the same one.
  std::optional<int> fixed(const Home& home, const std::vector<Linear>& at) const;
  int place(const Home& home, std::vector<Linear> at);
  int read(const Slot& slot);
  int read(const Home& home, const std::vector<Linear>& at);
  void write(const Slot& slot, int from, bool movable);

  int emit(Opcode op, int a = 0, int b = 0, int c = 0);
  int here(); // where the next instruction comes to stand: jumps lead there
  void lead_here(int jump) { code_.instructions[static_cast<std::size_t>(jump)].c = here(); }
  int temporary(bool tile);
  int constant(Word value);
  bool moved_result(int from, int to, bool tile); // makes the last instruction write to another place
  int last_kernel(const Value& value) const;      // its number, where the last instruction computes just this value

  // --- code_expression.cpp ---
  Value value(const Expr& expr);
  Value number(const recurrence::Number& number);
  Value name(const recurrence::Name& name);
  Value access(const recurrence::Access& access);
  Value unary(const recurrence::Unary& unary);
  Value binary(const recurrence::Binary& binary);
  Value logical(const recurrence::Binary& binary);
  Value comparison(recurrence::BinaryOp op, const Value& lhs, const Value& rhs);
  Value tile_binary(recurrence::BinaryOp op, const Value& lhs, const Value& rhs);
  Value call(const recurrence::Call& call);
  Value least_or_most(const recurrence::Call& call, ValueType type, const std::vector<Value>& arguments);
  Value select(const recurrence::Select& select);
  Value kernel(const recurrence::KernelCall& call);
  Value made(Opcode op, const recurrence::ExprType& type, int b, int c = 0); // an operation on words, rounded
  Value converted(const Value& value, ValueType type);
  int converted(int word, ValueType from, ValueType to);
  Value known(Word word, const recurrence::ExprType& type);
  recurrence::ExprType type_of(const Expr& expr); // without code for it

  const Program& program_;
  std::vector<std::string>& spaces_;
  Code code_;
  std::map<std::string, int> variables_;      // axes and loop variables: their places in the frame
  std::map<std::string, Linear> coordinates_; // of the step that is being compiled
  std::map<std::string, Home> homes_;
  std::vector<int> free_words_, free_tiles_, used_words_, used_tiles_; // temporaries
  std::map<std::int64_t, int> constants_;
  std::map<const Send*, int> aside_; // values of sends that are overwritten before they leave
  int last_target_ = -1;             // the last place that a jump may lead to
  Span span_;                        // of what is being compiled
};

} // namespace cyclotron::pe
