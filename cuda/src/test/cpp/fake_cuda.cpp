// A CUDA driver without a device: the functions of libcuda.so.1 that Quarrel calls, with this process' memory behind them.
//
// Streams are truly asynchronous here: work waits until somebody waits for it, so that a caller who reuses a buffer too early, or
// forgets an event, gets wrong bytes. Every resource is counted, every address checked, and every call can be told to fail.
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

enum {
  SUCCESS = 0,
  INVALID_VALUE = 1,
  OUT_OF_MEMORY = 2,
  NOT_INITIALIZED = 3,
  INVALID_CONTEXT = 201,
  INVALID_HANDLE = 400,
  NOT_FOUND = 500,
  NOT_READY = 600,
  ILLEGAL_ADDRESS = 700
};

using Address = unsigned long long;

struct Event {
  bool recorded = false;
  bool passed = true;
  double milliseconds = 0;
  struct Stream* stream = nullptr;
};

struct Stream {
  std::deque<std::function<int()>> work;
};

struct Module {};

struct Function {
  std::string name;
  int shared_bytes;
  void* kernel;  // built for the host, or null
};

struct Allocation {
  size_t bytes;
  unsigned char* memory;
};

struct Physical {
  int file;
  size_t bytes;
  int references;  // the handle itself, and each mapping
};

struct Mapping {
  size_t bytes;
  Physical* physical;
  bool accessible;
};

struct Failure {
  int code;
  int after;
};

constexpr size_t CANARY = 64;
constexpr size_t GRANULARITY = 2 << 20;
constexpr int STATIC_SHARED = 1 << 10;  // of every kernel

struct State {
  std::recursive_mutex lock;
  int devices = 1;
  int version = 13000;
  int major = 9, minor = 0;
  size_t total = size_t(1) << 30;
  size_t used = 0;
  bool initialised = false;
  int sticky = 0;
  int contexts = 0;
  double clock = 0;
  std::map<std::string, Failure> failures;
  std::map<std::string, int> calls;
  std::set<Stream*> streams;
  std::set<Event*> events;
  std::vector<Event*> retired;
  std::set<Module*> modules;
  std::set<Function*> functions;
  std::set<void*> pools;
  std::map<void*, uint64_t> thresholds;
  std::map<Address, Allocation> allocations;
  std::map<Address, size_t> host;
  std::set<Physical*> physicals;
  std::map<Address, size_t> reservations;
  std::map<Address, Mapping> mappings;
  int overruns = 0;
  std::vector<unsigned char> launched;  // the last launch's parameter block
  std::string launched_name;
  unsigned launched_shape[3] = {0, 0, 0};
  void* library = nullptr;  // kernels built for the host
  size_t parameter_bytes = 0;
  uint64_t seed = 0;
};

State state;
thread_local bool attached = false;
thread_local int attached_to = 0;  // contexts are numbered, since a thread may still have one that is gone
int context_number = 0;

using Guard = std::lock_guard<std::recursive_mutex>;

int entered(const char* name, bool needs_context = true) {
  state.calls[name]++;
  auto failure = state.failures.find(name);
  if (failure != state.failures.end() && failure->second.after-- <= 0) {
    int code = failure->second.code;
    state.failures.erase(failure);
    if (code == 700 || code == 702 || (code >= 709 && code <= 721)) state.sticky = code;
    return code;
  }
  if (needs_context) {
    if (!state.initialised) return NOT_INITIALIZED;
    if (state.contexts == 0 || !attached || attached_to != context_number) return INVALID_CONTEXT;
  }
  return state.sticky;
}

// Whether that range is device memory that may be used.
bool is_device(Address address, size_t bytes) {
  auto allocation = state.allocations.upper_bound(address);
  if (allocation != state.allocations.begin()) {
    --allocation;
    if (address - allocation->first + bytes <= allocation->second.bytes) return true;
  }
  // Mapped pieces that lie side by side are one range.
  Address end = address + bytes;
  while (address < end) {
    auto mapping = state.mappings.upper_bound(address);
    if (mapping == state.mappings.begin()) return false;
    --mapping;
    if (address >= mapping->first + mapping->second.bytes || !mapping->second.accessible) return false;
    address = mapping->first + mapping->second.bytes;
  }
  return true;
}

