package dev.quarrel.calcite.lower;

import dev.quarrel.calcite.limits.PlanningLimits;
import dev.quarrel.calcite.rel.LiftedLiteral;
import dev.quarrel.calcite.rel.QuarrelJoin;
import dev.quarrel.core.ir.ColumnRange;
import dev.quarrel.core.ir.Join;
import dev.quarrel.core.ir.JoinKind;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.Program;
import dev.quarrel.core.ir.ProgramBuilder;
import dev.quarrel.core.ir.Relation;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.Source;
import dev.quarrel.core.type.DataType;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexVisitorImpl;
import org.apache.calcite.sql.SqlKind;

/// A pipeline under construction, to which operators are still being added. Its programs are compiled once its
/// sink is known, so that only columns that are read later are loaded, carried through joins and stored in build
/// tables.
///
/// Expressions are over *base columns*: the source's, then each join's payload. Projections are not steps: they
/// only change what the pipeline's columns mean, so a value is computed where it is used, for the rows that get
/// there.
final class PipelineDraft {
    private final Origin origin;
    private final List<DataType> baseTypes;
    private final List<Step> steps = new ArrayList<>();
    private List<RexNode> columns;
    private int id = -1;

    /// The source of the base columns of a pipeline.
    sealed interface Origin {
        record Scan(String schemaName, String tableName, List<String> names, List<DataType> types) implements Origin {}

        record Rows(int pipeline, List<DataType> types) implements Origin {}

        /// @param branches unfinished, of the same columns each
        record Union(List<PipelineDraft> branches, List<DataType> types) implements Origin {}

        record Values(int rowCount, List<DataType> types, List<Integer> slots) implements Origin {}

        List<DataType> types();
    }

    private sealed interface Step {
        record Filter(List<RexNode> conjuncts) implements Step {}

        /// @param computed values over base columns that are carried as base columns from `firstComputed` on
        /// @param firstPayload base column of the build side's first column
        /// @param end base columns from here on are not there yet; the one before is the mark of a mark join
        /// @param residual over base columns, or null
        /// @param nearest null for a join with all rows
        /// @param range its bounds are over base columns; null for a join with all rows
        record Probe(
                JoinKind kind,
                List<Key> keys,
                PipelineDraft build,
                int firstComputed,
                List<RexNode> computed,
                int firstPayload,
                int end,
                RexNode residual,
                Nearest nearest,
                QuarrelJoin.Range range)
                implements Step {}
    }

    /// Which of the build rows with equal keys an ASOF join takes.
    ///
    /// @param probe over the probe side's base columns
    /// @param build column of the build side
    /// @param relation of the probe row's value to the build row's
    record Nearest(RexNode probe, int build, Relation relation) {}

    /// One pair of key columns of an equi-join.
    ///
    /// @param probe over the probe side's base columns
    /// @param build over the build side's base columns
    record Key(RexNode probe, RexNode build, DataType type) {}

    /// A value that the sink consumes.
    ///
    /// @param type to convert it to, or null for its own
    /// @param comparable without the trailing blanks that do not count
    record Output(RexNode node, DataType type, boolean comparable) {
        static Output of(RexNode node) {
            return new Output(node, null, false);
        }
    }

    /// The state that the pipelines of one plan share.
    interface Plan {
        Slots slots();

        RexBuilder rexBuilder();

        ToIntFunction<RexNode> outerParameter();

        /// Adds a pipeline and answers its number.
        int add(Function<Integer, Pipeline> pipeline);

        /// Whether several pipelines may read the rows of one that was added.
        boolean isReadAgain(int pipeline);

        /// Types of the rows that one makes.
        List<DataType> rowTypes(int pipeline);

        /// Has the pipeline added last write its outputs in an order, some of them perhaps twice.
        ///
        /// @param order places of the outputs among those that it has
        void reorder(int pipeline, List<Integer> order);
    }

    PipelineDraft(Origin origin, List<RexNode> columns) {
        this.origin = origin;
        this.baseTypes = new ArrayList<>(origin.types());
        this.columns = List.copyOf(columns);
    }

    /// The current columns, over base columns.
    List<RexNode> columns() {
        return columns;
    }

