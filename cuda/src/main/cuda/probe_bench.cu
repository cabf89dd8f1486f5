// What this card can do, measured by kernels that do one thing each: copy and read memory, probe tables at random in shared
// memory, in L2 and beyond, count by atomics, or nothing at all. Their rates are the ceilings of the cost model.
//
// Every kernel has a result that the host can compute too, so that no load can be optimised away and none can be wrong.
#include <cstdint>

// `ProbeBench` in Java writes the same 48 bytes.
struct ProbeParams {
  const uint4* source;         // what is read; a table of 32-bit entries for the probing kernels
  uint4* target;               // what is written
  uint64_t count;              // 16-byte words to move; or probes a thread, a multiple of 8
  uint64_t mask;               // entries of the table less one, a power of two less one
  uint64_t seed;
  unsigned long long* result;  // one cell; the kernels add to it
};
static_assert(sizeof(ProbeParams) == 48, "ProbeBench writes 48 bytes");

// The finaliser of MurmurHash3: each bit of the result depends on all of the input's.
__device__ __forceinline__ uint32_t mixed(uint32_t value) {
  value ^= value >> 16;
  value *= 0x85ebca6bu;
  value ^= value >> 13;
  value *= 0xc2b2ae35u;
  return value ^ (value >> 16);
}

__device__ __forceinline__ uint64_t thread_index() { return uint64_t(blockIdx.x) * blockDim.x + threadIdx.x; }

__device__ __forceinline__ uint64_t thread_count() { return uint64_t(gridDim.x) * blockDim.x; }

// Adds the threads' values, one atomic a warp. Called by all lanes.
__device__ __forceinline__ void add_result(unsigned long long* result, unsigned long long value) {
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(0xffffffffu, value, distance);
  if ((threadIdx.x & 31) == 0) atomicAdd(result, value);
}

// target[i] = source[i]: four 16-byte loads are on their way before the first store.
extern "C" __global__ void __launch_bounds__(1024) probe_copy(const __grid_constant__ ProbeParams params) {
  const uint64_t step = thread_count();
  uint64_t index = thread_index();
  for (; index + 3 * step < params.count; index += 4 * step) {
    uint4 words[4];
#pragma unroll
    for (int k = 0; k < 4; k++) words[k] = params.source[index + k * step];
#pragma unroll
    for (int k = 0; k < 4; k++) params.target[index + k * step] = words[k];
  }
  for (; index < params.count; index += step) params.target[index] = params.source[index];
}

// result += the sum over threads of the exclusive or of their 32-bit words: thread t has the 16-byte words t, t + threads, …
extern "C" __global__ void __launch_bounds__(1024) probe_read(const __grid_constant__ ProbeParams params) {
  const uint64_t step = thread_count();
  uint64_t index = thread_index();
  uint32_t folded = 0;
  for (; index + 3 * step < params.count; index += 4 * step) {
    uint4 words[4];
#pragma unroll
    for (int k = 0; k < 4; k++) words[k] = params.source[index + k * step];
#pragma unroll
    for (int k = 0; k < 4; k++) folded ^= words[k].x ^ words[k].y ^ words[k].z ^ words[k].w;
  }
  for (; index < params.count; index += step) {
    const uint4 word = params.source[index];
    folded ^= word.x ^ word.y ^ word.z ^ word.w;
  }
  add_result(params.result, folded);
}

// Probes i = 0 … count-1 of thread t read entry mixed(seed + t * count + i) & mask; result += the entries, as unsigned numbers.
// Eight are on their way at a time. The table's size says which cache answers.
extern "C" __global__ void __launch_bounds__(1024) probe_table(const __grid_constant__ ProbeParams params) {
  const uint32_t* table = reinterpret_cast<const uint32_t*>(params.source);
  const uint32_t mask = uint32_t(params.mask);
  uint32_t next = uint32_t(params.seed + thread_index() * params.count);
  unsigned long long sum = 0;
  for (uint64_t probe = 0; probe < params.count; probe += 8) {
    uint32_t entries[8];
#pragma unroll
    for (int k = 0; k < 8; k++) entries[k] = __ldg(table + (mixed(next + k) & mask));
#pragma unroll
    for (int k = 0; k < 8; k++) sum += entries[k];
    next += 8;
  }
  add_result(params.result, sum);
}

// As probe_table, of single bits of a bitmap that each block holds in shared memory: (mask + 1) / 8 bytes of it, from source.
extern "C" __global__ void __launch_bounds__(1024) probe_bitmap(const __grid_constant__ ProbeParams params) {
  extern __shared__ uint32_t bitmap[];
  const uint32_t* source = reinterpret_cast<const uint32_t*>(params.source);
  const uint32_t mask = uint32_t(params.mask);
  for (uint32_t word = threadIdx.x; word <= mask / 32; word += blockDim.x) bitmap[word] = source[word];
  __syncthreads();
  uint32_t next = uint32_t(params.seed + thread_index() * params.count);
  uint32_t found = 0;
  for (uint64_t probe = 0; probe < params.count; probe += 8) {
#pragma unroll
    for (int k = 0; k < 8; k++) {
      const uint32_t bit = mixed(next + k) & mask;
      found += bitmap[bit / 32] >> (bit % 32) & 1;
    }
    next += 8;
  }
  add_result(params.result, found);
}

// Adds 1 to random 64-bit cells of target, `mask` + 1 of them: atomics that nobody waits for. result += how many.
extern "C" __global__ void __launch_bounds__(1024) probe_global_atomics(const __grid_constant__ ProbeParams params) {
  unsigned long long* cells = reinterpret_cast<unsigned long long*>(params.target);
  const uint32_t mask = uint32_t(params.mask);
  uint32_t next = uint32_t(params.seed + thread_index() * params.count);
  for (uint64_t probe = 0; probe < params.count; probe++) atomicAdd(cells + (mixed(next++) & mask), 1ull);
  add_result(params.result, params.count);
}

// The same with 32-bit cells in shared memory, whose sum goes to result.
extern "C" __global__ void __launch_bounds__(1024) probe_shared_atomics(const __grid_constant__ ProbeParams params) {
  extern __shared__ uint32_t cells[];
  const uint32_t mask = uint32_t(params.mask);
  for (uint32_t cell = threadIdx.x; cell <= mask; cell += blockDim.x) cells[cell] = 0;
  __syncthreads();
  uint32_t next = uint32_t(params.seed + thread_index() * params.count);
  for (uint64_t probe = 0; probe < params.count; probe++) atomicAdd(cells + (mixed(next++) & mask), 1u);
  __syncthreads();
  unsigned long long sum = 0;
  for (uint32_t cell = threadIdx.x; cell <= mask; cell += blockDim.x) sum += cells[cell];
  add_result(params.result, sum);
}

// What a launch costs.
extern "C" __global__ void probe_empty(const __grid_constant__ ProbeParams params) {}
