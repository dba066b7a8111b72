// SPDX-License-Identifier: MIT
// Values that wait in memory, in scratch of the worker that computes them.
//
//   an edge    what the last elements of a strip have computed, under its time, for the strip that comes next
//   a table    what all elements have computed, under its coordinates, for those that need it much later
#pragma once

#include "lanes/reads.hpp"
#include "lower/code/along.hpp"
#include "lower/code/code_for.hpp"
#include "lower/code/names.hpp"
#include "lower/code/operations.hpp"
#include "lower/code/ranges.hpp"
#include "lower/code/visits.hpp"

#include <map>
#include <string>
#include <vector>

namespace cyclotron::lower {

// The numbers of time and strip at which a vector is, by their names.
using Moment = std::map<std::string, code::Expr>;

// What is known of a program before its statements are written.
struct Surroundings {
  const lanes::Program& program;
  const lanes::Reads& reads;
  const Visits& visits;
  const std::vector<Happening>& rules; // as those of the program
  isl::set known;                      // of the sizes
  Meanings sizes;
  Arithmetic arithmetic;
  CodeFor code_for;

  code::Scalar scalar_of(std::size_t value) const { return arithmetic.scalar_of(program.flow.values[value].type); }
};

class Edges {
public:
  Edges(const Surroundings& of, FreshNames& names);
  const std::vector<code::Memory>& memories() const { return memories_; }

  // Keeps what the strip has just computed, for the next one.
  void store(std::size_t value, const std::vector<std::string>& registers, const Moment& now, code::Body& to) const;

  // The vector of the strip before from which a read gets its first lanes, or its last.
  code::Expr load(const lanes::Read& read, std::size_t value, std::int64_t vector, const Moment& now) const;

private:
  struct Edge {
    std::string memory;
    std::int64_t reach = 0;                // lanes
    std::int64_t kept = 0;                 // of a vector: those lanes, or all
    std::vector<std::int64_t> vectors;     // of the strip that are kept
    std::vector<code::Expr> first, extent; // of times, by component; missing where it is a number or a worker
  };
  void add(std::size_t value, const Surroundings& of, FreshNames& names);
  code::Expr slot(const Edge& edge, const Moment& now, const std::vector<std::int64_t>& earlier, bool strip_before,
                  std::int64_t vector) const;
  bool rising() const { return program_.strips == lanes::Strips::rising; }

  const lanes::Program& program_;
  std::map<std::size_t, Edge> edges_;
  std::vector<code::Memory> memories_;
};

class Tables {
public:
  Tables(const Surroundings& of, FreshNames& names);
  const std::vector<code::Memory>& memories() const { return memories_; }
  bool has(std::size_t value) const { return tables_.count(value) > 0; }

  code::Statement store(std::size_t value, const Coordinates& at, const Here& here, const code::Expr& what,
                        const code::Expr& mask) const;
  // `point`: of the value, in the coordinates of the reader.
  code::Expr load(std::size_t value, const recurrence::Point& point, const Coordinates& reader, const Here& here,
                  const code::Expr& mask) const;

private:
  struct Table {
    std::string memory;
    std::vector<std::size_t> coordinates;  // that it is stored under
    std::vector<std::string> names;        // of all coordinates
    std::vector<code::Expr> first, extent; // as coordinates
  };
  void add(std::size_t value, const Surroundings& of, FreshNames& names);
  Place place(const Table& table, const recurrence::Point& point, const Coordinates& at, const Here& here) const;

  std::map<std::size_t, Table> tables_;
  std::vector<code::Memory> memories_;
};

} // namespace cyclotron::lower
