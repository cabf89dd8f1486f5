// The interpreter: each warp takes tiles and runs the program over each of them, 32 * R rows an instruction.
//
// One kernel a width of lanes, one more each for groups' cells of blocks, and one of 64 bits for all other opcodes. Code
// comes in the parameters or behind a pointer, and lies in shared memory. What an instruction does is said in Java's VmOpcode, of which opcodes.inc is made.
#include "block.cuh"
#include "floatsum.cuh"
#include "hll.cuh"
#include "project.cuh"
#include "text.cuh"
#include "tile.cuh"

namespace quarrel {

enum Op : uint16_t {
#define QUARREL_OPCODE(name, number) name = number,
#include "opcodes.inc"
#undef QUARREL_OPCODE
};

// Float64 arithmetic; with NEGATE the operand stands left.
template <uint32_t OPERATION, class L, int R>
QUARREL_DEVICE void float_step(Tile<L, R>& x, const Insn& in) {
  typename Tile<L, R>::Operand b = x.operand(in);
  x.join_presence(in);
  bool swap = (in.flags & FLAG_NEGATE) != 0;
  uint32_t wrong = 0;
#pragma unroll
  for (int i = 0; i < R; i++) {
    int64_t left = swap ? b[i] : x.a[i], right = swap ? x.a[i] : b[i];
    bool bad;
    x.a[i] = float_arithmetic(OPERATION, left, right, bad);
    wrong |= bad ? 1u << i : 0u;
  }
  x.raise(wrong, ERROR_RANGE);
}

// Float64 division of slot a by operand b, row after row by way of the slot: what a division needs of registers would not
// leave room for a tile's values.
template <class L, int R>
QUARREL_DEVICE void float_divide(Tile<L, R>& x, const Insn& in) {
  typename Tile<L, R>::Operand b = x.operand(in);
  x.join_presence(in);
  bool swap = (in.flags & FLAG_NEGATE) != 0;
  uint32_t wrong = 0, zero = 0;
#pragma unroll 1
  for (int i = 0; i < R; i++) {
    L* value = x.slot_value(in.a, i);
    int64_t left = swap ? b[i] : *value, right = swap ? *value : b[i];
    bool bad;
    *value = float_arithmetic(FLOAT_DIVISION, left, right, bad);
    wrong |= bad ? 1u << i : 0u;
    zero |= is_zero64(right) && !is_nan64(left) ? 1u << i : 0u;
  }
#pragma unroll
  for (int i = 0; i < R; i++) x.a[i] = *x.slot_value(in.a, i);
  x.raise(wrong & ~zero, ERROR_RANGE);
  x.raise(zero, ERROR_DIVISION);
}

// What a kernel has beside the opcodes of all: BLOCK the groups' cells of blocks, FULL what needs more registers than the
// other kernels can spare, or is rare. One more opcode is a step or two more to all.
template <class L, int R, bool BLOCK, bool FULL>
QUARREL_DEVICE void run(const Params& p) {
  using U = typename Lane<L>::Unsigned;
  Tile<L, R> x;
  char* shared = shared_memory();
  declare_hand<L>();
  uint32_t lane = lane_number();
  uint32_t place = p.warp_base + threadIdx.x / 32 * p.warp_bytes;
  x.slots.bytes = place + lane * 4 * (uint32_t)sizeof(L);
  x.masks.bytes = place + p.mask_base + lane;
  x.own.bytes = place + p.cell_base + lane * (uint32_t)sizeof(uint64_t);
  x.error = 0;
  for (uint32_t at = threadIdx.x; at < p.constant_count * 4; at += blockDim.x) {
    ((L*)shared)[at] = (L)p.constants[at / 4];
  }
  const char* code = shared + p.code_base;
  for (uint32_t at = threadIdx.x; at < p.code_count; at += blockDim.x) {
    ((PackedInsn*)(shared + p.code_base))[at] = p.code != nullptr ? p.code[at] : p.inline_code[at];
  }
  for (uint32_t word = 0; word < p.own_words; word++) {
    *x.cell(word) = 0;
  }
  if constexpr (BLOCK) block_clear(p);
  __syncthreads();

  // Rows are below 2^31, and so is a step: their sum is below 2^32. What is kept over the loop is little: each value takes
  // a register from all opcodes.
  uint32_t warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  uint32_t rows = (uint32_t)p.row_count, step = gridDim.x * (blockDim.x / 32) * (32 * R);
  x.row = warp * (32 * R) + 4 * lane;
  x.t = 0;
  x.f = 0;
  for (; (x.row & ~(32u * R - 1)) < rows; x.row = x.row + step) {
    x.start(p);
    for (const char* place = code;; place += sizeof(PackedInsn)) {
      const Insn in = Insn::at(place);
      switch (in.op) {
        default:
        case END:
          goto next;

          // ---- masks
        case MASK_LOAD:
          x.cur = x.mask(in.k);
          break;
        case MASK_STORE:
          x.set_mask(in.k, x.cur);
          break;
        case FILTER_TRUE:
          if (!x.narrow(x.t, in)) goto next;
          break;
        case FILTER_NOT_TRUE:
          if (!x.narrow(~x.t, in)) goto next;
          break;
        case FILTER_NOT_FALSE:
          if (!x.narrow(~x.f, in)) goto next;
          break;
        case FILTER_PRESENT:
          if (!x.narrow(x.av, in)) goto next;
          break;
        case FILTER_MINUS:
          if (!x.narrow(~x.mask(in.k), in)) goto next;
          break;

          // ---- truth
        case BOOL_LOAD:
          x.t = x.mask(in.k);
          x.f = x.mask(in.k + 1);
          break;
        case BOOL_STORE:
          x.set_mask(in.k, x.t);
          x.set_mask(in.k + 1, x.f);
          break;
        case BOOL_CONST:
          x.t = in.k == 1 ? x.cur : 0;
          x.f = in.k == 2 ? x.cur : 0;
          break;
        case BOOL_AND:
          x.t &= x.mask(in.k);
          x.f |= x.mask(in.k + 1);
          break;
        case BOOL_OR:
          x.t |= x.mask(in.k);
          x.f &= x.mask(in.k + 1);
          break;
        case BOOL_NOT: {
          uint32_t swap = x.t;
          x.t = x.f;
          x.f = swap;
          break;
        }
        case BOOL_SELECT: {
          uint32_t first = x.mask(in.a);
          x.t = (x.mask(in.k) & first) | (x.t & ~first);
          x.f = (x.mask(in.k + 1) & first) | (x.f & ~first);
          break;
        }
        case BOOL_IS_NULL: {
          uint32_t known = x.t | x.f;
          x.t = x.cur & (in.flags & FLAG_NEGATE ? known : ~known);
          x.f = x.cur & ~x.t;
          break;
        }
        case BOOL_IS_TRUE:
          x.t &= x.cur;
          x.f = x.cur & ~x.t;
          break;
        case BOOL_IS_FALSE:
          x.t = x.f & x.cur;
          x.f = x.cur & ~x.t;
          break;
        case BOOL_EQUAL: {  // with NEGATE: differs
          uint32_t t = x.mask(in.k), f = x.mask(in.k + 1);
          uint32_t same = (x.t & t) | (x.f & f), other = (x.t & f) | (x.f & t);
          x.t = in.flags & FLAG_NEGATE ? other : same;
          x.f = in.flags & FLAG_NEGATE ? same : other;
          break;
        }
        case VALUE_IS_NULL:
          x.t = x.cur & (in.flags & FLAG_NEGATE ? x.av : ~x.av);
          x.f = x.cur & ~x.t;
          break;
        case EQUAL: {
          typename Tile<L, R>::Operand b = x.operand(in);
          x.join_presence(in);
          x.truth(x.equals(b), in);
          break;
        }
        case LESS: {
          typename Tile<L, R>::Operand b = x.operand(in);
          x.join_presence(in);
          x.truth(x.less(b), in);
          break;
        }
        case LESS_EQUAL: {
          typename Tile<L, R>::Operand b = x.operand(in);
          x.join_presence(in);
          x.truth(x.less_equal(b), in);
          break;
        }
        case RANGE:
          x.truth(x.in_range((L)p.constants[in.a], (L)p.constants[in.b]), in);
          break;
        case TEST_BITS:
          x.truth(x.test_bits(p.tables[in.k]), in);
          break;

          // ---- values
        case VALUE_LOAD:
          x.value_load(in);
          break;
        case VALUE_STORE:
          x.value_store(in);
          break;
        case VALUE_NULL:
          x.av = 0;
#pragma unroll
          for (int i = 0; i < R; i++) x.a[i] = 0;
          break;
        case VALUE_OR:
#pragma unroll
          for (int i = 0; i < R; i++) x.a[i] = x.av >> i & 1u ? x.a[i] : (L)p.constants[in.a];
          x.av = Tile<L, R>::ALL;
          break;
        case LOAD_BOOL: {
          const ColumnRef& column = p.columns[in.k];
          x.load_valid(column);
          x.truth(x.bits((const uint32_t*)column.data), in);
          break;
        }
        case LOAD_U8:
          x.load_valid(p.columns[in.k]);
          x.load_u8(p.columns[in.k]);
          break;
        case LOAD_U16:
          x.load_valid(p.columns[in.k]);
          x.load_u16(p.columns[in.k]);
          break;
        case LOAD_I8:
          x.load_valid(p.columns[in.k]);
          x.load_i8(p.columns[in.k]);
          x.add_base(p, in.flags, in.a);
          break;
        case LOAD_I16:
          x.load_valid(p.columns[in.k]);
          x.load_i16(p.columns[in.k]);
          x.add_base(p, in.flags, in.a);
          break;
        case LOAD_I24:
          x.load_valid(p.columns[in.k]);
          x.load_i24(p.columns[in.k]);
          x.add_base(p, in.flags, in.a);
          break;
        case LOAD_I32:
          x.load_valid(p.columns[in.k]);
          x.load_i32(p.columns[in.k]);
          if constexpr (sizeof(L) == 8) x.add_base(p, in.flags, in.a);
          break;
        case LOAD_I64:
          if constexpr (sizeof(L) == 8) {
            x.load_valid(p.columns[in.k]);
            x.load_i64(p.columns[in.k]);
          }
          break;
        case SELECT: {  // operand b in the rows of mask slot a, the values in hand elsewhere
          typename Tile<L, R>::Operand b = x.operand(in);
          uint32_t first = x.mask(in.a);
#pragma unroll
          for (int i = 0; i < R; i++) x.a[i] = first >> i & 1u ? b[i] : x.a[i];
          uint32_t present = in.flags & FLAG_MASKED ? x.mask(in.c) : (uint32_t)Tile<L, R>::ALL;
          x.av = (present & first) | (x.av & ~first);
          break;
        }

          // ---- arithmetic
        case ADD: {
          typename Tile<L, R>::Operand b = x.operand(in);
          x.join_presence(in);
          if (in.flags & FLAG_SURE) {
#pragma unroll
            for (int i = 0; i < R; i++) x.a[i] = (L)((U)(L)x.a[i] + (U)b[i]);
            break;
          }
          uint32_t wrong = 0;
#pragma unroll
          for (int i = 0; i < R; i++) {
            bool bad;
            x.a[i] = add((L)x.a[i], b[i], bad);
            wrong |= bad ? 1u << i : 0u;
          }
          x.raise(wrong, ERROR_RANGE);
          break;
        }
        case SUBTRACT: {
          typename Tile<L, R>::Operand b = x.operand(in);
          x.join_presence(in);
          if (in.flags & FLAG_SURE) {
#pragma unroll
            for (int i = 0; i < R; i++) x.a[i] = (L)((U)(L)x.a[i] - (U)b[i]);
            break;
          }
          uint32_t wrong = 0;
#pragma unroll
          for (int i = 0; i < R; i++) {
            bool bad;
            x.a[i] = subtract((L)x.a[i], b[i], bad);
            wrong |= bad ? 1u << i : 0u;
          }
          x.raise(wrong, ERROR_RANGE);
          break;
        }
        case SUBTRACT_FROM: {
          typename Tile<L, R>::Operand b = x.operand(in);
          x.join_presence(in);
          if (in.flags & FLAG_SURE) {
#pragma unroll
            for (int i = 0; i < R; i++) x.a[i] = (L)((U)b[i] - (U)(L)x.a[i]);
            break;
          }
          uint32_t wrong = 0;
#pragma unroll
          for (int i = 0; i < R; i++) {
            bool bad;
            x.a[i] = subtract(b[i], (L)x.a[i], bad);
            wrong |= bad ? 1u << i : 0u;
          }
          x.raise(wrong, ERROR_RANGE);
          break;
        }
        case MULTIPLY: {
          typename Tile<L, R>::Operand b = x.operand(in);
          x.join_presence(in);
          if (in.flags & FLAG_SURE) {
#pragma unroll
            for (int i = 0; i < R; i++) x.a[i] = (L)((U)(L)x.a[i] * (U)b[i]);
            break;
          }
          uint32_t wrong = 0;
          if constexpr (sizeof(L) == 8 && !FULL) {
            if (x.multiply_narrow(b)) break;
          }
#pragma unroll
          for (int i = 0; i < R; i++) {
            bool bad;
            x.a[i] = multiply((L)x.a[i], b[i], bad);
            wrong |= bad ? 1u << i : 0u;
          }
          x.raise(wrong, ERROR_RANGE);
          break;
        }
        case DIVIDE: {
          typename Tile<L, R>::Operand b = x.operand(in);
          x.join_presence(in);
          uint32_t wrong = 0, zero = 0;
#pragma unroll
          for (int i = 0; i < R; i++) {
            bool bad;
            L divisor = b[i];
            x.a[i] = divide((L)x.a[i], divisor, bad);
            wrong |= bad ? 1u << i : 0u;
            zero |= divisor == 0 ? 1u << i : 0u;
          }
          x.raise(wrong, ERROR_RANGE);
          x.raise(zero, ERROR_DIVISION);
          break;
        }
        case REMAINDER: {
          typename Tile<L, R>::Operand b = x.operand(in);
          x.join_presence(in);
          uint32_t zero = 0;
#pragma unroll
          for (int i = 0; i < R; i++) {
            L divisor = b[i];
            x.a[i] = remainder((L)x.a[i], divisor);
            zero |= divisor == 0 ? 1u << i : 0u;
          }
          x.raise(zero, ERROR_DIVISION);
          break;
        }
        case DIVIDE_ROUNDED: {
          L divisor = (L)p.constants[in.a];
#pragma unroll
          for (int i = 0; i < R; i++) x.a[i] = divide_rounded((L)x.a[i], divisor);
          break;
        }
        case NEGATE: {
          uint32_t wrong = 0;
#pragma unroll
          for (int i = 0; i < R; i++) {
            bool bad;
            x.a[i] = subtract((L)0, (L)x.a[i], bad);
            wrong |= bad ? 1u << i : 0u;
          }
          x.raise(wrong, ERROR_RANGE);
          break;
        }
        case ABSOLUTE: {
          uint32_t wrong = 0;
#pragma unroll
          for (int i = 0; i < R; i++) {
            bool bad = false;
            if (x.a[i] < 0) x.a[i] = subtract((L)0, (L)x.a[i], bad);
            wrong |= bad ? 1u << i : 0u;
          }
          x.raise(wrong, ERROR_RANGE);
          break;
        }
        case CHECK:
          x.raise(~x.in_range((L)p.constants[in.a], (L)p.constants[in.b]), ERROR_RANGE);
          break;
        case CHECK_FINITE_DATE: {
          uint32_t wrong = 0;
#pragma unroll
          for (int i = 0; i < R; i++) wrong |= is_infinite_date((int32_t)x.a[i]) ? 1u << i : 0u;
          x.raise(wrong, ERROR_OTHER);
          break;
        }
        case DATE_FIELD: {
          uint32_t wrong = 0;
#pragma unroll
          for (int i = 0; i < R; i++) {
            int32_t day = (int32_t)x.a[i];
            wrong |= is_infinite_date(day) ? 1u << i : 0u;
            x.a[i] = date_field(day, in.k);
          }
          x.raise(wrong, ERROR_OTHER);
          break;
        }
        case FLOAT_ADD:
          if constexpr (sizeof(L) == 8) float_step<FLOAT_ADDITION>(x, in);
          break;
        case FLOAT_SUBTRACT:
          if constexpr (sizeof(L) == 8) float_step<FLOAT_SUBTRACTION>(x, in);
          break;
        case FLOAT_MULTIPLY:
          if constexpr (sizeof(L) == 8) float_step<FLOAT_MULTIPLICATION>(x, in);
          break;
        case FLOAT_DIVIDE:
          if constexpr (sizeof(L) == 8) float_divide(x, in);
          break;
        case FLOAT_NEGATE:
          if constexpr (sizeof(L) == 8) {
#pragma unroll
            for (int i = 0; i < R; i++) x.a[i] ^= (L)0x8000000000000000ull;
          }
          break;
        case FLOAT_ABSOLUTE:
          if constexpr (sizeof(L) == 8) {
#pragma unroll
            for (int i = 0; i < R; i++) x.a[i] &= (L)0x7FFFFFFFFFFFFFFFull;
          }
          break;
        case FLOAT_ORDER:
          if constexpr (sizeof(L) == 8) {
#pragma unroll
            for (int i = 0; i < R; i++) x.a[i] = ordered64(x.a[i]);
          }
          break;
        case FLOAT32_ORDER:
#pragma unroll
          for (int i = 0; i < R; i++) x.a[i] = ordered32((int32_t)x.a[i]);
          break;
        case TO_FLOAT:
          if constexpr (sizeof(L) == 8) {
#pragma unroll
            for (int i = 0; i < R; i++) x.a[i] = bits_of((double)x.a[i]);
          }
          break;

          // ---- tables
        case PROBE_DENSE:
          x.truth(x.probe_dense(p.tables[in.k]), in);
          break;
        case PROBE_HASH:
          x.truth(x.probe_hash(p.tables[in.k]), in);
          break;
        case TAKE_FOUND:  // what was not found is NULL
          x.av = x.t;
          break;
        case GATHER_I32:
          x.template gather<int32_t>(p.tables[in.k]);
          break;
        case GATHER_I64:
          if constexpr (sizeof(L) == 8) {
            x.template gather<int64_t>(p.tables[in.k]);
          }
          break;
        case GROUP_FIND:
          if constexpr (sizeof(L) == 8) {
            x.find_groups(p.tables[in.k], in.a);
          }
          break;
        case GATHER_VALID: {
          uint32_t present = x.test_bits(p.tables[in.k]);
          x.av &= present;
          break;
        }

          // ---- several steps in one
        case LOAD_RANGE_I8:
          x.load_i8(p.columns[in.k]);
          goto range;
        case LOAD_RANGE_I16:
          x.load_i16(p.columns[in.k]);
          goto range;
        case LOAD_RANGE_I24:
          x.load_i24(p.columns[in.k]);
          goto range;
        case LOAD_RANGE_I32:
          x.load_i32(p.columns[in.k]);
        range:
          x.av = Tile<L, R>::ALL;
          if (!x.narrow(x.in_range((L)p.constants[in.a], (L)p.constants[in.b]), in)) goto next;
          x.add_base(p, in.flags, in.c);
          break;
        case LOAD_TEST_I8:
          x.load_i8(p.columns[in.k]);
          goto test;
        case LOAD_TEST_I16:
          x.load_i16(p.columns[in.k]);
          goto test;
        case LOAD_TEST_I24:
          x.load_i24(p.columns[in.k]);
          goto test;
        case LOAD_TEST_I32:
          x.load_i32(p.columns[in.k]);
        test:
          x.av = Tile<L, R>::ALL;
          if (!x.narrow(x.test_bits(p.tables[in.a]), in)) goto next;
          break;
        case LOAD_PROBE_I8:
          x.load_i8(p.columns[in.k]);
          goto probe;
        case LOAD_PROBE_I16:
          x.load_i16(p.columns[in.k]);
          goto probe;
        case LOAD_PROBE_I24:
          x.load_i24(p.columns[in.k]);
          goto probe;
        case LOAD_PROBE_I32:
          x.load_i32(p.columns[in.k]);
        probe:
          x.av = Tile<L, R>::ALL;
          if (!x.narrow(x.probe_dense(p.tables[in.a]), in)) goto next;
          break;

          // ---- a thread's own cells
        case OWN_COUNT:
          *x.cell(in.a) += (uint64_t)__popc(in.flags & FLAG_VALID ? x.cur & x.av : x.cur);
          break;
        case OWN_COUNT_TRUTH:
          *x.cell(in.a) += (uint64_t)__popc(x.t & x.cur);
          *x.cell(in.a + 1) += (uint64_t)__popc(x.f & x.cur);
          break;
        case OWN_SUM:
          *x.cell(in.a) += (uint64_t)x.sum(x.cur & x.av);
          if (in.k != 0) x.count_rows();
          break;
        case OWN_MULTIPLY_SUM: {
          typename Tile<L, R>::Operand b = x.operand(in);
          x.join_presence(in);
          uint32_t acts = x.cur & x.av;
          uint64_t total = 0;
          if (in.flags & FLAG_SURE) {
#pragma unroll
            for (int i = 0; i < R; i++) {
              total += (uint64_t)(int64_t)((acts & 1u << i) != 0 ? (L)x.a[i] : (L)0) * (uint64_t)(int64_t)b[i];
            }
          } else {
            bool wrong = false;
#pragma unroll
            for (int i = 0; i < R; i++) {
              bool bad;
              L product = multiply((acts & 1u << i) != 0 ? (L)x.a[i] : (L)0, b[i], bad);  // 0 fails nowhere
              wrong |= bad;
              total += (uint64_t)(int64_t)product;
            }
            x.error |= wrong ? (uint32_t)ERROR_RANGE : 0u;
          }
          *x.cell(in.a) += total;
          if (in.k != 0) x.count_rows();
          break;
        }
        case OWN_WIDE_SUM:  // the lower 32 bits of each value in one word, the upper ones with the sign in the next
          if constexpr (sizeof(L) == 8) {
            uint32_t acts = x.cur & x.av;
            uint64_t low = 0;
            int64_t high = 0;
#pragma unroll
            for (int i = 0; i < R; i++) {
              low += acts >> i & 1u ? (uint64_t)(uint32_t)x.a[i] : 0;
              high += acts >> i & 1u ? (int64_t)x.a[i] >> 32 : 0;
            }
            *x.cell(in.a) += low;
            *x.cell(in.a + 1) += (uint64_t)high;
          }
          break;
        case OWN_BEST: {  // the greatest; with NEGATE the least
          uint32_t acts = x.cur & x.av;
          uint64_t best = *x.cell(in.a);
#pragma unroll
          for (int i = 0; i < R; i++) {
            uint64_t rank = ranked((int64_t)x.a[i], (in.flags & FLAG_NEGATE) != 0);
            best = (acts >> i & 1u) && rank > best ? rank : best;
          }
          *x.cell(in.a) = best;
          break;
        }
        case OWN_BITS: {  // OR; with NEGATE the complements' OR; k = 1: XOR
          uint32_t acts = x.cur & x.av;
          uint64_t bits = *x.cell(in.a);
          uint64_t flip = in.flags & FLAG_NEGATE ? ~0ull : 0ull;
#pragma unroll
          for (int i = 0; i < R; i++) {
            uint64_t value = acts >> i & 1u ? (uint64_t)(int64_t)x.a[i] ^ flip : 0ull;
            bits = in.k == 1 ? bits ^ value : bits | value;
          }
          *x.cell(in.a) = bits;
          break;
        }

          // ---- groups' cells
        case GROUP_COUNT: {
          typename Tile<L, R>::Operand groups = x.operand(in);
          uint32_t acts = x.with_group(p, groups, in.flags & FLAG_VALID ? x.cur & x.av : x.cur);
          if (unsigned long long* common = x.template common_group<!BLOCK>(p, in, groups, acts)) {
            uint32_t rows = warp_sum((uint32_t)__popc(acts));
            if (lane_number() == 0) {
              atomicAdd(common + in.a, (unsigned long long)rows);
            }
            break;
          }
#pragma unroll
          for (int i = 0; i < R; i++) {
            if (acts & 1u << i) {
              unsigned long long* cells = x.group(p, groups, i);
              atomicAdd(cells + in.a, 1ull);
            }
          }
          break;
        }
        case GROUP_COUNT_TRUTH: {
          typename Tile<L, R>::Operand groups = x.operand(in);
          uint32_t acts = x.with_group(p, groups, (x.t | x.f) & x.cur);
#pragma unroll
          for (int i = 0; i < R; i++) {
            if (acts & 1u << i) {
              unsigned long long* cells = x.group(p, groups, i);
              atomicAdd(cells + in.a + (x.f >> i & 1u), 1ull);
            }
          }
          break;
        }
        case GROUP_SUM: {
          typename Tile<L, R>::Operand groups = x.operand(in);
          uint32_t acts = x.with_group(p, groups, x.cur & x.av);
          if (unsigned long long* common = x.template common_group<!BLOCK>(p, in, groups, acts)) {
            uint64_t sum = warp_sum_wide((uint64_t)x.sum(acts));
            if (lane_number() == 0) {
              atomicAdd(common + in.a, (unsigned long long)sum);
            }
            break;
          }
#pragma unroll
          for (int i = 0; i < R; i++) {
            if (acts & 1u << i) {
              unsigned long long* cells = x.group(p, groups, i);
              atomicAdd(cells + in.a, (unsigned long long)(int64_t)x.a[i]);
            }
          }
          break;
        }
        case GROUP_SUM_COUNT: {  // the sum, and the rows in the group's first word
          typename Tile<L, R>::Operand groups = x.operand(in);
          uint32_t acts = x.with_group(p, groups, x.cur & x.av);
          if (unsigned long long* common = x.template common_group<!BLOCK>(p, in, groups, acts)) {
            uint32_t rows = warp_sum((uint32_t)__popc(acts));
            uint64_t sum = warp_sum_wide((uint64_t)x.sum(acts));
            if (lane_number() == 0) {
              atomicAdd(common, (unsigned long long)rows);
              atomicAdd(common + in.a, (unsigned long long)sum);
            }
            break;
          }
#pragma unroll
          for (int i = 0; i < R; i++) {
            if (acts & 1u << i) {
              unsigned long long* cells = x.group(p, groups, i);
              atomicAdd(cells, 1ull);
              atomicAdd(cells + in.a, (unsigned long long)(int64_t)x.a[i]);
            }
          }
          break;
        }
        case GROUP_WIDE_SUM:
          if constexpr (sizeof(L) == 8) {
            typename Tile<L, R>::Operand groups = x.operand(in);
            uint32_t acts = x.with_group(p, groups, x.cur & x.av);
            if (unsigned long long* common = x.template common_group<!BLOCK>(p, in, groups, acts)) {
              uint64_t low = 0, high = 0;
#pragma unroll
              for (int i = 0; i < R; i++) {
                low += acts >> i & 1u ? (uint32_t)x.a[i] : 0u;
                high += acts >> i & 1u ? (uint64_t)((int64_t)x.a[i] >> 32) : 0ull;
              }
              low = warp_sum_wide(low);
              high = warp_sum_wide(high);
              if (lane_number() == 0) {
                atomicAdd(common + in.a, (unsigned long long)low);
                atomicAdd(common + in.a + 1, (unsigned long long)high);
              }
              break;
            }
#pragma unroll
            for (int i = 0; i < R; i++) {
              if (acts & 1u << i) {
                unsigned long long* cells = x.group(p, groups, i);
                atomicAdd(cells + in.a, (unsigned long long)(uint32_t)x.a[i]);
                atomicAdd(cells + in.a + 1, (unsigned long long)((int64_t)x.a[i] >> 32));
              }
            }
          }
          break;
        case GROUP_BEST: {
          typename Tile<L, R>::Operand groups = x.operand(in);
          uint32_t acts = x.with_group(p, groups, x.cur & x.av);
          if (unsigned long long* common = x.template common_group<!BLOCK>(p, in, groups, acts)) {
            uint64_t best = 0;
#pragma unroll
            for (int i = 0; i < R; i++) {
              uint64_t rank = ranked((int64_t)x.a[i], (in.flags & FLAG_NEGATE) != 0);
              best = (acts >> i & 1u) && rank > best ? rank : best;
            }
            best = warp_max_wide(best);
            if (lane_number() == 0) {
              atomicMax(common + in.a, (unsigned long long)best);
            }
            break;
          }
#pragma unroll
          for (int i = 0; i < R; i++) {
            if (acts & 1u << i) {
              unsigned long long* cells = x.group(p, groups, i);
              atomicMax(cells + in.a,
                        (unsigned long long)ranked((int64_t)x.a[i], (in.flags & FLAG_NEGATE) != 0));
            }
          }
          break;
        }
        case NEXT_MATCH: {
          uint32_t more = x.next_rows(p.tables[in.k], in.b, x.mask(in.c));
          if (__any_sync(0xFFFFFFFFu, more != 0)) {
            x.set_mask(in.c, more);
            x.cur = more;
            place = code + in.a * (uint32_t)sizeof(PackedInsn) - sizeof(PackedInsn);
          }
          break;
        }
        case GROUP_BITS: {
          typename Tile<L, R>::Operand groups = x.operand(in);
          uint32_t acts = x.with_group(p, groups, x.cur & x.av);
          unsigned long long flip = in.flags & FLAG_NEGATE ? ~0ull : 0ull;
#pragma unroll
          for (int i = 0; i < R; i++) {
            if (acts & 1u << i) {
              unsigned long long* cells = x.group(p, groups, i);
              unsigned long long value = (unsigned long long)(int64_t)x.a[i] ^ flip;
              if (in.k == 1) {
                atomicXor(cells + in.a, value);
              } else {
                atomicOr(cells + in.a, value);
              }
            }
          }
          break;
        }

          // ---- rows that leave
        case KEEP_ROWS:
          keep_rows(x, p, p.columns[in.k]);
          break;
        case ROW_PLACE:
          row_places(x, p, in.b, (uint64_t)p.constants[in.a], (uint32_t)p.constants[in.k]);
          break;
        case EMIT_8:
        case EMIT_16:
        case EMIT_32:
        case EMIT_64:
        case EMIT_ROW:
        case EMIT_TRUTH:
          emit(x, in, in.op - EMIT_8, (uint32_t)p.constants[in.a], p.columns[in.k]);
          break;

          // ---- groups' cells of the block; elsewhere as what is no opcode
        case BLOCK_SPLIT:
          if constexpr (!BLOCK) goto next;
          if constexpr (BLOCK) block_split(p, x, in);
          break;
        case BLOCK_COUNT:
          if constexpr (!BLOCK) goto next;
          if constexpr (BLOCK) block_count(p, x, in, in.a, in.flags & FLAG_VALID ? x.cur & x.av : (uint32_t)x.cur);
          break;
        case BLOCK_COUNT_TRUTH:
          if constexpr (!BLOCK) goto next;
          if constexpr (BLOCK) {
            block_count(p, x, in, in.a, x.t & x.cur);
            block_count(p, x, in, in.a + 1, x.f & x.cur);
          }
          break;
        case BLOCK_SUM:
          if constexpr (!BLOCK) goto next;
          if constexpr (BLOCK) block_sum<false>(p, x, in);
          break;
        case BLOCK_WIDE_SUM:
          if constexpr (!BLOCK || sizeof(L) == 4) goto next;
          if constexpr (BLOCK && sizeof(L) == 8) block_sum<true>(p, x, in);
          break;
        case BLOCK_BEST:
          if constexpr (!BLOCK) goto next;
          if constexpr (BLOCK) block_best(p, x, in);
          break;
        case BLOCK_BITS:
          if constexpr (!BLOCK) goto next;
          if constexpr (BLOCK) block_bits(p, x, in);
          break;

          // ---- of the full interpreter alone
        case FLOAT_WIDEN:
          if constexpr (FULL) {
#pragma unroll
            for (int i = 0; i < R; i++) x.a[i] = widened((int32_t)x.a[i]);
          }
          break;
        case FLOAT_RANK:
          if constexpr (FULL) {
#pragma unroll
            for (int i = 0; i < R; i++) x.a[i] = ranked64(x.a[i]);
          }
          break;
        case FLOAT_REST:
          if constexpr (FULL) {
            typename Tile<L, R>::Operand b = x.operand(in);
            x.join_presence(in);
            uint32_t wrong = 0;
#pragma unroll 1
            for (int i = 0; i < R; i++) {
              bool bad;
              L* value = x.slot_value(in.a, i);
              *value = product_rest(*value, b[i], bad);
              wrong |= bad ? 1u << i : 0u;
            }
#pragma unroll
            for (int i = 0; i < R; i++) x.a[i] = *x.slot_value(in.a, i);
            x.raise(wrong, ERROR_RANGE);
          }
          break;
        case GROUP_KEY:
          if constexpr (FULL) x.number_keys(p.tables[in.k], in.a);
          break;
        case FLOAT_SUM:
          if constexpr (FULL) float_sum(p, x, in);
          break;
        case HLL_ADD:
          if constexpr (FULL) hll_add(p, x, in);
          break;
        case TEXT_EQUAL:
        case TEXT_LESS:
        case TEXT_LESS_EQUAL:
        case TEXT_LIKE:
        case TEXT_MATCH:
          if constexpr (FULL) test_text(x, in, in.op - TEXT_EQUAL, p);
          break;
        case TEXT_LENGTH:
          if constexpr (FULL) text_lengths(x, in, p);
          break;
        case TEXT_PRESENT:
          if constexpr (FULL) {
            x.load_valid(p.columns[in.k]);
#pragma unroll
            for (int i = 0; i < R; i++) x.a[i] = 0;
          }
          break;
      }
    }
  next:;
  }

  // Own cells come together: in the warp, then one atomic a word.
  for (uint32_t word = 0; word < p.own_words; word++) {
    uint32_t kind = (uint32_t)(p.word_kinds >> (2 * word)) & 3u;
    unsigned long long value = *x.cell(word);
#pragma unroll
    for (uint32_t delta = 16; delta > 0; delta /= 2) {
      unsigned long long other = __shfl_down_sync(0xFFFFFFFFu, value, delta);
      value = kind == REDUCE_ADD   ? value + other
              : kind == REDUCE_MAX ? (other > value ? other : value)
              : kind == REDUCE_OR  ? value | other
                                   : value ^ other;
    }
    if (lane_number() == 0 && value != 0) {
      reduce_to((unsigned long long*)p.cells + word, kind, value);
    }
  }
  if constexpr (BLOCK) block_flush(p);
  if (x.error != 0) {
    atomicOr(&p.status->error, x.error);
  }
}

}  // namespace quarrel

QUARREL_KERNEL(vm_i32, p) { quarrel::run<int32_t, 8, false, false>(p); }
QUARREL_KERNEL(vm_i64, p) { quarrel::run<int64_t, 8, false, false>(p); }
QUARREL_KERNEL(vm_block_i32, p) { quarrel::run<int32_t, 8, true, false>(p); }
QUARREL_KERNEL(vm_block_i64, p) { quarrel::run<int64_t, 8, true, false>(p); }
QUARREL_KERNEL(vm_full, p) { quarrel::run<int64_t, 8, false, true>(p); }
QUARREL_KERNEL(scan_cells, p) { quarrel::scan_cells(p); }
QUARREL_KERNEL(pack_bits, p) { quarrel::pack_bits(p); }
