// SPDX-License-Identifier: MIT
#include "pe/trace.hpp"

#include "pe/execute.hpp"
#include "support/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

namespace cyclotron::pe {

namespace {

// What stands for a number or tile.
struct Token {
  int value = -1; // -1: computed here, and nobody else has it
  int need = -1;  // of the PE: by which it came; -1: it did not come
  int shape = 0;  // 0: a number, or a tile of any shape
};

struct Cell {
  const Code* code = nullptr;
  const Instruction* at = nullptr;
  std::vector<std::int64_t> frame;
  std::vector<Token> words, tiles;
  std::vector<bool> used;                   // per need
  std::vector<std::vector<Token>> inbox;    // per input
  std::vector<std::size_t> taken;           // of the inbox
  std::vector<std::pair<int, int>> targets; // per output: the PE and its input, or -1
  std::vector<int> chosen;                  // tiles that one way of a choice has written, in this computation
  int passes = 0;
  StepKind kind; // of the step, so far
  bool ended = false, queued = false;
};

// Which instructions belong to a computation: there, jumps depend on numbers, and all that may be read counts.
std::vector<bool> computing(const Code& code) {
  std::vector<bool> is(code.instructions.size());
  for (const ComputeCode& c : code.computes)
    for (int i = c.first; i <= c.last; ++i) is[static_cast<std::size_t>(i)] = true;
  return is;
}

bool has_one_operand(Opcode op) {
  switch (op) {
  case Opcode::move:
  case Opcode::to_real:
  case Opcode::to_f32:
  case Opcode::check_i32:
  case Opcode::negate_real:
  case Opcode::abs_real:
  case Opcode::sqrt_real:
  case Opcode::exp_real:
  case Opcode::log_real:
  case Opcode::negate_whole:
  case Opcode::abs_whole:
  case Opcode::logical_not: return true;
  default: return false;
  }
}

class Tracer {
public:
  Tracer(const Executable& executable, std::int64_t limit) : executable_(executable), limit_(limit) {
    for (const Code& c : executable.codes) computing_.push_back(computing(c));
  }

  Trace run() {
    make_cells();
    connect();
    // The host first: what it stores is there for all.
    queue(executable_.host());
    for (int e = 0; e < executable_.host(); ++e) queue(e);
    while (trace_.problem.empty() && !ready_.empty()) {
      const int element = ready_.back();
      ready_.pop_back();
      cells_[static_cast<std::size_t>(element)].queued = false;
      follow(element);
      if (ready_.empty()) retry_loads();
    }
    if (trace_.problem.empty()) check_ends();
    forget_unused();
    find_levels();
    return std::move(trace_);
  }

private:
  Cell& cell(int element) { return cells_[static_cast<std::size_t>(element)]; }
  TracedElement& traced(int element) { return trace_.elements[static_cast<std::size_t>(element)]; }

  void make_cells() {
    const auto count = static_cast<std::size_t>(executable_.elements());
    cells_.resize(count);
    trace_.elements.resize(count);
    for (int e = 0; e < executable_.elements(); ++e) {
      Cell& c = cell(e);
      c.code = executable_.code(e);
      c.ended = !c.code;
      if (!c.code) continue;
      c.at = c.code->instructions.data();
      c.frame.assign(static_cast<std::size_t>(c.code->frame_size), 0);
      const auto& at = executable_.coordinates(e);
      std::copy(at.begin(), at.end(), c.frame.begin());
      c.words.resize(static_cast<std::size_t>(c.code->words));
      c.tiles.resize(static_cast<std::size_t>(c.code->tiles));
      c.inbox.resize(c.code->inputs.size());
      c.taken.resize(c.code->inputs.size());
      c.targets.assign(c.code->outputs.size(), {-1, -1});
    }
  }

  void connect() {
    const Grid& grid = executable_.grid;
    for (int e = 0; e < grid.size(); ++e) {
      Cell& from = cell(e);
      if (!from.code) continue;
      for (std::size_t o = 0; o < from.targets.size(); ++o) {
        const int channel = from.code->outputs[o].channel;
        const int to = grid.target(e, executable_.program.channels[static_cast<std::size_t>(channel)]);
        if (to < 0 || !cell(to).code) continue;
        const auto& inputs = cell(to).code->inputs;
        const auto input =
            std::find_if(inputs.begin(), inputs.end(), [&](const Port& p) { return p.channel == channel; });
        if (input != inputs.end()) from.targets[o] = {to, static_cast<int>(input - inputs.begin())};
      }
    }
  }

