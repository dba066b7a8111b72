// SPDX-License-Identifier: MIT
// The file around the loops: comment, declarations, memory that the function takes and gives back, its entry.
#include "backend/c/emitter.hpp"

#include "backend/c/emit_frame.hpp"
#include "backend/c/prelude.hpp"
#include "backend/c/tidy.hpp"
#include "backend/c/vector_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace cyclotron::backend::c {

using namespace recurrence;

bool Emitter::leaves_zeros(const TensorDecl& decl) const {
  return left_out_.count(decl.name.name) > 0 || !defined_everywhere(decl);
}

// Whether sums are made in the memory of a tensor.
bool Emitter::is_added_to(const TensorDecl& decl) const {
  return std::any_of(plan_.temporaries.begin(), plan_.temporaries.end(), [&](const auto& t) {
    return t.second.kind == TemporaryPlan::Kind::in_place && !assigned_.count(t.first) &&
           !is_exact(*nest_.temporary(t.first.first, t.first.second)) &&
           program_.equations[static_cast<std::size_t>(t.first.second)].access().tensor == decl.name.name;
  });
}

// How many entries the first levels of a tensor have.
std::string Emitter::count_of(const TensorNames& t, std::size_t levels) {
  std::string count = "1";
  for (std::size_t l = 0; l < levels; ++l) {
    const tensor::LevelProperties& has = properties_of(t.decl->format.levels[l]);
    if (has.full) count = count == "1" ? t.sizes[l] : fmt::format("{} * {}", count, t.sizes[l]);
    else if (has.positions) count = fmt::format("{}[{}]", t.positions[l], count);
  }
  return count;
}

// Elements that are not written are zero.
void Emitter::frame_output(const TensorDecl& decl, Frame& frame) {
  const TensorNames& t = tensors_.at(decl.name.name);
  const std::string type = c_type(decl.type), count = count_of(t, decl.format.levels.size());
  const auto declare_count = [&] { Frame::add(frame.start, fmt::format("const int64_t {} = {};", t.count, count)); };
  const auto clear = [&](const std::string& many) {
    return fmt::format("{2}({0}, {1}, sizeof *{0});", t.values, many, use("cyc_clear"));
  };
  if (options_.internal.count(decl.name.name)) {
    if (mentions(body_, t.count)) declare_count();
    std::string many = t.fold && t.fold->slots > 1 ? fmt::format("{} * {}", t.fold->slots, t.count) : count;
    if (shared_out_.count(decl.name.name)) many += " * omp_get_max_threads()";
    frame.allocate(type, t.values, many, t.fold ? fmt::format(" // what is still read of {}", t.name) : "");
    return;
  }
  const std::string steps = fmt::format("({1} < {0} ? 1 : {1} - {0} + 1)", t.first, t.last);
  const auto plan = plan_.steps.find(decl.name.name);
  if (t.stepped && options_.all_steps.count(decl.name.name)) {
    declare_count();
    Frame::add(frame.start, fmt::format("{} *const {} = {};", type, t.steps, t.values));
    Frame::add(frame.filled, clear(fmt::format("{} < {} ? 0 : {} * {}", t.last, t.first, steps, t.count)));
  } else if (one_step(t)) {
    declare_count();
    const bool whole = !t.sparse() && left_out_.count(decl.name.name) == 0 && defined_everywhere(decl);
    Frame::add(frame.filled, (whole ? fmt::format("if ({} < {}) ", t.last, t.first) : "") + clear(t.count));
  } else if (t.stepped) {
    declare_count();
    const std::string kept = plan->second.all ? steps : std::to_string(plan->second.kept);
    frame.allocate(type, t.steps, fmt::format("{} * {}", kept, t.count));
    const std::string slot =
        fmt::format("({} - {}){}", t.last, t.first, plan->second.all ? "" : fmt::format(" % {}", plan->second.kept));
    Frame::add(frame.copies, fmt::format("if ({} < {}) {}", t.last, t.first, clear(t.count)));
    Frame::add(frame.copies, fmt::format("else {4}({0}, {1} + {2} * {3}, {3}, sizeof *{0});", t.values, t.steps, slot,
                                         t.count, use("cyc_copy")));
  } else {
    const TensorNames* start = t.together.empty() ? start_of(decl) : nullptr;
    const bool zero =
        !start && (t.together.empty() ? is_added_to(decl) || leaves_zeros(decl) : frame_vector(t, count, frame));
    if (start)
      Frame::add(frame.filled,
                 fmt::format("{3}({0}, {1}, {2}, sizeof *{0});", t.values, start->values, t.count, use("cyc_copy")));
    if (zero) Frame::add(frame.filled, clear(t.count));
    if (zero || start || mentions(body_, t.count)) declare_count();
  }
}

