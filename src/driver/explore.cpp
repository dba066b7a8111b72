// SPDX-License-Identifier: MIT
// The problem says what could be tried, the solver tries it, the checker looks at what the solver claims; here they are
// brought together, in parallel, and the result is told.
#include "driver/explore.hpp"

#include "driver/explore_checker.hpp"
#include "driver/explore_solver.hpp"
#include "driver/interrupt_watch.hpp"
#include "driver/session.hpp"
#include "explore/plot.hpp"
#include "explore/run.hpp"
#include "explore/summary.hpp"
#include "explore/table.hpp"
#include "support/nearest.hpp"
#include "support/pass_clock.hpp"
#include "support/sha256.hpp"
#include "tensor/io.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cyclotron::driver {

using explore::Point;

namespace {

// Solvers and checkers belong to one thread at a time, and are dear to make.
template <class T> class Pool {
public:
  explicit Pool(std::function<std::unique_ptr<T>()> make) : make_(std::move(make)) {}

  template <class F> auto with_one(F f) {
    std::unique_ptr<T> one = take();
    auto result = f(*one);
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(one));
    return result;
  }

private:
  std::unique_ptr<T> take() {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        auto one = std::move(idle_.back());
        idle_.pop_back();
        return one;
      }
    }
    return make_();
  }

  std::function<std::unique_ptr<T>()> make_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<T>> idle_;
};

constexpr std::size_t long_sweep = 100; // points

bool is_refused(const Point& p) { return p.verdict.rfind("refused", 0) == 0; }

std::vector<std::string> texts_of(const std::vector<std::int64_t>& numbers) {
  std::vector<std::string> texts;
  for (const std::int64_t n : numbers) texts.push_back(std::to_string(n));
  return texts;
}

class Explorer {
public:
  explicit Explorer(const ExploreOptions& options) : options_(options), session_(options.common) {}

  int run() {
    if (!check_options() || !prepare() || !find_candidates() || !open_journal()) return session_.finish();
    announce();
    const InterruptWatch watch;
    print_candidates();
    if (!compile_all()) return stop();
    print_legal();
    if (!simulate_all()) return stop();
    show();
    if (options_.journal.empty() && journal_) std::filesystem::remove(journal_file_);
    return session_.finish();
  }

private:
  Diagnostics& diagnostics() { return session_.diagnostics(); }

  bool check_options() {
    for (const std::string& file : options_.outputs) {
      const std::string kind = std::filesystem::path(file).extension().string();
      if (kind != ".csv" && kind != ".json" && kind != ".html")
        diagnostics().error(fmt::format("-o: expected a .csv, a .json or an .html, found `{}`", file));
    }
    if (!options_.schedules.empty() &&
        (!options_.grids.empty() || !options_.spaces.empty() || options_.tiles != std::vector<std::int64_t>{1}))
      diagnostics()
          .error("--schedule fixes the schedules: --space, --grid and --tile would change them")
          .with_hint("leave one or the other out");
    return !diagnostics().failed();
  }

  // The program, its inputs, and what it must compute.
  bool prepare() {
    checked_ = session_.load();
    if (!checked_) return false;
    auto inputs =
        bind_inputs(checked_->program(), options_.inputs, session_.folder(), session_.sources(), diagnostics());
    if (!inputs) return false;
    sweep_ = {options_.common.program, session_.sources().text(0), std::move(inputs->bindings), session_.unwanted(),
              options_.cycles_per_multiply_add};
    origin_ = std::move(inputs->origin);
    auto expected = interpreted();
    if (!expected) return false;
    expected_ = std::move(*expected);
    for (auto& [name, t] : sweep_.bindings.tensors) { // the simulator takes dense ones
      auto dense = tensor::convert(t, tensor::dense_format(t.rank()), diagnostics());
      if (!dense) return false;
      t = std::move(*dense);
    }
    return true;
  }

