package dev.quarrel.samples.ssb;

/// Random numbers by position: the n-th number of a stream is a pure function of seed, stream and n, so that any
/// thread can make any row.
///
/// - Source: SplitMix64 (Steele, Lea and Flood 2014): its output function over a Weyl sequence.
final class CounterRandom {
    private static final long GOLDEN_GAMMA = 0x9E37_79B9_7F4A_7C15L;

    private final long key;

    /// @param stream tells streams of one seed apart, such as a table's and a column's name
    CounterRandom(long seed, String stream) {
        long mixed = mix(seed + GOLDEN_GAMMA);
        for (int index = 0; index < stream.length(); index++) {
            mixed = mix(mixed ^ (stream.charAt(index) + 1) * GOLDEN_GAMMA);
        }
        this.key = mixed;
    }

    long bits(long index) {
        return mix(key + index * GOLDEN_GAMMA);
    }

    /// Uniform over [`low`, `high`], with a bias below 2⁻³² · (`high` - `low`).
    int between(long index, int low, int high) {
        long range = (long) high - low + 1;
        return (int) (low + ((bits(index) >>> 32) * range >>> 32));
    }

    private static long mix(long value) {
        long mixed = (value ^ value >>> 30) * 0xBF58_476D_1CE4_E5B9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94D0_49BB_1331_11EBL;
        return mixed ^ mixed >>> 31;
    }
}
