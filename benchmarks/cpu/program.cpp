// SPDX-License-Identifier: MIT
#include "program.hpp"

#include "driver/compile_kernel.hpp"

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

Program::Program(const Bench& bench, const std::string& name, const std::string& schedule,
                 const std::set<std::string>& unwanted, bool wide) {
  const std::string path = fmt::format("{}/{}.cyc", bench.options().programs, name);
  front_end_ = driver::run_front_end(sources_.add(path, text_of_file(path)), {}, diagnostics_);
  if (!front_end_.checked) fail();
  const schedule::Schedule* wanted = schedule_named(*checked().unit, schedule);
  if (!wanted && !schedule.empty()) throw Unavailable(fmt::format("{} has no schedule {}", name, schedule));
  backend::c::KernelOptions options;
  options.name = name;
  options.title = path;
  options.unwanted = unwanted;
  options.wide = wide;
  kernel_ = driver::make_kernel({&checked(), wanted, options}, diagnostics_);
  if (!kernel_) fail();
  const std::string edited =
      fmt::format("{}/{}{}{}.c", bench.options().edited, name, schedule.empty() ? "" : ".", schedule);
  if (!bench.options().edited.empty() && std::filesystem::exists(edited)) load_edited(edited);
}

void Program::load_edited(const std::string& path) {
  auto emitted = kernel_->emitted({}, diagnostics_);
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
    if (a.is_number()) {
      const std::string step = a.kind == Argument::Kind::first_step ? "^first" : "^last";
      numbers.push_back(sizes.at(a.kind == Argument::Kind::size ? a.name : a.name + step));
      continue;
    }
    const auto level = static_cast<std::size_t>(a.level);
    const backend::c::View& own = views.at(a.name);
    const backend::c::View& view = a.mask < 0 ? own : own.masks.at(a.mask);
    const void* array = a.kind == Argument::Kind::positions     ? view.positions[level]
                        : a.kind == Argument::Kind::coordinates ? view.coordinates[level]
                        : a.kind == Argument::Kind::bits        ? view.bits[level]
                        : a.kind == Argument::Kind::entries     ? view.entries
                                                                : view.values;
    arrays.push_back(const_cast<void*>(array));
  }
  using Function = int (*)(const std::int64_t*, void* const*, backend::c::KernelError*);
  backend::c::KernelError error;
  reinterpret_cast<Function>(edited_->symbol("cyclotron_call"))(numbers.data(), arrays.data(), &error);
  if (error.kind != 0) throw Unavailable(fmt::format("the edited C fails with kind {}", error.kind));
}

std::function<void()> Program::bound(const Sizes& sizes, const Views& views) const {
  if (edited_) return [this, sizes, views] { call(sizes, views); };
  const auto found = kernel_->bind(sizes, views, false, diagnostics_);
  if (!found) fail();
  return [this, call = *found] {
    if (!kernel_->run(call, diagnostics_)) fail();
  };
}

backend::c::View Program::view_with_masks(const std::string& tensor, Sparse& s) const {
  backend::c::View view = s.view();
  for (std::size_t m = 0; m < kernel_->masks().size(); ++m) {
    if (kernel_->masks()[m].tensor != tensor) continue;
    auto made = kernel_->make_mask(s.tensor(), kernel_->masks()[m].format, diagnostics_);
    if (!made) fail();
    const auto places = std::get<std::vector<std::int64_t>>(made->values);
    made->values = std::vector<double>{};
    auto& [structure, entries] = masks_.emplace_back(narrow(*made), Indices(places.begin(), places.end()));
    backend::c::View mask = structure.view();
    mask.entries = entries.data();
    view.masks[static_cast<int>(m)] = std::move(mask);
  }
  return view;
}

bool same_code(const Program& a, const Program& b) { return a.source() == b.source(); }

} // namespace cyclotron::bench
