// SPDX-License-Identifier: MIT
#include "backend/mpi/inputs.hpp"

#include "backend/mpi/data/read.hpp"
#include "backend/mpi/data/write.hpp"
#include "support/nearest.hpp"
#include "support/progress.hpp"
#include "tensor/io.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::mpi {

namespace {

Word* words_of(TileRef& tile) { return reinterpret_cast<Word*>(tile->values()); } // a word is a number's size

Declaration declaration_of(const pe::Memory& memory) { return {memory.name, memory.dims, memory.type}; }

// The parts of a tensor that this rank has. Single elements that follow each other in a row are one part.
std::vector<Part> parts_of(const Job& job, Rank& rank, int tensor) {
  const pe::Memory& memory = job.program().tensors[static_cast<std::size_t>(tensor)];
  const auto& owned = job.plan().parts;
  std::vector<Part> made;
  std::int64_t last = -1;
  for (std::size_t p = 0; p < owned.size(); ++p) {
    if (owned[p].tensor != tensor) continue;
    const int number = static_cast<int>(p);
    const pe::PartBox box = pe::box_of(memory, owned[p].part);
    if (pe::is_tiled(memory)) {
      TileRef& tile = rank.part_tile(number);
      if (!tile) { // of a result that nobody stores
        tile = rank.arena().make(pe::tile_of(memory, box));
        std::fill_n(tile->values(), tile->numbers(), 0.0);
      }
      made.push_back({{box.first, box.count}, words_of(tile)});
      continue;
    }
    const bool continues = owned[p].part == last + 1 && !box.first.empty() && box.first.back() > 0;
    if (continues) ++made.back().box.count.back();
    else made.push_back({{box.first, box.count}, &rank.part_word(number)});
    last = owned[p].part;
  }
  return made;
}

// Tiles hold floating-point numbers, whatever the tensor's type is.
bool converts(const pe::Memory& memory) { return pe::is_tiled(memory) && !tensor::is_float(memory.type); }

template <class F> void each_word(const std::vector<Part>& parts, F&& f) {
  for (const Part& part : parts)
    for (std::int64_t i = 0; i < part.box.elements(); ++i) f(part.values[i]);
}

std::optional<Source> source_of(const std::string& name, const std::string& text, Diagnostics& diagnostics) {
  if (tensor::file_kind(text)) return Source(text);
  const bool plain = text.find_first_not_of("+-.0123456789einf") == std::string::npos;
  if (text[0] == '[') {
    diagnostics.error(fmt::format("`{}={}`: a list of numbers is not taken here", name, text))
        .with_hint("write it to an .npy or .mtx file");
    return std::nullopt;
  }
  const auto recipe = tensor::parse_recipe(plain ? "constant:value=" + text : text, diagnostics);
  if (!recipe) return std::nullopt;
  return Source(*recipe);
}

std::vector<std::string> names_of(const pe::Program& program, bool outputs) {
  std::vector<std::string> names;
  for (const pe::Memory& m : program.tensors)
    if (m.is_output == outputs) names.push_back(m.name);
  return names;
}

} // namespace

std::string check_names(const Job& job, const Named& inputs, const Named& outputs) {
  const std::vector<std::string> taken = names_of(job.program(), false), made = names_of(job.program(), true);
  for (const auto& [name, value] : inputs)
    if (std::find(taken.begin(), taken.end(), name) == taken.end())
      return fmt::format("`{}={}`: the program has no input `{}`\n  it takes {}", name, value, name, join_names(taken));
  for (const std::string& name : taken)
    if (!inputs.count(name))
      return fmt::format("input `{0}` is not given\n  give it as `{0}=FILE.npy` or `{0}=random:seed=1`", name);
  for (const auto& [name, file] : outputs)
    if (std::find(made.begin(), made.end(), name) == made.end())
      return fmt::format("-o {}={}: the program has no output `{}`\n  it has {}", name, file, name, join_names(made));
  return {};
}

std::string fill_inputs(const Job& job, Rank& rank, const Named& inputs, const Context& context) {
  for (std::size_t t = 0; t < job.program().tensors.size(); ++t) {
    const pe::Memory& memory = job.program().tensors[t];
    if (memory.is_output) continue;
    const Progress progress(fmt::format("reading `{}`", memory.name));
    Sources sources;
    Diagnostics diagnostics(sources);
    const auto source = source_of(memory.name, inputs.at(memory.name), diagnostics);
    const std::vector<Part> parts = parts_of(job, rank, static_cast<int>(t));
    if (!source || !read(*source, declaration_of(memory), parts, context.comm(), diagnostics))
      return diagnostics.render(false);
    if (converts(memory)) each_word(parts, [](Word& w) { w.real = static_cast<double>(w.whole); });
  }
  return {};
}

std::string write_outputs(const Job& job, Rank& rank, const Named& outputs, const Context& context) {
  for (std::size_t t = 0; t < job.program().tensors.size(); ++t) {
    const pe::Memory& memory = job.program().tensors[t];
    const auto file = outputs.find(memory.name);
    if (!memory.is_output || file == outputs.end()) continue;
    const Progress progress(fmt::format("writing `{}`", memory.name));
    Sources sources;
    Diagnostics diagnostics(sources);
    const std::vector<Part> parts = parts_of(job, rank, static_cast<int>(t));
    if (converts(memory)) each_word(parts, [](Word& w) { w.whole = static_cast<std::int64_t>(w.real); });
    const bool good = write(file->second, declaration_of(memory), parts, context.comm(), diagnostics);
    if (converts(memory)) each_word(parts, [](Word& w) { w.real = static_cast<double>(w.whole); });
    if (!good) return diagnostics.render(false);
  }
  return {};
}

} // namespace cyclotron::mpi
