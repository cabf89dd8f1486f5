package dev.quarrel.core.cpu.group;

import dev.quarrel.core.budget.BudgetArena;
import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.cpu.rows.DecimalStore;
import dev.quarrel.core.cpu.rows.KeyIndex;
import dev.quarrel.core.cpu.rows.KeyScratch;
import dev.quarrel.core.cpu.rows.Partitions;
import dev.quarrel.core.cpu.rows.RowStore;
import dev.quarrel.core.cpu.rows.ValueStore;
import dev.quarrel.core.cpu.sink.TileSink;
import dev.quarrel.core.cpu.tile.BatchInput;
import dev.quarrel.core.cpu.tile.Bits;
import dev.quarrel.core.cpu.tile.BoolVector;
import dev.quarrel.core.cpu.tile.DecimalVector;
import dev.quarrel.core.cpu.tile.IntVector;
import dev.quarrel.core.cpu.tile.LongVector;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.TileOutputs;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.device.AggregateLayout;
import dev.quarrel.core.device.Morsel;
import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.spill.ScratchMemory;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/// The sink of an aggregation on one worker: its groups and their states.
public final class AggregateSink implements TileSink {
    /// Places of a dense group index at most: its array, of 4 bytes each, should stay near the core.
    private static final long DENSE_LIMIT = 1 << 20;

    private static final int MERGE_GROUPS = 1 << 12;

    /// With more groups a row, rows are spilled as they are.
    private static final double FEW_EQUAL = 0.8;

    /// From so many tiles of groups on it is looked, whenever there are twice as many, whether rows had better wait in
    /// partitions. Fewer are in the cache of all cores.
    private static final int MANY_TILES = 32;

    /// With more rows a new group, its rows lie together, or most rows are of groups that are there.
    private static final int FEW_ROWS = 2;

    /// Rows of one key, from which on it pays to look whether all of a tile have it.
    private static final int MIN_RUN = 64;

    private final Pipeline pipeline;
    private final Sink.Aggregate sink;
    private final List<DataType> outputs;
    private final List<DataType> keyTypes;
    private final Schema layout;
    private final int tileRows;
    private final MemoryBudget budget;
    private final Vector[] keys;
    private final KeyScratch scratch;
    private final int[] rows;
    private final int[] groups;
    private BatchInput incoming;
    private Mask incomingRows;
    private Reservation reservation;
    private KeyIndex index;
    private ValueStore[] keyValues;
    private Accumulator[] accumulators;
    private long place; // of the next row in the scan: its morsel, and its number there
    private long rowsIn; // rows or groups of others, since the sink was empty
    private final Mask one;
    private final Mask presentRows; // those whose argument is
    private final int[] first = new int[64]; // the first row
    private int oneGroup = -1; // that all rows of the tile belong to; -1 for several
    private int atWork; // the state whose round it is
    private boolean passes; // each row makes a group of its own, and the merge of what is spilled finds equal ones
    private int passed; // such groups
    private boolean mayPartition;
    private PartitionedGroups partitioned; // what all further rows go to; or null
    private int groupsAtCheck; // when it was looked last whether there are many
    private long rowsAtCheck;
    private boolean hadEqual = true; // whether looking for equal groups paid before the last export

    public AggregateSink(Pipeline pipeline, int tileRows, MemoryBudget budget) {
        this.pipeline = pipeline;
        this.sink = (Sink.Aggregate) pipeline.sink();
        this.outputs = pipeline.lastProgram().outputTypes();
        this.keyTypes = sink.keys().stream().map(outputs::get).toList();
        this.layout = AggregateLayout.of(pipeline);
        this.tileRows = tileRows;
        this.budget = budget;
        this.keys = new Vector[keyTypes.size()];
        this.scratch = new KeyScratch(keys.length, tileRows);
        this.rows = new int[tileRows];
        this.groups = new int[tileRows];
        this.one = new Mask(tileRows);
        this.presentRows = new Mask(tileRows);
        start();
    }

