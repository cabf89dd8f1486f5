package dev.quarrel.core.cpu.function;

import dev.quarrel.core.cpu.number.Int128;
import dev.quarrel.core.cpu.number.IntervalMath;
import dev.quarrel.core.cpu.tile.Bits;
import dev.quarrel.core.cpu.tile.BoolVector;
import dev.quarrel.core.cpu.tile.DecimalVector;
import dev.quarrel.core.cpu.tile.DoubleVector;
import dev.quarrel.core.cpu.tile.FloatVector;
import dev.quarrel.core.cpu.tile.IntVector;
import dev.quarrel.core.cpu.tile.LongVector;
import dev.quarrel.core.cpu.tile.TextVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.type.Bytes;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;

/// Puts values in canonical form into vectors.
final class Results {
    private Results() {}

    /// @param value null for NULL
    static void set(Vector out, int row, Object value) {
        if (value == null) {
            if (out instanceof TextVector texts) {
                texts.begin(row, 0);
            }
            out.setAbsent(row);
            return;
        }
        switch (out) {
            case BoolVector bools -> Bits.set(bools.bits(), row, (Boolean) value);
            case IntVector numbers -> numbers.values()[row] = Math.toIntExact((Long) value);
            case LongVector numbers -> numbers.values()[row] = (Long) value;
            case FloatVector numbers -> numbers.values()[row] = (Float) value;
            case DoubleVector numbers -> numbers.values()[row] = (Double) value;
            case TextVector texts -> {
                byte[] bytes = value instanceof Bytes binary
                        ? binary.toArray()
                        : ((String) value).getBytes(StandardCharsets.UTF_8);
                texts.append(row, bytes, 0, bytes.length);
            }
            case DecimalVector words when value instanceof BigDecimal number -> numeric(words, row, number);
            case DecimalVector words -> words.set(row, value);
        }
    }

    /// - Errors: 0A000 for more than 38 digits.
    static void numeric(DecimalVector out, int row, BigDecimal value) {
        if (value.precision() > Int128.MAX_DIGITS) {
            throw tooLong();
        }
        out.set(row, out.type() instanceof DataType.Decimal(int _, int scale) ? value.setScale(scale) : value);
    }

    static QueryException tooLong() {
        return new QueryException(
                        SqlState.FEATURE_NOT_SUPPORTED, "not supported: a numeric result of more than 38 digits")
                .withHint("Cast the arguments to double precision.")
                .ofNarrowNumerics();
    }

    static void interval(Vector out, int row, IntervalMath span) {
        DecimalVector intervals = (DecimalVector) out;
        intervals.low()[row] = span.calendar();
        intervals.high()[row] = span.micros;
    }

    static void float64(Vector out, int row, double value) {
        ((DoubleVector) out).values()[row] = value;
    }

    /// ANY or ALL of what no value has decided: unknown where one was, else what they are of no values.
    static void undecided(Vector out, int row, boolean isUnknown, boolean all) {
        if (isUnknown) {
            out.setAbsent(row);
        } else {
            bool(out, row, all);
        }
    }

    static void bool(Vector out, int row, boolean value) {
        Bits.set(((BoolVector) out).bits(), row, value);
    }

    static void int32(Vector out, int row, int value) {
        ((IntVector) out).values()[row] = value;
    }
}