  void queue(int element) {
    Cell& c = cell(element);
    if (c.ended || c.queued) return;
    c.queued = true;
    ready_.push_back(element);
  }

  // Who waits to load what another PE stores.
  void retry_loads() {
    if (stored_since_retry_ == 0) return;
    stored_since_retry_ = 0;
    for (int e : std::exchange(loading_, {})) queue(e);
  }

  void check_ends() {
    for (int e = 0; e < executable_.elements(); ++e)
      if (!cell(e).ended) {
        trace_.problem = fmt::format("PE {} waits for ever{}", executable_.name(e), in_step(e));
        return;
      }
    for (int e = 0; e < executable_.host(); ++e) {
      const Cell& c = cell(e);
      for (std::size_t i = 0; i < c.inbox.size(); ++i)
        if (c.taken[i] != c.inbox[i].size()) {
          trace_.problem = fmt::format("PE {} is sent {} values of `{}`, of which it receives {}", executable_.name(e),
                                       c.inbox[i].size(), channel(*c.code, i).name, c.taken[i]);
          return;
        }
    }
  }

  const Channel& channel(const Code& code, std::size_t input) const {
    return executable_.program.channels[static_cast<std::size_t>(code.inputs[input].channel)];
  }

  std::string in_step(int element) {
    Cell& c = cell(element);
    Position position;
    position.code = c.code;
    position.at = c.at;
    position.frame = c.frame.data();
    const std::string step = step_at(position, executable_.spaces);
    return step.empty() ? "" : fmt::format(", in step {}", step);
  }

  // Whether it went on; false where it has to wait or the trace is over.
  void follow(int element) {
    Cell& c = cell(element);
    const std::vector<bool>& computes = computing_[static_cast<std::size_t>(c.code - executable_.codes.data())];
    while (true) {
      const auto number = static_cast<std::size_t>(c.at - c.code->instructions.data());
      if (c.at->op == Opcode::end) {
        c.ended = true;
        return;
      }
      if (!computes[number]) c.chosen.clear();
      if (!act(element, c, *c.at, computes[number])) return;
      ++c.at;
    }
  }

