package dev.quarrel.core.ir;

import dev.quarrel.core.type.DataType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/// Refuses a malformed plan before anything runs it: programs ([ProgramVerifier]), and how pipelines fit together.
///
/// - Errors: [IllegalArgumentException] that names the pipeline.
public final class PlanVerifier {
    private final QueryPlan plan;
    private final Map<Integer, Pipeline> earlier = new HashMap<>();
    private final Set<Integer> read = new HashSet<>();
    private final Set<Integer> fed = new HashSet<>();

    private PlanVerifier(QueryPlan plan) {
        this.plan = plan;
    }

    public static void verify(QueryPlan plan) {
        new PlanVerifier(plan).run();
    }

    private void run() {
        require(!plan.pipelines().isEmpty(), "a plan needs a pipeline");
        for (Pipeline pipeline : plan.pipelines()) {
            try {
                check(pipeline);
            } catch (IllegalArgumentException problem) {
                throw new IllegalArgumentException("pipeline " + pipeline.id() + ": " + problem.getMessage(), problem);
            }
            require(earlier.put(pipeline.id(), pipeline) == null, "two pipelines have id " + pipeline.id());
        }
        for (Pipeline pipeline : plan.pipelines()) {
            require(
                    !(pipeline.sink() instanceof Sink.Feed) || fed.contains(pipeline.id()),
                    "pipeline " + pipeline.id() + " feeds nobody");
        }
        require(plan.root().sink() instanceof Sink.Result, "the last pipeline must end in a result");
        checkFilters();
    }

    /// A filter may come from a later pipeline: none may wait for one that waits for it.
    private void checkFilters() {
        for (Pipeline pipeline : plan.pipelines()) {
            for (RuntimeFilter filter : pipeline.filters()) {
                Pipeline maker = earlier.get(filter.build());
                require(
                        maker != null && maker.sink() instanceof Sink.HashBuild,
                        "pipeline " + filter.build() + " builds no table");
                requireIndex(filter.buildColumn(), maker.rowTypes().size(), "column");
                requireIndex(filter.column(), pipeline.source().types().size(), "column");
                require(
                        pipeline.source()
                                .types()
                                .get(filter.column())
                                .equals(maker.rowTypes().get(filter.buildColumn())),
                        "a filter's values must have the column's type");
                require(pipeline.source() instanceof Source.TableScan, "a filter is a scan's");
            }
        }
        Map<Integer, Boolean> isOpen = new HashMap<>();
        plan.pipelines().forEach(pipeline -> checkEnds(pipeline, isOpen));
    }

    private void checkEnds(Pipeline pipeline, Map<Integer, Boolean> isOpen) {
        Boolean before = isOpen.putIfAbsent(pipeline.id(), true);
        require(before == null || !before, "pipeline " + pipeline.id() + " waits for itself");
        if (before == null) {
            pipeline.inputs().forEach(input -> checkEnds(maker(input), isOpen));
            pipeline.filters().forEach(filter -> checkEnds(maker(filter.build()), isOpen));
            isOpen.put(pipeline.id(), false);
        }
    }

    private void check(Pipeline pipeline) {
        checkSource(pipeline.source());
        List<DataType> inputs = pipeline.source().types();
        for (int index = 0; index < pipeline.programs().size(); index++) {
            Program program = pipeline.programs().get(index);
            require(
                    program.inputs().equals(inputs),
                    "program " + index + " takes " + program.inputs() + ", gets " + inputs);
            ProgramVerifier.verify(program, plan.slots());
            if (index < pipeline.joins().size()) {
                inputs = joined(program.outputTypes(), pipeline.joins().get(index));
            }
        }
        checkSink(pipeline.sink(), pipeline.lastProgram().outputTypes());
    }

