// Exact sums of float64, whatever the order of their rows: a word of flags, then limbs of 32 bits in words of 64, which
// atomics add to and which may be negative. Limb i counts 2^(32 i - 1088), so that every float64 has its place.
//
// Values of one group in a warp are added up first, as CPU's SlicedSum does: each is cut in two at a place that the
// greatest one fixes, so that no addition rounds. What does not fit two slices goes into the limbs by itself.
#pragma once
#include "tile.cuh"

namespace quarrel {

enum : uint32_t { FLOAT_SUM_WORDS = 68 };
enum : uint32_t { FLOAT_SUM_NAN = 2, FLOAT_SUM_POSITIVE = 4, FLOAT_SUM_NEGATIVE = 8, FLOAT_SUM_OTHER = 16 };

// Of the flags of FloatSum. The word is read first: soon it has them all, and no atomic is needed.
QUARREL_DEVICE void float_sum_flag(unsigned long long* cells, unsigned long long flags) {
  if ((*(volatile unsigned long long*)cells & flags) != flags) {
    atomicOr(cells, flags);
  }
}

// Adds one value. Below 2^31 of them a limb's word has room.
QUARREL_DEVICE void float_sum_add(unsigned long long* cells, int64_t bits) {
  uint32_t biased = (uint32_t)((uint64_t)bits >> 52) & 0x7FFu;
  uint64_t mantissa = (uint64_t)bits & 0xFFFFFFFFFFFFFull;
  if (biased == 0x7FF) {
    uint32_t infinity = bits < 0 ? FLOAT_SUM_NEGATIVE : FLOAT_SUM_POSITIVE;
    float_sum_flag(cells, FLOAT_SUM_OTHER | (mantissa != 0 ? (uint32_t)FLOAT_SUM_NAN : infinity));
    return;
  }
  if (bits == INT64_MIN) {
    return;  // -0
  }
  float_sum_flag(cells, FLOAT_SUM_OTHER);
  if (biased != 0) {
    mantissa |= 1ull << 52;
    biased--;
  }
  uint32_t place = biased + 14, shift = place & 31;
  uint64_t low = mantissa << shift;
  uint64_t high = mantissa >> 1 >> (63 - shift);
  uint64_t sign = (uint64_t)(bits >> 63);
  unsigned long long* limb = cells + 1 + (place >> 5);
  uint64_t parts[3] = {low & 0xFFFFFFFFu, low >> 32, high};
#pragma unroll
  for (int part = 0; part < 3; part++) {
    if (parts[part] != 0) {
      atomicAdd(limb + part, (unsigned long long)((parts[part] ^ sign) - sign));
    }
  }
}

// Sums to `groups` the values of a slot in the rows that are current and present; lanes meet. With an immediate
// operand blocks take turns among the groups, which are parts of one.
template <class L, int R>
QUARREL_DEVICE void float_sum(const Params& p, Tile<L, R>& x, const Insn& in) {
  constexpr int COUNT_BITS = 9;  // 32 * R rows, two less than 2^9 at most
  constexpr int ROUNDS = 4;      // groups of a tile that are added up first
  constexpr int FEW = 6;         // lanes
  typename Tile<L, R>::Operand groups = x.operand(in);
  bool is_shared = (in.flags & FLAG_IMMEDIATE) != 0;
  uint32_t values = in.c * Tile<L, R>::SLOT_BYTES;
  uint32_t rest = x.cur & x.av;
  bool is_scattered = false;
#pragma unroll 1
  for (int round = 0; round < ROUNDS && !is_scattered; round++) {
    uint32_t waiting = __ballot_sync(0xFFFFFFFFu, rest != 0);
    if (waiting == 0) {
      break;
    }
    int64_t number = rest != 0 ? (int64_t)groups[__ffs(rest) - 1] : 0;
    number = __shfl_sync(0xFFFFFFFFu, number, __ffs(waiting) - 1);
    uint32_t mine = 0, greatest = 0;
#pragma unroll 1
    for (int i = 0; i < R; i++) {
      if ((rest >> i & 1u) && (int64_t)groups[i] == number) {
        mine |= 1u << i;
        uint32_t exponent = (uint32_t)((uint64_t)(int64_t)*x.slot_value(values, i) >> 52) & 0x7FFu;
        greatest = exponent > greatest ? exponent : greatest;
      }
    }
    is_scattered = __popc(__ballot_sync(0xFFFFFFFFu, mine != 0)) < FEW;
    if (is_scattered) {
      break;
    }
    rest &= ~mine;
#pragma unroll
    for (uint32_t delta = 16; delta > 0; delta /= 2) {
      uint32_t other = __shfl_down_sync(0xFFFFFFFFu, greatest, delta);
      greatest = other > greatest ? other : greatest;
    }
    greatest = __shfl_sync(0xFFFFFFFFu, greatest, 0);
    uint64_t group = is_shared ? shared_part(p) : (uint64_t)number;
    if (group >= p.group_count) {
      x.error |= ERROR_GROUP;
      continue;
    }
    unsigned long long* cells = (unsigned long long*)p.cells + group * p.cell_words + in.a;
    // Beyond these exponents slices would overflow or lose bits.
    if (greatest <= 1023 + 1000 && greatest >= 1023 - 850) {
      uint64_t high = (uint64_t)(greatest + 1 + COUNT_BITS) << 52;
      double first = as_double((int64_t)high);
      double second = as_double((int64_t)(high - ((uint64_t)(53 - COUNT_BITS) << 52)));
      double upper = 0, lower = 0;
      uint32_t lost = 0;
#pragma unroll 1
      for (int i = 0; i < R; i++) {
        if (mine >> i & 1u) {
          double value = as_double((int64_t)*x.slot_value(values, i));
          double slice = value + first - first;
          double tail = value - slice;
          double next = tail + second - second;
          if (tail == next) {
            upper += slice;
            lower += next;
          } else {
            lost |= 1u << i;
          }
        }
      }
      mine = lost;
#pragma unroll
      for (uint32_t delta = 16; delta > 0; delta /= 2) {
        upper += __shfl_down_sync(0xFFFFFFFFu, upper, delta);
        lower += __shfl_down_sync(0xFFFFFFFFu, lower, delta);
      }
      if (lane_number() == 0) {
        float_sum_flag(cells, FLOAT_SUM_OTHER);
        if (upper != 0) float_sum_add(cells, bits_of(upper));
        if (lower != 0) float_sum_add(cells, bits_of(lower));
      }
    }
#pragma unroll 1
    for (; mine != 0; mine &= mine - 1) {
      float_sum_add(cells, (int64_t)*x.slot_value(values, __ffs(mine) - 1));
    }
  }
#pragma unroll 1
  for (; rest != 0; rest &= rest - 1) {
    int i = __ffs(rest) - 1;
    uint64_t group = is_shared ? shared_part(p) : (uint64_t)(int64_t)groups[i];
    if (group >= p.group_count) {
      x.error |= ERROR_GROUP;
    } else {
      float_sum_add((unsigned long long*)p.cells + group * p.cell_words + in.a, (int64_t)*x.slot_value(values, i));
    }
  }
  // Nothing is in hand then, which leaves registers for the sums.
#pragma unroll
  for (int i = 0; i < R; i++) x.a[i] = 0;
}

// What a product of float64s leaves beside the nearest float64, exactly; bad where that is below what a float64 holds.
// Of products that are not finite it is 0.
QUARREL_INLINE int64_t product_rest(int64_t x, int64_t y, bool& bad) {
  int64_t product = bits_of(as_double(x) * as_double(y));
  uint32_t biased = (uint32_t)((uint64_t)product >> 52) & 0x7FFu;
  bool is_zero = is_zero64(x) || is_zero64(y);
  bad = !is_zero && biased < 1023 - 968;
  if (bad || is_zero || biased == 0x7FF) {
    return 0;
  }
  uint32_t ex = (uint32_t)((uint64_t)x >> 52) & 0x7FFu, ey = (uint32_t)((uint64_t)y >> 52) & 0x7FFu;
  uint64_t mx = ((uint64_t)x & 0xFFFFFFFFFFFFFull) | (ex != 0 ? 1ull << 52 : 0);
  uint64_t my = ((uint64_t)y & 0xFFFFFFFFFFFFFull) | (ey != 0 ? 1ull << 52 : 0);
  uint64_t mp = ((uint64_t)product & 0xFFFFFFFFFFFFFull) | 1ull << 52;
  // Units of 2^unit; both mantissas' lowest bits at first.
  int32_t unit = (int32_t)(ex != 0 ? ex : 1u) + (int32_t)(ey != 0 ? ey : 1u) - 2 * 1075;
  int32_t up = (int32_t)biased - 1075 - unit;
  if (up <= 0) {
    return 0;  // few bits: the nearest is the product
  }
  // The rest has 54 bits, so that the lower 64 of the difference say it.
  int64_t rest = (int64_t)(mx * my - (up < 64 ? mp << up : 0));
  double scale = as_double((int64_t)(unit >= -1022 ? (uint64_t)(unit + 1023) << 52 : 1ull << (unit + 1074)));
  double magnitude = (double)rest * scale;
  return bits_of((x ^ y) < 0 ? -magnitude : magnitude);
}

// Float64 as an integer of the same order, -0 below 0.
QUARREL_INLINE int64_t ranked64(int64_t bits) {
  int64_t one = one_nan(bits);
  return one ^ (int64_t)((uint64_t)(one >> 63) >> 1);
}

QUARREL_INLINE int64_t widened(int32_t bits) {
#ifdef __CUDA_ARCH__
  return bits_of((double)__int_as_float(bits));
#else
  float value;
  __builtin_memcpy(&value, &bits, 4);
  return bits_of((double)value);
#endif
}

}  // namespace quarrel