  // False where the PE has to wait. Jumps leave `at` before where they lead.
  bool act(int element, Cell& c, const Instruction& i, bool computes) {
    const auto form = [&](int n) { return c.code->forms[static_cast<std::size_t>(n)].evaluate(c.frame.data()); };
    const auto frame = [&](int n) -> std::int64_t& { return c.frame[static_cast<std::size_t>(n)]; };
    const auto go_if = [&](bool condition) {
      if (condition && !computes) c.at = c.code->instructions.data() + i.c - 1;
    };
    switch (i.op) {
    case Opcode::whole_set: frame(i.a) = form(i.b); return true;
    case Opcode::whole_multiply: frame(i.a) = form(i.b) * form(i.c); return true;
    case Opcode::whole_floor_div: {
      const std::int64_t a = form(i.b), b = form(i.c);
      frame(i.a) = (a - remainder(a, b)) / b;
      return true;
    }
    case Opcode::whole_mod: frame(i.a) = remainder(form(i.b), form(i.c)); return true;
    case Opcode::whole_min: frame(i.a) = std::min(form(i.b), form(i.c)); return true;
    case Opcode::whole_max: frame(i.a) = std::max(form(i.b), form(i.c)); return true;
    case Opcode::jump: go_if(true); return true;
    case Opcode::jump_unless_zero: go_if(form(i.a) != 0); return true;
    case Opcode::jump_if_zero: go_if(form(i.a) == 0); return true;
    case Opcode::jump_unless_nonnegative: go_if(form(i.a) < 0); return true;
    case Opcode::jump_if_false:
    case Opcode::jump_if_true: use(element, word(c, i.a)); return true;
    case Opcode::loop_begin: go_if(i.b > 0 ? frame(i.a) > frame(i.a + 1) : frame(i.a) < frame(i.a + 1)); return true;
    case Opcode::loop_next:
      frame(i.a) += i.b;
      go_if(i.b > 0 ? frame(i.a) <= frame(i.a + 1) : frame(i.a) >= frame(i.a + 1));
      return true;
    case Opcode::pass: ++c.passes; return true;
    case Opcode::receive: return receive(element, i.a, word(c, i.b));
    case Opcode::receive_tile: return receive(element, i.a, tile(c, i.b));
    case Opcode::send: return send(element, i.a, word(c, i.b), false);
    case Opcode::send_tile: return send(element, i.a, tile(c, i.b), true);
    case Opcode::load: return load(element, i.a, word(c, i.b));
    case Opcode::load_tile: return load(element, i.a, tile(c, i.b));
    case Opcode::store: return store(element, i.a, word(c, i.b), false);
    case Opcode::store_tile: return store(element, i.a, tile(c, i.b), true);
    case Opcode::finish: return true;
    case Opcode::end_step: return end_step(element);
    case Opcode::read_place:
    case Opcode::write_place: return copy_place(element, c.words, i, i.op == Opcode::read_place, computes);
    case Opcode::read_tile_place:
    case Opcode::write_tile_place: return copy_place(element, c.tiles, i, i.op == Opcode::read_tile_place, computes);
    case Opcode::move_tile:
      if (computes) choose(element, i);
      else tile(c, i.a) = tile(c, i.b);
      return true;
    case Opcode::move:
      if (computes) use(element, word(c, i.b));
      word(c, i.a) = computes ? Token{} : word(c, i.b);
      return true;
    case Opcode::kernel:
    case Opcode::add_kernel:
    case Opcode::sub_kernel: return call(element, i);
    case Opcode::add_tile:
    case Opcode::sub_tile:
      use(element, tile(c, i.b));
      use(element, tile(c, i.c));
      tile(c, i.a) = {-1, -1, std::max(tile(c, i.b).shape, tile(c, i.c).shape)};
      c.kind.elementwise += numbers_[static_cast<std::size_t>(tile(c, i.a).shape)];
      return true;
    case Opcode::scale_tile:
    case Opcode::divide_tile: use(element, word(c, i.c)); [[fallthrough]];
    case Opcode::negate_tile:
    case Opcode::round_tile:
      use(element, tile(c, i.b));
      tile(c, i.a) = {-1, -1, tile(c, i.b).shape};
      c.kind.elementwise += numbers_[static_cast<std::size_t>(tile(c, i.a).shape)];
      return true;
    case Opcode::fill_tile:
      use(element, word(c, i.b));
      tile(c, i.a) = {};
      return true;
    case Opcode::index: word(c, i.a) = {}; return true;
    default: // numbers
      use(element, word(c, i.b));
      if (!has_one_operand(i.op)) use(element, word(c, i.c));
      if (i.op == Opcode::mul_add_real) use(element, word(c, i.a));
      word(c, i.a) = {};
      ++c.kind.numbers;
      return true;
    }
  }

  static Token& word(Cell& c, int n) { return c.words[static_cast<std::size_t>(n)]; }
  static Token& tile(Cell& c, int n) { return c.tiles[static_cast<std::size_t>(n)]; }

  void use(int element, const Token& token) {
    if (token.need >= 0) cell(element).used[static_cast<std::size_t>(token.need)] = true;
  }

  // Both ways of a choice write the same tile. One of them may have a tile that is still empty, and fits any shape.
  void choose(int element, const Instruction& i) {
    Cell& c = cell(element);
    use(element, tile(c, i.b));
    const bool again = std::find(c.chosen.begin(), c.chosen.end(), i.a) != c.chosen.end();
    tile(c, i.a) = {-1, -1, again ? std::max(tile(c, i.a).shape, tile(c, i.b).shape) : tile(c, i.b).shape};
    if (!again) c.chosen.push_back(i.a);
  }

  bool too_many() {
    if (++events_ <= limit_) return false;
    trace_.problem = fmt::format("more than {} messages and accesses to memory are too many to follow", limit_);
    return true;
  }

  void need(int element, Token& to, const Token& from, std::int64_t bytes = 0) {
    auto& needs = traced(element).needs;
    to = {from.value, static_cast<int>(needs.size()), from.shape};
    needs.push_back(from.value);
    traced(element).received.push_back(bytes);
    cell(element).used.push_back(false);
  }

  bool receive(int element, int port, Token& to) {
    Cell& c = cell(element);
    const auto p = static_cast<std::size_t>(port);
    if (c.taken[p] == c.inbox[p].size()) return false;
    const Token& from = c.inbox[p][c.taken[p]++];
    const std::int64_t bytes = trace_.values[static_cast<std::size_t>(from.value)].bytes();
    need(element, to, from, bytes);
    ++trace_.messages;
    trace_.bytes += static_cast<std::uint64_t>(bytes);
    return !too_many();
  }