int run_one(Stream* stream) {
  auto work = std::move(stream->work.front());
  stream->work.pop_front();
  int code = work();
  if (code == ILLEGAL_ADDRESS) state.sticky = code;
  return code;
}

int drain(Stream* stream) {
  while (!stream->work.empty()) {
    int code = run_one(stream);
    if (code != SUCCESS) return code;
  }
  return SUCCESS;
}

int drain_until(Event* event) {
  while (!event->passed && event->stream && !event->stream->work.empty()) {
    int code = run_one(event->stream);
    if (code != SUCCESS) return code;
  }
  return SUCCESS;
}

int enqueue(Stream* stream, std::function<int()> work) {
  if (!state.streams.count(stream)) return INVALID_HANDLE;
  stream->work.push_back(std::move(work));
  return SUCCESS;
}

int allocate(Address* address, size_t bytes) {
  if (bytes == 0) return INVALID_VALUE;
  if (bytes > state.total - state.used) return OUT_OF_MEMORY;
  auto* memory = static_cast<unsigned char*>(aligned_alloc(256, (bytes + CANARY + 255) / 256 * 256));
  memset(memory, 0xCD, bytes + CANARY);  // whoever reads before writing gets nonsense
  *address = Address(memory);
  state.allocations[*address] = {bytes, memory};
  state.used += bytes;
  return SUCCESS;
}

int release(Address address) {
  auto found = state.allocations.find(address);
  if (found == state.allocations.end()) return INVALID_VALUE;
  for (size_t index = 0; index < CANARY; index++) {
    if (found->second.memory[found->second.bytes + index] != 0xCD) {
      state.overruns++;
      break;
    }
  }
  state.used -= found->second.bytes;
  free(found->second.memory);
  state.allocations.erase(found);
  return SUCCESS;
}

void drop(Physical* physical) {
  if (--physical->references == 0) {
    close(physical->file);
    state.used -= physical->bytes;
    state.physicals.erase(physical);
    delete physical;
  }
}

// What the kernels of probe_bench.cu do, where tests look at it.
struct ProbeParams {
  const uint32_t* source;
  uint32_t* target;
  uint64_t count;
  uint64_t mask;
  uint64_t seed;
  uint64_t* result;
};

uint32_t mixed(uint32_t value) {
  value ^= value >> 16;
  value *= 0x85ebca6bu;
  value ^= value >> 13;
  value *= 0xc2b2ae35u;
  return value ^ (value >> 16);
}

int run_kernel(const std::string& name, const std::vector<unsigned char>& block, uint64_t threads) {
  if (name.rfind("probe_", 0) != 0) return SUCCESS;  // other kernels are only recorded
  if (block.size() != sizeof(ProbeParams)) return ILLEGAL_ADDRESS;
  ProbeParams params;
  memcpy(&params, block.data(), sizeof params);
  auto readable = [](const void* address, size_t bytes) { return is_device(Address(address), bytes); };
  if (name == "probe_empty") return SUCCESS;
  if (!readable(params.result, 8)) return ILLEGAL_ADDRESS;
  if (name == "probe_copy") {
    if (!readable(params.source, params.count * 16) || !readable(params.target, params.count * 16)) return ILLEGAL_ADDRESS;
    memmove(params.target, params.source, params.count * 16);
  } else if (name == "probe_read") {
    if (!readable(params.source, params.count * 16)) return ILLEGAL_ADDRESS;
    for (uint64_t thread = 0; thread < threads; thread++) {
      uint32_t folded = 0;
      for (uint64_t word = thread; word < params.count; word += threads)
        for (int k = 0; k < 4; k++) folded ^= params.source[4 * word + k];
      *params.result += folded;
    }
  } else if (name == "probe_table" || name == "probe_bitmap") {
    bool bits = name == "probe_bitmap";
    if (!readable(params.source, bits ? (params.mask + 1) / 8 : (params.mask + 1) * 4)) return ILLEGAL_ADDRESS;
    for (uint64_t probe = 0; probe < threads * params.count; probe++) {
      uint32_t place = mixed(uint32_t(params.seed + probe)) & uint32_t(params.mask);
      *params.result += bits ? params.source[place / 32] >> (place % 32) & 1 : params.source[place];
    }
  } else if (name == "probe_global_atomics" || name == "probe_shared_atomics") {
    if (name == "probe_global_atomics") {
      if (!readable(params.target, (params.mask + 1) * 8)) return ILLEGAL_ADDRESS;
      for (uint64_t probe = 0; probe < threads * params.count; probe++)
        reinterpret_cast<uint64_t*>(params.target)[mixed(uint32_t(params.seed + probe)) & uint32_t(params.mask)]++;
    }
    *params.result += threads * params.count;
  }
  return SUCCESS;
}

