// Arithmetic on one row, for device and host. `bad` is set where PostgreSQL raises an error; the value is undefined then.
#pragma once
#include <stdint.h>

#ifdef __CUDACC__
#define QUARREL_INLINE __host__ __device__ __forceinline__
#else
#define QUARREL_INLINE inline __attribute__((always_inline))
#endif

namespace quarrel {

template <class L>
struct Lane;
template <>
struct Lane<int32_t> {
  using Unsigned = uint32_t;
};
template <>
struct Lane<int64_t> {
  using Unsigned = uint64_t;
};

// One instruction, whatever the compiler makes of the comparison around it.
QUARREL_INLINE uint32_t least(uint32_t x, uint32_t y) {
#ifdef __CUDA_ARCH__
  asm("min.u32 %0, %0, %1;" : "+r"(x) : "r"(y));
  return x;
#else
  return x < y ? x : y;
#endif
}
QUARREL_INLINE uint64_t least(uint64_t x, uint64_t y) { return x < y ? x : y; }

// Bits come together by one instruction each: from the lowest bit of a word, the first to come ends lowest of the last 32;
QUARREL_INLINE uint32_t push_low(uint32_t bits, uint32_t word) {
#ifdef __CUDA_ARCH__
  return __funnelshift_r(bits, word, 1);
#else
  return bits >> 1 | word << 31;
#endif
}

// from the highest bit of a word, the last to come ends lowest.
QUARREL_INLINE uint32_t push_high(uint32_t bits, uint32_t word) {
#ifdef __CUDA_ARCH__
  return __funnelshift_l(word, bits, 1);
#else
  return bits << 1 | word >> 31;
#endif
}

// Bytes of two words: one a digit of the selector, the lowest first, from 0 to 7; with 8 added its sign, eight times.
QUARREL_INLINE uint32_t picked(uint32_t x, uint32_t y, uint32_t selector) {
#ifdef __CUDA_ARCH__
  uint32_t bytes;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(bytes) : "r"(x), "r"(y), "r"(selector));
  return bytes;
#else
  uint32_t bytes = 0;
  for (int digit = 0; digit < 4; digit++) {
    uint32_t pick = selector >> (4 * digit) & 15u;
    uint32_t byte = (uint32_t)(((uint64_t)y << 32 | x) >> (8 * (pick & 7u))) & 255u;
    bytes |= (pick < 8 ? byte : byte >> 7 != 0 ? 255u : 0u) << (8 * digit);
  }
  return bytes;
#endif
}

// Whether x is above y, as the lowest bit of those before: what x + ~y carries. Not what y - x borrows: `sub.cc` leaves its
// borrow for `subc` alone, and the hardware holds it the other way round, so `addc` after it would add the opposite.
QUARREL_INLINE uint32_t push_above(uint32_t bits, uint32_t x, uint32_t y) {
#ifdef __CUDA_ARCH__
  asm("{ .reg .u32 rest; add.cc.u32 rest, %1, %2; addc.u32 %0, %0, %0; }" : "+r"(bits) : "r"(x), "r"(~y));
  return bits;
#else
  return bits << 1 | (x > y ? 1u : 0u);
#endif
}
QUARREL_INLINE uint32_t push_above(uint32_t bits, uint64_t x, uint64_t y) { return bits << 1 | (x > y ? 1u : 0u); }

template <class L>
QUARREL_INLINE L add(L x, L y, bool& bad) {
  L sum = (L)((typename Lane<L>::Unsigned)x + (typename Lane<L>::Unsigned)y);
  bad = ((x ^ sum) & (y ^ sum)) < 0;
  return sum;
}

template <class L>
QUARREL_INLINE L subtract(L x, L y, bool& bad) {
  L difference = (L)((typename Lane<L>::Unsigned)x - (typename Lane<L>::Unsigned)y);
  bad = ((x ^ y) & (x ^ difference)) < 0;
  return difference;
}

QUARREL_INLINE int32_t multiply(int32_t x, int32_t y, bool& bad) {
  int64_t product = (int64_t)x * y;
  bad = product != (int32_t)product;
  return (int32_t)product;
}

QUARREL_INLINE int64_t multiply(int64_t x, int64_t y, bool& bad) {
#ifdef __CUDA_ARCH__
  int64_t high = __mul64hi(x, y);
#else
  int64_t high = (int64_t)(((__int128)x * y) >> 64);
#endif
  int64_t low = (int64_t)((uint64_t)x * (uint64_t)y);
  bad = high != low >> 63;
  return low;
}

// Towards zero. The least value divided by -1 is bad, and so is a divisor of 0.
template <class L>
QUARREL_INLINE L divide(L x, L y, bool& bad) {
  L least = (L)((typename Lane<L>::Unsigned)1 << (sizeof(L) * 8 - 1));
  bad = y == 0 || (x == least && y == -1);
  return bad ? 0 : x / y;
}

// With the dividend's sign; by -1 it is 0.
template <class L>
QUARREL_INLINE L remainder(L x, L y) {
  return y == 0 || y == -1 ? 0 : x % y;
}

// x / y, half away from zero; y > 0.
template <class L>
QUARREL_INLINE L divide_rounded(L x, L y) {
  L quotient = x / y;
  L rest = x % y;
  L magnitude = rest < 0 ? -rest : rest;
  if (magnitude >= y - magnitude) {
    quotient += x < 0 ? -1 : 1;
  }
  return quotient;
}

struct Civil {
  int32_t year;  // 0 is 1 BC
  int32_t month, day;
  int32_t day_of_year;  // from 1
};

