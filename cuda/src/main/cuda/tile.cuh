// Steps over a warp's tile: 32 lanes with R rows each. Lane l has rows 4l to 4l + 3 of each group of 128, so that four
// rows of int32 are one load of 16 bytes. A mask has a bit a row: bit 4g + j is row 128g + 4l + j.
//
// All lanes of the warp call a step together; those that let lanes meet say so. Values of rows outside `cur` are
// anything. Slots in shared memory belong to one thread each, so that no step needs a barrier.
#pragma once
#include "hand.cuh"
#include "ops.cuh"
#include "params.h"
#include "platform.cuh"

namespace quarrel {

// The hash of a key: Java's KeyHash.
QUARREL_DEVICE uint64_t mixed(uint64_t hash) {
  hash = (hash ^ hash >> 33) * 0xFF51AFD7ED558CCDull;
  hash = (hash ^ hash >> 33) * 0xC4CEB9FE1A85EC53ull;
  return hash ^ hash >> 33;
}

// An instruction in registers.
struct Insn {
  uint32_t op, flags, k, a, b, c;

  // From shared memory, 16 bytes at a time.
  static QUARREL_DEVICE Insn at(const char* place) {
    uint4 words = load_shared(place);
    return {words.x & 0xFFFFu, words.x >> 16 & 0xFFu, words.x >> 24, words.y, words.z, words.w};
  }
};

// The sum over the warp, in all lanes; lanes meet.
QUARREL_DEVICE uint32_t warp_sum(uint32_t value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#pragma unroll
  for (uint32_t delta = 16; delta > 0; delta /= 2) value += __shfl_down_sync(0xFFFFFFFFu, value, delta);
  return __shfl_sync(0xFFFFFFFFu, value, 0);
#else
  return __reduce_add_sync(0xFFFFFFFFu, value);
#endif
}

// The same modulo 2^64.
QUARREL_DEVICE uint64_t warp_sum_wide(uint64_t value) {
  constexpr int BITS = 27;  // a warp's sum of them fits 32
  constexpr uint32_t PART = (1u << BITS) - 1;
  uint64_t sum = warp_sum((uint32_t)value & PART);
  sum += (uint64_t)warp_sum((uint32_t)(value >> BITS) & PART) << BITS;
  return sum + ((uint64_t)warp_sum((uint32_t)(value >> 2 * BITS)) << 2 * BITS);
}

QUARREL_DEVICE uint32_t warp_max(uint32_t value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#pragma unroll
  for (uint32_t delta = 16; delta > 0; delta /= 2) {
    uint32_t other = __shfl_down_sync(0xFFFFFFFFu, value, delta);
    value = other > value ? other : value;
  }
  return __shfl_sync(0xFFFFFFFFu, value, 0);
#else
  return __reduce_max_sync(0xFFFFFFFFu, value);
#endif
}

// The greatest value of the warp's lanes, in all of them; lanes meet.
QUARREL_DEVICE uint64_t warp_max_wide(uint64_t value) {
  uint32_t high = warp_max((uint32_t)(value >> 32));
  uint32_t low = warp_max((uint32_t)(value >> 32) == high ? (uint32_t)value : 0u);
  return (uint64_t)high << 32 | low;
}

template <class L, int R>
struct Tile {
  static constexpr int GROUPS = R / 4;
  static constexpr uint32_t ALL = (1u << R) - 1;
  static constexpr uint32_t MAX_TRIES = 256;  // of a table of groups that is too full
  using U = typename Lane<L>::Unsigned;

  Hand<L, R> a;   // the values in hand
  Word<0> av;     // rows of them that are present
  Word<1> t;      // the truth in hand: rows where it is true,
  Word<2> f;      // and where it is false; elsewhere NULL
  Word<3> cur;    // the rows that instructions act on
  Word<7> row;    // the thread's first one
  uint32_t error;
  Place<4> slots;  // of the warp's, at this thread's place
  Place<5> masks;
  Place<6> own;    // this thread's cells

  QUARREL_DEVICE void start(const Params& p) {
    int32_t rest = (int32_t)((uint32_t)p.row_count - row);
    uint32_t bits = 0;
#pragma unroll
    for (int g = 0; g < GROUPS; g++) {
      int32_t rows = rest - g * 128;
      rows = rows < 0 ? 0 : rows > 4 ? 4 : rows;
      bits |= ((1u << rows) - 1) << (4 * g);
    }
    cur = bits;
    av = ALL;
  }