std::set<std::string> kernels = {"probe_copy",           "probe_read",           "probe_table", "probe_bitmap",
                                 "probe_global_atomics", "probe_shared_atomics", "probe_empty"};

}  // namespace

#define ENTER(name)                          \
  Guard guard(state.lock);                   \
  if (int code = entered(name)) return code;

// --- for tests ---

// Forgets everything: an unused driver with one device of compute capability 9.0 and 1 GiB.
EXPORT void fake_reset() {
  Guard guard(state.lock);
  for (auto* stream : state.streams) delete stream;
  for (auto* event : state.events) delete event;
  for (auto* event : state.retired) delete event;
  for (auto* module : state.modules) delete module;
  for (auto* function : state.functions) delete function;
  for (auto& allocation : state.allocations) free(allocation.second.memory);
  for (auto& host : state.host) free(reinterpret_cast<void*>(host.first));
  for (auto& reservation : state.reservations) munmap(reinterpret_cast<void*>(reservation.first), reservation.second);
  for (auto* physical : state.physicals) {
    close(physical->file);
    delete physical;
  }
  state.streams.clear();
  state.events.clear();
  state.retired.clear();
  state.modules.clear();
  state.functions.clear();
  state.pools.clear();
  state.thresholds.clear();
  state.allocations.clear();
  state.host.clear();
  state.reservations.clear();
  state.mappings.clear();
  state.physicals.clear();
  state.failures.clear();
  state.calls.clear();
  state.devices = 1;
  state.version = 13000;
  state.major = 9;
  state.minor = 0;
  state.total = size_t(1) << 30;
  state.used = 0;
  state.sticky = 0;
  state.contexts = 0;
  state.overruns = 0;
  state.initialised = false;
  state.library = nullptr;
  context_number++;
}

EXPORT void fake_device(int devices, int version, int major, int minor, long long total) {
  Guard guard(state.lock);
  state.devices = devices;
  state.version = version;
  state.major = major;
  state.minor = minor;
  state.total = size_t(total);
}

// The call of that name fails once, after so many that do not.
EXPORT void fake_fail(const char* call, int code, int after) {
  Guard guard(state.lock);
  state.failures[call] = {code, after};
}

// Kernels of that library, built for the host, are found in any module from now on, with parameters of so many bytes.
EXPORT int fake_kernels(const char* library, int parameter_bytes, unsigned long long seed) {
  Guard guard(state.lock);
  state.library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  state.parameter_bytes = size_t(parameter_bytes);
  state.seed = seed;
  return state.library ? 0 : 1;
}

EXPORT int fake_calls(const char* call) {
  Guard guard(state.lock);
  return state.calls.count(call) ? state.calls[call] : 0;
}

// Everything that was opened and not closed; as text, "" for none.
EXPORT const char* fake_open() {
  Guard guard(state.lock);
  static std::string text;
  text.clear();
  auto add = [](const char* what, size_t count) {
    if (count) text += std::to_string(count) + " " + what + " ";
  };
  add("contexts", state.contexts);
  add("streams", state.streams.size());
  add("events", state.events.size());
  add("modules", state.modules.size());
  add("pools", state.pools.size());
  add("allocations", state.allocations.size());
  add("pinned", state.host.size());
  add("handles", state.physicals.size());
  add("mappings", state.mappings.size());
  add("reservations", state.reservations.size());
  add("overruns", state.overruns);
  return text.c_str();
}