    /// A sink whose rows may wait in partitions, for who ends it by [GroupMerge#of] and spills it by [GroupSpill].
    public static AggregateSink ofRows(Pipeline pipeline, int tileRows, MemoryBudget budget) {
        AggregateSink made = new AggregateSink(pipeline, tileRows, budget);
        made.mayPartition = PartitionedGroups.suits(made.sink);
        return made;
    }

    private void start() {
        reservation = new Reservation(budget);
        // With little memory its array must leave room for the groups.
        index = new KeyIndex(keyTypes, reservation, Math.min(DENSE_LIMIT, budget.limitBytes() / 128));
        keyValues = index.columns();
        accumulators = newAccumulators(reservation);
    }

    /// Empty states.
    Accumulator[] newAccumulators(Reservation from) {
        return sink.calls().stream()
                .map(call -> call.gathersRows()
                        ? new GatheredRows(call, outputs, from)
                        : Accumulator.of(call, call.argument() < 0 ? null : outputs.get(call.argument()), from))
                .toArray(Accumulator[]::new);
    }

    /// Groups that are in one table: those of rows that wait are not.
    public int groupCount() {
        return passes ? passed : index.size();
    }

    /// Whether groups stand at places that their keys say, whichever worker's they are.
    boolean isDense() {
        return index.isDense();
    }

    /// Whether some states are moved from worker to worker, not as columns.
    boolean movesStates() {
        return Arrays.stream(accumulators).anyMatch(Accumulator::hasNoPartials);
    }

    @Override
    public void startMorsel(Morsel morsel) {
        place = (long) morsel.index() << 32;
    }

    @Override
    public void consume(TileOutputs tile, Mask selected) {
        if (partitioned != null) {
            partitioned.add(tile, selected);
            return;
        }
        for (int key = 0; key < keys.length; key++) {
            keys[key] = tile.get(sink.keys().get(key), selected);
        }
        oneGroup = -1;
        if (!passes && selected.count() >= MIN_RUN && keys.length == 1 && isOneValue(keys[0], selected)) {
            assignOne(selected);
        } else {
            assign(selected);
        }
        for (int call = 0; call < accumulators.length; call++) {
            accumulators[call].at(place);
            add(sink.calls().get(call), accumulators[call], tile, selected);
        }
        place += selected.count();
        rowsIn += selected.count();
        if (mayPartition && !passes && index.size() >= MANY_TILES * tileRows && index.size() >= 2 * groupsAtCheck) {
            partitionIfMany();
        }
    }

    private void partitionIfMany() {
        boolean isMany = rowsIn - rowsAtCheck <= (long) FEW_ROWS * (index.size() - groupsAtCheck);
        groupsAtCheck = index.size();
        rowsAtCheck = rowsIn;
        if (isMany && !index.isDense()) {
            partitioned = new PartitionedGroups(pipeline, tileRows, reservation.bytes() / index.size(), budget);
        }
    }

    /// What the next tile, or writing all out after it, may take beside.
    long growthBytes() {
        // Tables of groups are doubled.
        return 3 * reservation.bytes() + (partitioned == null ? 0 : partitioned.reservedBytes());
    }

    /// What finishing in memory takes beside.
    ///
    /// @param isMerged whether its groups are merged with other workers'
    long resultBytes(boolean isMerged) {
        return (isMerged ? 3 : 1) * reservation.bytes() + (partitioned == null ? 0 : partitioned.resultBytes());
    }

    /// Whether rows wait in partitions.
    boolean isPartitioned() {
        return partitioned != null;
    }

    /// Cuts all that there is into partitions, for [#addPartition].
    ///
    /// @return those of the groups of one table
    Partitions cut() {
        if (partitioned != null) {
            partitioned.cut();
        }
        return partitions(0, PartitionedGroups.PARTITIONS);
    }

    /// Rows of a partition that wait.
    int waitingRows(int partition) {
        return partitioned == null ? 0 : partitioned.waitingRows(partition);
    }

    /// Adds a partition's groups to those of another sink.
    ///
    /// @param groups of [#cut]
    void addPartition(Partitions groups, int partition, AggregateSink to) {
        export(groups, partition, partition + 1, MERGE_GROUPS, (_, batch) -> to.transferIn(batch));
        if (partitioned != null) {
            partitioned.addTo(partition, to);
        }
    }

