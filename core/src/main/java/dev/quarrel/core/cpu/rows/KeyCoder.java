package dev.quarrel.core.cpu.rows;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.cpu.number.FloatBits;
import dev.quarrel.core.cpu.number.Int128;
import dev.quarrel.core.cpu.number.LongTable;
import dev.quarrel.core.cpu.number.WideTable;
import dev.quarrel.core.cpu.tile.Bits;
import dev.quarrel.core.cpu.tile.BoolVector;
import dev.quarrel.core.cpu.tile.DecimalVector;
import dev.quarrel.core.cpu.tile.DoubleVector;
import dev.quarrel.core.cpu.tile.FloatVector;
import dev.quarrel.core.cpu.tile.IntVector;
import dev.quarrel.core.cpu.tile.LongVector;
import dev.quarrel.core.cpu.tile.TextVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.device.KeyHash;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Interval;
import java.math.BigInteger;
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

    static KeyCoder of(DataType type, Reservation reservation) {
        return switch (type) {
            case DataType.Bool _ -> new Words(1);
            case DataType.Int16 _ -> new Words(16);
            case DataType.Int32 _, DataType.Date _ -> new Words(32);
            case DataType.Int64 _, DataType.Time _, DataType.Timestamp _, DataType.Float32 _, DataType.Float64 _ ->
                new Words(64);
            case DataType.Decimal(int precision, int _) -> precision <= 18 ? new Words(64) : new Pairs(reservation);
            case DataType.Uuid _ -> new Pairs(reservation);
            case DataType.Numeric _, DataType.Interval _ -> new Numbers(reservation);
            case DataType.Utf8 _, DataType.Binary _ -> new Texts(type, reservation);
        };
    }

    static void clearAbsent(Vector keys, int[] rows, int count, long[] out) {
        long[] present = keys.validity();
        if (present != null) {
            for (int index = 0; index < count; index++) {
                if (!Bits.get(present, rows[index])) {
                    out[index] = 0;
                }
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

    /// Text: the codes of the first dictionary that comes, as long as no other text comes.
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

        /// Whether codes are numbers from 0 on, as texts came: none is left out.
        boolean isNumbered() {
            return first == null;
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

    /// Uuids, and decimals wider than 64 bits: two words that are equal iff the values are.
    static final class Pairs extends KeyCoder {
        private final WideTable table;

        Pairs(Reservation reservation) {
            this.table = new WideTable(reservation);
        }

        @Override
        int bits() {
            return 32;
        }

        @Override
        boolean code(Vector keys, int[] rows, int count, long[] out, boolean add) {
            DecimalVector pairs = (DecimalVector) keys;
            // Finding first lets the core overlap the cache misses of many keys; most are known already.
            boolean anyMissing = table.findAll(pairs.high(), pairs.low(), rows, count, out);
            clearAbsent(keys, rows, count, out);
            if (!anyMissing) {
                return false;
            }
            boolean isMissing = false;
            for (int index = 0; index < count; index++) {
                if (out[index] < 0) {
                    if (add) {
                        out[index] = table.findOrAdd(pairs.high()[rows[index]], pairs.low()[rows[index]]);
                    } else {
                        isMissing = true;
                    }
                }
            }
            return isMissing;
        }
    }

    /// Numbers with a scale of their own: equal by value whatever the scale. Intervals: equal by their spans.
    static final class Numbers extends KeyCoder {
        private final Reservation reservation;
        private final LongTable byHash;
        private final DecimalStore values;
        private final DecimalVector one = (DecimalVector) Vector.of(DataType.NUMERIC, 1);
        private int[] sameHash = new int[16];

        Numbers(Reservation reservation) {
            this.reservation = reservation;
            this.byHash = new LongTable(reservation, 16);
            this.values = new DecimalStore(DataType.NUMERIC, reservation);
        }

        @Override
        int bits() {
            return 32;
        }

        @Override
        boolean code(Vector keys, int[] rows, int count, long[] out, boolean add) {
            DecimalVector numbers = (DecimalVector) keys;
            boolean isInterval = numbers.type() instanceof DataType.Interval;
            boolean anyMissing = false;
            for (int index = 0; index < count; index++) {
                int row = rows[index];
                if (!numbers.isPresent(row)) {
                    out[index] = 0;
                    continue;
                }
                long high = numbers.high()[row];
                long low = numbers.low()[row];
                int code = isInterval
                        ? number(Interval.spanDays(low, high), Interval.spanMicros(high), 0, add)
                        : normalized(high, low, numbers.scale()[row], add);
                anyMissing |= code < 0;
                out[index] = code;
            }
            return anyMissing;
        }

        private int normalized(long high, long low, int scale, boolean add) {
            if (high == low >> 63) {
                long rest = low;
                int digits = scale;
                while (digits > 0 && rest % 10 == 0) {
                    rest /= 10;
                    digits--;
                }
                return number(rest >> 63, rest, digits, add);
            }
            BigInteger rest = Int128.toBigInteger(high, low);
            int digits = scale;
            while (digits > 0) {
                BigInteger[] parts = rest.divideAndRemainder(BigInteger.TEN);
                if (parts[1].signum() != 0) {
                    break;
                }
                rest = parts[0];
                digits--;
            }
            return number(rest.shiftRight(64).longValue(), rest.longValue(), digits, add);
        }

        private int number(long high, long low, int scale, boolean add) {
            long hash = KeyHash.ofNormalized(high, low, scale);
            int code = byHash.find(hash);
            int last = -1;
            while (code >= 0) {
                if (values.low()[code] == low && values.high()[code] == high && values.scale()[code] == scale) {
                    return code;
                }
                last = code;
                code = sameHash[code];
            }
            return add ? add(high, low, scale, hash, last) : -1;
        }

        private int add(long high, long low, int scale, long hash, int last) {
            int code = values.size();
            if (code == sameHash.length) {
                reservation.grow(code * 4L);
                sameHash = Arrays.copyOf(sameHash, code * 2);
            }
            one.high()[0] = high;
            one.low()[0] = low;
            one.scale()[0] = scale;
            values.append(one, new int[1], 1);
            sameHash[code] = -1;
            if (last < 0) {
                byHash.findOrAdd(hash, code);
            } else {
                sameHash[last] = code;
            }
            return code;
        }
    }
}
