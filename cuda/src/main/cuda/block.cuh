// Groups' cells in a block's shared memory, where they are few: words of 64 bits, those of a word together, so that groups lie
// in banks of their own. Two atomics of 32 bits add to one, which is what the machine has there. At the end the block adds
// its cells to those in device memory.
//
// Most rows of a tile are of few groups then, and atomics of one place wait for each other. So a tile is split once: the
// groups that many lanes have get numbers, 4 bits a row, and what adds to them adds up the warp's rows first, group by
// group; a lane a group takes the sum to the cell. The rows of other groups go there one by one.
#pragma once
#include "tile.cuh"

namespace quarrel {

enum : uint32_t {
  SPLIT_MOST = 12,    // groups of a tile that are added up first
  SPLIT_LANES = 16,   // that have such a group, at least
  SPLIT_MISSES = 2,   // groups of fewer lanes, until the rest goes one by one
  SPLIT_SINGLE = 14,  // the number of rows that go one by one
  SPLIT_NONE = 15,    // the number of rows that are none
  NO_GROUP = 0xFFFFFFFFu,
  FOURS = 0x11111111u  // of each four bits the lowest
};

// Bit i of 8 as bit 4i.
QUARREL_DEVICE uint32_t spread(uint32_t bits) {
  bits = (bits | bits << 12) & 0x000F000Fu;
  bits = (bits | bits << 6) & 0x03030303u;
  return (bits | bits << 3) & FOURS;
}

// Bit 4i for each four bits that are 0.
QUARREL_DEVICE uint32_t zero_fours(uint32_t bits) {
  bits |= bits >> 1;
  bits |= bits >> 2;
  return ~bits & FOURS;
}

// Two words of 32 bits.
QUARREL_DEVICE uint32_t* block_cell(const Params& p, uint32_t word, uint32_t group) {
  return (uint32_t*)(shared_memory() + p.block_base) + 2 * (word * (uint32_t)p.group_count + group);
}

QUARREL_DEVICE void block_add(uint32_t* cell, uint64_t value) {
  uint32_t low = (uint32_t)value, high = (uint32_t)(value >> 32);
  high += atomicAdd(cell, low) + low < low ? 1u : 0u;
  if (high != 0) {
    atomicAdd(cell + 1, high);
  }
}

// Adds to 96 bits, whose upper 32 are in the cell of the next word.
QUARREL_DEVICE void block_add_wide(const Params& p, uint32_t* cell, int64_t value) {
  uint32_t low = (uint32_t)value;
  uint64_t middle = (uint64_t)(uint32_t)((uint64_t)value >> 32) + (atomicAdd(cell, low) + low < low ? 1u : 0u);
  uint32_t part = (uint32_t)middle;
  uint32_t high = (uint32_t)(value >> 63) + (uint32_t)(middle >> 32);
  if (part != 0) {
    high += atomicAdd(cell + 1, part) + part < part ? 1u : 0u;
  }
  if (high != 0) {
    atomicAdd(cell + 2 * (uint32_t)p.group_count, high);
  }
}

// A word a thread, in four mask slots.
template <class L, int R>
QUARREL_DEVICE uint32_t& split_word(const Tile<L, R>& x, uint32_t slot) {
  return *(uint32_t*)(x.masks + (slot * 32 + lane_number() * 3));
}

// Splits the current rows by the groups of slot b: their numbers go to mask slots c to c + 3, and to those after them, lane
// by lane, the groups that have numbers. Lanes meet.
template <class L, int R>
QUARREL_DEVICE void block_split(const Params& p, Tile<L, R>& x, const Insn& in) {
  typename Tile<L, R>::Operand groups = x.operand(in);
  uint32_t lane = lane_number();
  uint32_t rest = x.with_group(p, groups, x.cur);
  uint32_t single = 0, places = 0xFFFFFFFFu, known = NO_GROUP, number = 0;
  uint32_t of_row[R];
#pragma unroll
  for (int i = 0; i < R; i++) of_row[i] = (uint32_t)groups[i];
#pragma unroll 1
  for (uint32_t misses = 0; number < SPLIT_MOST && misses < SPLIT_MISSES;) {
    uint32_t waiting = __ballot_sync(0xFFFFFFFFu, rest != 0);
    if (waiting == 0) {
      break;
    }
    uint32_t row = rest != 0 ? (uint32_t)__ffs((int)rest) - 1 : 0;
    uint32_t group = (uint32_t)((const L*)(groups.at + row / 4 * groups.step))[row % 4];
    group = __shfl_sync(0xFFFFFFFFu, group, __ffs((int)waiting) - 1);
    uint32_t mine = 0;
#pragma unroll
    for (int i = 0; i < R; i++) mine |= of_row[i] == group ? 1u << i : 0u;
    mine &= rest;
    rest ^= mine;
    if (__popc(__ballot_sync(0xFFFFFFFFu, mine != 0)) >= (int)SPLIT_LANES) {
      places -= spread(mine) * (SPLIT_NONE - number);
      known = lane == number ? group : known;
      number++;
    } else {
      single |= mine;
      misses++;
    }
  }
  places -= spread(rest | single) * (SPLIT_NONE - SPLIT_SINGLE);
  split_word(x, in.c) = places;
  split_word(x, in.c + 4) = known;
}

// How many groups of the tile have numbers; lanes meet.
QUARREL_DEVICE uint32_t numbered(uint32_t known) { return (uint32_t)__popc(__ballot_sync(0xFFFFFFFFu, known != NO_GROUP)); }

// The numbers of the rows' groups, rows that do not act left out. With SKIP all that were split act.
template <class L, int R>
QUARREL_DEVICE uint32_t split_places(const Tile<L, R>& x, const Insn& in, uint32_t acts) {
  uint32_t places = split_word(x, in.c);
  if (!(in.flags & FLAG_SKIP)) {
    places |= spread(~acts & Tile<L, R>::ALL) * SPLIT_NONE;
  }
  return places;
}

// Adds where bits are none.
QUARREL_DEVICE void add_where_none(int64_t& sum, uint32_t bits, int64_t value) {
#ifdef __CUDACC__
  asm("{\n.reg .pred none;\nsetp.eq.u32 none, %1, 0;\n@none add.s64 %0, %0, %2;\n}" : "+l"(sum) : "r"(bits), "l"(value));
#else
  sum = (int64_t)((uint64_t)sum + (bits == 0 ? (uint64_t)value : 0));
#endif
}

// Counts rows.
template <class L, int R>
QUARREL_DEVICE void block_count(const Params& p, Tile<L, R>& x, const Insn& in, uint32_t word, uint32_t rows) {
  uint32_t places = split_places(x, in, rows);
  uint32_t known = split_word(x, in.c + 4), lane = lane_number(), count = numbered(known), mine = 0;
#pragma unroll 1
  for (uint32_t number = 0; number < count; number++) {
    uint32_t all = warp_sum((uint32_t)__popc(zero_fours(places ^ number * FOURS)));
    mine = lane == number ? all : mine;
  }
  uint32_t groups = (uint32_t)p.group_count;
  if (mine != 0 && known < groups) {
    block_add(block_cell(p, word, known), mine);
  }
  uint32_t single = zero_fours(places ^ SPLIT_SINGLE * FOURS);
  if (single != 0) {
    typename Tile<L, R>::Operand group = x.operand(in);
    uint32_t* first = block_cell(p, word, 0);
#pragma unroll
    for (int i = 0; i < R; i++) {
      if ((single & 1u << 4 * i) && (uint32_t)group[i] < groups) {
        block_add(first + 2 * (uint32_t)group[i], 1);
      }
    }
  }
}

// Adds up values: to one word, or to two of them.
template <bool WIDE, class L, int R>
QUARREL_DEVICE void block_sum(const Params& p, Tile<L, R>& x, const Insn& in) {
  constexpr int LOW_BITS = 27;  // a warp's sum of them fits 32
  constexpr int MOST_BITS = 50;  // of values, so that the upper bits of 8 of them fit, too
  uint32_t places = split_places(x, in, x.cur & x.av);
  uint32_t known = split_word(x, in.c + 4), lane = lane_number(), count = numbered(known);
  if constexpr (sizeof(L) == 8) {
    uint32_t bits = 0;
#pragma unroll
    for (int i = 0; i < R; i++) {
      int32_t high = (int32_t)((int64_t)x.a[i] >> 32);
      bits |= (uint32_t)(high ^ high >> 31);
    }
    if (__any_sync(0xFFFFFFFFu, bits >> (MOST_BITS - 32) != 0)) {  // values of all 64 bits: rows go one by one
      places = SPLIT_SINGLE * FOURS | zero_fours(~places);
      count = 0;
    }
  }
  uint32_t low = 0, high = 0;
#pragma unroll 1
  for (uint32_t number = 0; number < count; number++) {
    uint32_t others = places ^ number * FOURS;
    int64_t total = 0;
#pragma unroll
    for (int i = 0; i < R; i++) add_where_none(total, others & 15u << 4 * i, (int64_t)x.a[i]);
    uint32_t low_sum = warp_sum((uint32_t)total & ((1u << LOW_BITS) - 1));
    uint32_t high_sum = warp_sum((uint32_t)(total >> LOW_BITS));
    low = lane == number ? low_sum : low;
    high = lane == number ? high_sum : high;
  }
  uint32_t groups = (uint32_t)p.group_count;
  if (known < groups) {
    int64_t total = (int64_t)((uint64_t)(int64_t)(int32_t)high << LOW_BITS) + low;
    uint32_t* cell = block_cell(p, in.a, known);
    if constexpr (WIDE) {
      block_add_wide(p, cell, total);
    } else {
      block_add(cell, (uint64_t)total);
    }
  }
  uint32_t single = zero_fours(places ^ SPLIT_SINGLE * FOURS);
  if (single != 0) {
    typename Tile<L, R>::Operand group = x.operand(in);
    uint32_t* first = block_cell(p, in.a, 0);
#pragma unroll
    for (int i = 0; i < R; i++) {
      if ((single & 1u << 4 * i) && (uint32_t)group[i] < groups) {
        uint32_t* cell = first + 2 * (uint32_t)group[i];
        if constexpr (WIDE) {
          block_add_wide(p, cell, (int64_t)x.a[i]);
        } else {
          block_add(cell, (uint64_t)(int64_t)x.a[i]);
        }
      }
    }
  }
}

// The greatest ranks. Soon few rows are above what is there.
template <class L, int R>
QUARREL_DEVICE void block_best(const Params& p, Tile<L, R>& x, const Insn& in) {
  typename Tile<L, R>::Operand groups = x.operand(in);
  uint32_t acts = x.cur & x.av;
#pragma unroll
  for (int i = 0; i < R; i++) {
    uint32_t group = (uint32_t)groups[i];
    if ((acts & 1u << i) && group < (uint32_t)p.group_count) {
      unsigned long long* cell = (unsigned long long*)block_cell(p, in.a, group);
      unsigned long long rank = ranked((int64_t)x.a[i], (in.flags & FLAG_NEGATE) != 0);
      if (rank > *(volatile unsigned long long*)cell) {
        atomicMax(cell, rank);
      }
    }
  }
}

// OR of bits, or XOR.
template <class L, int R>
QUARREL_DEVICE void block_bits(const Params& p, Tile<L, R>& x, const Insn& in) {
  typename Tile<L, R>::Operand groups = x.operand(in);
  uint32_t acts = x.cur & x.av;
  uint64_t flip = in.flags & FLAG_NEGATE ? ~0ull : 0ull;
#pragma unroll
  for (int i = 0; i < R; i++) {
    uint32_t group = (uint32_t)groups[i];
    if ((acts & 1u << i) && group < (uint32_t)p.group_count) {
      uint32_t* cell = block_cell(p, in.a, group);
      uint64_t value = (uint64_t)(int64_t)x.a[i] ^ flip;
      uint32_t low = (uint32_t)value, high = (uint32_t)(value >> 32);
      if (in.k == 1) {
        atomicXor(cell, low);
        atomicXor(cell + 1, high);
      } else {
        atomicOr(cell, low);
        atomicOr(cell + 1, high);
      }
    }
  }
}

// Before a block begins; a barrier must follow.
QUARREL_DEVICE void block_clear(const Params& p) {
  uint32_t cells = p.block_words * (uint32_t)p.group_count;
  for (uint32_t at = thread_number(); at < cells; at += thread_count()) {
    ((uint64_t*)(shared_memory() + p.block_base))[at] = 0;
  }
}

// The value of a word's cell, of its kind, comes to where it is added up.
QUARREL_DEVICE void reduce_to(unsigned long long* to, uint32_t kind, unsigned long long value) {
  switch (kind) {
    case REDUCE_ADD:
      atomicAdd(to, value);
      break;
    case REDUCE_MAX:
      atomicMax(to, value);
      break;
    case REDUCE_OR:
      atomicOr(to, value);
      break;
    default:
      atomicXor(to, value);
      break;
  }
}

// At the end a block's cells come to the groups'; threads of the block meet.
QUARREL_DEVICE void block_flush(const Params& p) {
  __syncthreads();
  uint32_t groups = (uint32_t)p.group_count, cells = p.block_words * groups;
  const unsigned long long* from = (const unsigned long long*)(shared_memory() + p.block_base);
  for (uint32_t at = thread_number(); at < cells; at += thread_count()) {
    uint32_t word = at / groups, group = at - word * groups;
    unsigned long long value = from[at];
    unsigned long long* to = (unsigned long long*)p.cells + (uint64_t)group * p.cell_words + word;
    if (p.block_pairs >> word & 1u) {  // of 96 bits the lower 32, and the others
      unsigned long long upper = value >> 32 | from[at + groups] << 32;
      if ((uint32_t)value != 0) {
        atomicAdd(to, (unsigned long long)(uint32_t)value);
      }
      if (upper != 0) {
        atomicAdd(to + 1, upper);
      }
    } else if (value != 0 && !((uint64_t)p.block_pairs << 1 >> word & 1u)) {
      reduce_to(to, (uint32_t)(p.word_kinds >> (2 * word)) & 3u, value);
    }
  }
}

}  // namespace quarrel
