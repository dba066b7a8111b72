// SPDX-License-Identifier: MIT
// What `--print-after-all` shows: the program as every pass leaves it, once for each time that it changes.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace cyclotron::driver {

class PassPrinter {
public:
  // Prints to standard output.
  void show(std::string_view pass, const std::string& text);

private:
  std::string last_; // what was shown
};

// What a command wants of all the pipelines that it runs.
struct PipelineOptions {
  std::shared_ptr<PassPrinter> printer; // null: nobody wants to see what passes make
};

} // namespace cyclotron::driver