// The last launch: its kernel's name; blocks, threads and shared bytes; the parameter block's first `bytes`.
EXPORT const char* fake_launch(unsigned* shape, unsigned char* block, int bytes) {
  Guard guard(state.lock);
  memcpy(shape, state.launched_shape, sizeof state.launched_shape);
  memcpy(block, state.launched.data(), std::min(size_t(bytes), state.launched.size()));
  return state.launched_name.c_str();
}

// --- the driver ---

EXPORT int cuInit(unsigned) {
  Guard guard(state.lock);
  if (int code = entered("cuInit", false)) return code;
  if (state.devices == 0) return 100;
  state.initialised = true;
  return SUCCESS;
}

EXPORT int cuDriverGetVersion(int* version) {
  Guard guard(state.lock);
  if (int code = entered("cuDriverGetVersion", false)) return code;
  *version = state.version;
  return SUCCESS;
}

EXPORT int cuGetErrorName(int, const char** name) {
  *name = "CUDA_ERROR_FAKE";
  return SUCCESS;
}

EXPORT int cuGetErrorString(int, const char** text) {
  *text = "fake";
  return SUCCESS;
}

EXPORT int cuDeviceGetCount(int* count) {
  Guard guard(state.lock);
  if (int code = entered("cuDeviceGetCount", false)) return code;
  *count = state.devices;
  return SUCCESS;
}

EXPORT int cuDeviceGet(int* device, int ordinal) {
  Guard guard(state.lock);
  if (int code = entered("cuDeviceGet", false)) return code;
  if (ordinal < 0 || ordinal >= state.devices) return 101;
  *device = ordinal;
  return SUCCESS;
}

EXPORT int cuDeviceGetName(char* name, int length, int) {
  snprintf(name, size_t(length), "Fake GPU");
  return SUCCESS;
}

EXPORT int cuDeviceTotalMem_v2(size_t* bytes, int) {
  Guard guard(state.lock);
  *bytes = state.total;
  return SUCCESS;
}

EXPORT int cuDeviceGetAttribute(int* value, int attribute, int) {
  Guard guard(state.lock);
  if (int code = entered("cuDeviceGetAttribute", false)) return code;
  switch (attribute) {
    case 16: *value = 4; break;
    case 38: *value = 50 << 20; break;
    case 75: *value = state.major; break;
    case 76: *value = state.minor; break;
    case 97: *value = 227 << 10; break;
    case 102: case 103: case 115: *value = 1; break;
    default: *value = 0;
  }
  return SUCCESS;
}

EXPORT int cuDevicePrimaryCtxSetFlags_v2(int, unsigned) {
  Guard guard(state.lock);
  return entered("cuDevicePrimaryCtxSetFlags", false);
}

EXPORT int cuDevicePrimaryCtxRetain(void** context, int) {
  Guard guard(state.lock);
  if (int code = entered("cuDevicePrimaryCtxRetain", false)) return code;
  if (state.contexts++ == 0) context_number++;
  *context = &state;
  return SUCCESS;
}

EXPORT int cuDevicePrimaryCtxRelease_v2(int) {
  Guard guard(state.lock);
  state.contexts--;
  return entered("cuDevicePrimaryCtxRelease", false);
}

EXPORT int cuCtxSetCurrent(void* context) {
  Guard guard(state.lock);
  if (int code = entered("cuCtxSetCurrent", false)) return code;
  attached = context != nullptr;
  attached_to = context_number;
  return SUCCESS;
}

EXPORT int cuMemGetInfo_v2(size_t* free, size_t* total) {
  ENTER("cuMemGetInfo")
  *free = state.total - state.used;
  *total = state.total;
  return SUCCESS;
}

EXPORT int cuModuleLoadData(void** module, const void* content) {
  ENTER("cuModuleLoadData")
  if (*static_cast<const uint32_t*>(content) != 0xba55ed50u) return 200;  // a fatbin's magic number
  auto* made = new Module();
  state.modules.insert(made);
  *module = made;
  return SUCCESS;
}

EXPORT int cuModuleUnload(void* module) {
  ENTER("cuModuleUnload")
  if (!state.modules.erase(static_cast<Module*>(module))) return INVALID_HANDLE;
  delete static_cast<Module*>(module);
  return SUCCESS;
}