    /// An expression over the current columns as one over base columns.
    RexNode rebase(RexNode node) {
        return node.accept(new RexShuttle() {
            @Override
            public RexNode visitInputRef(RexInputRef input) {
                return columns.get(input.getIndex());
            }
        });
    }

    List<RexNode> rebaseAll(List<RexNode> nodes) {
        return nodes.stream().map(this::rebase).toList();
    }

    void project(List<RexNode> newColumns) {
        columns = rebaseAll(newColumns);
    }

    void filter(RexNode condition) {
        steps.add(new Step.Filter(RelOptUtil.conjunctions(rebase(condition))));
    }

    /// Adds a probe of `build`'s rows.
    ///
    /// @param keys over base columns
    /// @param residual over the current columns, then the build side's; null for none
    /// @param nearest null for a join with all rows
    /// @param range its bounds are over the current columns; null for a join with all rows
    /// @param buildTypes of the build side's columns
    /// @param joined types of the columns after the join
    void join(
            JoinKind kind,
            List<Key> keys,
            PipelineDraft build,
            RexNode residual,
            Nearest nearest,
            QuarrelJoin.Range range,
            List<RelDataType> buildTypes,
            List<RelDataType> joined) {
        int firstComputed = baseTypes.size();
        List<RexNode> computed = new ArrayList<>();
        List<RexNode> after = new ArrayList<>();
        boolean mayBeAbsent = kind == JoinKind.RIGHT || kind == JoinKind.FULL;
        if (kind.hasCarried()) {
            for (int index = 0; index < columns.size(); index++) {
                RexNode column = columns.get(index);
                if (!mayBeAbsent) {
                    after.add(column);
                } else if (column instanceof RexInputRef base) {
                    after.add(new RexInputRef(base.getIndex(), joined.get(index)));
                } else {
                    // A row without a probe row has no value either, whatever the expression makes of NULL.
                    after.add(new RexInputRef(firstComputed + computed.size(), joined.get(index)));
                    computed.add(column);
                    baseTypes.add(RowTypes.of(column.getType()));
                }
            }
        }
        int firstPayload = baseTypes.size();
        for (int index = 0; index < buildTypes.size(); index++) {
            if (kind.hasPayload()) {
                after.add(new RexInputRef(firstPayload + index, joined.get(after.size())));
            }
            baseTypes.add(RowTypes.of(buildTypes.get(index)));
        }
        if (kind.hasMark()) {
            after.add(new RexInputRef(baseTypes.size(), joined.getLast()));
            baseTypes.add(DataType.BOOL);
        }
        RexNode condition = residual == null ? null : overBase(residual, firstPayload);
        steps.add(new Step.Probe(
                kind,
                List.copyOf(keys),
                build,
                firstComputed,
                List.copyOf(computed),
                firstPayload,
                baseTypes.size(),
                condition,
                nearest,
                range == null
                        ? null
                        : new QuarrelJoin.Range(
                                range.right(),
                                rebase(range.lower()),
                                rebase(range.upper()),
                                range.type(),
                                range.prevailing())));
        columns = List.copyOf(after);
    }

    private QuarrelJoin.Range.Bound rebase(QuarrelJoin.Range.Bound bound) {
        return bound == null ? null : new QuarrelJoin.Range.Bound(rebase(bound.value()), bound.end());
    }

    private RexNode overBase(RexNode node, int firstPayload) {
        int width = columns.size();
        return node.accept(new RexShuttle() {
            @Override
            public RexNode visitInputRef(RexInputRef input) {
                return input.getIndex() < width
                        ? columns.get(input.getIndex())
                        : new RexInputRef(firstPayload + input.getIndex() - width, input.getType());
            }
        });
    }

    Origin origin() {
        return origin;
    }

    /// Whether its rows come in the order of one source, which can be read from its end: those of several pipelines do
    /// not, nor those of joins whose build rows follow.
    boolean hasEnd() {
        return !(origin instanceof Origin.Union)
                && steps.stream()
                        .noneMatch(step ->
                                step instanceof Step.Probe probe && probe.kind().emitsBuildRows());
    }

    /// Rows that are made once, and read in several places.
    ///
    /// @param columns over the rows
    record Kept(Origin.Rows rows, List<RexNode> columns) {}

