package dev.quarrel.core.cpu.group;

import dev.quarrel.core.budget.BudgetArena;
import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.LittleEndian;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.cpu.rows.RowStore;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Schema;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/// The grouping sets of one aggregation: the finest groups, by all keys, and the coarser ones, each made of the groups
/// of the smallest set that has all its keys.
///
/// States of groups are merged, not their results, so that each set's results are those of an aggregation of its own.
///
/// Threads share it.
final class GroupingSets {
    private final Sink.Aggregate sink;
    private final List<DataType> keyTypes;
    private final Schema schema;
    private final int tileRows;
    private final MemoryBudget budget;
    private final Pipeline finest;
    private final List<Coarser> coarser = new ArrayList<>(); // each after its parent

    /// Groups by some of the keys.
    ///
    /// @param keys places among all keys
    /// @param parent the place of what they are made of among the coarser ones, or -1 for the finest
    /// @param places of the keys among the parent's
    private record Coarser(List<Integer> keys, Pipeline pipeline, int parent, List<Integer> places) {}

    GroupingSets(Pipeline pipeline, int tileRows, MemoryBudget budget) {
        this.sink = (Sink.Aggregate) pipeline.sink();
        List<DataType> outputs = pipeline.lastProgram().outputTypes();
        this.keyTypes = sink.keys().stream().map(outputs::get).toList();
        this.schema = RowStore.schema(pipeline.rowTypes());
        this.tileRows = tileRows;
        this.budget = budget;
        this.finest = of(pipeline, sink.keys());
        sink.sets().stream()
                .map(Sink.GroupingSet::keys)
                .filter(keys -> keys.size() < sink.keys().size())
                .distinct()
                .sorted(Comparator.comparing(keys -> -keys.size()))
                .forEach(keys -> add(pipeline, keys));
    }

    private Pipeline of(Pipeline pipeline, List<Integer> outputs) {
        return new Pipeline(
                pipeline.id(),
                pipeline.source(),
                pipeline.programs(),
                pipeline.joins(),
                new Sink.Aggregate(outputs, sink.calls()));
    }

    private void add(Pipeline pipeline, List<Integer> keys) {
        int parent = -1;
        for (int set = 0; set < coarser.size(); set++) {
            if (coarser.get(set).keys().containsAll(keys)) {
                parent = set; // the last one has the fewest keys
            }
        }
        List<Integer> of = parent < 0 ? all() : coarser.get(parent).keys();
        coarser.add(new Coarser(
                keys,
                of(pipeline, keys.stream().map(sink.keys()::get).toList()),
                parent,
                keys.stream().map(of::indexOf).toList()));
    }

    private List<Integer> all() {
        return IntStream.range(0, sink.keys().size()).boxed().toList();
    }

    /// How many coarser sets there are.
    int coarserCount() {
        return coarser.size();
    }

    /// What a coarser set is made of: a coarser one before it, or -1 for the finest groups.
    int parent(int set) {
        return coarser.get(set).parent();
    }

    /// Whether no set after this one is made of the same.
    boolean isLastChild(int set) {
        return coarser.subList(set + 1, coarser.size()).stream()
                .noneMatch(later -> later.parent() == coarser.get(set).parent());
    }

    /// A coarser set's keys among those of its parent.
    List<Integer> places(int set) {
        return coarser.get(set).places();
    }

    /// An empty sink for a set's groups.
    ///
    /// @param set a coarser one, or -1 for the finest
    AggregateSink newSink(int set) {
        return new AggregateSink(set < 0 ? finest : coarser.get(set).pipeline(), tileRows, budget);
    }

    /// Groups of all coarser sets, made of the finest ones, which stay.
    ///
    /// - Memory: the caller closes them.
    List<AggregateSink> coarser(AggregateSink finestGroups) {
        List<AggregateSink> made = new ArrayList<>();
        try {
            for (Coarser set : coarser) {
                AggregateSink groups = new AggregateSink(set.pipeline(), tileRows, budget);
                made.add(groups);
                groups.addFiner(set.parent() < 0 ? finestGroups : made.get(set.parent()), set.places());
            }
            return made;
        } catch (RuntimeException | Error problem) {
            made.forEach(AggregateSink::close);
            throw problem;
        }
    }

    /// The rows of a set, as often as it is asked for.
    ///
    /// @param set a coarser one, or -1 for the finest
    List<Batch> rows(int set, AggregateSink groups, BudgetArena arena) {
        List<Integer> keys = set < 0 ? all() : coarser.get(set).keys();
        List<Sink.GroupingSet> asked =
                sink.sets().stream().filter(each -> each.keys().equals(keys)).toList();
        List<Batch> rows = new ArrayList<>();
        if (asked.isEmpty()) {
            return rows;
        }
        Pipeline own = set < 0 ? finest : coarser.get(set).pipeline();
        for (Batch batch : groups.results(own.rowTypes(), arena)) {
            for (Sink.GroupingSet each : asked) {
                rows.add(row(each, batch, arena));
            }
        }
        return rows;
    }

    private Batch row(Sink.GroupingSet set, Batch batch, BudgetArena arena) {
        int count = batch.rowCount();
        List<Column> columns = new ArrayList<>();
        for (int key = 0; key < keyTypes.size(); key++) {
            int place = set.keys().indexOf(key);
            columns.add(place >= 0 ? batch.column(place) : nothing(keyTypes.get(key), count, arena));
        }
        columns.addAll(
                batch.columns().subList(set.keys().size(), batch.columns().size()));
        set.numbers().forEach(number -> columns.add(constant(number, count, arena)));
        return Batch.view(schema, columns, count);
    }

    private static Column nothing(DataType type, int count, BudgetArena arena) {
        ColumnWriter writer = new ColumnWriter(type, arena, count);
        for (int row = 0; row < count; row++) {
            writer.appendNull();
        }
        return writer.finish();
    }

    private static Column constant(int number, int count, BudgetArena arena) {
        MemorySegment values = arena.allocate(count * 4L);
        for (int row = 0; row < count; row++) {
            values.set(LittleEndian.INT32, row * 4L, number);
        }
        return new FixedColumn(DataType.INT32, count, values, Validity.allPresent());
    }
}
