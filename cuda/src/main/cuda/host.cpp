// The host build: the kernels, the fibers that run them, and the call that launches them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vector>

#include "sort.cu"
#include "vm.cu"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define QUARREL_ASAN 1
#else
#define QUARREL_ASAN 0
#endif

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

namespace shim {

thread_local Fiber* self;
thread_local Index block_index, block_size, grid_size;

namespace {

constexpr uint32_t NOT_WAITING = UINT32_MAX;
constexpr size_t STACK_BYTES = QUARREL_ASAN ? 512 << 10 : 64 << 10;
constexpr size_t CANARY_BYTES = 64;
constexpr unsigned char CANARY = 0xC5;
constexpr unsigned char POISON = 0xA7;

// Kept from launch to launch: fresh pages cost more than most kernels.
struct Stacks {
  char* memory = nullptr;
  uint32_t count = 0;

  char* of(uint32_t threads) {
    if (threads > count) {
      free(memory);
      memory = (char*)aligned_alloc(64, threads * STACK_BYTES);
      count = threads;
    }
    return memory;
  }

  ~Stacks() { free(memory); }
};

thread_local Stacks fiber_stacks;
thread_local const char* failure;
thread_local void (*kernel)(const quarrel::Params&);
thread_local const quarrel::Params* parameters;

#if defined(__x86_64__)
thread_local void* scheduler;

extern "C" void quarrel_switch(void** from, void* to);
asm(R"(
.text
.globl quarrel_switch
.hidden quarrel_switch
.type quarrel_switch, @function
quarrel_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size quarrel_switch, .-quarrel_switch
)");

void switch_out() { quarrel_switch(&self->stack_pointer, scheduler); }
void switch_in(Fiber& fiber) { quarrel_switch(&scheduler, fiber.stack_pointer); }
#else
thread_local ucontext_t scheduler;
void switch_out() { swapcontext((ucontext_t*)self->stack_pointer, &scheduler); }
void switch_in(Fiber& fiber) { swapcontext(&scheduler, (ucontext_t*)fiber.stack_pointer); }
#endif

#if QUARREL_ASAN
// The sanitizer is told of each change of stacks.
thread_local const void* scheduler_stack;
thread_local size_t scheduler_stack_bytes;

void begin() { __sanitizer_finish_switch_fiber(nullptr, &scheduler_stack, &scheduler_stack_bytes); }

void leave() {
  void* kept = nullptr;
  __sanitizer_start_switch_fiber(self->done ? nullptr : &kept, scheduler_stack, scheduler_stack_bytes);
  switch_out();
  __sanitizer_finish_switch_fiber(kept, &scheduler_stack, &scheduler_stack_bytes);
}

void enter(Fiber& fiber) {
  void* kept = nullptr;
  __sanitizer_start_switch_fiber(&kept, fiber.stack, STACK_BYTES);
  switch_in(fiber);
  __sanitizer_finish_switch_fiber(kept, nullptr, nullptr);
}
#else
void begin() {}
void leave() { switch_out(); }
void enter(Fiber& fiber) { switch_in(fiber); }
#endif

void run_thread() {
  begin();
  kernel(*parameters);
  Fiber* fiber = self;
  fiber->done = true;
  Warp* warp = fiber->warp;
  warp->live--;
  if (warp->arrived != 0 && failure == nullptr) {
    failure = "a thread ended while others of its warp wait for it";
  }
  Block* block = fiber->block;
  if (--block->live == block->barrier_arrived && block->live != 0) {
    block->barrier_arrived = 0;
    block->barrier_generation++;
  }
  leave();
}

void prepare(Fiber& fiber) {
#if QUARREL_ASAN
  __asan_unpoison_memory_region(fiber.stack, STACK_BYTES);  // the thread before never returned
#endif
#if defined(__x86_64__)
  void** top = (void**)(fiber.stack + STACK_BYTES);
  *--top = nullptr;  // where run_thread would return to; it never does
  *--top = (void*)run_thread;
  for (int saved = 0; saved < 6; saved++) {
    *--top = nullptr;
  }
  fiber.stack_pointer = top;
#else
  ucontext_t* context = (ucontext_t*)fiber.stack;
  getcontext(context);
  context->uc_stack.ss_sp = fiber.stack + sizeof(ucontext_t);
  context->uc_stack.ss_size = STACK_BYTES - sizeof(ucontext_t);
  context->uc_link = nullptr;
  makecontext(context, run_thread, 0);
  fiber.stack_pointer = context;
#endif
}

uint64_t next_random(uint64_t& state) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

bool is_ready(const Fiber& fiber) {
  return !fiber.done && (fiber.waits_warp == NOT_WAITING || fiber.waits_warp != fiber.warp->generation) &&
         (fiber.waits_barrier == NOT_WAITING || fiber.waits_barrier != fiber.block->barrier_generation);
}

// Seed 0 runs lanes in order, 1 backwards, others in an order of their own each time.
void run_block(std::vector<Fiber>& fibers, std::vector<Warp>& warps, uint64_t seed, uint64_t& state) {
  uint32_t lanes[32];
  size_t running = fibers.size();
  while (running > 0 && failure == nullptr) {
    bool progress = false;
    for (size_t turn = 0; turn < warps.size() && failure == nullptr; turn++) {
      size_t warp = seed == 0   ? turn
                    : seed == 1 ? warps.size() - 1 - turn
                                : next_random(state) % warps.size();
      uint32_t passes = seed < 2 ? 4 : 1 + next_random(state) % 8;
      for (uint32_t pass = 0; pass < passes; pass++) {
        for (uint32_t lane = 0; lane < 32; lane++) {
          lanes[lane] = seed == 1 ? 31 - lane : lane;
        }
        if (seed > 1) {
          for (uint32_t lane = 31; lane > 0; lane--) {
            uint32_t other = next_random(state) % (lane + 1);
            uint32_t swap = lanes[lane];
            lanes[lane] = lanes[other];
            lanes[other] = swap;
          }
        }
        for (uint32_t lane = 0; lane < 32 && failure == nullptr; lane++) {
          Fiber& fiber = fibers[warp * 32 + lanes[lane]];
          if (!is_ready(fiber)) {
            continue;
          }
          fiber.waits_warp = NOT_WAITING;
          fiber.waits_barrier = NOT_WAITING;
          self = &fiber;
          enter(fiber);
          progress = true;
          running -= fiber.done ? 1 : 0;
        }
      }
    }
    if (!progress && seed < 2) {
      failure = "threads wait for each other";
    }
    if (!progress) {
      bool ready = false;
      for (const Fiber& fiber : fibers) {
        ready |= is_ready(fiber);
      }
      if (!ready && running > 0) {
        failure = "threads wait for each other";
      }
    }
  }
}

}  // namespace

const uint64_t* meet(uint64_t value, Collective collective) {
  Warp& warp = *self->warp;
  if (warp.arrived == 0) {
    warp.collective = collective;
  } else if (warp.collective != collective) {
    failure = "threads of a warp are in different collectives";
    leave();
  }
  uint32_t generation = warp.generation;
  uint64_t* values = warp.values[generation & 1];
  values[self->lane] = value;
  if (++warp.arrived == 32) {
    warp.arrived = 0;
    warp.generation++;
  } else {
    self->waits_warp = generation;
    leave();
  }
  return values;
}

void barrier() {
  Block& block = *self->block;
  uint32_t generation = block.barrier_generation;
  if (++block.barrier_arrived == block.live) {
    block.barrier_arrived = 0;
    block.barrier_generation++;
  } else {
    self->waits_barrier = generation;
    leave();
  }
}

}  // namespace shim

