// Types and small functions that the kernels below are written in.
//
// A vector of lanes is one number in each thread of a group, which is `lanes` neighbouring threads of a warp. A group
// always does the same together, so all its threads take part in every exchange.
typedef short i16;
typedef int i32;
typedef long long i64;
typedef float f32;
typedef double f64;

// Where the text is run on a CPU (cuda_on_cpu.hpp), every access to memory is checked.
#ifndef CHECK_ACCESS
#define CHECK_ACCESS(memory, index)
#define OWN_MEMORY(memory, elements)
#endif

// --- memory ---

// Kernels say of memory that nobody writes that it is `const` and `__restrict__`. That is all the compiler needs to load
// by the cache of such memory, and, other than with `__ldg`, it may load once what is loaded again and again.
template <class T> __device__ inline T load(const T *memory, i64 index) {
  CHECK_ACCESS(memory, index);
  return memory[index];
}
template <class T> __device__ inline T load(T *memory, i64 index) {
  CHECK_ACCESS(memory, index);
  return memory[index];
}
template <class T, class V> __device__ inline void store(T *memory, i64 index, V value) {
  CHECK_ACCESS(memory, index);
  memory[index] = (T)value;
}

// Neighbouring elements, moved at once where they lie at a multiple of their size. They do in all lanes or in none.
template <class T, int count> struct alignas(sizeof(T) * count) Adjacent {
  T at[count];
};
template <int count, class T> __device__ inline Adjacent<T, count> load_adjacent(const T *memory, i64 index) {
  CHECK_ACCESS(memory, index);
  CHECK_ACCESS(memory, index + count - 1);
  typedef Adjacent<T, count> All;
  if ((size_t)(memory + index) % sizeof(All) == 0) return *(const All *)(memory + index);
  All all;
  for (int v = 0; v < count; ++v) all.at[v] = memory[index + v];
  return all;
}
#ifdef __CUDA_ARCH__
// Without a branch, so that the loads of several steps can be on their way at once.
#define LOAD_FOUR(T, letter, word)                                                                                     \
  template <> __device__ inline Adjacent<T, 4> load_adjacent<4, T>(const T *memory, i64 index) {                       \
    const T *at = memory + index;                                                                                      \
    Adjacent<T, 4> all;                                                                                                \
    asm("{ .reg .pred together; setp.eq.s32 together, %5, 0;\n\t"                                                      \
        "@together ld.global.nc.v4." word " {%0, %1, %2, %3}, [%4];\n\t"                                               \
        "@!together ld.global.nc." word " %0, [%4];\n\t"                                                               \
        "@!together ld.global.nc." word " %1, [%4 + 4];\n\t"                                                           \
        "@!together ld.global.nc." word " %2, [%4 + 8];\n\t"                                                           \
        "@!together ld.global.nc." word " %3, [%4 + 12]; }"                                                            \
        : "=" letter(all.at[0]), "=" letter(all.at[1]), "=" letter(all.at[2]), "=" letter(all.at[3])                   \
        : "l"(__cvta_generic_to_global(at)), "r"((int)((size_t)at % 16)));                                             \
    return all;                                                                                                        \
  }
LOAD_FOUR(f32, "f", "f32")
LOAD_FOUR(i32, "r", "s32")
#undef LOAD_FOUR
#endif
template <int count, class T> __device__ inline Adjacent<T, count> load_adjacent(T *memory, i64 index) {
  CHECK_ACCESS(memory, index);
  CHECK_ACCESS(memory, index + count - 1);
  Adjacent<T, count> all;
  for (int v = 0; v < count; ++v) all.at[v] = memory[index + v];
  return all;
}
template <int count, class T> __device__ inline void store_adjacent(T *memory, i64 index, Adjacent<T, count> all) {
  CHECK_ACCESS(memory, index);
  CHECK_ACCESS(memory, index + count - 1);
  typedef Adjacent<T, count> All;
  if ((size_t)(memory + index) % sizeof(All) == 0) *(All *)(memory + index) = all;
  else
    for (int v = 0; v < count; ++v) memory[index + v] = all.at[v];
}

// Bytes of scratch: every memory begins at a multiple of 64.
__host__ __device__ inline i64 padded(i64 bytes) { return bytes < 0 ? 0 : (bytes + 63) / 64 * 64; }

// --- between the lanes of a group ---

