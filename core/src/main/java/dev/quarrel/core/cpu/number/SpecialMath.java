package dev.quarrel.core.cpu.number;

import dev.quarrel.core.type.SpecialNumeric;

/// Arithmetic of numerics of which one at least is NaN or infinite: as POSIX has it for floats, but that a division by
/// zero is an error. In the form of [NumericMath].
///
/// - Errors: 22012 for a zero divisor, unless the dividend is NaN.
/// - Source: PostgreSQL's `numeric.c`.
final class SpecialMath {
    private SpecialMath() {}

    static int add(long lowA, int scaleA, long lowB, int scaleB, WideNumber result) {
        SpecialNumeric a = SpecialNumeric.orNull(lowA, scaleA);
        SpecialNumeric b = SpecialNumeric.orNull(lowB, scaleB);
        return special(a == null || a == b ? b : b == null ? a : SpecialNumeric.NAN, result);
    }

    static int multiply(long highA, long lowA, long highB, long lowB, WideNumber result) {
        // Nothing times infinity is NaN, and NaN's own sign is 0.
        int sign = sign(highA, lowA) * sign(highB, lowB);
        return special(sign == 0 ? SpecialNumeric.NAN : SpecialNumeric.ofSign(sign), result);
    }

    static int divide(long highA, long lowA, int scaleA, long highB, long lowB, int scaleB, WideNumber result) {
        SpecialNumeric a = SpecialNumeric.orNull(lowA, scaleA);
        SpecialNumeric b = SpecialNumeric.orNull(lowB, scaleB);
        if (a == SpecialNumeric.NAN || b == SpecialNumeric.NAN || a != null && b != null) {
            return special(SpecialNumeric.NAN, result);
        }
        if (a == null) {
            result.set(0, 0);
            return 0;
        }
        return special(SpecialNumeric.ofSign(a.sign() * divisorSign(highB, lowB)), result);
    }

    static int remainder(long highA, long lowA, int scaleA, long highB, long lowB, int scaleB, WideNumber result) {
        SpecialNumeric a = SpecialNumeric.orNull(lowA, scaleA);
        SpecialNumeric b = SpecialNumeric.orNull(lowB, scaleB);
        if (a == SpecialNumeric.NAN || b == SpecialNumeric.NAN) {
            return special(SpecialNumeric.NAN, result);
        }
        if (a == null) {
            result.set(highA, lowA);
            return scaleA;
        }
        divisorSign(highB, lowB);
        return special(SpecialNumeric.NAN, result);
    }

    /// The value itself.
    static int same(long low, WideNumber result) {
        return special(SpecialNumeric.of(low), result);
    }

    private static int special(SpecialNumeric value, WideNumber result) {
        result.set(value.high(), value.low());
        return SpecialNumeric.SCALE;
    }

    private static int divisorSign(long high, long low) {
        if ((high | low) == 0) {
            throw RowErrors.divisionByZero();
        }
        return sign(high, low);
    }

    /// The sign of a number or of a special value.
    private static int sign(long high, long low) {
        return high != 0 ? high < 0 ? -1 : 1 : low == 0 ? 0 : 1;
    }
}