void Emitter::frame_workspaces(Frame& frame) {
  frame.start += nested_constants_;
  for (const loops::Temporary& t : nest_.temporaries) {
    const TemporaryPlan& plan = plan_.temporaries.at({t.name, t.equation});
    const std::string& name = temporaries_.at({t.name, t.equation});
    if (plan.kind == TemporaryPlan::Kind::in_place && is_exact(t)) { // beside the values, one for one
      const TensorNames& result = tensors_.at(program_.equations[static_cast<std::size_t>(t.equation)].access().tensor);
      frame.allocate(held_type(t), name, count_of(result, result.decl->format.levels.size()));
    }
    if (plan.kind != TemporaryPlan::Kind::array) continue;
    const std::string identity = identity_text(t.reducer, t.type);
    std::string size = array_sizes_.at({t.name, t.equation});
    if (private_.count({t.name, t.equation})) size += " * omp_get_max_threads()";
    frame.allocate(held_type(t), name, size);
    if (identity != "0")
      Frame::add(frame.filled,
                 fmt::format("for (int64_t cyc_i = 0; cyc_i < {}; cyc_i++) {}[cyc_i] = {};", size, name, identity));
  }
  for (const auto& [name, t] : tensors_)
    if (!t.narrow.empty()) frame.allocate("int8_t", t.narrow, t.sizes[0]);
  for (const TileBuffer& b : tile_buffers_)
    frame.allocate("double", b.name, b.size + (b.per_thread ? " * omp_get_max_threads()" : ""));
  for (const Workspace& w : workspaces_) frame.allocate(w.type, w.name, w.size);
  for (const Positions& p : positions_) {
    frame.allocate("index_t", p.name, p.size);
    if (p.noted) continue;
    Frame::add(frame.filled, fmt::format("for (int64_t cyc_i = 0; cyc_i < {}; cyc_i++)", p.size));
    Frame::add(frame.filled, fmt::format("  {}[cyc_i] = (index_t){}({}, {}[cyc_i], {}[cyc_i + 1], cyc_i);", p.name,
                                         use("cyc_find"), p.crd, p.pos, p.pos));
  }
  for (const auto& [place, name] : pointers_) {
    const TensorNames& t = tensors_.at(place.tensor);
    const std::string count = count_of(t, place.level);
    frame.allocate("index_t", name, count);
    Frame::add(frame.filled,
               fmt::format("{3}({0}, {1}, {2}, sizeof *{0});", name, t.positions[place.level], count, use("cyc_copy")));
  }
}

// The `let` constants that the loops, or later constants, use.
std::string Emitter::constants() {
  std::string out;
  bool fails = false;
  for (auto l = program_.lets.rbegin(); l != program_.lets.rend(); ++l) {
    const std::string& name = c_names_.at(l->name.name);
    if (!mentions(body_, name) && !mentions(out, name)) continue;
    failing_ = false;
    equation_ = -1;
    std::string value = expression(l->value, type_of(l->value));
    // A constant that is not a number shows where it is used.
    fails |= failing_;
    for (std::size_t at = 0; (at = value.find("&failed", at)) != std::string::npos;)
      value.replace(at, 7, "&let_failed");
    out = fmt::format("  const {} {} = {};\n", c_type(type_of(l->value)), name, value) + out;
  }
  return (fails ? "  int let_failed = 0;\n" : "") + out;
}

