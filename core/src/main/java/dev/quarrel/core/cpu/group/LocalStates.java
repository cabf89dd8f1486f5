package dev.quarrel.core.cpu.group;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.ir.LocalAggregate;
import java.util.Arrays;
import java.util.List;

/// The states of an aggregate that an application added: objects on the heap, which no file holds.
public final class LocalStates extends Accumulator {
    private static final int REFERENCE_BYTES = 8;
    private static final int ROWS_BETWEEN_CHECKS = 1 << 10;

    private final LocalAggregate aggregate;
    private Object[] states = {}; // null: no row yet
    private long[] bytes = {}; // of each state, as it was measured last; empty where all are alike
    private Vector[] further;
    private int sinceCheck;

    public LocalStates(LocalAggregate aggregate, Reservation reservation) {
        super(reservation);
        this.aggregate = aggregate;
    }

    @Override
    int groupBytes() {
        return isMeasured() ? REFERENCE_BYTES + Long.BYTES : REFERENCE_BYTES;
    }

    private boolean isMeasured() {
        return aggregate.code().isMeasured();
    }

    @Override
    void resize(int groups) {
        states = Arrays.copyOf(states, groups);
        bytes = isMeasured() ? Arrays.copyOf(bytes, groups) : bytes;
    }

    @Override
    boolean skipsNulls() {
        return aggregate.isStrict();
    }

    @Override
    boolean skipsFurtherNulls() {
        return aggregate.isStrict();
    }

    @Override
    boolean hasNoPartials() {
        return true;
    }

    @Override
    public void bind(Vector[] newFurther) {
        further = newFurther;
    }

    @Override
    public void add(Vector argument, int[] rows, int[] groups, int count) {
        for (int index = 0; index < count; index++) {
            add(groups[index], values(argument, further, rows[index], aggregate));
        }
    }

    /// The arguments of a row, as the code sees them.
    static Object[] values(Vector first, Vector[] further, int row, LocalAggregate aggregate) {
        Object[] values = new Object[aggregate.arguments().size()];
        values[0] = first.value(row);
        for (int index = 1; index < values.length; index++) {
            values[index] = further[index - 1].value(row);
        }
        return values;
    }

    private void add(int group, Object[] values) {
        check();
        if (states[group] == null) {
            start(group);
        }
        states[group] = aggregate.add(states[group], values);
        if (isMeasured()) {
            measure(group);
        }
    }

    private void check() {
        if (++sinceCheck == ROWS_BETWEEN_CHECKS) {
            sinceCheck = 0;
            reservation.budget().checkStop();
        }
    }

    private void start(int group) {
        states[group] = aggregate.start();
        if (!isMeasured()) {
            reservation.grow(aggregate.bytes(states[group]));
        }
    }

    private void measure(int group) {
        long now = aggregate.bytes(states[group]);
        if (now > bytes[group]) {
            reservation.grow(now - bytes[group]);
        } else {
            reservation.shrink(bytes[group] - now);
        }
        bytes[group] = now;
    }

    @Override
    void moveFrom(Accumulator other, int[] groups) {
        LocalStates from = (LocalStates) other;
        for (int group = 0; group < groups.length; group++) {
            check();
            Object theirs = from.states[group];
            if (theirs == null) {
                continue;
            }
            int here = groups[group];
            boolean isNew = states[here] == null;
            states[here] = isNew ? theirs : aggregate.merge(states[here], theirs);
            if (isMeasured()) {
                measure(here);
            } else if (isNew) {
                reservation.grow(aggregate.bytes(theirs));
            }
        }
    }

    @Override
    int partialColumns() {
        return 1;
    }

    @Override
    public void partials(int[] order, int from, int count, Allocator allocator, List<Column> columns) {
        throw new IllegalStateException("the states of " + aggregate.id() + " are no columns");
    }

    @Override
    public void absorb(List<Column> columns, int firstColumn, int firstRow, int[] groups, int count) {
        // They come by moveFrom.
    }

    @Override
    public Column result(int from, int count, Allocator allocator) {
        ColumnWriter writer = new ColumnWriter(aggregate.result(), allocator, count);
        for (int group = from; group < from + count; group++) {
            check();
            writer.append(aggregate.finish(states[group] == null ? aggregate.start() : states[group]));
        }
        return writer.finish();
    }
}
