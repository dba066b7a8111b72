// SPDX-License-Identifier: MIT
// What every suite works with: arrays on the GPU, kernels of ours made from a program and a schedule, plain kernels
// beside them (plain.cu), and rows of both timed in turns by the GPU's own clock.
#pragma once

#include "backend/cuda/kernel.hpp"
#include "driver/pipelines.hpp"
#include "lanes/ir.hpp"
#include "recurrence/interpret.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <regex>
#include <stdexcept>
#include <string>
#include <vector>

namespace cyclotron::bench::gpu {

namespace cuda = backend::cuda;
namespace lanes = cyclotron::lanes;

struct Options {
  bool quick = false;
  std::optional<std::regex> only;
  std::string folder; // plain.cu, and programs/
};

// A program is refused, or the machine lacks something.
struct Unavailable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// What both sides do, and the bytes that they must move at least.
struct Row {
  std::string name;     // "1-D convolution, filter 5"
  std::string schedule; // of ours
  double work = 0;      // in `unit`s
  std::string unit;     // "outputs"
  double bytes = 0;     // 0: not a question of memory
  double goal = 0;      // 0: none
  bool of_copy = false; // the goal is a share of a copy's speed; else work a second, in billions

  double ours = 0, plain = 0, copy = 0; // seconds
  double difference = 0, tolerance = 0; // the largest, of values
  std::string problem = {};             // why there is no figure

  double rate(double seconds) const { return seconds > 0 ? work / seconds : 0; }
  double reached() const { return of_copy ? (ours > 0 ? copy / ours : 0) : rate(ours) / 1e9; }
};

using Seconds = std::function<double()>; // does something once, and says how long it took

class Gpu {
public:
  explicit Gpu(const Options& options);

  cuda::DeviceArray array(std::int64_t bytes);
  cuda::DeviceArray random(std::int64_t floats, unsigned seed);     // f32 from -0.5 to 0.5
  cuda::DeviceArray copy_of(const std::vector<std::int32_t>& data); // i32
  std::vector<std::int32_t> numbers(const cuda::DeviceArray& from);
  void forget(const cuda::DeviceArray& array); // fills it with NaNs
  void release_all();

  // A kernel of plain.cu: `blocks` of `threads`. Arguments are pointers and i64 numbers.
  Seconds plain(const std::string& function, std::int64_t blocks, std::int64_t threads,
                const std::vector<std::int64_t>& arguments);
  Seconds copy(const cuda::DeviceArray& to, const cuda::DeviceArray& from, std::int64_t bytes);

  // The largest difference of rows of so many floats, of which the first `valid` count.
  double difference(const cuda::DeviceArray& a, const cuda::DeviceArray& b, std::int64_t floats, std::int64_t row,
                    std::int64_t valid);

  cuda::Machine& machine() { return *machine_; }
  const Options& options() const { return options_; }
  Diagnostics& diagnostics() { return diagnostics_; }
  [[noreturn]] void fail(); // with what was reported

private:
  const Options options_;
  Sources sources_;
  Diagnostics diagnostics_{sources_};
  std::shared_ptr<cuda::Machine> machine_;
  std::unique_ptr<cuda::Module> plain_;
  std::vector<cuda::DeviceMemory> owned_;
};

// A program in lanes, as a kernel on arrays that are on the GPU.
class Program {
public:
  // `commands`: a schedule's, as text. `tensors`: inputs from which bounds of whole numbers are found; may be empty.
  Program(Gpu& gpu, const std::string& name, const std::string& commands, const recurrence::Bindings& bindings,
          const std::set<std::string>& unwanted = {}, lanes::Layout layout = lanes::Layout::striped);

  Seconds on(const std::map<std::string, cuda::DeviceArray>& tensors); // by their names in the program
  double compile_seconds() const { return compile_seconds_; }
  const cuda::Kernel& kernel() const { return *kernel_; }
  bool narrow() const { return narrow_; } // whole numbers have 16 bits

private:
  Gpu& gpu_;
  Sources sources_;
  Diagnostics diagnostics_{sources_};
  driver::FrontEndResult front_end_;
  std::map<std::string, std::string> memories_;
  cuda::Sizes sizes_;
  std::unique_ptr<cuda::Kernel> kernel_;
  double compile_seconds_ = 0;
  bool narrow_ = false;
};

class Bench {
public:
  explicit Bench(Gpu& gpu) : gpu_(gpu) {}
  bool wants(const std::string& name) const;
  // Calls all three, checks, and times them in turns.
  void measure(Row row, const Seconds& ours, const Seconds& plain, const Seconds& copy,
               const std::function<double()>& difference);
  void add(Row row);
  // Runs `body`; where something is not available, a row says so in its place.
  void attempt(const Row& row, const std::function<void()>& body);

  Gpu& gpu() { return gpu_; }
  const std::vector<Row>& rows() const { return rows_; }

private:
  Gpu& gpu_;
  std::vector<Row> rows_;
};

std::string text_of(const Row& row);
void write_json(const Bench& bench, const std::string& path);

// The suites.
void convolutions(Bench& bench);
void six_designs(Bench& bench);
void linear_recurrences(Bench& bench);
void alignments(Bench& bench);

} // namespace cyclotron::bench::gpu
