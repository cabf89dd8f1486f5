// What kernels need of CUDA, and where the same source is compiled for the host, shim.h instead.
#pragma once
#include <stdint.h>

#ifdef __CUDACC__
#define QUARREL_KERNEL(name, parameters) \
  extern "C" __global__ void __launch_bounds__(1024, 1) name(const __grid_constant__ quarrel::Params parameters)
#define QUARREL_DEVICE __device__ __forceinline__
// Read anew where it is called.
QUARREL_DEVICE uint32_t lane_number() {
  uint32_t lane;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}
// A thread's number in the block, and how many threads that has; read anew, too.
QUARREL_DEVICE uint32_t thread_number() {
  uint32_t thread;
  asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
  return thread;
}
QUARREL_DEVICE uint32_t thread_count() {
  uint32_t threads;
  asm volatile("mov.u32 %0, %%ntid.x;" : "=r"(threads));
  return threads;
}
// Dynamic shared memory.
QUARREL_DEVICE char* shared_memory() {
  extern __shared__ __align__(16) char quarrel_shared[];
  return quarrel_shared;
}
#else
#include "shim.h"
#endif
