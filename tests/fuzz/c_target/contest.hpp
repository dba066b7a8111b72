// SPDX-License-Identifier: MIT
// One program text run by the interpreter and by the C target, on the same inputs.
#pragma once

#include "fuzz/compiled.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace cyclotron::fuzz {

struct Verdict {
  enum class Kind {
    agrees,      // the same values, or both report a failure
    unseen,      // only the interpreter finds a failure or no number (0 * inf): sparse code need not look at zeros
    refused,     // the schedule is an error
    unsupported, // the C target says that it cannot do this
    rejected,    // the front end does not accept the program
    differs,
  };
  Kind kind = Kind::agrees;
  std::string what;     // the message or the difference
  bool crashed = false; // or did not end
};

// A line for the counts: "unsupported: no loop nest over ...".
std::string_view name_of(Verdict::Kind kind);

class Contest {
public:
  // Takes the first schedule of the text, if there is one. A text with a line `loops` is that of a `.loops` file.
  // `flags` are for the C compiler. `last_only`: of the outputs only the one that is declared last is wanted.
  Contest(const std::string& text, const std::vector<std::string>& flags, bool all_steps = false,
          bool last_only = false);
  ~Contest();

  const Verdict& start() const; // `agrees` where there is something to run
  const recurrence::Program& program() const;
  std::string source() const; // the C text

  Verdict run(const SizeValues& sizes, const Tensors& inputs);

private:
  struct State;
  std::unique_ptr<State> state_;
};

// The program as the front end reads it, in other formats and with the commands of a schedule.
std::string with_formats(const recurrence::Program& program, const std::map<std::string, tensor::Format>& formats,
                         const std::string& commands);

// The text with its inputs written out, to run it by hand.
std::string with_inputs(const std::string& text, const SizeValues& sizes, const Tensors& inputs);

// The kernels of this process and its children lie here; removed when the process ends.
const std::string& kernel_folder();

} // namespace cyclotron::fuzz
