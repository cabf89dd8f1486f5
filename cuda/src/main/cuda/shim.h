// CUDA on the host, for tests: a fiber a thread, warp collectives and barriers as meeting points, atomics as the
// compiler's. The seed of a launch decides in which order threads run, so that a missing barrier shows.
#pragma once
#include <stdint.h>

#define QUARREL_KERNEL(name, parameters) extern "C" void name(const quarrel::Params& parameters)
#define QUARREL_DEVICE inline __attribute__((always_inline))

namespace shim {

struct Index {
  uint32_t x, y, z;
};

struct Warp {
  uint64_t values[2][32];
  uint32_t generation;
  uint32_t arrived;
  uint32_t live;
  int collective;  // which one the arrived threads are in
};

struct Block {
  char* shared;
  uint32_t barrier_generation;
  uint32_t barrier_arrived;
  uint32_t live;
};

struct Fiber {
  void* stack_pointer;
  char* stack;
  Warp* warp;
  Block* block;
  Index thread;
  uint32_t lane;
  uint32_t waits_warp;     // the generation whose end it waits for, or UINT32_MAX
  uint32_t waits_barrier;  // likewise
  bool done;
};

extern thread_local Fiber* self;
extern thread_local Index block_index, block_size, grid_size;

enum Collective { ANY = 1, ALL, BALLOT, SHUFFLE, SYNC, MATCH, REDUCE };

// Waits for all threads of the warp; the values they gave, by lane. Good until the next call.
const uint64_t* meet(uint64_t value, Collective collective);
void barrier();

template <class T>
inline uint64_t pack(T value) {
  uint64_t bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  return bits;
}

template <class T>
inline T unpack(uint64_t bits) {
  T value;
  __builtin_memcpy(&value, &bits, sizeof(T));
  return value;
}

}  // namespace shim

#define threadIdx (shim::self->thread)
#define blockIdx (shim::block_index)
#define blockDim (shim::block_size)
#define gridDim (shim::grid_size)

struct alignas(16) uint4 {
  uint32_t x, y, z, w;
};
struct alignas(8) uint2 {
  uint32_t x, y;
};

inline uint32_t lane_number() { return shim::self->lane; }
inline uint32_t thread_number() { return shim::self->thread.x; }
inline uint32_t thread_count() { return shim::block_size.x; }
inline char* shared_memory() { return shim::self->block->shared; }

inline int __any_sync(uint32_t, int predicate) {
  const uint64_t* values = shim::meet(predicate != 0, shim::ANY);
  uint64_t any = 0;
  for (int lane = 0; lane < 32; lane++) {
    any |= values[lane];
  }
  return any != 0;
}

inline uint32_t __ballot_sync(uint32_t, int predicate) {
  const uint64_t* values = shim::meet(predicate != 0, shim::BALLOT);
  uint32_t bits = 0;
  for (int lane = 0; lane < 32; lane++) {
    bits |= (uint32_t)values[lane] << lane;
  }
  return bits;
}

inline uint32_t __reduce_add_sync(uint32_t, uint32_t value) {
  const uint64_t* values = shim::meet(value, shim::REDUCE);
  uint32_t sum = 0;
  for (int lane = 0; lane < 32; lane++) {
    sum += (uint32_t)values[lane];
  }
  return sum;
}

inline uint32_t __reduce_max_sync(uint32_t, uint32_t value) {
  const uint64_t* values = shim::meet(value, shim::REDUCE);
  uint32_t greatest = 0;
  for (int lane = 0; lane < 32; lane++) {
    greatest = (uint32_t)values[lane] > greatest ? (uint32_t)values[lane] : greatest;
  }
  return greatest;
}

template <class T>
inline T __shfl_down_sync(uint32_t, T value, uint32_t delta) {
  const uint64_t* values = shim::meet(shim::pack(value), shim::SHUFFLE);
  uint32_t from = shim::self->lane + delta;
  return from < 32 ? shim::unpack<T>(values[from]) : value;
}

template <class T>
inline T __shfl_sync(uint32_t, T value, int lane) {
  return shim::unpack<T>(shim::meet(shim::pack(value), shim::SHUFFLE)[lane & 31]);
}

inline void __syncwarp(uint32_t = 0xFFFFFFFFu) { shim::meet(0, shim::SYNC); }
inline void __syncthreads() { shim::barrier(); }
inline int __popc(uint32_t bits) { return __builtin_popcount(bits); }
inline int __clzll(long long bits) { return bits == 0 ? 64 : __builtin_clzll((unsigned long long)bits); }
inline int __ffs(int bits) { return __builtin_ffs(bits); }
inline int __ffsll(long long bits) { return __builtin_ffsll(bits); }
inline int __popcll(unsigned long long bits) { return __builtin_popcountll(bits); }

template <class T>
inline T __ldg(const T* address) {
  return *address;
}

template <class T>
inline T atomicAdd(T* address, T value) {
  return __atomic_fetch_add(address, value, __ATOMIC_RELAXED);
}
template <class T>
inline T atomicCAS(T* address, T expected, T value) {
  __atomic_compare_exchange_n(address, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
}
template <class T>
inline T atomicOr(T* address, T value) {
  return __atomic_fetch_or(address, value, __ATOMIC_RELAXED);
}
template <class T>
inline T atomicXor(T* address, T value) {
  return __atomic_fetch_xor(address, value, __ATOMIC_RELAXED);
}
template <class T>
inline T atomicMax(T* address, T value) {
  T old = __atomic_load_n(address, __ATOMIC_RELAXED);
  while (old < value && !__atomic_compare_exchange_n(address, &old, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return old;
}
