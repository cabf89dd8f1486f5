// Sorts rows by keys: keys become words that order as the rows do, pairs of a word and a row's number are moved by 8 bits
// of the word at a time, least first, and columns are gathered in the order of the numbers. Equal rows stay in their order.
//
// A pass is two kernels over the same parts of the rows, one a block: the first counts each part's digits, the second finds
// from all counts where its digits go, and moves its part there. No block waits for another.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "ops.cuh"
#include "platform.cuh"

#ifdef __CUDACC__
#define QUARREL_SORT_KERNEL(type, name, parameters) \
  extern "C" __global__ void __launch_bounds__(512, 2) name(const __grid_constant__ quarrel::type parameters)
#else
#define QUARREL_SORT_KERNEL(type, name, parameters) extern "C" void name(const quarrel::type& parameters)
#endif

namespace quarrel {

enum : uint32_t {
  MAX_SORT_KEYS = 32,
  MAX_SORT_COLUMNS = 32,
  SORT_DIGITS = 256,
  SORT_ITEMS = 8,  // rows of a thread in a tile
  SORT_ABSENT = 0xFFFFFFFFu,
  SORT_RANGES = 5,  // words of what is known of a key
};

// How a column of keys lies in memory.
enum : uint32_t { SORT_U8, SORT_U16, SORT_I16, SORT_I32, SORT_I64, SORT_FLOAT32, SORT_FLOAT64 };

// `SortBlock` in Java writes these structs.
struct SortKey {
  const void* data;
  const uint8_t* valid;   // a byte a row, or null
  const uint32_t* ranks;  // of values, or null; SORT_ABSENT is NULL
  uint64_t base;          // what the least value is less; with `descending` what the greatest is
  uint32_t kind;
  uint32_t descending;
  uint32_t nulls;  // 0: there are none, 1: they come first, 2: last
  uint32_t drop;   // lowest bits, in which no two values differ
  int32_t low;     // where the value's lowest bit stands in the word; outside it are parts of other words
  int32_t null_low;
};

struct SortWords {
  uint64_t row_count;
  const uint32_t* rows;       // whose words are wanted, or null for all in turn
  void* words;
  unsigned long long* ranges;  // SORT_RANGES a key
  uint32_t key_count;
  uint32_t unused;
  SortKey keys[MAX_SORT_KEYS];
};

struct SortPass {
  uint64_t row_count;  // below 2^32
  const void* words;
  const uint32_t* rows;  // or null: each row's own number
  void* words_to;        // or null: nobody reads them any more
  uint32_t* rows_to;
  uint32_t* counts;  // by block and digit
  uint32_t shift;
  uint32_t unused;
};

struct SortColumn {
  const void* from;
  const uint8_t* valid;  // a byte a row, or null
  void* to;
  uint32_t* valid_to;  // bits
  uint32_t width;      // bytes; 0: bytes of 0 or 1 that become bits
  uint32_t unused;
};

struct SortGather {
  uint64_t row_count;
  const uint32_t* rows;
  uint32_t column_count;
  uint32_t unused;
  SortColumn columns[MAX_SORT_COLUMNS];
};

static_assert(sizeof(SortKey) == 56 && offsetof(SortKey, kind) == 32, "SortBlock writes 56 bytes");
static_assert(sizeof(SortColumn) == 40 && offsetof(SortColumn, width) == 32, "SortBlock writes 40 bytes");
static_assert(offsetof(SortWords, keys) == 40 && offsetof(SortGather, columns) == 24, "SortBlock writes them");
static_assert(sizeof(SortPass) == 56 && sizeof(SortWords) <= 4096 && sizeof(SortGather) <= 4096, "a kernel's parameter");

// A row's value as an unsigned number of its order; false for NULL.
QUARREL_DEVICE bool sort_value(const SortKey& key, uint64_t row, uint64_t& to) {
  if (key.valid != nullptr && key.valid[row] == 0) return false;
  int64_t value;
  switch (key.kind) {
    case SORT_U8:
      value = ((const uint8_t*)key.data)[row];
      break;
    case SORT_U16:
      value = ((const uint16_t*)key.data)[row];
      break;
    case SORT_I16:
      value = ((const int16_t*)key.data)[row];
      break;
    case SORT_I32:
      value = ((const int32_t*)key.data)[row];
      break;
    case SORT_FLOAT32:
      value = ordered32(((const int32_t*)key.data)[row]);
      break;
    case SORT_FLOAT64:
      value = ordered64(((const int64_t*)key.data)[row]);
      break;
    default:
      value = ((const int64_t*)key.data)[row];
      break;
  }
  if (key.ranks != nullptr) {
    uint32_t rank = key.ranks[value];
    if (rank == SORT_ABSENT) return false;
    value = rank;
  }
  to = (uint64_t)value ^ 0x8000000000000000ull;
  return true;
}

// A number at a place of a word that has room for a part of it perhaps.
QUARREL_DEVICE uint64_t sort_bits(uint64_t value, int32_t low) {
  if (low >= 64 || low <= -64) return 0;
  return low >= 0 ? value << low : value >> -low;
}

// What is known of each key's values: the greatest, the greatest complement, all bits that occur, all that occur in
// complements, and whether there is a NULL.
QUARREL_DEVICE void sort_ranges(const SortWords& p) {
  for (uint32_t number = 0; number < p.key_count; number++) {
    const SortKey& key = p.keys[number];
    unsigned long long most = 0, least = 0, ones = 0, zeros = 0, absent = 0;
    for (uint64_t row = blockIdx.x * blockDim.x + threadIdx.x; row < p.row_count; row += gridDim.x * blockDim.x) {
      uint64_t value;
      if (sort_value(key, row, value)) {
        most = value > most ? value : most;
        least = ~value > least ? ~value : least;
        ones |= value;
        zeros |= ~value;
      } else {
        absent = 1;
      }
    }
#pragma unroll 1
    for (uint32_t delta = 16; delta > 0; delta /= 2) {
      unsigned long long other = __shfl_down_sync(0xFFFFFFFFu, most, delta);
      most = other > most ? other : most;
      other = __shfl_down_sync(0xFFFFFFFFu, least, delta);
      least = other > least ? other : least;
      ones |= __shfl_down_sync(0xFFFFFFFFu, ones, delta);
      zeros |= __shfl_down_sync(0xFFFFFFFFu, zeros, delta);
      absent |= __shfl_down_sync(0xFFFFFFFFu, absent, delta);
    }
    if ((threadIdx.x & 31) == 0) {
      unsigned long long* cells = p.ranges + SORT_RANGES * number;
      atomicMax(cells, most);
      atomicMax(cells + 1, least);
      atomicOr(cells + 2, ones);
      atomicOr(cells + 3, zeros);
      atomicOr(cells + 4, absent);
    }
  }
}

// One word of each row's keys.
template <class K>
QUARREL_DEVICE void sort_words(const SortWords& p) {
  for (uint64_t at = blockIdx.x * blockDim.x + threadIdx.x; at < p.row_count; at += gridDim.x * blockDim.x) {
    uint64_t row = p.rows == nullptr ? at : p.rows[at];
    uint64_t word = 0;
#pragma unroll 1
    for (uint32_t number = 0; number < p.key_count; number++) {
      const SortKey& key = p.keys[number];
      uint64_t value;
      bool present = sort_value(key, row, value);
      if (key.nulls != 0) word |= sort_bits(present == (key.nulls == 1) ? 1 : 0, key.null_low);
      if (present) word |= sort_bits((key.descending ? key.base - value : value - key.base) >> key.drop, key.low);
    }
    ((K*)p.words)[at] = (K)word;
  }
}

// The part of the rows that is the block's: whole tiles.
struct SortPart {
  uint64_t begin, end;
};

QUARREL_DEVICE SortPart sort_part(uint64_t rows) {
  uint64_t tile = blockDim.x * SORT_ITEMS;
  uint64_t tiles = ((rows + tile - 1) / tile + gridDim.x - 1) / gridDim.x;
  uint64_t begin = blockIdx.x * tiles * tile;
  begin = begin < rows ? begin : rows;
  uint64_t end = begin + tiles * tile;
  return {begin, end < rows ? end : rows};
}

// Counts the digits of the block's part. Shared memory: SORT_DIGITS counts a warp.
template <class K>
QUARREL_DEVICE void sort_count(const SortPass& p) {
  uint32_t* counts = (uint32_t*)shared_memory();
  uint32_t warps = blockDim.x / 32;
  uint32_t* own = counts + threadIdx.x / 32 * SORT_DIGITS;
  for (uint32_t at = threadIdx.x; at < warps * SORT_DIGITS; at += blockDim.x) counts[at] = 0;
  __syncthreads();
  SortPart part = sort_part(p.row_count);
  const K* words = (const K*)p.words;
  for (uint64_t first = part.begin; first < part.end; first += 4 * blockDim.x) {
    K word[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
      uint64_t at = first + i * blockDim.x + threadIdx.x;
      word[i] = at < part.end ? words[at] : 0;
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
      bool is_there = first + i * blockDim.x + threadIdx.x < part.end;
      uint32_t digit = (uint32_t)(word[i] >> p.shift) & (SORT_DIGITS - 1);
      // Rows in order already, as they often are, would all meet at one count.
      uint32_t here = __ballot_sync(0xFFFFFFFFu, is_there);
      uint32_t digit_0 = __shfl_sync(0xFFFFFFFFu, digit, 0);
      uint32_t same = __ballot_sync(0xFFFFFFFFu, is_there && digit == digit_0);
      if (same == here) {
        if ((threadIdx.x & 31) == 0) atomicAdd(own + digit, (uint32_t)__popc(here));
      } else if (is_there) {
        atomicAdd(own + digit, 1u);
      }
    }
  }
  __syncthreads();
  for (uint32_t digit = threadIdx.x; digit < SORT_DIGITS; digit += blockDim.x) {
    uint32_t sum = 0;
    for (uint32_t warp = 0; warp < warps; warp++) sum += counts[warp * SORT_DIGITS + digit];
    p.counts[blockIdx.x * SORT_DIGITS + digit] = sum;
  }
}

// Counts of digits become the sums of those before them; the first warp.
QUARREL_DEVICE void scan_digits(const uint32_t* counts, uint32_t* sums) {
  const uint32_t each = SORT_DIGITS / 32;
  uint32_t lane = threadIdx.x;
  uint32_t own = 0;
#pragma unroll
  for (uint32_t i = 0; i < each; i++) own += counts[lane * each + i];
  uint32_t sum = own;
#pragma unroll
  for (uint32_t delta = 1; delta < 32; delta *= 2) {
    uint32_t before = __shfl_sync(0xFFFFFFFFu, sum, (int)(lane - delta));
    sum += lane >= delta ? before : 0;
  }
  sum -= own;
#pragma unroll
  for (uint32_t i = 0; i < each; i++) {
    uint32_t count = counts[lane * each + i];
    sums[lane * each + i] = sum;
    sum += count;
  }
}

// Where the digits of the block's part begin, by the counts of all blocks: rows of lesser digits come before, and those of
// the same digit in earlier parts.
QUARREL_DEVICE void digit_places(const SortPass& p, uint32_t* places, uint32_t* counts, uint32_t* sums) {
  for (uint32_t digit = threadIdx.x; digit < SORT_DIGITS; digit += blockDim.x) {
    places[digit] = 0;
    counts[digit] = 0;
  }
  __syncthreads();
  uint32_t groups = blockDim.x / SORT_DIGITS;
  groups = groups == 0 ? 1 : groups;
  for (uint32_t at = threadIdx.x; at < groups * SORT_DIGITS; at += blockDim.x) {
    uint32_t digit = at % SORT_DIGITS;
    uint32_t before = 0, all = 0;
#pragma unroll 8
    for (uint32_t block = at / SORT_DIGITS; block < gridDim.x; block += groups) {
      uint32_t count = p.counts[block * SORT_DIGITS + digit];
      before += block < blockIdx.x ? count : 0;
      all += count;
    }
    atomicAdd(places + digit, before);
    atomicAdd(counts + digit, all);
  }
  __syncthreads();
  if (threadIdx.x < 32) scan_digits(counts, sums);
  __syncthreads();
  for (uint32_t digit = threadIdx.x; digit < SORT_DIGITS; digit += blockDim.x) places[digit] += sums[digit];
}

// Moves the block's part, tile by tile: first into the order of digits within the tile, so that neighbours are written
// together. A warp has 32 * SORT_ITEMS rows that follow each other.
//
// Shared memory: a tile's words, its rows, SORT_DIGITS counts a warp, and three more times as many.
template <class K>
QUARREL_DEVICE void sort_scatter(const SortPass& p) {
  const uint32_t mask = SORT_DIGITS - 1;
  uint32_t tile = blockDim.x * SORT_ITEMS;
  uint32_t warps = blockDim.x / 32, warp = threadIdx.x / 32, lane = threadIdx.x & 31;
  K* tile_words = (K*)shared_memory();
  uint32_t* tile_rows = (uint32_t*)(tile_words + tile);
  uint32_t* warp_counts = tile_rows + tile;
  uint32_t* places = warp_counts + warps * SORT_DIGITS;  // where the next row of a digit goes
  uint32_t* counts = places + SORT_DIGITS;               // of the tile's digits
  uint32_t* sums = counts + SORT_DIGITS;                 // where they begin in the tile
  uint32_t* own = warp_counts + warp * SORT_DIGITS;
  digit_places(p, places, counts, sums);
  const K* words = (const K*)p.words;
  SortPart part = sort_part(p.row_count);
  for (uint64_t start = part.begin; start < part.end; start += tile) {
    uint32_t here = part.end - start < tile ? (uint32_t)(part.end - start) : tile;
    uint32_t first = warp * 32 * SORT_ITEMS + lane;
    K word[SORT_ITEMS];
    uint32_t row[SORT_ITEMS], rank[SORT_ITEMS];
#pragma unroll
    for (uint32_t i = 0; i < SORT_ITEMS; i++) {
      uint32_t at = first + i * 32;
      word[i] = at < here ? words[start + at] : 0;
      row[i] = at >= here || p.rows == nullptr ? (uint32_t)(start + at) : p.rows[start + at];
    }
    for (uint32_t digit = lane; digit < SORT_DIGITS; digit += 32) own[digit] = 0;
    __syncwarp();
#pragma unroll
    for (uint32_t i = 0; i < SORT_ITEMS; i++) {
      uint32_t digit = (uint32_t)(word[i] >> p.shift) & mask;
      // The lanes whose rows have the same digit.
      uint32_t peers = __ballot_sync(0xFFFFFFFFu, first + i * 32 < here);
#pragma unroll
      for (uint32_t bit = 0; bit < 8; bit++) {
        uint32_t ones = __ballot_sync(0xFFFFFFFFu, digit >> bit & 1);
        peers &= digit >> bit & 1 ? ones : ~ones;
      }
      uint32_t before = peers & ((1u << lane) - 1);
      uint32_t count = own[digit];
      __syncwarp();
      if (before == 0 && first + i * 32 < here) own[digit] = count + (uint32_t)__popc(peers);
      __syncwarp();
      rank[i] = count + (uint32_t)__popc(before);
    }
    __syncthreads();
    for (uint32_t digit = threadIdx.x; digit < SORT_DIGITS; digit += blockDim.x) {
      uint32_t sum = 0;
      for (uint32_t other = 0; other < warps; other++) {
        uint32_t count = warp_counts[other * SORT_DIGITS + digit];
        warp_counts[other * SORT_DIGITS + digit] = sum;
        sum += count;
      }
      counts[digit] = sum;
    }
    __syncthreads();
    if (threadIdx.x < 32) scan_digits(counts, sums);
    __syncthreads();
#pragma unroll
    for (uint32_t i = 0; i < SORT_ITEMS; i++) {
      uint32_t at = first + i * 32;
      if (at < here) {
        uint32_t digit = (uint32_t)(word[i] >> p.shift) & mask;
        uint32_t place = sums[digit] + own[digit] + rank[i];
        tile_words[place] = word[i];
        tile_rows[place] = row[i];
      }
    }
    __syncthreads();
    for (uint32_t at = threadIdx.x; at < here; at += blockDim.x) {
      K moved = tile_words[at];
      uint32_t digit = (uint32_t)(moved >> p.shift) & mask;
      uint64_t place = (uint64_t)places[digit] + (at - sums[digit]);
      if (p.words_to != nullptr) ((K*)p.words_to)[place] = moved;
      p.rows_to[place] = tile_rows[at];
    }
    __syncthreads();
    for (uint32_t digit = threadIdx.x; digit < SORT_DIGITS; digit += blockDim.x) places[digit] += counts[digit];
  }
}

// Columns in the order of the rows' numbers.
QUARREL_DEVICE void sort_gather(const SortGather& p) {
  uint32_t lane = threadIdx.x & 31;
  for (uint64_t first = blockIdx.x * blockDim.x + threadIdx.x - lane; first < p.row_count;
       first += gridDim.x * blockDim.x) {
    uint64_t at = first + lane;
    bool is_there = at < p.row_count;
    uint32_t row = is_there ? p.rows[at] : 0;
#pragma unroll 1
    for (uint32_t number = 0; number < p.column_count; number++) {
      const SortColumn& column = p.columns[number];
      if (is_there) {
        switch (column.width) {
          case 1:
            ((uint8_t*)column.to)[at] = ((const uint8_t*)column.from)[row];
            break;
          case 2:
            ((uint16_t*)column.to)[at] = ((const uint16_t*)column.from)[row];
            break;
          case 4:
            ((uint32_t*)column.to)[at] = ((const uint32_t*)column.from)[row];
            break;
          case 8:
            ((uint64_t*)column.to)[at] = ((const uint64_t*)column.from)[row];
            break;
        }
      }
      if (column.width == 0) {
        uint32_t bits = __ballot_sync(0xFFFFFFFFu, is_there && ((const uint8_t*)column.from)[row] != 0);
        if (lane == 0) ((uint32_t*)column.to)[first / 32] = bits;
      }
      if (column.valid != nullptr) {
        uint32_t bits = __ballot_sync(0xFFFFFFFFu, is_there && column.valid[row] != 0);
        if (lane == 0) column.valid_to[first / 32] = bits;
      }
    }
  }
}

}  // namespace quarrel
