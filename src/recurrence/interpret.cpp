// SPDX-License-Identifier: MIT
#include "recurrence/interpret.hpp"

#include "recurrence/evaluate.hpp"
#include "support/memory.hpp"
#include "support/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>

namespace cyclotron::recurrence {

using tensor::is_float;
using tensor::ValueType;

namespace {

class Interpreter {
public:
  Interpreter(const Program& program, const Types& types, const Domains& domains, const Bindings& bindings,
              const InterpretOptions& options, Diagnostics& diagnostics)
      : program_(program), types_(types), domains_(domains), bindings_(bindings), options_(options),
        diagnostics_(diagnostics) {}

  std::optional<std::map<std::string, tensor::Tensor>> run() {
    for (const EquationDomain& e : domains_.equations)
      equations_.push_back(make_code(e, program_, types_, domains_, bindings_.sizes));
    for (const TensorDecl& t : program_.tensors) describe_storage(t);
    if (diagnostics_.failed() || !fits_memory()) return std::nullopt;
    for (Storage& s : storage_)
      if (!s.input) allocate(s);
    states_.assign(static_cast<std::size_t>(base_.back()), State::absent);
    int slots = 0;
    for (const EquationCode& e : equations_) slots = std::max(slots, e.slots);
    evaluator_.slots.assign(static_cast<std::size_t>(slots) + 1, 0);
    define_instances();
    if (!compute_all()) return std::nullopt;
    return results();
  }

private:
  std::int64_t size_of(const Expr& dim) const {
    return accepted_affine(dim, program_).evaluate([&](const std::string& n) { return bindings_.sizes.at(n); });
  }

  void describe_storage(const TensorDecl& t) {
    Storage s;
    s.type = t.type;
    for (const Expr& d : t.dims) s.dims.push_back(size_of(d));
    if (!program_.is_output(t.name.name)) {
      s.input = &bindings_.tensors.at(t.name.name);
      if (!is_plain(*s.input) && read_in_tiles(t)) {
        auto dense = tensor::convert(*s.input, tensor::dense_format(s.input->rank()), diagnostics_);
        if (!dense) return;
        made_dense_.push_back(std::move(*dense));
        s.input = &made_dense_.back();
      }
      s.input_is_plain = is_plain(*s.input);
    } else if (program_.is_stepped(t.name.name)) {
      s.stepped = true;
      const auto box = box_of(domains_.steps.at(t.name.name), program_, bindings_.sizes);
      s.first_step = box ? (*box)[0].first : 0;
      s.last_step = box ? (*box)[0].second : -1;
    }
    storage_.push_back(std::move(s));
  }

  static bool is_plain(const tensor::Tensor& t) {
    const tensor::Format plain = tensor::dense_format(t.rank());
    return t.format.levels == plain.levels && t.format.order == plain.order;
  }

  bool read_in_tiles(const TensorDecl& t) const {
    bool found = false;
    for (const Equation& e : program_.equations)
      ir::walk<ExprNode>(e.value, [&](const Expr& x) {
        const Access* a = as<Access>(x);
        found |= a && a->tensor == t.name.name && a->indices.size() < t.dims.size();
      });
    return found;
  }

  static std::vector<std::int64_t> stored_dims(const Storage& s) {
    std::vector<std::int64_t> dims = s.dims;
    if (s.stepped) dims.insert(dims.begin(), s.last_step - s.first_step + 1);
    return dims;
  }

  // Says so before allocating where the outputs and the bookkeeping do not fit.
  bool fits_memory() {
    double bytes = 0;
    base_ = {0};
    for (const EquationCode& e : equations_) {
      const auto count = checked_product(e.extent);
      bytes += count ? static_cast<double>(*count) : 1e30;
    }
    double largest = 0;
    std::size_t culprit = 0;
    for (std::size_t i = 0; i < storage_.size(); ++i) {
      if (storage_[i].input) continue;
      double own = sizeof(Word) + sizeof(std::int64_t);
      for (std::int64_t d : stored_dims(storage_[i])) own *= static_cast<double>(d);
      bytes += own;
      if (own > largest) {
        largest = own;
        culprit = i;
      }
    }
    if (bytes <= static_cast<double>(available_memory())) {
      for (const EquationCode& e : equations_) base_.push_back(base_.back() + checked_product(e.extent).value_or(0));
      return true;
    }
    diagnostics_
        .error(program_.tensors[culprit].span,
               fmt::format("computing `{}` needs {}{}, but only {} is available", program_.tensors[culprit].name.name,
                           bytes < uncounted_bytes ? "about " : "", describe_bytes(bytes),
                           describe_bytes(static_cast<double>(available_memory()))))
        .with_hint("run it with smaller sizes; the interpreter keeps every element of every step");
    return false;
  }