    private void checkSource(Source source) {
        switch (source) {
            case Source.TableScan scan -> {
                require(scan.columnNames().size() == scan.types().size(), "a scan needs a type a column");
                for (ColumnRange range : scan.ranges()) {
                    requireIndex(range.column(), scan.types().size(), "column");
                    for (int slot : new int[] {range.low(), range.high()}) {
                        if (slot >= 0) {
                            requireIndex(slot, plan.slots().size(), "slot");
                            require(
                                    plan.slots()
                                            .get(slot)
                                            .type()
                                            .equals(scan.types().get(range.column())),
                                    "a range's bound must have the column's type");
                        }
                    }
                }
            }
            case Source.Rows(int pipeline, List<DataType> types) -> {
                Pipeline maker = maker(pipeline);
                require(
                        maker.sink() instanceof Sink.Aggregate
                                || maker.sink() instanceof Sink.Sort
                                || maker.sink() instanceof Sink.Last
                                || maker.sink() instanceof Sink.Collect
                                || maker.sink() instanceof Sink.Window,
                        "pipeline " + pipeline + " makes no rows");
                require(
                        read.add(pipeline) || maker.sink().isReadAgain(),
                        "rows of pipeline " + pipeline + " read twice");
                require(maker.rowTypes().equals(types), "rows of " + maker.rowTypes() + " read as " + types);
            }
            case Source.Union(List<Integer> pipelines, List<DataType> types) -> {
                for (int id : pipelines) {
                    Pipeline feeding = maker(id);
                    require(feeding.sink() instanceof Sink.Feed, "pipeline " + id + " feeds no other");
                    require(fed.add(id), "pipeline " + id + " feeds two pipelines");
                    require(
                            feeding.rowTypes().equals(types),
                            "rows of " + feeding.rowTypes() + " of pipeline " + id + " taken as " + types);
                }
            }
            case Source.Values(int rowCount, List<DataType> types, List<Integer> slots) -> {
                require(rowCount >= 0 && (long) rowCount * types.size() == slots.size(), "values need a slot each");
                IntStream.range(0, slots.size()).forEach(index -> {
                    requireIndex(slots.get(index), plan.slots().size(), "slot");
                    require(
                            plan.slots().get(slots.get(index)).type().equals(types.get(index % types.size())),
                            "a value must have its column's type");
                });
            }
        }
    }

    private List<DataType> joined(List<DataType> outputs, Join join) {
        Pipeline maker = maker(join.build());
        if (!(maker.sink() instanceof Sink.HashBuild(List<Integer> keys, List<Integer> payload, boolean nullKeys))) {
            throw new IllegalArgumentException("pipeline " + join.build() + " builds no table");
        }
        List<DataType> built = maker.rowTypes();
        require(join.keys().size() == keys.size(), "a probe by " + join.keys().size() + " keys of " + keys.size());
        for (int index = 0; index < keys.size(); index++) {
            requireIndex(join.keys().get(index), outputs.size(), "output");
            require(outputs.get(join.keys().get(index)).equals(built.get(index)), "key " + index + " has another type");
        }
        JoinKind kind = join.kind();
        require(kind.hasPayload() || join.payload().isEmpty(), "a " + kind + " join has no payload");
        require(kind.hasCarried() || join.carried().isEmpty(), "a " + kind + " join carries nothing");
        require(nullKeys || !kind.needsNullKeys(), "a " + kind + " join needs a build that keeps NULL keys");
        require(
                kind != JoinKind.MARK_IN || keys.size() == 1 && join.residual() == null,
                "a " + kind + " join has one key and no residual");
        List<DataType> payloadTypes = built.subList(keys.size(), built.size());
        if (join.residual() != null) {
            checkResidual(join.residual(), kind, outputs, payloadTypes);
        }
        if (join.nearest() != null) {
            checkNearest(join.nearest(), kind, outputs, payloadTypes);
        }
        if (join.range() != null) {
            require(kind != JoinKind.MARK_IN && join.nearest() == null, "a " + kind + " join has no range");
            checkRange(join.range(), outputs, payloadTypes);
        }
        List<DataType> types = pairTypes(join.carried(), join.payload(), outputs, payloadTypes);
        if (kind.hasMark()) {
            types.add(DataType.BOOL);
        }
        return types;
    }

    private static void checkNearest(
            Join.Nearest nearest, JoinKind kind, List<DataType> outputs, List<DataType> payloadTypes) {
        require(kind == JoinKind.INNER || kind == JoinKind.LEFT, "a " + kind + " join has no nearest rows");
        requireIndex(nearest.probe(), outputs.size(), "output");
        requireIndex(nearest.payload(), payloadTypes.size(), "payload column");
        DataType type = outputs.get(nearest.probe());
        require(type.equals(payloadTypes.get(nearest.payload())), "the nearest row has another type");
        require(Join.Nearest.takes(type), "no row is the nearest by a " + type);
        require(
                nearest.relation() != Relation.EQ && nearest.relation() != Relation.NE,
                "the nearest row of those that are " + nearest.relation().symbol());
    }