extern "C" {

void quarrel_host_poison(void* memory, uint64_t bytes, uint32_t is_poisoned);

// Null, or what went wrong: a kernel that is not there, threads that part, writes past shared memory.
const char* quarrel_host_launch(void (*kernel)(const quarrel::Params&), const void* parameters, uint32_t blocks,
                                uint32_t threads, uint32_t shared_bytes, uint64_t seed) {
  using namespace shim;
  if (threads == 0 || threads % 32 != 0 || threads > 1024) {
    return "threads a block are no multiple of 32 up to 1024";
  }
  failure = nullptr;
  shim::kernel = kernel;
  shim::parameters = (const quarrel::Params*)parameters;
  block_size = {threads, 1, 1};
  grid_size = {blocks, 1, 1};
  char* stacks = fiber_stacks.of(threads);
  size_t shared_size = (shared_bytes + CANARY_BYTES + 63) / 64 * 64;
  char* shared = (char*)aligned_alloc(64, shared_size);
  std::vector<Fiber> fibers(threads);
  std::vector<Warp> warps(threads / 32);
  uint64_t state = seed * 0x9E3779B97F4A7C15ull | 1;
  for (uint32_t number = 0; number < blocks && failure == nullptr; number++) {
    block_index = {seed == 1 ? blocks - 1 - number : number, 0, 0};
    Block block = {shared, 0, 0, threads};
    memset(shared, POISON, shared_bytes);
    memset(shared + shared_bytes, CANARY, CANARY_BYTES);
    quarrel_host_poison(shared + shared_bytes, CANARY_BYTES, 1);
    for (Warp& warp : warps) {
      memset(&warp, 0, sizeof warp);
      warp.live = 32;
    }
    for (uint32_t thread = 0; thread < threads; thread++) {
      fibers[thread] = {nullptr,     stacks + thread * STACK_BYTES, &warps[thread / 32], &block, {thread, 0, 0},
                        thread % 32, NOT_WAITING,                   NOT_WAITING,         false};
      prepare(fibers[thread]);
    }
    run_block(fibers, warps, seed, state);
    quarrel_host_poison(shared + shared_bytes, CANARY_BYTES, 0);
    for (size_t at = 0; at < CANARY_BYTES && failure == nullptr; at++) {
      if ((unsigned char)shared[shared_bytes + at] != CANARY) {
        failure = "a kernel wrote past its shared memory";
      }
    }
  }
  free(shared);
  return failure;
}

// Lets nobody, or anybody again, touch some memory: where the sanitizer is.
void quarrel_host_poison(void* memory, uint64_t bytes, uint32_t is_poisoned) {
#if QUARREL_ASAN
  if (is_poisoned) {
    __asan_poison_memory_region(memory, bytes);
  } else {
    __asan_unpoison_memory_region(memory, bytes);
  }
#endif
}

// Sizes and offsets as the compiler sees them, for Java to compare.
void quarrel_host_layout(uint32_t* out) {
  using quarrel::Params;
  uint32_t layout[] = {
      sizeof(Params),
      offsetof(Params, row_count),
      offsetof(Params, code),
      offsetof(Params, cells),
      offsetof(Params, group_count),
      offsetof(Params, status),
      offsetof(Params, word_kinds),
      offsetof(Params, cell_words),
      offsetof(Params, warp_base),
      offsetof(Params, warp_bytes),
      offsetof(Params, mask_base),
      offsetof(Params, cell_base),
      offsetof(Params, code_base),
      offsetof(Params, code_count),
      offsetof(Params, constant_count),
      offsetof(Params, own_words),
      offsetof(Params, block_base),
      offsetof(Params, block_words),
      offsetof(Params, block_pairs),
      offsetof(Params, columns),
      offsetof(Params, tables),
      offsetof(Params, constants),
      offsetof(Params, inline_code),
  };
  memcpy(out, layout, sizeof layout);
}
}
