// SPDX-License-Identifier: MIT
// Lets CUDA kernels be compiled and run as C++ on a CPU, to test them where there is no GPU: include it in front of
// them. It has what kernels made by Cyclotron use, and no more.
//
// Blocks run one after the other. The threads of a block are fibers: each runs until it must wait for others, at an
// exchange between the threads of a warp or at a barrier. So threads are as far apart as they can ever be, and what
// works by luck on a GPU fails here. Reported, with kernel, block and thread: an exchange or a barrier in which not all
// of its threads take part, and an access outside of a memory.
#pragma once

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if !defined(__x86_64__) && !defined(EMULATION_BY_UCONTEXT)
#define EMULATION_BY_UCONTEXT
#endif
#ifdef EMULATION_BY_UCONTEXT
#include <ucontext.h>
#endif
#ifdef __SANITIZE_ADDRESS__ // as gcc says it
#define EMULATION_WITH_SANITIZER
#elif defined(__has_feature) // as clang does
#if __has_feature(address_sanitizer)
#define EMULATION_WITH_SANITIZER
#endif
#endif
#ifdef EMULATION_WITH_SANITIZER
#include <sanitizer/common_interface_defs.h>
#endif

#define __global__
#define __device__
#define __host__
#define __shared__
#define __launch_bounds__(threads)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define CHECK_ACCESS(memory, index) emulation::check_access(memory, index, sizeof *(memory))
#define OWN_MEMORY(memory, elements) emulation::own_memory(memory, (elements) * (long long)sizeof *(memory), #memory)
#define threadIdx (emulation::self->index)
#define blockIdx (emulation::grid.block)
#define blockDim (emulation::grid.block_size)
#define gridDim (emulation::grid.grid_size)

struct dim3 {
  unsigned x, y, z;
  dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};

alignas(64) unsigned char shared_memory[256 * 1024]; // of the block that is running

// What one launch is given: for those who load a kernel from a shared library.
struct emulated_memory {
  const void* begin;
  long long bytes;
  const char* name; // "" where it has none
};
struct emulated_launch {
  unsigned blocks, threads;        // of the grid, and of a block
  void** arguments;                // as cuLaunchKernel has them
  const emulated_memory* memories; // all that the kernel may look at
  int memory_count;
  char* message; // gets what went wrong
  int message_bytes;
};

