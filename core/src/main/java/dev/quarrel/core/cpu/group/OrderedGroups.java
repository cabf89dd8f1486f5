package dev.quarrel.core.cpu.group;

import static dev.quarrel.core.column.LittleEndian.INT32;
import static dev.quarrel.core.column.LittleEndian.INT64;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.cpu.number.IntervalMath;
import dev.quarrel.core.cpu.rows.DecimalStore;
import dev.quarrel.core.cpu.rows.DoubleStore;
import dev.quarrel.core.cpu.rows.KeyForm;
import dev.quarrel.core.cpu.rows.TextStore;
import dev.quarrel.core.cpu.rows.ValueStore;
import dev.quarrel.core.cpu.tile.Bits;
import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.lang.foreign.MemorySegment;

/// The rows of groups, each group's in its order: computes what depends on the order.
///
/// - Source: PostgreSQL's `orderedsetaggs.c`, and `string_agg` in `varlena.c`.
final class OrderedGroups {
    /// PostgreSQL's bound on a value.
    private static final long MAX_TEXT_BYTES = (1 << 30) - 1;

    private final ValueStore[] arguments;
    private final ValueStore[] keys;
    private final int[] rows;
    private final int[] ends;
    private final Reservation reservation;

    /// @param rows places in `arguments` and `keys`, group by group
    /// @param ends by group: where its rows end in `rows`
    OrderedGroups(ValueStore[] arguments, ValueStore[] keys, int[] rows, int[] ends, Reservation reservation) {
        this.arguments = arguments;
        this.keys = keys;
        this.rows = rows;
        this.ends = ends;
        this.reservation = reservation;
    }

    /// Where each group's rows end when they stand group by group.
    static int[] ends(int[] groups, int rowCount, int groupCount) {
        int[] ends = new int[groupCount];
        for (int row = 0; row < rowCount; row++) {
            ends[groups[row]]++;
        }
        for (int group = 1; group < groupCount; group++) {
            ends[group] += ends[group - 1];
        }
        return ends;
    }

    /// Rows group by group, those of one group as they come.
    ///
    /// @param ends takes where each group's rows end
    static int[] byGroup(int[] groups, int rowCount, int[] ends) {
        int[] next = ends(groups, rowCount, ends.length);
        System.arraycopy(next, 0, ends, 0, ends.length);
        int[] rows = new int[rowCount];
        for (int row = rowCount - 1; row >= 0; row--) {
            rows[--next[groups[row]]] = row;
        }
        return rows;
    }

    private int start(int group) {
        return group == 0 ? 0 : ends[group - 1];
    }

    private int size(int group) {
        return ends[group] - start(group);
    }

    /// The results of groups [from, from + count).
    Column result(AggregateCall call, int from, int count, Allocator allocator) {
        AggregateKind kind = call.kind();
        return switch (kind) {
            case LOCAL -> {
                try (LocalRows local = new LocalRows(call.local(), arguments, reservation)) {
                    yield local.results(rows, ends, from, count, allocator);
                }
            }
            case STRING_AGG -> joined(from, count, allocator);
            case ARRAY_AGG -> arrays(from, count, allocator, false);
            case ARRAYS_AGG -> arrays(from, count, allocator, true);
            case PERCENTILE_CONT ->
                arguments[0] instanceof DoubleStore values
                        ? interpolated(values, from, count, allocator)
                        : interpolated((DecimalStore) arguments[0], from, count, allocator);
            case PERCENTILE_DISC, MODE, ANY_VALUE -> picked(kind, from, count, allocator);
            case PERCENTILES_CONT, PERCENTILES_DISC -> percentiles(kind, from, count, allocator);
            default -> throw new IllegalStateException(kind + " needs no order");
        };
    }