  static void allocate(Storage& s) {
    const std::size_t count = static_cast<std::size_t>(checked_product(stored_dims(s)).value_or(0));
    Word zero;
    zero.whole = 0; // also 0.0
    s.values.assign(count, zero);
    s.instance.assign(count, -1);
  }

  // --- instances: an equation with values for its indices, numbered through the boxes of all equations ---

  void load_indices(std::size_t equation, std::int64_t number) {
    const EquationCode& e = equations_[equation];
    for (std::size_t i = e.domain->indices.size(); i-- > 0;) {
      evaluator_.slots[i] = e.first[i] + number % e.extent[i];
      number /= e.extent[i];
    }
  }

  std::size_t equation_of(std::int64_t instance) const {
    return static_cast<std::size_t>(std::upper_bound(base_.begin(), base_.end(), instance) - base_.begin()) - 1;
  }

  void define_instances() {
    Progress progress("listing what is to be interpreted", {base_.back()});
    for (std::size_t e = 0; e < equations_.size(); ++e) {
      define_instances(e);
      progress.advance_to(base_[e + 1]);
    }
  }

  void define_instances(std::size_t equation) {
    const EquationCode& e = equations_[equation];
    Storage& s = storage_[static_cast<std::size_t>(e.tensor)];
    const std::size_t given = e.coordinates.size() - (s.stepped ? 1 : 0);
    const std::int64_t count = base_[equation + 1] - base_[equation];
    for (std::int64_t i = 0; i < count; ++i) {
      load_indices(equation, i);
      if (!std::all_of(e.conditions.begin(), e.conditions.end(),
                       [&](const LinearCondition& c) { return c.holds(evaluator_.slots.data()); }))
        continue;
      const std::int64_t instance = base_[equation] + i;
      states_[static_cast<std::size_t>(instance)] = State::waiting;
      ++total_;
      const std::int64_t tile = s.tile_size(given);
      if (tile == 0) continue;
      const std::int64_t at = evaluator_.offset(s, e.coordinates, false);
      for (std::int64_t j = 0; j < tile; ++j) {
        std::int64_t& owner = s.instance[static_cast<std::size_t>(at + j)];
        if (owner >= 0) bug("an element is defined twice");
        owner = instance;
      }
    }
  }

  bool compute_all() {
    Progress progress("interpreting", {total_});
    for (std::int64_t i = 0; i < base_.back(); ++i) {
      if (states_[static_cast<std::size_t>(i)] != State::waiting) continue;
      if (!compute(i, progress)) return false;
    }
    return true;
  }

  // Computes one instance and, before it, whatever it needs. The open instances on the stack are, from bottom to
  // top, each needed by the one below: meeting an open one again is a cycle.
  bool compute(std::int64_t wanted, Progress& progress) {
    std::vector<std::int64_t> stack{wanted};
    while (!stack.empty()) {
      const std::int64_t top = stack.back();
      State& state = states_[static_cast<std::size_t>(top)];
      if (state == State::done) {
        stack.pop_back();
        continue;
      }
      state = State::open;
      if (!evaluate(top)) return false;
      if (evaluator_.missing.empty()) {
        state = State::done;
        stack.pop_back();
        progress.advance_to(++done_);
        continue;
      }
      for (std::int64_t need : evaluator_.missing)
        if (states_[static_cast<std::size_t>(need)] == State::open) {
          report_cycle(stack, need);
          return false;
        }
      stack.insert(stack.end(), evaluator_.missing.begin(), evaluator_.missing.end());
    }
    return true;
  }

  // Evaluates an instance and stores its value if nothing is missing. False where a number overflowed.
  bool evaluate(std::int64_t instance) {
    const std::size_t equation = equation_of(instance);
    const EquationCode& e = equations_[equation];
    load_indices(equation, instance - base_[equation]);
    evaluator_.start();
    evaluator_.zero_by_zero_is_zero = !tensor::is_dense(program_.tensors[static_cast<std::size_t>(e.tensor)].format);
    Storage& s = storage_[static_cast<std::size_t>(e.tensor)];
    const std::size_t given = e.coordinates.size() - (s.stepped ? 1 : 0);
    const std::int64_t count = s.tile_size(given);
    const std::int64_t at = evaluator_.offset(s, e.coordinates, false);
    if (e.value.is_tile) {
      const Tile tile = evaluator_.tile(e.value);
      if (!evaluator_.missing.empty()) return true;
      if (!computed(instance)) return false;
      for (std::size_t i = 0; i < tile.values.size(); ++i)
        s.values[static_cast<std::size_t>(at) + i] = stored(tile.values[i], s.type);
      return true;
    }
    const Word value = evaluator_.number(e.value);
    if (!evaluator_.missing.empty()) return true;
    if (!computed(instance)) return false;
    std::fill_n(s.values.begin() + at, count, value);
    return true;
  }