    /// Has all groups in one table.
    private void leavePartitions() {
        if (partitioned == null) {
            return;
        }
        PartitionedGroups left = partitioned;
        partitioned = null;
        mayPartition = false;
        try (left) {
            left.cut();
            for (int partition = 0; partition < PartitionedGroups.PARTITIONS; partition++) {
                left.addTo(partition, this);
            }
        }
    }

    /// Whether a key is the same in all rows, as the hour of rows in the order of time is. Cheap where it is not.
    private static boolean isOneValue(Vector key, Mask selected) {
        if (key.validity() != null) {
            return false;
        }
        int[] rows = selected.indexes();
        int count = selected.count();
        int first = rows[0];
        int last = rows[count - 1];
        long differing = 0;
        switch (key) {
            case LongVector longs -> {
                long[] values = longs.values();
                long value = values[first];
                if (values[last] != value || values[rows[count / 2]] != value) {
                    return false;
                }
                if (last - first == count - 1) {
                    for (int row = first; row <= last; row++) {
                        differing |= values[row] ^ value;
                    }
                } else {
                    for (int index = 0; index < count; index++) {
                        differing |= values[rows[index]] ^ value;
                    }
                }
            }
            case IntVector ints -> {
                int[] values = ints.values();
                int value = values[first];
                if (values[last] != value || values[rows[count / 2]] != value) {
                    return false;
                }
                for (int index = 0; index < count; index++) {
                    differing |= values[rows[index]] ^ value;
                }
            }
            default -> {
                return false;
            }
        }
        return differing == 0;
    }

    /// Numbers the group that all rows belong to.
    private void assignOne(Mask selected) {
        first[0] = selected.indexes()[0];
        one.setIndexes(first, 1, selected.rowCount());
        index.assign(keys, one, scratch);
        if (scratch.newCount > 0) {
            for (Accumulator accumulator : accumulators) {
                accumulator.ensure(groupCount());
            }
        }
        oneGroup = scratch.ids[0];
    }

    /// Numbers the rows' groups (`scratch.ids`), new ones included.
    private void assign(Mask selected) {
        int[] indexes = selected.indexes();
        if (passes) {
            pass(indexes, selected.count());
        } else {
            index.assign(keys, selected, scratch);
        }
        if (scratch.newCount > 0) {
            for (Accumulator accumulator : accumulators) {
                accumulator.ensure(groupCount());
            }
        }
        for (int key = 0; key < keys.length; key++) {
            if (keyValues[key] instanceof DecimalStore store && DecimalStore.hasForms(store.type())) {
                store.showMostDigits((DecimalVector) keys[key], indexes, scratch.ids, selected.count());
            }
        }
    }

    private void pass(int[] indexes, int count) {
        index.append(keys, indexes, count);
        for (int place = 0; place < count; place++) {
            scratch.ids[place] = passed + place;
        }
        scratch.newCount = count;
        passed += count;
    }

    private void add(AggregateCall call, Accumulator accumulator, TileOutputs tile, Mask selected) {
        Vector argument = call.argument() < 0 ? null : tile.get(call.argument(), selected);
        long[] present = argument == null || !accumulator.skipsNulls() ? null : argument.validity();
        if (call.arguments().size() > 1 || !call.order().isEmpty()) {
            present = bind(call, accumulator, tile, selected, present);
        }
        BoolVector filter = call.filter() < 0 ? null : (BoolVector) tile.get(call.filter(), selected);
        int[] indexes = selected.indexes();
        int count = selected.count();
        if (present == null && filter == null) {
            add(accumulator, argument, indexes, scratch.ids, count);
            return;
        }
        if (filter == null && (keys.length == 0 || oneGroup >= 0)) {
            presentRows.setAnd(selected, present);
            add(accumulator, argument, presentRows.indexes(), null, presentRows.count());
            return;
        }
        int kept = 0;
        for (int place = 0; place < count; place++) {
            int row = indexes[place];
            boolean counts = (present == null || Bits.get(present, row))
                    && (filter == null || filter.isPresent(row) && filter.get(row));
            rows[kept] = row;
            groups[kept] = oneGroup < 0 ? scratch.ids[place] : oneGroup;
            kept += counts ? 1 : 0;
        }
        add(accumulator, argument, rows, groups, kept);
    }

