// Rows that leave: which they are, where they go, and their values, in the order of the scan.
//
// Two passes over a range of rows. The first marks the rows that come through, a bit each, and counts them by tile; the
// counts become places (scan_cells), and the second pass writes the values of the marked rows there. So buffers have
// exactly the rows that there are, and their order is the source's.
#pragma once
#include "tile.cuh"

namespace quarrel {

// Marks the current rows in the column's bits, and puts their number into the tile's cell; lanes meet.
template <class L, int R>
QUARREL_DEVICE void keep_rows(Tile<L, R>& x, const Params& p, const ColumnRef& column) {
  uint32_t first = x.row, current = x.cur, count = 0;
  uint32_t lane = first / 4 & 31;
#pragma unroll 1
  for (int g = 0; g < Tile<L, R>::GROUPS; g++) {
    // Eight lanes' rows are a word; the first of them comes to hold it.
    uint32_t word = (current >> (4 * g) & 15u) << (4 * (lane & 7));
#pragma unroll 1
    for (uint32_t delta = 1; delta < 8; delta *= 2) word |= __shfl_down_sync(0xFFFFFFFFu, word, delta);
    if ((lane & 7) == 0) ((uint32_t*)column.data)[(first + g * 128) / 32] = word;
#pragma unroll 1
    for (int i = 4 * g; i < 4 * g + 4; i++) count += (uint32_t)__popc(__ballot_sync(0xFFFFFFFFu, current >> i & 1u));
  }
  if (lane == 0) p.cells[first / (32 * R)] = count;
}

// A slot comes to hold the places of the current rows: how many rows come through before, less `begin`. Rows whose places
// would not be below `size` are current no more. Lanes meet.
template <class L, int R>
QUARREL_DEVICE void row_places(Tile<L, R>& x, const Params& p, uint32_t slot, uint64_t begin, uint32_t size) {
  uint32_t row = x.row, current = x.cur;
  uint32_t before_lane = (1u << (row / 4 & 31)) - 1;
  // A launch has less than 2^31 rows: 32 bits are enough for their places.
  uint32_t first = (uint32_t)(p.cells[row / (32 * R)] - begin);
  uint32_t within = 0;
#pragma unroll 1
  for (int g = 0; g < Tile<L, R>::GROUPS; g++) {
    uint32_t before = first, all = 0;
#pragma unroll 1
    for (int i = 4 * g; i < 4 * g + 4; i++) {
      uint32_t lanes = __ballot_sync(0xFFFFFFFFu, current >> i & 1u);
      before += (uint32_t)__popc(lanes & before_lane);
      all += (uint32_t)__popc(lanes);
    }
#pragma unroll 1
    for (int i = 4 * g; i < 4 * g + 4; i++) {
      *x.slot_value(slot, i) = (L)(int32_t)before;
      within |= before < size ? 1u << i : 0u;
      before += current >> i & 1u;
    }
    first += all;
  }
  x.cur = current & within;
}

enum : uint32_t { LEAVE_8, LEAVE_16, LEAVE_32, LEAVE_64, LEAVE_ROW, LEAVE_TRUTH };

// Writes a column in the current rows, at the slot's places below `end`: values of another slot, the rows' numbers, or the
// truth; and a byte each for whether it is present. Row after row, so that nothing needs many registers.
template <class L, int R>
QUARREL_DEVICE void emit(Tile<L, R>& x, const Insn& in, uint32_t kind, uint32_t end, const ColumnRef& column) {
  uint32_t present = kind == LEAVE_TRUTH ? x.t | x.f : (uint32_t)x.av;
  uint32_t holds = x.t, first = x.row, values = in.c * Tile<L, R>::SLOT_BYTES;
#pragma unroll 1
  for (uint32_t rest = x.cur; rest != 0; rest &= rest - 1) {
    int i = __ffs((int)rest) - 1;
    uint32_t place = (uint32_t)*x.slot_value(in.b, i);
    if (place >= end) continue;
    L value = *x.slot_value(values, i);
    if (kind == LEAVE_ROW) value = (L)(first + i / 4 * 128 + i % 4);
    if (kind == LEAVE_TRUTH) value = (L)(holds >> i & 1u);
    switch (kind) {
      case LEAVE_16:
        ((uint16_t*)column.data)[place] = (uint16_t)value;
        break;
      case LEAVE_32:
      case LEAVE_ROW:
        ((uint32_t*)column.data)[place] = (uint32_t)value;
        break;
      case LEAVE_64:
        ((uint64_t*)column.data)[place] = (uint64_t)(int64_t)value;
        break;
      default:
        ((uint8_t*)column.data)[place] = (uint8_t)value;
        break;
    }
    if (column.valid != nullptr) ((uint8_t*)column.valid)[place] = (uint8_t)(present >> i & 1u);
  }
}

// The sum of the values of the lanes up to this one; lanes meet.
template <class T>
QUARREL_DEVICE T warp_scan(T value, uint32_t lane) {
#pragma unroll
  for (uint32_t delta = 1; delta < 32; delta *= 2) {
    T before = __shfl_sync(0xFFFFFFFFu, value, (int)(lane - delta));
    value += lane >= delta ? before : 0;
  }
  return value;
}

// Cells become the sums of those before them, and the one behind the last the sum of all. One block; shared memory of a
// word a warp.
QUARREL_DEVICE void scan_cells(const Params& p) {
  uint64_t* sums = (uint64_t*)shared_memory();
  uint32_t lane = threadIdx.x & 31, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  uint64_t done = 0;
  for (uint64_t first = 0; first < p.group_count; first += blockDim.x) {
    uint64_t at = first + threadIdx.x;
    uint64_t value = at < p.group_count ? p.cells[at] : 0;
    uint64_t sum = warp_scan(value, lane);
    if (lane == 31) sums[warp] = sum;
    __syncthreads();
    uint64_t before = 0, all = 0;
    for (uint32_t other = 0; other < warps; other++) {
      before += other < warp ? sums[other] : 0;
      all += sums[other];
    }
    if (at < p.group_count) p.cells[at] = done + before + sum - value;
    done += all;
    __syncthreads();
  }
  if (threadIdx.x == 0) p.cells[p.group_count] = done;
}

// Bytes of 0 or 1 become bits: columns 0, 2, … those of columns 1, 3, …; `cell_words` pairs. Buffers are padded to whole
// words of bits.
QUARREL_DEVICE void pack_bits(const Params& p) {
  uint64_t words = (p.row_count + 31) / 32;
  for (uint64_t at = blockIdx.x * blockDim.x + threadIdx.x; at < words; at += gridDim.x * blockDim.x) {
    for (uint32_t pair = 0; pair < p.cell_words; pair++) {
      const uint32_t* bytes = (const uint32_t*)p.columns[2 * pair].data + at * 8;
      uint32_t word = 0;
#pragma unroll
      for (int quad = 0; quad < 8; quad++) {
        // Four bytes' lowest bits, moved together by one product.
        word |= ((bytes[quad] & 0x01010101u) * 0x10204080u >> 28) << (4 * quad);
      }
      ((uint32_t*)p.columns[2 * pair + 1].data)[at] = word;
    }
  }
}

}  // namespace quarrel
