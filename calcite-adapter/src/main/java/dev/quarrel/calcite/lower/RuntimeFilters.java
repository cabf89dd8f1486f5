package dev.quarrel.calcite.lower;

import dev.quarrel.core.ir.Join;
import dev.quarrel.core.ir.JoinKind;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.Program;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.RuntimeFilter;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.Source;
import dev.quarrel.core.type.DataType;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.ToLongFunction;

/// Finds the scans of a plan whose rows can be dropped by what keys a build side turns out to have: not the scan that
/// probes it, which asks it anyway, but those of other pipelines.
///
/// Two rules, followed through joins, groups and sorts to the scans:
///
/// - A row whose join column is none of the build's keys has no effect past the join: so has no row before it that this
///   value comes from, be it the probe side's or that of an earlier build side with the same value.
/// - Past a join all rows have one of the build's keys, and payload that some build row has: a later build side's rows
///   with other keys match nothing.
///
/// Rows leave earlier than the plan says: so the programs that they no longer come to cannot fail. A build side that
/// several pipelines read keeps its rows, and one that holds all keys of its table filters nothing.
final class RuntimeFilters {
    /// Tables below it are read sooner than a build side is waited for.
    private static final long MIN_ROWS = 1000;

    private final List<Pipeline> pipelines;
    private final Slots slots;
    private final ToLongFunction<Source.TableScan> rowCount;
    private final int[] readers; // of what each pipeline makes
    private final Map<Integer, Boolean> narrowing = new HashMap<>();
    private final Set<Pushed> pushed = new HashSet<>();
    private final Set<Candidate> candidates = new LinkedHashSet<>();

    /// The values of a column of a build side's rows: keys, then payload.
    private record Keys(int build, int column) {}

    /// An output of a program whose values outside of the keys have no effect.
    private record Pushed(int pipeline, int program, int output, Keys keys) {}

    private record Candidate(int pipeline, int column, Keys keys) {}

    private RuntimeFilters(List<Pipeline> pipelines, Slots slots, ToLongFunction<Source.TableScan> rowCount) {
        this.pipelines = pipelines;
        this.slots = slots;
        this.rowCount = rowCount;
        this.readers = new int[pipelines.size()];
        pipelines.forEach(pipeline -> pipeline.inputs().forEach(input -> readers[input]++));
    }

    /// The pipelines with their filters.
    ///
    /// @param rowCount of a scan's table
    static List<Pipeline> addTo(List<Pipeline> pipelines, Slots slots, ToLongFunction<Source.TableScan> rowCount) {
        return pipelines.size() < 3 ? pipelines : new RuntimeFilters(pipelines, slots, rowCount).run();
    }

    private List<Pipeline> run() {
        for (Pipeline pipeline : pipelines) {
            for (int index = 0; index < pipeline.joins().size(); index++) {
                Join join = pipeline.joins().get(index);
                for (int key = 0; key < join.keys().size(); key++) {
                    int column = join.keys().get(key);
                    if (join.kind().needsMatch()) {
                        push(pipeline, index, column, new Keys(join.build(), key));
                    }
                    if (needsProbe(join.kind())) {
                        for (Keys known : known(pipeline, index, column)) {
                            pushIntoBuild(join, key, known);
                        }
                    }
                }
            }
        }
        return chosen();
    }

    /// Whether a build row that no probe row matches has no effect.
    private static boolean needsProbe(JoinKind kind) {
        return switch (kind) {
            case INNER, LEFT, SEMI, ANTI, MARK, RIGHT_SEMI -> true;
            case RIGHT, FULL, RIGHT_ANTI, MARK_IN -> false;
        };
    }

    // ---- from a join back to the scans

    /// Says that rows have no effect past a program where an output is none of the keys.
    private void push(Pipeline pipeline, int index, int output, Keys keys) {
        Program program = pipeline.programs().get(index);
        int input = program.inputOf(output);
        if (input < 0
                || pipeline.id() == keys.build()
                || !pushed.add(new Pushed(pipeline.id(), index, output, keys))
                || canFail(program)) {
            return;
        }
        if (index == 0) {
            pushIntoSource(pipeline, input, keys);
            return;
        }
        Join join = pipeline.joins().get(index - 1);
        if (join.conditions().stream().anyMatch(this::canFail)) {
            return;
        }
        int payload = input - join.carried().size();
        if (payload < 0) {
            int carried = join.carried().get(input);
            // A row that is gone would have matched rows of the build side that follow now.
            if (!join.kind().emitsBuildRows()) {
                push(pipeline, index - 1, carried, keys);
                int key = join.keys().indexOf(carried);
                if (key >= 0 && join.kind() != JoinKind.MARK_IN) {
                    pushIntoBuild(join, key, keys);
                }
            }
        } else if (payload < join.payload().size()) {
            pushIntoPayload(pipeline, index - 1, join.payload().get(payload), keys);
        }
    }