  // The name of a value that leaves the PE; a new one gets its name here.
  Made leaves(int element, Token& token, ValueType type, bool is_tile) {
    if (token.value >= 0) return {};
    Value made;
    made.element = element;
    made.numbers = numbers_[static_cast<std::size_t>(token.shape)];
    made.type = type;
    made.is_tile = is_tile;
    token.value = static_cast<int>(trace_.values.size());
    trace_.values.push_back(made);
    return {token.value, -1};
  }

  bool send(int element, int port, Token& from, bool is_tile) {
    Cell& c = cell(element);
    const auto [to, input] = c.targets[static_cast<std::size_t>(port)];
    const auto number = static_cast<std::size_t>(c.code->outputs[static_cast<std::size_t>(port)].channel);
    const Channel& through = executable_.program.channels[number];
    if (to < 0) {
      trace_.problem = fmt::format("PE {} sends `{}` to where no PE receives it{}", executable_.name(element),
                                   through.name, in_step(element));
      return false;
    }
    traced(element).makes.push_back(leaves(element, from, through.type, is_tile));
    cell(to).inbox[static_cast<std::size_t>(input)].push_back(from);
    queue(to);
    return !too_many();
  }

  bool load(int element, int number, Token& to) {
    Cell& c = cell(element);
    const MemoryAccess& access = c.code->accesses[static_cast<std::size_t>(number)];
    const Memory& memory = executable_.program.tensors[static_cast<std::size_t>(access.tensor)];
    const std::int64_t part = part_of(memory, access, c.frame.data());
    if (part < 0) return outside(element, memory);
    const std::int64_t key = part * static_cast<std::int64_t>(executable_.program.tensors.size()) + access.tensor;
    if (memory.is_output) {
      const auto at = stored_.find(key);
      if (at == stored_.end()) {
        loading_.push_back(element);
        return false;
      }
      need(element, to, at->second);
      return !too_many();
    }
    // Loaded again in another pass, it comes again: holding it as long would need memory for all of the tensor.
    auto& known = loaded_[c.passes];
    auto at = known.find(key);
    if (at == known.end()) at = known.emplace(key, input(memory, access.tensor, part)).first;
    need(element, to, at->second);
    return !too_many();
  }

  Token input(const Memory& memory, int tensor, std::int64_t part) {
    Value made;
    made.tensor = tensor;
    made.part = part;
    made.type = memory.type;
    made.is_tile = is_tiled(memory);
    const int shape = made.is_tile ? shape_of(tile_of(memory, box_of(memory, part))) : 0;
    made.numbers = numbers_[static_cast<std::size_t>(shape)];
    trace_.values.push_back(made);
    return {static_cast<int>(trace_.values.size()) - 1, -1, shape};
  }

  bool outside(int element, const Memory& memory) {
    trace_.problem =
        fmt::format("PE {} reaches outside of `{}`{}", executable_.name(element), memory.name, in_step(element));
    return false;
  }

  bool store(int element, int number, Token& from, bool is_tile) {
    Cell& c = cell(element);
    const MemoryAccess& access = c.code->accesses[static_cast<std::size_t>(number)];
    const Memory& memory = executable_.program.tensors[static_cast<std::size_t>(access.tensor)];
    const std::int64_t part = part_of(memory, access, c.frame.data());
    if (part < 0) return outside(element, memory);
    use(element, from);
    Made made = leaves(element, from, memory.type, is_tile);
    made.store = static_cast<int>(trace_.stores.size());
    traced(element).makes.push_back(made);
    trace_.stores.push_back({access.tensor, part, element, from.value});
    stored_[part * static_cast<std::int64_t>(executable_.program.tensors.size()) + access.tensor] = {from.value, -1,
                                                                                                     from.shape};
    ++stored_since_retry_;
    return !too_many();
  }

  bool end_step(int element) {
    Cell& c = cell(element);
    TracedElement& t = traced(element);
    order_.push_back(element);
    t.steps.push_back({static_cast<int>(t.needs.size()), static_cast<int>(t.makes.size()), kind_of(c.kind), 0});
    trace_.work += c.kind.work();
    c.kind = {};
    return true;
  }

  bool copy_place(int element, std::vector<Token>& tokens, const Instruction& i, bool reads, bool computes) {
    Cell& c = cell(element);
    const int place = position(c.code->places[static_cast<std::size_t>(i.b)], c.frame.data());
    if (place < 0) {
      trace_.problem = fmt::format("PE {} reaches outside of a table{}", executable_.name(element), in_step(element));
      return false;
    }
    Token& from = tokens[static_cast<std::size_t>(reads ? place : i.a)];
    if (computes && !reads) use(element, from);
    tokens[static_cast<std::size_t>(reads ? i.a : place)] = computes && !reads ? Token{-1, -1, from.shape} : from;
    return true;
  }