    private Column picked(AggregateKind kind, int from, int count, Allocator allocator) {
        try (Reservation scratch = new Reservation(reservation.budget())) {
            scratch.grow(count * 4L);
            int[] chosen = new int[count];
            for (int index = 0; index < count; index++) {
                int group = from + index;
                chosen[index] = switch (kind) {
                    case MODE -> mostFrequent(group);
                    case ANY_VALUE -> size(group) == 0 ? -1 : rows[start(group)];
                    default -> atFraction(group);
                };
            }
            ValueStore values = ValueStore.of(arguments[0].type(), scratch);
            values.appendGathered(arguments[0], chosen, 0, count, new ValueStore.GatherTile(values.type()));
            return values.toColumn(null, 0, count, allocator);
        }
    }

    /// The first of the equal rows that are most; -1 for no rows.
    private int mostFrequent(int group) {
        int best = -1;
        int most = 0;
        int end = ends[group];
        int next = start(group);
        while (next < end) {
            int first = next;
            while (next < end && KeyForm.compareValues(keys[0], rows[first], keys[0], rows[next]) == 0) {
                next++;
            }
            if (next - first > most) {
                most = next - first;
                best = rows[first];
            }
        }
        return best;
    }

    /// - Errors: 22003 for a fraction outside [0, 1].
    ///
    /// @return whether there is a result: rows, and a fraction
    private boolean hasFraction(int group) {
        if (size(group) == 0 || !arguments[1].isPresent(rows[start(group)])) {
            return false;
        }
        Fractions.check(fraction(group));
        return true;
    }

    private double fraction(int group) {
        return ((DoubleStore) arguments[1]).values()[rows[start(group)]];
    }

    private int atFraction(int group) {
        return hasFraction(group) ? rowAt(group, fraction(group)) : -1;
    }

    private int rowAt(int group, double fraction) {
        return rows[start(group) + Fractions.place(fraction, size(group))];
    }

    private Column interpolated(DoubleStore values, int from, int count, Allocator allocator) {
        ColumnWriter writer = new ColumnWriter(DataType.FLOAT64, allocator, count);
        for (int group = from; group < from + count; group++) {
            if (hasFraction(group)) {
                writer.appendFloat64(between(values.values(), group, fraction(group)));
            } else {
                writer.appendNull();
            }
        }
        return writer.finish();
    }

    private double between(double[] values, int group, double fraction) {
        double place = fraction * (size(group) - 1);
        int first = (int) Math.floor(place);
        int second = (int) Math.ceil(place);
        double low = values[rows[start(group) + first]];
        double high = values[rows[start(group) + second]];
        return first == second ? low : low + (place - first) * (high - low);
    }

    private Column interpolated(DecimalStore spans, int from, int count, Allocator allocator) {
        ColumnWriter writer = new ColumnWriter(DataType.INTERVAL, allocator, count);
        IntervalMath span = new IntervalMath();
        for (int group = from; group < from + count; group++) {
            if (hasFraction(group)) {
                between(spans, group, fraction(group), span);
                writer.appendDecimal(span.micros, span.calendar());
            } else {
                writer.appendNull();
            }
        }
        return writer.finish();
    }

    private void between(DecimalStore spans, int group, double fraction, IntervalMath span) {
        double place = fraction * (size(group) - 1);
        int first = (int) Math.floor(place);
        int second = (int) Math.ceil(place);
        int low = rows[start(group) + first];
        int high = rows[start(group) + second];
        span.set(spans.low()[high], spans.high()[high]);
        if (first != second) {
            IntervalMath lower = new IntervalMath();
            lower.set(spans.low()[low], spans.high()[low]);
            span.subtract(lower);
            span.multiply(place - first);
            span.add(lower);
        }
    }

