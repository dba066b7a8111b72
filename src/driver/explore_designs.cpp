// SPDX-License-Identifier: MIT
// `cyclotron explore --target=simd` and `--target=cuda`: the designs that a program can have in lanes, what each is
// worth, and, where asked for, how fast the best of them are on this machine.
#include "driver/explore.hpp"
#include "driver/explore_lanes.hpp"
#include "driver/interrupt_watch.hpp"
#include "driver/run_on.hpp"
#include "driver/session.hpp"
#include "explore/lane_maps.hpp"
#include "explore/plot.hpp"
#include "explore/run.hpp"
#include "explore/summary.hpp"
#include "explore/table.hpp"
#include "lower/dataflow/recurrence_to_dataflow.hpp"
#include "support/pass_clock.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <tuple>

#include <fmt/format.h>

namespace cyclotron::driver {

using explore::Point;

namespace {

const std::string& text_of(const Point& p, const char* name) {
  static const std::string none;
  const auto at = p.parameters.find(name);
  return at == p.parameters.end() ? none : at->second;
}

// The best design comes first.
auto rank_of_design(const Point& p) {
  const std::string& schedule = text_of(p, lane_parameter::schedule);
  return std::tuple(*p.cycles, -p.utilisation, std::stoll(text_of(p, lane_parameter::registers)), schedule.size(),
                    schedule);
}

class DesignExplorer {
public:
  DesignExplorer(const ExploreOptions& options, const LaneTarget& target)
      : options_(options), target_(target), session_(options.common) {}

  int run() {
    if (!check_outputs() || !prepare()) return session_.finish();
    const InterruptWatch watch;
    if (!build_all()) {
      fmt::print(stderr, "interrupted; nothing was kept\n");
      return interrupted;
    }
    keep_distinct();
    measure_best();
    if (session_.diagnostics().failed()) return session_.finish();
    const TimedPass showing("show-results");
    print_all();
    for (const std::string& file : options_.outputs) write(file);
    return session_.finish();
  }

private:
  bool check_outputs() {
    for (const std::string& file : options_.outputs) {
      const std::string kind = std::filesystem::path(file).extension().string();
      if (kind != ".csv" && kind != ".json" && kind != ".html")
        session_.diagnostics().error(fmt::format("-o: expected a .csv, a .json or an .html, found `{}`", file));
    }
    return !session_.diagnostics().failed();
  }

  bool prepare() {
    Diagnostics& diagnostics = session_.diagnostics();
    const frontend::Checked* checked = session_.load();
    if (!checked) return false;
    auto inputs = bind_inputs(checked->program(), options_.inputs, session_.folder(), session_.sources(), diagnostics);
    if (!inputs) return false;
    sweep_ = {options_.common.program, session_.sources().text(0), std::move(inputs->bindings), session_.unwanted(), 1};
    for (const recurrence::Binder& s : checked->program().sizes)
      sizes_ += fmt::format("{}{} = {}", sizes_.empty() ? " with " : ", ", s.name, sweep_.bindings.sizes.at(s.name));
    std::vector<std::string> indices;
    for (const auto& choice : lower::axis_choices(*checked, {}, diagnostics))
      if (choice.size() == 1) indices.push_back(choice.front());
    if (diagnostics.failed()) return false;
    if (indices.empty()) {
      diagnostics.unsupported({}, "this program has no index that could be an axis of lanes")
          .with_hint("`explore --target=array` searches arrays of two axes; `--target=c` compiles the equations");
      return false;
    }
    maps_ = explore::lane_maps(indices, names_of(*checked, indices));
    if (options_.measure == 0) return true;
    const TimedPass interpreting("interpret");
    auto expected = interpret(checked->program(), checked->types, checked->domains, sweep_.bindings, {}, diagnostics);
    if (expected) expected_ = std::move(*expected);
    return expected.has_value();
  }

