package dev.quarrel.core.cpu.rows;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.cpu.number.FloatBits;
import dev.quarrel.core.cpu.tile.BoolVector;
import dev.quarrel.core.cpu.tile.DecimalVector;
import dev.quarrel.core.cpu.tile.DoubleVector;
import dev.quarrel.core.cpu.tile.FloatVector;
import dev.quarrel.core.cpu.tile.IntVector;
import dev.quarrel.core.cpu.tile.LongVector;
import dev.quarrel.core.cpu.tile.TextVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.type.DataType;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.Map;

/// Turns one key column's values into integers that are equal iff the values are equal.
///
/// NULL rows get 0; who needs to tell them from others looks at the validity.
abstract sealed class KeyCoder {
    /// Bits of the integers that matter: equal values have equal low bits.
    abstract int bits();

    /// Codes of rows; when `add` is false, a value never seen gets -1 and the answer is true.
    ///
    /// Adding is for one thread, the other for any number.
    ///
    /// @param out receives the code of `rows[i]` at i
    abstract boolean code(Vector keys, int[] rows, int count, long[] out, boolean add);

    /// Whether `code` has room for these values.
    boolean hasCodes(Vector keys) {
        return true;
    }

    /// The coder of a type, or null where values have no such integers.
    static KeyCoder of(DataType type, Reservation reservation) {
        return switch (type) {
            case DataType.Bool _ -> new Words(1);
            case DataType.Int16 _ -> new Words(16);
            case DataType.Int32 _, DataType.Date _ -> new Words(32);
            case DataType.Int64 _, DataType.Time _, DataType.Timestamp _, DataType.Float32 _, DataType.Float64 _ ->
                new Words(64);
            case DataType.Decimal(int precision, int _) -> precision <= 18 ? new Words(64) : null;
            case DataType.Uuid _, DataType.Numeric _, DataType.Interval _ -> null;
            case DataType.Utf8 _, DataType.Binary _ -> new Texts(type, reservation);
        };
    }

    static void clearAbsent(Vector keys, int[] rows, int count, long[] out) {
        long[] present = keys.validity();
        if (present != null) {
            for (int index = 0; index < count; index++) {
                out[index] &= -(present[rows[index] >>> 6] >>> rows[index] & 1);
            }
        }
    }

    /// Values that are integers, or bits of floats.
    static final class Words extends KeyCoder {
        private final int bits;

        Words(int bits) {
            this.bits = bits;
        }

        @Override
        int bits() {
            return bits;
        }

        @Override
        boolean code(Vector keys, int[] rows, int count, long[] out, boolean add) {
            switch (keys) {
                case BoolVector bools -> {
                    for (int index = 0; index < count; index++) {
                        out[index] = bools.bits()[rows[index] >>> 6] >>> rows[index] & 1;
                    }
                }
                case IntVector ints -> ints(ints.values(), rows, count, out);
                case LongVector longs -> longs(longs.values(), rows, count, out);
                case FloatVector floats -> {
                    for (int index = 0; index < count; index++) {
                        out[index] = FloatBits.canonical(floats.values()[rows[index]]);
                    }
                }
                case DoubleVector doubles -> {
                    for (int index = 0; index < count; index++) {
                        out[index] = FloatBits.canonical(doubles.values()[rows[index]]);
                    }
                }
                case DecimalVector decimals -> longs(decimals.low(), rows, count, out);
                case TextVector _ -> throw new IllegalArgumentException("text as integers");
            }
            clearAbsent(keys, rows, count, out);
            return false;
        }

        private static void ints(int[] values, int[] rows, int count, long[] out) {
            for (int index = 0; index < count; index++) {
                out[index] = values[rows[index]];
            }
        }

        private static void longs(long[] values, int[] rows, int count, long[] out) {
            for (int index = 0; index < count; index++) {
                out[index] = values[rows[index]];
            }
        }
    }

    /// Text: the codes of the first dictionary that comes, then numbers for the texts of others.
    static final class Texts extends KeyCoder {
        private static final int UNKNOWN = -2;

        private final DataType type;
        private final Reservation reservation;
        private final Map<Dictionary, int[]> translations = new IdentityHashMap<>();
        private Dictionary first;
        private TextNumbers codes;

        Texts(DataType type, Reservation reservation) {
            this.type = type;
            this.reservation = reservation;
        }

        @Override
        int bits() {
            return 32;
        }

        @Override
        boolean hasCodes(Vector keys) {
            return ((TextVector) keys).dictionary() != null;
        }

        @Override
        boolean code(Vector keys, int[] rows, int count, long[] out, boolean add) {
            TextVector text = (TextVector) keys;
            Dictionary dictionary = text.dictionary();
            if (first == null && codes == null && dictionary != null && add) {
                first = dictionary;
            }
            if (dictionary != null && dictionary == first) {
                int[] from = text.codes();
                for (int index = 0; index < count; index++) {
                    out[index] = from[rows[index]];
                }
                clearAbsent(keys, rows, count, out);
                return false;
            }
            return dictionary == null
                    ? codes().codes(text, rows, count, out, add)
                    : translated(text, dictionary, rows, count, out, add);
        }

        private synchronized TextNumbers codes() {
            if (codes == null) {
                codes = new TextNumbers(type, reservation, first);
            }
            return codes;
        }

        private boolean translated(
                TextVector text, Dictionary dictionary, int[] rows, int count, long[] out, boolean add) {
            TextNumbers known = codes();
            int[] translation = translation(dictionary);
            boolean anyMissing = false;
            for (int index = 0; index < count; index++) {
                int row = rows[index];
                if (!text.isPresent(row)) {
                    out[index] = 0;
                    continue;
                }
                int code = translation[text.codes()[row]];
                // Threads that find may store the same code twice; one that adds is alone.
                if (code == UNKNOWN) {
                    code = add
                            ? known.codeOrAdd(text.data(), text.start(row), text.length(row))
                            : known.code(text.data(), text.start(row), text.length(row));
                    translation[text.codes()[row]] = code;
                }
                anyMissing |= code < 0;
                out[index] = code;
            }
            return anyMissing;
        }

        private synchronized int[] translation(Dictionary dictionary) {
            return translations.computeIfAbsent(dictionary, _ -> {
                reservation.grow(dictionary.size() * 4L);
                int[] unknown = new int[dictionary.size()];
                Arrays.fill(unknown, UNKNOWN);
                return unknown;
            });
        }
    }
}
