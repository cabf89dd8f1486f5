// What a launch is given: one block of at most 4 KB, so that it lies in the constant bank. Java's ParameterBlock
// writes it by the same offsets; a test compares them with those of the compiler.
#pragma once
#include <stddef.h>
#include <stdint.h>

namespace quarrel {

enum : uint32_t { MAX_COLUMNS = 32, MAX_TABLES = 16, MAX_CONSTANTS = 56, INLINE_CODE = 160 };

// Rows that a column's buffers are padded to: no load of a tile's end leaves them.
enum : uint32_t { PADDED_ROWS = 256 };

struct PackedInsn {
  uint16_t op;
  uint8_t flags;  // FLAG_...
  uint8_t k;      // number of a column, table or field
  uint32_t a, b, c;
};

enum : uint32_t {
  FLAG_IMMEDIATE = 1,  // operand b is a constant: the same for all rows; loads: a constant is added
  FLAG_SKIP = 2,       // a warp without rows goes to its next tile; BLOCK_...: all rows that were split act
  FLAG_NULLABLE = 4,   // loads: validity comes from the column; otherwise every row is present
  FLAG_MASKED = 8,     // operand b is present in the rows of mask slot c alone; results too
  FLAG_NEGATE = 16,    // predicates: true and false change places
  FLAG_VALID = 32,     // LD, ST: validity goes with the values, by mask slot c
  FLAG_SURE = 64,      // arithmetic: no result of a row that is present is out of range
  FLAG_CLUSTERED = 128,  // GROUP_...: most rows of a tile are of one group
};

struct ColumnRef {
  const void* data;
  const uint32_t* valid;  // one bit a row, or null
};

struct TableRef {
  const void* data;
  uint64_t size;  // entries
  int64_t base;   // the key of entry 0
};

struct Status {
  uint32_t error;  // ERROR_...: any of them voids the launch
  uint32_t unused;
};

enum : uint32_t { ERROR_RANGE = 1, ERROR_DIVISION = 2, ERROR_GROUP = 4, ERROR_OTHER = 8 };

struct Params {
  uint64_t row_count;   // below 2^31
  const PackedInsn* code;  // code that does not fit below
  uint64_t* cells;      // groups * cell_words; zero at first
  uint64_t group_count;
  Status* status;
  uint64_t word_kinds;  // two bits a word of a group without keys: REDUCE_...
  uint32_t cell_words;
  uint32_t warp_base;   // bytes of shared memory before the warps' slots
  uint32_t warp_bytes;  // of a warp: its value slots, then
  uint32_t mask_base;   // its mask slots, and
  uint32_t cell_base;   // its threads' own cells
  uint32_t code_base;   // bytes of shared memory before the code; constants are the first there
  uint32_t code_count;  // instructions
  uint32_t constant_count;
  uint32_t own_words;   // cells that each thread has for itself: cell_words without keys, otherwise 0
  uint32_t block_base;  // bytes of shared memory before the groups' cells that a block has for itself:
  uint32_t block_words; // so many words of each group, the first ones
  uint32_t block_pairs; // a bit a word: it and the next are one number
  ColumnRef columns[MAX_COLUMNS];
  TableRef tables[MAX_TABLES];
  int64_t constants[MAX_CONSTANTS];
  PackedInsn inline_code[INLINE_CODE];
};

enum : uint32_t { REDUCE_ADD = 0, REDUCE_MAX = 1, REDUCE_OR = 2, REDUCE_XOR = 3 };

static_assert(sizeof(PackedInsn) == 16, "");
static_assert(sizeof(Params) <= 4096, "the parameters of a kernel");

}  // namespace quarrel
