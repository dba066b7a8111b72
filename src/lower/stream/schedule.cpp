// SPDX-License-Identifier: MIT
#include "lower/stream/schedule.hpp"

#include "schedule/targets.hpp"

#include <fmt/format.h>

namespace cyclotron::lower {
namespace {

using schedule::Binder;
using schedule::Command;

// `tile i by 4, 16`: tiles of 16, and tiles of 4 of these.
void take_tile(const Command& command, StreamCommands& made) {
  std::vector<std::int64_t> sizes = std::get<std::vector<std::int64_t>>(command.find("sizes")->value);
  for (std::size_t s = sizes.size() - 1; s-- > 0;) sizes[s] *= sizes[s + 1];
  const std::vector<std::string> parts = command.names("parts");
  for (const std::string& i : command.names("indices"))
    made.tiles.push_back({i, sizes, parts.empty() ? schedule::tile_parts(i, sizes.size()) : parts, command.span});
}

void take_buffer(const Command& command, StreamCommands& made, Diagnostics& diagnostics) {
  StreamBuffer buffer;
  buffer.tensor = command.names("tensor").front();
  buffer.span = command.span;
  const std::vector<std::string> indices = command.names("index");
  buffer.index = indices.front();
  const auto number = [&](const char* role, std::int64_t& to) {
    const schedule::Argument* a = command.find(role);
    if (!a) return true;
    const auto& list = std::get<std::vector<std::int64_t>>(a->value);
    to = list.front();
    return list.size() == 1 && to >= 1;
  };
  const bool numbers =
      number("bytes", buffer.bytes) && number("rate", buffer.rate) && number("latency", buffer.latency);
  if (!numbers || indices.size() != 1)
    diagnostics
        .unsupported(command.span,
                     "a buffer has one level of a tensor, one size, one rate and one latency, of 1 at least")
        .with_hint("write `buffer B along i bytes 65536 rate 64 latency 100`");
  made.effects.push_back({"buffer " + buffer.tensor + " " + buffer.index,
                          fmt::format("nothing walks through a level `{}` of `{}`", buffer.index, buffer.tensor),
                          command.span});
  made.buffers.push_back(std::move(buffer));
}

bool apply(const Command& command, StreamCommands& made, Diagnostics& diagnostics) {
  if (command.name == "order") {
    made.order.given = command.names("indices");
    made.order.span = command.span;
  } else if (command.name == "locate") {
    for (const std::string& t : command.names("tensor"))
      for (const std::string& i : command.names("index")) {
        made.choices.locates.insert({t, i});
        made.effects.push_back({"locate " + t + " " + i,
                                fmt::format("`{}` is not multiplied with anything along `{}`", t, i), command.span});
      }
  } else if (command.name == "skip") {
    for (const std::string& i : command.names("indices")) {
      made.choices.skips.insert(i);
      made.effects.push_back(
          {"skip " + i, fmt::format("no two compressed levels of `{}` are intersected", i), command.span});
    }
  } else if (command.name == "explicit_zeros") {
    for (const std::string& t : command.names("tensor")) {
      made.explicit_zeros.insert(t);
      made.effects.push_back({"write " + t, fmt::format("`{}` is not computed", t), command.span});
    }
  } else if (command.name == "tile") {
    take_tile(command, made);
  } else if (command.name == "parallel") {
    const schedule::Argument* copies = command.find("copies");
    made.choices.parallel = command.names("indices").front();
    made.choices.copies = copies ? static_cast<int>(std::get<std::vector<std::int64_t>>(copies->value).front()) : 4;
    made.effects.push_back(
        {"parallel " + made.choices.parallel,
         fmt::format("no loop over `{}` runs outside all sums that stand beside other terms", made.choices.parallel),
         command.span});
    if (command.names("indices").size() > 1 || made.choices.copies < 1 || made.choices.copies > 1000)
      diagnostics.unsupported(command.span, "streams run one loop in copies, 1 to 1000 of them")
          .with_hint("write `parallel i by 4`");
  } else if (command.name == "vectorize") {
    const schedule::Argument* width = command.find("width");
    made.choices.vectorized = command.names("index").front();
    made.choices.vector = width ? static_cast<int>(std::get<std::vector<std::int64_t>>(width->value).front()) : 4;
    made.effects.push_back({"vectorize " + made.choices.vectorized,
                            fmt::format("no loop is called `{}`", made.choices.vectorized), command.span});
    if (made.choices.vector < 1 || made.choices.vector > 1000)
      diagnostics.unsupported(command.span, "a wire carries 1 to 1000 tokens side by side")
          .with_hint("write `vectorize j by 4`");
  } else if (command.name == "buffer") {
    take_buffer(command, made, diagnostics);
  } else if (command.name == "scatter") {
    for (const std::string& t : command.names("tensor")) {
      made.scatters.insert(t);
      made.effects.push_back({"write " + t, fmt::format("`{}` is not computed", t), command.span});
    }
  } else {
    return false;
  }
  return true;
}

} // namespace

std::optional<StreamCommands> read_stream_schedule(const schedule::Schedule* schedule, Diagnostics& diagnostics) {
  StreamCommands made;
  if (!schedule) return made;
  if (!schedule::check_target(schedule, "sam", diagnostics)) return std::nullopt;
  for (const Command& c : schedule->commands)
    if (!apply(c, made, diagnostics))
      bug(fmt::format("the table says that streams take `{}`, but nothing reads it", c.name));
  if (diagnostics.failed()) return std::nullopt;
  return made;
}

} // namespace cyclotron::lower
