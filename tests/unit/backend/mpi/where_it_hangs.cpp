// SPDX-License-Identifier: MIT
#include "where_it_hangs.hpp"

#include <mpi.h>

#include <csignal>
#include <cstring>
#include <unistd.h>

namespace cyclotron::mpi {

namespace {

const char* doing = "";

void say(const char* words) {
  if (write(STDOUT_FILENO, words, std::strlen(words)) < 0) return; // nobody is left to be told
}

void end(const char* why) {
  say("\n");
  say(why);
  say(doing);
  say("\n");
  _exit(1); // mpirun ends the others
}

void on_signal(int signal) { end(signal == SIGALRM ? "takes too long: " : "crashed: "); }

void on_error(MPI_Comm*, int* code, ...) {
  char words[MPI_MAX_ERROR_STRING + 1] = {};
  int length = 0;
  MPI_Error_string(*code, words, &length);
  say("\n");
  say(words);
  end(", in ");
}

void listen() {
  for (int signal : {SIGALRM, SIGSEGV, SIGBUS, SIGABRT, SIGFPE}) std::signal(signal, on_signal);
  static MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  if (handler != MPI_ERRHANDLER_NULL) return;
  MPI_Comm_create_errhandler(on_error, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler); // copies of a communicator have it too
}

} // namespace

NamedWhenItHangs::NamedWhenItHangs(const std::string& what, unsigned seconds) : words_(what) {
  listen();
  doing = words_.c_str();
  alarm(seconds);
}

NamedWhenItHangs::~NamedWhenItHangs() {
  alarm(0);
  doing = "";
}

} // namespace cyclotron::mpi