// Days since 1970-01-01 in the Gregorian calendar, without bounds (after Howard Hinnant's algorithms).
QUARREL_INLINE Civil civil(int32_t days) {
  int64_t shifted = (int64_t)days + 719468;
  int64_t era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
  uint32_t day_of_era = (uint32_t)(shifted - era * 146097);
  uint32_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  uint32_t day_of_march_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  uint32_t month_index = (5 * day_of_march_year + 2) / 153;
  Civil c;
  c.day = (int32_t)(day_of_march_year - (153 * month_index + 2) / 5 + 1);
  c.month = (int32_t)(month_index < 10 ? month_index + 3 : month_index - 9);
  c.year = (int32_t)(year_of_era + era * 400) + (c.month <= 2 ? 1 : 0);
  bool leap = (c.year & 3) == 0 && (c.year % 100 != 0 || c.year % 400 == 0);
  c.day_of_year = (int32_t)day_of_march_year + (c.month <= 2 ? -305 : 60 + (leap ? 1 : 0));
  return c;
}

// The parts of a date, by the numbers of Java's DateField that the encoder lets through.
enum : uint32_t { FIELD_YEAR = 0, FIELD_QUARTER = 1, FIELD_MONTH = 2, FIELD_DAY = 3, FIELD_DOW = 9, FIELD_ISODOW = 10, FIELD_DOY = 11 };

QUARREL_INLINE int32_t date_field(int32_t days, uint32_t field) {
  if (field == FIELD_DOW || field == FIELD_ISODOW) {
    int32_t weekday = (int32_t)(((int64_t)days + 4) % 7);  // 1970-01-01 was a Thursday
    weekday = weekday < 0 ? weekday + 7 : weekday;
    return field == FIELD_ISODOW && weekday == 0 ? 7 : weekday;
  }
  Civil c = civil(days);
  switch (field) {
    case FIELD_YEAR:
      return c.year > 0 ? c.year : c.year - 1;  // there is no year 0
    case FIELD_QUARTER:
      return (c.month - 1) / 3 + 1;
    case FIELD_MONTH:
      return c.month;
    case FIELD_DAY:
      return c.day;
    default:
      return c.day_of_year;
  }
}

// Infinite dates, as PostgreSQL has them.
QUARREL_INLINE bool is_infinite_date(int32_t days) { return days == INT32_MAX || days == INT32_MIN; }

// Floats as integers of the same order: -0 is 0, NaN is greatest and one.
QUARREL_INLINE int64_t ordered64(int64_t bits) {
  uint64_t magnitude = (uint64_t)bits & 0x7FFFFFFFFFFFFFFFull;
  if (magnitude > 0x7FF0000000000000ull) {
    return 0x7FF8000000000000ll;
  }
  return bits < 0 ? -(int64_t)magnitude : bits;
}

QUARREL_INLINE int32_t ordered32(int32_t bits) {
  uint32_t magnitude = (uint32_t)bits & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u) {
    return 0x7FC00000;
  }
  return bits < 0 ? -(int32_t)magnitude : bits;
}

QUARREL_INLINE double as_double(int64_t bits) {
#ifdef __CUDA_ARCH__
  return __longlong_as_double(bits);
#else
  double value;
  __builtin_memcpy(&value, &bits, 8);
  return value;
#endif
}

QUARREL_INLINE int64_t bits_of(double value) {
#ifdef __CUDA_ARCH__
  return __double_as_longlong(value);
#else
  int64_t bits;
  __builtin_memcpy(&bits, &value, 8);
  return bits;
#endif
}

QUARREL_INLINE bool is_infinite64(int64_t bits) { return (bits & 0x7FFFFFFFFFFFFFFFll) == 0x7FF0000000000000ll; }
QUARREL_INLINE bool is_zero64(int64_t bits) { return (bits & 0x7FFFFFFFFFFFFFFFll) == 0; }
QUARREL_INLINE bool is_nan64(int64_t bits) { return (bits & 0x7FFFFFFFFFFFFFFFll) > 0x7FF0000000000000ll; }

// Java's canonical NaN: an operation's NaN must not differ from device to device.
QUARREL_INLINE int64_t one_nan(int64_t bits) { return is_nan64(bits) ? 0x7FF8000000000000ll : bits; }

enum : uint32_t { FLOAT_ADDITION, FLOAT_SUBTRACTION, FLOAT_MULTIPLICATION, FLOAT_DIVISION };

// Float64 arithmetic with PostgreSQL's errors for overflow and underflow; division by zero is checked by the caller.
QUARREL_INLINE int64_t float_arithmetic(uint32_t operation, int64_t x, int64_t y, bool& bad) {
  double a = as_double(x), b = as_double(y);
  double value = operation == FLOAT_ADDITION         ? a + b
                 : operation == FLOAT_SUBTRACTION    ? a - b
                 : operation == FLOAT_MULTIPLICATION ? a * b
                                               : a / b;
  int64_t result = one_nan(bits_of(value));
  bool may_be_infinite = is_infinite64(x) || (operation != FLOAT_DIVISION && is_infinite64(y));
  bad = is_infinite64(result) && !may_be_infinite;
  if (operation == FLOAT_MULTIPLICATION) {
    bad = bad || (is_zero64(result) && !is_zero64(x) && !is_zero64(y));
  }
  if (operation == FLOAT_DIVISION) {
    bad = bad || (is_zero64(result) && !is_zero64(x) && !is_infinite64(y));
  }
  return result;
}

}  // namespace quarrel
