package dev.quarrel.core.cpu.expr;

import dev.quarrel.core.cpu.number.RowErrors;
import dev.quarrel.core.cpu.tile.LongVector;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.ir.Arithmetic;

/// Arithmetic of Int64: as [Int32Arithmetic], dense loops first, then a look at each row if one of them overflowed.
final class Int64Arithmetic {
    private Int64Arithmetic() {}

    static void binary(Arithmetic operation, LongVector a, LongVector b, LongVector result, Mask rows) {
        result.intersectValidity(a, b, rows.wordCount());
        long[] x = a.values();
        long[] y = b.values();
        long[] out = result.values();
        boolean dense = !rows.isSparse();
        boolean suspect =
                switch (operation) {
                    case ADD -> !dense || add(x, y, out, rows.rowCount());
                    case SUB -> !dense || subtract(x, y, out, rows.rowCount());
                    case MUL -> !dense || multiply(x, y, out, rows.rowCount());
                    default -> true;
                };
        if (suspect) {
            checked(operation, x, y, result, rows);
        }
    }

    private static boolean add(long[] x, long[] y, long[] out, int count) {
        long overflow = 0;
        for (int row = 0; row < count; row++) {
            long sum = x[row] + y[row];
            overflow |= (x[row] ^ sum) & (y[row] ^ sum);
            out[row] = sum;
        }
        return overflow < 0;
    }

    private static boolean subtract(long[] x, long[] y, long[] out, int count) {
        long overflow = 0;
        for (int row = 0; row < count; row++) {
            long difference = x[row] - y[row];
            overflow |= (x[row] ^ y[row]) & (x[row] ^ difference);
            out[row] = difference;
        }
        return overflow < 0;
    }

    private static boolean multiply(long[] x, long[] y, long[] out, int count) {
        long overflow = 0;
        for (int row = 0; row < count; row++) {
            long product = x[row] * y[row];
            overflow |= Math.multiplyHigh(x[row], y[row]) ^ product >> 63;
            out[row] = product;
        }
        return overflow != 0;
    }

    private static void checked(Arithmetic operation, long[] x, long[] y, LongVector result, Mask rows) {
        long[] out = result.values();
        int[] indexes = rows.indexes();
        int count = rows.count();
        for (int index = 0; index < count; index++) {
            int row = indexes[index];
            if (result.isPresent(row)) {
                out[row] = checked(operation, x[row], y[row]);
            }
        }
    }

    private static long checked(Arithmetic operation, long x, long y) {
        long value;
        boolean overflows;
        switch (operation) {
            case ADD -> {
                value = x + y;
                overflows = ((x ^ value) & (y ^ value)) < 0;
            }
            case SUB -> {
                value = x - y;
                overflows = ((x ^ y) & (x ^ value)) < 0;
            }
            case MUL -> {
                value = x * y;
                overflows = Math.multiplyHigh(x, y) != value >> 63;
            }
            case DIV -> {
                value = x / nonZero(y);
                overflows = x == Long.MIN_VALUE && y == -1;
            }
            case MOD -> {
                value = x % nonZero(y);
                overflows = false;
            }
            default -> throw new IllegalArgumentException(operation.name());
        }
        if (overflows) {
            throw RowErrors.outOfRange("bigint");
        }
        return value;
    }

    private static long nonZero(long divisor) {
        if (divisor == 0) {
            throw RowErrors.divisionByZero();
        }
        return divisor;
    }

    /// @param absolute |x| instead of -x
    static void negate(boolean absolute, LongVector a, LongVector result, Mask rows) {
        result.copyValidity(a, rows.wordCount());
        long[] x = a.values();
        long[] out = result.values();
        int count = rows.rowCount();
        long found = 0;
        for (int row = 0; row < count; row++) {
            long value = x[row];
            found |= value & -value & Long.MIN_VALUE;
            out[row] = absolute ? Math.abs(value) : -value;
        }
        if (found != 0) {
            int[] indexes = rows.indexes();
            for (int index = 0; index < rows.count(); index++) {
                if (x[indexes[index]] == Long.MIN_VALUE && result.isPresent(indexes[index])) {
                    throw RowErrors.outOfRange("bigint");
                }
            }
        }
    }
}