  bool call(int element, const Instruction& i) {
    Cell& c = cell(element);
    const KernelCode& kernel = c.code->kernels[static_cast<std::size_t>(i.b)];
    KernelCall made{kernel.kernel, {}};
    for (std::size_t a = 0; a < kernel.arguments.size(); ++a) {
      const Token& token = tile(c, kernel.arguments[a]);
      use(element, token);
      const auto& dims = token.shape == 0 ? kernel.largest[a] : shapes_[static_cast<std::size_t>(token.shape)];
      made.extents.push_back(dims);
    }
    if (i.op != Opcode::kernel) use(element, tile(c, i.c));
    tile(c, i.a) = {-1, -1, shape_of(recurrence::result_extents(*kernel.kernel, made.extents))};
    c.kind.calls.push_back(std::move(made));
    return true;
  }

  int shape_of(const std::vector<std::int64_t>& dims) {
    const auto [at, is_new] = shape_numbers_.emplace(dims, static_cast<int>(shapes_.size()));
    if (is_new) {
      shapes_.push_back(dims);
      std::int64_t count = 1;
      for (std::int64_t d : dims) count *= d;
      numbers_.push_back(count);
    }
    return at->second;
  }

  int kind_of(const StepKind& kind) {
    const auto [at, is_new] = kind_numbers_.emplace(kind, static_cast<int>(trace_.kinds.size()));
    if (is_new) trace_.kinds.push_back(kind);
    return at->second;
  }

  void forget_unused() {
    for (int e = 0; e < executable_.elements(); ++e)
      for (std::size_t n = 0; n < traced(e).needs.size(); ++n)
        if (!cell(e).used[n]) traced(e).needs[n] = -1;
  }

  // Backwards through the order in which steps were followed, in which each comes after all it needs.
  void find_levels() {
    std::vector<double> of_value(trace_.values.size()), behind(trace_.elements.size());
    std::vector<std::size_t> left(trace_.elements.size());
    for (std::size_t e = 0; e < left.size(); ++e) left[e] = trace_.elements[e].steps.size();
    for (std::size_t n = order_.size(); n-- > 0;) {
      const auto element = static_cast<std::size_t>(order_[n]);
      TracedElement& t = trace_.elements[element];
      const std::size_t s = --left[element];
      double level = behind[element];
      for (int m = s == 0 ? 0 : t.steps[s - 1].makes; m < t.steps[s].makes; ++m)
        if (const int v = t.makes[static_cast<std::size_t>(m)].value; v >= 0)
          level = std::max(level, of_value[static_cast<std::size_t>(v)]);
      level += std::max(trace_.kinds[static_cast<std::size_t>(t.steps[s].kind)].work(), 1.0);
      t.steps[s].level = behind[element] = level;
      for (int d = s == 0 ? 0 : t.steps[s - 1].needs; d < t.steps[s].needs; ++d)
        if (const int v = t.needs[static_cast<std::size_t>(d)]; v >= 0)
          of_value[static_cast<std::size_t>(v)] = std::max(of_value[static_cast<std::size_t>(v)], level);
    }
  }

  const Executable& executable_;
  const std::int64_t limit_;
  Trace trace_;
  std::vector<Cell> cells_;
  std::vector<std::vector<bool>> computing_; // per code
  std::vector<int> ready_, loading_;         // elements
  std::vector<int> order_;                   // the element of each step
  std::unordered_map<std::int64_t, Token> stored_;
  std::map<int, std::unordered_map<std::int64_t, Token>> loaded_; // per pass
  std::vector<std::vector<std::int64_t>> shapes_ = {{}};
  std::vector<std::int64_t> numbers_ = {1}; // in a tile of each shape
  std::map<std::vector<std::int64_t>, int> shape_numbers_ = {{{}, 0}};
  std::map<StepKind, int> kind_numbers_;
  std::int64_t events_ = 0, stored_since_retry_ = 0;
};

} // namespace

double StepKind::work() const {
  double sum = static_cast<double>(elementwise + numbers);
  for (const KernelCall& c : calls) sum += 2 * recurrence::multiply_adds(*c.kernel, c.extents);
  return sum;
}

Trace trace(const Executable& executable, std::int64_t limit) {
  const Progress progress("following every value");
  return Tracer(executable, limit).run();
}

} // namespace cyclotron::pe