EXPORT int cuModuleGetFunction(void** function, void* module, const char* name) {
  ENTER("cuModuleGetFunction")
  if (!state.modules.count(static_cast<Module*>(module))) return INVALID_HANDLE;
  void* kernel = state.library ? dlsym(state.library, name) : nullptr;
  if (!kernel && !kernels.count(name)) return NOT_FOUND;
  auto* made = new Function{name, 48 << 10, kernel};
  state.functions.insert(made);
  *function = made;
  return SUCCESS;
}

EXPORT int cuFuncGetAttribute(int* value, int attribute, void*) {
  ENTER("cuFuncGetAttribute")
  *value = attribute == 4 ? 32 : attribute == 1 ? STATIC_SHARED : 0;
  return SUCCESS;
}

EXPORT int cuFuncSetAttribute(void* function, int attribute, int value) {
  ENTER("cuFuncSetAttribute")
  if (attribute != 8 || value > (227 << 10) - STATIC_SHARED) return INVALID_VALUE;
  static_cast<Function*>(function)->shared_bytes = value;
  return SUCCESS;
}

EXPORT int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void*, int threads, size_t) {
  ENTER("cuOccupancyMaxActiveBlocksPerMultiprocessor")
  *blocks = 2048 / threads;
  return SUCCESS;
}

EXPORT int cuLaunchKernel(void* function, unsigned blocks, unsigned, unsigned, unsigned threads, unsigned, unsigned,
                          unsigned shared_bytes, void* stream, void** parameters, void** extra) {
  ENTER("cuLaunchKernel")
  auto* known = static_cast<Function*>(function);
  if (!state.functions.count(known)) return INVALID_HANDLE;
  if (blocks == 0 || threads == 0 || threads > 1024 || !parameters || extra) return INVALID_VALUE;
  if (int(shared_bytes) > known->shared_bytes) return INVALID_VALUE;
  // A driver knows each kernel's parameter size from its code.
  std::vector<unsigned char> block(known->kernel ? state.parameter_bytes : sizeof(ProbeParams));
  memcpy(block.data(), parameters[0], block.size());
  state.launched = block;
  state.launched_name = known->name;
  state.launched_shape[0] = blocks;
  state.launched_shape[1] = threads;
  state.launched_shape[2] = shared_bytes;
  if (known->kernel) {
    return enqueue(static_cast<Stream*>(stream), [=, kernel = known->kernel] {
      using Launch = const char* (*)(void*, const void*, uint32_t, uint32_t, uint32_t, uint64_t);
      auto launch = reinterpret_cast<Launch>(dlsym(state.library, "quarrel_host_launch"));
      const char* failure = launch(kernel, block.data(), blocks, threads, shared_bytes, state.seed);
      if (failure) fprintf(stderr, "fake_cuda: %s\n", failure);
      return failure ? state.sticky = 719 : int(SUCCESS);
    });
  }
  return enqueue(static_cast<Stream*>(stream), [name = known->name, block, total = uint64_t(blocks) * threads] {
    return run_kernel(name, block, total);
  });
}

EXPORT int cuStreamCreate(void** stream, unsigned) {
  ENTER("cuStreamCreate")
  auto* made = new Stream();
  state.streams.insert(made);
  *stream = made;
  return SUCCESS;
}

EXPORT int cuStreamDestroy_v2(void* stream) {
  ENTER("cuStreamDestroy")
  auto* known = static_cast<Stream*>(stream);
  if (!state.streams.count(known)) return INVALID_HANDLE;
  int code = drain(known);
  for (auto* event : state.events)
    if (event->stream == known) event->stream = nullptr;
  state.streams.erase(known);
  delete known;
  return code;
}

EXPORT int cuStreamSynchronize(void* stream) {
  ENTER("cuStreamSynchronize")
  if (!state.streams.count(static_cast<Stream*>(stream))) return INVALID_HANDLE;
  return drain(static_cast<Stream*>(stream));
}