  std::optional<std::map<std::string, tensor::Tensor>> interpreted() {
    const TimedPass interpreting("interpret");
    return recurrence::interpret(checked_->program(), checked_->types, checked_->domains, sweep_.bindings, {},
                                 diagnostics());
  }

  bool find_candidates() {
    const TimedPass finding("find-schedules");
    if (!options_.schedules.empty()) return find_named();
    const auto problem = explore::Problem::of(
        *checked_, {options_.spaces, options_.grids, options_.tiles, options_.broadcasts}, diagnostics());
    if (!problem) return false;
    possible_ = problem->count();
    for (const std::uint64_t number : problem->pick(options_.budget, options_.seed)) {
      explore::Choice choice = problem->choice(number);
      std::string text = lower::print(choice.mapping);
      candidates_.push_back({std::move(choice), std::move(text), ""});
    }
    return true;
  }

  bool find_named() {
    std::vector<std::string> names;
    for (const schedule::Schedule& s : checked_->unit->schedules) names.push_back(s.name.name);
    for (const std::string& name : options_.schedules) {
      const auto at = std::find(names.begin(), names.end(), name);
      if (at == names.end()) {
        const std::string hint = did_you_mean(name, names);
        diagnostics()
            .error(fmt::format("there is no schedule `{}`", name))
            .with_hint(!hint.empty()   ? hint
                       : names.empty() ? "the program has no schedules"
                                       : "there are " + join_names(names));
        continue;
      }
      const schedule::Schedule& s = checked_->unit->schedules[static_cast<std::size_t>(at - names.begin())];
      const auto mapping = lower::mapping_of(&s, "array", diagnostics());
      if (!mapping) return false;
      Candidate c{{*mapping, "as written", 1}, "", name};
      for (const schedule::Command& command : s.commands) c.text += schedule::print(command) + "\n";
      if (mapping->lift)
        for (const auto& [index, extent] : mapping->lift->extents) c.choice.tile = std::max(c.choice.tile, extent);
      candidates_.push_back(std::move(c));
    }
    possible_ = candidates_.size();
    return !diagnostics().failed();
  }

  bool open_journal() {
    journal_file_ = options_.journal;
    if (journal_file_.empty() && !options_.outputs.empty()) journal_file_ = options_.outputs.front() + ".journal";
    if (journal_file_.empty()) return true;
    std::string what = sweep_.text + fmt::format("\n{}", sweep_.cycles_per_multiply_add);
    for (const auto& [name, value] : sweep_.bindings.sizes) what += fmt::format("\n{} = {}", name, value);
    for (const auto& [name, from] : origin_) what += fmt::format("\n{} from {}", name, from);
    for (const std::string& name : sweep_.unwanted) what += "\nwithout " + name;
    auto opened = explore::Journal::open(journal_file_, sha256(what), diagnostics());
    if (!opened) return false;
    journal_.emplace(std::move(*opened));
    if (!journal_->finished().empty())
      fmt::print(stderr, "resuming: {} results are in {}\n", journal_->finished().size(), journal_file_);
    return true;
  }

  // How much is to be done, where it is much: schedules to compile, then as many programs on each machine.
  void announce() const {
    const std::size_t machines = options_.latencies.size() * options_.depths.size();
    const std::size_t most = candidates_.size() * machines;
    if (most >= long_sweep)
      fmt::print(stderr, "{} schedules to compile, then at most {} points to simulate{}; `--budget N` tries fewer\n",
                 candidates_.size(), most, machines > 1 ? fmt::format(", on {} machines", machines) : "");
  }

  // Nothing where it was interrupted.
  std::optional<std::vector<Point>> run_jobs(const char* what, const char* unit,
                                             const std::vector<explore::Job>& jobs) {
    auto result =
        explore::run(jobs, journal_ ? &*journal_ : nullptr, {options_.threads, &InterruptWatch::asked(), what, unit});
    done_ += result.points.size();
    if (result.journal_failed && !journal_failed_) {
      journal_failed_ = true;
      fmt::print(stderr, "warning: cannot write to {}: this sweep cannot be resumed from where it is now\n",
                 journal_file_);
    }
    if (result.interrupted) return std::nullopt;
    return std::move(result.points);
  }

