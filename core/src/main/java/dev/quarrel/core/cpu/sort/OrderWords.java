package dev.quarrel.core.cpu.sort;

import dev.quarrel.core.cpu.number.FloatBits;
import dev.quarrel.core.cpu.number.Int128;
import dev.quarrel.core.cpu.rows.SortOrder;
import dev.quarrel.core.cpu.tile.BoolVector;
import dev.quarrel.core.cpu.tile.DecimalVector;
import dev.quarrel.core.cpu.tile.DoubleVector;
import dev.quarrel.core.cpu.tile.FloatVector;
import dev.quarrel.core.cpu.tile.IntVector;
import dev.quarrel.core.cpu.tile.LongVector;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.TextVector;
import dev.quarrel.core.cpu.tile.TileOutputs;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.ir.SortKey;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Interval;
import dev.quarrel.core.type.SpecialNumeric;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;

/// Makes a 64-bit word of each row of a tile that says as much of the row's order by some keys as 64 bits do: of two
/// rows, the one that comes first has not the greater word. Equal words say nothing, unless they are exact.
///
/// Narrow keys follow one another; the last one that there is room for may be there in part.
final class OrderWords {
    private static final long MILLION = 1_000_000;

    private final List<SortKey> keys; // those that the words have something of
    private final int[] bits; // a key: of its values, the one for NULL aside
    private final int spare; // bits below the last key
    private final boolean exact;
    private final long[] words;
    private final long[] codes;

    OrderWords(List<SortKey> keys, List<DataType> types, int tileRows) {
        int room = Long.SIZE;
        int count = 0;
        boolean all = true;
        int[] widths = new int[keys.size()];
        while (all && count < widths.length && room > 1) {
            DataType type = types.get(keys.get(count).output());
            int natural = bits(type);
            // Of one key of 64 bits, NULLs share the word of the least or the greatest value.
            all = natural < room || natural == Long.SIZE && room == Long.SIZE && isWord(type);
            widths[count] = Math.min(natural, room - 1);
            room -= Math.min(natural + 1, room);
            count++;
        }
        this.keys = keys.subList(0, count);
        this.bits = Arrays.copyOf(widths, count);
        this.spare = room;
        this.exact = all && count == keys.size();
        this.words = new long[tileRows];
        this.codes = new long[tileRows];
    }

    private static int bits(DataType type) {
        return switch (type) {
            case DataType.Bool _ -> 1;
            case DataType.Int16 _ -> 16;
            case DataType.Int32 _, DataType.Date _ -> 32;
            default -> Long.SIZE;
        };
    }

    /// Whether values of 64 bits are what their codes say.
    private static boolean isWord(DataType type) {
        return switch (type) {
            case DataType.Int64 _, DataType.Time _, DataType.Timestamp _, DataType.Float32 _, DataType.Float64 _ ->
                true;
            case DataType.Decimal(int precision, int _) -> precision <= 18;
            default -> false;
        };
    }

    /// Whether rows with equal words are equal in all keys; those with the least and the greatest word of all aside.
    boolean isExact() {
        return exact;
    }

    /// The words of rows, by place in `rows.indexes()`; of use until the next call.
    long[] of(TileOutputs outputs, Mask rows) {
        int count = rows.count();
        int[] indexes = rows.indexes();
        Arrays.fill(words, 0, count, 0);
        for (int key = 0; key < bits.length; key++) {
            SortKey by = keys.get(key);
            Vector values = outputs.get(by.output(), rows);
            code(values, indexes, count);
            int width = bits[key];
            if (bits.length == 1 && spare == 0) {
                finishWhole(by, values, indexes, count);
                return words;
            }
            int cut = Long.SIZE - width;
            long flip = Long.MIN_VALUE ^ (by.descending() ? -1 : 0);
            long above = by.nullsFirst() ? 1L << width : 0; // a bit in front of values
            long absent = by.nullsFirst() ? 0 : 1L << width;
            long[] present = values.validity();
            for (int place = 0; place < count; place++) {
                int row = indexes[place];
                boolean isPresent = present == null || (present[row >>> 6] >>> row & 1) != 0;
                long code = isPresent ? (codes[place] ^ flip) >>> cut | above : absent;
                words[place] = words[place] << width + 1 | code;
            }
        }
        for (int place = 0; place < count && bits.length > 0; place++) {
            words[place] = words[place] << spare ^ Long.MIN_VALUE;
        }
        return words;
    }

