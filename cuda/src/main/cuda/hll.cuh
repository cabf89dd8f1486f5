// HyperLogLog registers: bytes of the words of a group's cells, raised by compare-and-swap where a read says so. Soon
// few reads do.
#pragma once
#include "tile.cuh"

namespace quarrel {

// Raises registers of `groups` by the values of a slot in the rows that are current and present: k bits of a hash name
// the register, its zeros after them the rank. With NEGATE values are hashes, with VALID decimals.
template <class L, int R>
QUARREL_DEVICE void hll_add(const Params& p, Tile<L, R>& x, const Insn& in) {
  typename Tile<L, R>::Operand groups = x.operand(in);
  uint32_t values = in.c * Tile<L, R>::SLOT_BYTES;
#pragma unroll 1
  for (uint32_t rest = x.cur & x.av; rest != 0; rest &= rest - 1) {
    int i = __ffs(rest) - 1;
    uint64_t group = in.flags & FLAG_IMMEDIATE ? shared_part(p) : (uint64_t)(int64_t)groups[i];
    if (group >= p.group_count) {
      x.error |= ERROR_GROUP;
      continue;
    }
    uint64_t hash = (uint64_t)*x.slot_value(values, i);
    if (!(in.flags & FLAG_NEGATE)) {
      uint64_t high = (uint64_t)((int64_t)hash >> 63);
      hash = mixed(hash);
      hash = in.flags & FLAG_VALID ? mixed(hash * 31 + high) : hash;
    }
    uint32_t place = (uint32_t)(hash >> (64 - in.k));
    uint32_t zeros = (uint32_t)__clzll((long long)(hash << in.k));
    uint64_t rank = (zeros < 64u - in.k ? zeros : 64u - in.k) + 1;
    unsigned long long* word = (unsigned long long*)p.cells + group * p.cell_words + in.a + (place >> 3);
    uint32_t shift = (place & 7) * 8;
    unsigned long long seen = *(volatile unsigned long long*)word;
    while ((seen >> shift & 255u) < rank) {
      unsigned long long raised = (seen & ~(255ull << shift)) | rank << shift;
      unsigned long long now = atomicCAS(word, seen, raised);
      if (now == seen) {
        break;
      }
      seen = now;
    }
  }
#pragma unroll
  for (int i = 0; i < R; i++) x.a[i] = 0;
}

}  // namespace quarrel