    /// Finishes the pipeline so that several others can read its rows. Where nothing has been done but projections to
    /// the rows of a finished pipeline that can be read again, these are read.
    ///
    /// @param read columns that are read anywhere
    Kept keep(Plan plan, BitSet read) {
        if (steps.isEmpty() && origin instanceof Origin.Rows made && plan.isReadAgain(made.pipeline())) {
            return new Kept(made, columns);
        }
        List<Output> outputs =
                read.stream().mapToObj(column -> Output.of(columns.get(column))).toList();
        List<Integer> places = new ArrayList<>();
        int made = finish(plan, outputs, positions -> {
            places.addAll(positions);
            return new Sink.Collect();
        });
        List<RexNode> kept = new ArrayList<>();
        int next = 0;
        for (int column = 0; column < columns.size(); column++) {
            RexNode value = columns.get(column);
            // A column that nobody reads stays what it was; nobody writes a program for it.
            kept.add(read.get(column) ? new RexInputRef(places.get(next++), value.getType()) : value);
        }
        return new Kept(new Origin.Rows(made, plan.rowTypes(made)), kept);
    }

    /// The pipeline's number once it is finished.
    int id() {
        return id;
    }

    /// Writes the programs and adds the pipeline, after those it builds tables with.
    int finish(Plan plan, List<Output> outputs, Function<List<Integer>, Sink> sinkOf) {
        id = new Writer(plan).write(outputs, sinkOf);
        return id;
    }

    /// Finishes a pipeline that feeds another one.
    ///
    /// @param wanted columns that the other one takes, in its order
    private int feed(Plan plan, List<Integer> wanted, List<DataType> types) {
        List<Output> outputs = new ArrayList<>();
        for (int index = 0; index < wanted.size(); index++) {
            outputs.add(new Output(columns.get(wanted.get(index)), types.get(index), false));
        }
        List<Integer> order = new ArrayList<>();
        int made = finish(plan, outputs, positions -> {
            order.addAll(positions);
            return new Sink.Feed();
        });
        plan.reorder(made, order);
        return made;
    }

    private final class Writer {
        private final Plan plan;
        private final Failing failing;
        /// For each step, the base columns read after it; and what is read at all at the end of the list.
        private final List<BitSet> readAfter = new ArrayList<>();

        Writer(Plan plan) {
            this.plan = plan;
            this.failing = new Failing(baseTypes, plan.rexBuilder());
        }

        int write(List<Output> outputs, Function<List<Integer>, Sink> sinkOf) {
            BitSet read = new BitSet();
            outputs.forEach(output -> addReferences(output.node(), read));
            for (Step step : steps.reversed()) {
                if (step instanceof Step.Probe probe && probe.kind().hasMark()) {
                    read.set(probe.end() - 1); // it comes whether somebody reads it or not
                }
                readAfter.addFirst((BitSet) read.clone());
                switch (step) {
                    case Step.Filter(List<RexNode> conjuncts) -> conjuncts.forEach(node -> addReferences(node, read));
                    case Step.Probe probe -> {
                        for (int index = 0; index < probe.computed().size(); index++) {
                            if (read.get(probe.firstComputed() + index)) {
                                addReferences(probe.computed().get(index), read);
                            }
                        }
                        probe.keys().forEach(key -> addReferences(key.probe(), read));
                        if (probe.nearest() != null) {
                            addReferences(probe.nearest().probe(), read);
                        }
                        if (probe.residual() != null) {
                            addReferences(probe.residual(), read);
                        }
                        bounds(probe).forEach(bound -> addReferences(bound, read));
                        read.clear(probe.firstComputed(), probe.end());
                    }
                }
            }
            int sourceColumns = origin.types().size();
            List<Integer> present = read.stream()
                    .filter(column -> column < sourceColumns)
                    .boxed()
                    .toList();
            // Values and rows of a pipeline come with all their columns.
            if (!(origin instanceof Origin.Scan) && !(origin instanceof Origin.Union)) {
                present = IntStream.range(0, sourceColumns).boxed().toList();
            }
            List<Integer> scanned = present;
            List<Program> programs = new ArrayList<>();
            List<Join> joins = new ArrayList<>();
            Segment segment = new Segment(present);
            for (int index = 0; index < steps.size(); index++) {
                switch (steps.get(index)) {
                    case Step.Filter(List<RexNode> conjuncts) -> segment.filter(conjuncts);
                    case Step.Probe probe -> {
                        BitSet after = readAfter.get(index);
                        Join join = segment.probe(probe, after);
                        programs.add(segment.build());
                        joins.add(join);
                        present = after.stream()
                                .filter(column -> column < probe.end())
                                .boxed()
                                .toList();
                        segment = new Segment(present);
                    }
                }
            }
            List<Integer> positions = outputs.stream().map(segment::output).toList();
            programs.add(segment.build());
            Sink sink = sinkOf.apply(positions);
            Source source = source(scanned);
            return plan.add(id -> new Pipeline(id, source, programs, joins, sink));
        }