// --- words for people ---

std::string Emitter::meaning(const Argument& a) const {
  switch (a.kind) {
  case Argument::Kind::size: return "size";
  case Argument::Kind::first_step: return fmt::format("first step of {}", a.name);
  case Argument::Kind::last_step: return fmt::format("last step of {}", a.name);
  case Argument::Kind::positions: return fmt::format("{}: where the entries of level {} begin", a.name, a.level + 1);
  case Argument::Kind::coordinates: return fmt::format("{}: coordinates of level {}", a.name, a.level + 1);
  case Argument::Kind::bits: return fmt::format("{}: bits of level {}", a.name, a.level + 1);
  case Argument::Kind::entries: return fmt::format("{}: where the entries of its mask stand in the values", a.name);
  case Argument::Kind::values:
    return fmt::format("{}: values, {}", a.written ? "result" : "input",
                       recurrence::print(*program_.tensor(a.name)).substr(7)); // without `tensor `
  }
  bug("unknown argument");
}

std::string Emitter::comment() const {
  std::string out =
      fmt::format("// {}: made by Cyclotron.\n//\n", harmless(options_.title.empty() ? function_ : options_.title));
  for (const Equation& e : program_.equations) out += "//   " + print(e) + "\n";
  out += "//\n// Returns 0, or the kind of failure, which `error` then describes.\n";
  std::size_t width = 0;
  for (const Argument& a : arguments_) width = std::max(width, a.c_name.size());
  for (const Argument& a : arguments_) out += fmt::format("//   {:<{}}  {}\n", a.c_name, width, meaning(a));
  return out;
}

// --- the function ---

std::string Emitter::parameter(const Argument& a) const {
  switch (a.kind) {
  case Argument::Kind::size:
  case Argument::Kind::first_step:
  case Argument::Kind::last_step: return "int64_t " + a.c_name;
  case Argument::Kind::positions:
  case Argument::Kind::entries:
  case Argument::Kind::coordinates: return "const index_t *restrict " + a.c_name;
  case Argument::Kind::bits: return "const uint64_t *restrict " + a.c_name;
  case Argument::Kind::values:
    return fmt::format("{}{} *restrict {}", a.written ? "" : "const ", c_type(program_.tensor(a.name)->type), a.c_name);
  }
  bug("unknown argument");
}