    private void pushIntoPayload(Pipeline pipeline, int index, int column, Keys keys) {
        Join join = pipeline.joins().get(index);
        Pipeline build = pipelines.get(join.build());
        int output = sink(build).payload().get(column);
        switch (join.kind()) {
            case INNER, RIGHT, RIGHT_SEMI, RIGHT_ANTI -> {
                // Without a row that is the nearest, another would be.
                if (readers[build.id()] == 1 && (!join.takesNearest() || keyOf(build, output) >= 0)) {
                    push(build, build.joins().size(), output, keys);
                }
            }
            case LEFT, FULL, SEMI, ANTI, MARK, MARK_IN -> {}
        }
        int key = keyOf(build, output);
        if (key >= 0 && join.kind() == JoinKind.INNER) {
            push(pipeline, index, join.keys().get(key), keys);
        }
    }

    private void pushIntoBuild(Join join, int key, Keys keys) {
        Pipeline build = pipelines.get(join.build());
        if (readers[build.id()] == 1) {
            push(build, build.joins().size(), sink(build).keys().get(key), keys);
        }
    }

    private void pushIntoSource(Pipeline pipeline, int column, Keys keys) {
        switch (pipeline.source()) {
            case Source.TableScan scan -> {
                boolean isInteger =
                        switch (scan.types().get(column)) {
                            case DataType.Int16 _,
                                    DataType.Int32 _,
                                    DataType.Int64 _,
                                    DataType.Date _,
                                    DataType.Time _,
                                    DataType.Timestamp _ -> true;
                            default -> false;
                        };
                boolean asksAnyway = pipeline.joins().stream().anyMatch(join -> join.build() == keys.build());
                if (isInteger && !asksAnyway && narrows(keys.build()) && rowCount.applyAsLong(scan) >= MIN_ROWS) {
                    candidates.add(new Candidate(pipeline.id(), column, keys));
                }
            }
            case Source.Rows(int id, List<DataType> _) -> {
                Pipeline maker = pipelines.get(id);
                if (readers[id] != 1) {
                    return;
                }
                switch (maker.sink()) {
                    // A coarser group has NULL for a key that it leaves out, which no build side has.
                    case Sink.Aggregate(List<Integer> groups, var _, var _) -> {
                        if (column < groups.size()) {
                            push(maker, maker.joins().size(), groups.get(column), keys);
                        }
                    }
                    case Sink.Sort(var _, Sink.Bound offset, Sink.Bound limit) -> {
                        if (offset.equals(Sink.Bound.ZERO) && limit.equals(Sink.Bound.NONE)) {
                            push(maker, maker.joins().size(), column, keys);
                        }
                    }
                    case Sink.Window window -> {
                        if (window.partition().contains(column)) {
                            push(maker, maker.joins().size(), column, keys);
                        }
                    }
                    case Sink.Collect _ -> push(maker, maker.joins().size(), column, keys);
                    case Sink.Result _, Sink.HashBuild _, Sink.Last _, Sink.Feed _ -> {}
                }
            }
            case Source.Values _, Source.Union _ -> {}
        }
    }

    // ---- from a build side on to later joins

    /// The values among which an output of a program is in every row where it is not NULL, which no key matches.
    private Set<Keys> known(Pipeline pipeline, int index, int output) {
        int input = pipeline.programs().get(index).inputOf(output);
        if (input < 0) {
            return Set.of();
        }
        if (index > 0) {
            return knownAfter(pipeline, index - 1, input);
        }
        if (!(pipeline.source() instanceof Source.Rows(int id, var _))) {
            return Set.of();
        }
        Pipeline maker = pipelines.get(id);
        int last = maker.joins().size();
        return switch (maker.sink()) {
            case Sink.Aggregate(List<Integer> groups, var _, var _) ->
                input < groups.size() ? known(maker, last, groups.get(input)) : Set.of();
            case Sink.Sort _, Sink.Last _, Sink.Collect _ -> known(maker, last, input);
            case Sink.Window _ -> input < maker.lastProgram().outputs().size() ? known(maker, last, input) : Set.of();
            case Sink.Result _, Sink.HashBuild _, Sink.Feed _ -> Set.of();
        };
    }

