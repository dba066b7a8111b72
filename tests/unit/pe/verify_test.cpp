// SPDX-License-Identifier: MIT
#include "unit/pe/programs.hpp"

#include <gtest/gtest.h>