    /// Hands the arguments after the first, and the order's keys, on; the answer are the rows whose arguments are
    /// present, all for null.
    private long[] bind(AggregateCall call, Accumulator accumulator, TileOutputs tile, Mask selected, long[] first) {
        long[] present = first;
        int arguments = call.arguments().size() - 1;
        Vector[] further = new Vector[arguments + call.order().size()];
        for (int index = 0; index < further.length; index++) {
            int output = index < arguments
                    ? call.arguments().get(1 + index)
                    : call.order().get(index - arguments).output();
            further[index] = tile.get(output, selected);
            long[] validity = accumulator.skipsFurtherNulls() ? further[index].validity() : null;
            if (validity != null && present != null) {
                long[] both = present.clone();
                for (int word = 0; word < both.length; word++) {
                    both[word] &= validity[word];
                }
                present = both;
            } else if (validity != null) {
                present = validity;
            }
        }
        accumulator.bind(further);
        return present;
    }

    /// @param toGroups null where all rows are of one
    private void add(Accumulator accumulator, Vector argument, int[] fromRows, int[] toGroups, int count) {
        if (keys.length == 0) {
            accumulator.addToOne(argument, fromRows, count);
        } else if (oneGroup >= 0) {
            accumulator.addToGroup(oneGroup, argument, fromRows, count);
        } else {
            accumulator.add(argument, fromRows, toGroups, count);
        }
    }

    @Override
    public long takeRowsOut() {
        return 0; // the groups are counted at the end
    }

    @Override
    public Schema layout() {
        return layout;
    }

    @Override
    public void exportTo(Consumer<Batch> receiver) {
        leavePartitions();
        export(null, groupCount(), receiver);
        clear();
    }

    private void export(int[] order, int count, Consumer<Batch> receiver) {
        for (int from = 0; from < count; from += RowStore.BATCH_ROWS) {
            int part = Math.min(RowStore.BATCH_ROWS, count - from);
            BudgetArena arena = new BudgetArena(budget);
            Batch batch;
            try {
                batch = Batch.owning(layout, columns(order, from, part, arena, true), part, arena::close);
            } catch (RuntimeException | Error problem) {
                arena.close();
                throw problem;
            }
            receiver.accept(batch);
        }
    }

    /// Adds the groups of another worker, and closes it.
    public void merge(AggregateSink other) {
        merge(other, false);
        other.close();
    }

    /// The same where nothing but results is asked for after that. The other one is to stay open until then.
    void mergeForResults(AggregateSink other) {
        merge(other, true);
    }

    private void merge(AggregateSink other, boolean forResults) {
        leavePartitions();
        other.leavePartitions();
        boolean moves = movesStates();
        try (Reservation mapping = new Reservation(budget)) {
            mapping.grow(moves ? other.groupCount() * 4L : 0);
            int[] mapped = moves ? new int[other.groupCount()] : null;
            for (int from = 0; from < other.groupCount(); from += MERGE_GROUPS) {
                budget.checkStop();
                int count = Math.min(MERGE_GROUPS, other.groupCount() - from);
                // Outside of the heap, as all columns are: segments of one class keep the loops over them compiled.
                try (BudgetArena arena = new BudgetArena(budget)) {
                    transferIn(Batch.view(layout, other.columns(null, from, count, arena, false), count), mapped, from);
                }
            }
            for (int call = 0; call < accumulators.length; call++) {
                if (accumulators[call].hasNoPartials() && forResults) {
                    accumulators[call].adopt(other.accumulators[call], mapped);
                } else if (accumulators[call].hasNoPartials()) {
                    accumulators[call].moveFrom(other.accumulators[call], mapped);
                }
            }
        }
    }

