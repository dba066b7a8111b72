// SPDX-License-Identifier: MIT
// Loops: serial ones where they stand, and those whose iterations run at once as functions.
#include "backend/simd/kernel_printer.hpp"
#include "code/build.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace cyclotron::backend::simd {

using namespace code;

namespace {

int depth_of_loops(const Body& body) {
  int depth = 0;
  for (const Statement& s : body) {
    if (const For* f = std::get_if<For>(&s.kind)) depth = std::max(depth, 1 + depth_of_loops(f->body));
    if (const If* i = std::get_if<If>(&s.kind)) depth = std::max(depth, depth_of_loops(i->body));
  }
  return depth;
}

// How often a short innermost loop runs, where that is known; 0 of others. Compilers leave such loops as they are
// unless they are told, and then every turn moves registers on that could have other names.
std::int64_t short_turns(const For& f) {
  constexpr std::size_t most_statements = 128; // in all turns together
  const auto first = build::known(f.first), end = build::known(f.end);
  if (!first || !end || f.step != 1 || f.run != Run::serial || depth_of_loops(f.body) > 0) return 0;
  const std::int64_t turns = *end - *first;
  if (turns < 2 || turns > 16 || static_cast<std::size_t>(turns) * f.body.size() > most_statements) return 0;
  return turns;
}

} // namespace

// Whether it has the same value all through the loop.
bool KernelPrinter::is_fixed(const Expr& e) const {
  return !is_anywhere(e, [&](const Expr& inside) {
    const Variable* v = ir::as<Variable>(inside);
    return ir::as<Load>(inside) || (v && assigned_.count(v->name));
  });
}

void KernelPrinter::statement(const For& f) {
  if (f.run != Run::serial && !in_parallel_) return outermost_loop(f);
  const std::string first = expressions_.whole(flat(f.first)), end = bracketed(expressions_.scalar(flat(f.end)), c_sum);
  names_.open();
  if (is_fixed(f.end)) {
    loop(f, first, end);
  } else { // the bounds are found once
    const std::string& name = names_.declare(f.variable + " end", f.variable + "_end");
    line(fmt::format("const int64_t {} = {};", name, end));
    loop(f, first, name);
  }
  names_.close();
}

void KernelPrinter::loop(const For& f, const std::string& first, const std::string& end) {
  scope_.open();
  names_.open();
  scope_.declare(f.variable, {Scalar::i64, false});
  const std::string name = names_.declare(f.variable);
  if (const std::int64_t times = f.unroll > 0 ? f.unroll : short_turns(f); times > 0) line(functions_.unroll(times));
  const std::string next = f.step == 1    ? name + "++"
                           : f.step == -1 ? name + "--"
                                          : fmt::format("{} {}= {}", name, f.step > 0 ? '+' : '-', std::abs(f.step));
  inside(fmt::format("for (int64_t {0} = {1}; {0} {2} {3}; {4})", name, first, f.step > 0 ? '<' : '>', end, next),
         f.body);
  names_.close();
  scope_.close();
}

void KernelPrinter::outermost_loop(const For& f) {
  const std::string first = expressions_.whole(flat(f.first)), end = expressions_.whole(flat(f.end));
  names_.open();
  const std::string begin_name = names_.declare(f.variable + " begin", f.variable + "_begin");
  const std::string end_name = names_.declare(f.variable + " end", f.variable + "_end");
  const std::string before = std::exchange(out_, "");
  const std::size_t depth = std::exchange(depth_, 1);
  in_parallel_ = true;
  loop(f, begin_name, end_name);
  in_parallel_ = false;
  depth_ = depth;
  const std::string statements = std::exchange(out_, before);
  const bool fails = c::mentions(statements, "failed");
  const Passed passed = passed_to(statements);
  const std::string function = fmt::format("cyc_{}_{}", function_, ++loop_functions_); // no kernel has such a name
  std::vector<std::string> parameters{"int64_t " + begin_name, "int64_t " + end_name};
  parameters.insert(parameters.end(), passed.parameters.begin(), passed.parameters.end());
  loops_ += fmt::format(
      "/* In the kernel `{}`, a loop whose iterations may run at once. */\nstatic {} {}({}) {{\n{}{}{}}}\n\n",
      kernel_.name, fails ? "int64_t" : "void", function, fmt::join(parameters, ", "),
      fails ? "  int64_t failed = INT64_MAX;\n" : "", statements, fails ? "  return failed;\n" : "");
  call_loop(f, function, passed, first, end, fails);
  names_.close();
}

