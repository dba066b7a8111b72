// SPDX-License-Identifier: MIT
#include "backend/cuda/print_cuda.hpp"

#include "backend/cuda/adjacent.hpp"
#include "backend/cuda/embedded.hpp"
#include "backend/cuda/load_together.hpp"
#include "backend/cuda/printer.hpp"
#include "code/build.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace cyclotron::backend::cuda {

using code::Body, code::For, code::Memory, code::Role, code::Run, code::Statement;

namespace {

class KernelPrinter {
public:
  KernelPrinter(const code::Kernel& kernel, std::int64_t threads)
      : kernel_(kernel), threads_(threads), names_(kernel), facts_(kernel), scope_(kernel),
        printer_(kernel, names_, facts_, scope_, lines_, uses_) {}

  std::string run() {
    Lines memories;
    std::swap(lines_, memories);
    print_memories();
    std::swap(lines_, memories);
    body(kernel_.body);
    return signature() + head() + memories.text() + lines_.text() + "}\n";
  }

private:
  // --- around the body ---

  std::string signature() const {
    std::vector<std::string> parameters;
    for (const Argument& a : arguments_of(kernel_)) parameters.push_back(parameter(a));
    return fmt::format("extern \"C\" __global__ void __launch_bounds__({})\n{}({}) {{\n", threads_,
                       function_name(kernel_), fmt::join(parameters, ", "));
  }

  std::string parameter(const Argument& a) const {
    switch (a.kind) {
    case Argument::Kind::size: return "i64 " + names_(a.name);
    case Argument::Kind::memory: {
      const Memory& m = *scope_.memory(a.name);
      return fmt::format("{}{} *{}{}", m.role == Role::in ? "const " : "", code::name_of(m.scalar),
                         is_exchanged(m) ? "" : "__restrict__ ", names_(a.name));
    }
    case Argument::Kind::failed: return "int *failed";
    case Argument::Kind::scratch: return "char *scratch";
    case Argument::Kind::scratch_bytes: return "i64 scratch_bytes";
    }
    bug("an argument of a kernel");
  }

  // By memory that is stored to and loaded, threads tell each other what they have computed. `__restrict__` would say
  // that nobody else changes it.
  bool is_exchanged(const Memory& m) const { return m.role != Role::in && facts_.loaded.count(m.name); }

  // Which thread this is. In a group of less than a warp, the mask has the bits of the group's own threads.
  std::string head() const {
    const std::int64_t lanes = kernel_.lanes;
    Lines out;
    if (uses_.lane)
      out.add(lanes == 1 ? "const int lane = 0;" : fmt::format("const int lane = threadIdx.x % {};", lanes));
    if (uses_.mask && lanes == warp_threads) out.add("const unsigned group_mask = 0xffffffffu;");
    if (uses_.mask && lanes < warp_threads)
      out.add(fmt::format("const unsigned group_mask = 0x{:x}u << (threadIdx.x % {} / {} * {});", (1u << lanes) - 1,
                          warp_threads, lanes, lanes));
    const std::string own = per_group("threadIdx.x"), all = per_group("blockDim.x");
    if (uses_.group) {
      out.add(fmt::format("const i64 group = (i64)blockIdx.x * ({}) + {};", all, own));
    }
    if (uses_.groups) out.add(fmt::format("const i64 groups = (i64)gridDim.x * ({});", all));
    if (uses_.group_in_block) {
      out.add(fmt::format("const i64 group_in_block = {};", own));
      out.add(fmt::format("const i64 groups_in_block = {};", all));
    }
    return out.text();
  }

  std::string per_group(const std::string& threads) const {
    return kernel_.lanes == 1 ? threads : fmt::format("{} / {}", threads, kernel_.lanes);
  }

