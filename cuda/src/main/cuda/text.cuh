// Conditions on text that has no dictionary. Its column has a record for each tile of 256 rows: the address of the tile's
// first byte, a word that is unused, one that is 0, and where each text ends, counted from the first byte.
//
// A lane looks at one text after another, eight bytes at a time; the warp searches in long ones together. Behind the
// bytes of a column are 16 that may be read.
#pragma once
#include "tile.cuh"

namespace quarrel {

enum : uint32_t { TEXT_RECORD_WORDS = 260, TEXT_HEADER_WORDS = 4 };
enum : uint32_t { LONG_TEXT = 128, NOT_FOUND = ~0u };
// Bytes that are in no text: in a pattern `%` and `_`.
enum : uint32_t { ANY_RUN = 0xFE, ANY_CHARACTER = 0xFF };
enum : uint32_t { TEXT_IS_ONE_OF, TEXT_IS_LESS, TEXT_IS_AT_MOST, TEXT_IS_LIKE, TEXT_MATCHES };

struct Text {
  const uint8_t* bytes;
  uint32_t length;
};

// What texts are compared with: how many there are, and of each where it begins (upper 32 bits, in words) and its bytes'
// number; then their bytes, from a word on.
struct Texts {
  const uint64_t* words;

  QUARREL_DEVICE uint32_t count() const { return (uint32_t)__ldg(words); }
  QUARREL_DEVICE uint32_t length(uint32_t number) const { return (uint32_t)__ldg(words + 1 + number); }
  QUARREL_DEVICE const uint64_t* at(uint32_t number) const { return words + (__ldg(words + 1 + number) >> 32); }
};

// Eight bytes, from any place on.
QUARREL_DEVICE uint64_t text_word(const uint8_t* place) {
  const uint64_t* words = (const uint64_t*)((uintptr_t)place & ~(uintptr_t)7);
  uint32_t shift = (uint32_t)((uintptr_t)place & 7) * 8;
  return __ldg(words) >> shift | __ldg(words + 1) << 1 << (63 - shift);
}

// Where two words differ, of whose bytes `rest` count.
QUARREL_DEVICE uint64_t differing(uint64_t word, uint64_t other, uint32_t rest) {
  uint64_t bits = word ^ other;
  return rest < 8 ? bits & ~(~0ull << 8 * rest) : bits;
}

QUARREL_DEVICE bool same_text(const uint8_t* text, const uint64_t* other, uint32_t count) {
#pragma unroll 1
  for (uint32_t at = 0; at < count; at += 8) {
    if (differing(text_word(text + at), __ldg(other + at / 8), count - at) != 0) return false;
  }
  return true;
}

// The order of their bytes: below, at or above 0.
QUARREL_DEVICE int text_order(Text text, const uint64_t* other, uint32_t count) {
  uint32_t both = text.length < count ? text.length : count;
#pragma unroll 1
  for (uint32_t at = 0; at < both; at += 8) {
    uint64_t word = text_word(text.bytes + at), against = __ldg(other + at / 8);
    uint64_t bits = differing(word, against, both - at);
    if (bits != 0) {
      uint32_t shift = (uint32_t)(__ffsll((long long)bits) - 1) & ~7u;
      return (int)(word >> shift & 255u) - (int)(against >> shift & 255u);
    }
  }
  return text.length < count ? -1 : text.length > count ? 1 : 0;
}

// Whether it is one of several, which ascend by length and then by their bytes.
QUARREL_DEVICE bool text_is_one_of(Text text, const Texts& others) {
  uint32_t low = 0, high = others.count();
#pragma unroll 1
  while (low < high) {
    uint32_t middle = (low + high) / 2, length = others.length(middle);
    int order = text.length < length   ? -1
                : text.length > length ? 1
                                       : text_order(text, others.at(middle), length);
    if (order == 0) return true;
    if (order < 0) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return false;
}

// Where bytes stand first that begin at `at` to `at` + 7, and at `last` at most.
QUARREL_DEVICE uint32_t find_near(const uint8_t* text, uint32_t at, uint32_t last, const uint64_t* other,
                                  uint32_t count) {
  constexpr uint64_t ONES = 0x0101010101010101ull;
  uint64_t bits = text_word(text + at) ^ (__ldg(other) & 255u) * ONES;
  // A 1 for each byte that is 0, the lowest of them at least.
  uint64_t hits = (bits - ONES) & ~bits & ONES << 7;
#pragma unroll 1
  for (; hits != 0; hits &= hits - 1) {
    uint32_t place = at + (uint32_t)(__ffsll((long long)hits) - 1) / 8;
    if (place > last) break;
    if (same_text(text + place, other, count)) return place;
  }
  return NOT_FOUND;
}

// Where bytes stand first in text[from, end). WARP: all lanes look for the same, and meet.
template <bool WARP>
QUARREL_DEVICE uint32_t find_text(const uint8_t* text, uint32_t from, uint32_t end, const uint64_t* other,
                                  uint32_t count) {
  if (count == 0) return from;
  if (end - from < count) return NOT_FOUND;
  uint32_t last = end - count;
#pragma unroll 1
  for (uint32_t at = from; at <= last; at += WARP ? 256 : 8) {
    if constexpr (WARP) {
      uint32_t own = at + 8 * lane_number();
      uint32_t place = own <= last ? find_near(text, own, last, other, count) : NOT_FOUND;
      uint32_t found = __ballot_sync(0xFFFFFFFFu, place != NOT_FOUND);
      if (found != 0) return __shfl_sync(0xFFFFFFFFu, place, __ffs((int)found) - 1);
    } else {
      uint32_t place = find_near(text, at, last, other, count);
      if (place != NOT_FOUND) return place;
    }
  }
  return NOT_FOUND;
}

// Whether it begins with the first of some texts and ends with the last, and the others stand between in their order.
// One alone is all of it.
template <bool WARP>
QUARREL_DEVICE bool text_like(Text text, const Texts& segments) {
  uint32_t last = segments.count() - 1, head = segments.length(0);
  if (last == 0) return text.length == head && same_text(text.bytes, segments.at(0), head);
  uint32_t tail = segments.length(last);
  if (text.length < head || text.length - head < tail || !same_text(text.bytes, segments.at(0), head) ||
      !same_text(text.bytes + (text.length - tail), segments.at(last), tail)) {
    return false;
  }
  uint32_t from = head;
#pragma unroll 1
  for (uint32_t number = 1; number < last; number++) {
    uint32_t size = segments.length(number);
    from = find_text<WARP>(text.bytes, from, text.length - tail, segments.at(number), size);
    if (from == NOT_FOUND) return false;
    from += size;
  }
  return true;
}

// Bytes of the character that begins so.
QUARREL_INLINE uint32_t character_bytes(uint32_t first) {
  return first < 0x80u ? 1 : (first & 0xE0u) == 0xC0u ? 2 : (first & 0xF0u) == 0xE0u ? 3 : 4;
}

QUARREL_INLINE uint32_t lower_letter(uint32_t byte) { return byte - 'A' < 26u ? byte + 32 : byte; }

// Whether a pattern matches, byte by byte: what does not goes back to the last run. As the CPU's LikeMatcher does, step by
// step.
QUARREL_DEVICE bool text_matches(Text text, const uint8_t* pattern, uint32_t count, bool ignores_case) {
  uint32_t at = 0, token = 0, retry = NOT_FOUND, retry_at = 0;
#pragma unroll 1
  while (at < text.length) {
    uint32_t wanted = token < count ? __ldg(pattern + token) : 256u;
    uint32_t byte = __ldg(text.bytes + at);
    if (wanted == ANY_RUN) {
#pragma unroll 1
      for (; token < count && (wanted = __ldg(pattern + token)) >= ANY_RUN; token++) {
        if (wanted == ANY_CHARACTER) {
          if (at >= text.length) return false;
          at += character_bytes(__ldg(text.bytes + at));
        }
      }
      if (token == count) return true;
      retry = token;
      retry_at = at;
    } else if (wanted == ANY_CHARACTER) {
      at += character_bytes(byte);
      token++;
    } else if (wanted == (ignores_case ? lower_letter(byte) : byte)) {
      at++;
      token++;
    } else if (retry != NOT_FOUND) {
      retry_at += character_bytes(__ldg(text.bytes + retry_at));
      at = retry_at;
      token = retry;
    } else {
      return false;
    }
  }
  while (token < count && __ldg(pattern + token) == ANY_RUN) token++;
  return token == count;
}

// Bytes that begin a character.
QUARREL_DEVICE uint32_t text_characters(Text text) {
  uint32_t others = 0;
#pragma unroll 1
  for (uint32_t at = 0; at < text.length; at += 8) {
    uint64_t word = text_word(text.bytes + at), rest = text.length - at;
    word = rest < 8 ? word & ~(~0ull << 8 * rest) : word;
    others += (uint32_t)__popcll(word & ~(word << 1) & 0x8080808080808080ull);
  }
  return text.length - others;
}

// The texts of a thread's rows.
struct TextColumn {
  const uint32_t* record;
  uint32_t first;  // row of it

  QUARREL_DEVICE TextColumn(const ColumnRef& column, uint32_t row)
      : record((const uint32_t*)column.data + (uint64_t)(row >> 8) * TEXT_RECORD_WORDS), first(row & 255u) {}

  QUARREL_DEVICE Text operator[](int i) const {
    const uint32_t* end = record + TEXT_HEADER_WORDS + first + (uint32_t)i / 4 * 128 + (uint32_t)i % 4;
    uint32_t begin = __ldg(end - 1);
    return {(const uint8_t*)__ldg((const uint64_t*)record) + begin, __ldg(end) - begin};
  }
};

// Truth: how the texts of column k compare with those of table a. Nothing is in hand then, which leaves registers; lanes
// meet.
template <class L, int R>
QUARREL_DEVICE void test_text(Tile<L, R>& x, const Insn& in, uint32_t relation, const Params& p) {
  x.load_valid(p.columns[in.k]);
  TextColumn column(p.columns[in.k], x.row);
  Texts others = {(const uint64_t*)p.tables[in.a].data};
  uint32_t acts = x.cur & x.av, holds = 0;
#pragma unroll 1
  for (int i = 0; i < R; i++) {
    bool is_current = (acts >> i & 1u) != 0, found = false;
    Text text = {nullptr, 0};
    if (is_current) text = column[i];
    if (relation == TEXT_IS_LIKE) {
      bool is_long = text.length > LONG_TEXT;
      if (is_current && !is_long) found = text_like<false>(text, others);
#pragma unroll 1
      for (uint32_t waiting = __ballot_sync(0xFFFFFFFFu, is_long); waiting != 0; waiting &= waiting - 1) {
        int lane = __ffs((int)waiting) - 1;
        Text one;
        one.bytes = (const uint8_t*)__shfl_sync(0xFFFFFFFFu, (unsigned long long)text.bytes, lane);
        one.length = __shfl_sync(0xFFFFFFFFu, text.length, lane);
        bool is_like = text_like<true>(one, others);
        found = lane == (int)lane_number() ? is_like : found;
      }
    } else if (is_current) {
      if (relation == TEXT_IS_ONE_OF) {
        found = text_is_one_of(text, others);
      } else if (relation == TEXT_MATCHES) {
        found = text_matches(text, (const uint8_t*)others.at(0), others.length(0), (in.flags & FLAG_VALID) != 0);
      } else {
        found = text_order(text, others.at(0), others.length(0)) < (relation == TEXT_IS_AT_MOST ? 1 : 0);
      }
    }
    holds |= found ? 1u << i : 0u;
  }
#pragma unroll
  for (int i = 0; i < R; i++) x.a[i] = 0;
  x.truth(holds, in);
}

// Characters of the texts of column k, with NEGATE bytes, by way of slot a.
template <class L, int R>
QUARREL_DEVICE void text_lengths(Tile<L, R>& x, const Insn& in, const Params& p) {
  x.load_valid(p.columns[in.k]);
  TextColumn column(p.columns[in.k], x.row);
  uint32_t acts = x.cur & x.av;
#pragma unroll 1
  for (int i = 0; i < R; i++) {
    uint32_t length = 0;
    if (acts >> i & 1u) {
      Text text = column[i];
      length = in.flags & FLAG_NEGATE ? text.length : text_characters(text);
    }
    *x.slot_value(in.a, i) = (L)length;
  }
#pragma unroll
  for (int i = 0; i < R; i++) x.a[i] = *x.slot_value(in.a, i);
}

}  // namespace quarrel
