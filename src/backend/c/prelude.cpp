// SPDX-License-Identifier: MIT
#include "backend/c/prelude.hpp"

#include <utility>

namespace cyclotron::backend::c {

namespace {

const std::vector<PreludeFunction>& functions() {
  static const std::vector<PreludeFunction> list = {
      {"cyc_clear", {}, R"(/* An empty array may have no address, which memset and memcpy must not be given. */
static inline void cyc_clear(void *to, int64_t count, size_t size) {
  if (count > 0) memset(to, 0, (size_t)count * size);
}
)"},
      {"cyc_copy", {}, R"(static inline void cyc_copy(void *to, const void *from, int64_t count, size_t size) {
  if (count > 0) memcpy(to, from, (size_t)count * size);
}
)"},
      {"cyc_room",
       {},
       R"(/* Memory for numbers that are gone to in no order: on large pages, which the processor finds sooner. */
#ifdef __linux__
int madvise(void *, size_t, int);
#endif
static void *cyc_room(size_t bytes) {
  const size_t large = (size_t)2 << 20, page = bytes < large / 8 ? 64 : large;
  if (bytes > SIZE_MAX - 2 * page) return NULL;
  bytes = (bytes + page - 1) / page * page;
  void *taken = malloc(bytes + page); /* which aligned_alloc would give back to the system after each call */
  if (!taken) return NULL;
  void **room = (void **)(((uintptr_t)taken / page + 1) * page);
  room[-1] = taken;
#ifdef __linux__
  if (page == large) madvise(room, bytes, 14 /* MADV_HUGEPAGE */); /* a system that has none says no: nothing is lost */
#endif
  return room;
}

static void cyc_leave(void *room) {
  if (room) free(((void **)room)[-1]);
}
)"},
      // What is rare stands apart, so that loops stay small.
      {"cyc_lower_far",
       {},
       R"(static __attribute__((noinline)) int64_t cyc_lower_far(const index_t *crd, int64_t begin, int64_t end, int64_t wanted) {
  for (int64_t step = 1; end - step > begin; step *= 2) {
    if (crd[end - step] < wanted) {
      begin = end - step;
      break;
    }
    end -= step;
  }
  while (end - begin > 1) {
    const int64_t middle = begin + (end - begin) / 2;
    if (crd[middle] < wanted) begin = middle;
    else end = middle;
  }
  return end;
}
)"},
      {"cyc_lower",
       {"cyc_lower_far"},
       R"(/* The first position in [begin, end) whose coordinate is at least `wanted`; looks near both ends first. */
static inline int64_t cyc_lower(const index_t *crd, int64_t begin, int64_t end, int64_t wanted) {
  if (begin == end || crd[begin] >= wanted) return begin;
  if (crd[end - 1] < wanted) return end;
  if (crd[end - 2] < wanted) return end - 1;
  if (crd[begin + 1] >= wanted) return begin + 1;
  return cyc_lower_far(crd, begin, end, wanted);
}
)"},
      {"cyc_find_far",
       {},
       R"(static __attribute__((noinline)) int64_t cyc_find_far(const index_t *crd, int64_t begin, int64_t end, int64_t wanted) {
  while (end - begin > 1) {
    const int64_t middle = begin + (end - begin) / 2;
    if (crd[middle] <= wanted) begin = middle;
    else end = middle;
  }
  return crd[begin] == wanted ? begin : -1;
}
)"},
      {"cyc_find",
       {"cyc_find_far"},
       R"(/* The position of a coordinate in [begin, end), or -1 where it is not stored. */
static inline int64_t cyc_find(const index_t *crd, int64_t begin, int64_t end, int64_t wanted) {
  if (begin == end) return -1;
  if (crd[begin] == wanted) return begin;
  if (crd[end - 1] == wanted) return end - 1;
  return cyc_find_far(crd, begin, end, wanted);
}
)"},
      {"cyc_march",
       {},
       R"(/* A pointer that only moves forward, to the first position whose coordinate is at least `wanted`. */
static inline int64_t cyc_march(index_t *pointer, const index_t *crd, int64_t end, int64_t wanted) {
  int64_t p = *pointer;
  while (p < end && crd[p] < wanted) p++;
  *pointer = (index_t)p;
  return p;
}
)"},
      {"cyc_ahead",
       {},
       R"(/* Asks for an element that will be read soon. It may lie behind the end: nothing is read here. */
static inline void cyc_ahead(const void *array, int64_t at, size_t size) {
#if defined(__GNUC__)
  __builtin_prefetch((const void *)((uintptr_t)array + (uintptr_t)at * size));
#else
  (void)array, (void)at, (void)size;
#endif
}
)"},
      {"cyc_ahead_once",
       {},
       R"(/* Asks for an element that will be read soon, and this once: it need not push out of the caches what is read again. */
static inline void cyc_ahead_once(const void *array, int64_t at, size_t size) {
#if defined(__GNUC__)
  __builtin_prefetch((const void *)((uintptr_t)array + (uintptr_t)at * size), 0, 0);
#else
  (void)array, (void)at, (void)size;
#endif
}
)"},
      {"cyc_ahead_far",
       {},
       R"(/* Asks for an element that will be read later: it waits in the second cache until then. */
static inline void cyc_ahead_far(const void *array, int64_t at, size_t size) {
#if defined(__GNUC__)
  __builtin_prefetch((const void *)((uintptr_t)array + (uintptr_t)at * size), 0, 2);
#else
  (void)array, (void)at, (void)size;
#endif
}
)"},
      {"cyc_two",
       {},
       R"(/* Two coordinates, loaded at once: a core can start only so many loads at a time. Coordinates are not negative. */
static inline uint64_t cyc_two(const int32_t *crd) {
  uint64_t two;
  memcpy(&two, crd, sizeof two);
  return two;
}
)"},
      {"cyc_first",
       {},
       R"(static inline int64_t cyc_first(uint64_t two) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  return (int64_t)(two >> 32);
#else
  return (int64_t)(uint32_t)two;
#endif
}
)"},
      {"cyc_second",
       {},
       R"(static inline int64_t cyc_second(uint64_t two) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  return (int64_t)(uint32_t)two;
#else
  return (int64_t)(two >> 32);
#endif
}
)"},
      {"cyc_where_f64",
       {},
       R"(/* x where `here` is 1, else 0: by its bits, because a branch would be guessed wrong every other time. */
static inline double cyc_where_f64(int here, double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  bits &= 0 - (uint64_t)here;
  memcpy(&x, &bits, sizeof x);
  return x;
}
)"},
      {"cyc_where_f32",
       {},
       R"(/* x where `here` is 1, else 0: by its bits, because a branch would be guessed wrong every other time. */
static inline float cyc_where_f32(int here, float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  bits &= 0 - (uint32_t)here;
  memcpy(&x, &bits, sizeof x);
  return x;
}
)"},
      {"cyc_march_find",
       {"cyc_march"},
       R"(/* The position of a coordinate, or -1, by such a pointer. */
static inline int64_t cyc_march_find(index_t *pointer, const index_t *crd, int64_t end, int64_t wanted) {
  const int64_t p = cyc_march(pointer, crd, end, wanted);
  return p < end && crd[p] == wanted ? p : -1;
}
)"},
      {"cyc_march_past_far",
       {},
       R"(static __attribute__((noinline)) int64_t cyc_march_past_far(index_t *pointer, const index_t *crd, int64_t end, int64_t wanted) {
  int64_t p = *pointer;
  while (p < end && crd[p] < wanted) p++;
  const int here = p < end && crd[p] == wanted;
  *pointer = (index_t)(p + here);
  return here ? p : -1;
}
)"},
      {"cyc_march_past",
       {"cyc_march_past_far"},
       R"(/* The position of a coordinate, or -1, by a pointer that moves past it: each coordinate is asked for once. */
static inline int64_t cyc_march_past(index_t *pointer, const index_t *crd, int64_t end, int64_t wanted) {
  const int64_t p = *pointer;
  if (p == end || crd[p] > wanted) return -1;
  if (crd[p] < wanted) return cyc_march_past_far(pointer, crd, end, wanted);
  *pointer = (index_t)(p + 1);
  return p;
}
)"},
      {"cyc_share",
       {},
       R"(/* How many iterations a thread takes at a time: few enough that none has to wait long for the others at the end. */
static inline int64_t cyc_share(int64_t iterations) {
  return iterations <= 0 ? 1 : iterations / (16 * omp_get_max_threads()) + 1;
}
)"},
      {"cyc_run_end", {}, R"(/* One past the run of equal coordinates that starts at `begin`. */
static inline int64_t cyc_run_end(const index_t *crd, int64_t begin, int64_t end) {
  int64_t p = begin;
  while (p < end && crd[p] == crd[begin]) p++;
  return p;
}
)"},
      {"cyc_bit", {}, R"(/* The position of a coordinate in a bitvector level, or -1 where its bit is not set. */
static inline int64_t cyc_bit(const uint64_t *bits, const index_t *pos, int64_t parent, int64_t size, int64_t wanted) {
  const int64_t words = (size + 63) / 64;
  if (wanted < 0 || wanted >= size) return -1;
  const uint64_t *own = bits + parent * words;
  if (!(own[wanted / 64] >> (wanted % 64) & 1)) return -1;
  int64_t position = pos[parent];
  for (int64_t w = 0; w < wanted / 64; w++) position += __builtin_popcountll(own[w]);
  return position + __builtin_popcountll(own[wanted / 64] & ((UINT64_C(1) << (wanted % 64)) - 1));
}
)"},
      {"cyc_min_f64", {}, R"(/* NaN wins in the least and the greatest, so that a bad value is never hidden. */
static inline double cyc_min_f64(double a, double b) {
  const double r = a < b ? a : b;
  return a != a ? a : r;
}
)"},
      {"cyc_max_f64",
       {},
       R"(static inline double cyc_max_f64(double a, double b) {
  const double r = a > b ? a : b;
  return a != a ? a : r;
}
)"},
      {"cyc_min_f32", {}, R"(static inline float cyc_min_f32(float a, float b) {
  const float r = a < b ? a : b;
  return a != a ? a : r;
}
)"},
      {"cyc_max_f32", {}, R"(static inline float cyc_max_f32(float a, float b) {
  const float r = a > b ? a : b;
  return a != a ? a : r;
}
)"},
      {"cyc_min_i32", {}, "static inline int32_t cyc_min_i32(int32_t a, int32_t b) { return a < b ? a : b; }\n"},
      {"cyc_max_i32", {}, "static inline int32_t cyc_max_i32(int32_t a, int32_t b) { return a > b ? a : b; }\n"},
      {"cyc_min_i64", {}, "static inline int64_t cyc_min_i64(int64_t a, int64_t b) { return a < b ? a : b; }\n"},
      {"cyc_max_i64", {}, "static inline int64_t cyc_max_i64(int64_t a, int64_t b) { return a > b ? a : b; }\n"},
      {"cyc_floor_div", {}, R"(static inline int64_t cyc_floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }
)"},
      {"cyc_ceil_div", {}, R"(static inline int64_t cyc_ceil_div(int64_t a, int64_t b) { return a / b + (a % b > 0); }
)"},
      {"cyc_add_i32",
       {},
       R"(/* Whole numbers are added, subtracted and multiplied with a note where the result does not fit. */
static inline int32_t cyc_add_i32(int32_t a, int32_t b, int32_t *overflow) {
  const int32_t r = (int32_t)((uint32_t)a + (uint32_t)b);
  *overflow |= ((a ^ r) & (b ^ r)) < 0;
  return r;
}
)"},
      {"cyc_sub_i32", {}, R"(static inline int32_t cyc_sub_i32(int32_t a, int32_t b, int32_t *overflow) {
  const int32_t r = (int32_t)((uint32_t)a - (uint32_t)b);
  *overflow |= ((a ^ b) & (a ^ r)) < 0;
  return r;
}
)"},
      {"cyc_mul_i32", {}, R"(static inline int32_t cyc_mul_i32(int32_t a, int32_t b, int32_t *overflow) {
  const int64_t r = (int64_t)a * b;
  *overflow |= r != (int32_t)r;
  return (int32_t)r;
}
)"},
      {"cyc_add_i64", {}, R"(static inline int64_t cyc_add_i64(int64_t a, int64_t b, int32_t *overflow) {
  int64_t r;
  *overflow |= __builtin_add_overflow(a, b, &r);
  return r;
}
)"},
      {"cyc_sub_i64", {}, R"(static inline int64_t cyc_sub_i64(int64_t a, int64_t b, int32_t *overflow) {
  int64_t r;
  *overflow |= __builtin_sub_overflow(a, b, &r);
  return r;
}
)"},
      {"cyc_mul_i64", {}, R"(static inline int64_t cyc_mul_i64(int64_t a, int64_t b, int32_t *overflow) {
  int64_t r;
  *overflow |= __builtin_mul_overflow(a, b, &r);
  return r;
}
)"},
      {"cyc_wide", {}, "__extension__ typedef __int128 cyc_wide; // what sums and products come through\n"},
      {"cyc_to_i64", {"cyc_wide"}, R"(static inline int64_t cyc_to_i64(cyc_wide a, int32_t *overflow) {
  *overflow |= a != (int64_t)a;
  return (int64_t)a;
}
)"},
      {"cyc_exact_mul_i32",
       {},
       R"(/* A product that has left its type for good, unless a factor is 0, stays there. */
static inline int64_t cyc_exact_mul_i32(int64_t a, int32_t b) {
  return b != 0 && (a > -(int64_t)INT32_MIN || a < INT32_MIN) ? a : a * b;
}
)"},
      {"cyc_exact_mul_i64", {"cyc_wide"}, R"(static inline cyc_wide cyc_exact_mul_i64(cyc_wide a, int64_t b) {
  return b != 0 && (a > -(cyc_wide)INT64_MIN || a < INT64_MIN) ? a : a * b;
}
)"},
      {"cyc_to_i32", {}, R"(static inline int32_t cyc_to_i32(int64_t a, int32_t *overflow) {
  *overflow |= a != (int32_t)a;
  return (int32_t)a;
}
)"},
      {"cyc_abs_i32", {}, R"(static inline int32_t cyc_abs_i32(int32_t a, int32_t *overflow) {
  *overflow |= a == INT32_MIN;
  return a < 0 ? (int32_t)(0 - (uint32_t)a) : a;
}
)"},
      {"cyc_abs_i64", {}, R"(static inline int64_t cyc_abs_i64(int64_t a, int32_t *overflow) {
  *overflow |= a == INT64_MIN;
  return a < 0 ? (int64_t)(0 - (uint64_t)a) : a;
}
)"},
      {"cyc_div_f64",
       {},
       R"(/* Division by zero and roots of negative numbers are noted, and reported with the element. */
static inline double cyc_div_f64(double a, double b, int *failed) {
  if (b == 0 && !*failed) *failed = CYC_DIVIDES_BY_ZERO;
  return a / b;
}
)"},
      {"cyc_div_f32", {}, R"(static inline float cyc_div_f32(float a, float b, int *failed) {
  if (b == 0 && !*failed) *failed = CYC_DIVIDES_BY_ZERO;
  return a / b;
}
)"},
      {"cyc_div_sparse_f64", {}, R"(/* In a sparse result, zero divided by zero is zero. */
static inline double cyc_div_sparse_f64(double a, double b, int *failed) {
  if (b == 0 && a == 0) return 0;
  if (b == 0) *failed = CYC_DIVIDES_BY_ZERO;
  return a / b;
}
)"},
      {"cyc_div_sparse_f32", {}, R"(static inline float cyc_div_sparse_f32(float a, float b, int *failed) {
  if (b == 0 && a == 0) return 0;
  if (b == 0) *failed = CYC_DIVIDES_BY_ZERO;
  return a / b;
}
)"},
      {"cyc_sqrt_f64", {}, R"(static inline double cyc_sqrt_f64(double a, int *failed) {
  if (a < 0 && !*failed) *failed = CYC_ROOT_OF_NEGATIVE;
  return sqrt(a);
}
)"},
      {"cyc_sqrt_f32", {}, R"(static inline float cyc_sqrt_f32(float a, int *failed) {
  if (a < 0 && !*failed) *failed = CYC_ROOT_OF_NEGATIVE;
  return sqrtf(a);
}
)"},
      {"cyc_log_f64", {}, R"(static inline double cyc_log_f64(double a, int *failed) {
  if (a < 0 && !*failed) *failed = CYC_LOG_OF_NEGATIVE;
  return log(a);
}
)"},
      {"cyc_pivot", {}, R"(/* A pivot to divide by. */
static inline double cyc_pivot(double a, int *failed) {
  if (a == 0 && !*failed) *failed = CYC_DIVIDES_BY_ZERO;
  return a;
}
)"},
      {"cyc_fail", {}, R"(/* The first failure is the one that is reported. */
static void cyc_fail(cyclotron_error *error, int kind, int equation, int rank, const int64_t *at) {
#ifdef _OPENMP
#pragma omp critical(cyc_fail)
#endif
  if (error->kind == 0) {
    error->kind = kind;
    error->equation = equation;
    for (int i = 0; i < rank && i < 32; i++) error->at[i] = at[i];
  }
}
)"},
  };
  return list;
}

} // namespace

std::string prelude(std::set<std::string> used) {
  // Callers stand behind what they call, so one pass from the back finds all that is needed.
  std::vector<const PreludeFunction*> wanted;
  for (const auto* list : {&tile_functions(), &functions()})
    for (auto f = list->rbegin(); f != list->rend(); ++f) {
      if (!used.count(f->name)) continue;
      wanted.push_back(&*f);
      used.insert(f->calls.begin(), f->calls.end());
    }
  std::string out;
  for (auto f = wanted.rbegin(); f != wanted.rend(); ++f) out += std::string((*f)->text) + "\n";
  return out;
}

} // namespace cyclotron::backend::c
