// SPDX-License-Identifier: MIT
#include "contest.hpp"

#include "driver/compile_kernel.hpp"
#include "driver/loops_file.hpp"
#include "driver/pipelines.hpp"
#include "recurrence/affine.hpp"
#include "recurrence/interpret.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

namespace cyclotron::fuzz {

std::string_view name_of(Verdict::Kind kind) {
  switch (kind) {
  case Verdict::Kind::agrees: return "agrees";
  case Verdict::Kind::unseen: return "unseen";
  case Verdict::Kind::refused: return "refused";
  case Verdict::Kind::unsupported: return "unsupported";
  case Verdict::Kind::rejected: return "rejected";
  case Verdict::Kind::differs: return "differs";
  }
  bug("unknown verdict");
}

const std::string& kernel_folder() {
  struct Folder {
    std::string path = (std::filesystem::temp_directory_path() / "cyclotron_fuzz_XXXXXX").string();
    pid_t owner = getpid();
    Folder() {
      if (!mkdtemp(path.data())) bug("cannot make a folder for kernels");
    }
    ~Folder() {
      std::error_code ignored;
      if (getpid() == owner) std::filesystem::remove_all(path, ignored);
    }
  };
  static const Folder folder;
  return folder.path;
}

struct Contest::State {
  Sources sources;
  Diagnostics diagnostics{sources};
  driver::FrontEndResult front_end;
  std::optional<driver::LoopsFile> loops;
  std::shared_ptr<const backend::c::Kernel> kernel;
  std::set<std::string> all_steps;
  Verdict start;
};

Contest::Contest(const std::string& text, const std::vector<std::string>& flags, bool all_steps, bool last_only)
    : state_(std::make_unique<State>()) {
  State& s = *state_;
  const auto loops = driver::find_loops(text);
  s.front_end = driver::run_front_end(s.sources.add("program.cyc", text.substr(0, loops.value_or(text.size()))), {},
                                      s.diagnostics);
  if (!s.front_end.checked) {
    s.start = {Verdict::Kind::rejected, s.diagnostics.render(false)};
    return;
  }
  s.diagnostics = Diagnostics(s.sources); // warnings
  const auto& schedules = s.front_end.checked->unit->schedules;
  for (const recurrence::TensorDecl* t : program().outputs())
    if (all_steps && program().is_stepped(t->name.name)) s.all_steps.insert(t->name.name);
  backend::c::KernelOptions options;
  options.all_steps = s.all_steps;
  if (last_only)
    for (const recurrence::TensorDecl* t : program().outputs())
      if (t != program().outputs().back() && !s.all_steps.count(t->name.name)) options.unwanted.insert(t->name.name);
  if (loops) {
    s.loops = driver::read_loops(s.sources.add("program.loops", text), *loops, *s.front_end.checked, s.diagnostics);
    if (!s.loops) {
      s.start = {Verdict::Kind::refused, s.diagnostics.render(false)};
      return;
    }
    options.loops = s.loops->loops;
  }
  options.wide = text.size() % 2 == 0; // half of the programs
  options.build.flags = flags;
  options.build.cache_folder = kernel_folder();
  s.kernel =
      driver::make_kernel({&*s.front_end.checked, schedules.empty() ? nullptr : &schedules[0], options}, s.diagnostics);
  if (s.kernel) return;
  const std::string message = s.diagnostics.render(false);
  const bool own_fault = !s.diagnostics.failed() || message.find("does not compile") != std::string::npos ||
                         message.find("compiler") != std::string::npos;
  s.start.what = message;
  s.start.kind = own_fault                          ? Verdict::Kind::differs
                 : s.diagnostics.only_unsupported() ? Verdict::Kind::unsupported
                 : schedules.empty()                ? Verdict::Kind::differs
                                                    : Verdict::Kind::refused;
}

Contest::~Contest() = default;
const Verdict& Contest::start() const { return state_->start; }
const recurrence::Program& Contest::program() const { return state_->front_end.checked->program(); }
std::string Contest::source() const { return state_->kernel->source(false, state_->diagnostics); }

namespace {

// Every element, row by row, as a number that holds all of them.
std::vector<long double> elements(const tensor::Tensor& t) {
  std::vector<long double> list;
  std::vector<std::int64_t> at(t.dims.size(), 0);
  if (std::count(t.dims.begin(), t.dims.end(), 0)) return list;
  for (bool more = true; more;) {
    const std::int64_t position = tensor::locate(t, at.data());
    if (position < 0) list.push_back(0);
    else if (tensor::is_float(t.type())) list.push_back(tensor::float_at(t.values, position));
    else list.push_back(static_cast<long double>(tensor::integer_at(t.values, position)));
    more = false;
    for (std::size_t d = at.size(); d-- > 0 && !more;)
      if (++at[d] < t.dims[d]) more = true;
      else at[d] = 0;
  }
  return list;
}

// Sums in another order round differently, and what cancels keeps the error of its largest term. `coarse`: where some
// value on the way had only the digits of f32.
std::string difference(const tensor::Tensor& expected, const tensor::Tensor& found, bool coarse) {
  if (expected.dims != found.dims) return fmt::format("dims {} and {}", expected.dims, found.dims);
  if (expected.type() != found.type()) return "types differ";
  if (const std::string problem = tensor::problem_of(found); !problem.empty()) return problem;
  const std::vector<long double> a = elements(expected), b = elements(found);
  long double scale = 1;
  for (long double x : a)
    if (std::isfinite(x)) scale = std::max(scale, std::abs(x));
  const bool exact = !tensor::is_float(expected.type());
  const long double tolerance = exact ? 0 : scale * (coarse ? 1e-4 : 1e-9);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool same = (std::isnan(a[i]) && std::isnan(b[i])) || a[i] == b[i] || std::abs(a[i] - b[i]) <= tolerance;
    if (!same) return fmt::format("element {} of {}: expected {}, found {}", i, expected.dims, a[i], b[i]);
  }
  return "";
}

// What a kernel does not write must not matter.
void fill_with_rubbish(tensor::Tensor& t) {
  std::visit([](auto& v) { std::fill(v.begin(), v.end(), static_cast<std::decay_t<decltype(v[0])>>(77)); }, t.values);
}

} // namespace

