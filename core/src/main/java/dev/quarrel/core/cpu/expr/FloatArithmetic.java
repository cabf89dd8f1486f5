package dev.quarrel.core.cpu.expr;

import dev.quarrel.core.cpu.number.RowErrors;
import dev.quarrel.core.cpu.tile.DoubleVector;
import dev.quarrel.core.cpu.tile.FloatVector;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.ir.Arithmetic;

/// Arithmetic of Float32 and Float64: IEEE 754, with PostgreSQL's errors for overflow, underflow and division by
/// zero.
///
/// Dense loops compute every row; a sum that is not finite, or a product that is 0 or not finite, sends the tile
/// through the row by row check. Quotients are always checked.
final class FloatArithmetic {
    private FloatArithmetic() {}

    static void binary(Arithmetic operation, DoubleVector a, DoubleVector b, DoubleVector result, Mask rows) {
        result.intersectValidity(a, b, rows.wordCount());
        double[] x = a.values();
        double[] y = b.values();
        double[] out = result.values();
        boolean dense = !rows.isSparse();
        boolean suspect =
                switch (operation) {
                    case ADD -> !dense || add(x, y, out, rows.rowCount());
                    case SUB -> !dense || subtract(x, y, out, rows.rowCount());
                    case MUL -> !dense || multiply(x, y, out, rows.rowCount());
                    default -> true;
                };
        if (suspect) {
            int[] indexes = rows.indexes();
            int count = rows.count();
            for (int index = 0; index < count; index++) {
                int row = indexes[index];
                if (result.isPresent(row)) {
                    out[row] = checked(operation, x[row], y[row]);
                }
            }
        }
    }

    private static boolean add(double[] x, double[] y, double[] out, int count) {
        boolean suspect = false;
        for (int row = 0; row < count; row++) {
            double sum = x[row] + y[row];
            suspect |= !(Math.abs(sum) <= Double.MAX_VALUE);
            out[row] = sum;
        }
        return suspect;
    }

    private static boolean subtract(double[] x, double[] y, double[] out, int count) {
        boolean suspect = false;
        for (int row = 0; row < count; row++) {
            double difference = x[row] - y[row];
            suspect |= !(Math.abs(difference) <= Double.MAX_VALUE);
            out[row] = difference;
        }
        return suspect;
    }

    private static boolean multiply(double[] x, double[] y, double[] out, int count) {
        boolean suspect = false;
        for (int row = 0; row < count; row++) {
            double product = x[row] * y[row];
            double magnitude = Math.abs(product);
            suspect |= !(magnitude <= Double.MAX_VALUE & magnitude > 0);
            out[row] = product;
        }
        return suspect;
    }

    private static double checked(Arithmetic operation, double x, double y) {
        switch (operation) {
            case ADD -> {
                return overflowChecked(x + y, Double.isInfinite(x) || Double.isInfinite(y));
            }
            case SUB -> {
                return overflowChecked(x - y, Double.isInfinite(x) || Double.isInfinite(y));
            }
            case MUL -> {
                double product = overflowChecked(x * y, Double.isInfinite(x) || Double.isInfinite(y));
                if (product == 0 && x != 0 && y != 0) {
                    throw RowErrors.floatUnderflow();
                }
                return product;
            }
            case DIV -> {
                if (y == 0 && !Double.isNaN(x)) {
                    throw RowErrors.divisionByZero();
                }
                double quotient = overflowChecked(x / y, Double.isInfinite(x));
                if (quotient == 0 && x != 0 && !Double.isInfinite(y)) {
                    throw RowErrors.floatUnderflow();
                }
                return quotient;
            }
            default -> throw new IllegalArgumentException(operation.name());
        }
    }

    private static double overflowChecked(double result, boolean mayBeInfinite) {
        if (Double.isInfinite(result) && !mayBeInfinite) {
            throw RowErrors.floatOverflow();
        }
        return result;
    }

    static void binary(Arithmetic operation, FloatVector a, FloatVector b, FloatVector result, Mask rows) {
        result.intersectValidity(a, b, rows.wordCount());
        float[] x = a.values();
        float[] y = b.values();
        float[] out = result.values();
        boolean dense = !rows.isSparse();
        boolean suspect =
                switch (operation) {
                    case ADD -> !dense || add(x, y, out, rows.rowCount());
                    case SUB -> !dense || subtract(x, y, out, rows.rowCount());
                    case MUL -> !dense || multiply(x, y, out, rows.rowCount());
                    default -> true;
                };
        if (suspect) {
            int[] indexes = rows.indexes();
            int count = rows.count();
            for (int index = 0; index < count; index++) {
                int row = indexes[index];
                if (result.isPresent(row)) {
                    out[row] = checked(operation, x[row], y[row]);
                }
            }
        }
    }

