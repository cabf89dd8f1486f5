package dev.quarrel.samples.ssb;

/// The amount and the seed of the data: everything that rows depend on.
///
/// Below scale factor 1 the dimensions shrink with it, but not below sizes at which the 13 queries still find
/// rows.
///
/// @param scaleFactor greater than 0, at most [#MAX_SCALE_FACTOR], beyond which order keys would not fit an
///     integer
/// @param seed any value; the same (scale factor, seed) always gives the same rows
public record SsbScale(double scaleFactor, long seed) {
    public static final double MAX_SCALE_FACTOR = 300;
    public static final long DEFAULT_SEED = 20_090_605;

    /// Days from 1992-01-01 on, as ssb-dbgen makes them: it stops at 1998-12-30.
    static final int DATE_COUNT = 2_556;

    public SsbScale {
        if (!(scaleFactor > 0) || scaleFactor > MAX_SCALE_FACTOR) {
            throw new IllegalArgumentException(
                    "scale factor " + scaleFactor + " is not within 0 (exclusive) and " + MAX_SCALE_FACTOR);
        }
    }

    public SsbScale(double scaleFactor) {
        this(scaleFactor, DEFAULT_SEED);
    }

    /// Orders; each has 1 to 7 rows in `lineorder`, 4 on average.
    public long orderCount() {
        return Math.max(1, Math.round(1_500_000 * scaleFactor));
    }

    public int customerCount() {
        return Math.toIntExact(Math.max(1_000, Math.round(30_000 * scaleFactor)));
    }

    public int supplierCount() {
        return Math.toIntExact(Math.max(200, Math.round(2_000 * scaleFactor)));
    }

    public int partCount() {
        double factor = scaleFactor < 1 ? scaleFactor : Math.floor(1 + Math.log(scaleFactor) / Math.log(2));
        return Math.toIntExact(Math.max(2_000, Math.round(200_000 * factor)));
    }
}