    private Set<Keys> knownAfter(Pipeline pipeline, int index, int input) {
        Join join = pipeline.joins().get(index);
        Pipeline build = pipelines.get(join.build());
        int payload = input - join.carried().size();
        boolean isMatched = join.kind() == JoinKind.INNER || join.kind() == JoinKind.SEMI;
        int probe = -1;
        int key = -1;
        Set<Keys> known = new LinkedHashSet<>();
        if (payload < 0) {
            probe = join.carried().get(input);
            key = isMatched ? join.keys().indexOf(probe) : -1;
            if (key >= 0) {
                known.addAll(
                        known(build, build.joins().size(), sink(build).keys().get(key)));
            }
        } else if (payload < join.payload().size()) {
            int output = sink(build).payload().get(join.payload().get(payload));
            known.addAll(known(build, build.joins().size(), output));
            int same = keyOf(build, output);
            known.add(new Keys(
                    join.build(),
                    same >= 0
                            ? same
                            : sink(build).keys().size() + join.payload().get(payload)));
            key = isMatched ? same : -1;
            probe = key < 0 ? -1 : join.keys().get(key);
        }
        if (key >= 0) {
            known.add(new Keys(join.build(), key));
        }
        if (probe >= 0 && !join.kind().emitsBuildRows()) {
            known.addAll(known(pipeline, index, probe));
        }
        return known;
    }

    // ---- what is what

    private static Sink.HashBuild sink(Pipeline build) {
        return (Sink.HashBuild) build.sink();
    }

    /// The key that an output of a build's last program is too, or -1.
    private static int keyOf(Pipeline build, int output) {
        List<Integer> keys = sink(build).keys();
        int input = build.lastProgram().inputOf(output);
        for (int key = 0; key < keys.size(); key++) {
            if (keys.get(key) == output || input >= 0 && build.lastProgram().inputOf(keys.get(key)) == input) {
                return key;
            }
        }
        return -1;
    }

    private boolean canFail(Program program) {
        return program.code().stream().anyMatch(instruction -> Failing.canFail(instruction, program, slots));
    }

    /// Whether some of a table's rows are missing in what a pipeline makes.
    private boolean narrows(int id) {
        Boolean known = narrowing.get(id);
        if (known == null) {
            Pipeline pipeline = pipelines.get(id);
            known = pipeline.programs().stream().anyMatch(program -> program.selection() != 0)
                    || pipeline.joins().stream()
                            .anyMatch(join -> !join.conditions().isEmpty()
                                    || join.kind().needsMatch() && narrows(join.build())
                                    || join.kind() == JoinKind.ANTI)
                    || pipeline.source() instanceof Source.Values
                    || pipeline.source() instanceof Source.Rows(int maker, var _)
                            && (narrows(maker)
                                    || pipelines.get(maker).sink() instanceof Sink.Last
                                    || pipelines.get(maker).sink() instanceof Sink.Sort(var _, var _, Sink.Bound limit)
                                            && !limit.equals(Sink.Bound.NONE));
            narrowing.put(id, known);
        }
        return known;
    }

    // ---- the choice

    /// Filters of the largest tables first: where two build sides could filter each other, one has to come before.
    private List<Pipeline> chosen() {
        List<Candidate> ordered = new ArrayList<>(candidates);
        ordered.sort(Comparator.comparingLong(candidate -> -rowCount.applyAsLong(
                (Source.TableScan) pipelines.get(candidate.pipeline()).source())));
        Map<Integer, Set<Integer>> waits = new HashMap<>();
        QueryPlan plan = new QueryPlan(List.of(), pipelines);
        pipelines.forEach(pipeline -> waits.put(pipeline.id(), new TreeSet<>(plan.inputs(pipeline))));
        Map<Integer, List<RuntimeFilter>> filters = new HashMap<>();
        for (Candidate candidate : ordered) {
            Keys keys = candidate.keys();
            if (!reaches(waits, keys.build(), candidate.pipeline(), new HashSet<>())) {
                waits.get(candidate.pipeline()).add(keys.build());
                filters.computeIfAbsent(candidate.pipeline(), _ -> new ArrayList<>())
                        .add(new RuntimeFilter(candidate.column(), keys.build(), keys.column()));
            }
        }
        return pipelines.stream()
                .map(pipeline -> filters.containsKey(pipeline.id())
                        ? pipeline.withFilters(filters.get(pipeline.id()))
                        : pipeline)
                .toList();
    }

    private static boolean reaches(Map<Integer, Set<Integer>> waits, int from, int to, Set<Integer> seen) {
        return from == to
                || seen.add(from) && waits.get(from).stream().anyMatch(next -> reaches(waits, next, to, seen));
    }
}