  static std::vector<std::string> names_of(const frontend::Checked& checked, std::vector<std::string> names) {
    for (const recurrence::Binder& s : checked.program().sizes) names.push_back(s.name);
    for (const recurrence::TensorDecl& t : checked.program().tensors) names.push_back(t.name.name);
    return names;
  }

  // Every map twice: with inputs that are loaded where they are used, and with inputs that travel where they can.
  // False where it was interrupted.
  bool build_all() {
    const TimedPass building("compile-schedules");
    const std::size_t count = std::min<std::size_t>(maps_.commands.size(), options_.budget);
    std::vector<explore::Job> jobs;
    for (std::size_t i = 0; i < count; ++i)
      jobs.push_back({maps_.commands[i], [this, i] { return lane_design(sweep_, target_, maps_.commands[i]); }});
    if (!run_jobs("trying maps", jobs)) return false;
    tried_ = points_;
    jobs.clear();
    for (const Point& legal : tried_)
      if (legal.is_ok())
        jobs.push_back({text_of(legal, lane_parameter::schedule), [this, &legal] { return travelling(legal); }});
    return run_jobs("letting inputs travel", jobs);
  }

  Point travelling(const Point& design) const {
    std::vector<std::string> along{maps_.axis};
    if (!maps_.step.empty()) along.push_back(maps_.step);
    const auto commands = with_inputs_that_travel(sweep_, target_, text_of(design, lane_parameter::schedule), along);
    return commands ? lane_design(sweep_, target_, *commands) : design;
  }

  bool run_jobs(const char* what, const std::vector<explore::Job>& jobs) {
    auto result = explore::run(jobs, nullptr, {options_.threads, &InterruptWatch::asked(), what, "designs"});
    if (result.interrupted) return false;
    std::move(result.points.begin(), result.points.end(), std::back_inserter(points_));
    return true;
  }

  // Of designs that are worth the same and in which values do the same, the one with the shortest schedule.
  void keep_distinct() {
    std::map<std::string, Point> by_worth;
    for (const Point& p : points_) {
      if (!p.is_ok()) continue;
      const std::string key = fmt::format("{} {} {} {} {}", text_of(p, lane_parameter::tensors), *p.cycles, p.pes,
                                          text_of(p, lane_parameter::registers), text_of(p, lane_parameter::strips));
      const auto [at, is_new] = by_worth.emplace(key, p);
      if (!is_new && rank_of_design(p) < rank_of_design(at->second)) at->second = p;
    }
    for (auto& [key, p] : by_worth) designs_.push_back(std::move(p));
    std::sort(designs_.begin(), designs_.end(),
              [](const Point& a, const Point& b) { return rank_of_design(a) < rank_of_design(b); });
  }

  void measure_best() {
    const TimedPass measuring("measure");
    for (std::size_t i = 0; i < std::min<std::size_t>(designs_.size(), options_.measure); ++i) {
      Point& design = designs_[i];
      double best = 0;
      for (const std::int64_t elements : {1, 2, 4}) {
        std::string problem;
        const auto seconds = seconds_of_design(sweep_, text_of(design, lane_parameter::schedule), maps_.axis, elements,
                                               expected_, problem);
        if (!problem.empty()) {
          design.verdict = "wrong: " + problem;
          session_.diagnostics()
              .error("a design was found wrong: " + problem)
              .note(text_of(design, lane_parameter::schedule));
        }
        if (!seconds || (best > 0 && *seconds >= best)) continue;
        best = *seconds;
        design.parameters[lane_parameter::seconds] = fmt::format("{:.3g}", best);
        design.parameters[lane_parameter::elements] = std::to_string(elements);
      }
    }
  }