std::string Emitter::function_text() {
  Frame frame;
  for (const TensorDecl* decl : program_.outputs()) frame_output(*tensors_.at(decl->name.name).decl, frame);
  frame_workspaces(frame);
  const std::string lets = constants();
  if (!frame.allocated.empty()) {
    Frame::add(frame.start, fmt::format("if (!{}) {{", fmt::join(frame.allocated, " || !")));
    Frame::add(frame.start, "  error->kind = CYC_OUT_OF_MEMORY;");
    Frame::add(frame.start, "  goto finish;");
    Frame::add(frame.start, "}");
  }
  const std::string inputs = narrow_inputs() + note_inputs();
  std::string inside, noted, large = inputs_noted_ ? "large" : "";
  for (int e : sizes_noted_) {
    inside += fmt::format("  uint32_t large_{} = 0;\n", e);
    large += fmt::format("{}large_{}", large.empty() ? "" : " | ", e);
  }
  if (inputs_noted_) inside += "  uint32_t large = 0;\n";
  std::string again = large.empty() ? "" : fmt::format("({}) >> 31", large);
  for (int e : overflows_) {
    const std::string name = e < 0 ? "overflow" : fmt::format("overflow_{}", e);
    inside += fmt::format("  int32_t {} = 0;\n", name);
    if (!options_.careful) again += (again.empty() ? "" : " || ") + name;
    else // the first has the last word
      noted = fmt::format("  if ({}) error->kind = CYC_OVERFLOWS, error->equation = {};\n", name, e) + noted;
  }
  // Where a number was too large, what failed may have failed because of that.
  if (!again.empty()) noted = fmt::format("  if ({}) error->kind = CYC_LARGE;\n", again);
  for (const auto& [pair, same] : same_levels_)
    Frame::add(frame.start, fmt::format("const int {} = {}; // the same elements", same.first, same.second));
  inside += lets + frame.start + frame.filled + inputs + body_;
  if (!frame.copies.empty()) inside += "\n" + frame.copies;
  if (inside.find("goto finish") != std::string::npos) inside += "finish:\n";
  inside += noted + frame.finish + "  return error->kind;\n";

  std::string head = fmt::format("int {}(", function_), unused;
  std::size_t column = head.size();
  const auto add = [&](const std::string& text) {
    if (column + text.size() > 110) {
      head.back() = '\n';
      head += std::string(4, ' ');
      column = 4;
    }
    head += text;
    column += text.size();
  };
  for (const Argument& a : arguments_) {
    add(parameter(a) + ", ");
    if (!mentions(inside, a.c_name)) unused += fmt::format("  (void){};\n", a.c_name);
  }
  add("cyclotron_error *restrict error) {\n");
  return head + unused + "  error->kind = 0;\n" + inside + "}\n\n";
}

// One entry for all kernels.
std::string Emitter::entry_text() const {
  std::string out = "// The same with its arguments in arrays, for callers that learn them at run time.\n"
                    "int cyclotron_call(const int64_t *numbers, void *const *arrays, cyclotron_error *error);\n"
                    "int cyclotron_call(const int64_t *numbers, void *const *arrays, cyclotron_error *error) {\n";
  std::string list;
  int numbers = 0, arrays = 0;
  for (const Argument& a : arguments_)
    list += a.is_number() ? fmt::format("numbers[{}], ", numbers++) : fmt::format("arrays[{}], ", arrays++);
  if (numbers == 0) out += "  (void)numbers;\n";
  if (arrays == 0) out += "  (void)arrays;\n";
  return out + fmt::format("  return {}({}error);\n}}\n", function_, list);
}

Emitted Emitter::assemble() {
  body_ = without_member_marks(body_);
  remove_dead_declarations();
  mark_overflows();
  body_ = without_unused_coordinates(without_needless_brackets(body_));
  static_assert(most_indices == 32); // as in the text below
  Emitted result;
  for (const auto& [key, text] : searches_) result.searches.push_back(text);
  result.without_effect = unheeded_;
  for (const std::string& loop : heeded_) result.without_effect.erase(loop);
  const std::string function = function_text();
  result.comment = comment();
  if (uses_openmp_) result.includes += "#include <omp.h>\n";
  result.includes += "#include <math.h>\n#include <stdint.h>\n#include <stdlib.h>\n#include <string.h>\n\n";
  result.declarations =
      "typedef struct {\n  int kind;       // one of the CYC_ constants\n  int equation;   // of the program, from 0\n"
      "  int64_t at[32]; // the element\n} cyclotron_error;\n\n"
      "enum { CYC_DIVIDES_BY_ZERO = 1, CYC_ROOT_OF_NEGATIVE, CYC_LOG_OF_NEGATIVE, CYC_OVERFLOWS, CYC_OUT_OF_MEMORY, "
      "CYC_LARGE };"
      "\n\n";
  std::erase_if(prelude_,
                [&](const std::string& name) { return !mentions(function, name); }); // lines that were dropped
  const std::string called = prelude(prelude_);
  if (mentions(function, "index_t") || mentions(called, "index_t"))
    result.code =
        fmt::format("typedef {} index_t; // of positions and coordinates\n\n", options_.wide ? "int64_t" : "int32_t");
  const auto has = [&](const char* text) { return body_.find(text) != std::string::npos; };
  if (has("CYC_INDEPENDENT") || has("#pragma omp simd") || has("#pragma GCC unroll"))
    result.code += "#if defined(__clang__)\n"
                   "#pragma clang diagnostic ignored \"-Wpass-failed\" // loops that are not worth it\n#endif\n\n";
  if (has("CYC_INDEPENDENT"))
    result.code += "// The iterations of the loop that follows do not depend on each other.\n#if defined(__clang__)\n"
                   "#define CYC_INDEPENDENT _Pragma(\"clang loop vectorize(assume_safety)\")\n#elif defined(__GNUC__)\n"
                   "#define CYC_INDEPENDENT _Pragma(\"GCC ivdep\")\n#else\n#define CYC_INDEPENDENT\n#endif\n\n";
  result.code += vector_types() + called + function;
  result.entry = entry_text();
  result.function = function_;
  result.arguments = arguments_;
  for (Argument& a : result.arguments) a.meaning = meaning(a);
  result.uses_openmp = uses_openmp_;
  result.notes_sizes = inputs_noted_ || !sizes_noted_.empty();
  result.narrows =
      std::any_of(tensors_.begin(), tensors_.end(), [](const auto& t) { return !t.second.narrow.empty(); });
  return result;
}

