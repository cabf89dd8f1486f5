package dev.quarrel.core.cpu.group;

import static dev.quarrel.core.column.LittleEndian.INT64;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.cpu.rows.IntStore;
import dev.quarrel.core.cpu.rows.LongStore;
import dev.quarrel.core.cpu.rows.PackedRows;
import dev.quarrel.core.cpu.rows.RowSort;
import dev.quarrel.core.cpu.rows.RowStore;
import dev.quarrel.core.cpu.rows.TextCells;
import dev.quarrel.core.cpu.rows.ValueStore;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.ir.SortKey;
import dev.quarrel.core.type.DataType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Aggregates that need a group's rows in order. Rows are kept as they come, column by column, with their group's
/// number and their place in the scan; the end sorts them by group, by the order's keys, and by place: so the result
/// does not depend on which worker had them, or when.
final class GatheredRows extends Accumulator {
    /// With fewer rows one thread picks percentiles as quickly.
    private static final int FEW_ROWS = 1 << 15;

    private static final int GROUP = 0;
    private static final int PLACE = 1;
    private static final int ARGUMENT = 2;

    private final AggregateCall call;
    private final ValueStore[] columns; // group, place, arguments, keys that are no arguments
    private final int[] keyColumns;
    private Vector[] further;
    private long place;
    private int groupCount;
    private int[] byGroup; // rows of one group behind those of another, or null
    private int[] ends; // by group: where its rows end in `byGroup`
    private final List<Adopted> adopted = new ArrayList<>();
    private OrderedGroups ordered;
    private Percentiles percentiles;

    /// Another worker's rows, and the group here of each of its groups.
    private record Adopted(GatheredRows rows, int[] groups) {}

    GatheredRows(AggregateCall call, List<DataType> outputs, Reservation reservation) {
        super(reservation);
        this.call = call;
        List<DataType> types = new ArrayList<>(List.of(DataType.INT32, DataType.INT64));
        call.arguments().forEach(argument -> types.add(outputs.get(argument)));
        this.keyColumns = new int[call.order().size()];
        for (int key = 0; key < keyColumns.length; key++) {
            int output = call.order().get(key).output();
            int argument = call.arguments().indexOf(output);
            keyColumns[key] = argument >= 0 ? ARGUMENT + argument : types.size();
            if (argument < 0) {
                types.add(outputs.get(output));
            }
        }
        this.columns =
                types.stream().map(type -> ValueStore.of(type, reservation)).toArray(ValueStore[]::new);
    }

    @Override
    int groupBytes() {
        return 0;
    }

    @Override
    void resize(int groups) {
        groupCount = groups;
    }

    @Override
    boolean skipsNulls() {
        return !call.keepsNulls();
    }

    @Override
    boolean skipsFurtherNulls() {
        return false;
    }

    @Override
    void at(long newPlace) {
        place = newPlace;
    }

    @Override
    public void bind(Vector[] newFurther) {
        further = newFurther;
    }

    @Override
    public void add(Vector argument, int[] rows, int[] groups, int count) {
        addPlaces(groups, count);
        columns[ARGUMENT].append(argument, rows, count);
        int arguments = call.arguments().size();
        for (int index = 1; index < arguments; index++) {
            columns[ARGUMENT + index].append(further[index - 1], rows, count);
        }
        for (int key = 0; key < keyColumns.length; key++) {
            if (keyColumns[key] >= ARGUMENT + arguments) {
                columns[keyColumns[key]].append(further[arguments - 1 + key], rows, count);
            }
        }
    }

    private void addPlaces(int[] groups, int count) {
        changed();
        int first = columns[GROUP].size();
        columns[GROUP].grow(count);
        System.arraycopy(groups, 0, groupNumbers(), first, count);
        columns[PLACE].grow(count);
        long[] places = places();
        for (int index = 0; index < count; index++) {
            places[first + index] = place++;
        }
    }

    private void changed() {
        if (byGroup != null) {
            reservation.shrink(byGroup.length * 4L + ends.length * 4L);
            byGroup = null;
        }
    }

    private int[] groupNumbers() {
        return ((IntStore) columns[GROUP]).values();
    }

    private long[] places() {
        return ((LongStore) columns[PLACE]).values();
    }

    @Override
    boolean hasNoPartials() {
        return true;
    }

    @Override
    void moveFrom(Accumulator gathered, int[] groups) {
        GatheredRows other = (GatheredRows) gathered;
        changed();
        int first = columns[GROUP].size();
        int count = other.columns[GROUP].size();
        for (int column = 0; column < columns.length; column++) {
            columns[column].append(other.columns[column], 0, count);
        }
        int[] numbers = groupNumbers();
        for (int row = first; row < first + count; row++) {
            numbers[row] = groups[numbers[row]];
        }
    }

    @Override
    void adopt(Accumulator gathered, int[] groups) {
        reservation.grow(groups.length * 4L);
        adopted.add(new Adopted((GatheredRows) gathered, groups));
    }

    private void moveAdopted() {
        for (Adopted other : adopted) {
            moveFrom(other.rows, other.groups);
            reservation.shrink(other.groups.length * 4L);
        }
        adopted.clear();
    }

    @Override
    int partialColumns() {
        return 1;
    }

    /// The partial column of groups that have no rows.
    static Column nothing(int count, Allocator allocator) {
        ColumnWriter writer = new ColumnWriter(DataType.UTF8, allocator, count);
        for (int group = 0; group < count; group++) {
            writer.appendNull();
        }
        return writer.finish();
    }