    private Column percentiles(AggregateKind kind, int from, int count, Allocator allocator) {
        Fractions fractions = Fractions.of((TextStore) arguments[1]);
        ColumnWriter writer = new ColumnWriter(DataType.UTF8, allocator, count);
        IntervalMath span = new IntervalMath();
        try (Reservation scratch = new Reservation(reservation.budget())) {
            ArrayWriter array = new ArrayWriter(arguments[0].type(), scratch);
            for (int group = from; group < from + count; group++) {
                if (size(group) == 0 || fractions == null) {
                    writer.appendNull();
                    continue;
                }
                fractions.check();
                array.open();
                for (int index = 0; index < fractions.count(); index++) {
                    double fraction = fractions.values()[index];
                    if (fractions.isNull()[index]) {
                        array.addNull();
                    } else if (kind == AggregateKind.PERCENTILES_DISC) {
                        array.add(arguments[0], rowAt(group, fraction));
                    } else if (arguments[0] instanceof DoubleStore values) {
                        array.addFloat(between(values.values(), group, fraction));
                    } else {
                        between((DecimalStore) arguments[0], group, fraction, span);
                        array.addInterval(span);
                    }
                }
                array.close();
                writer.appendUtf8(array.segment(), 0, array.length());
            }
        }
        return writer.finish();
    }

    private Column joined(int from, int count, Allocator allocator) {
        TextStore texts = (TextStore) arguments[0];
        TextStore separators = (TextStore) arguments[1];
        long bytes = 0;
        MemorySegment validity = allocator.allocate(Bits.words(count) * 8L);
        int nulls = 0;
        for (int index = 0; index < count; index++) {
            bytes += length(from + index, texts, separators);
            if (size(from + index) == 0) {
                nulls++;
            } else {
                long word = validity.get(INT64, (index >>> 6) * 8L);
                validity.set(INT64, (index >>> 6) * 8L, word | 1L << index);
            }
        }
        boolean isLarge = bytes > Integer.MAX_VALUE;
        MemorySegment offsets = allocator.allocate((count + 1L) * (isLarge ? 8 : 4));
        MemorySegment out = allocator.allocate(bytes);
        long end = 0;
        for (int index = 0; index < count; index++) {
            reservation.budget().checkStop();
            int start = start(from + index);
            for (int next = start; next < ends[from + index]; next++) {
                int row = rows[next];
                if (next > start && separators.isPresent(row)) {
                    end = copy(separators, row, out, end);
                }
                end = copy(texts, row, out, end);
            }
            if (isLarge) {
                offsets.set(INT64, (index + 1L) * 8, end);
            } else {
                offsets.set(INT32, (index + 1L) * 4, (int) end);
            }
        }
        return new Utf8Column(texts.type(), count, offsets, isLarge, out, Validity.of(validity, count, nulls));
    }

    /// @param nested whether the elements are arrays themselves
    private Column arrays(int from, int count, Allocator allocator, boolean nested) {
        ColumnWriter writer = new ColumnWriter(DataType.UTF8, allocator, count);
        try (Reservation scratch = new Reservation(reservation.budget())) {
            ArrayWriter array = new ArrayWriter(arguments[0].type(), scratch);
            for (int group = from; group < from + count; group++) {
                reservation.budget().checkStop();
                if (size(group) == 0) {
                    writer.appendNull();
                    continue;
                }
                if (nested) {
                    array.writeNested((TextStore) arguments[0], rows, start(group), ends[group]);
                } else {
                    array.write(arguments[0], rows, start(group), ends[group]);
                }
                writer.appendUtf8(array.segment(), 0, array.length());
            }
        }
        return writer.finish();
    }

    private long length(int group, TextStore texts, TextStore separators) {
        long length = 0;
        int start = start(group);
        for (int next = start; next < ends[group]; next++) {
            length += texts.length(rows[next]);
            length += next > start && separators.isPresent(rows[next]) ? separators.length(rows[next]) : 0;
        }
        if (length > MAX_TEXT_BYTES) {
            throw new QueryException(
                    SqlState.PROGRAM_LIMIT_EXCEEDED,
                    "string buffer exceeds maximum allowed length (" + MAX_TEXT_BYTES + " bytes)");
        }
        return length;
    }

    private static long copy(TextStore from, int row, MemorySegment to, long at) {
        int length = from.length(row);
        MemorySegment.copy(from.bytes(row), from.start(row), to, at, length);
        return at + length;
    }
}