  // ---- memory

  QUARREL_DEVICE bool wants(int g) const { return (cur >> (4 * g) & 15u) != 0; }

  QUARREL_DEVICE void load_valid(const ColumnRef& column) {
    av = ALL;
    if (column.valid != nullptr) {
      av = bits(column.valid);
    }
  }

  // A bit a row of a bitmap.
  QUARREL_DEVICE uint32_t bits(const uint32_t* words) const {
    uint32_t first = row;
    words += first / 32;
    uint32_t found = 0;
#pragma unroll
    for (int g = 0; g < GROUPS; g++) {
      found |= (__ldg(words + 4 * g) >> (first & 31) & 15u) << (4 * g);
    }
    return found;
  }

  QUARREL_DEVICE void load_i32(const ColumnRef& column) {
    const uint4* from = (const uint4*)((const int32_t*)column.data + (uint32_t)row);
#pragma unroll
    for (int g = 0; g < GROUPS; g++) {
      uint4 v = {0, 0, 0, 0};
      if (wants(g)) {
        v = __ldg(from + 32 * g);
      }
      a[4 * g] = (int32_t)v.x;
      a[4 * g + 1] = (int32_t)v.y;
      a[4 * g + 2] = (int32_t)v.z;
      a[4 * g + 3] = (int32_t)v.w;
    }
  }

  QUARREL_DEVICE void load_u16(const ColumnRef& column) {
    const uint2* from = (const uint2*)((const uint16_t*)column.data + (uint32_t)row);
#pragma unroll
    for (int g = 0; g < GROUPS; g++) {
      uint2 v = {0, 0};
      if (wants(g)) {
        v = __ldg(from + 32 * g);
      }
      a[4 * g] = (L)(v.x & 0xFFFFu);
      a[4 * g + 1] = (L)(v.x >> 16);
      a[4 * g + 2] = (L)(v.y & 0xFFFFu);
      a[4 * g + 3] = (L)(v.y >> 16);
    }
  }

  QUARREL_DEVICE void load_i16(const ColumnRef& column) {
    const uint2* from = (const uint2*)((const uint16_t*)column.data + (uint32_t)row);
#pragma unroll
    for (int g = 0; g < GROUPS; g++) {
      uint2 v = {0, 0};
      if (wants(g)) {
        v = __ldg(from + 32 * g);
      }
      a[4 * g] = (int32_t)picked(v.x, 0, 0x9910u);
      a[4 * g + 1] = (int32_t)picked(v.x, 0, 0xBB32u);
      a[4 * g + 2] = (int32_t)picked(v.y, 0, 0x9910u);
      a[4 * g + 3] = (int32_t)picked(v.y, 0, 0xBB32u);
    }
  }

  // The lower 16 bits of a tile's rows, then the upper 8 bits of each.
  QUARREL_DEVICE void load_i24(const ColumnRef& column) {
    uint32_t first = row, tile = first & ~(32u * R - 1), within = first - tile;
    const char* of_tile = (const char*)column.data + (uint64_t)tile * 3;
    const uint2* low = (const uint2*)(of_tile + 2 * within);
    const uint32_t* high = (const uint32_t*)(of_tile + 2 * 32 * R + within);
#pragma unroll
    for (int g = 0; g < GROUPS; g++) {
      uint2 v = {0, 0};
      uint32_t w = 0;
      if (wants(g)) {
        v = __ldg(low + 32 * g);
        w = __ldg(high + 32 * g);
      }
      a[4 * g] = (int32_t)picked(v.x, w, 0xC410u);
      a[4 * g + 1] = (int32_t)picked(v.x, w, 0xD532u);
      a[4 * g + 2] = (int32_t)picked(v.y, w, 0xE610u);
      a[4 * g + 3] = (int32_t)picked(v.y, w, 0xF732u);
    }
  }

  QUARREL_DEVICE void load_i8(const ColumnRef& column) {
    const uint32_t* from = (const uint32_t*)((const uint8_t*)column.data + (uint32_t)row);
#pragma unroll
    for (int g = 0; g < GROUPS; g++) {
      uint32_t v = 0;
      if (wants(g)) {
        v = __ldg(from + 32 * g);
      }
      a[4 * g] = (int32_t)picked(v, 0, 0x8880u);
      a[4 * g + 1] = (int32_t)picked(v, 0, 0x9991u);
      a[4 * g + 2] = (int32_t)picked(v, 0, 0xAAA2u);
      a[4 * g + 3] = (int32_t)picked(v, 0, 0xBBB3u);
    }
  }

