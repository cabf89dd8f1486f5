package dev.quarrel.core.device;

/// The hash that all devices share for partitions and sketches, so that content can move between them.
///
/// Source: MurmurHash3's 64-bit finaliser (Austin Appleby, public domain).
public final class KeyHash {
    /// The hash of a NULL key.
    public static final long NULL = 0x9E37_79B9_7F4A_7C15L;

    private KeyHash() {}

    /// Of integers, dates, timestamps (sign-extended), and the bits of a float64 (-0 as 0, one NaN).
    public static long of(long value) {
        long hash = value;
        hash = (hash ^ hash >>> 33) * 0xFF51_AFD7_ED55_8CCDL;
        hash = (hash ^ hash >>> 33) * 0xC4CE_B9FE_1A85_EC53L;
        return hash ^ hash >>> 33;
    }

    /// Of a key of several columns: the hash so far and the next column's.
    public static long combine(long hash, long next) {
        return of(hash * 31 + next);
    }
}
