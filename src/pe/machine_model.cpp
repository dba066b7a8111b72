// SPDX-License-Identifier: MIT
#include "pe/machine_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <sstream>
#include <utility>
#include <vector>

namespace cyclotron::pe {

namespace {

constexpr const char* header = "cyclotron machine 2";

std::vector<std::pair<const char*, double MachineModel::*>> own_figures() {
  return {{"elementwise", &MachineModel::elementwise},
          {"step_seconds", &MachineModel::step_seconds},
          {"message_seconds", &MachineModel::message_seconds}};
}

std::vector<std::pair<const char*, double*>> figures_of(MachineModel& model) {
  std::vector<std::pair<const char*, double*>> list;
  for (const auto& [name, member] : own_figures()) list.emplace_back(name, &(model.*member));
  list.emplace_back("latency_within_node", &model.within_node.latency);
  list.emplace_back("bandwidth_within_node", &model.within_node.bandwidth);
  list.emplace_back("latency_between_nodes", &model.between_nodes.latency);
  list.emplace_back("bandwidth_between_nodes", &model.between_nodes.bandwidth);
  return list;
}

} // namespace

double MachineModel::seconds(const StepKind& kind) const {
  double sum =
      step_seconds + static_cast<double>(kind.elementwise) / elementwise + static_cast<double>(kind.numbers) * 5e-9;
  for (const KernelCall& call : kind.calls) {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (const auto& extents : call.extents)
      for (std::int64_t e : extents) least = std::min(least, e);
    const double extent = static_cast<double>(std::max<std::int64_t>(least, 1));
    const double work = 2 * recurrence::multiply_adds(*call.kernel, call.extents);
    const auto own = kernels.find(std::string(call.kernel->name)), product = kernels.find("GEMM");
    KernelSpeed speed = own != kernels.end() ? own->second : product != kernels.end() ? product->second : KernelSpeed{};
    if (own == kernels.end() && call.kernel->work.share != 1) speed.half_extent *= 4; // not all of it is products
    sum += work / (speed.flops * extent / (extent + speed.half_extent));
  }
  return sum;
}

ClusterModel MachineModel::cluster() const {
  ClusterModel made;
  made.step_seconds = [model = *this](const StepKind& kind) { return model.seconds(kind); };
  made.within_node = within_node;
  made.between_nodes = between_nodes;
  made.message_seconds = message_seconds;
  made.ranks_per_node = ranks_per_node;
  return made;
}

std::string print(const MachineModel& model) {
  MachineModel copy = model;
  std::string text = std::string(header) + "\n";
  for (const auto& [name, value] : figures_of(copy)) text += fmt::format("{} {:.6g}\n", name, *value);
  for (const auto& [kernel, speed] : model.kernels)
    text += fmt::format("kernel {} {:.6g} {:.6g}\n", kernel, speed.flops, speed.half_extent);
  return text + fmt::format("ranks_per_node {}\n", model.ranks_per_node);
}

std::optional<MachineModel> parse_machine(const std::string& text) {
  std::istringstream in(text);
  std::string line;
  if (!std::getline(in, line) || line != header) return std::nullopt;
  MachineModel model;
  std::string name, kernel;
  while (in >> name) {
    if (name == "kernel") {
      KernelSpeed speed;
      if (!(in >> kernel >> speed.flops >> speed.half_extent)) return std::nullopt;
      model.kernels[kernel] = speed;
      continue;
    }
    double value = 0;
    if (!(in >> value)) return std::nullopt;
    if (name == "ranks_per_node") model.ranks_per_node = static_cast<int>(value);
    bool known = name == "ranks_per_node";
    for (const auto& [figure, place] : figures_of(model))
      if (name == figure) {
        *place = value;
        known = true;
      }
    if (!known) return std::nullopt;
  }
  return in.eof() ? std::optional(model) : std::nullopt;
}

} // namespace cyclotron::pe
