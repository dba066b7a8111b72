// SPDX-License-Identifier: MIT
#include "arguments.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace cyclotron_mpi {

namespace {

const char* const help_text = R"(runs a .pe file on the ranks of MPI

usage: mpirun -np RANKS cyclotron-mpi FILE.pe [NAME=VALUE ...] [options]

  NAME=VALUE            an input: a file (.npy, .mtx) or a generator such as random:seed=1
  -o, --output NAME=FILE
                        write an output (.npy, .mtx); may be given several times
  --spread block|cyclic
                        how processing elements go to ranks: neighbours together, or in turn; else what balances best
  --transport shared|messages
                        how values go between ranks of one node: in shared memory (the default), or as messages
  --repeat N            run it so often, and say the median of the times
  --json FILE           write what was counted, and the seconds, as JSON instead of saying it
  --status FILE         keep there where every rank is, for whoever looks after a rank that died
  --measure FILE        measure this machine for `cyclotron run --target=mpi`, and do nothing else
  --checkpoint DIR      keep there, now and then, how far the run is: the same command goes on from there where the run
                        did not get to its end; what is there goes when it does
  --checkpoint-every SECONDS
                        from one checkpoint to the next (60 where not given; 0: one after every step of rank 0)
  --predict             measure this machine first, and say beside the time what was expected
  --profile             where the time of every rank went
  -q, --quiet           say nothing but errors
  -h, --help            this text

Examples:
  cyclotron compile examples/matmul.cyc --schedule tiles --emit=pe -o matmul.pe
  mpirun -np 4 cyclotron-mpi matmul.pe A=a.npy B=b.npy -o C=c.npy
  srun -n 4 cyclotron-mpi matmul.pe A=random:seed=1 B=random:seed=2 --profile
)";

bool complain(const std::string& words) {
  fmt::print(stderr, "error: {}\n  `cyclotron-mpi --help` shows what there is\n", words);
  return false;
}

class Reader {
public:
  Reader(int count, char** words) : words_(words + 1, words + count) {}

  std::optional<Arguments> run() {
    while (next_ < words_.size())
      if (!read(words_[next_++])) return std::nullopt;
    if (!made_.help && made_.measure.empty() && made_.program.empty()) {
      complain("expected a .pe file");
      return std::nullopt;
    }
    if (!made_.checkpoint.empty() && made_.repeat > 1) {
      complain("--checkpoint is for one run, and --repeat asks for several");
      return std::nullopt;
    }
    return made_;
  }

private:
  bool read(const std::string& word) {
    if (word == "-h" || word == "--help") {
      fmt::print("{}", help_text);
      return made_.help = true;
    }
    if (word == "--predict") return made_.predict = true;
    if (word == "--profile") return made_.profile = true;
    if (word == "-q" || word == "--quiet") return made_.quiet = true;
    if (word == "-o" || word == "--output") return assign(value(word), "-o NAME=FILE", made_.outputs);
    if (word == "--json") return file(value(word), made_.json);
    if (word == "--measure") return file(value(word), made_.measure);
    if (word == "--status") return file(value(word), made_.status);
    if (word == "--checkpoint") return file(value(word), made_.checkpoint);
    if (word == "--checkpoint-every") return seconds(value(word), made_.checkpoint_every);
    if (word == "--repeat") return repeat(value(word));
    if (word == "--spread") return spread(value(word));
    if (word == "--transport") return transport(value(word));
    if (!word.empty() && word[0] == '-') return complain(fmt::format("there is no option `{}`", word));
    if (made_.program.empty()) {
      made_.program = word;
      return true;
    }
    return assign(word, "NAME=VALUE", made_.inputs);
  }

  std::optional<std::string> value(const std::string& option) {
    if (next_ < words_.size()) return words_[next_++];
    complain(fmt::format("`{}` needs a value", option));
    return std::nullopt;
  }

  static bool assign(const std::optional<std::string>& text, const char* form, std::map<std::string, std::string>& to) {
    if (!text) return false;
    const std::size_t at = text->find('=');
    if (at == std::string::npos || at == 0 || at + 1 == text->size())
      return complain(fmt::format("expected {}, found `{}`", form, *text));
    if (!to.emplace(text->substr(0, at), text->substr(at + 1)).second)
      return complain(fmt::format("`{}` is given twice", text->substr(0, at)));
    return true;
  }

  static bool file(const std::optional<std::string>& text, std::string& to) {
    if (text) to = *text;
    return text.has_value();
  }

  static bool seconds(const std::optional<std::string>& text, double& to) {
    if (!text) return false;
    char* end = nullptr;
    to = std::strtod(text->c_str(), &end);
    if (text->empty() || *end != '\0' || !(to >= 0) || to > 1e9)
      return complain(fmt::format("--checkpoint-every: expected a number of seconds from 0 on, found `{}`", *text));
    return true;
  }

  bool repeat(const std::optional<std::string>& text) {
    if (!text) return false;
    char* end = nullptr;
    const long count = std::strtol(text->c_str(), &end, 10);
    if (*end != '\0' || count < 1 || count > 1000000)
      return complain(fmt::format("--repeat: expected a number from 1 on, found `{}`", *text));
    made_.repeat = static_cast<int>(count);
    return true;
  }

  bool spread(const std::optional<std::string>& text) {
    if (!text) return false;
    if (*text == "block") made_.spread = cyclotron::pe::Spread::block;
    else if (*text == "cyclic") made_.spread = cyclotron::pe::Spread::cyclic;
    else return complain(fmt::format("--spread: expected `block` or `cyclic`, found `{}`", *text));
    return true;
  }

  bool transport(const std::optional<std::string>& text) {
    if (!text) return false;
    if (*text != "shared" && *text != "messages")
      return complain(fmt::format("--transport: expected `shared` or `messages`, found `{}`", *text));
    made_.messages = *text == "messages";
    return true;
  }

  std::vector<std::string> words_;
  std::size_t next_ = 0;
  Arguments made_;
};

} // namespace

std::optional<Arguments> read_arguments(int count, char** words) { return Reader(count, words).run(); }

} // namespace cyclotron_mpi
