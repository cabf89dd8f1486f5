package dev.quarrel.core.cpu.number;

/// Converts floats to integers: for keys, which compare for equality, and for order.
public final class FloatBits {
    private FloatBits() {}

    /// The bits of a value, -0 as 0 and every NaN as one: equal iff PostgreSQL says equal. A float32 widens exactly.
    public static long canonical(double value) {
        return value == 0 ? 0 : Double.doubleToLongBits(value);
    }

    /// A number that orders as PostgreSQL orders the value: NaN greatest, -0 = 0.
    public static long ordered(double value) {
        long bits = canonical(value);
        return bits ^ bits >> 63 & Long.MAX_VALUE;
    }
}
