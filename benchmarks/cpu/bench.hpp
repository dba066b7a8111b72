// SPDX-License-Identifier: MIT
// What every suite works with: the options of this run, and the rows that it has made so far.
#pragma once

#include "measure.hpp"

#include <optional>
#include <regex>
#include <stdexcept>
#include <string>
#include <vector>

namespace cyclotron::bench {

struct Options {
  bool quick = false;
  std::optional<std::regex> only;
  double seconds = 4;   // a row, at most, beyond the least number of rounds
  std::string programs; // the folder of the .cyc files
  std::string data;     // the folder of the matrices
  std::string examples; // those whose compilation is timed
  std::string edited;   // a folder with C files to measure instead of ours: PROGRAM.SCHEDULE.c
};

// A program is refused, or a library lacks something: the row says so, and the run goes on.
struct Unavailable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Row {
  std::string group;       // rows of one geometric mean: "triangular solve, csc"
  std::string input;       // "2-D 300^2"
  std::string rival;       // "CXSparse cs_lsolve"
  double goal = 0;         // least ratio; 0: none
  std::string remark = {}; // whatever a reader should know
  enum class State { measured, wrong, unavailable, pending } state = State::measured;
  Medians times = {};
};

// Where the two results differ; nothing where they agree.
using Difference = std::optional<std::string>;

class Bench {
public:
  explicit Bench(Options options) : options_(std::move(options)) {}

  const Options& options() const { return options_; }
  bool quick() const { return options_.quick; }
  bool wants(const std::string& group, const std::string& input = "") const;

  // Calls both, compares, then times them in turns.
  void compare(Row row, const Side& ours, const Side& rival, const std::function<Difference()>& difference);

  void add(Row row); // one that was not measured here
  // Runs `body`; where something is not available, a row says so in its place.
  void attempt(const Row& row, const std::function<void()>& body);

  const std::vector<Row>& rows() const { return rows_; }

private:
  Options options_;
  std::vector<Row> rows_;
};

std::string text_of(const Row& row); // a line
std::string summary(const Bench& bench);
void write_json(const Bench& bench, const std::string& path);
void write_markdown(const Bench& bench, const std::string& path);
bool reached(const Row& row);

// Largest difference relative to the largest expected value.
Difference compare_values(const double* got, const double* expected, std::size_t count, double tolerance);

} // namespace cyclotron::bench