  // Where what is stored is less by a constant. Sums of values that are present are within a lane.
  QUARREL_DEVICE void add_base(const Params& p, uint32_t flags, uint32_t constant) {
    if (flags & FLAG_IMMEDIATE) {
      L base = (L)p.constants[constant];
#pragma unroll
      for (int i = 0; i < R; i++) {
        a[i] = (L)((U)(L)a[i] + (U)base);
      }
    }
  }

  QUARREL_DEVICE void load_u8(const ColumnRef& column) {
    const uint32_t* from = (const uint32_t*)((const uint8_t*)column.data + (uint32_t)row);
#pragma unroll
    for (int g = 0; g < GROUPS; g++) {
      uint32_t v = 0;
      if (wants(g)) {
        v = __ldg(from + 32 * g);
      }
      a[4 * g] = (L)(v & 255u);
      a[4 * g + 1] = (L)(v >> 8 & 255u);
      a[4 * g + 2] = (L)(v >> 16 & 255u);
      a[4 * g + 3] = (L)(v >> 24);
    }
  }

  QUARREL_DEVICE void load_i64(const ColumnRef& column) {
    const uint4* from = (const uint4*)((const int64_t*)column.data + (uint32_t)row);
#pragma unroll
    for (int g = 0; g < GROUPS; g++) {
      uint4 v = {0, 0, 0, 0}, w = {0, 0, 0, 0};
      if (wants(g)) {
        v = __ldg(from + 64 * g);
        w = __ldg(from + 64 * g + 1);
      }
      a[4 * g] = (L)((uint64_t)v.y << 32 | v.x);
      a[4 * g + 1] = (L)((uint64_t)v.w << 32 | v.z);
      a[4 * g + 2] = (L)((uint64_t)w.y << 32 | w.x);
      a[4 * g + 3] = (L)((uint64_t)w.w << 32 | w.z);
    }
  }

  // ---- slots

  // A slot has a warp's values by group of 128 rows, so that a thread's four lie together: they are loaded and stored
  // 16 bytes at a time. A constant lies there four times.
  static constexpr uint32_t GROUP_BYTES = 128 * (uint32_t)sizeof(L);
  static constexpr uint32_t SLOT_BYTES = GROUPS * GROUP_BYTES;

  // Operand b: a slot's values, or a constant. Narrow ones are in registers, wide ones are fetched as they are needed.
  struct Operand {
    const char* at;
    uint32_t step;  // bytes from one group to the next
    uint4 narrow[GROUPS];

    QUARREL_DEVICE L operator[](int i) const {
      if constexpr (sizeof(L) == 4) {
        uint4 four = narrow[i / 4];
        return (L)(i % 4 == 0 ? four.x : i % 4 == 1 ? four.y : i % 4 == 2 ? four.z : four.w);
      } else {
        return ((const L*)(at + i / 4 * step))[i % 4];
      }
    }
  };

  QUARREL_DEVICE Operand operand(const Insn& in) {
    bool is_constant = (in.flags & FLAG_IMMEDIATE) != 0;
    Operand found;
    found.at = shared_memory() + (in.b + (is_constant ? 0 : (uint32_t)slots.bytes));
    found.step = is_constant ? 0 : GROUP_BYTES;
    if constexpr (sizeof(L) == 4) {
#pragma unroll
      for (int g = 0; g < GROUPS; g++) {
        found.narrow[g] = load_shared(found.at + g * found.step);
      }
    }
    return found;
  }

  // Where a slot has the value of row i.
  QUARREL_DEVICE L* slot_value(uint32_t slot, int i) const {
    return (L*)(slots + slot + (uint32_t)i / 4 * GROUP_BYTES) + i % 4;
  }

  QUARREL_DEVICE uint32_t mask(uint32_t slot) const { return (uint8_t)*(masks + slot * 32); }
  QUARREL_DEVICE void set_mask(uint32_t slot, uint32_t bits) { *(masks + slot * 32) = (char)bits; }

