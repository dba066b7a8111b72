// SPDX-License-Identifier: MIT
#include "backend/sam_report/text.hpp"

#include "report/columns.hpp"
#include "report/words.hpp"

#include <fmt/format.h>

#include <cmath>

namespace cyclotron::sam {
namespace {

using report::aligned;
using report::percent;
using report::Row;

constexpr int bar_width = 10;

// Eighths of a character, the rest of the width in blanks; what is there at all is visible.
std::string bar(double share) {
  const char* const parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  int eighths = static_cast<int>(std::lround(share * bar_width * 8));
  if (share > 0 && eighths == 0) eighths = 1;
  std::string text;
  for (int i = 0; i < eighths / 8; ++i) text += "█";
  return text + parts[eighths % 8];
}

std::string padded(const std::string& bar) { return bar + std::string(bar_width - report::characters_in(bar), ' '); }

std::string blocks(const Run& run) {
  std::vector<Row> rows = {{"block", "busy", "waits to receive", "waits to send", "utilisation", ""}};
  for (const BlockStatistics& b : run.blocks) {
    const double share = utilisation_of(b, run);
    rows.push_back({b.label, std::to_string(b.busy), std::to_string(b.waiting_to_receive),
                    std::to_string(b.waiting_to_send), percent(share), padded(bar(share))});
  }
  return "\n  cycles of the blocks\n" + aligned(rows, 1);
}

std::string buffers(const Phase& phase) {
  std::vector<Row> rows = {{"buffer", "fibers asked for", "read", "bytes read"}};
  for (const BlockStatistics& b : phase.run.blocks)
    if (phase.graph.nodes[static_cast<std::size_t>(b.node)].block == stream::Block::buffer)
      rows.push_back({b.label, std::to_string(b.asked), std::to_string(b.reads), std::to_string(b.bytes)});
  return rows.size() == 1 ? "" : "\n  memories\n" + aligned(rows, 1);
}

std::string streams(const Phase& phase) {
  std::vector<Row> rows = {{"stream", "type", "data", "stop", "empty", "done", "idle", "most waiting"}};
  for (const StreamStatistics& s : phase.run.streams)
    rows.push_back({s.name, std::string(stream::name_of(wire_of(s, phase.graph))), std::to_string(s.data),
                    std::to_string(s.stop), std::to_string(s.empty), std::to_string(s.done),
                    percent(idle_of(s, phase.run)), std::to_string(s.most_waiting)});
  return "\n  tokens of the streams\n" + aligned(rows, 2);
}

std::string critical_path(const Run& run) {
  if (run.critical_path.empty()) return "";
  std::vector<Row> rows;
  for (const PathShare& s : path_shares(run))
    rows.push_back({run.blocks[static_cast<std::size_t>(s.node)].label,
                    report::count_text(static_cast<std::uint64_t>(s.cycles), "cycle"), percent(s.share),
                    padded(bar(s.share))});
  return "\n  critical path\n" + aligned(rows, 1);
}

std::string deadlock(const Run& run) {
  if (!run.deadlock) return "";
  std::string text = fmt::format("\n  stuck in cycle {}\n", run.cycles);
  for (const std::string& line : run.deadlock->lines()) text += "    " + line + "\n";
  return text;
}

std::string phase_text(const Phase& phase) {
  const Run& run = phase.run;
  const double rate = run.cycles == 0 ? 0 : static_cast<double>(run.tokens) / static_cast<double>(run.cycles);
  std::string text = fmt::format("  cycles       {}\n", run.cycles);
  text += fmt::format("  tokens       {}, {:.2f} per cycle\n", run.tokens, rate);
  text += fmt::format("  utilisation  {} of {}\n", percent(mean_utilisation(run)),
                      report::count_text(run.blocks.size(), "block"));
  return text + deadlock(run) + blocks(run) + buffers(phase) + streams(phase) + critical_path(run);
}

} // namespace

std::string summary(const Phases& phases) {
  std::string text;
  if (phases.size() > 1)
    text = fmt::format("{} in {} cycles with {} tokens\n", report::count_text(phases.size(), "phase"),
                       cycles_of(phases), tokens_of(phases));
  for (std::size_t p = 0; p < phases.size(); ++p)
    text += (text.empty() ? "" : "\n") + heading_of(phases, p) + "\n" + phase_text(phases[p]);
  return text;
}

} // namespace cyclotron::sam