    private void checkRange(Join.Range range, List<DataType> outputs, List<DataType> payloadTypes) {
        Program program = range.program();
        List<DataType> inputs = pairTypes(range.carried(), List.of(), outputs, payloadTypes);
        require(program.inputs().equals(inputs), "a range takes " + program.inputs() + ", gets " + inputs);
        ProgramVerifier.verify(program, plan.slots());
        require(program.selection() == 0, "a range's bounds are of all rows");
        requireIndex(range.payload(), payloadTypes.size(), "payload column");
        DataType type = payloadTypes.get(range.payload());
        require(Join.Range.takes(type), "no range of a " + type);
        checkBound(range.lower(), Relation.GE, Relation.GT, type);
        checkBound(range.upper(), Relation.LE, Relation.LT, type);
        require(
                !range.prevailing() || new Join.Range.Bound(Relation.GE, 0).equals(range.lower()),
                "a row prevails at a lower bound");
        int bounds = (range.lower() == null ? 0 : 1) + (range.upper() == null ? 0 : 1);
        require(
                bounds > 0 && program.outputTypes().equals(Collections.nCopies(bounds, type)),
                "a range of a " + type + " between " + program.outputTypes());
    }

    private static void checkBound(Join.Range.Bound bound, Relation with, Relation without, DataType type) {
        require(
                bound == null || bound.relation() == with || bound.relation() == without,
                "a bound of a range that is " + bound);
        require(
                bound == null || bound.shift() == 0 || Join.Range.shifts(type),
                "a bound of a range of a " + type + " that is " + bound);
    }

    private void checkResidual(
            Join.Residual residual, JoinKind kind, List<DataType> outputs, List<DataType> payloadTypes) {
        Program program = residual.program();
        List<DataType> inputs = pairTypes(residual.carried(), residual.payload(), outputs, payloadTypes);
        require(program.inputs().equals(inputs), "a residual takes " + program.inputs() + ", gets " + inputs);
        ProgramVerifier.verify(program, plan.slots());
        List<DataType> wanted = kind == JoinKind.MARK ? List.of(DataType.BOOL) : List.of();
        require(program.outputTypes().equals(wanted), "a " + kind + " join's residual gives " + program.outputTypes());
        require(kind != JoinKind.MARK || program.selection() == 0, "a mark's residual selects all pairs");
    }

    private static List<DataType> pairTypes(
            List<Integer> carried, List<Integer> payload, List<DataType> outputs, List<DataType> payloadTypes) {
        List<DataType> types = new ArrayList<>();
        for (int output : carried) {
            requireIndex(output, outputs.size(), "output");
            types.add(outputs.get(output));
        }
        for (int column : payload) {
            requireIndex(column, payloadTypes.size(), "payload column");
            types.add(payloadTypes.get(column));
        }
        return types;
    }

    private void checkSink(Sink sink, List<DataType> outputs) {
        switch (sink) {
            case Sink.Result(List<String> names, Sink.Bound offset, Sink.Bound limit) -> {
                require(names.size() == outputs.size(), names.size() + " names for " + outputs.size() + " outputs");
                checkBound(offset);
                checkBound(limit);
            }
            case Sink.HashBuild(List<Integer> keys, List<Integer> payload, boolean _) -> {
                keys.forEach(output -> requireIndex(output, outputs.size(), "output"));
                payload.forEach(output -> requireIndex(output, outputs.size(), "output"));
            }
            case Sink.Aggregate(List<Integer> keys, List<AggregateCall> calls, List<Sink.GroupingSet> sets) -> {
                keys.forEach(output -> requireIndex(output, outputs.size(), "output"));
                calls.forEach(call -> checkCall(call, outputs));
                require(sets.isEmpty() || !keys.isEmpty(), "grouping sets need keys");
                for (Sink.GroupingSet set : sets) {
                    set.keys().forEach(key -> requireIndex(key, keys.size(), "key"));
                    require(
                            set.keys()
                                    .equals(set.keys().stream()
                                            .sorted()
                                            .distinct()
                                            .toList()),
                            "keys " + set.keys() + " of a set are out of order");
                    require(
                            set.numbers().size() == sets.getFirst().numbers().size(),
                            "grouping sets have as many numbers as each other");
                }
                require(
                        sets.isEmpty() || calls.stream().noneMatch(call -> call.local() != null),
                        "states that leave no process are not of groups of groups");
            }
            case Sink.Sort(List<SortKey> keys, Sink.Bound offset, Sink.Bound limit) -> {
                keys.forEach(key -> requireIndex(key.output(), outputs.size(), "output"));
                checkBound(offset);
                checkBound(limit);
            }
            case Sink.Last(Sink.Bound rows) -> checkBound(rows);
            case Sink.Collect _, Sink.Feed _ -> {}
            case Sink.Window window -> {
                window.keys().forEach(key -> requireIndex(key.output(), outputs.size(), "output"));
                window.calls().forEach(call -> checkCall(window, call, outputs));
                require(
                        window.first().isAll()
                                || window.first().rows() >= 0
                                        && window.calls().stream().allMatch(WindowCall::looksBack),
                        "functions that see rows that are left out");
            }
        }
    }

