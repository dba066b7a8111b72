// SPDX-License-Identifier: MIT
// The runs of a study, on the way that users' programs take: text, front end, graph, simulator, comparison of values.
#pragma once

#include "driver/run_sam.hpp"
#include "study/report.hpp"
#include "study/study.hpp"
#include "support/progress.hpp"

#include <memory>

namespace cyclotron::study {

struct StudyInputs {
  std::map<std::string, std::int64_t> sizes;
  std::map<std::string, tensor::Entries> tensors;
};

struct StudyRun {
  driver::SamProgram program;
  driver::SamResult result;
};

class StudyRunner {
public:
  explicit StudyRunner(const StudyOptions& options) : options_(options), diagnostics_(sources_) {}

  const StudyOptions& options() const { return options_; }
  Diagnostics& diagnostics() { return diagnostics_; }

  // Shows how far it is: `advance` after each of so many points, `end` behind the last.
  void begin(const char* points, std::int64_t count);
  void advance();
  void end() { progress_.reset(); }

  // The graphs of a program, by its schedule where it has one. Nothing where it was refused, which is reported.
  std::optional<driver::SamProgram> graphs_of(const std::string& program);

  // Simulates it and compares its outputs with what the program means; nothing where they differ.
  std::optional<StudyRun> run(const std::string& program, const StudyInputs& inputs, const sam::Options& options = {});

  // The same without the comparison, for parts of a computation whose whole is compared: by `check_outputs`.
  std::optional<StudyRun> run_unchecked(const std::string& program, const StudyInputs& inputs,
                                        const sam::Options& options);
  bool check_outputs(const std::string& program, const StudyInputs& inputs,
                     std::map<std::string, tensor::Entries> outputs);

  // Uniformly random: an exact number of entries where the density is below 1. `use` keeps apart the tensors of a
  // study.
  std::optional<tensor::Entries> random(const std::vector<std::int64_t>& dims, double density, std::uint64_t use);

  // A file, or a generator as on the command line: `laplacian2d:n=20`.
  std::optional<tensor::Entries> matrix(const std::string& source);

private:
  struct Prepared {
    frontend::Checked checked;
    recurrence::Bindings bindings;
  };
  std::optional<frontend::Checked> check(const std::string& program);
  std::optional<Prepared> prepare(const std::string& program, const StudyInputs& inputs);
  std::optional<StudyRun> simulate(const Prepared& prepared, const sam::Options& options);
  bool compare(const Prepared& prepared, const std::string& program,
               const std::map<std::string, tensor::Tensor>& outputs);
  std::optional<recurrence::Bindings> bind(const recurrence::Program& program, const StudyInputs& inputs);

  const StudyOptions& options_;
  Sources sources_;
  Diagnostics diagnostics_;
  std::unique_ptr<Progress> progress_;
  std::int64_t done_ = 0;
};

// The studies, one file each.
std::optional<StudyReport> study_primitives(StudyRunner& runner);
std::optional<StudyReport> study_memory(StudyRunner& runner);
std::optional<StudyReport> study_orders(StudyRunner& runner);
std::optional<StudyReport> study_fusion(StudyRunner& runner);
std::optional<StudyReport> study_streams(StudyRunner& runner);
std::optional<StudyReport> study_structures(StudyRunner& runner);
std::optional<StudyReport> study_ablation(StudyRunner& runner);

} // namespace cyclotron::study
