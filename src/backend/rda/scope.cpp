// SPDX-License-Identifier: MIT
#include "backend/rda/scope.hpp"

#include "support/diagnostics.hpp"

namespace cyclotron::backend::rda {

namespace {

// Keywords, what every Scala text sees, and what every object has.
constexpr std::string_view scala_words =
    " abstract case catch class def do else extends false final finally for forSome if implicit import lazy macro "
    "match "
    "new null object override package private protected return sealed super this throw trait try true type val var "
    "while with yield _ java scala Any Array Boolean Double Float Int Long Nothing Predef Seq String Unit asInstanceOf "
    "clone eq equals finalize getClass hashCode isInstanceOf ne notify notifyAll synchronized toString wait ";

// What stands directly in `object dsl` of the runtime (a test looks that nothing is missing), and in `main`.
constexpr std::string_view runtime_words =
    " Accel ArgIn Bit BitVector Bits Bits32 Bits64 Coordinates DRAM FIFO Fold Foreach I32 I64 Literal LiteralNumbers "
    "Misuse OneScan Range RealBits Reduce Reduction Reg RunAll SRAM Scan Scopes SparseDRAM SparseSRAM SpatialApp Tile "
    "TwoScan Whole WholeBits Width abs any2stringadd booleanWrapper boolean_bits doubleWrapper double_bits dsl exp "
    "floatWrapper float_bits gen_bitvector getMem intWrapper loadCSV1D log longWrapper max min mux nnz_max "
    "not_negative "
    "pow refuse setArg setMem spatial sqrt through value_of_register whole_bits whole_of_int whole_of_long width_32 "
    "width_64 writeCSV1D args main sizes ";

} // namespace

bool is_reserved(std::string_view name) {
  const std::string word = " " + std::string(name) + " ";
  return scala_words.find(word) != std::string_view::npos || runtime_words.find(word) != std::string_view::npos;
}

std::string legal_name(const std::string& name) { return is_reserved(name) ? "own_" + name : name; }

void Scope::close() {
  for (const auto& [name, meaning] : scopes_.back()) taken_.erase(meaning.text);
  scopes_.pop_back();
}

const std::string& Scope::declare(const std::string& name, Kind kind, pattern::Expr extent) {
  const std::string wanted = legal_name(name);
  std::string text = wanted;
  for (int n = 2; taken_.count(text); ++n) text = wanted + "_" + std::to_string(n);
  taken_.insert(text);
  return (scopes_.back()[name] = {kind, text, std::move(extent)}).text;
}

const Meaning& Scope::of(const std::string& name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
    if (const auto found = scope->find(name); found != scope->end()) return found->second;
  bug("a pattern program has a name that nothing declares");
}

} // namespace cyclotron::backend::rda
