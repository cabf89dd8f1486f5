package dev.quarrel.core.type;

import java.math.BigDecimal;
import java.math.RoundingMode;

/// Display scales that PostgreSQL gives to results of numerics.
///
/// - Source: PostgreSQL's `numeric.c`.
public final class NumericScales {
    private static final int MIN_SIGNIFICANT_DIGITS = 16;
    private static final int MAX_DISPLAY_SCALE = 1000;
    private static final int DIGITS_PER_WORD = 4;

    private NumericScales() {}

    /// The display scale of `a / b`, which PostgreSQL's `select_div_scale` chooses.
    ///
    /// @param b not 0
    public static int ofQuotient(BigDecimal a, BigDecimal b) {
        int weightA = weight(a);
        int weightB = weight(b);
        boolean borrows = firstWord(a, weightA) <= firstWord(b, weightB);
        int scale = MIN_SIGNIFICANT_DIGITS - (weightA - weightB - (borrows ? 1 : 0)) * DIGITS_PER_WORD;
        return Math.min(Math.max(Math.max(scale, a.scale()), Math.max(b.scale(), 0)), MAX_DISPLAY_SCALE);
    }

    /// The place of the first word of four digits: 0 for the one before the point, and for zero.
    private static int weight(BigDecimal value) {
        return value.signum() == 0 ? 0 : Math.floorDiv(value.precision() - 1 - value.scale(), DIGITS_PER_WORD);
    }

    private static long firstWord(BigDecimal value, int weight) {
        return value.abs()
                .movePointLeft(weight * DIGITS_PER_WORD)
                .setScale(0, RoundingMode.DOWN)
                .longValue();
    }
}