  // Scratch belongs to the group, whichever of its workers uses it. Shared memory lies in one piece.
  void print_memories() {
    std::vector<std::string> before; // bytes of the memories in front
    for (const Memory& m : kernel_.memories)
      if (m.role == Role::scratch) {
        uses_.group = true;
        const std::string scalar(code::name_of(m.scalar)), name = names_(m.name);
        const std::string elements = printer_.loose(m.elements);
        lines_.add(fmt::format("{0} *const {1} = ({0} *)(scratch + group * scratch_bytes{2}{3});", scalar, name,
                               before.empty() ? "" : " + ", fmt::join(before, " + ")));
        lines_.add(fmt::format("OWN_MEMORY({}, {});", name, elements));
        before.push_back(fmt::format("padded(({}) * {})", elements, code::bytes_of(m.scalar)));
      }
    if (shared_bytes(kernel_) > 0) lines_.add("extern __shared__ __align__(64) unsigned char shared_memory[];");
    std::int64_t offset = 0;
    for (const Memory& m : kernel_.memories)
      if (m.role == Role::shared) {
        const std::int64_t elements = ir::as<code::Number>(m.elements)->whole;
        lines_.add(fmt::format("{0} *const {1} = ({0} *)(shared_memory + {2});", code::name_of(m.scalar),
                               names_(m.name), offset));
        lines_.add(fmt::format("OWN_MEMORY({}, {});", names_(m.name), elements));
        offset += (elements * code::bytes_of(m.scalar) + 63) / 64 * 64;
      }
  }

  // --- statements ---

  void body(const Body& list) {
    scope_.open();
    for (std::size_t at = 0; at < list.size();) at += statements(list, at);
    scope_.close();
  }

  // Prints the statement, or several that belong together; how many.
  std::size_t statements(const Body& list, std::size_t at) {
    if (const std::size_t count = adjacent_loads(list, at, scope_)) {
      print_adjacent_loads(list, at, count);
      return count;
    }
    const std::size_t stores = adjacent_stores(list, at, scope_);
    if (stores > 0 && !facts_.loaded.count(std::get<code::Store>(list[at].kind).memory)) {
      print_adjacent_stores(list, at, stores);
      return stores;
    }
    std::visit([&](const auto& kind) { statement(kind); }, list[at].kind);
    return 1;
  }

  void print_adjacent_loads(const Body& list, std::size_t at, std::size_t count) {
    const code::Load& first = load_in(list[at]);
    const std::string name = fmt::format("adjacent_{}", adjacent_++), memory = names_(first.memory);
    const std::string_view scalar = code::name_of(scope_.memory(first.memory)->scalar);
    lines_.add(fmt::format("const Adjacent<{}, {}> {} = load_adjacent<{}>({}, {});", scalar, count, name, count, memory,
                           printer_.place(first.index, first.stride)));
    for (std::size_t v = 0; v < count; ++v) {
      const std::string value = fmt::format("{}.at[{}]", name, v);
      if (const auto* d = std::get_if<code::Declare>(&list[at + v].kind)) declare(*d, value);
      else lines_.add(fmt::format("{} = {};", names_(std::get<code::Assign>(list[at + v].kind).name), value));
    }
  }

  void print_adjacent_stores(const Body& list, std::size_t at, std::size_t count) {
    const auto& first = std::get<code::Store>(list[at].kind);
    const std::string name = fmt::format("adjacent_{}", adjacent_++);
    const std::string_view scalar = code::name_of(scope_.memory(first.memory)->scalar);
    if (kernel_.lanes > 1 && facts_.stored_again.count(first.memory)) meet();
    std::vector<std::string> values;
    for (std::size_t v = 0; v < count; ++v)
      values.push_back(printer_.print(std::get<code::Store>(list[at + v].kind).value));
    lines_.add(fmt::format("const Adjacent<{}, {}> {} = {{{{{}}}}};", scalar, count, name, fmt::join(values, ", ")));
    lines_.add(fmt::format("store_adjacent({}, {}, {});", names_(first.memory),
                           printer_.place(first.index, first.stride), name));
  }

  void statement(const code::Declare& d) { declare(d, d.value ? printer_.loose(d.value) : zero_of(d.type.scalar)); }

  void declare(const code::Declare& d, const std::string& value) {
    lines_.add(fmt::format("{}{} {} = {};", facts_.assigned.count(d.name) ? "" : "const ", code::name_of(d.type.scalar),
                           names_(d.name), value));
    scope_.declare(d.name, d.type);
  }

  void statement(const code::Assign& a) {
    const std::string value = printer_.loose(a.value);
    lines_.add(fmt::format("{} = {};", names_(a.name), value));
  }

