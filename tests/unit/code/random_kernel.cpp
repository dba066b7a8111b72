// SPDX-License-Identifier: MIT
#include "unit/code/random_kernel.hpp"

#include "code/build.hpp"

#include <fmt/format.h>

#include <array>
#include <limits>

namespace cyclotron::code {

using namespace build;

namespace {

constexpr std::array<Scalar, 6> all_scalars{Scalar::boolean, Scalar::i16, Scalar::i32,
                                            Scalar::i64,     Scalar::f32, Scalar::f64};
constexpr std::int64_t most_workers = 5; // the sizes go up to it

struct Region {
  std::string memory;
  Scalar scalar = Scalar::f32;
  Expr begin; // of the elements that this worker may use
  std::int64_t elements = 0;
  bool writes = false;
};

class Maker {
public:
  Maker(std::mt19937_64& random, const std::string& name) : random_(random) {
    made_.kernel.name = name;
    made_.kernel.lanes = std::int64_t{1} << below(7);
    made_.kernel.sizes = {"n", "m"};
    width_ = made_.kernel.lanes;
  }

  RandomKernel run() {
    for (const Scalar scalar : {pick(), pick()}) memory(Role::in, scalar, 3 * width_ + 5, 1);
    for (const Scalar scalar : {pick(), pick()}) memory(Role::out, scalar, 2 * width_ + 1, most_workers);
    Body body;
    regions_ = inputs_;
    variables_ = {{"n", {Scalar::i64, false}, false}, {"m", {Scalar::i64, false}, false}};
    if (chance(3)) body.push_back({Fail{1 + below(3), whole_truth(1)}});
    if (chance(2)) declare(body, 2);
    const bool blocks = chance(3);
    body.push_back(blocks ? block_loop() : worker_loop());
    regions_ = inputs_; // the loop may not be done yet
    if (chance(4)) body.push_back({Fail{1 + below(9), whole_truth(2)}});
    made_.kernel.body = std::move(body);
    return std::move(made_);
  }

private:
  struct Named {
    std::string name;
    Type type;
    bool assignable = true;
  };

  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(n)); }
  bool chance(std::int64_t one_of) { return below(one_of) == 0; }
  Scalar pick() { return all_scalars[static_cast<std::size_t>(below(6))]; }
  std::string fresh(const char* stem) { return fmt::format("{}{}", stem, ++names_); }
  static Expr times(const Expr& e, std::int64_t n) { return mul(e, number(n)); }

  // --- memories ---

  void memory(Role role, Scalar scalar, std::int64_t each, std::int64_t workers) {
    const std::string name = fresh(role == Role::in ? "x" : "y");
    made_.kernel.memories.push_back({name, scalar, role, {}});
    made_.elements[name] = each * workers;
    (role == Role::in ? inputs_ : outputs_).push_back({name, scalar, number(0), each, role == Role::out});
  }

  // What worker number `w` of the outermost loop may use.
  void open_regions(const Expr& w) {
    regions_ = inputs_;
    for (Region r : outputs_) {
      r.begin = times(w, r.elements);
      regions_.push_back(r);
    }
  }

  // Scratch is set before it is used.
  void add_scratch(Body& body) {
    const std::string name = fresh("s");
    const Scalar scalar = pick();
    const std::int64_t elements = width_ * (1 + below(3));
    made_.kernel.memories.push_back({name, scalar, Role::scratch, number(elements)});
    const std::string i = fresh("k");
    Statement set =
        loop(Run::serial, i, number(0), number(elements), {store_lanes(name, variable(i), value({scalar, true}, 1))});
    std::get<For>(set.kind).step = width_;
    body.push_back(set);
    regions_.push_back({name, scalar, number(0), elements, true});
  }

  // --- loops ---

  Statement worker_loop() {
    const std::string b = fresh("b");
    variables_.push_back({b, {Scalar::i64, false}, false});
    freeze();
    const std::size_t mark = variables_.size();
    open_regions(variable(b));
    Body body;
    if (chance(2)) add_scratch(body);
    statements(body, 3 + below(5), 2);
    if (body.empty()) declare(body, 1);
    variables_.resize(mark - 1);
    return loop(Run::workers, b, number(0), variable("n"), std::move(body));
  }