    /// Begins the next round of what the states have to do before `results`, alone.
    ///
    /// @return its parts, 0 where no round is left
    int beginRound() {
        for (; atWork < accumulators.length; atWork++) {
            int parts = accumulators[atWork].beginRound();
            if (parts > 0) {
                return parts;
            }
        }
        return 0;
    }

    void run(int part) {
        accumulators[atWork].run(part);
    }

    /// Adds groups by more keys, which these are some of; the other sink keeps them.
    ///
    /// @param places of this sink's keys among the other's
    void addFiner(AggregateSink finer, List<Integer> places) {
        try (ScratchMemory memory = new ScratchMemory(budget)) {
            for (int from = 0; from < finer.groupCount(); from += MERGE_GROUPS) {
                addFiner(finer, places, null, from, Math.min(MERGE_GROUPS, finer.groupCount() - from), memory);
            }
        }
    }

    /// The same with those of one partition alone.
    ///
    /// @param cut the other sink's groups by the hash of this sink's keys
    void addFiner(AggregateSink finer, List<Integer> places, Partitions cut, int partition) {
        try (ScratchMemory memory = new ScratchMemory(budget)) {
            cut.forEach(
                    partition,
                    partition + 1,
                    MERGE_GROUPS,
                    (_, from, count) -> addFiner(finer, places, cut.order(), from, count, memory));
        }
    }

    private void addFiner(
            AggregateSink finer, List<Integer> places, int[] order, int from, int count, ScratchMemory memory) {
        budget.checkStop();
        List<Column> all = finer.columns(order, from, count, memory, true);
        List<Column> columns = new ArrayList<>();
        places.forEach(place -> columns.add(all.get(place)));
        columns.addAll(all.subList(finer.keys.length, all.size()));
        transferIn(Batch.view(layout, columns, count));
        memory.reset();
    }

    List<DataType> keyTypes() {
        return keyTypes;
    }

    /// The groups' keys, by group.
    ValueStore[] keyValues() {
        return keyValues;
    }

    /// The keys' hashes, or null where they were not made.
    long[] keyHashes() {
        return passes ? null : index.hashes();
    }

    /// The partial columns of the groups that `order` names from place `from` on.
    List<Column> partials(int[] order, int from, int count, Allocator allocator) {
        List<Column> columns = new ArrayList<>();
        for (Accumulator accumulator : accumulators) {
            accumulator.partials(order, from, count, allocator, columns);
        }
        return columns;
    }

    /// @param withAll whether states that can be moved are among the partial columns, or left out
    private List<Column> columns(int[] order, int from, int count, Allocator allocator, boolean withAll) {
        List<Column> columns = new ArrayList<>();
        for (ValueStore key : keyValues) {
            columns.add(key.toColumn(order, from, count, allocator));
        }
        for (Accumulator accumulator : accumulators) {
            if (withAll || !accumulator.hasNoPartials()) {
                accumulator.partials(order, from, count, allocator, columns);
            } else {
                columns.add(GatheredRows.nothing(count, allocator));
            }
        }
        return columns;
    }

    private void clear() {
        // What comes next will be alike: the index need not grow from nothing again.
        int expected = index.isDense() ? 0 : index.size() / 4;
        reservation.close();
        rowsIn = 0;
        rowsAtCheck = 0;
        groupsAtCheck = 0;
        passed = 0;
        start();
        expect(expected);
    }

    /// Says that about so many groups will come to an empty sink, of keys that are far apart.
    void expectHashed(int groups) {
        index.expectHashed(groups);
    }

    /// Says that about so many groups will come to an empty sink.
    void expect(int groups) {
        if (groups > MERGE_GROUPS && groups * 64L < budget.availableBytes() / 8) {
            index.expectHashed(groups);
        }
    }

    @Override
    public void transferIn(Batch content) {
        transferIn(content, null, 0);
    }