// Which overflows a parallel loop notes is known only now: `@0@2` stands where the clause goes.
void Emitter::mark_overflows() {
  for (std::size_t at; (at = body_.find('@')) != std::string::npos;) {
    const std::size_t end = body_.find('\n', at);
    std::string clause;
    for (int e : overflows_)
      if (const std::string mark = fmt::format("@{}@", e);
          (body_.substr(at, end - at) + "@").find(mark) != std::string::npos)
        clause += fmt::format("{}overflow_{}", clause.empty() ? " reduction(| : " : ", ", e);
    for (int e : sizes_noted_)
      if (const std::string mark = fmt::format("@{}@", e);
          (body_.substr(at, end - at) + "@").find(mark) != std::string::npos)
        clause += fmt::format("{}large_{}", clause.empty() ? " reduction(| : " : ", ", e);
    body_.replace(at, end - at, clause.empty() ? "" : clause + ")");
  }
}

// Declarations that turned out not to be needed: positions that nobody reads, coordinates that stand for themselves,
// pointers to steps. Removing one may make another unneeded.
void Emitter::remove_dead_declarations() {
  const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (bool again = true; again;) {
    again = false;
    std::map<std::string, int> uses;
    for (std::size_t i = 0; i < body_.size();) {
      std::size_t end = i;
      while (end < body_.size() && is_letter(body_[end])) ++end;
      if (end > i) ++uses[body_.substr(i, end - i)];
      i = std::max(end, i + 1);
    }
    std::string kept;
    for (std::size_t at = 0; at < body_.size();) {
      const std::size_t end = body_.find('\n', at) + 1;
      const std::string line = body_.substr(at, end - at);
      at = end;
      const std::size_t text = line.find_first_not_of(' '), equals = line.find(" = ");
      bool dead = false;
      for (const char* head :
           {"const int64_t ", "int64_t ", "const int ", "double *const ", "float *const ", "int32_t *const ",
            "int64_t *const ", "uint8_t *const ", "const double ", "const float ", "const int32_t ", "const uint8_t "})
        if (text != std::string::npos && equals != std::string::npos &&
            line.compare(text, std::string(head).size(), head) == 0) {
          const std::size_t name = text + std::string(head).size();
          dead |= name < equals && uses[line.substr(name, equals - name)] == 1;
        }
      if (dead) again = true;
      else kept += line;
    }
    body_ = std::move(kept);
  }
}

} // namespace cyclotron::backend::c
