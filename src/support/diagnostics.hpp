// SPDX-License-Identifier: MIT
// What we tell the user: errors with a place and a hint, collected so that one run reports several.
//
// Three kinds of failure are kept apart. `error`: the program or its data is wrong. `unsupported`: the program
// is right, but this target cannot do it. `bug`: we are wrong. Passes report here and return nothing usable;
// no exception crosses a pass.
#pragma once

#include "support/span.hpp"

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cyclotron {

// The texts that spans point into. Files are added once and live as long as the table.
class Sources {
public:
  std::int32_t add(std::string name, std::string text);
  const std::string& name(std::int32_t file) const { return files_[file].name; }
  const std::string& text(std::int32_t file) const { return files_[file].text; }
  std::string_view slice(Span span) const;

private:
  struct File {
    std::string name;
    std::string text;
  };
  std::deque<File> files_; // a deque: texts never move, so views into them stay valid
};

// A place in a file that is not held in memory (a data file). Lines and columns count from 1; 0 means unknown.
struct Place {
  std::string file;
  std::int64_t line = 0;
  std::int64_t column = 0;
  std::string line_text;
};

enum class Severity { error, unsupported, warning, note };

// One remark: a sentence, where it belongs, and a few words beside the caret.
struct Remark {
  Severity severity = Severity::error;
  std::string message;
  Span span;
  std::string label;
  std::optional<Place> place; // used instead of `span` for data files
};

struct Diagnostic {
  Remark main;
  std::vector<Remark> notes;
  std::string hint;

  // Chained while reporting: `diagnostics.error(span, "...").label("...").note(...).hint("...")`.
  Diagnostic& label(std::string text);
  Diagnostic& note(Span span, std::string message, std::string label = "");
  Diagnostic& note(std::string message);
  Diagnostic& with_hint(std::string text);
};

class Diagnostics {
public:
  explicit Diagnostics(const Sources& sources) : sources_(&sources) {}

  Diagnostic& error(Span span, std::string message);
  Diagnostic& error(Place place, std::string message);
  Diagnostic& error(std::string message);
  Diagnostic& unsupported(Span span, std::string message);
  Diagnostic& warning(Span span, std::string message);

  bool failed() const { return errors() > 0; }
  int errors() const;
  bool only_unsupported() const;
  const std::vector<Diagnostic>& all() const { return list_; }
  const Sources& sources() const { return *sources_; }
  Diagnostic& last() { return list_.back(); }

  // The whole report as text, in order of appearance in the file.
  std::string render(bool color) const;

private:
  Diagnostic& add(Severity severity, Span span, std::string message);

  const Sources* sources_;
  std::vector<Diagnostic> list_;
};

// An error of ours: says where in the compiler, prints, and ends the process with exit code 70. Always on.
[[noreturn]] void bug(std::string_view message, const char* file = __builtin_FILE(), int line = __builtin_LINE());

} // namespace cyclotron
