// SPDX-License-Identifier: MIT
// Work that must not be ended in its middle: it has temporary files to remove, or another program to stop, which a key
// at the terminal does not reach where it is in a process group of its own.
#pragma once

namespace cyclotron {

// For programs, early in `main`. In a library signals are the host's business, and the class below does nothing.
void finish_work_when_interrupted();

// While one of these lives, a signal that would end us is only noted; the last one to go raises it again.
class Unfinished {
public:
  Unfinished();
  ~Unfinished();
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;
};

bool is_interrupted(); // whether such a signal has been noted: then come to an end soon

} // namespace cyclotron
