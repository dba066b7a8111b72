// SPDX-License-Identifier: MIT
// What a PE computes on tiles: kernels by BLAS and LAPACK where they have them, into memory that is there already where
// nobody else reads it, and what is done element by element.
#include "backend/mpi/rank.hpp"

#include <algorithm>
#include <cmath>

namespace cyclotron::mpi {

using pe::Opcode;
using recurrence::Failure;

namespace {

// An argument of a kernel: a tile, or a number in the place of one, filled in.
TileRef with_extents(const TileRef& tile, const std::vector<std::int64_t>& largest, Arena& arena) {
  if (tile->extents_used > 0 || largest.empty()) return tile;
  TileRef filled = arena.make(largest);
  std::fill_n(filled->values(), filled->numbers(), tile->values()[0]);
  return filled;
}

recurrence::Tile plain(const TileHead& tile) {
  recurrence::Tile made;
  made.dims.assign(tile.extents.begin(), tile.extents.begin() + tile.extents_used);
  made.values.assign(tile.values(), tile.values() + tile.numbers());
  return made;
}

std::vector<std::int64_t> result_extents(const recurrence::Kernel& kernel, const std::vector<TileRef>& arguments) {
  std::vector<std::vector<std::int64_t>> dims;
  for (const TileRef& a : arguments) dims.emplace_back(a->extents.begin(), a->extents.begin() + a->extents_used);
  return recurrence::result_extents(kernel, dims);
}

bool has_extents(const TileHead& tile, const std::vector<std::int64_t>& extents) {
  return tile.extents_used == static_cast<std::int64_t>(extents.size()) &&
         std::equal(extents.begin(), extents.end(), tile.extents.begin());
}

// to = to + factor * from.
void add_scaled(TileHead& to, const TileHead& from, double factor) {
  double* a = to.values();
  const double* b = from.values();
  const std::int64_t count = to.numbers();
  for (std::int64_t i = 0; i < count; ++i) a[i] += factor * b[i];
}

} // namespace

bool Cell::compute(const pe::Instruction& i) {
  const bool calls = i.op == Opcode::kernel || i.op == Opcode::add_kernel || i.op == Opcode::sub_kernel;
  if (calls) return call_kernel(i);
  const double begin = seconds_now();
  const bool good = elementwise(i);
  Spent& spent = rank.profile_.kernels["elementwise"];
  ++spent.calls;
  spent.seconds += seconds_now() - begin;
  return good;
}

// A kernel with what it is called with.
struct Cell::Call {
  const pe::KernelCode& code;
  const BlasKernel* blas; // none: the plain loops of the kernel table
  double factor;          // of the product that is added to a sum
  std::vector<TileRef> arguments;
  std::vector<Operand> operands;
  std::vector<std::int64_t> extents; // of the result
};

// sum + factor * kernel, all of it by the BLAS. Nothing where the sum has another shape.
TileRef Cell::accumulated(const Call& call, const pe::Instruction& i) {
  TileRef& sum = tiles_[static_cast<std::size_t>(i.c)];
  const bool is_number = sum->extents_used == 0;
  if (!is_number && !has_extents(*sum, call.extents)) return {};
  TileRef result;
  double beta = 1;
  if (!is_number && i.a == i.c && sum.is_only()) result = std::move(sum);
  else {
    result = rank.arena_.make(call.extents);
    if (is_number && sum->values()[0] == 0) beta = 0;
    else if (is_number) std::fill_n(result->values(), result->numbers(), sum->values()[0]);
    else std::copy_n(sum->values(), sum->numbers(), result->values());
  }
  state.failure = call.blas->call(call.operands.data(), call.factor, beta, result->values(), call.extents.data());
  return result;
}

TileRef Cell::computed(Call& call) {
  TileRef result;
  // The memory of an argument that nothing else reads can take the result.
  const int reused = call.blas ? call.blas->in_place : -1;
  if (reused >= 0 && call.code.consumed[static_cast<std::size_t>(reused)]) {
    TileRef& own = tiles_[static_cast<std::size_t>(call.code.arguments[static_cast<std::size_t>(reused)])];
    TileRef& argument = call.arguments[static_cast<std::size_t>(reused)];
    if (own.get() == argument.get() && has_extents(*own, call.extents)) {
      argument.reset(); // else there are two references
      if (own.is_only()) result = std::move(own);
      else argument = own;
    }
  }
  if (!result) result = rank.arena_.make(call.extents);
  if (call.blas) state.failure = call.blas->call(call.operands.data(), 1, 0, result->values(), call.extents.data());
  else {
    std::vector<recurrence::Tile> tiles;
    for (const TileRef& a : call.arguments) tiles.push_back(plain(*a));
    const recurrence::Tile made = call.code.kernel->compute(tiles, &state.failure);
    std::copy(made.values.begin(), made.values.end(), result->values());
  }
  return result;
}

// sum + factor * result. Nothing where the sum has another shape.
TileRef Cell::added(const Call& call, const TileRef& result, const TileRef& sum) {
  if (sum->extents_used > 0 && !sum->same_shape(*result)) return {};
  TileRef total = rank.arena_.make(call.extents);
  if (sum->extents_used > 0) std::copy_n(sum->values(), sum->numbers(), total->values());
  else std::fill_n(total->values(), total->numbers(), sum->values()[0]);
  add_scaled(*total, *result, call.factor);
  return total;
}

bool Cell::call_kernel(const pe::Instruction& i) {
  const double begin = seconds_now();
  const pe::KernelCode& code = state.code->kernels[static_cast<std::size_t>(i.b)];
  const auto role = static_cast<std::size_t>(state.code - rank.executable_.codes.data());
  Call call{code, rank.blas_[role][static_cast<std::size_t>(i.b)], i.op == Opcode::sub_kernel ? -1.0 : 1.0, {}, {}, {}};
  for (std::size_t a = 0; a < code.arguments.size(); ++a)
    call.arguments.push_back(
        with_extents(tiles_[static_cast<std::size_t>(code.arguments[a])], code.largest[a], rank.arena_));
  for (const TileRef& a : call.arguments) call.operands.push_back({a->values(), a->extents.data()});
  call.extents = result_extents(*code.kernel, call.arguments);

  const bool adds = i.op != Opcode::kernel;
  TileRef result;
  if (adds && call.blas && call.blas->accumulates) result = accumulated(call, i);
  else {
    result = computed(call);
    if (adds) result = added(call, result, tiles_[static_cast<std::size_t>(i.c)]);
  }
  if (!result) {
    state.fault = pe::Fault::unlike_tiles;
    return false;
  }
  tiles_[static_cast<std::size_t>(i.a)] = std::move(result);
  Spent& spent = rank.profile_.kernels[std::string(code.kernel->name)];
  ++spent.calls;
  spent.seconds += seconds_now() - begin;
  if (state.failure == Failure::none) return true;
  state.fault = pe::Fault::arithmetic;
  return false;
}

bool Cell::elementwise(const pe::Instruction& i) {
  const auto tile = [&](int n) -> TileRef& { return tiles_[static_cast<std::size_t>(n)]; };
  const bool is_last = state.code->last_reads[static_cast<std::size_t>(&i - state.code->instructions.data())];
  // Into the memory of tile b where nothing else reads it.
  const auto each = [&](TileRef& from, auto&& f) {
    if (is_last && &from == &tile(i.b) && from.is_only()) {
      double* values = from->values();
      const std::int64_t count = from->numbers();
      for (std::int64_t n = 0; n < count; ++n) values[n] = f(values[n]);
      return std::move(from);
    }
    TileRef made = rank.arena_.make(from->extents.data(), static_cast<std::size_t>(from->extents_used));
    const double* a = from->values();
    double* to = made->values();
    const std::int64_t count = from->numbers();
    for (std::int64_t n = 0; n < count; ++n) to[n] = f(a[n]);
    return made;
  };
  const auto sum = [&](TileRef& a, TileRef& b, double sign) -> TileRef {
    if (b->extents_used == 0) return each(a, [v = sign * b->values()[0]](double x) { return x + v; });
    if (a->extents_used == 0) return each(b, [v = a->values()[0], sign](double x) { return v + sign * x; });
    if (!a->same_shape(*b)) return {};
    if (is_last && a.is_only()) {
      add_scaled(*a, *b, sign);
      return std::move(a);
    }
    TileRef made = rank.arena_.make(a->extents.data(), static_cast<std::size_t>(a->extents_used));
    const double *x = a->values(), *y = b->values();
    double* to = made->values();
    const std::int64_t count = a->numbers();
    for (std::int64_t n = 0; n < count; ++n) to[n] = x[n] + sign * y[n];
    return made;
  };
  switch (i.op) {
  case Opcode::add_tile: tile(i.a) = sum(tile(i.b), tile(i.c), 1); break;
  case Opcode::sub_tile: tile(i.a) = sum(tile(i.b), tile(i.c), -1); break;
  case Opcode::scale_tile: tile(i.a) = each(tile(i.b), [v = state.words[i.c].real](double x) { return x * v; }); break;
  case Opcode::divide_tile:
    if (state.words[i.c].real == 0) {
      state.fault = pe::Fault::arithmetic;
      state.failure = Failure::divides_by_zero;
      return false;
    }
    tile(i.a) = each(tile(i.b), [v = state.words[i.c].real](double x) { return x / v; });
    break;
  case Opcode::negate_tile: tile(i.a) = each(tile(i.b), [](double x) { return -x; }); break;
  case Opcode::round_tile:
    tile(i.a) = each(tile(i.b), [](double x) { return static_cast<double>(static_cast<float>(x)); });
    break;
  case Opcode::fill_tile:
    tile(i.a) = rank.arena_.make(nullptr, 0);
    tile(i.a)->values()[0] = state.words[i.b].real;
    break;
  default: bug("no such operation on tiles");
  }
  if (!tile(i.a)) state.fault = pe::Fault::unlike_tiles;
  return static_cast<bool>(tile(i.a));
}

} // namespace cyclotron::mpi
