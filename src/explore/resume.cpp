// SPDX-License-Identifier: MIT
#include "explore/resume.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <sstream>

namespace cyclotron::explore {

namespace {

using Json = nlohmann::ordered_json;

constexpr int version = 1;

std::string line_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"; }

bool write_all(int file, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t count = ::write(file, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    done += static_cast<std::size_t>(count);
  }
  return true;
}

std::string read_all(int file) {
  std::string text;
  char part[1 << 16];
  for (ssize_t count = 0; (count = ::read(file, part, sizeof part)) > 0;)
    text.append(part, static_cast<std::size_t>(count));
  return text;
}

bool check_first_line(const std::string& line, const std::string& path, const std::string& sweep,
                      Diagnostics& diagnostics) {
  const Json json = Json::parse(line, nullptr, false);
  const Place place{path, 1, 0, ""};
  if (!json.is_object() || !json.contains("journal") || !json["journal"].is_number_integer() ||
      !json.contains("sweep")) {
    diagnostics.error(place, "this file is not the journal of a sweep")
        .with_hint("name another file, or remove this one");
    return false;
  }
  if (json["journal"] != version) {
    diagnostics
        .error(place, fmt::format("this journal has version {}, expected version {}", json["journal"].dump(), version))
        .with_hint("remove it to start the sweep anew");
    return false;
  }
  if (json["sweep"] != sweep) {
    diagnostics
        .error(place,
               fmt::format("this journal is of another sweep: `{}`, expected `{}`",
                           json["sweep"].is_string() ? json["sweep"].get<std::string>() : json["sweep"].dump(), sweep))
        .with_hint("name another journal, or remove this one to start anew");
    return false;
  }
  return true;
}

std::optional<std::map<std::string, Point>> read_lines(const std::string& text, const std::string& path,
                                                       const std::string& sweep, Diagnostics& diagnostics) {
  std::map<std::string, Point> finished;
  std::istringstream lines(text);
  std::int64_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    if (++number == 1) {
      if (!check_first_line(line, path, sweep, diagnostics)) return std::nullopt;
      continue;
    }
    const Json json = Json::parse(line, nullptr, false);
    std::optional<Point> point;
    if (json.is_object() && json.contains("key") && json["key"].is_string() && json.contains("point"))
      point = point_from_json(json["point"]);
    if (!point) {
      diagnostics
          .error(Place{path, number, 0, ""}, "expected a finished point, found something else: the journal is damaged")
          .with_hint("remove this line, or the whole journal to start anew");
      return std::nullopt;
    }
    finished[json["key"].get<std::string>()] = std::move(*point);
  }
  return finished;
}

} // namespace

std::optional<Journal> Journal::open(const std::string& path, const std::string& sweep, Diagnostics& diagnostics) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) {
    diagnostics.error(Place{path, 0, 0, ""}, fmt::format("cannot open the journal: {}", std::strerror(errno)));
    return std::nullopt;
  }
  Journal journal(file, {});
  if (::flock(file, LOCK_EX | LOCK_NB) != 0) {
    diagnostics.error(Place{path, 0, 0, ""}, "the journal is in use by another process")
        .with_hint("wait for it, or name another journal");
    return std::nullopt;
  }
  const std::string first_line = line_of({{"journal", version}, {"sweep", sweep}});
  const std::string text = read_all(file);
  const std::size_t whole = text.rfind('\n') + 1; // 0 where there is none
  const bool begun = whole == 0 && first_line.rfind(text, 0) == 0;
  std::optional<std::map<std::string, Point>> finished(std::in_place);
  if (!begun) finished = read_lines(text.substr(0, whole == 0 ? text.size() : whole), path, sweep, diagnostics);
  if (!finished) return std::nullopt;
  // Only now, when the file is known to be ours, is it changed.
  const bool cut = whole == text.size() || ::ftruncate(file, static_cast<off_t>(whole)) == 0;
  if (!cut || (whole == 0 && !write_all(file, first_line))) {
    diagnostics.error(Place{path, 0, 0, ""}, fmt::format("cannot write the journal: {}", std::strerror(errno)));
    return std::nullopt;
  }
  journal.finished_ = std::move(*finished);
  return journal;
}

Journal::Journal(Journal&& other) noexcept
    : file_(std::exchange(other.file_, -1)), finished_(std::move(other.finished_)) {}

Journal::~Journal() {
  if (file_ >= 0) ::close(file_);
}

bool Journal::add(const std::string& key, const Point& point) {
  finished_[key] = point;
  return write_all(file_, line_of({{"key", key}, {"point", to_json(point)}}));
}

} // namespace cyclotron::explore
