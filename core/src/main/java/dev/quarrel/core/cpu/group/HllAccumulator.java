package dev.quarrel.core.cpu.group;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.cpu.number.FloatBits;
import dev.quarrel.core.cpu.number.Int128;
import dev.quarrel.core.cpu.rows.TextCells;
import dev.quarrel.core.cpu.tile.BoolVector;
import dev.quarrel.core.cpu.tile.DecimalVector;
import dev.quarrel.core.cpu.tile.DoubleVector;
import dev.quarrel.core.cpu.tile.FloatVector;
import dev.quarrel.core.cpu.tile.IntVector;
import dev.quarrel.core.cpu.tile.LongVector;
import dev.quarrel.core.cpu.tile.TextVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.device.KeyHash;
import dev.quarrel.core.device.Sketch;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.type.DataType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;

/// The HyperLogLog aggregates: registers by group, over the hash that all devices share.
final class HllAccumulator extends Accumulator {
    private final AggregateKind kind;
    private HllRegisters[] sketches = new HllRegisters[0]; // null: nothing yet
    private int[] registerBits;

    HllAccumulator(AggregateKind kind, Reservation reservation) {
        super(reservation);
        this.kind = kind;
    }

    @Override
    int groupBytes() {
        return 4;
    }

    @Override
    void resize(int groups) {
        sketches = Arrays.copyOf(sketches, groups);
    }

    @Override
    public void bind(Vector[] further) {
        registerBits = ((IntVector) further[0]).values();
    }

    @Override
    public void add(Vector argument, int[] rows, int[] groups, int count) {
        if (kind == AggregateKind.HLL_COMBINE || kind == AggregateKind.HLL_MERGE) {
            TextVector texts = (TextVector) argument;
            for (int index = 0; index < count; index++) {
                int row = rows[index];
                addSketch(groups[index], texts.data(), texts.start(row), texts.length(row));
            }
            return;
        }
        switch (argument) {
            case IntVector ints -> {
                for (int index = 0; index < count; index++) {
                    add(groups[index], rows[index], KeyHash.of(ints.values()[rows[index]]));
                }
            }
            case LongVector longs -> {
                for (int index = 0; index < count; index++) {
                    add(groups[index], rows[index], KeyHash.of(longs.values()[rows[index]]));
                }
            }
            case FloatVector floats -> {
                for (int index = 0; index < count; index++) {
                    long word = FloatBits.canonical(floats.values()[rows[index]]);
                    add(groups[index], rows[index], KeyHash.of(word));
                }
            }
            case DoubleVector doubles -> {
                for (int index = 0; index < count; index++) {
                    long word = FloatBits.canonical(doubles.values()[rows[index]]);
                    add(groups[index], rows[index], KeyHash.of(word));
                }
            }
            case BoolVector bools -> {
                for (int index = 0; index < count; index++) {
                    add(groups[index], rows[index], KeyHash.of(bools.get(rows[index]) ? 1 : 0));
                }
            }
            case DecimalVector decimals -> addNumbers(decimals, rows, groups, count);
            case TextVector texts -> {
                for (int index = 0; index < count; index++) {
                    int row = rows[index];
                    add(groups[index], row, KeyHash.ofBytes(texts.data(), texts.start(row), texts.length(row)));
                }
            }
        }
    }

    private void addNumbers(DecimalVector numbers, int[] rows, int[] groups, int count) {
        boolean hasScale = numbers.scale() != null;
        for (int index = 0; index < count; index++) {
            int row = rows[index];
            long high = numbers.high()[row];
            long low = numbers.low()[row];
            long hash = hasScale
                    ? KeyHash.ofNumeric(Int128.toBigInteger(high, low), numbers.scale(row))
                    : numbers.type() instanceof DataType.Interval
                            ? KeyHash.ofInterval(low, high)
                            : KeyHash.ofDecimal(high, low);
            add(groups[index], row, hash);
        }
    }

    private void add(int group, int row, long hash) {
        HllRegisters sketch = sketches[group];
        if (sketch == null) {
            sketch = new HllRegisters(registerBits[row], reservation);
            sketches[group] = sketch;
        } else if (sketch.bits() != registerBits[row]) {
            sketch = only(group, registerBits[row]);
        }
        sketch.add(hash);
    }

    /// With several register counts in one group, the least is kept: so it does not matter which came first.
    private HllRegisters only(int group, int bits) {
        new HllRegisters(bits, reservation).release(); // refuses what no sketch has
        sketches[group].fold(bits);
        return sketches[group];
    }

    private void addSketch(int group, MemorySegment data, long start, int length) {
        byte[] sketch = Sketch.decode(data.asSlice(start, length).toArray(ValueLayout.JAVA_BYTE));
        if (sketches[group] == null) {
            sketches[group] = new HllRegisters(Sketch.bitsOf(sketch), reservation);
        }
        sketches[group].addSketch(sketch);
    }

    @Override
    int partialColumns() {
        return 1;
    }

    @Override
    public void partials(int[] order, int from, int count, Allocator allocator, List<Column> columns) {
        ColumnWriter writer = new ColumnWriter(DataType.UTF8, allocator, count);
        for (int index = from; index < from + count; index++) {
            HllRegisters sketch = sketches[place(order, index)];
            if (sketch == null) {
                writer.appendNull();
            } else {
                byte[] text = Base64.getEncoder().encode(sketch.toBytes());
                writer.appendUtf8(MemorySegment.ofArray(text), 0, text.length);
            }
        }
        columns.add(writer.finish());
    }

    @Override
    public void absorb(List<Column> columns, int firstColumn, int firstRow, int[] groups, int count) {
        TextCells partial = new TextCells(columns.get(firstColumn));
        for (int index = 0; index < count; index++) {
            int row = firstRow + index;
            if (partial.isPresent(row)) {
                addSketch(groups[index], partial.data(), partial.start(row), partial.length(row));
            }
        }
    }

    @Override
    public Column result(int from, int count, Allocator allocator) {
        if (kind == AggregateKind.HLL_SKETCH || kind == AggregateKind.HLL_COMBINE) {
            List<Column> columns = new ArrayList<>();
            partials(null, from, count, allocator, columns);
            return columns.getFirst();
        }
        ColumnWriter writer = new ColumnWriter(DataType.INT64, allocator, count);
        for (int group = from; group < from + count; group++) {
            writer.appendInt64(sketches[group] == null ? 0 : sketches[group].estimate());
        }
        return writer.finish();
    }
}