Verdict Contest::run(const SizeValues& sizes, const Tensors& inputs) {
  State& s = *state_;
  const frontend::Checked& checked = *s.front_end.checked;
  const recurrence::Bindings bindings{sizes, inputs};
  s.diagnostics = Diagnostics(s.sources);
  recurrence::InterpretOptions options;
  options.all_steps = s.all_steps;
  const auto expected =
      recurrence::interpret(program(), checked.types, checked.domains, bindings, options, s.diagnostics);
  const std::string failure = s.diagnostics.render(false);
  s.diagnostics = Diagnostics(s.sources);
  auto found = s.kernel->analyse(bindings, s.diagnostics);
  if (found)
    for (auto& [name, tensor] : *found) fill_with_rubbish(tensor);
  const bool computed = found && s.kernel->compute(bindings, *found, s.diagnostics);
  if (!computed && s.diagnostics.only_unsupported()) return {Verdict::Kind::unsupported, s.diagnostics.render(false)};
  if (!expected && !computed) return {};
  if (!computed) return {Verdict::Kind::differs, "only the C target says\n" + s.diagnostics.render(false)};
  const auto& tensors = program().tensors;
  const bool sparse =
      std::any_of(tensors.begin(), tensors.end(), [](const auto& t) { return !tensor::is_dense(t.format); });
  if (!expected)
    return {sparse ? Verdict::Kind::unseen : Verdict::Kind::differs, "only the interpreter says\n" + failure};
  const bool not_numbers = std::any_of(expected->begin(), expected->end(), [](const auto& item) {
    const std::vector<long double> list = elements(item.second);
    return std::any_of(list.begin(), list.end(), [](long double x) { return std::isnan(x); });
  });
  const bool coarse =
      std::any_of(tensors.begin(), tensors.end(), [](const auto& t) { return t.type == tensor::ValueType::f32; });
  for (const auto& [name, tensor] : *expected)
    if (s.kernel->internal().count(name)) continue;
    else if (const std::string where = difference(tensor, found->at(name), coarse); !where.empty())
      return {sparse && not_numbers ? Verdict::Kind::unseen : Verdict::Kind::differs, name + ": " + where};
  return {};
}

std::string with_formats(const recurrence::Program& program, const std::map<std::string, tensor::Format>& formats,
                         const std::string& commands) {
  recurrence::Program copy = program;
  for (recurrence::TensorDecl& t : copy.tensors)
    if (const auto at = formats.find(t.name.name); at != formats.end()) t.format = at->second;
  return print(copy) + (commands.empty() ? "" : "\nschedule s {\n" + commands + "}\n");
}

namespace {

std::string written_out(const tensor::Tensor& t, const std::vector<long double>& values, std::size_t d,
                        std::size_t& next) {
  if (d == t.dims.size()) {
    const long double value = values[next++];
    return t.type() == tensor::ValueType::boolean ? (value != 0 ? "1" : "0")
                                                  : fmt::format("{}", static_cast<double>(value));
  }
  std::string out;
  for (std::int64_t i = 0; i < t.dims[d]; ++i) out += (i == 0 ? "" : ", ") + written_out(t, values, d + 1, next);
  return "[" + out + "]";
}

} // namespace

std::string with_inputs(const std::string& text, const SizeValues& sizes, const Tensors& inputs) {
  std::string out;
  for (const auto& [name, value] : sizes) out += fmt::format("default {} = {}\n", name, value);
  for (const auto& [name, tensor] : inputs) {
    std::size_t next = 0;
    const bool empty = std::count(tensor.dims.begin(), tensor.dims.end(), 0) > 0;
    const std::vector<long double> values = elements(tensor);
    if (!empty) out += fmt::format("default {} = {}\n", name, written_out(tensor, values, 0, next));
  }
  return text + "\n" + out;
}

} // namespace cyclotron::fuzz