template <class T> __device__ inline T from_lane(unsigned group, T value, int source, int lanes) {
  return __shfl_sync(group, value, source, lanes);
}
__device__ inline i16 from_lane(unsigned group, i16 value, int source, int lanes) {
  return (i16)__shfl_sync(group, (int)value, source, lanes);
}
__device__ inline bool from_lane(unsigned group, bool value, int source, int lanes) {
  return __shfl_sync(group, (int)value, source, lanes) != 0;
}

// Lane l gets lane l - distance of `value`; lanes that would get theirs from outside of it get anything.
template <int lanes, int distance, class T> __device__ inline T shift(unsigned group, int lane, T value) {
  return from_lane(group, value, (lane - distance) & (lanes - 1), lanes);
}
// The same, and the others get theirs from the vector beside it. The lanes that are read of `value` and of `beside`
// differ, so one exchange does both.
template <int lanes, int distance, class T> __device__ inline T shift(unsigned group, int lane, T value, T beside) {
  const bool is_read_beside = distance > 0 ? lane >= lanes - distance : lane < -distance;
  return from_lane(group, is_read_beside ? beside : value, (lane - distance) & (lanes - 1), lanes);
}
template <int lanes, class T> __device__ inline T extract(unsigned group, T value, i64 lane) {
  return from_lane(group, value, (int)lane, lanes);
}
__device__ inline bool any_lane(unsigned group, bool value) { return __any_sync(group, value) != 0; }

// Of several failures the smallest number wins.
__device__ inline void fail(int *failed, int code) { atomicMin(failed, code); }

// --- whole numbers, which wrap around (on the host too, which finds out how much scratch there must be) ---

__host__ __device__ inline i64 add(i64 a, i64 b) { return (i64)((unsigned long long)a + (unsigned long long)b); }
__host__ __device__ inline i32 add(i32 a, i32 b) { return (i32)((unsigned)a + (unsigned)b); }
__host__ __device__ inline i16 add(i16 a, i16 b) { return (i16)(a + b); }
// For a GPU a difference is written as an instruction, so that the compiler does not make `~a` of `-a - 1`: the assembler
// of CUDA 13.0 forgets the `~` in max(max(x, ~a), y).
__host__ __device__ inline i64 subtract(i64 a, i64 b) {
#ifdef __CUDA_ARCH__
  i64 difference;
  asm("sub.s64 %0, %1, %2;" : "=l"(difference) : "l"(a), "l"(b));
  return difference;
#else
  return (i64)((unsigned long long)a - (unsigned long long)b);
#endif
}
__host__ __device__ inline i32 subtract(i32 a, i32 b) {
#ifdef __CUDA_ARCH__
  i32 difference;
  asm("sub.s32 %0, %1, %2;" : "=r"(difference) : "r"(a), "r"(b));
  return difference;
#else
  return (i32)((unsigned)a - (unsigned)b);
#endif
}
__host__ __device__ inline i16 subtract(i16 a, i16 b) { return (i16)subtract((i32)a, (i32)b); }
__host__ __device__ inline i64 multiply(i64 a, i64 b) { return (i64)((unsigned long long)a * (unsigned long long)b); }
__host__ __device__ inline i32 multiply(i32 a, i32 b) { return (i32)((unsigned)a * (unsigned)b); }
__host__ __device__ inline i16 multiply(i16 a, i16 b) { return (i16)(a * b); }
template <class T> __host__ __device__ inline T negative(T a) { return subtract((T)0, a); }
template <class T> __host__ __device__ inline T divide(T a, T b) { return b == -1 ? negative(a) : (T)(a / b); }
// For b > 0.
template <class T> __host__ __device__ inline T floor_divide(T a, T b) { return (T)(a / b - (a % b < 0)); }
template <class T> __host__ __device__ inline T modulo(T a, T b) { return (T)(a % b < 0 ? a % b + b : a % b); }

// --- numbers of all kinds ---

template <class T> __device__ inline T absolute(T a) { return a < 0 ? negative(a) : a; }
__device__ inline f32 absolute(f32 a) { return fabsf(a); }
__device__ inline f64 absolute(f64 a) { return fabs(a); }
// A NaN on either side gives NaN.
template <class T> __host__ __device__ inline T minimum(T a, T b) { return a < b || a != a ? a : b; }
template <class T> __host__ __device__ inline T maximum(T a, T b) { return a > b || a != a ? a : b; }
