// SPDX-License-Identifier: MIT
// What the vectors of a strip do at one moment: a rule computes a value, or a value leaves for memory.
#pragma once

#include "lanes/slots.hpp"
#include "lower/code/constants.hpp"
#include "lower/code/held_inputs.hpp"
#include "lower/code/operations.hpp"
#include "lower/code/registers.hpp"
#include "lower/code/shared_inputs.hpp"
#include "lower/code/waiting.hpp"

namespace cyclotron::lower {

class StripStatements {
public:
  StripStatements(const Surroundings& of, const KernelNames& called, FreshNames& names);

  void compute(const StripVisit& part, std::size_t rule, const Moment& now, code::Body& to);
  void leave(const StripVisit& part, std::size_t which, const Moment& now, code::Body& to);

  std::vector<code::Memory> memories() const;
  const Registers& registers() const { return registers_; }
  const Operations& operations() const { return operations_; }
  const HeldInputs& held() const { return held_; }
  const SharedInputs& shared() const { return shared_; }

private:
  // One vector of the strip at a moment.
  struct Vector {
    std::int64_t number = 0;
    Here here;
    code::Expr mask; // missing: all lanes
  };
  code::Expr elements_taking_part(const StripVisit& part, std::int64_t number, const Moment& now) const;
  code::Expr by_bounds(const std::vector<recurrence::Condition>& conditions, std::int64_t number,
                       const Moment& now) const;
  Vector vector_at(const StripVisit& part, std::int64_t number, const Moment& now, code::Body& to);
  code::Expr value_of_rule(std::size_t rule, const Vector& vector, const Moment& now);
  Operations::Value read(std::size_t rule, const recurrence::Access& access, const Vector& vector, const Moment& now);
  Operations::Value read_value(std::size_t rule, const dataflow::Reference& what, const Vector& vector,
                               const Moment& now);
  code::Expr from_registers(std::size_t value, const lanes::Read& read, const Vector& vector, const Moment& now);
  std::int64_t lanes_moved(const lanes::Read& read, const Vector& vector) const;
  code::Expr one_loaded_again(std::size_t value, const lanes::Read& read, const Vector& vector);
  code::Expr loaded_again(std::size_t value, const lanes::Read& read, const Vector& vector, const code::Expr& shifted);
  std::vector<Along> along_vector(const recurrence::Point& indices, int space, const Vector& vector) const;
  code::Expr element(const std::string& tensor, const recurrence::Point& indices, int space, const Vector& vector,
                     const code::Expr& mask) const;
  std::optional<std::size_t> slot_at(const Moment& now, const lanes::Flow* read) const;
  bool others_are_idle(const StripVisit& part);
  bool keeps_others(const StripVisit& part, std::size_t value, std::size_t slot);
  code::Scalar memory_scalar(const std::string& tensor) const;

  const Surroundings of_;
  const lanes::Program& program_;
  const dataflow::Program& flow_;
  const KernelNames& called_;
  FreshNames& names_;
  const lanes::Slots slots_;
  std::vector<std::set<std::size_t>> slots_of_rules_;
  std::vector<Coordinates> coordinates_;            // by space
  std::map<int, std::optional<isl::set>> elements_; // of a space, at any time; once they were asked for
  Registers registers_;
  Edges edges_;
  Tables tables_;
  HeldInputs held_;
  SharedInputs shared_;
  Operations operations_;
};

} // namespace cyclotron::lower