  QUARREL_DEVICE void join_presence(const Insn& in) {
    if (in.flags & FLAG_MASKED) {
      av &= mask(in.c);
    }
  }

  QUARREL_DEVICE void value_load(const Insn& in) {
    Operand from = operand(in);
#pragma unroll
    for (int i = 0; i < R; i++) {
      a[i] = from[i];
    }
    av = in.flags & FLAG_VALID ? mask(in.c) : ALL;
  }

  QUARREL_DEVICE void value_store(const Insn& in) {
#pragma unroll
    for (int i = 0; i < R; i++) {
      ((L*)__builtin_assume_aligned(slots + (in.b + i / 4 * GROUP_BYTES), 16))[i % 4] = a[i];
    }
    if (in.flags & FLAG_VALID) {
      set_mask(in.c, av);
    }
  }

  // ---- truth

  QUARREL_DEVICE void truth(uint32_t holds, const Insn& in) {
    uint32_t present = cur & av;
    bool negate = (in.flags & FLAG_NEGATE) != 0;
    t = (negate ? ~holds : holds) & present;
    f = present & ~t;
  }

  // True if the tile goes on; lanes meet.
  QUARREL_DEVICE bool narrow(uint32_t rows, const Insn& in) {
    cur &= rows;
    return __any_sync(0xFFFFFFFFu, cur != 0 || !(in.flags & FLAG_SKIP));
  }

  QUARREL_DEVICE uint32_t in_range(L low, L high) const {
    U width = (U)high - (U)low;
    uint32_t outside = 0;
#pragma unroll
    for (int i = R - 1; i >= 0; i--) {
      outside = push_above(outside, (U)((U)(L)a[i] - (U)low), width);
    }
    return ~outside;
  }

  QUARREL_DEVICE uint32_t equals(const Operand& b) const {
    uint32_t holds = 0;
#pragma unroll
    for (int i = 0; i < R; i++) {
      holds |= a[i] == b[i] ? 1u << i : 0u;
    }
    return holds;
  }

  QUARREL_DEVICE uint32_t less(const Operand& b) const {
    uint32_t holds = 0;
#pragma unroll
    for (int i = 0; i < R; i++) {
      holds |= a[i] < b[i] ? 1u << i : 0u;
    }
    return holds;
  }

  QUARREL_DEVICE uint32_t less_equal(const Operand& b) const {
    uint32_t holds = 0;
#pragma unroll
    for (int i = 0; i < R; i++) {
      holds |= a[i] <= b[i] ? 1u << i : 0u;
    }
    return holds;
  }

  // ---- tables; what lies outside one is not in it

  // The place of a key. In 32 bits that is right too: tables of such lanes lie within int32.
  QUARREL_DEVICE U place(L key, const TableRef& table) const { return (U)key - (U)(L)table.base; }

  // The same, and the entry behind the last one, which tables of keys have, for keys outside and rows that are none.
  QUARREL_DEVICE uint32_t place_or_end(L key, const TableRef& table, bool acts) const {
    U at = place(key, table), size = (U)table.size;
    uint32_t inside = (uint32_t)least(at, size);
    return acts ? inside : (uint32_t)size;
  }

  QUARREL_DEVICE uint32_t test_bits(const TableRef& table) const {
    const uint32_t* words = (const uint32_t*)table.data;
    uint32_t acts = cur & av;
    uint32_t holds = 0;
#pragma unroll
    for (int i = 0; i < R; i++) {
      uint32_t at = place_or_end(a[i], table, (acts & 1u << i) != 0);
      holds = push_low(holds, __ldg(words + (at >> 5)) >> (at & 31));
    }
    return holds >> (32 - R);
  }

  // The entries at keys a: -1 for none. Answers where there is one.
  QUARREL_DEVICE uint32_t probe_dense(const TableRef& table) {
    const int32_t* entries = (const int32_t*)table.data;
    uint32_t acts = cur & av;
    uint32_t missing = 0;
#pragma unroll
    for (int i = R - 1; i >= 0; i--) {
      int32_t entry = __ldg(entries + place_or_end(a[i], table, (acts & 1u << i) != 0));
      a[i] = entry;
      missing = push_high(missing, (uint32_t)entry);
    }
    return ~missing & ALL;
  }

