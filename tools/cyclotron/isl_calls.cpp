// SPDX-License-Identifier: MIT
// Tells the clock of `--time-passes` when isl works.
//
// There are hundreds of places that ask isl something, nearly all of them by its C++ interface, isl/cpp.h. Each function
// of that interface which can fail opens with an `options_scoped_set_on_error`, and that object does three things:
//
//   it is made             isl_options_get_on_error, isl_options_set_on_error
//   (isl does the work)
//   it is destroyed        isl_options_set_on_error
//
// So a `get` is an entry into isl, the next `set` belongs to it, and any further `set` is a return. The linker puts the
// two functions here in the place of isl's own (`--wrap` in CMakeLists.txt), for this program alone: the library is as
// it was. Copies and destructors are not counted; they count references, and free memory at the most.
#include "support/pass_clock.hpp"

#include <isl/options.h>

namespace {

thread_local bool just_entered = false;

} // namespace

extern "C" {

int __real_isl_options_get_on_error(isl_ctx* context);
isl_stat __real_isl_options_set_on_error(isl_ctx* context, int value);

int __wrap_isl_options_get_on_error(isl_ctx* context) {
  cyclotron::entered_isl();
  just_entered = true;
  return __real_isl_options_get_on_error(context);
}

isl_stat __wrap_isl_options_set_on_error(isl_ctx* context, int value) {
  const isl_stat result = __real_isl_options_set_on_error(context, value);
  if (!just_entered) cyclotron::returned_from_isl(); // where nothing was entered, as in IslContext, this is nothing
  just_entered = false;
  return result;
}

} // extern "C"