  // Lanes of a group see what others of it have stored once they have met again, so around a store to memory that is
  // also loaded they do. They meet before a store, too, where one of them may have stored to the same element before:
  // the later one wins. One number is stored by one lane.
  void statement(const code::Store& s) {
    const bool lanes = s.stride || code::type_of(s.index, scope_).lanes;
    const bool meets = kernel_.lanes > 1 && facts_.loaded.count(s.memory);
    const auto part = [&](const std::string& text, const char* name, std::string_view type, const code::Expr& of) {
      return meets && of && loads(of, s.memory) ? before_store(text, name, type) : text;
    };
    const std::string mask = s.mask ? part(printer_.print(s.mask), "stores", "bool", s.mask) : "";
    const std::string place = part(printer_.place(s.index, s.stride), "place", "i64", s.index);
    const std::string value =
        part(printer_.loose(s.value), "stored", code::name_of(code::type_of(s.value, scope_).scalar), s.value);
    std::string condition = mask;
    if (!lanes && kernel_.lanes > 1) {
      uses_.lane = true;
      condition = mask.empty() ? "lane == 0" : fmt::format("lane == 0 && ({})", mask);
    }
    if (meets || may_store_again(s)) meet();
    lines_.add(fmt::format("{}store({}, {}, {});", condition.empty() ? "" : fmt::format("if ({}) ", condition),
                           names_(s.memory), place, value));
    if (meets) meet();
    since_meeting_.push_back(&s);
    end_of_stores_ = lines_.text().size();
  }

  // Whether other lanes may have stored to its elements since the group has met. Not those that have stored just
  // before, where that went elsewhere.
  bool may_store_again(const code::Store& s) {
    if (kernel_.lanes == 1 || !facts_.stored_again.count(s.memory)) return false;
    if (lines_.text().size() != end_of_stores_) since_meeting_.clear();
    const bool apart = !since_meeting_.empty() &&
                       std::all_of(since_meeting_.begin(), since_meeting_.end(), [&](const code::Store* earlier) {
                         return stores_apart(*earlier, s, kernel_.lanes);
                       });
    return !apart;
  }

  static bool loads(const code::Expr& expr, const std::string& memory) {
    bool found = false;
    ir::walk<code::ExprNode>(expr, [&](const code::Expr& e) {
      const code::Load* l = ir::as<code::Load>(e);
      found |= l && l->memory == memory;
    });
    return found;
  }

  // What is loaded from the memory that is stored to is loaded in all lanes before one of them stores.
  std::string before_store(const std::string& text, const std::string& name, std::string_view type) {
    const std::string variable = fmt::format("{}_{}", name, stores_++);
    lines_.add(fmt::format("const {} {} = {};", type, variable, text));
    return variable;
  }

  void meet() {
    const std::string line = "__syncwarp(group_mask);";
    uses_.mask = true;
    if (!lines_.ends_with(line)) lines_.add(line);
    since_meeting_.clear();
  }

  // A bound is computed once: in the head of the loop only where that is cheap and always the same.
  std::string end_of(const For& f) {
    const std::string text = printer_.loose(f.end);
    bool same = text.find('(') == text.npos;
    ir::walk<code::ExprNode>(f.end, [&](const code::Expr& e) {
      const code::Variable* v = ir::as<code::Variable>(e);
      same &= (v && !facts_.assigned.count(v->name)) || ir::as<code::Number>(e) || ir::as<code::Binary>(e);
    });
    if (same) return text;
    const int count = ++ends_[f.variable]; // loops beside each other may have one name
    const std::string name = names_(f.variable) + "_end" + (count == 1 ? "" : std::to_string(count));
    lines_.add(fmt::format("const i64 {} = {};", name, text));
    return name;
  }

  std::string head_of(const For& f) {
    const std::string variable = names_(f.variable), by = std::to_string(f.step);
    const bool shared_out = f.run != Run::serial, from_zero = code::build::known(f.first) == 0;
    const auto [own, all] = share_of(f.run);
    const auto times = [&](const std::string& count) { return f.step == 1 ? count : count + " * " + by; };
    std::string begin = shared_out && from_zero ? times(own)
                        : shared_out            ? printer_.operand(f.first) + " + " + times(own)
                                                : printer_.loose(f.first);
    const std::string end = end_of(f), compare = f.step > 0 ? "<" : ">";
    const std::string forward =
        !shared_out && f.step == 1 ? "++" + variable : variable + " += " + (shared_out ? times(all) : by);
    return fmt::format("for (i64 {0} = {1}; {0} {2} {3}; {4})", variable, begin, compare, end, forward);
  }