  // Workers of a block store to shared memory, wait, and load what others have stored.
  Statement block_loop() {
    const std::string o = fresh("o"), shared = fresh("t"), g = fresh("g"), h = fresh("h");
    const std::int64_t groups = 1 + below(3);
    const Scalar scalar = pick();
    made_.kernel.memories.push_back({shared, scalar, Role::shared, number(groups * width_)});
    variables_.push_back({o, {Scalar::i64, false}, false});
    freeze();
    const std::size_t mark = variables_.size();
    Body block;
    regions_ = inputs_;
    if (chance(2)) declare(block, 1);
    freeze();
    variables_.push_back({g, {Scalar::i64, false}, false});
    Body first;
    statements(first, below(3), 1);
    first.push_back(store_lanes(shared, times(variable(g), width_), value({scalar, true}, 2)));
    block.push_back(loop(Run::workers, g, number(0), number(groups), std::move(first)));
    block.push_back({Barrier{}});
    variables_.resize(mark);
    variables_.push_back({h, {Scalar::i64, false}, false});
    open_regions(variable(o));
    regions_.push_back({shared, scalar, number(0), groups * width_, false});
    Body second;
    if (chance(2)) add_scratch(second);
    statements(second, 2 + below(4), 2);
    if (second.empty()) declare(second, 1);
    block.push_back(loop(Run::workers, h, number(0), number(1), std::move(second)));
    variables_.resize(mark - 1);
    return loop(Run::blocks, o, number(0), variable("n"), std::move(block));
  }

  // What is declared outside of a loop whose iterations run at once is not assigned inside.
  void freeze() {
    for (Named& v : variables_) v.assignable = false;
  }

  // --- statements ---