  // Whether the last evaluation went well; reports what went wrong.
  bool computed(std::int64_t instance) {
    const EquationCode& e = equations_[equation_of(instance)];
    if (evaluator_.overflowed) {
      diagnostics_
          .error(evaluator_.overflow_span,
                 fmt::format("an integer overflows while computing `{}`", element_name(instance)))
          .with_hint(overflow_hint(program_, *e.domain->equation));
      return false;
    }
    if (evaluator_.failure != Failure::none) {
      report_failure(evaluator_.failure, e.domain->equation->span, element_name(instance), diagnostics_);
      return false;
    }
    return true;
  }

  static Word stored(double value, ValueType type) {
    return tensor::real_word(type == ValueType::f32 ? static_cast<double>(static_cast<float>(value)) : value);
  }

  std::string element_name(std::int64_t instance) {
    const std::size_t equation = equation_of(instance);
    const EquationCode& e = equations_[equation];
    load_indices(equation, instance - base_[equation]);
    std::string out = program_.tensors[static_cast<std::size_t>(e.tensor)].name.name, indices;
    for (std::size_t i = 0; i < e.coordinates.size(); ++i) {
      const std::int64_t value = e.coordinates[i].evaluate(evaluator_.slots.data());
      if (i == 0 && storage_[static_cast<std::size_t>(e.tensor)].stepped)
        out += value < 0 ? fmt::format("^({})", value) : fmt::format("^{}", value);
      else indices += fmt::format("{}{}", indices.empty() ? "" : ", ", value);
    }
    return indices.empty() ? out : out + "(" + indices + ")";
  }

  void report_cycle(const std::vector<std::int64_t>& stack, std::int64_t again) {
    std::vector<std::int64_t> cycle;
    for (std::size_t i = stack.size(); i-- > 0;) {
      if (states_[static_cast<std::size_t>(stack[i])] == State::open) cycle.push_back(stack[i]);
      if (stack[i] == again) break;
    }
    std::reverse(cycle.begin(), cycle.end());
    const std::string first = element_name(cycle[0]);
    Diagnostic& d = diagnostics_.error(equations_[equation_of(cycle[0])].domain->equation->span,
                                       fmt::format("`{}` needs itself", first));
    for (std::size_t i = 0; i < cycle.size() && i < 6; ++i)
      d.note(equations_[equation_of(cycle[i])].domain->equation->span,
             fmt::format("`{}` needs `{}`", element_name(cycle[i]), element_name(cycle[(i + 1) % cycle.size()])));
  }

  // --- results ---

  std::optional<std::map<std::string, tensor::Tensor>> results() {
    std::map<std::string, tensor::Tensor> out;
    for (std::size_t i = 0; i < storage_.size(); ++i) {
      Storage& s = storage_[i];
      if (s.input) continue;
      const TensorDecl& decl = program_.tensors[i];
      auto result = result_of(s, decl);
      if (!result) return std::nullopt;
      out.emplace(decl.name.name, std::move(*result));
    }
    return out;
  }

  std::optional<tensor::Tensor> result_of(Storage& s, const TensorDecl& decl) {
    const bool every_step = s.stepped && options_.all_steps.count(decl.name.name);
    const std::vector<std::int64_t> dims = every_step ? stored_dims(s) : s.dims;
    auto dense = tensor::zeros(dims, s.type, decl.name.name, diagnostics_);
    if (!dense) return std::nullopt;
    const std::size_t count = static_cast<std::size_t>(dense->stored());
    const std::size_t from = s.values.size() >= count ? s.values.size() - count : 0;
    if (!s.values.empty())
      std::visit(
          [&](auto& values) {
            using T = typename std::decay_t<decltype(values)>::value_type;
            for (std::size_t j = 0; j < count; ++j)
              values[j] =
                  is_float(s.type) ? static_cast<T>(s.values[from + j].real) : static_cast<T>(s.values[from + j].whole);
          },
          dense->values);
    if (every_step || decl.format.levels == dense->format.levels) {
      if (every_step || decl.format.order == dense->format.order) return dense;
    }
    return tensor::convert(*dense, decl.format, diagnostics_);
  }

  const Program& program_;
  const Types& types_;
  const Domains& domains_;
  const Bindings& bindings_;
  const InterpretOptions& options_;
  Diagnostics& diagnostics_;
  std::vector<EquationCode> equations_;
  std::vector<std::int64_t> base_; // first instance of each equation, and one past the last
  std::vector<Storage> storage_;
  std::deque<tensor::Tensor> made_dense_;
  std::vector<State> states_;
  Evaluator evaluator_{storage_, states_};
  std::int64_t total_ = 0, done_ = 0;
};

} // namespace

std::optional<std::map<std::string, tensor::Tensor>> interpret(const Program& program, const Types& types,
                                                               const Domains& domains, const Bindings& bindings,
                                                               const InterpretOptions& options,
                                                               Diagnostics& diagnostics) {
  return Interpreter(program, types, domains, bindings, options, diagnostics).run();
}

} // namespace cyclotron::recurrence