  // Several turns of an innermost loop that loads, so that more than one turn's loads are on their way at once. Turns
  // in which lanes exchange values wait for each other anyway.
  static std::int64_t unroll_of(const For& f) {
    constexpr std::size_t few = 64, many = 400; // statements
    if (f.unroll > 0 || f.run != Run::serial || code::loaded_memories(f.body).empty()) return f.unroll;
    std::size_t statements = 0;
    const bool waits = code::any_statement(f.body, [&](const code::Statement& s) {
      ++statements;
      return std::holds_alternative<For>(s.kind) || std::holds_alternative<code::If>(s.kind) || exchanges(s);
    });
    return waits || statements > many ? 0 : statements > few ? 2 : 4;
  }

  static bool exchanges(const code::Statement& s) {
    bool found = false;
    code::each_expression(s, [&](const code::Expr& whole) {
      ir::walk<code::ExprNode>(whole, [&](const code::Expr& e) {
        found |= ir::as<code::Shift>(e) || ir::as<code::Extract>(e) || ir::as<code::AnyLane>(e);
      });
    });
    return found;
  }

  void statement(const For& f) {
    const std::string head = head_of(f);
    if (const std::int64_t turns = unroll_of(f); turns > 0) lines_.add(fmt::format("#pragma unroll {}", turns));
    lines_.open(head);
    scope_.open();
    scope_.declare(f.variable, {code::Scalar::i64, false});
    const bool was_in_blocks = in_blocks_;
    in_blocks_ |= f.run == Run::blocks;
    body(f.body);
    in_blocks_ = was_in_blocks;
    scope_.close();
    // What the next turn of this block puts into shared memory takes the place of what this one has there.
    if (f.run == Run::blocks && shared_bytes(kernel_) > 0) lines_.add("__syncthreads();");
    lines_.close();
  }

  // The number of the one that computes, and how many there are.
  std::pair<std::string, std::string> share_of(Run run) {
    if (run == Run::serial) return {};
    if (run == Run::blocks) return {"(i64)blockIdx.x", "(i64)gridDim.x"};
    if (in_blocks_) {
      uses_.group_in_block = true;
      return {"group_in_block", "groups_in_block"};
    }
    uses_.group = uses_.groups = true;
    return {"group", "groups"};
  }

  void statement(const code::If& i) {
    const std::string condition = printer_.print(i.condition);
    lines_.open(fmt::format("if ({})", condition));
    body(i.body);
    lines_.close();
  }

  void statement(const code::Barrier&) { lines_.add("__syncthreads();"); }

  void statement(const code::Fail& f) {
    const std::string condition = printer_.print(f.condition);
    lines_.add(fmt::format("if ({}) fail(failed, {});", condition, f.code));
  }

  const code::Kernel& kernel_;
  const std::int64_t threads_;
  const Names names_;
  const Facts facts_;
  code::Scope scope_;
  Lines lines_;
  Uses uses_;
  ExpressionPrinter printer_;
  bool in_blocks_ = false;
  int adjacent_ = 0;                              // groups of neighbouring elements, so far
  std::vector<const code::Store*> since_meeting_; // stores, one directly behind the other
  std::size_t end_of_stores_ = 0;                 // where the text of the last of them ends
  int stores_ = 0;                                // parts of stores that have names, so far
  std::map<std::string, int> ends_;               // how many bounds of loops over this variable have names
};

} // namespace

std::string print_cuda(const code::Kernel& kernel, const PrintOptions& options) {
  const code::Kernel together = load_together(kernel);
  return KernelPrinter(together, block_threads(kernel, options)).run();
}

std::string print_cuda(const std::vector<code::Kernel>& kernels, const PrintOptions& options) {
  std::string out(prelude_text);
  for (const code::Kernel& k : kernels) out += "\n" + print_cuda(k, options);
  return out;
}

} // namespace cyclotron::backend::cuda
