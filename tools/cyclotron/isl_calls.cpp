// SPDX-License-Identifier: MIT
// Tells the clock of `--time-passes` when isl works.
//
// There are hundreds of places that ask isl something, most of them by its C++ interface, isl/cpp.h. Each function of
// that interface which can fail opens with an `options_scoped_set_on_error`, and that object does three things:
//
//   it is made             isl_options_get_on_error, isl_options_set_on_error
//   (isl does the work)
//   it is destroyed        isl_options_set_on_error
//
// So a `get` is an entry into isl, the next `set` belongs to it, and any further `set` is a return. Of isl's C
// functions, which other places call, those that do more than look something up are listed below.
//
// The linker puts what stands here in the place of isl's own functions (`--wrap` in CMakeLists.txt), for this program
// alone: the library is as it was. What is not counted: copies and destructors, which count references and free memory
// at the most, and C functions that only read or rename. So the share that is told is a little too small: of the
// instructions below isl's functions, as callgrind counts them, more than nine tenths are in it.
#include "support/pass_clock.hpp"

#include <isl/ast_build.h>
#include <isl/map.h>
#include <isl/mat.h>
#include <isl/options.h>
#include <isl/schedule.h>
#include <isl/set.h>
#include <isl/union_map.h>

namespace {

thread_local bool just_entered = false;

} // namespace

extern "C" {

// The interface of C++.
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

// Functions of C, as result, name and arguments.
#define COUNTED_1(R, name, A)                                                                                          \
  R __real_##name(A);                                                                                                  \
  R __wrap_##name(A a) {                                                                                               \
    const cyclotron::InsideIsl inside;                                                                                 \
    return __real_##name(a);                                                                                           \
  }
#define COUNTED_2(R, name, A, B)                                                                                       \
  R __real_##name(A, B);                                                                                               \
  R __wrap_##name(A a, B b) {                                                                                          \
    const cyclotron::InsideIsl inside;                                                                                 \
    return __real_##name(a, b);                                                                                        \
  }
#define COUNTED_4(R, name, A, B, C, D)                                                                                 \
  R __real_##name(A, B, C, D);                                                                                         \
  R __wrap_##name(A a, B b, C c, D d) {                                                                                \
    const cyclotron::InsideIsl inside;                                                                                 \
    return __real_##name(a, b, c, d);                                                                                  \
  }
#define COUNTED_5(R, name, A, B, C, D, E)                                                                              \
  R __real_##name(A, B, C, D, E);                                                                                      \
  R __wrap_##name(A a, B b, C c, D d, E e) {                                                                           \
    const cyclotron::InsideIsl inside;                                                                                 \
    return __real_##name(a, b, c, d, e);                                                                               \
  }
#define COUNTED_6(R, name, A, B, C, D, E, F)                                                                           \
  R __real_##name(A, B, C, D, E, F);                                                                                   \
  R __wrap_##name(A a, B b, C c, D d, E e, F f) {                                                                      \
    const cyclotron::InsideIsl inside;                                                                                 \
    return __real_##name(a, b, c, d, e, f);                                                                            \
  }
#define COUNTED_7(R, name, A, B, C, D, E, F, G)                                                                        \
  R __real_##name(A, B, C, D, E, F, G);                                                                                \
  R __wrap_##name(A a, B b, C c, D d, E e, F f, G g) {                                                                 \
    const cyclotron::InsideIsl inside;                                                                                 \
    return __real_##name(a, b, c, d, e, f, g);                                                                         \
  }

