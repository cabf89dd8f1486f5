// What an opcode leaves for the next one: values in hand, masks, places in shared memory. On a device these are variables of
// PTX and not of C++: where a compiler sees values go round one loop through all opcodes, it copies them about, twice an
// instruction of the interpreter.
#pragma once
#include "platform.cuh"

namespace quarrel {

#ifdef __CUDACC__

// At the start of a kernel.
template <class L>
QUARREL_DEVICE void declare_hand() {
  if constexpr (sizeof(L) == 4) {
    asm volatile(".reg .b32 quarrel_hand<8>;");
  } else {
    asm volatile(".reg .b64 quarrel_hand<8>;");
  }
  asm volatile(".reg .b32 quarrel_word<8>;");
}

#define QUARREL_HAND_REGISTER(number)                                           \
  QUARREL_DEVICE void get_hand##number(int32_t& value) {                        \
    asm volatile("mov.b32 %0, quarrel_hand" #number ";" : "=r"(value));         \
  }                                                                             \
  QUARREL_DEVICE void get_hand##number(int64_t& value) {                        \
    asm volatile("mov.b64 %0, quarrel_hand" #number ";" : "=l"(value));         \
  }                                                                             \
  QUARREL_DEVICE void set_hand##number(int32_t value) {                         \
    asm volatile("mov.b32 quarrel_hand" #number ", %0;" : : "r"(value));        \
  }                                                                             \
  QUARREL_DEVICE void set_hand##number(int64_t value) {                         \
    asm volatile("mov.b64 quarrel_hand" #number ", %0;" : : "l"(value));        \
  }                                                                             \
  template <>                                                                   \
  struct WordRegister<number> {                                                 \
    static QUARREL_DEVICE uint32_t get() {                                      \
      uint32_t value;                                                           \
      asm volatile("mov.b32 %0, quarrel_word" #number ";" : "=r"(value));       \
      return value;                                                             \
    }                                                                           \
    static QUARREL_DEVICE void set(uint32_t value) {                            \
      asm volatile("mov.b32 quarrel_word" #number ", %0;" : : "r"(value));      \
    }                                                                           \
  };

template <int NUMBER>
struct WordRegister;
QUARREL_HAND_REGISTER(0)
QUARREL_HAND_REGISTER(1)
QUARREL_HAND_REGISTER(2)
QUARREL_HAND_REGISTER(3)
QUARREL_HAND_REGISTER(4)
QUARREL_HAND_REGISTER(5)
QUARREL_HAND_REGISTER(6)
QUARREL_HAND_REGISTER(7)

// The value of a row; its number is a constant wherever loops are unrolled.
template <class L>
struct HandValue {
  int row;

  QUARREL_DEVICE operator L() const {
    L value;
    switch (row) {
      case 0: get_hand0(value); break;
      case 1: get_hand1(value); break;
      case 2: get_hand2(value); break;
      case 3: get_hand3(value); break;
      case 4: get_hand4(value); break;
      case 5: get_hand5(value); break;
      case 6: get_hand6(value); break;
      default: get_hand7(value); break;
    }
    return value;
  }

  QUARREL_DEVICE void operator=(L value) const {
    switch (row) {
      case 0: set_hand0(value); break;
      case 1: set_hand1(value); break;
      case 2: set_hand2(value); break;
      case 3: set_hand3(value); break;
      case 4: set_hand4(value); break;
      case 5: set_hand5(value); break;
      case 6: set_hand6(value); break;
      default: set_hand7(value); break;
    }
  }
  QUARREL_DEVICE void operator=(const HandValue& other) const { *this = (L)other; }
  QUARREL_DEVICE void operator^=(L bits) const { *this = (L)*this ^ bits; }
  QUARREL_DEVICE void operator&=(L bits) const { *this = (L)*this & bits; }
};

template <class L, int R>
struct Hand {
  static_assert(R == 8, "there are eight registers");
  QUARREL_DEVICE HandValue<L> operator[](int row) const { return {row}; }
};

template <int NUMBER>
struct Word {
  QUARREL_DEVICE operator uint32_t() const { return WordRegister<NUMBER>::get(); }
  QUARREL_DEVICE void operator=(uint32_t value) { WordRegister<NUMBER>::set(value); }
  QUARREL_DEVICE void operator=(const Word& other) { *this = (uint32_t)other; }
  QUARREL_DEVICE void operator&=(uint32_t bits) { *this = *this & bits; }
  QUARREL_DEVICE void operator|=(uint32_t bits) { *this = *this | bits; }
};

#else

template <class L>
void declare_hand() {}

template <class L, int R>
struct Hand {
  L values[R];
  L& operator[](int row) { return values[row]; }
  L operator[](int row) const { return values[row]; }
};

template <int NUMBER>
struct Word {
  uint32_t value;
  operator uint32_t() const { return value; }
  void operator=(uint32_t other) { value = other; }
  void operator&=(uint32_t bits) { value &= bits; }
  void operator|=(uint32_t bits) { value |= bits; }
};

#endif

// 16 bytes of shared memory by one instruction: where a compiler does not see that they are aligned, it takes four.
QUARREL_DEVICE uint4 load_shared(const char* place) {
#ifdef __CUDACC__
  uint4 words;
  asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
               : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w)
               : "r"((uint32_t)__cvta_generic_to_shared(place))
               : "memory");
  return words;
#else
  return *(const uint4*)place;
#endif
}

// A place in shared memory.
template <int NUMBER>
struct Place {
  Word<NUMBER> bytes;
  QUARREL_DEVICE char* operator+(uint32_t more) const { return shared_memory() + ((uint32_t)bytes + more); }
};

}  // namespace quarrel