// What the statements mention.
KernelPrinter::Passed KernelPrinter::passed_to(const std::string& statements) const {
  Passed passed;
  const auto pass = [&](const std::string& type, const std::string& name, const std::string& argument) {
    if (!c::mentions(statements, name)) return false;
    passed.parameters.push_back(type + name);
    passed.arguments.push_back(argument);
    return true;
  };
  for (const std::string& size : kernel_.sizes) pass("int64_t ", names_.of(size), names_.of(size));
  for (const Visible& v : visible_) pass(v.type + " ", v.name, v.name);
  for (const Memory& m : kernel_.memories) {
    const std::string type(c_type(element_of(m.scalar))), &name = names_.of(m.name);
    if (m.role == Role::in || m.role == Role::out)
      pass(fmt::format("{}{} *restrict ", m.role == Role::in ? "const " : "", type), name, name);
    else
      passed.room |=
          pass(type + " *restrict ", name, fmt::format("({} *)(own + {})", type, names_.of(m.name + " begin")));
  }
  return passed;
}

void KernelPrinter::call_loop(const For& f, const std::string& function, const Passed& passed, const std::string& first,
                              const std::string& end, bool fails) {
  std::vector<std::string> arguments{first, end};
  const auto call = [&] {
    if (passed.room)
      line(fmt::format("char *const own = (char *)room{};",
                       options_.threads ? " + omp_get_thread_num() * room_bytes" : ""));
    arguments.insert(arguments.end(), passed.arguments.begin(), passed.arguments.end());
    line(fmt::format("{}{}({});", fails ? "const int64_t found = " : "", function, fmt::join(arguments, ", ")));
    if (fails) line("if (found < failed) failed = found;");
  };
  if (!options_.threads && !passed.room && !fails) return call();
  line("{");
  ++depth_;
  if (options_.threads) {
    const std::string name = names_.declare(f.variable), begin = names_.of(f.variable + " begin"),
                      last = names_.of(f.variable + " end");
    line(fmt::format("const int64_t {} = {}, {} = {};", begin, first, last, end));
    line(pragma(f, begin, last));
    line(fmt::format("for (int64_t {0} = {1}; {0} {2} {3}; {0} {4}= share) {{", name, begin, f.step > 0 ? '<' : '>',
                     last, f.step > 0 ? '+' : '-'));
    ++depth_;
    arguments = {name, f.step > 0 ? fmt::format("share < {0} - {1} ? {1} + share : {0}", last, name)
                                  : fmt::format("share < {1} - {0} ? {1} - share : {0}", last, name)};
    call();
    --depth_;
    line("}");
  } else {
    call();
  }
  --depth_;
  line("}");
}

// Several iterations at a time, `share` apart. To begin with threads takes as long as some thousand short iterations,
// or a few long ones.
std::string KernelPrinter::pragma(const For& f, const std::string& first, const std::string& end) const {
  const int depth = depth_of_loops(f.body);
  const int few = depth == 0 ? 4000 : depth == 1 ? 100 : 1;
  const std::int64_t step = std::abs(f.step);
  const std::string far = f.step > 0 ? fmt::format("{} - {}", end, first) : fmt::format("{} - {}", first, end);
  const std::string count = step == 1 ? far : fmt::format("({}) / {}", far, step);
  const std::string share = fmt::format("{}({}, threads)", functions_.share(), count);
  return fmt::format(
      "const int64_t share = {};\n{}#pragma omp parallel for num_threads(threads) schedule(dynamic) if({} > {}){}",
      step == 1 ? share : fmt::format("{} * {}", share, step), std::string(2 * depth_, ' '), count, few,
      fails_ ? " reduction(min : failed)" : "");
}

} // namespace cyclotron::backend::simd
