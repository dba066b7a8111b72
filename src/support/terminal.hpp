// SPDX-License-Identifier: MIT
// What stdout and stderr are: a terminal, on which lines can move and have colours, or a file or pipe.
#pragma once

namespace cyclotron {

bool stderr_is_terminal();

// Whether a line on stderr can be written over: a terminal that knows how.
bool line_can_move_on_stderr();

// Whether colour is welcome on that stream: a terminal, and NO_COLOR not set.
bool color_on_stderr();
bool color_on_stdout();

} // namespace cyclotron