  // Open addressing: slots of a key and an entry, -1 for none; `size` is a power of two up to 2^32.
  QUARREL_DEVICE uint32_t probe_hash(const TableRef& table) {
    const uint4* entries = (const uint4*)table.data;
    uint32_t last = (uint32_t)(table.size - 1);
    uint32_t acts = cur & av;
    uint32_t found = 0;
#pragma unroll
    for (int i = 0; i < R; i++) {
      int32_t entry = -1;
      if (acts >> i & 1u) {
        uint32_t first = (uint32_t)mixed((uint64_t)(int64_t)a[i]) & last;
        uint32_t at = first;
        do {
          uint4 slot = __ldg(entries + at);
          entry = (int32_t)slot.z;
          if (entry < 0 || (slot.x == (uint32_t)a[i] && slot.y == (uint32_t)((int64_t)a[i] >> 32))) {
            break;
          }
          entry = -1;
          at = (at + 1) & last;
        } while (at != first);
      }
      a[i] = entry;
      found |= entry >= 0 ? 1u << i : 0u;
    }
    return found;
  }

  template <class E>
  QUARREL_DEVICE void gather(const TableRef& table) {
    const E* entries = (const E*)table.data;
    uint32_t acts = cur & av;
#pragma unroll
    for (int i = 0; i < R; i++) {
      U at = place(a[i], table);
      bool inside = (acts >> i & 1u) && at < (U)table.size;
      a[i] = inside ? (L)__ldg(entries + at) : (L)0;
    }
  }

  // The place of a key in a table of groups, which takes it if it is new; a power of two, all ones where free.
  QUARREL_DEVICE uint32_t find_group(const TableRef& table, unsigned long long key) {
    unsigned long long* slots_of = (unsigned long long*)table.data;
    uint32_t last = (uint32_t)(table.size - 1);
    uint32_t at = (uint32_t)mixed(key) & last;
    uint32_t tries = 0;
    for (; tries < MAX_TRIES; tries++) {
      unsigned long long seen = *(volatile unsigned long long*)(slots_of + at);
      if (seen == ~0ull) {
        seen = atomicCAS(slots_of + at, ~0ull, key);
        seen = seen == ~0ull ? key : seen;
      }
      if (seen == key) {
        break;
      }
      at = (at + 1) & last;
    }
    error |= tries == MAX_TRIES ? (uint32_t)ERROR_GROUP : 0u;
    return at;
  }

  // Of some rows those whose entry in a slot has one behind it: that takes its place. Entries grow, so that this ends.
  QUARREL_DEVICE uint32_t next_rows(const TableRef& table, uint32_t slot, uint32_t rows) {
    const int32_t* entries = (const int32_t*)table.data;
    uint32_t more = 0;
#pragma unroll 1
    for (int i = 0; i < R; i++) {
      L* value = slot_value(slot, i);
      U at = (U)*value;
      if ((rows >> i & 1u) && at < (U)table.size) {
        int32_t entry = __ldg(entries + at);
        if (entry >= 0 && (U)entry > at) {
          *value = entry;
          more |= 1u << i;
        }
      }
    }
    return more;
  }

  // The places of a slot's values in a table of groups.
  QUARREL_DEVICE void find_groups(const TableRef& table, uint32_t slot) {
#pragma unroll 1
    for (int i = 0; i < R; i++) {
      if (cur >> i & 1u) {
        L* value = slot_value(slot, i);
        *value = (L)find_group(table, (unsigned long long)(int64_t)*value);
      }
    }
    // Nothing is in hand then, which leaves registers for the search.
#pragma unroll
    for (int i = 0; i < R; i++) a[i] = 0;
  }

  // Any values of a slot as numbers: their places in a table of groups, then all ones, then NULL.
  QUARREL_DEVICE void number_keys(const TableRef& table, uint32_t slot) {
#pragma unroll 1
    for (int i = 0; i < R; i++) {
      if (cur >> i & 1u) {
        L* value = slot_value(slot, i);
        unsigned long long key = (unsigned long long)(int64_t)*value;
        *value = !(av >> i & 1u) ? (L)(table.size + 1) : key == ~0ull ? (L)table.size : (L)find_group(table, key);
      }
    }
#pragma unroll
    for (int i = 0; i < R; i++) a[i] = *slot_value(slot, i);
    av = ALL;
  }

  // ---- arithmetic