        private static List<RexNode> bounds(Step.Probe probe) {
            return probe.range() == null ? List.of() : probe.range().values();
        }

        private void addReferences(RexNode node, BitSet columns) {
            // Columns of projections over one another share what they are made of: as a tree it can be beyond all
            // bounds.
            Set<RexNode> seen = Collections.newSetFromMap(new IdentityHashMap<>());
            node.accept(new RexVisitorImpl<Void>(true) {
                @Override
                public Void visitInputRef(RexInputRef input) {
                    columns.set(input.getIndex());
                    return null;
                }

                @Override
                public Void visitCall(RexCall call) {
                    PlanningLimits.tick();
                    return seen.add(call) ? super.visitCall(call) : null;
                }
            });
        }

        private static List<Integer> within(BitSet columns, int from, int to) {
            return columns.stream()
                    .filter(column -> column >= from && column < to)
                    .boxed()
                    .toList();
        }

        private Source source(List<Integer> scanned) {
            return switch (origin) {
                case Origin.Scan(String schemaName, String tableName, List<String> names, List<DataType> types) ->
                    new Source.TableScan(
                            schemaName,
                            tableName,
                            scanned.stream().map(names::get).toList(),
                            scanned.stream().map(types::get).toList(),
                            ranges(scanned));
                case Origin.Rows(int pipeline, List<DataType> types) -> new Source.Rows(pipeline, types);
                case Origin.Union(List<PipelineDraft> branches, List<DataType> types) -> {
                    List<DataType> fed = scanned.stream().map(types::get).toList();
                    yield new Source.Union(
                            branches.stream()
                                    .map(branch -> branch.feed(plan, scanned, fed))
                                    .toList(),
                            fed);
                }
                case Origin.Values(int rowCount, List<DataType> types, List<Integer> slots) ->
                    new Source.Values(rowCount, types, slots);
            };
        }

        /// What the filters before the first one that can fail say of scanned columns. After a join whose build rows
        /// follow, rows are no longer the scan's alone.
        private List<ColumnRange> ranges(List<Integer> scanned) {
            List<ColumnRange> ranges = new ArrayList<>();
            for (Step step : steps) {
                if (step instanceof Step.Filter(List<RexNode> conjuncts)) {
                    for (RexNode conjunct : conjuncts) {
                        if (failing.canFail(conjunct)) {
                            return ranges;
                        }
                        addRange(conjunct, scanned, ranges);
                    }
                }
                if (step instanceof Step.Probe probe && probe.kind().emitsBuildRows()) {
                    return ranges;
                }
            }
            return ranges;
        }

        private void addRange(RexNode conjunct, List<Integer> scanned, List<ColumnRange> ranges) {
            if (!(conjunct instanceof RexCall call) || !SqlKind.COMPARISON.contains(call.getKind())) {
                return;
            }
            RexNode left = call.getOperands().get(0);
            RexNode right = call.getOperands().get(1);
            SqlKind kind = call.getKind();
            if (!(left instanceof RexInputRef)) {
                RexNode swapped = left;
                left = right;
                right = swapped;
                kind = kind.reverse();
            }
            if (!(left instanceof RexInputRef column) || !scanned.contains(column.getIndex())) {
                return;
            }
            DataType type = baseTypes.get(column.getIndex());
            if (RowTypes.isPadded(column.getType())) {
                return; // trailing blanks do not count, but they do in the statistics
            }
            int slot = boundSlot(right, type);
            if (slot < 0) {
                return;
            }
            int position = scanned.indexOf(column.getIndex());
            switch (kind) {
                case EQUALS -> ranges.add(new ColumnRange(position, slot, slot));
                case LESS_THAN, LESS_THAN_OR_EQUAL -> ranges.add(new ColumnRange(position, -1, slot));
                case GREATER_THAN, GREATER_THAN_OR_EQUAL -> ranges.add(new ColumnRange(position, slot, -1));
                default -> {}
            }
        }

