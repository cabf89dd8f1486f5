package dev.quarrel.core.device;

/// A set of integers that says yes for each of them, and for few others: a word a value, of which four bits tell.
///
/// Source: register-blocked Bloom filters; Putze, Sanders, Singler, "Cache-, Hash- and Space-Efficient Bloom Filters".
public final class KeyBloom {
    /// Values a word: with four bits each some two of a hundred others pass.
    private static final int WORD_VALUES = 4;

    private final long[] words;
    private final int shift; // of a hash, to a word's place

    /// @param count of values that will come
    public KeyBloom(int count) {
        words = new long[words(count)];
        shift = Long.SIZE - Integer.numberOfTrailingZeros(words.length);
    }

    /// Bytes that a filter of so many values takes.
    public static long bytes(int count) {
        return words(count) * 8L;
    }

    private static int words(int count) {
        int words = 2;
        while (words < count / WORD_VALUES) {
            words *= 2;
        }
        return words;
    }

    public void add(long value) {
        long hash = KeyHash.of(value);
        words[(int) (hash >>> shift)] |= bits(hash);
    }

    /// Whether the value may be among those added.
    public boolean mayHold(long value) {
        long hash = KeyHash.of(value);
        long bits = bits(hash);
        return (words[(int) (hash >>> shift)] & bits) == bits;
    }

    /// Four bits, by the lower bits of a hash.
    private static long bits(long hash) {
        return 1L << hash | 1L << (hash >>> 6) | 1L << (hash >>> 12) | 1L << (hash >>> 18);
    }
}