namespace emulation {

enum { warp_size = 32, most_threads = 1024, most_memories = 256, most_own = 32, stack_bytes = 128 * 1024 };

// Why a thread waits.
enum Wait { running, finished, at_barrier, at_shuffle, at_vote, at_meeting };

struct Thread {
  dim3 index{0, 0, 0};
  Wait wait = finished;
  unsigned mask = 0;             // of the exchange: all of these take part
  int lanes = 0;                 // of the exchange, the same for all
  int source = 0;                // in the warp
  unsigned long long bits = 0;   // what it gives, and then what it gets
  emulated_memory own[most_own]; // scratch and shared memory, each with one beginning
  int own_count = 0;
  char* stack = nullptr;
#ifdef EMULATION_BY_UCONTEXT
  ucontext_t context;
#else
  void* stack_top = nullptr;
#endif
  void* fake_stack = nullptr; // of the address sanitizer
};

struct Grid {
  dim3 block{0, 0, 0}, block_size, grid_size;
};

static Thread threads[most_threads];
static Thread scheduler; // the stack that a launch was made from
static Thread* self = &scheduler;
static Grid grid;
static const char* kernel_name = "";
static const emulated_launch* launch = nullptr;
static void (*run_thread)(void) = nullptr;
static bool failed = false; // then no thread goes on

// --- from stack to stack ---

#ifdef EMULATION_BY_UCONTEXT
static inline void swap_stacks(Thread* from, Thread* to) { swapcontext(&from->context, &to->context); }
#else
extern "C" void emulation_swap_stacks(void** from, void* to);
// Registers that a function must keep go to the old stack, and those of the new one come from it.
__asm__(".text\n"
        ".local emulation_swap_stacks\n"
        ".type emulation_swap_stacks, @function\n"
        "emulation_swap_stacks:\n"
        "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
        "  movq %rsp, (%rdi)\n"
        "  movq %rsi, %rsp\n"
        "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n"
        "  ret\n"
        ".size emulation_swap_stacks, .-emulation_swap_stacks\n");
static inline void swap_stacks(Thread* from, Thread* to) { emulation_swap_stacks(&from->stack_top, to->stack_top); }
#endif

// The address sanitizer wants to know which stack is in use.
#ifdef EMULATION_WITH_SANITIZER
static const void* scheduler_stack;
static size_t scheduler_stack_bytes;
static const Thread* came_from = nullptr;

static inline void leave(Thread* from, const Thread* to) {
  came_from = from;
  const bool back = to == &scheduler;
  __sanitizer_start_switch_fiber(from->wait == finished && from != &scheduler ? nullptr : &from->fake_stack,
                                 back ? scheduler_stack : to->stack,
                                 back ? scheduler_stack_bytes : (size_t)stack_bytes);
}
static inline void arrive() {
  const void* stack;
  size_t bytes;
  __sanitizer_finish_switch_fiber(self->fake_stack, &stack, &bytes);
  if (came_from != &scheduler) return;
  scheduler_stack = stack;
  scheduler_stack_bytes = bytes;
}
#else
static inline void leave(Thread*, const Thread*) {}
static inline void arrive() {}
#endif

static inline void go_to(Thread* next) {
  Thread* const from = self;
  self = next;
  leave(from, next);
  swap_stacks(from, next);
  arrive();
}

// To the next thread that can run, in a circle; to the scheduler where there is none.
static inline void go_on() {
  const unsigned count = grid.block_size.x;
  const unsigned start = self == &scheduler ? 0 : self->index.x + 1;
  if (!failed)
    for (unsigned i = 0; i < count; ++i) {
      Thread* const next = &threads[(start + i) % count];
      if (next->wait != running) continue;
      if (next != self) go_to(next);
      return;
    }
  if (self != &scheduler) go_to(&scheduler);
}

static inline void thread_begin() {
  arrive();
  run_thread();
  self->wait = finished;
  for (;;) go_on(); // never comes back
}

static inline void prepare(Thread* t) {
  t->fake_stack = nullptr;
#ifdef EMULATION_BY_UCONTEXT
  getcontext(&t->context);
  t->context.uc_stack.ss_sp = t->stack;
  t->context.uc_stack.ss_size = stack_bytes;
  t->context.uc_link = nullptr;
  makecontext(&t->context, thread_begin, 0);
#else
  // As swap_stacks leaves it: six registers, and where to go; a function begins 8 bytes off a multiple of 16.
  void** top = (void**)(((uintptr_t)t->stack + stack_bytes) & ~(uintptr_t)15);
  *--top = nullptr;
  *--top = (void*)thread_begin;
  for (int i = 0; i < 6; ++i) *--top = nullptr;
  t->stack_top = top;
#endif
}

// --- what goes wrong ---

static inline void report(const char* what) {
  if (failed) return;
  failed = true;
  char text[400];
  snprintf(text, sizeof text, "kernel %s, block %u, thread %u: %s", kernel_name, grid.block.x, self->index.x, what);
  if (launch->message) snprintf(launch->message, (size_t)launch->message_bytes, "%s", text);
  else fprintf(stderr, "%s\n", text);
}

// The launch ends: nobody comes back to this thread.
static inline void give_up(const char* what) {
  report(what);
  for (;;) go_to(&scheduler);
}

static inline const char* name_of(Wait wait) {
  switch (wait) {
  case running: return "running";
  case finished: return "finished";
  case at_barrier: return "waiting at a barrier";
  case at_shuffle: return "waiting at an exchange of values";
  case at_vote: return "waiting at a vote";
  default: return "waiting for its warp";
  }
}

static inline const emulated_memory* find(const emulated_memory* list, int count, const void* begin) {
  for (int i = count - 1; i >= 0; --i)
    if (list[i].begin == begin) return &list[i];
  return nullptr;
}

static inline void check_access(const void* begin, long long index, size_t size) {
  const emulated_memory* m = find(self->own, self->own_count, begin);
  if (!m) m = find(launch->memories, launch->memory_count, begin);
  const long long elements = m ? m->bytes / (long long)size : 0;
  if (index >= 0 && index < elements) return;
  char what[200];
  snprintf(what, sizeof what, "element %lld of `%.60s`, which has %lld", index, m ? m->name : "?", elements);
  give_up(what);
}

static inline void own_memory(const void* begin, long long bytes, const char* name) {
  if (self->own_count == most_own) give_up("too many memories of its own");
  self->own[self->own_count++] = emulated_memory{begin, bytes, name};
}

// --- waiting for others ---

static inline Thread* in_warp(const Thread* t, unsigned lane) {
  return &threads[t->index.x / warp_size * warp_size + lane];
}

static inline bool is_there(const Thread* t) { return t < threads + grid.block_size.x; }

// Whether all that take part have come to the same place.
static inline bool have_met(const Thread* one) {
  for (unsigned l = 0; l < warp_size; ++l)
    if (one->mask >> l & 1) {
      const Thread* const t = in_warp(one, l);
      if (!is_there(t) || t->wait != one->wait || t->mask != one->mask || t->lanes != one->lanes) return false;
    }
  return true;
}

// Everybody gets what they came for.
static inline void exchange(const Thread* one) {
  unsigned long long given[warp_size], votes = 0;
  const unsigned mask = one->mask;
  const Wait wait = one->wait;
  for (unsigned l = 0; l < warp_size; ++l)
    if (mask >> l & 1) {
      given[l] = in_warp(one, l)->bits;
      votes |= given[l];
    }
  for (unsigned l = 0; l < warp_size; ++l)
    if (mask >> l & 1) {
      Thread* const t = in_warp(one, l);
      if (wait == at_shuffle) {
        if (!(mask >> t->source & 1)) give_up("an exchange of values reads a thread that takes no part in it");
        t->bits = given[t->source];
      }
      if (wait == at_vote) t->bits = votes;
      t->wait = running;
    }
}

static inline unsigned long long meet(Wait wait, unsigned mask, int lanes, int source, unsigned long long bits) {
  Thread* const me = self;
  if (!(mask >> (me->index.x % warp_size) & 1)) give_up("an exchange without the thread that asks for it");
  me->mask = mask;
  me->lanes = lanes;
  me->source = source;
  me->bits = bits;
  me->wait = wait;
  if (have_met(me)) exchange(me);
  else go_on();
  return me->bits;
}

static inline void barrier() {
  self->wait = at_barrier;
  for (unsigned i = 0; i < grid.block_size.x; ++i)
    if (threads[i].wait != at_barrier) return go_on();
  for (unsigned i = 0; i < grid.block_size.x; ++i) threads[i].wait = running;
}

// Nobody can run, and not all have finished.
static inline void report_stuck() {
  for (unsigned i = 0; i < grid.block_size.x; ++i) {
    Thread* const t = &threads[i];
    if (t->wait == finished) continue;
    const Thread* other = nullptr;
    for (unsigned k = 0; k < grid.block_size.x && !other; ++k) {
      const bool wanted = t->wait == at_barrier || (k / warp_size == i / warp_size && (t->mask >> (k % warp_size) & 1));
      const bool came = threads[k].wait == t->wait &&
                        (t->wait == at_barrier || (threads[k].mask == t->mask && threads[k].lanes == t->lanes));
      if (wanted && !came) other = &threads[k];
    }
    char what[200];
    if (other)
      snprintf(what, sizeof what, "it is %s that thread %u does not come to, which is %s%s", name_of(t->wait),
               other->index.x, name_of(other->wait), other->wait == t->wait ? " of other threads" : "");
    else snprintf(what, sizeof what, "it is %s with threads that the block does not have", name_of(t->wait));
    self = t;
    report(what);
    self = &scheduler;
    return;
  }
}

static inline void run_block(unsigned block) {
  grid.block.x = block;
  for (unsigned i = 0; i < grid.block_size.x; ++i) {
    Thread* const t = &threads[i];
    t->index = dim3(i, 0, 0);
    t->own_count = 0;
    t->wait = running;
    prepare(t);
  }
  go_on();
  if (failed) return;
  for (unsigned i = 0; i < grid.block_size.x; ++i)
    if (threads[i].wait != finished) return report_stuck();
}

// 0, or 1 where something was reported.
static inline int run(const char* name, void (*thread)(void), const emulated_launch* what) {
  kernel_name = name;
  launch = what;
  run_thread = thread;
  failed = false;
  grid.grid_size = dim3(what->blocks);
  grid.block_size = dim3(what->threads);
  if (what->threads < 1 || what->threads > most_threads) {
    report("a block has 1 to 1024 threads");
    return 1;
  }
  char* const stacks = (char*)malloc((size_t)what->threads * stack_bytes);
  if (!stacks) {
    report("there is no memory for the stacks of its threads");
    return 1;
  }
  for (unsigned i = 0; i < what->threads; ++i) threads[i].stack = stacks + (size_t)i * stack_bytes;
  memset(shared_memory, 0xa5, sizeof shared_memory); // nobody may count on zeros
  for (unsigned b = 0; b < what->blocks && !failed; ++b) run_block(b);
  free(stacks);
  return failed ? 1 : 0;
}

// --- a kernel and its arguments, which are known by address only ---

template <int... numbers> struct Numbers {};
template <int count, int... numbers> struct CountedTo : CountedTo<count - 1, count - 1, numbers...> {};
template <int... numbers> struct CountedTo<0, numbers...> { using type = Numbers<numbers...>; };
template <class... Parameters, int... numbers>
void call(void (*kernel)(Parameters...), void** arguments, Numbers<numbers...>) {
  (void)arguments; // of a kernel that takes none
  kernel(*(Parameters*)arguments[numbers]...);
}
template <class... Parameters> void call(void (*kernel)(Parameters...), void** arguments) {
  call(kernel, arguments, typename CountedTo<(int)sizeof...(Parameters)>::type());
}

template <class T> static unsigned long long bits_of(T value) {
  static_assert(sizeof(T) <= 8, "an exchange of more than 8 bytes");
  unsigned long long bits = 0;
  memcpy(&bits, &value, sizeof value);
  return bits;
}

} // namespace emulation

