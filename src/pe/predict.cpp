// SPDX-License-Identifier: MIT
#include "pe/predict.hpp"

#include "pe/walk.hpp"
#include "support/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace cyclotron::pe {

namespace {

std::uint64_t bytes_of(ValueType type, const std::vector<std::int64_t>& tile) {
  auto bytes = static_cast<std::uint64_t>(tensor::size_of(type));
  for (const std::int64_t extent : tile) bytes *= static_cast<std::uint64_t>(extent);
  return bytes;
}

void find_registers(const std::vector<Statement>& body, std::set<std::string>& names) {
  const auto used_by_action = ir::overload{
      [&](const Load& a) { names.insert(a.to.name); }, [&](const Receive& a) { names.insert(a.to.name); },
      [&](const Send& a) { names.insert(a.from.name); }, [&](const Store& a) { names.insert(a.from.name); },
      [&](const Compute& a) {
        names.insert(a.to.name);
        ir::walk<recurrence::ExprNode>(a.value, [&](const Expr& e) {
          if (const auto* access = ir::as<recurrence::Access>(e)) names.insert(access->tensor);
        });
      }};
  for (const Statement& s : body)
    std::visit(ir::overload{[&](const Loop& l) { find_registers(l.body, names); },
                            [&](const If& i) { find_registers(i.body, names); }, [](const Pass&) {},
                            [&](const Step& step) {
                              for (const Action& a : step.actions) std::visit(used_by_action, a);
                            }},
               s.kind);
}

std::uint64_t memory_of(const Role& role, const Program& program) {
  std::set<std::string> names;
  find_registers(role.body, names);
  std::uint64_t sum = 0;
  for (const std::string& name : names) {
    const Register& r = *program.find_register(name);
    std::uint64_t bytes = bytes_of(r.type, r.tile);
    for (const Register::Extent& e : r.table) bytes *= static_cast<std::uint64_t>(e.count);
    sum += bytes;
  }
  return sum;
}

class Predictor {
public:
  Predictor(const Program& program, std::int64_t most_work)
      : program_(program), work_(most_work), grid_(program), links_(program.channels.size() * elements()),
        lost_(links_.size()) {}

  std::optional<Prediction> run() {
    std::vector<Walk> walks;
    std::vector<std::uint64_t> memory;
    for (const Role& role : program_.roles) {
      walks.emplace_back(role, program_);
      memory.push_back(memory_of(role, program_));
    }
    for (const Element& e : grid_.elements()) {
      prediction_.elements.push_back({e.at, e.role});
      if (e.role < 0) continue;
      const auto role = static_cast<std::size_t>(e.role);
      prediction_.elements.back().memory_bytes = memory[role];
      if (!follow(walks[role], static_cast<int>(prediction_.elements.size()) - 1)) return std::nullopt;
    }
    gather_links();
    return std::move(prediction_);
  }

private:
  struct Counts {
    std::uint64_t sent = 0, received = 0;
  };

  std::size_t elements() const { return static_cast<std::size_t>(grid_.size()); }

  // Counts how often each step is taken, and then what that means. False where it takes too long.
  bool follow(const Walk& walk, int element) {
    std::vector<std::uint64_t> times(walk.steps().size());
    Walk::Cursor cursor = walk.begin(grid_.elements()[static_cast<std::size_t>(element)]);
    for (;;) {
      const Walk::Stop stop = walk.advance(cursor, work_);
      if (stop == Walk::Stop::tired) return false;
      if (stop == Walk::Stop::end) break;
      if (stop == Walk::Stop::step) ++times[static_cast<std::size_t>(cursor.reached)];
    }
    for (std::size_t s = 0; s < times.size(); ++s)
      if (times[s] > 0) count(walk.steps()[s], times[s], element);
    return true;
  }

  void count(const StepShape& step, std::uint64_t times, int element) {
    ElementPrediction& e = prediction_.elements[static_cast<std::size_t>(element)];
    if (step.takes_time) e.steps += times;
    e.loads += times * static_cast<std::uint64_t>(step.loads);
    prediction_.broadcasts += times * static_cast<std::uint64_t>(step.broadcasts);
    if (is_inside(e.at))
      for (const std::string& tensor : step.direct_loads) prediction_.inner_loads[tensor] += times;
    e.stores += times * static_cast<std::uint64_t>(step.stores);
    e.received += times * step.receives.size();
    e.sent += times * (step.forwards.size() + step.sends.size());
    for (const int c : step.receives) links_[at(c, element)].received += times;
    for (const auto* list : {&step.forwards, &step.sends})
      for (const int c : *list) {
        const int to = grid_.target(element, program_.channels[static_cast<std::size_t>(c)]);
        if (to < 0) lost_[at(c, element)] += times;
        else links_[at(c, to)].sent += times;
      }
  }