COUNTED_1(isl_map*, isl_map_coalesce, isl_map*)
COUNTED_1(isl_set*, isl_map_deltas, isl_map*)
COUNTED_1(isl_set*, isl_map_domain, isl_map*)
COUNTED_1(isl_bool, isl_map_is_empty, isl_map*)
COUNTED_1(isl_bool, isl_map_is_injective, isl_map*)
COUNTED_1(isl_map*, isl_map_lexmax, isl_map*)
COUNTED_1(isl_map*, isl_map_lexmin, isl_map*)
COUNTED_1(isl_set*, isl_map_range, isl_map*)
COUNTED_1(isl_map*, isl_map_reverse, isl_map*)
COUNTED_1(char*, isl_map_to_str, isl_map*)
COUNTED_1(isl_set*, isl_map_wrap, isl_map*)
COUNTED_1(isl_pw_multi_aff*, isl_pw_multi_aff_coalesce, isl_pw_multi_aff*)
COUNTED_1(isl_pw_multi_aff*, isl_pw_multi_aff_from_map, isl_map*)
COUNTED_1(isl_schedule*, isl_schedule_constraints_compute_schedule, isl_schedule_constraints*)
COUNTED_1(isl_set*, isl_set_coalesce, isl_set*)
COUNTED_1(isl_set*, isl_set_complement, isl_set*)
COUNTED_1(isl_set*, isl_set_compute_divs, isl_set*)
COUNTED_1(isl_bool, isl_set_is_bounded, isl_set*)
COUNTED_1(isl_bool, isl_set_is_singleton, isl_set*)
COUNTED_1(isl_set*, isl_set_lexmax, isl_set*)
COUNTED_1(isl_set*, isl_set_lexmin, isl_set*)
COUNTED_1(isl_set*, isl_set_make_disjoint, isl_set*)
COUNTED_1(isl_set*, isl_set_remove_redundancies, isl_set*)
COUNTED_1(char*, isl_set_to_str, isl_set*)
COUNTED_1(char*, isl_union_map_to_str, isl_union_map*)
COUNTED_2(isl_ast_expr*, isl_ast_build_expr_from_set, isl_ast_build*, isl_set*)
COUNTED_2(isl_ast_node*, isl_ast_build_node_from_schedule, isl_ast_build*, isl_schedule*)
COUNTED_2(isl_map*, isl_map_apply_range, isl_map*, isl_map*)
COUNTED_2(isl_map*, isl_map_flat_range_product, isl_map*, isl_map*)
COUNTED_2(isl_map*, isl_map_gist_domain, isl_map*, isl_set*)
COUNTED_2(isl_map*, isl_map_intersect, isl_map*, isl_map*)
COUNTED_2(isl_map*, isl_map_intersect_domain, isl_map*, isl_set*)
COUNTED_2(isl_map*, isl_map_intersect_range, isl_map*, isl_set*)
COUNTED_2(isl_map*, isl_map_lex_ge_map, isl_map*, isl_map*)
COUNTED_2(isl_map*, isl_map_lex_gt_map, isl_map*, isl_map*)
COUNTED_2(isl_map*, isl_map_lex_le_map, isl_map*, isl_map*)
COUNTED_2(isl_map*, isl_map_subtract, isl_map*, isl_map*)
COUNTED_2(isl_map*, isl_map_subtract_range, isl_map*, isl_set*)
COUNTED_2(isl_map*, isl_map_sum, isl_map*, isl_map*)
COUNTED_2(isl_set*, isl_set_apply, isl_set*, isl_map*)
COUNTED_2(isl_val*, isl_set_dim_max_val, isl_set*, int)
COUNTED_2(isl_val*, isl_set_dim_min_val, isl_set*, int)
COUNTED_2(isl_set*, isl_set_gist_params, isl_set*, isl_set*)
COUNTED_2(isl_set*, isl_set_intersect, isl_set*, isl_set*)
COUNTED_2(isl_set*, isl_set_union, isl_set*, isl_set*)
COUNTED_4(isl_map*, isl_map_project_out, isl_map*, isl_dim_type, unsigned, unsigned)
COUNTED_4(isl_set*, isl_set_project_out, isl_set*, isl_dim_type, unsigned, unsigned)
COUNTED_5(isl_map*, isl_map_equate, isl_map*, isl_dim_type, int, isl_dim_type, int)
COUNTED_6(isl_map*, isl_map_move_dims, isl_map*, isl_dim_type, unsigned, isl_dim_type, unsigned, unsigned)
COUNTED_7(isl_basic_set*, isl_basic_set_from_constraint_matrices, isl_space*, isl_mat*, isl_mat*, isl_dim_type,
          isl_dim_type, isl_dim_type, isl_dim_type)

} // extern "C"
