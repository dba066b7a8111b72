// SPDX-License-Identifier: MIT
#include "array_cases.hpp"

#include "backend/array/simulate.hpp"
#include "backend/mpi/data/words.hpp"
#include "fuzz/array_agreement.hpp"
#include "fuzz/repository.hpp"
#include "world.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstring>
#include <thread>

namespace cyclotron::mpi {

namespace {

using Words = std::vector<Word>;

std::optional<fuzz::SizeValues> sizes_of(const fuzz::OnArray& on_array, const std::vector<std::int64_t>& row) {
  fuzz::SizeValues sizes;
  for (std::size_t s = 0; s < on_array.program().sizes.size(); ++s)
    sizes[on_array.program().sizes[s].name] = row.at(s % row.size());
  return on_array.allows(sizes) ? std::optional(sizes) : std::nullopt;
}

std::optional<Words> words_of(const tensor::Tensor& of, Diagnostics& diagnostics) {
  const auto dense = tensor::convert(of, tensor::dense_format(of.rank()), diagnostics);
  if (!dense) return std::nullopt;
  Words words;
  std::visit(
      [&](const auto& values) {
        for (auto v : values) words.push_back(word_of(v));
      },
      dense->values);
  return words;
}

// Empty where it was made.
std::string simulate(const pe::Program& program, const fuzz::Tensors& inputs, ArrayCase& to, Diagnostics& diagnostics) {
  const auto result = array::simulate(program, inputs, {}, {}, diagnostics);
  if (!result) return diagnostics.render(false);
  for (const array::LinkStatistics& l : result->statistics.links) {
    to.messages += l.messages;
    to.bytes += l.bytes;
  }
  for (const pe::Memory& m : program.tensors) {
    auto words = words_of((m.is_output ? result->outputs : inputs).at(m.name), diagnostics);
    if (!words) return diagnostics.render(false);
    to.tensors.push_back(std::move(*words));
  }
  return {};
}

std::vector<ArrayCase> cases_of(const fuzz::StoredProgram& program, std::size_t number, std::size_t stride) {
  fuzz::OnArray on_array(program.text);
  if (!on_array.accepted()) return {};
  std::vector<ArrayCase> made;
  for (std::size_t s = 0; s < on_array.schedules().size(); ++s) {
    if ((number + s) % stride != 0) continue;
    const schedule::Schedule& schedule = on_array.schedules()[s];
    const auto small = static_cast<std::int64_t>(s % 2);
    for (const std::vector<std::int64_t>& row : {std::vector<std::int64_t>{7, 6, 5, 4}, {small}}) {
      const auto sizes = sizes_of(on_array, row);
      if (!sizes) continue;
      Diagnostics diagnostics(on_array.sources());
      const auto compiled = on_array.compile(schedule, *sizes, {}, diagnostics);
      if (!compiled) continue;
      ArrayCase one{fmt::format("{} {} at {}", program.name, schedule.name.name, row[0]), pe::print(*compiled), {}};
      one.problem = simulate(*compiled, on_array.inputs(*sizes, 1), one, diagnostics);
      made.push_back(std::move(one));
    }
  }
  return made;
}

template <class T> void share(int from, T& number) {
  MPI_Bcast(&number, sizeof number, MPI_BYTE, from, MPI_COMM_WORLD);
}

void share(int from, Words& words) {
  std::string bytes(words.size() * sizeof(Word), '\0');
  std::memcpy(bytes.data(), words.data(), bytes.size());
  bytes = from_rank(from, std::move(bytes));
  words.resize(bytes.size() / sizeof(Word));
  std::memcpy(words.data(), bytes.data(), bytes.size());
}

void share(int from, ArrayCase& one) {
  one.name = from_rank(from, one.name);
  one.text = from_rank(from, one.text);
  one.problem = from_rank(from, one.problem);
  share(from, one.messages);
  share(from, one.bytes);
  std::size_t count = one.tensors.size();
  share(from, count);
  one.tensors.resize(count);
  for (Words& words : one.tensors) share(from, words);
}

// Without taking the processor from those that still work, as waiting for a broadcast does.
void sleep_until_all_are_here() {
  MPI_Request all = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &all);
  for (int here = 0; !here; MPI_Test(&all, &here, MPI_STATUS_IGNORE))
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

} // namespace

// Each rank makes those of some of the programs, and all get all.
std::vector<ArrayCase> array_cases(const std::vector<std::string>& folders, std::size_t stride) {
  const auto programs = fuzz::programs_in(folders);
  const auto ranks = static_cast<std::size_t>(world_size()), own = static_cast<std::size_t>(world_rank());
  std::vector<std::vector<ArrayCase>> of_program(programs.size());
  for (std::size_t p = own; p < programs.size(); p += ranks) of_program[p] = cases_of(programs[p], p, stride);
  sleep_until_all_are_here();
  std::vector<ArrayCase> all;
  for (std::size_t p = 0; p < programs.size(); ++p) {
    const int maker = static_cast<int>(p % ranks);
    std::size_t count = of_program[p].size();
    share(maker, count);
    of_program[p].resize(count);
    for (ArrayCase& one : of_program[p]) {
      share(maker, one);
      all.push_back(std::move(one));
    }
  }
  return all;
}

} // namespace cyclotron::mpi
