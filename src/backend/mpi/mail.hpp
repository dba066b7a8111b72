// SPDX-License-Identifier: MIT
// Values on their way between ranks. Within a node a value is put into a mailbox of the other rank, a tile by
// reference; between nodes it is a message: sent as soon as it is there, received into memory that was set aside for it
// ahead of time. Nothing here waits.
#pragma once

#include "backend/mpi/arena.hpp"
#include "pe/plan.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace cyclotron::mpi {

class Mail {
public:
  // Collective. Nobody else uses the communicator meanwhile.
  Mail(MPI_Comm comm, Arena& arena, const pe::Trace& trace, const pe::RankPlan& plan);
  ~Mail();
  Mail(const Mail&) = delete;
  Mail& operator=(const Mail&) = delete;

  // To all ranks that wait for it.
  void give(int cargo, const TileRef& tile);
  void give(int cargo, const pe::Word& word);

  // It will be needed soon: a message of another node can come from now on.
  void expect(int cargo);

  // What has come: f(cargo, tile) or f(cargo, word).
  template <class F> void collect(F&& f) {
    arena_.collect([&](int mailbox, std::uint64_t payload) {
      const int cargo = cargo_of_[static_cast<std::size_t>(mailbox)];
      if (is_tile(cargo)) f(cargo, arena_.adopt(payload));
      else f(cargo, word_of(payload));
    });
    if (!coming_.empty() || !going_.empty()) test_messages();
    for (Message& m : arrived_)
      if (is_tile(m.cargo)) f(m.cargo, std::move(m.tile));
      else f(m.cargo, m.word->value);
    arrived_.clear();
  }

  bool all_gone(); // whether all that was given has left this rank
  std::uint64_t messages() const { return messages_; }
  std::uint64_t bytes() const { return bytes_; } // of values

  // For checkpoints (mail_account.cpp). Inputs are not accounted for: whoever goes on asks for them again.
  struct UnderWay {
    int cargo = -1;
    int rank = -1; // that it goes to
    TileRef tile;
    pe::Word word;
  };
  void keep_account() { keeps_account_ = true; }
  // Collective, while all ranks stand still: cargo that has left its rank and is here, or will be once it is expected.
  std::vector<int> sent_here();
  // Collective, then: of what this rank has given, what is not with the others. `is_there`: whether a cargo is here.
  std::vector<UnderWay> not_arrived(const std::function<bool(int)>& is_there);

  // For a run that goes on from a checkpoint.
  void count_from(std::uint64_t messages, std::uint64_t bytes) { messages_ = messages, bytes_ = bytes; }
  void has_come(int cargo) { expected_[static_cast<std::size_t>(cargo)] = true; } // it will not come again
  // Collective: which cargo of this rank (`UnderWay` without values) other ranks lack; these are those that it lacks.
  std::vector<UnderWay> asked_for(const std::vector<int>& lacking);
  void give_again(const UnderWay& what); // not counted

private:
  struct WordBuffer {
    pe::Word value;
  };
  struct Message {
    int cargo = -1;
    TileRef tile;
    std::unique_ptr<WordBuffer> word;
    int to = -1; // the rank that it goes to
  };
  struct Sent {
    int rank = 0, tag = 0;
  };

  bool is_tile(int cargo) const { return value_of(cargo).is_tile; }
  const pe::Value& value_of(int cargo) const {
    return trace_.values[static_cast<std::size_t>(plan_.cargo[static_cast<std::size_t>(cargo)].value)];
  }
  static pe::Word word_of(std::uint64_t payload) { return tensor::whole_word(static_cast<std::int64_t>(payload)); }
  void count(int cargo) {
    ++messages_;
    bytes_ += static_cast<std::uint64_t>(value_of(cargo).bytes());
  }
  void pass(int cargo, const pe::Delivery& to, const TileRef& tile);
  void pass(int cargo, const pe::Delivery& to, const pe::Word& word);
  void send(const pe::Delivery& to, Message message, const void* from, std::int64_t numbers);
  const pe::Delivery& delivery(int cargo, int rank) const;
  void has_left(const Message& message);
  void test_messages();

  Arena& arena_;
  const pe::Trace& trace_;
  const pe::RankPlan& plan_;
  MPI_Comm comm_;
  int most_tags_ = 0;
  std::vector<int> cargo_of_; // per mailbox
  std::vector<MPI_Request> coming_requests_, going_requests_;
  std::vector<Message> coming_, going_, arrived_;
  std::vector<bool> expected_;
  std::vector<int> done_;
  std::uint64_t messages_ = 0, bytes_ = 0;
  bool keeps_account_ = false;
  std::vector<Sent> left_; // since the account was made last
};

} // namespace cyclotron::mpi