EXPORT int cuStreamQuery(void* stream) {
  ENTER("cuStreamQuery")
  auto* known = static_cast<Stream*>(stream);
  if (!state.streams.count(known)) return INVALID_HANDLE;
  if (known->work.empty()) return SUCCESS;
  int code = run_one(known);
  return code ? code : NOT_READY;
}

EXPORT int cuStreamWaitEvent(void* stream, void* event, unsigned) {
  ENTER("cuStreamWaitEvent")
  auto* known = static_cast<Event*>(event);
  if (!state.events.count(known)) return INVALID_HANDLE;
  return enqueue(static_cast<Stream*>(stream), [known] { return drain_until(known); });
}

EXPORT int cuEventCreate(void** event, unsigned) {
  ENTER("cuEventCreate")
  auto* made = new Event();
  state.events.insert(made);
  *event = made;
  return SUCCESS;
}

EXPORT int cuEventDestroy_v2(void* event) {
  ENTER("cuEventDestroy")
  auto* known = static_cast<Event*>(event);
  if (!state.events.count(known)) return INVALID_HANDLE;
  if (int code = drain_until(known)) return code;
  state.events.erase(known);
  state.retired.push_back(known);  // other streams may still wait for it
  return SUCCESS;
}

EXPORT int cuEventRecord(void* event, void* stream) {
  ENTER("cuEventRecord")
  auto* known = static_cast<Event*>(event);
  if (!state.events.count(known)) return INVALID_HANDLE;
  if (int code = drain_until(known)) return code;
  known->recorded = true;
  known->passed = false;
  known->stream = static_cast<Stream*>(stream);
  return enqueue(known->stream, [known] {
    known->passed = true;
    known->milliseconds = state.clock += 1;
    return int(SUCCESS);
  });
}

EXPORT int cuEventSynchronize(void* event) {
  ENTER("cuEventSynchronize")
  if (!state.events.count(static_cast<Event*>(event))) return INVALID_HANDLE;
  return drain_until(static_cast<Event*>(event));
}

EXPORT int cuEventQuery(void* event) {
  ENTER("cuEventQuery")
  auto* known = static_cast<Event*>(event);
  if (!state.events.count(known)) return INVALID_HANDLE;
  if (known->passed) return SUCCESS;
  if (known->stream && !known->stream->work.empty())
    if (int code = run_one(known->stream)) return code;
  return NOT_READY;
}

EXPORT int cuEventElapsedTime(float* milliseconds, void* first, void* last) {
  ENTER("cuEventElapsedTime")
  auto* from = static_cast<Event*>(first);
  auto* to = static_cast<Event*>(last);
  if (!from->recorded || !to->recorded) return INVALID_HANDLE;
  if (!from->passed || !to->passed) return NOT_READY;
  *milliseconds = float(to->milliseconds - from->milliseconds);
  return SUCCESS;
}

EXPORT int cuMemPoolCreate(void** pool, const int* properties) {
  ENTER("cuMemPoolCreate")
  // allocType pinned, no handles, on a device, which is the first: whatever JCuda makes of its objects must be that.
  if (properties[0] != 1 || properties[1] != 0 || properties[2] != 1 || properties[3] != 0) return INVALID_VALUE;
  *pool = new char();
  state.pools.insert(*pool);
  return SUCCESS;
}

EXPORT int cuMemPoolDestroy(void* pool) {
  ENTER("cuMemPoolDestroy")
  if (!state.pools.erase(pool)) return INVALID_HANDLE;
  delete static_cast<char*>(pool);
  return SUCCESS;
}

EXPORT int cuMemPoolTrimTo(void* pool, size_t) {
  ENTER("cuMemPoolTrimTo")
  return state.pools.count(pool) ? SUCCESS : INVALID_HANDLE;
}

EXPORT int cuMemPoolSetAttribute(void* pool, int attribute, uint64_t* value) {
  ENTER("cuMemPoolSetAttribute")
  if (!state.pools.count(pool) || attribute != 4) return INVALID_VALUE;
  state.thresholds[pool] = *value;
  return SUCCESS;
}

EXPORT int cuMemPoolGetAttribute(void* pool, int attribute, uint64_t* value) {
  ENTER("cuMemPoolGetAttribute")
  if (!state.pools.count(pool)) return INVALID_HANDLE;
  *value = attribute == 4 ? state.thresholds[pool] : state.used;
  return SUCCESS;
}