    private void finishWhole(SortKey key, Vector values, int[] indexes, int count) {
        long flip = key.descending() ? -1 : 0;
        for (int place = 0; place < count; place++) {
            words[place] = codes[place] ^ flip;
        }
        long[] present = values.validity();
        if (present != null) {
            long absent = key.nullsFirst() ? Long.MIN_VALUE : Long.MAX_VALUE;
            for (int place = 0; place < count; place++) {
                int row = indexes[place];
                words[place] = (present[row >>> 6] >>> row & 1) != 0 ? words[place] : absent;
            }
        }
    }

    /// Signed words that order as values do, with their first bits at the top.
    private void code(Vector values, int[] rows, int count) {
        switch (values) {
            case BoolVector bools -> {
                for (int place = 0; place < count; place++) {
                    codes[place] = (bools.bits()[rows[place] >>> 6] >>> rows[place] & 1) << 63 ^ Long.MIN_VALUE;
                }
            }
            case IntVector ints -> {
                int[] from = ints.values();
                int up = Long.SIZE - bits(values.type());
                for (int place = 0; place < count; place++) {
                    codes[place] = (long) from[rows[place]] << up;
                }
            }
            case LongVector longs -> {
                long[] from = longs.values();
                for (int place = 0; place < count; place++) {
                    codes[place] = from[rows[place]];
                }
            }
            case FloatVector floats -> {
                float[] from = floats.values();
                for (int place = 0; place < count; place++) {
                    codes[place] = FloatBits.ordered(from[rows[place]]);
                }
            }
            case DoubleVector doubles -> {
                double[] from = doubles.values();
                for (int place = 0; place < count; place++) {
                    codes[place] = FloatBits.ordered(from[rows[place]]);
                }
            }
            case DecimalVector decimals -> codeWide(decimals, rows, count);
            case TextVector texts -> {
                for (int place = 0; place < count; place++) {
                    int row = rows[place];
                    codes[place] = texts.isPresent(row)
                            ? SortOrder.prefix(texts.data(), texts.start(row), texts.length(row)) ^ Long.MIN_VALUE
                            : 0;
                }
            }
        }
    }

    private void codeWide(DecimalVector values, int[] rows, int count) {
        long[] high = values.high();
        long[] low = values.low();
        switch (values.type()) {
            case DataType.Uuid _ -> {
                for (int place = 0; place < count; place++) {
                    codes[place] = high[rows[place]];
                }
            }
            case DataType.Interval _ -> {
                for (int place = 0; place < count; place++) {
                    codes[place] = span(low[rows[place]], high[rows[place]]);
                }
            }
            case DataType.Numeric _ -> {
                for (int place = 0; place < count; place++) {
                    int row = rows[place];
                    codes[place] = values.isPresent(row) ? millionths(high[row], low[row], values.scale()[row]) : 0;
                }
            }
            default -> {
                for (int place = 0; place < count; place++) {
                    codes[place] = clamp(high[rows[place]], low[rows[place]]);
                }
            }
        }
    }

    /// An integer of 128 bits as the nearest one of 64.
    static long clamp(long high, long low) {
        return high == low >> 63 ? low : high < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
    }

    /// An interval's span in microseconds; the greatest or least number where they are too many.
    static long span(long calendar, long micros) {
        // As many days and one more fit a word of microseconds.
        long most = Long.MAX_VALUE / Interval.MICROS_PER_DAY - 1;
        long days = Interval.spanDays(calendar, micros);
        return Math.abs(days) <= most
                ? days * Interval.MICROS_PER_DAY + Interval.spanMicros(micros)
                : days < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
    }

    /// A numeric's millionths, rounded down; the greatest or least number where they are too many.
    private static long millionths(long high, long low, int scale) {
        if (SpecialNumeric.is(scale)) {
            return low < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
        }
        if (high == low >> 63 && scale >= 6 && scale - 6 <= 18) {
            return Math.floorDiv(low, Int128.powerLow(scale - 6));
        }
        if (high == low >> 63 && scale < 6) {
            long factor = Int128.powerLow(6 - scale);
            return clamp(Math.multiplyHigh(low, factor), low * factor);
        }
        BigInteger[] parts = Int128.toBigInteger(high, low)
                .multiply(BigInteger.valueOf(MILLION))
                .divideAndRemainder(BigInteger.TEN.pow(scale));
        BigInteger floor = parts[1].signum() < 0 ? parts[0].subtract(BigInteger.ONE) : parts[0];
        return floor.bitLength() < Long.SIZE ? floor.longValue() : floor.signum() < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
    }
}