        private int boundSlot(RexNode bound, DataType type) {
            if (bound instanceof LiftedLiteral lifted) {
                boolean isExact = RowTypes.of(bound.getType()).equals(type) || Literals.fits(bound, type);
                return isExact ? plan.slots().lifted(lifted, type) : -1;
            }
            var literal = Literals.as(bound, type);
            if (literal != null) {
                boolean isExact = RowTypes.of(bound.getType()).equals(type) || Literals.fits(bound, type);
                return isExact ? plan.slots().constant(literal) : -1;
            }
            return bound instanceof org.apache.calcite.rex.RexDynamicParam parameter
                            && RowTypes.of(parameter.getType()).equals(type)
                    ? plan.slots().parameter(parameter.getIndex() + 1, type)
                    : -1;
        }

        /// The program between two joins.
        private final class Segment {
            private final ProgramBuilder builder;
            private final RexLowering lowering;
            private final Map<Integer, Integer> inputOfBase = new HashMap<>();
            private final List<Integer> outputs = new ArrayList<>();
            private int rows = ProgramBuilder.ALL_ROWS;

            /// @param present base columns that come in, in order
            Segment(List<Integer> present) {
                for (int input = 0; input < present.size(); input++) {
                    inputOfBase.put(present.get(input), input);
                }
                builder =
                        new ProgramBuilder(present.stream().map(baseTypes::get).toList());
                lowering = new RexLowering(
                        builder,
                        plan.slots(),
                        plan.rexBuilder(),
                        inputOfBase::get,
                        plan.outerParameter(),
                        failing,
                        true);
            }

            void filter(List<RexNode> conjuncts) {
                rows = lowering.filter(conjuncts, rows);
            }

            int output(Output output) {
                RexNode node = output.node();
                DataType type = output.type() == null ? RowTypes.of(node.getType()) : output.type();
                return output(
                        output.comparable()
                                ? lowering.lowerComparable(node, type, rows)
                                : lowering.lowerAs(node, type, rows));
            }

            private int output(int register) {
                int known = outputs.indexOf(register);
                if (known < 0) {
                    outputs.add(register);
                }
                return known < 0 ? outputs.size() - 1 : known;
            }

            Join probe(Step.Probe probe, BitSet after) {
                List<Integer> keys = probe.keys().stream()
                        .map(key -> output(new Output(key.probe(), key.type(), true)))
                        .toList();
                List<Integer> carried = after.stream()
                        .filter(column -> column < probe.firstPayload())
                        .mapToObj(column -> carried(probe, column))
                        .toList();
                int payloadEnd = probe.kind().hasMark() ? probe.end() - 1 : probe.end();
                BitSet tested = new BitSet();
                if (probe.residual() != null) {
                    addReferences(probe.residual(), tested);
                }
                BitSet wanted = (BitSet) after.clone();
                wanted.or(tested);
                Nearest nearest = probe.nearest();
                if (nearest != null) {
                    wanted.set(probe.firstPayload() + nearest.build());
                }
                QuarrelJoin.Range range = probe.range();
                if (range != null) {
                    wanted.set(probe.firstPayload() + range.right());
                }
                List<Integer> built = within(wanted, probe.firstPayload(), payloadEnd);
                Join.Residual residual = probe.residual() == null ? null : residual(probe, tested, built);
                PipelineDraft build = probe.build();
                List<Output> outputs = new ArrayList<>();
                probe.keys().forEach(key -> outputs.add(new Output(key.build(), key.type(), true)));
                for (int column : built) {
                    outputs.add(
                            new Output(build.columns.get(column - probe.firstPayload()), baseTypes.get(column), false));
                }
                int keyCount = probe.keys().size();
                int builder = build.finish(
                        plan,
                        outputs,
                        positions -> new Sink.HashBuild(
                                positions.subList(0, keyCount),
                                positions.subList(keyCount, positions.size()),
                                probe.kind().needsNullKeys()));
                List<Integer> payload = within(after, probe.firstPayload(), payloadEnd).stream()
                        .map(built::indexOf)
                        .toList();
                Join.Nearest order = nearest == null
                        ? null
                        : new Join.Nearest(
                                output(new Output(
                                        nearest.probe(), baseTypes.get(probe.firstPayload() + nearest.build()), false)),
                                built.indexOf(probe.firstPayload() + nearest.build()),
                                nearest.relation());
                Join.Range between =
                        range == null ? null : range(probe, built.indexOf(probe.firstPayload() + range.right()));
                return new Join(probe.kind(), builder, keys, carried, payload, residual, order, between);
            }