EXPORT int cuMemAllocFromPoolAsync(Address* address, size_t bytes, void* pool, void* stream) {
  ENTER("cuMemAllocFromPoolAsync")
  if (!state.pools.count(pool) || !state.streams.count(static_cast<Stream*>(stream))) return INVALID_HANDLE;
  return allocate(address, bytes);
}

EXPORT int cuMemFreeAsync(Address address, void* stream) {
  ENTER("cuMemFreeAsync")
  if (!state.allocations.count(address)) return INVALID_VALUE;
  return enqueue(static_cast<Stream*>(stream), [address] { return release(address); });
}

EXPORT int cuMemHostAlloc(void** address, size_t bytes, unsigned) {
  ENTER("cuMemHostAlloc")
  *address = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  state.host[Address(*address)] = bytes;
  return SUCCESS;
}

EXPORT int cuMemFreeHost(void* address) {
  ENTER("cuMemFreeHost")
  for (auto* stream : state.streams) drain(stream);  // as the driver does
  if (!state.host.erase(Address(address))) return INVALID_VALUE;
  free(address);
  return SUCCESS;
}

EXPORT int cuMemHostGetDevicePointer_v2(Address* mapped, void* address, unsigned) {
  ENTER("cuMemHostGetDevicePointer")
  if (!state.host.count(Address(address))) return INVALID_VALUE;
  *mapped = Address(address);
  return SUCCESS;
}

EXPORT int cuMemcpyHtoDAsync_v2(Address target, const void* source, size_t bytes, void* stream) {
  ENTER("cuMemcpyHtoDAsync")
  if (!is_device(target, bytes)) return INVALID_VALUE;
  return enqueue(static_cast<Stream*>(stream), [=] {
    if (!is_device(target, bytes)) return int(ILLEGAL_ADDRESS);
    memcpy(reinterpret_cast<void*>(target), source, bytes);
    return int(SUCCESS);
  });
}

EXPORT int cuMemcpyDtoHAsync_v2(void* target, Address source, size_t bytes, void* stream) {
  ENTER("cuMemcpyDtoHAsync")
  if (!is_device(source, bytes)) return INVALID_VALUE;
  return enqueue(static_cast<Stream*>(stream), [=] {
    if (!is_device(source, bytes)) return int(ILLEGAL_ADDRESS);
    memcpy(target, reinterpret_cast<void*>(source), bytes);
    return int(SUCCESS);
  });
}

EXPORT int cuMemcpyDtoDAsync_v2(Address target, Address source, size_t bytes, void* stream) {
  ENTER("cuMemcpyDtoDAsync")
  if (!is_device(source, bytes) || !is_device(target, bytes)) return INVALID_VALUE;
  return enqueue(static_cast<Stream*>(stream), [=] {
    if (!is_device(source, bytes) || !is_device(target, bytes)) return int(ILLEGAL_ADDRESS);
    memmove(reinterpret_cast<void*>(target), reinterpret_cast<void*>(source), bytes);
    return int(SUCCESS);
  });
}

EXPORT int cuMemsetD8Async(Address target, unsigned char value, size_t bytes, void* stream) {
  ENTER("cuMemsetD8Async")
  if (!is_device(target, bytes)) return INVALID_VALUE;
  return enqueue(static_cast<Stream*>(stream), [=] {
    if (!is_device(target, bytes)) return int(ILLEGAL_ADDRESS);
    memset(reinterpret_cast<void*>(target), value, bytes);
    return int(SUCCESS);
  });
}

// CUmemAllocationProp, as cuda.h has it.
struct AllocationProperties {
  int type, handle_types, location_type, location_id;
  void* win32;
  unsigned char flags[8];
};

static bool is_plain(const AllocationProperties* properties) {
  return properties->type == 1 && properties->handle_types == 1 && properties->location_type == 1 &&
         properties->location_id == 0 && properties->win32 == nullptr && properties->flags[0] == 0;
}

