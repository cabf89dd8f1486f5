package dev.quarrel.core.cpu.group;

import dev.quarrel.core.budget.BudgetArena;
import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.cpu.rows.Partitions;
import dev.quarrel.core.cpu.rows.RowStore;
import dev.quarrel.core.cpu.rows.ValueStore;
import dev.quarrel.core.cpu.tile.BatchInput;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.TileOutputs;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.device.SinkState;
import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/// One worker's rows of so many groups that a table of them is in no cache: they are kept by the hash of their keys, as
/// keys and arguments, and each partition's rows are grouped by themselves, later, in a table of its own that is in
/// cache.
///
/// Rows come into a buffer, which is cut into a batch a partition whenever it is full. The batches wait for the end, or
/// until memory is short.
///
/// - Source: radix partitioning, as in Balkesen et al., "Main-Memory Hash Joins on Multi-Core CPUs" (ICDE 2013), for
///   groups.
/// - Memory: reserved. Text with a dictionary is kept as codes.
///
/// One thread adds. Then several may take different partitions ([#addTo]).
final class PartitionedGroups implements AutoCloseable {
    static final int PARTITIONS = 128;

    private static final int BUFFER_TILES = 16;
    /// Tables of partitions at a time, when results are made, as a part of those of all rows.
    private static final int TABLES_PART = 16;

    private final Pipeline pipeline;
    private final int tileRows;
    private final long groupBytes;
    private final long resultRowBytes; // but for texts
    private final MemoryBudget budget;
    private final int keyCount;
    private final int[] outputs; // that are kept, the keys first
    private final int[] columns; // by output
    private final Schema schema;
    private final Vector[] vectors;
    private final RowStore buffer;
    private final List<List<Batch>> waiting = new ArrayList<>(); // by partition
    private final BudgetArena arena; // of what waits
    private int waitingRows;

    /// @param groupBytes what a group takes in a table, about
    PartitionedGroups(Pipeline pipeline, int tileRows, long groupBytes, MemoryBudget budget) {
        this.pipeline = pipeline;
        this.tileRows = tileRows;
        this.groupBytes = groupBytes;
        this.resultRowBytes = pipeline.rowTypes().stream()
                .mapToLong(type -> 1 + Math.max(0, type.byteWidth()))
                .sum();
        this.budget = budget;
        Sink.Aggregate sink = (Sink.Aggregate) pipeline.sink();
        List<DataType> types = pipeline.lastProgram().outputTypes();
        this.keyCount = sink.keys().size();
        // A key that is an argument too has two columns.
        int[] arguments = sink.calls().stream()
                .flatMapToInt(call -> IntStream.concat(
                        call.arguments().stream().mapToInt(Integer::intValue), IntStream.of(call.filter())))
                .filter(output -> output >= 0 && !sink.keys().contains(output))
                .distinct()
                .toArray();
        this.outputs = IntStream.concat(sink.keys().stream().mapToInt(Integer::intValue), Arrays.stream(arguments))
                .toArray();
        this.columns = new int[types.size()];
        for (int column = outputs.length - 1; column >= 0; column--) {
            columns[outputs[column]] = column;
        }
        List<DataType> kept = Arrays.stream(outputs).mapToObj(types::get).toList();
        this.schema = RowStore.schema(kept);
        this.vectors = new Vector[outputs.length];
        this.buffer = new RowStore(kept, budget);
        this.arena = new BudgetArena(budget);
        for (int partition = 0; partition < PARTITIONS; partition++) {
            waiting.add(new ArrayList<>());
        }
    }

    /// Whether an aggregation's rows may come in any order, with nothing but their values.
    static boolean suits(Sink.Aggregate sink) {
        return !sink.keys().isEmpty()
                && sink.sets().isEmpty()
                && sink.calls().stream().allMatch(PartitionedGroups::suits);
    }

    private static boolean suits(AggregateCall call) {
        boolean asksForPlace = call.kind() == AggregateKind.ANY_VALUE
                || call.kind() == AggregateKind.FIRST
                || call.kind() == AggregateKind.LAST;
        return !asksForPlace && !call.gathersRows() && !call.staysInMemory();
    }

    long reservedBytes() {
        return buffer.reservation().bytes() + arena.bytes();
    }

    /// What finishing in memory takes beside, at most: the results, and tables of a few partitions.
    long resultBytes() {
        return reservedBytes() + rowCount() * (resultRowBytes + groupBytes / TABLES_PART);
    }

    /// Keeps the rows of a tile.
    void add(TileOutputs tile, Mask selected) {
        for (int column = 0; column < outputs.length; column++) {
            vectors[column] = tile.get(outputs[column], selected);
        }
        buffer.append(vectors, selected);
        if (buffer.rowCount() >= BUFFER_TILES * tileRows) {
            cut();
        }
    }

    /// Cuts the buffer into partitions.
    void cut() {
        ValueStore[] keys =
                IntStream.range(0, keyCount).mapToObj(buffer::column).toArray(ValueStore[]::new);
        try (Partitions partitions = Partitions.of(keys, null, buffer.rowCount(), 0, PARTITIONS, budget)) {
            partitions.forEach(0, PARTITIONS, buffer.rowCount(), (partition, from, count) -> {
                List<Column> cut = buffer.toColumns(partitions.order(), from, count, arena);
                waiting.get(partition).add(Batch.view(schema, cut, count));
            });
        }
        waitingRows += buffer.rowCount();
        buffer.reset();
    }

    int waitingRows(int partition) {
        return waiting.get(partition).stream().mapToInt(Batch::rowCount).sum();
    }

    /// Adds a partition's rows to groups, when the last one has been [#cut].
    void addTo(int partition, AggregateSink groups) {
        BatchInput input =
                new BatchInput(schema.fields().stream().map(Field::type).toList(), tileRows);
        Mask all = new Mask(tileRows);
        TileOutputs tile = (output, rows) -> input.load(columns[output], rows);
        for (Batch batch : waiting.get(partition)) {
            budget.checkStop();
            for (int first = 0; first < batch.rowCount(); first += tileRows) {
                int count = Math.min(tileRows, batch.rowCount() - first);
                all.setAll(count);
                input.moveTo(batch, first, count);
                groups.consume(tile, all);
            }
        }
    }

    /// Gives out the groups of all rows by the hash of their keys ([SinkState#exportPartitions]); no row is kept then.
    ///
    /// @return how many groups they were
    long exportPartitions(int firstBit, int partitionCount, SinkState.PartitionReceiver receiver) {
        cut();
        long count = 0;
        for (int partition = 0; partition < PARTITIONS; partition++) {
            try (AggregateSink groups = new AggregateSink(pipeline, tileRows, budget)) {
                groups.expectHashed(waitingRows(partition) / 2);
                addTo(partition, groups);
                count += groups.groupCount();
                groups.exportPartitions(firstBit, partitionCount, receiver);
            }
        }
        close();
        return count;
    }

    int rowCount() {
        return waitingRows + buffer.rowCount();
    }

    @Override
    public void close() {
        buffer.close();
        arena.close();
        waiting.forEach(List::clear);
    }
}
