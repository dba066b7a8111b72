// SPDX-License-Identifier: MIT
#include "program.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace cyclotron::bench {

namespace {

std::string text_of_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Unavailable("cannot read " + path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

const schedule::Schedule* schedule_named(const frontend::Unit& unit, const std::string& name) {
  for (const schedule::Schedule& s : unit.schedules)
    if (s.name.name == name) return &s;
  return nullptr;
}

} // namespace

Program::Program(const Bench& bench, const std::string& name, const std::string& schedule) {
  const std::string path = fmt::format("{}/{}.cyc", bench.options().programs, name);
  front_end_ = driver::run_front_end(sources_.add(path, text_of_file(path)), {}, diagnostics_);
  if (!front_end_.checked) fail();
  const schedule::Schedule* wanted = schedule_named(*checked().unit, schedule);
  if (!wanted && !schedule.empty()) throw Unavailable(fmt::format("{} has no schedule {}", name, schedule));
  backend::c::KernelOptions options;
  options.name = name;
  options.title = path;
  kernel_ = backend::c::Kernel::make(checked(), wanted, options, diagnostics_);
  if (!kernel_) fail();
  const std::string edited =
      fmt::format("{}/{}{}{}.c", bench.options().edited, name, schedule.empty() ? "" : ".", schedule);
  if (!bench.options().edited.empty() && std::filesystem::exists(edited)) load_edited(edited);
}

void Program::load_edited(const std::string& path) {
  auto emitted = backend::c::emit(checked().program(), checked().domains, kernel_->loops().nest, {}, diagnostics_);
  if (!emitted) fail();
  backend::c::BuildOptions options;
  options.flags.push_back(emitted->uses_openmp ? "-fopenmp" : "-fopenmp-simd");
  edited_ = backend::c::build(text_of_file(path), options, diagnostics_);
  if (!edited_) fail();
  arguments_ = std::move(emitted->arguments);
  fmt::print(stderr, "{} stands in for what is generated\n", path);
}

void Program::fail() const {
  std::string text = diagnostics_.render(false);
  throw Unavailable(text.substr(0, text.find('\n')));
}

void Program::call(const Sizes& sizes, const Views& views) const {
  if (!edited_) {
    if (!kernel_->call(sizes, views, false, diagnostics_)) fail();
    return;
  }
  using backend::c::Argument;
  std::vector<std::int64_t> numbers;
  std::vector<void*> arrays;
  for (const Argument& a : arguments_) {
    const auto level = static_cast<std::size_t>(a.level);
    switch (a.kind) {
    case Argument::Kind::size: numbers.push_back(sizes.at(a.name)); break;
    case Argument::Kind::first_step: numbers.push_back(sizes.at(a.name + "^first")); break;
    case Argument::Kind::last_step: numbers.push_back(sizes.at(a.name + "^last")); break;
    case Argument::Kind::positions: arrays.push_back(const_cast<void*>(views.at(a.name).positions[level])); break;
    case Argument::Kind::coordinates: arrays.push_back(const_cast<void*>(views.at(a.name).coordinates[level])); break;
    case Argument::Kind::bits: arrays.push_back(const_cast<std::uint64_t*>(views.at(a.name).bits[level])); break;
    case Argument::Kind::values: arrays.push_back(views.at(a.name).values); break;
    }
  }
  using Function = int (*)(const std::int64_t*, void* const*, backend::c::KernelError*);
  backend::c::KernelError error;
  reinterpret_cast<Function>(edited_->symbol("cyclotron_call"))(numbers.data(), arrays.data(), &error);
  if (error.kind != 0) throw Unavailable(fmt::format("the edited C fails with kind {}", error.kind));
}

bool same_code(const Program& a, const Program& b) { return a.source() == b.source(); }

} // namespace cyclotron::bench
