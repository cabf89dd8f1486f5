package dev.quarrel.core.cpu.expr;

import dev.quarrel.core.cpu.number.RowErrors;
import dev.quarrel.core.cpu.tile.IntVector;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.ir.Arithmetic;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;

/// Arithmetic of Int16 and Int32, both held as `int`.
///
/// Dense loops compute every row, selected or not, and gather overflow in one word; only if some row overflowed
/// is each selected, present row looked at.
final class Int32Arithmetic {
    private Int32Arithmetic() {}

    static void binary(Arithmetic operation, IntVector a, IntVector b, IntVector result, Mask rows) {
        result.intersectValidity(a, b, rows.wordCount());
        boolean small = result.type() instanceof DataType.Int16;
        int[] x = a.values();
        int[] y = b.values();
        int[] out = result.values();
        boolean dense = !rows.isSparse();
        boolean suspect =
                switch (operation) {
                    case ADD -> !dense || add(x, y, out, rows.rowCount(), small);
                    case SUB -> !dense || subtract(x, y, out, rows.rowCount(), small);
                    case MUL -> !dense || multiply(x, y, out, rows.rowCount(), small);
                    default -> true;
                };
        if (suspect) {
            checked(operation, x, y, result, rows, small);
        }
    }

    private static boolean add(int[] x, int[] y, int[] out, int count, boolean small) {
        int overflow = 0;
        for (int row = 0; row < count; row++) {
            int sum = x[row] + y[row];
            overflow |= (x[row] ^ sum) & (y[row] ^ sum);
            out[row] = sum;
        }
        return overflow < 0 || small && leavesInt16(out, count);
    }

    private static boolean subtract(int[] x, int[] y, int[] out, int count, boolean small) {
        int overflow = 0;
        for (int row = 0; row < count; row++) {
            int difference = x[row] - y[row];
            overflow |= (x[row] ^ y[row]) & (x[row] ^ difference);
            out[row] = difference;
        }
        return overflow < 0 || small && leavesInt16(out, count);
    }

    private static boolean multiply(int[] x, int[] y, int[] out, int count, boolean small) {
        long overflow = 0;
        for (int row = 0; row < count; row++) {
            long product = (long) x[row] * y[row];
            overflow |= product + 0x8000_0000L;
            out[row] = (int) product;
        }
        return overflow >>> 32 != 0 || small && leavesInt16(out, count);
    }

    private static boolean leavesInt16(int[] values, int count) {
        int overflow = 0;
        for (int row = 0; row < count; row++) {
            overflow |= values[row] + 0x8000;
        }
        return overflow >>> 16 != 0;
    }

    private static void checked(Arithmetic operation, int[] x, int[] y, IntVector result, Mask rows, boolean small) {
        int[] out = result.values();
        int[] indexes = rows.indexes();
        int count = rows.count();
        for (int index = 0; index < count; index++) {
            int row = indexes[index];
            if (!result.isPresent(row)) {
                continue;
            }
            long value =
                    switch (operation) {
                        case ADD -> (long) x[row] + y[row];
                        case SUB -> (long) x[row] - y[row];
                        case MUL -> (long) x[row] * y[row];
                        case DIV -> (long) x[row] / nonZero(y[row]);
                        case MOD -> (long) x[row] % nonZero(y[row]);
                        case NEG, ABS -> throw new IllegalArgumentException(operation.name());
                    };
            out[row] = narrow(value, small);
        }
    }

    private static int nonZero(int divisor) {
        if (divisor == 0) {
            throw RowErrors.divisionByZero();
        }
        return divisor;
    }

    private static int narrow(long value, boolean small) {
        if (value != (small ? (short) value : (int) value)) {
            throw overflow(small);
        }
        return (int) value;
    }

    private static QueryException overflow(boolean small) {
        return RowErrors.outOfRange(small ? "smallint" : "integer");
    }

    /// @param absolute |x| instead of -x
    static void negate(boolean absolute, IntVector a, IntVector result, Mask rows) {
        result.copyValidity(a, rows.wordCount());
        int[] x = a.values();
        int[] out = result.values();
        boolean small = result.type() instanceof DataType.Int16;
        int least = small ? Short.MIN_VALUE : Integer.MIN_VALUE;
        int count = rows.rowCount();
        int found = 0;
        for (int row = 0; row < count; row++) {
            int value = x[row];
            found |= value == least ? 1 : 0;
            out[row] = absolute ? Math.abs(value) : -value;
        }
        if (found != 0) {
            int[] indexes = rows.indexes();
            for (int index = 0; index < rows.count(); index++) {
                if (x[indexes[index]] == least && result.isPresent(indexes[index])) {
                    throw overflow(small);
                }
            }
        }
    }
}