// Makes `KERNEL_emulated(launch)`, which runs it: 0, or 1 where a message was left.
#define EMULATED_KERNEL(kernel)                                                                                        \
  extern "C" int kernel##_emulated(const emulated_launch* launch) {                                                    \
    return emulation::run(                                                                                             \
        #kernel, [] { emulation::call(kernel, emulation::launch->arguments); }, launch);                               \
  }

// --- what kernels call ---

template <class T> static T __shfl_sync(unsigned mask, T value, int source, int width = 32) {
  const int lane = (int)(threadIdx.x % 32), first = lane / width * width;
  const unsigned long long got =
      emulation::meet(emulation::at_shuffle, mask, width, first + (source & (width - 1)), emulation::bits_of(value));
  T result;
  memcpy(&result, &got, sizeof result);
  return result;
}
static inline int __any_sync(unsigned mask, int value) {
  return emulation::meet(emulation::at_vote, mask, 0, 0, value != 0) != 0;
}
static inline void __syncwarp(unsigned mask = 0xffffffffu) { emulation::meet(emulation::at_meeting, mask, 0, 0, 0); }
static inline void __syncthreads() { emulation::barrier(); }
static inline int atomicMin(int* at, int value) { // threads do not interrupt each other
  const int old = *at;
  if (value < old) *at = value;
  return old;
}
template <class T> static T __ldg(const T* at) { return *at; }
static inline float __int_as_float(int bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
static inline double __longlong_as_double(long long bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