    private static void checkCall(AggregateCall call, List<DataType> outputs) {
        DataType argument = null;
        if (call.kind() == AggregateKind.COUNT_STAR) {
            require(call.arguments().isEmpty(), "count(*) takes no argument");
        } else {
            requireIndex(call.argument(), outputs.size(), "output");
            argument = outputs.get(call.argument());
            List<DataType> further = call.furtherTypes(argument);
            require(
                    call.arguments().size() == 1 + further.size(),
                    call.kind() + " of " + call.arguments().size());
            for (int index = 0; index < further.size(); index++) {
                int output = call.arguments().get(1 + index);
                requireIndex(output, outputs.size(), "output");
                require(
                        call.kind().takesInPlace(further.get(index), outputs.get(output)),
                        call.kind() + " does not take " + outputs.get(output));
            }
        }
        require(call.resultType(argument) != null, call.kind() + " does not take " + argument);
        call.order().forEach(key -> requireIndex(key.output(), outputs.size(), "output"));
        require(call.order().isEmpty() || call.kind().isOrdered(), call.kind() + " has no order");
        require(!call.kind().isOrderedSet() || call.order().size() == 1, call.kind() + " needs one order key");
        if (call.filter() != -1) {
            requireIndex(call.filter(), outputs.size(), "output");
            require(outputs.get(call.filter()) instanceof DataType.Bool, "a filter must be a bool");
        }
    }

    private static void checkCall(Sink.Window window, WindowCall call, List<DataType> outputs) {
        switch (call) {
            case WindowCall.Position _ -> {}
            case WindowCall.Ntile(int buckets) -> requireType(buckets, DataType.INT32, outputs);
            case WindowCall.Shift(int argument, int distance, int fallback, boolean _) -> {
                requireIndex(argument, outputs.size(), "output");
                if (distance != -1) {
                    requireType(distance, DataType.INT32, outputs);
                }
                if (fallback != -1) {
                    requireType(fallback, outputs.get(argument), outputs);
                }
            }
            case WindowCall.Pick(WindowCall.PickKind kind, int argument, int place, WindowFrame frame) -> {
                requireIndex(argument, outputs.size(), "output");
                if (kind == WindowCall.PickKind.NTH_VALUE) {
                    requireType(place, DataType.INT32, outputs);
                }
                checkFrame(window, frame, outputs);
            }
            case WindowCall.Aggregate(AggregateCall aggregate, WindowFrame frame) -> {
                require(aggregate.order().isEmpty(), "an aggregate over frames has the window's order");
                checkCall(aggregate, outputs);
                require(call.resultType(outputs) != null, aggregate.kind() + " is no window function");
                checkFrame(window, frame, outputs);
            }
        }
    }

    private static void checkFrame(Sink.Window window, WindowFrame frame, List<DataType> outputs) {
        for (WindowFrame.Edge edge : List.of(frame.start(), frame.end())) {
            if (!edge.kind().hasOffset()) {
                continue;
            }
            if (frame.mode() != WindowFrame.Mode.RANGE) {
                requireType(edge.offset(), DataType.INT64, outputs);
                continue;
            }
            require(window.order().size() == 1, "RANGE with an offset needs one order key");
            requireType(edge.value(), outputs.get(window.order().getFirst().output()), outputs);
            if (edge.offset() != -1) {
                requireIndex(edge.offset(), outputs.size(), "output");
            }
        }
        require(
                frame.start().kind() != WindowFrame.EdgeKind.UNBOUNDED_FOLLOWING
                        && frame.end().kind() != WindowFrame.EdgeKind.UNBOUNDED_PRECEDING,
                "a frame cannot start behind its partition or end before it");
    }

    private static void requireType(int output, DataType type, List<DataType> outputs) {
        requireIndex(output, outputs.size(), "output");
        require(outputs.get(output).equals(type), "output " + output + " must be " + type);
    }

    private void checkBound(Sink.Bound bound) {
        if (bound.slot() != -1) {
            requireIndex(bound.slot(), plan.slots().size(), "slot");
            require(plan.slots().get(bound.slot()).type() instanceof DataType.Int64, "a bound must be an int64");
        }
    }

    private Pipeline maker(int id) {
        Pipeline maker = earlier.get(id);
        require(maker != null, "no earlier pipeline has id " + id);
        return maker;
    }

    private static void requireIndex(int index, int size, String what) {
        require(index >= 0 && index < size, "no " + what + " " + index + " among " + size);
    }

    private static void require(boolean holds, String problem) {
        if (!holds) {
            throw new IllegalArgumentException(problem);
        }
    }
}