EXPORT int cuMemGetAllocationGranularity(size_t* bytes, const AllocationProperties* properties, int) {
  ENTER("cuMemGetAllocationGranularity")
  if (!is_plain(properties)) return INVALID_VALUE;
  *bytes = GRANULARITY;
  return SUCCESS;
}

EXPORT int cuMemAddressReserve(Address* address, size_t bytes, size_t, Address, unsigned long long) {
  ENTER("cuMemAddressReserve")
  if (bytes % GRANULARITY) return INVALID_VALUE;
  void* reserved = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) return OUT_OF_MEMORY;
  *address = Address(reserved);
  state.reservations[*address] = bytes;
  return SUCCESS;
}

EXPORT int cuMemAddressFree(Address address, size_t bytes) {
  ENTER("cuMemAddressFree")
  auto found = state.reservations.find(address);
  if (found == state.reservations.end() || found->second != bytes) return INVALID_VALUE;
  auto mapping = state.mappings.lower_bound(address);
  if (mapping != state.mappings.end() && mapping->first < address + bytes) return INVALID_VALUE;
  munmap(reinterpret_cast<void*>(address), bytes);
  state.reservations.erase(found);
  return SUCCESS;
}

EXPORT int cuMemCreate(Physical** handle, size_t bytes, const AllocationProperties* properties, unsigned long long) {
  ENTER("cuMemCreate")
  if (bytes % GRANULARITY || !is_plain(properties)) return INVALID_VALUE;
  if (bytes > state.total - state.used) return OUT_OF_MEMORY;
  int file = memfd_create("fake_cuda", 0);
  if (file < 0 || ftruncate(file, long(bytes))) return OUT_OF_MEMORY;
  *handle = new Physical{file, bytes, 1};
  state.physicals.insert(*handle);
  state.used += bytes;
  return SUCCESS;
}

EXPORT int cuMemRelease(Physical* handle) {
  ENTER("cuMemRelease")
  if (!state.physicals.count(handle)) return INVALID_HANDLE;
  drop(handle);
  return SUCCESS;
}

EXPORT int cuMemMap(Address address, size_t bytes, size_t offset, Physical* handle, unsigned long long) {
  ENTER("cuMemMap")
  if (!state.physicals.count(handle) || offset || bytes != handle->bytes || address % GRANULARITY % 4096) return INVALID_VALUE;
  auto reservation = state.reservations.upper_bound(address);
  if (reservation == state.reservations.begin()) return INVALID_VALUE;
  --reservation;
  if (address + bytes > reservation->first + reservation->second || state.mappings.count(address)) return INVALID_VALUE;
  mmap(reinterpret_cast<void*>(address), bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, handle->file, 0);
  handle->references++;
  state.mappings[address] = {bytes, handle, false};
  return SUCCESS;
}

// CUmemAccessDesc.
struct AccessDescription {
  int location_type, location_id, flags;
};

EXPORT int cuMemSetAccess(Address address, size_t bytes, const AccessDescription* access, size_t count) {
  ENTER("cuMemSetAccess")
  auto mapping = state.mappings.find(address);
  if (mapping == state.mappings.end() || mapping->second.bytes != bytes || count != 1) return INVALID_VALUE;
  if (access->location_type != 1 || access->location_id != 0 || access->flags != 3) return INVALID_VALUE;
  mprotect(reinterpret_cast<void*>(address), bytes, PROT_READ | PROT_WRITE);
  mapping->second.accessible = true;
  return SUCCESS;
}

EXPORT int cuMemUnmap(Address address, size_t bytes) {
  ENTER("cuMemUnmap")
  auto mapping = state.mappings.find(address);
  if (mapping == state.mappings.end() || mapping->second.bytes != bytes) return INVALID_VALUE;
  mmap(reinterpret_cast<void*>(address), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  drop(mapping->second.physical);
  state.mappings.erase(mapping);
  return SUCCESS;
}

EXPORT int cuMemExportToShareableHandle(int* descriptor, Physical* handle, int type, unsigned long long) {
  ENTER("cuMemExportToShareableHandle")
  if (!state.physicals.count(handle) || type != 1 || descriptor == nullptr) return INVALID_VALUE;
  *descriptor = dup(handle->file);
  return SUCCESS;
}
