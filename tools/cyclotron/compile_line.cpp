// SPDX-License-Identifier: MIT
// The command line of `cyclotron compile`.
#include "arguments.hpp"
#include "verbs.hpp"

#include <set>

#include <fmt/format.h>

using namespace cyclotron;

namespace {

const char* const compile_examples = R"(
Examples:
  cyclotron compile examples/cholesky.cyc --emit=c              the kernel as C
  cyclotron compile examples/cholesky.cyc --target=c -o chol/   kernel, header, self-test, Makefile, README
  make -C chol test
  cyclotron compile examples/conv1d.cyc --target=cuda -o conv/  kernels in CUDA, host program with a self-test, Makefile
)";

struct CompileLine {
  driver::CompileOptions options;
  std::vector<std::string> inputs;
};

// What may depend on sizes, or on more.
bool takes_inputs(const std::string& emit) {
  static const std::set<std::string> forms{"pe", "lanes", "code", "simd", "cuda", "stream", "stream-json"};
  return forms.count(emit) > 0;
}

bool is_power_of_two(std::int64_t n) { return n > 0 && (n & (n - 1)) == 0; }

int compile_verb(const CLI::App& compile, CompileLine& line, const TargetOptions& own) {
  driver::CompileOptions& o = line.options;
  const bool folder = !o.target.empty();
  if (!split_all(line.inputs, "NAME=VALUE", o.inputs)) return driver::wrong_usage;
  const driver::Target* target = folder ? own.choose(o.target, o.common.program) : nullptr;
  if (folder && !target) return driver::wrong_usage;
  std::string problem, hint;
  if (folder && compile.count("--emit") > 0) {
    problem = "--emit shows one thing, --target writes a folder";
    hint = "give one of the two";
  } else if (folder && o.output.empty()) {
    problem = "--target needs a folder to write";
    hint = fmt::format("write `-o DIR`; `--emit={}` shows the kernel alone", o.target);
  } else if (!folder && !takes_inputs(o.emit) && !o.inputs.empty()) {
    problem = "inputs are for the self-test that --target writes, and for what arrays, lanes and streams are";
    hint = "leave them out, or write `--target=c -o DIR`";
  } else if (folder && o.lanes && target->takes != "lanes") {
    problem = fmt::format("--lanes says how long vectors are, and the target `{}` has none", o.target);
    hint = "leave it out, or write `--target=simd`";
  } else if (folder && o.lanes && !is_power_of_two(*o.lanes)) {
    problem = fmt::format("a vector has a power of two of lanes, not {}", *o.lanes);
    hint = fmt::format("write `--target={} --lanes 8`", o.target);
  }
  if (!problem.empty()) {
    fail(problem, hint);
    return driver::wrong_usage;
  }
  return folder ? target->compile(o) : driver::compile(o);
}

} // namespace

Verb add_compile(CLI::App& app) {
  const auto line = std::make_shared<CompileLine>();
  const auto own = std::make_shared<TargetOptions>(driver::Verb::compile);
  driver::CompileOptions& o = line->options;
  CLI::App* compile = app.add_subcommand("compile", "show what the compiler makes of a program");
  add_program(*compile, o.common);
  std::vector<std::string> names;
  std::string forms = "\nWhat --emit shows:\n";
  for (const driver::EmitHelp& e : driver::emit_help()) {
    names.push_back(e.name);
    forms += fmt::format("  {:<12} {}\n", e.name, e.meaning);
  }
  take_word(compile->add_option("--emit", o.emit, "what to show"), names)->capture_default_str();
  compile->add_flag("--explain", o.explain, "with --emit=loops: show step by step why they are so");
  compile
      ->add_option("--lanes", o.lanes,
                   "with --emit=lanes, code, simd or cuda, or --target=simd or cuda: lanes of a vector, a power of two")
      ->type_name("N");
  compile->add_option("--picture", o.picture, "with --emit=lanes: draw what every lane does in every step (SVG)")
      ->type_name("FILE");
  own->add_choice(*compile, o.target);
  add_only(*compile, o.common);
  compile->add_option("-o,--output", o.output, "write it to a file; with --target, a folder of code that stands alone")
      ->type_name("FILE");
  add_inputs(*compile, line->inputs,
             "inputs and sizes, NAME=VALUE: of the self-test of --target; for --emit=pe, lanes and stream, whose sizes "
             "they give");
  compile->footer(own->help() + forms + compile_examples);
  return {compile, [compile, line, own] { return compile_verb(*compile, *line, *own); }, "a program",
          "`cyclotron compile examples/cholesky.cyc --emit=c`", own};
}
