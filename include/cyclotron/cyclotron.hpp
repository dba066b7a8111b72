// SPDX-License-Identifier: MIT
// Cyclotron in C++: state recurrences, compile them once, run them on your own arrays. docs/cpp.md is the guide.
#pragma once

#include "cyclotron/device.hpp"
#include "cyclotron/error.hpp"
#include "cyclotron/expression.hpp"
#include "cyclotron/file.hpp"
#include "cyclotron/format.hpp"
#include "cyclotron/kernel.hpp"
#include "cyclotron/options.hpp"
#include "cyclotron/program.hpp"
#include "cyclotron/result.hpp"
#include "cyclotron/schedule.hpp"
#include "cyclotron/tensor.hpp"
#include "cyclotron/view.hpp"