            private int carried(Step.Probe probe, int column) {
                return column < probe.firstComputed()
                        ? output(builder.load(inputOfBase.get(column), rows))
                        : output(new Output(
                                probe.computed().get(column - probe.firstComputed()), baseTypes.get(column), false));
            }

            /// @param tested base columns that it reads
            /// @param built base columns of the build side's payload
            private Join.Residual residual(Step.Probe probe, BitSet tested, List<Integer> built) {
                List<Integer> probed = within(tested, 0, probe.firstPayload());
                List<Integer> payload = within(tested, probe.firstPayload(), probe.end());
                Map<Integer, Integer> inputs = new HashMap<>();
                probed.forEach(column -> inputs.put(column, inputs.size()));
                payload.forEach(column -> inputs.put(column, inputs.size()));
                List<DataType> types = new ArrayList<>();
                probed.forEach(column -> types.add(baseTypes.get(column)));
                payload.forEach(column -> types.add(baseTypes.get(column)));
                ProgramBuilder pairs = new ProgramBuilder(types);
                RexLowering conditions = new RexLowering(
                        pairs, plan.slots(), plan.rexBuilder(), inputs::get, plan.outerParameter(), failing, true);
                Program program;
                if (probe.kind() == JoinKind.MARK) {
                    int truth = conditions.lowerAs(probe.residual(), DataType.BOOL, ProgramBuilder.ALL_ROWS);
                    program = pairs.build(
                            ProgramBuilder.ALL_ROWS,
                            List.of(truth),
                            plan.slots().all());
                } else {
                    int met = conditions.filter(RelOptUtil.conjunctions(probe.residual()), ProgramBuilder.ALL_ROWS);
                    program = pairs.build(met, List.of(), plan.slots().all());
                }
                return new Join.Residual(
                        probed.stream()
                                .map(column -> output(builder.load(inputOfBase.get(column), rows)))
                                .toList(),
                        payload.stream().map(built::indexOf).toList(),
                        program);
            }

            private Join.Range range(Step.Probe probe, int column) {
                BitSet read = new BitSet();
                bounds(probe).forEach(bound -> addReferences(bound, read));
                List<Integer> probed = within(read, 0, probe.firstPayload());
                ProgramBuilder ends =
                        new ProgramBuilder(probed.stream().map(baseTypes::get).toList());
                RexLowering values = new RexLowering(
                        ends, plan.slots(), plan.rexBuilder(), probed::indexOf, plan.outerParameter(), failing, true);
                QuarrelJoin.Range range = probe.range();
                List<Integer> registers = bounds(probe).stream()
                        .map(bound -> values.lowerAs(bound, range.type(), ProgramBuilder.ALL_ROWS))
                        .toList();
                return new Join.Range(
                        column,
                        probed.stream()
                                .map(each -> output(builder.load(inputOfBase.get(each), rows)))
                                .toList(),
                        ends.build(
                                ProgramBuilder.ALL_ROWS, registers, plan.slots().all()),
                        range.lower() == null ? null : range.lower().end(),
                        range.upper() == null ? null : range.upper().end(),
                        range.prevailing());
            }

            Program build() {
                return builder.build(rows, outputs, plan.slots().all());
            }
        }
    }
}