  // A row of PEs has memory along its side.
  bool is_inside(const std::vector<std::int64_t>& at) const {
    bool inside = at.size() > 1;
    for (std::size_t a = 0; a < at.size(); ++a)
      inside &= program_.axes[a].first < at[a] && at[a] < program_.axes[a].last;
    return inside;
  }

  std::size_t at(int channel, int element) const {
    return static_cast<std::size_t>(channel) * elements() + static_cast<std::size_t>(element);
  }

  void gather_links() {
    for (std::size_t c = 0; c < program_.channels.size(); ++c) {
      const Channel& channel = program_.channels[c];
      const std::uint64_t size = bytes_of(channel.type, channel.tile);
      for (int e = 0; e < grid_.size(); ++e) {
        const Counts& counts = links_[at(static_cast<int>(c), e)];
        if (counts.sent + counts.received > 0)
          add({static_cast<int>(c), grid_.source(e, channel), e, counts.sent, counts.received, counts.sent * size});
        if (const std::uint64_t lost = lost_[at(static_cast<int>(c), e)]; lost > 0)
          add({static_cast<int>(c), e, -1, lost, 0, lost * size});
      }
    }
  }

  void add(const LinkPrediction& link) {
    prediction_.links.push_back(link);
    if (!prediction_.problem.empty() || link.sent == link.received) return;
    const auto name = [&](int element) { return element < 0 ? "outside the grid" : grid_.name(element); };
    prediction_.problem = fmt::format(
        "{} is sent {} and received {} through `{}` from {} to {}",
        program_.channels[static_cast<std::size_t>(link.channel)].value, times(link.sent), times(link.received),
        program_.channels[static_cast<std::size_t>(link.channel)].name, name(link.from), name(link.to));
  }

  static std::string times(std::uint64_t n) { return n == 1 ? "once" : fmt::format("{} times", n); }

  const Program& program_;
  std::int64_t work_;
  Grid grid_;
  std::vector<Counts> links_;       // by channel and receiver
  std::vector<std::uint64_t> lost_; // by channel and sender: what leaves the grid
  Prediction prediction_;
};

// ` from the boundary`, or how many come from where.
std::string origins_of_loads(const Prediction& prediction, std::uint64_t loads) {
  std::uint64_t inside = 0;
  std::string tensors;
  for (const auto& [tensor, count] : prediction.inner_loads) {
    inside += count;
    tensors += (tensors.empty() ? "" : ", ") + tensor;
  }
  if (loads == 0) return "";
  if (inside + prediction.broadcasts == 0) return " from the boundary";
  std::string text = fmt::format(" ({} from the boundary", loads - inside - prediction.broadcasts);
  if (prediction.broadcasts > 0) text += fmt::format(", {} over wires", prediction.broadcasts);
  if (inside > 0) text += fmt::format(", {} in the middle of the array: {}", inside, tensors);
  return text + ")";
}

} // namespace

std::optional<Prediction> predict(const Program& program, std::int64_t most_work) {
  if (program.elements() * static_cast<std::int64_t>(program.channels.size() + 1) > most_links) return std::nullopt;
  const Progress progress("predicting steps and messages");
  return Predictor(program, most_work).run();
}

std::uint64_t steps_of(const Program& program) {
  std::uint64_t steps = 0;
  if (const auto prediction = predict(program))
    for (const ElementPrediction& e : prediction->elements) steps += e.steps;
  return steps;
}

std::string summary(const Prediction& prediction, const Program& program) {
  std::set<int> roles;
  std::uint64_t working = 0, steps = 0, loads = 0, stores = 0, messages = 0, bytes = 0, most_bytes = 0, memory = 0;
  for (const ElementPrediction& e : prediction.elements) {
    if (e.role >= 0) roles.insert(e.role);
    working += e.role >= 0;
    steps += e.steps;
    loads += e.loads;
    stores += e.stores;
    memory = std::max(memory, e.memory_bytes);
  }
  for (const LinkPrediction& l : prediction.links) {
    messages += l.sent;
    bytes += l.bytes;
    most_bytes = std::max(most_bytes, l.bytes);
  }
  const auto many = [](std::uint64_t n, const char* what) {
    return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
  };
  std::string text = many(working, "PE");
  if (working != prediction.elements.size()) text += fmt::format(" of {}", prediction.elements.size());
  text += fmt::format(" in {} take {}\n", many(roles.size(), "role"), many(steps, "step"));
  text += fmt::format("{}{}, {}\n", many(loads, "load"), origins_of_loads(prediction, loads), many(stores, "store"));
  text += fmt::format("{} of {} on {} of {}, at most {} on one\n", many(messages, "message"), many(bytes, "byte"),
                      many(prediction.links.size(), "link"), many(program.channels.size(), "channel"),
                      many(most_bytes, "byte"));
  return text + fmt::format("at most {} of registers in a PE\n", many(memory, "byte"));
}

} // namespace cyclotron::pe