    private static boolean add(float[] x, float[] y, float[] out, int count) {
        boolean suspect = false;
        for (int row = 0; row < count; row++) {
            float sum = x[row] + y[row];
            suspect |= !(Math.abs(sum) <= Float.MAX_VALUE);
            out[row] = sum;
        }
        return suspect;
    }

    private static boolean subtract(float[] x, float[] y, float[] out, int count) {
        boolean suspect = false;
        for (int row = 0; row < count; row++) {
            float difference = x[row] - y[row];
            suspect |= !(Math.abs(difference) <= Float.MAX_VALUE);
            out[row] = difference;
        }
        return suspect;
    }

    private static boolean multiply(float[] x, float[] y, float[] out, int count) {
        boolean suspect = false;
        for (int row = 0; row < count; row++) {
            float product = x[row] * y[row];
            float magnitude = Math.abs(product);
            suspect |= !(magnitude <= Float.MAX_VALUE & magnitude > 0);
            out[row] = product;
        }
        return suspect;
    }

    private static float checked(Arithmetic operation, float x, float y) {
        switch (operation) {
            case ADD -> {
                return overflowChecked(x + y, Float.isInfinite(x) || Float.isInfinite(y));
            }
            case SUB -> {
                return overflowChecked(x - y, Float.isInfinite(x) || Float.isInfinite(y));
            }
            case MUL -> {
                float product = overflowChecked(x * y, Float.isInfinite(x) || Float.isInfinite(y));
                if (product == 0 && x != 0 && y != 0) {
                    throw RowErrors.floatUnderflow();
                }
                return product;
            }
            case DIV -> {
                if (y == 0 && !Float.isNaN(x)) {
                    throw RowErrors.divisionByZero();
                }
                float quotient = overflowChecked(x / y, Float.isInfinite(x));
                if (quotient == 0 && x != 0 && !Float.isInfinite(y)) {
                    throw RowErrors.floatUnderflow();
                }
                return quotient;
            }
            default -> throw new IllegalArgumentException(operation.name());
        }
    }

    private static float overflowChecked(float result, boolean mayBeInfinite) {
        if (Float.isInfinite(result) && !mayBeInfinite) {
            throw RowErrors.floatOverflow();
        }
        return result;
    }

    /// @param absolute |x| instead of -x
    static void negate(boolean absolute, DoubleVector a, DoubleVector result, Mask rows) {
        result.copyValidity(a, rows.wordCount());
        double[] x = a.values();
        double[] out = result.values();
        int count = rows.rowCount();
        if (absolute) {
            for (int row = 0; row < count; row++) {
                out[row] = Math.abs(x[row]);
            }
        } else {
            for (int row = 0; row < count; row++) {
                out[row] = -x[row];
            }
        }
    }

    /// @param absolute |x| instead of -x
    static void negate(boolean absolute, FloatVector a, FloatVector result, Mask rows) {
        result.copyValidity(a, rows.wordCount());
        float[] x = a.values();
        float[] out = result.values();
        int count = rows.rowCount();
        for (int row = 0; row < count; row++) {
            out[row] = absolute ? Math.abs(x[row]) : -x[row];
        }
    }

    /// To which whole number a float goes.
    enum Rounding {
        FLOOR,
        CEILING,
        HALF_EVEN
    }

    static void round(Rounding rounding, DoubleVector a, DoubleVector result, Mask rows) {
        result.copyValidity(a, rows.wordCount());
        double[] x = a.values();
        double[] out = result.values();
        int count = rows.rowCount();
        switch (rounding) {
            case FLOOR -> {
                for (int row = 0; row < count; row++) {
                    out[row] = Math.floor(x[row]);
                }
            }
            case CEILING -> {
                for (int row = 0; row < count; row++) {
                    out[row] = Math.ceil(x[row]);
                }
            }
            case HALF_EVEN -> {
                for (int row = 0; row < count; row++) {
                    out[row] = Math.rint(x[row]);
                }
            }
        }
    }
}