  // Multiplies if 32 bits hold what all lanes have, which is a fourth of the work otherwise; lanes meet. Operands are read
  // two at a time, and twice: there are no registers to keep them.
  QUARREL_DEVICE bool multiply_narrow(const Operand& b) {
    uint32_t beyond = 0;
#pragma unroll
    for (int i = 0; i < R; i += 2) {
      uint4 two = load_shared(b.at + i / 4 * b.step + i % 4 * (uint32_t)sizeof(L));
      beyond |= two.y ^ (uint32_t)((int32_t)two.x >> 31);
      beyond |= two.w ^ (uint32_t)((int32_t)two.z >> 31);
    }
#pragma unroll
    for (int i = 0; i < R; i++) beyond |= (uint32_t)((int64_t)a[i] >> 32) ^ (uint32_t)((int32_t)a[i] >> 31);
    if (__any_sync(0xFFFFFFFFu, beyond != 0)) {
      return false;
    }
#pragma unroll
    for (int i = 0; i < R; i += 2) {
      uint4 two = load_shared(b.at + i / 4 * b.step + i % 4 * (uint32_t)sizeof(L));
      a[i] = (int64_t)(int32_t)a[i] * (int32_t)two.x;
      a[i + 1] = (int64_t)(int32_t)a[i + 1] * (int32_t)two.z;
    }
    return true;
  }

  QUARREL_DEVICE void raise(uint32_t bad, uint32_t code) {
    if (bad & cur & av) {
      error |= code;
    }
  }

  // Sums: the answer is added by whoever calls.
  QUARREL_DEVICE int64_t sum(uint32_t rows) const {
    int64_t total = 0;
#pragma unroll
    for (int i = 0; i < R; i++) {
      total += rows >> i & 1u ? (int64_t)a[i] : 0;
    }
    return total;
  }

  QUARREL_DEVICE void count_rows() const { *cell(0) += (uint64_t)__popc(cur); }

  QUARREL_DEVICE uint64_t* cell(uint32_t word) const { return (uint64_t*)(own + word * 256); }

  // The rows whose group has cells; an error for a group that is none.
  QUARREL_DEVICE uint32_t with_group(const Params& p, const Operand& groups, uint32_t acts) {
    uint32_t outside = 0;
#pragma unroll
    for (int i = R - 1; i >= 0; i--) {
      outside = push_above(outside, (U)groups[i], (U)p.group_count - 1);
    }
    error |= acts & outside ? (uint32_t)ERROR_GROUP : 0u;
    return acts & ~outside;
  }

  // Where the group of such a row has them.
  QUARREL_DEVICE unsigned long long* group(const Params& p, const Operand& groups, int i) const {
    return (unsigned long long*)p.cells + (uint32_t)groups[i] * p.cell_words;
  }

  // The cells of the group that all acting rows of the warp have, where the program says that this may be; otherwise, and where
  // none acts, null. Lanes meet.
  template <bool MAY>
  QUARREL_DEVICE unsigned long long* common_group(const Params& p, const Insn& in, const Operand& groups, uint32_t acts) const {
    if (!MAY || !(in.flags & FLAG_CLUSTERED)) {
      return nullptr;
    }
    uint32_t waiting = __ballot_sync(0xFFFFFFFFu, acts != 0);
    if (waiting == 0) {
      return nullptr;
    }
    uint32_t row = acts != 0 ? (uint32_t)__ffs((int)acts) - 1 : 0;
    uint32_t group = (uint32_t)((const L*)(groups.at + row / 4 * groups.step))[row % 4];
    group = __shfl_sync(0xFFFFFFFFu, group, __ffs((int)waiting) - 1);
    uint32_t others = 0;
#pragma unroll
    for (int i = 0; i < R; i++) others |= acts >> i & 1u ? (uint32_t)groups[i] ^ group : 0u;
    return __any_sync(0xFFFFFFFFu, others != 0) ? nullptr : (unsigned long long*)p.cells + group * p.cell_words;
  }
};

// The group whose cells a block has where groups are parts of one: a power of two of them, or none is past them.
QUARREL_DEVICE uint64_t shared_part(const Params& p) { return blockIdx.x & ((uint32_t)p.group_count - 1); }

// Signed values as unsigned ones of the same order, the least as 0.
QUARREL_DEVICE uint64_t ranked(int64_t value, bool least) {
  uint64_t rank = (uint64_t)value ^ 0x8000000000000000ull;
  return least ? ~rank : rank;
}

}  // namespace quarrel
