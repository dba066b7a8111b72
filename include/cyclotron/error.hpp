// SPDX-License-Identifier: MIT
// The one exception of the library.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace cyclotron {

// One thing that is wrong. Lines and columns count from 1; 0 where it has no place in a text.
struct Problem {
  std::string message;
  std::string hint; // what to write instead; "" where there is nothing to say
  std::string file;
  int line = 0;
  int column = 0;
};

// what() is the whole report, as the command line prints it: each message with its line, a caret and a hint.
class Error : public std::runtime_error {
public:
  Error(const std::string& report, std::vector<Problem> problems, bool unsupported = false)
      : std::runtime_error(report), problems_(std::make_shared<const std::vector<Problem>>(std::move(problems))),
        unsupported_(unsupported) {}

  const std::vector<Problem>& problems() const { return *problems_; } // in order of appearance; never empty

  // Of the first one.
  const std::string& message() const { return problems_->front().message; }
  const std::string& hint() const { return problems_->front().hint; }
  int line() const { return problems_->front().line; }
  int column() const { return problems_->front().column; }

  // The program is right, but the chosen target cannot do it.
  bool unsupported() const { return unsupported_; }

private:
  std::shared_ptr<const std::vector<Problem>> problems_; // shared: copying an exception must not throw
  bool unsupported_;
};

} // namespace cyclotron