  void print_all() const {
    const auto refused =
        std::count_if(tried_.begin(), tried_.end(), [](const Point& p) { return p.verdict.rfind("refused", 0) == 0; });
    fmt::print("{}{}\n\n", session_.base_name(), sizes_);
    fmt::print("maps: {} possible, {} tried{}: {} refused, {} legal with {} distinct design{}\n", maps_.commands.size(),
               tried_.size(),
               tried_.size() < maps_.commands.size() ? fmt::format(" (--budget {})", options_.budget) : "", refused,
               static_cast<std::ptrdiff_t>(tried_.size()) - refused, designs_.size(), designs_.size() == 1 ? "" : "s");
    if (refused > 0) fmt::print("{}", explore::print_refusals(tried_, 4));
    std::vector<const Point*> shown = options_.measure > 0 ? measured() : best_of_kinds();
    fmt::print("\n{}\n", options_.measure > 0 ? "fastest on this machine, on one core" : "best of each kind");
    print_designs(shown);
  }

  std::vector<const Point*> best_of_kinds() const {
    std::vector<const Point*> list;
    std::set<std::string> kinds;
    for (const Point& p : designs_)
      if (kinds.insert(p.family).second) list.push_back(&p);
    return list;
  }

  std::vector<const Point*> measured() const {
    std::vector<const Point*> list;
    for (const Point& p : designs_)
      if (p.parameters.count(lane_parameter::seconds)) list.push_back(&p);
    const auto seconds = [](const Point* p) { return std::stod(text_of(*p, lane_parameter::seconds)); };
    std::sort(list.begin(), list.end(), [&](const Point* a, const Point* b) { return seconds(a) < seconds(b); });
    return list;
  }

  static void print_designs(const std::vector<const Point*>& list) {
    fmt::print("  {:>3} {:<6} {:>8} {:>8} {:>8} {:>6} {:>9} {:<9}{:>10}  {}\n", "", "design", "elements", "steps",
               "outturn", "busy", "registers", "strips", "time", "tensors");
    for (std::size_t i = 0; i < list.size(); ++i) {
      const Point& p = *list[i];
      const std::string& seconds = text_of(p, lane_parameter::seconds);
      fmt::print("  {:>2}. {:<6} {:>8} {:>8} {:>8} {:>5.0f}% {:>9} {:<9}{:>10}  {}\n", i + 1, p.family, p.pes,
                 *p.cycles, text_of(p, lane_parameter::outturn), 100 * p.utilisation,
                 text_of(p, lane_parameter::registers), text_of(p, lane_parameter::strips),
                 seconds.empty() ? "" : duration(std::stod(seconds)), text_of(p, lane_parameter::tensors));
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
      fmt::print("\n  {}. schedule\n", i + 1);
      print_schedule(*list[i]);
    }
  }

  static void print_schedule(const Point& p) {
    const std::string& text = text_of(p, lane_parameter::schedule);
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      fmt::print("      {}\n", text.substr(at, end - at));
      at = end + 1;
    }
    if (const std::string& elements = text_of(p, lane_parameter::elements); !elements.empty())
      fmt::print("      {} element{} for each lane was fastest\n", elements, elements == "1" ? "" : "s");
  }

  void write(const std::string& file) {
    const std::string kind = std::filesystem::path(file).extension().string();
    std::ofstream out(file, std::ios::binary);
    out << (kind == ".html"  ? explore::plot_html(designs_, {session_.base_name(), "pes", "cycles", "family"})
            : kind == ".csv" ? explore::to_csv(designs_)
                             : explore::to_json_text(designs_));
    out.close();
    if (!out) session_.diagnostics().error(fmt::format("cannot write `{}`", file));
    else fmt::print("\nwritten to {}", file);
    if (file == options_.outputs.back()) fmt::print("\n");
  }

  const ExploreOptions& options_;
  const LaneTarget target_;
  Session session_;
  ExploreSweep sweep_;
  std::string sizes_;
  explore::LaneMaps maps_;
  std::map<std::string, tensor::Tensor> expected_;
  std::vector<Point> points_, tried_, designs_;
};

} // namespace

int explore_on_simd(const ExploreOptions& options) {
  return with_pass_times(options.common, [&] { return DesignExplorer(options, simd_target()).run(); });
}

int explore_on_cuda(const ExploreOptions& options) {
  return with_pass_times(options.common, [&] { return DesignExplorer(options, cuda_target()).run(); });
}

} // namespace cyclotron::driver