    @Override
    public void partials(int[] order, int from, int count, Allocator allocator, List<Column> to) {
        groupRows();
        ColumnWriter writer = new ColumnWriter(DataType.UTF8, allocator, count);
        try (PackedRows packed = new PackedRows(new Reservation(reservation.budget()))) {
            for (int index = from; index < from + count; index++) {
                int group = place(order, index);
                int start = group == 0 ? 0 : ends[group - 1];
                if (start == ends[group]) {
                    writer.appendNull();
                    continue;
                }
                packed.clear();
                for (int next = start; next < ends[group]; next++) {
                    packed.appendLong(places()[byGroup[next]]);
                    for (int column = ARGUMENT; column < columns.length; column++) {
                        packed.append(columns[column], byGroup[next]);
                    }
                }
                writer.appendUtf8(packed.segment(), 0, packed.size());
            }
        }
        to.add(writer.finish());
    }

    private void groupRows() {
        if (byGroup != null) {
            return;
        }
        int rowCount = columns[GROUP].size();
        reservation.growToSpill(rowCount * 4L + groupCount * 4L);
        ends = new int[groupCount];
        byGroup = OrderedGroups.byGroup(groupNumbers(), rowCount, ends);
    }

    @Override
    public void absorb(List<Column> partial, int firstColumn, int firstRow, int[] groups, int count) {
        TextCells cells = new TextCells(partial.get(firstColumn));
        for (int index = 0; index < count; index++) {
            int row = firstRow + index;
            if (!cells.isPresent(row)) {
                continue;
            }
            changed();
            long at = cells.start(row);
            long end = at + cells.length(row);
            while (at < end) {
                int number = columns[GROUP].size();
                columns[GROUP].grow(1);
                groupNumbers()[number] = groups[index];
                columns[PLACE].grow(1);
                places()[number] = cells.data().get(INT64, at);
                at += 8;
                for (int column = ARGUMENT; column < columns.length; column++) {
                    at = PackedRows.read(cells.data(), at, columns[column]);
                }
            }
        }
    }

    @Override
    public Column result(int from, int count, Allocator allocator) {
        Column selected = selectable() ? selected().result(from, count, allocator) : null;
        if (selected != null) {
            return selected;
        }
        if (ordered == null) {
            ordered = sorted();
        }
        return ordered.result(call, from, count, allocator);
    }

    /// Whether the n-th value can be found without sorting.
    private boolean selectable() {
        boolean isPercentile = call.kind().isOrderedSet() && call.kind() != AggregateKind.MODE;
        return isPercentile && ordered == null && keyColumns[0] == ARGUMENT && WordGroups.isFor(columns[ARGUMENT]);
    }

    @Override
    int beginRound() {
        long rowCount = columns[GROUP].size();
        for (Adopted other : adopted) {
            rowCount += other.rows.columns[GROUP].size();
        }
        return selectable() && rowCount >= FEW_ROWS ? selected().beginRound() : 0;
    }

    @Override
    void run(int part) {
        percentiles.run(part);
    }

    private Percentiles selected() {
        if (percentiles == null) {
            List<WordGroups.Rows> pieces = new ArrayList<>();
            List<ValueStore> fractions = new ArrayList<>();
            pieces.add(new WordGroups.Rows(columns[ARGUMENT], groupNumbers(), null));
            fractions.add(columns[ARGUMENT + 1]);
            for (Adopted other : adopted) {
                pieces.add(new WordGroups.Rows(other.rows.columns[ARGUMENT], other.rows.groupNumbers(), other.groups));
                fractions.add(other.rows.columns[ARGUMENT + 1]);
            }
            percentiles = new Percentiles(
                    call.kind(),
                    pieces,
                    fractions,
                    groupCount,
                    call.order().getFirst().descending(),
                    reservation);
        }
        return percentiles;
    }

    private OrderedGroups sorted() {
        moveAdopted();
        List<SortKey> keys = new ArrayList<>(List.of(ascending(GROUP)));
        for (int key = 0; key < keyColumns.length; key++) {
            SortKey wanted = call.order().get(key);
            keys.add(new SortKey(keyColumns[key], wanted.descending(), wanted.nullsFirst()));
        }
        if (!isDecidedByKeys()) {
            keys.add(ascending(PLACE));
        }
        int rowCount = columns[GROUP].size();
        try (RowSort sort = new RowSort(
                List.of(new RowStore(columns, reservation)), keys, 0, Long.MAX_VALUE, reservation.budget())) {
            sort.run();
            reservation.grow(rowCount * 4L + groupCount * 4L);
            int[] ends = OrderedGroups.ends(groupNumbers(), rowCount, groupCount);
            ValueStore[] arguments = Arrays.copyOfRange(
                    columns, ARGUMENT, ARGUMENT + call.arguments().size());
            ValueStore[] by = Arrays.stream(keyColumns)
                    .mapToObj(column -> columns[column])
                    .toArray(ValueStore[]::new);
            return new OrderedGroups(arguments, by, sort.ids(), ends, reservation);
        }
    }

    private static SortKey ascending(int column) {
        return new SortKey(column, false, false);
    }

    /// Whether rows that are equal in the order's keys can change places, and nobody can tell: their only value is the
    /// key, and equal ones look equal.
    private boolean isDecidedByKeys() {
        boolean looksEqual =
                switch (columns[ARGUMENT].type()) {
                    case DataType.Float32 _, DataType.Float64 _, DataType.Numeric _, DataType.Interval _ -> false;
                    default -> true;
                };
        return call.kind().isOrderedSet() && keyColumns[0] == ARGUMENT && looksEqual;
    }
}