  void statements(Body& body, std::int64_t count, int depth) {
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t kind = below(10);
      if (kind < 3) declare(body, 3);
      else if (kind < 5) assign(body);
      else if (kind == 5 && depth > 0) inner_loop(body, depth);
      else if (kind == 6 && depth > 0) body.push_back(when(whole_truth(2), inside(depth)));
      else if (kind == 7 && chance(2)) body.push_back({Fail{1 + below(5), value({Scalar::boolean, chance(2)}, 2)}});
      else store(body);
    }
  }

  Body inside(int depth) {
    const std::size_t mark = variables_.size();
    Body body;
    statements(body, 1 + below(3), depth - 1);
    if (body.empty()) declare(body, 1);
    variables_.resize(mark);
    return body;
  }

  void inner_loop(Body& body, int depth) {
    const std::string q = fresh("q");
    const Expr low = number(below(3)),
               high = chance(2) ? variable("m") : build::min(value({Scalar::i64, false}, 1), number(4));
    const std::size_t mark = variables_.size();
    variables_.push_back({q, {Scalar::i64, false}, false});
    Statement s = loop(Run::serial, q, low, high, inside(depth));
    variables_.resize(mark);
    For& f = std::get<For>(s.kind);
    if (chance(3)) {
      std::swap(f.first, f.end);
      f.first = build::min(f.first, number(5));
      f.step = -1 - below(2);
    } else if (chance(3)) {
      f.step = 1 + below(3);
    }
    if (chance(4)) f.unroll = 1 + below(4);
    body.push_back(s);
  }

  void declare(Body& body, int depth) {
    const Type type{pick(), chance(3) ? false : true};
    const std::string name = fresh("v");
    body.push_back(build::declare(name, type, chance(8) ? Expr{} : value(type, depth)));
    variables_.push_back({name, type, true});
  }

  void assign(Body& body) {
    std::vector<Named> candidates;
    for (const Named& v : variables_)
      if (v.assignable) candidates.push_back(v);
    if (candidates.empty()) return;
    const Named& v = candidates[static_cast<std::size_t>(below(static_cast<std::int64_t>(candidates.size())))];
    body.push_back(build::assign(v.name, value(v.type, 3)));
  }

  void store(Body& body) {
    std::vector<Region> candidates;
    for (const Region& r : regions_)
      if (r.writes) candidates.push_back(r);
    if (candidates.empty()) return;
    const Region r = candidates[static_cast<std::size_t>(below(static_cast<std::int64_t>(candidates.size())))];
    const bool lanes = !chance(4);
    const Expr stored = value({r.scalar, lanes}, 3);
    if (!lanes) {
      const Expr mask = chance(3) ? whole_truth(1) : Expr{};
      return body.push_back(build::store(r.memory, element(r), stored, mask));
    }
    const Access a = access(r, true);
    if (a.stride) body.push_back({Store{r.memory, a.index, a.stride, stored, a.mask}});
    else body.push_back(build::store(r.memory, a.index, stored, a.mask));
  }

  // --- elements of a region ---

  Expr clamped(const Expr& e, std::int64_t low, std::int64_t high) {
    return build::max(build::min(e, number(high)), number(low));
  }

  Expr element(const Region& r) { return add(r.begin, clamped(value({Scalar::i64, false}, 1), 0, r.elements - 1)); }

  struct Access {
    Expr index, stride, mask;
  };

  // Lanes of a region. Those that store do not meet: no two to one element.
  Access access(const Region& r, bool stores) {
    if (chance(4)) return indexed(r, stores);
    const std::int64_t strides[] = {1, 1, 1, 2, -1, stores ? 3 : 0};
    std::int64_t stride = strides[below(6)];
    const Expr wanted = value({Scalar::i64, false}, 1);
    if (chance(3)) { // from anywhere, where a mask keeps it inside
      const Expr first =
          chance(2) ? clamped(wanted, -3, r.elements) : add(clamped(wanted, 0, 1), number(r.elements - width_ / 2));
      const Expr own = add(spread(first), mul(convert(Scalar::i64, lane()), spread(number(stride))));
      const Expr mask = logical_and(less_equal(spread(number(0)), own), less(own, spread(number(r.elements))));
      return {add(r.begin, first), number(stride),
              chance(2) ? mask : logical_and(mask, value({Scalar::boolean, true}, 1))};
    }
    if ((width_ - 1) * std::abs(stride) >= r.elements) stride = 1;
    const std::int64_t reach = (width_ - 1) * stride;
    const Expr first =
        clamped(wanted, std::max<std::int64_t>(0, -reach), r.elements - 1 - std::max<std::int64_t>(0, reach));
    const Expr step = chance(5) ? sub(add(variable("m"), number(stride)), variable("m")) : number(stride);
    return {add(r.begin, first), step, chance(4) ? value({Scalar::boolean, true}, 1) : Expr{}};
  }

  // Every lane an index of its own, of either type.
  Access indexed(const Region& r, bool stores) {
    const Scalar scalar = chance(2) ? Scalar::i32 : Scalar::i64;
    const auto all = [&](std::int64_t n) { return spread(number(n, scalar)); };
    const Expr own = convert(scalar, lane());
    Expr index = stores ? mod(add(mul(own, all(1 + 2 * below(4))), all(below(width_))), all(width_))
                        : mod(value({scalar, true}, 1), all(r.elements));
    Expr mask = chance(3) ? value({Scalar::boolean, true}, 1) : Expr{};
    if (!stores && chance(3)) { // outside of it, where a mask keeps it inside
      index = value({scalar, true}, 1);
      mask = logical_and(less_equal(all(0), index), less(index, all(r.elements)));
    }
    const Expr begin = spread(convert(scalar, r.begin));
    return {add(index, begin), {}, mask};
  }

  // --- values ---

  Expr whole_truth(int depth) { return value({Scalar::boolean, false}, depth); }

  Expr literal(Scalar scalar) {
    constexpr double reals[] = {0.0, -0.0, 1.0, 0.5, -3.0, 0.1, 1e30, std::numeric_limits<double>::infinity()};
    switch (scalar) {
    case Scalar::boolean: return truth(chance(2));
    case Scalar::f32: return real(static_cast<double>(static_cast<float>(reals[below(8)])), scalar);
    case Scalar::f64: return real(reals[below(8)], scalar);
    case Scalar::i16: return number(chance(5) ? -32768 : below(9) - 3, scalar);
    case Scalar::i32: return number(chance(5) ? -2147483648 : below(9) - 3, scalar);
    default: return number(chance(5) ? std::numeric_limits<std::int64_t>::min() : below(9) - 3, scalar);
    }
  }

  Expr leaf(Type type) {
    std::vector<std::string> names;
    for (const Named& v : variables_)
      if (v.type == type) names.push_back(v.name);
    if (!names.empty() && !chance(4))
      return variable(names[static_cast<std::size_t>(below(static_cast<std::int64_t>(names.size())))]);
    if (type == Type{Scalar::i32, true} && chance(2)) return lane();
    return type.lanes ? spread(literal(type.scalar)) : literal(type.scalar);
  }

  Expr loaded(Type type) {
    std::vector<Region> candidates;
    for (const Region& r : regions_)
      if (r.scalar == type.scalar) candidates.push_back(r);
    if (candidates.empty()) return leaf(type);
    const Region r = candidates[static_cast<std::size_t>(below(static_cast<std::int64_t>(candidates.size())))];
    if (!type.lanes) return load(r.memory, element(r), chance(4) ? whole_truth(1) : Expr{});
    const Access a = access(r, false);
    return Expr(Load{r.memory, a.index, a.stride, a.mask});
  }

  Expr value(Type type, int depth) {
    if (depth <= 0) return leaf(type);
    const std::int64_t kind = below(12);
    if (kind < 3) return loading_ < 2 ? deeper_load(type) : leaf(type);
    if (kind == 3)
      return Expr(
          Select{value({Scalar::boolean, type.lanes}, depth - 1), value(type, depth - 1), value(type, depth - 1)});
    if (kind == 4) return converted(type, depth);
    if (kind == 5 && type.lanes) return spread(value({type.scalar, false}, depth - 1));
    if (kind == 6 && type.lanes && width_ > 1) return shifted(type, depth);
    if (kind == 6 && !type.lanes) return extracted(type, depth);
    if (kind == 7 && type == Type{Scalar::boolean, false}) return any(value({Scalar::boolean, true}, depth - 1));
    if (type.scalar == Scalar::boolean) return truth_of(type.lanes, depth);
    return arithmetic(type, depth);
  }

  // Indices are loaded too, but not for ever.
  Expr deeper_load(Type type) {
    ++loading_;
    Expr result = loaded(type);
    --loading_;
    return result;
  }

  Expr extracted(Type type, int depth) {
    const Expr which = chance(2) ? number(below(width_)) : clamped(value({Scalar::i64, false}, 1), 0, width_ - 1);
    return extract(value({type.scalar, true}, depth - 1), which);
  }

  // Lanes that may be anything are not used.
  Expr shifted(Type type, int depth) {
    std::int64_t distance = 1 + below(width_ - 1);
    if (chance(2)) distance = -distance;
    const Expr operand = value(type, depth - 1);
    if (!chance(3)) return shift(operand, distance, value(type, depth - 1));
    const auto all = [](std::int64_t n) { return spread(number(n, Scalar::i32)); };
    const Expr known = distance > 0 ? less_equal(all(distance), lane()) : less(lane(), all(width_ + distance));
    return Expr(Select{known, shift(operand, distance), value(type, depth - 1)});
  }

  Expr converted(Type type, int depth) {
    const Scalar from = pick();
    Expr operand = value({from, type.lanes}, depth - 1);
    if (is_float(from) && is_whole(type.scalar)) { // what must fit
      const auto all = [&](double r) { return type.lanes ? spread(real(r, from)) : real(r, from); };
      operand = Expr(Select{equal(operand, operand), build::max(build::min(operand, all(30000)), all(-30000)), all(0)});
    }
    return Expr(Convert{type.scalar, operand});
  }

  Expr truth_of(bool lanes, int depth) {
    const auto part = [&] { return value({Scalar::boolean, lanes}, depth - 1); };
    switch (below(6)) {
    case 0: return binary(BinaryOp::logical_and, part(), part());
    case 1: return binary(BinaryOp::logical_or, part(), part());
    case 2: return unary(UnaryOp::logical_not, part());
    case 3: return binary(chance(2) ? BinaryOp::equal : BinaryOp::not_equal, part(), part());
    default: break;
    }
    constexpr BinaryOp comparisons[] = {BinaryOp::less, BinaryOp::less_equal, BinaryOp::equal, BinaryOp::not_equal};
    const Type type{all_scalars[static_cast<std::size_t>(1 + below(5))], lanes};
    return binary(comparisons[below(4)], value(type, depth - 1), value(type, depth - 1));
  }

  Expr arithmetic(Type type, int depth) {
    const Expr a = value(type, depth - 1);
    if (chance(6)) return unary(chance(2) ? UnaryOp::negate : UnaryOp::absolute, a);
    const Expr b = value(type, depth - 1);
    if (is_float(type.scalar)) {
      if (chance(8)) return unary(UnaryOp::sqrt, a);
      constexpr BinaryOp ops[] = {BinaryOp::add, BinaryOp::sub, BinaryOp::mul,
                                  BinaryOp::div, BinaryOp::min, BinaryOp::max};
      return binary(ops[below(6)], a, b);
    }
    constexpr BinaryOp ops[] = {BinaryOp::add, BinaryOp::sub,    BinaryOp::mul,      BinaryOp::min,
                                BinaryOp::max, BinaryOp::bit_or, BinaryOp::bit_and,  BinaryOp::bit_xor,
                                BinaryOp::div, BinaryOp::mod,    BinaryOp::floor_div};
    const BinaryOp op = ops[below(11)];
    const auto all = [&](std::int64_t n) {
      return type.lanes ? spread(number(n, type.scalar)) : number(n, type.scalar);
    };
    if (op == BinaryOp::div) return binary(op, a, binary(BinaryOp::bit_or, b, all(1))); // never 0
    if (op != BinaryOp::mod && op != BinaryOp::floor_div) return binary(op, a, b);
    if (chance(2)) return binary(op, a, all(std::int64_t{1} << below(5)));
    return binary(op, a, binary(BinaryOp::add, binary(BinaryOp::bit_and, b, all(15)), all(1)));
  }

  std::mt19937_64& random_;
  RandomKernel made_;
  std::int64_t width_ = 1;
  std::vector<Region> inputs_, outputs_, regions_; // regions_: what may be used here
  std::vector<Named> variables_;
  int names_ = 0;
  int loading_ = 0;
};

} // namespace

RandomKernel random_kernel(std::mt19937_64& random, const std::string& name) { return Maker(random, name).run(); }

} // namespace cyclotron::code