  // Threads compile and simulate, so their passes are told together.
  bool compile_all() {
    const TimedPass compiling("compile-schedules");
    built_.resize(candidates_.size());
    std::vector<explore::Job> jobs;
    for (std::size_t i = 0; i < candidates_.size(); ++i)
      jobs.push_back({"compile " + candidates_[i].text, [this, i] {
                        built_[i] = build(candidates_[i]);
                        return built_[i]->head;
                      }});
    auto points = run_jobs("compiling", "schedules", jobs);
    if (!points) return false;
    compiled_ = std::move(*points);
    keep_distinct();
    return true;
  }

  Built build(const Candidate& candidate) {
    return solvers_.with_one([&](ExploreSolver& s) { return Built(s.compile(candidate)); });
  }

  // Of schedules that give the same programs, the one with the shortest text. Named ones are all kept.
  void keep_distinct() {
    std::map<std::string, std::size_t> by_program;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      if (!compiled_[i].verdict.empty()) continue;
      ++legal_;
      const std::string key = candidates_[i].name + compiled_[i].parameters.at("program");
      const auto [at, is_new] = by_program.emplace(key, i);
      if (!is_new && candidates_[i].text.size() < candidates_[at->second].text.size()) at->second = i;
    }
    for (const auto& [program, i] : by_program) distinct_.push_back(i);
    std::sort(distinct_.begin(), distinct_.end());
  }

  bool simulate_all() {
    const TimedPass simulating("simulate-and-check");
    std::vector<explore::Job> jobs;
    for (const std::size_t i : distinct_)
      for (const std::int64_t latency : options_.latencies)
        for (const std::int64_t depth : options_.depths)
          jobs.push_back({fmt::format("latency {} depth {} {}", latency, depth, candidates_[i].text),
                          [this, i, latency, depth] { return simulate_and_check(i, latency, depth); }});
    auto points = run_jobs("simulating and checking", "points", jobs);
    if (!points) return false;
    points_ = std::move(*points);
    return true;
  }

  Point simulate_and_check(std::size_t candidate, std::int64_t latency, std::int64_t depth) {
    const Candidate& c = candidates_[candidate];
    const Built built = built_[candidate] ? *built_[candidate] : build(c); // built in an earlier run, by the journal
    Point point = solvers_.with_one([&](ExploreSolver& s) { return s.simulate(built, c.choice.tile, latency, depth); });
    if (built.program) point.verdict = checkers_.with_one([&](ExploreChecker& k) { return k.verdict(point); });
    return point;
  }

  int stop() {
    fmt::print(stderr, "interrupted after {} results; {}\n", done_,
               journal_ ? fmt::format("the same command goes on from there, by {}", journal_file_)
                        : "nothing was kept: with `--journal FILE` the same command could go on");
    return interrupted;
  }

  void print_candidates() const {
    std::string with;
    for (const recurrence::Binder& s : checked_->program().sizes)
      with += fmt::format("{}{} = {}", with.empty() ? " with " : ", ", s.name, sweep_.bindings.sizes.at(s.name));
    fmt::print("{}{}\n\n", session_.base_name(), with);
    fmt::print("schedules: {} possible, {} to try{}\n", possible_, candidates_.size(),
               candidates_.size() < possible_ ? fmt::format(" (--budget {}, --seed {})", options_.budget, options_.seed)
                                              : "");
    flush_output();
  }

  void print_legal() const {
    const auto refused = std::count_if(compiled_.begin(), compiled_.end(), is_refused);
    fmt::print("           {} refused, {} legal with {} distinct programs: {} points to simulate\n", refused, legal_,
               distinct_.size(), distinct_.size() * options_.latencies.size() * options_.depths.size());
    if (refused > 0) fmt::print("{}", explore::print_refusals(compiled_, 4));
    flush_output();
  }

  void show() {
    const TimedPass showing("show-results");
    report();
    for (const std::string& file : options_.outputs) write(file);
  }

  void report() {
    const auto count = [&](auto test) { return std::count_if(points_.begin(), points_.end(), test); };
    const auto wrong = [](const Point& p) { return !p.is_ok() && !is_refused(p); };
    fmt::print("\nmachines: latency {}; FIFO depth {} (0: unbounded)\n", fmt::join(options_.latencies, ", "),
               fmt::join(options_.depths, ", "));
    fmt::print("points: {} tried, {} verified, {} refused, {} wrong\n", points_.size(),
               count([](const Point& p) { return p.is_ok(); }), count(is_refused), count(wrong));
    if (count(is_refused) > 0) fmt::print("{}", explore::print_refusals(points_, 4));
    for (const Point& p : points_)
      if (wrong(p)) {
        diagnostics()
            .error(fmt::format("a point was found {}", p.verdict))
            .note(p.parameters.count("schedule") ? p.parameters.at("schedule") : "");
        break;
      }
    const auto latencies = texts_of(options_.latencies), depths = texts_of(options_.depths);
    const std::string where =
        fmt::format("latency {}, {}", latencies[0], depths[0] == "0" ? "unbounded FIFOs" : "FIFO depth " + depths[0]);
    fmt::print("\nfastest for so many PEs ({})\n{}", where,
               explore::print_points(explore::front_of(points_, latencies[0], depths[0])));
    fmt::print("\nbest of each family ({})\n{}", where,
               explore::print_points(explore::best_of_families(points_, latencies[0], depths[0])));
    if (latencies.size() * depths.size() > 1)
      fmt::print("\nfewest cycles by machine\n{}", explore::print_machine_effect(points_, latencies, depths));
  }

  // A table has the refused schedules too; a plot only what ran or could have.
  void write(const std::string& file) {
    const std::string kind = std::filesystem::path(file).extension().string();
    std::vector<Point> all = points_;
    if (kind != ".html") std::copy_if(compiled_.begin(), compiled_.end(), std::back_inserter(all), is_refused);
    std::ofstream out(file, std::ios::binary);
    out << (kind == ".html"
                ? explore::plot_html(all, {session_.base_name(), explore::telling_axis(all), "cycles", "family"})
            : kind == ".csv" ? explore::to_csv(all)
                             : explore::to_json_text(all));
    out.close();
    if (!out) diagnostics().error(fmt::format("cannot write `{}`", file));
    else fmt::print("\nwritten to {}", file);
    if (file == options_.outputs.back()) fmt::print("\n");
  }

  const ExploreOptions& options_;
  Session session_;
  const frontend::Checked* checked_ = nullptr;
  ExploreSweep sweep_;
  std::map<std::string, std::string> origin_; // of the inputs
  std::map<std::string, tensor::Tensor> expected_;
  std::uint64_t possible_ = 0;
  std::vector<Candidate> candidates_;
  std::string journal_file_;
  std::optional<explore::Journal> journal_;
  bool journal_failed_ = false;
  std::size_t done_ = 0, legal_ = 0;
  std::vector<std::optional<Built>> built_; // per candidate, where this run built it
  std::vector<Point> compiled_;             // per candidate
  std::vector<std::size_t> distinct_;       // candidates
  std::vector<Point> points_;
  Pool<ExploreSolver> solvers_{[this] { return std::make_unique<ExploreSolver>(sweep_); }};
  Pool<ExploreChecker> checkers_{[this] { return std::make_unique<ExploreChecker>(sweep_, expected_); }};
};

} // namespace

int explore(const ExploreOptions& options) {
  return with_pass_times(options.common, [&] { return Explorer(options).run(); });
}

} // namespace cyclotron::driver
