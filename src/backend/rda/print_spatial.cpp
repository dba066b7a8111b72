// SPDX-License-Identifier: MIT
// The file around the patterns: the host, which fills the arrays off the chip and reads them back.
#include "backend/rda/print_spatial.hpp"

#include "backend/rda/mentions.hpp"
#include "backend/rda/printer.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::backend::rda {

using namespace pattern;

namespace {

// The type that the text calls T: that of the result's values.
ValueType named_type(const Program& program) {
  for (const bool out : {true, false})
    for (const Dram& d : program.drams)
      if (d.array == ArrayKind::values && d.out == out) return d.type;
  return ValueType::f64;
}

std::string_view scala_type(ValueType type) {
  switch (type) {
  case ValueType::f64: return "Double";
  case ValueType::f32: return "Float";
  case ValueType::i64: return "I64";
  case ValueType::i32: return "I32";
  case ValueType::boolean: return "Bit";
  }
  bug("unknown type");
}

std::string contents(const Dram& d) {
  switch (d.array) {
  case ArrayKind::positions: return fmt::format("{}: positions of level {}", d.tensor, d.level);
  case ArrayKind::coordinates: return fmt::format("{}: coordinates of level {}", d.tensor, d.level);
  case ArrayKind::values: return d.tensor + ": values";
  }
  bug("unknown array");
}

class FilePrinter {
public:
  explicit FilePrinter(const Program& program)
      : program_(program), random_(mentions_of(program.body).read_at_an_index),
        expressions_(scope_, named_type(program)) {}

  std::string run() {
    lines_.add("// Printed by Cyclotron. With its Spatial.scala it runs on any machine that has Scala.");
    lines_.add("import spatial.dsl._");
    lines_.add("");
    lines_.open(fmt::format("@spatial object {} extends SpatialApp {{", object_name(program_)));
    lines_.add(fmt::format("type T = {}", scala_type(named_type(program_))));
    for (const Environment& e : program_.environment)
      lines_.add(fmt::format("val {} = {}", scope_.declare(e.name, Kind::value), e.value));
    lines_.add("");
    lines_.open("def main(args: Array[String]): Unit = {");
    print_sizes();
    for (const Dram& d : program_.drams) print_dram(d);
    lines_.add("");
    lines_.open("Accel {");
    print_body(program_.body, scope_, expressions_, lines_);
    lines_.close();
    lines_.add("");
    for (const Dram& d : program_.drams)
      if (d.out) lines_.add(fmt::format("writeCSV1D(getMem({}), {}, \"\\n\")", scope_.of(d.name).text, file(d.name)));
    lines_.close();
    lines_.close();
    return lines_.text();
  }

private:
  static std::string file(const std::string& name) { return fmt::format("args(0) + \"/{}.csv\"", name); }

  void print_sizes() {
    if (program_.sizes.empty()) return;
    lines_.add(fmt::format("val sizes = loadCSV1D[I64]({}, \"\\n\")", file("sizes")));
    for (std::size_t i = 0; i < program_.sizes.size(); ++i) {
      const std::string& name = scope_.declare(program_.sizes[i], Kind::size);
      lines_.add(fmt::format("val {} = ArgIn[I64]", name));
      lines_.add(fmt::format("setArg({}, sizes({}))", name, i));
    }
    lines_.add("");
  }

  // Sparse where single elements are read out of it.
  void print_dram(const Dram& d) {
    const std::string type = expressions_.type(d.type);
    const std::string extent = d.extent ? expressions_.passed(d.extent) : "nnz_max";
    const std::string& name = scope_.declare(d.name, Kind::dram);
    lines_.add(fmt::format("val {} = {}DRAM[{}]({}) // {}", name, random_.count(d.name) ? "Sparse" : "", type, extent,
                           contents(d)));
    if (!d.out) lines_.add(fmt::format("setMem({}, loadCSV1D[{}]({}, \"\\n\"))", name, type, file(d.name)));
  }

  const Program& program_;
  const std::set<std::string> random_;
  Scope scope_;
  ExpressionPrinter expressions_;
  Lines lines_;
};

} // namespace

std::string print_spatial(const Program& program) { return FilePrinter(program).run(); }

std::string object_name(const Program& program) { return legal_name(program.name); }

} // namespace cyclotron::backend::rda