    /// @param mapped takes the groups here of the batch's rows from place `firstMapped` on; or null
    private void transferIn(Batch content, int[] mapped, int firstMapped) {
        try (content) {
            if (incoming == null) {
                incoming = new BatchInput(
                        content.schema().fields().stream().map(Field::type).toList(), tileRows);
                incomingRows = new Mask(tileRows);
            }
            rowsIn += content.rowCount();
            BatchInput input = incoming;
            Mask all = incomingRows;
            for (int first = 0; first < content.rowCount(); first += tileRows) {
                int count = Math.min(tileRows, content.rowCount() - first);
                all.setAll(count);
                input.moveTo(content, first, count);
                for (int key = 0; key < keys.length; key++) {
                    keys[key] = input.load(key, all);
                }
                assign(all);
                if (mapped != null) {
                    System.arraycopy(scratch.ids, 0, mapped, firstMapped + first, count);
                }
                int column = keys.length;
                for (Accumulator accumulator : accumulators) {
                    accumulator.absorb(content.columns(), column, first, scratch.ids, count);
                    column += accumulator.partialColumns();
                }
            }
        }
    }

    @Override
    public long reservedBytes() {
        return reservation.bytes() + (partitioned == null ? 0 : partitioned.reservedBytes());
    }

    @Override
    public void exportPartitions(int firstBit, int partitionCount, PartitionReceiver receiver) {
        try (Partitions partitions = partitions(firstBit, partitionCount)) {
            int chunkRows = RowStore.chunkRows(reservation.bytes(), groupCount(), RowStore.chunkBytes(budget));
            export(partitions, 0, partitionCount, chunkRows, receiver);
        }
        long rowsOut = groupCount();
        if (partitioned != null) {
            rowsIn += partitioned.rowCount();
            rowsOut += partitioned.exportPartitions(firstBit, partitionCount, receiver);
            partitioned = null;
        }
        hadEqual = passes || rowsOut < FEW_EQUAL * rowsIn;
        passes = false;
        clear();
    }

    /// After the groups were spilled, and if all to come are spilled too: where hardly any two rows were of one group,
    /// looking for such is left to the merge. Now and then the rows are looked at again.
    void leaveEqualToMerge() {
        passes = !hadEqual && !movesStates();
    }

    /// The groups by the hash of their keys.
    Partitions partitions(int firstBit, int partitionCount) {
        return Partitions.of(keyValues, keyHashes(), groupCount(), firstBit, partitionCount, budget);
    }

    /// The groups by the hash of some of their keys.
    Partitions partitions(List<Integer> places, int partitionCount) {
        ValueStore[] some = places.stream().map(place -> keyValues[place]).toArray(ValueStore[]::new);
        return Partitions.of(some, null, groupCount(), 0, partitionCount, budget);
    }

    /// Gives out the groups of partitions [first, end) as views, of use until the receiver returns.
    void export(Partitions partitions, int first, int end, int chunkRows, PartitionReceiver receiver) {
        try (ScratchMemory memory = new ScratchMemory(budget)) {
            partitions.forEach(first, end, chunkRows, (partition, from, count) -> {
                List<Column> made = columns(partitions.order(), from, count, memory, true);
                receiver.accept(partition, Batch.view(layout, made, count));
                memory.reset();
            });
        }
    }

    /// The groups with their results, as batches; without keys one row, always.
    public List<Batch> results(List<DataType> types, BudgetArena arena) {
        if (passes || partitioned != null) {
            throw new IllegalStateException("groups that may be equal");
        }
        if (keys.length == 0 && index.size() == 0) {
            Mask none = new Mask(1);
            none.setAll(1);
            assign(none);
        }
        Schema schema = RowStore.schema(types);
        List<Batch> batches = new ArrayList<>();
        for (int from = 0; from < index.size(); from += RowStore.BATCH_ROWS) {
            budget.checkStop();
            int count = Math.min(RowStore.BATCH_ROWS, index.size() - from);
            List<Column> columns = new ArrayList<>();
            for (ValueStore key : keyValues) {
                columns.add(key.toColumn(null, from, count, arena));
            }
            for (Accumulator accumulator : accumulators) {
                columns.add(accumulator.result(from, count, arena));
            }
            batches.add(Batch.view(schema, columns, count));
        }
        return batches;
    }

    @Override
    public void close() {
        reservation.close();
        if (partitioned != null) {
            partitioned.close();
        }
    }
}
